// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views, loads, stores and gathers.
#include "Families.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Which elements of a block lie inside of a view.
struct Window {
  Box box;
  SmallVector<int64_t, 4> first; ///< of the block, per view dimension
  bool isWhole = true;

  /// Adds a dimension whose element i stands at offset + i * step, for i in
  /// `clip` alone.
  void add(int64_t size, __int128 offset, int64_t block, int64_t step,
           std::pair<int64_t, int64_t> clip) {
    int64_t low = 0, high = block;
    auto inside = [&](int64_t i) {
      __int128 at = offset + __int128(i) * step;
      return at >= 0 && at < size;
    };
    if (step == 1) {
      // The common case without a search.
      low = static_cast<int64_t>(
          std::min<__int128>(std::max<__int128>(0, -offset), block));
      high = static_cast<int64_t>(std::max<__int128>(
          low, std::min<__int128>(block, __int128(size) - offset)));
    } else {
      while (low < high && !inside(low))
        ++low;
      while (high > low && !inside(high - 1))
        --high;
    }
    low = std::max(low, clip.first);
    high = std::max(low, std::min(high, clip.second));
    isWhole &= low == 0 && high == block;
    first.push_back(low);
    box.first.push_back(
        low < high ? static_cast<int64_t>(offset + __int128(low) * step) : 0);
    box.sizes.push_back(high - low);
    box.steps.push_back(step);
  }

  bool isEmpty() const { return llvm::is_contained(box.sizes, 0); }
};

/// The strides of the tile's elements per view dimension; dimensions that the
/// tile lacks have one element.
SmallVector<int64_t, 4> tileStrides(ArrayRef<int64_t> shape, size_t rank) {
  SmallVector<int64_t, 4> strides(rank - shape.size(), 0);
  llvm::append_range(strides, rowMajorStrides(shape));
  return strides;
}

int64_t dotOf(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip(a, b))
    sum += x * y;
  return sum;
}

template <typename OpTy>
FailureOr<Window> windowOf(OpTy op, Frame &frame, const View &view) {
  Window window;
  window.box.view = &view;
  size_t lacking = view.sizes.size() - op.getTileType().getRank();
  for (auto [d, coordinate] : llvm::enumerate(op.getCoords())) {
    const Value &value = frame.get(coordinate);
    if (value.hasPoison()) {
      op.emitOpError("coordinate ") << d << " is poison";
      return failure();
    }
    int64_t block = op.getBlock(d), step = op.getStepOf(d);
    __int128 offset = value.asInt();
    std::pair<int64_t, int64_t> clip = {0, block};
    if (d >= lacking && frame.instance && !frame.instance->clip.empty())
      clip = frame.instance->clip[d - lacking];
    window.add(view.sizes[d], op.getElementOffsets() ? offset : offset * block,
               block, step, clip);
  }
  return window;
}

/// Fills a tile with what is outside of a view.
template <typename OpTy>
LogicalResult fillPadding(OpTy op, Frame &frame, Value &out) {
  switch (op.getPadding()) {
  case tile::Padding::zero:
    std::memset(out.mutableData(), 0, out.bytes());
    break;
  case tile::Padding::nan:
    if (!runtime::isFloat(out.dtype()))
      return op.emitOpError("expected a float type for padding by NaN");
    fill(out, Value::ofDouble(out.dtype(),
                              std::numeric_limits<double>::quiet_NaN()));
    break;
  case tile::Padding::any:
    // Unspecified, so it must not reach memory.
    std::memset(out.mutableData(), 0, out.bytes());
    std::fill_n(out.makePoison(), out.size(), 1);
    break;
  case tile::Padding::value:
    if (!op.getPad())
      return op.emitOpError("expected an operand `pad`");
    break;
  }
  if (op.getPad())
    fill(out, frame.get(op.getPad()));
  return success();
}

/// A view with a poison base may be made, but not used.
template <typename OpTy>
LogicalResult checkBase(OpTy op, Frame &frame, const Window &window) {
  if (!window.isEmpty() && frame.get(op.getView()).hasPoison())
    return op.emitOpError("the base of the view is poison");
  return success();
}

/// Where other instances may go on.
void mayYield(Frame &frame) {
  if (frame.instance && frame.instance->suspend)
    frame.instance->suspend();
}

/// Reads the box into its place in the tile.
LogicalResult readWindow(Operation *op, Frame &frame, const Window &window,
                         Value &out, int64_t offset,
                         ArrayRef<int64_t> strides) {
  if (window.isEmpty())
    return success();
  if (failed(checkAccess(op, frame.instance, window.box, Access::read)))
    return failure();
  offset += dotOf(window.first, strides);
  readBox(window.box, out, offset, strides);
  if (out.hasPoison()) {
    uint8_t zero = 0;
    SmallVector<int64_t, 4> same(strides.size(), 0);
    copyStrided(window.box.sizes, 1, out.makePoison() + offset, strides, &zero,
                same);
  }
  return success();
}

LogicalResult load(tile::LoadOp op, Frame &frame) {
  mayYield(frame);
  const View &view = frame.get(op.getView()).view();
  FailureOr<Window> window = windowOf(op, frame, view);
  if (failed(window) || failed(checkBase(op, frame, *window)))
    return failure();
  Value out = Value::tensor(view.dtype, op.getTileType().getShape());
  if (!window->isWhole && failed(fillPadding(op, frame, out)))
    return failure();
  if (failed(readWindow(op, frame, *window, out, 0,
                        tileStrides(out.shape(), view.sizes.size()))))
    return failure();
  return frame.set(op.getResult(), std::move(out));
}

double combineFloats(tile::Combine how, double x, double y) {
  if (how == tile::Combine::add)
    return x + y;
  if (how == tile::Combine::mul)
    return x * y;
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  bool larger = x > y || (x == y && !std::signbit(x));
  return larger == (how == tile::Combine::max) ? x : y;
}

int64_t combineInts(tile::Combine how, int64_t x, int64_t y) {
  auto u = static_cast<uint64_t>(x), v = static_cast<uint64_t>(y);
  switch (how) {
  case tile::Combine::assign:
    return y;
  case tile::Combine::add:
    return static_cast<int64_t>(u + v);
  case tile::Combine::mul:
    return static_cast<int64_t>(u * v);
  case tile::Combine::max:
    return std::max(x, y);
  case tile::Combine::min:
    return std::min(x, y);
  case tile::Combine::umax:
    return static_cast<int64_t>(std::max(u, v));
  case tile::Combine::umin:
    return static_cast<int64_t>(std::min(u, v));
  case tile::Combine::and_:
    return x & y;
  case tile::Combine::or_:
    return x | y;
  case tile::Combine::xor_:
    return x ^ y;
  case tile::Combine::inc:
    return u >= v ? 0 : x + 1;
  case tile::Combine::dec:
    return u == 0 || u > v ? y : x - 1;
  }
  return y;
}

/// Combines one element at a time, so that equal addresses add up.
void combineBox(const Box &box, tile::Combine how, const Value &from) {
  SmallVector<int64_t, 4> strides;
  char *address = boxAddress(box, strides);
  DType dtype = from.dtype();
  bool isFloat = runtime::isFloat(dtype);
  bool isUnsigned = how == tile::Combine::umax || how == tile::Combine::umin ||
                    how == tile::Combine::inc || how == tile::Combine::dec;
  Extend extend = isUnsigned ? Extend::zero : Extend::truth;
  SmallVector<int64_t, 4> index(box.sizes.size(), 0);
  for (int64_t i = 0; i < from.size(); ++i) {
    int64_t at = dotOf(index, strides);
    if (isFloat) {
      double x, y;
      loadDoubles(dtype, address, at, 1, &x);
      loadDoubles(dtype, from.data(), i, 1, &y);
      x = combineFloats(how, x, y);
      storeDoubles(dtype, address, at, 1, &x);
    } else {
      int64_t x, y;
      loadInts(dtype, address, at, 1, &x, extend);
      loadInts(dtype, from.data(), i, 1, &y, extend);
      x = combineInts(how, x, y);
      storeInts(dtype, address, at, 1, &x);
    }
    for (int64_t d = static_cast<int64_t>(index.size()) - 1; d >= 0; --d) {
      if (++index[d] < box.sizes[d])
        break;
      index[d] = 0;
    }
  }
}

/// Writes the box from its place in the tile.
LogicalResult writeWindow(Operation *op, Frame &frame, const Window &window,
                          const Value &value, int64_t offset,
                          ArrayRef<int64_t> strides, tile::Combine how) {
  if (window.isEmpty())
    return success();
  offset += dotOf(window.first, strides);
  Value part = gatherStrided(value, window.box.sizes, offset, strides);
  if (const uint8_t *poison = part.poison())
    for (int64_t i = 0; i < part.size(); ++i)
      if (poison[i])
        return op->emitOpError("poison reaches memory: element ")
               << i << " of the " << part.size() << " that are stored";
  bool combines = how != tile::Combine::assign;
  if (failed(checkAccess(op, frame.instance, window.box,
                         combines ? Access::combine : Access::write, Order(),
                         part.as<char>())))
    return failure();
  if (combines) {
    combineBox(window.box, how, part);
    return success();
  }
  SmallVector<int64_t, 4> to;
  char *address = boxAddress(window.box, to);
  copyStrided(window.box.sizes, runtime::dtypeBytes(part.dtype()), address, to,
              part.data(), rowMajorStrides(window.box.sizes));
  return success();
}

LogicalResult store(tile::StoreOp op, Frame &frame) {
  mayYield(frame);
  const View &view = frame.get(op.getView()).view();
  const Value &value = frame.get(op.getValue());
  FailureOr<Window> window = windowOf(op, frame, view);
  if (failed(window) || failed(checkBase(op, frame, *window)))
    return failure();
  return writeWindow(op, frame, *window, value, 0,
                     tileStrides(value.shape(), view.sizes.size()),
                     op.getCombine());
}

/// What one index of a gather or scatter reaches.
struct Slice {
  Window window;
  int64_t offset = 0;            ///< of its first element in the tile
  SmallVector<int64_t, 4> sizes; ///< in the tile, by dimensions of the view
  SmallVector<int64_t, 4> strides;
  bool isPoison = false; ///< the index has no value
};

/// Calls `fn` with the slice of each index.
template <typename OpTy, typename Fn>
LogicalResult forSlices(OpTy op, Frame &frame, const View &view, Fn fn) {
  const Value &indices = frame.get(op.getIndices());
  size_t dim = op.getDim(), rank = view.sizes.size();
  ArrayRef<int64_t> shape = op.getTileType().getShape();
  SmallVector<int64_t> offsets;
  for (mlir::Value offset : op.getOffsets()) {
    if (frame.get(offset).hasPoison())
      return op.emitOpError("an offset is poison");
    offsets.push_back(frame.getInt(offset));
  }
  // The view's dimensions in the tile; those of the indices count as one.
  auto dense = rowMajorStrides(shape);
  int64_t step = 1;
  for (size_t d = dim + indices.rank(); d < shape.size(); ++d)
    step *= shape[d];
  std::vector<int64_t> index(indices.size());
  loadInts(indices.dtype(), indices.data(), 0, indices.size(), index.data(),
           Extend::sign);
  for (int64_t k = 0; k < indices.size(); ++k) {
    Slice slice;
    slice.window.box.view = &view;
    slice.offset = k * step;
    slice.isPoison = indices.poison() && indices.poison()[k];
    for (size_t d = 0, other = 0; d < rank; ++d) {
      size_t at = d < dim ? d : d - 1 + indices.rank();
      bool isIndirect = d == dim;
      slice.sizes.push_back(isIndirect ? 1 : shape[at]);
      slice.strides.push_back(isIndirect ? 0 : dense[at]);
      slice.window.add(view.sizes[d], isIndirect ? index[k] : offsets[other++],
                       slice.sizes.back(), 1, {0, slice.sizes.back()});
    }
    if (failed(fn(slice)))
      return failure();
  }
  return success();
}

LogicalResult gather(tile::LoadGatherOp op, Frame &frame) {
  mayYield(frame);
  const View &view = frame.get(op.getView()).view();
  Value out = Value::tensor(view.dtype, op.getTileType().getShape());
  if (failed(fillPadding(op, frame, out)))
    return failure();
  LogicalResult result =
      forSlices(op, frame, view, [&](const Slice &slice) -> LogicalResult {
        if (slice.isPoison) {
          // Whatever a poison index reads is poison; memory is not touched.
          uint8_t one = 1;
          SmallVector<int64_t, 4> same(slice.sizes.size(), 0);
          copyStrided(slice.sizes, 1, out.makePoison() + slice.offset,
                      slice.strides, &one, same);
          return success();
        }
        if (failed(checkBase(op, frame, slice.window)))
          return failure();
        return readWindow(op, frame, slice.window, out, slice.offset,
                          slice.strides);
      });
  if (failed(result))
    return failure();
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult scatter(tile::StoreScatterOp op, Frame &frame) {
  mayYield(frame);
  const View &view = frame.get(op.getView()).view();
  const Value &value = frame.get(op.getValue());
  return forSlices(op, frame, view, [&](const Slice &slice) -> LogicalResult {
    if (slice.isPoison)
      return op.emitOpError("an index is poison");
    if (failed(checkBase(op, frame, slice.window)))
      return failure();
    return writeWindow(op, frame, slice.window, value, slice.offset,
                       slice.strides, op.getCombine());
  });
}

LogicalResult makeView(tile::MakeViewOp op, Frame &frame) {
  View view = frame.get(op.getBase()).view();
  auto type = cast<tile::ViewType>(op.getResult().getType());
  SmallVector<int64_t> sizes = frame.getInts(op.getSizes());
  SmallVector<int64_t> strides = frame.getInts(op.getStrides());
  view.sizes.clear();
  size_t next = 0;
  for (int64_t size : type.getShape())
    view.sizes.push_back(ShapedType::isDynamic(size) ? sizes[next++] : size);
  for (int64_t size : view.sizes)
    if (size < 0)
      return op.emitOpError("expected sizes that are not negative, found ")
             << size;
  if (type.getStrides().empty()) {
    view.strides = rowMajorStrides(view.sizes);
  } else {
    view.strides.clear();
    next = 0;
    for (int64_t stride : type.getStrides())
      view.strides.push_back(ShapedType::isDynamic(stride) ? strides[next++]
                                                           : stride);
  }
  Value out = Value::ofView(std::move(view));
  out.sharePoison(frame.get(op.getBase()));
  return frame.set(op.getResult(), std::move(out));
}

} // namespace

void addTileMemory(EvaluationInterface &table) {
  table.add<tile::MakeViewOp>(makeView);
  table.add<tile::DimOp>([](tile::DimOp op, Frame &frame) {
    return frame.set(
        op.getResult(),
        Value::ofIndex(frame.get(op.getView()).view().sizes[op.getDim()]));
  });
  table.add<tile::NumBlocksOp>([](tile::NumBlocksOp op, Frame &frame) {
    int64_t size = frame.get(op.getView()).view().sizes[op.getDim()];
    int64_t block = op.getBlock();
    return frame.set(op.getResult(),
                     Value::ofIndex(size / block + (size % block != 0)));
  });
  table.add<tile::LoadOp>(load);
  table.add<tile::StoreOp>(store);
  table.add<tile::LoadGatherOp>(gather);
  table.add<tile::StoreScatterOp>(scatter);
}

} // namespace kiln::eval
