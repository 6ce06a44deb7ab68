//===- StagedFourier.cpp - Transforms of lines in stages ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of n = r m elements is a matrix of r rows and m columns. A stage
// transforms the columns, each of r elements, and multiplies element (k, t) by
// the root of k t. Then the rows, of m elements each, are transformed by the
// stages behind it. Row k has the results k, k + r, k + 2 r ...
//
// Rows are separate tiles: a tile has the columns of several lines, and the
// columns of all rows that earlier stages have separated. Next to each other
// are the results of these stages, the latest one outermost, so that the last
// stage leaves every tile as it is stored.
//
//===----------------------------------------------------------------------===//

#include "StagedFourier.h"
#include "BlockThreads.h"
#include "ComplexTiles.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Fourier.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Target/Limits.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Elements that a thread transforms at once, at most.
static constexpr unsigned kRadixBits = 4;
/// Shorter lines are few operations in products with matrices; longer ones need
/// more registers than threads have.
static constexpr int64_t kShortestLine = 64, kLongestLine = 1 << 13;

/// Bytes of neighbouring columns that an instance has at least.
static constexpr int64_t kFewBytes = 32;

static int64_t lengthOf(prim::FourierOp op) {
  return fourierLength(op.getOperands().getTypes(), op.getResults().getTypes(),
                       static_cast<int64_t>(op.getDim()));
}

namespace {

/// One kernel.
class StagedFourier {
public:
  StagedFourier(prim::FourierOp op, ScheduleContext &ctx, ArrayRef<Buffer> outs)
      : op(op), ctx(ctx), kernel(ctx.host, op.getLoc(), ctx.kernelName),
        b(kernel.b), loc(op.getLoc()), math(b, loc, op.getInverse()),
        outs(outs), dim(op.getDim()), length(lengthOf(op)) {}

  void run(Extent flops);

private:
  /// A stage: its elements, the columns that are left of a row, and the rows
  /// that earlier stages have separated.
  struct Stage {
    int64_t radix, columns, rows;
  };

  /// The shape of a tile whose lines have elements along dimensions `own`.
  SmallVector<int64_t> shapeOf(ArrayRef<int64_t> own) {
    return shapeOf(own, isAcross);
  }
  SmallVector<int64_t> shapeOf(ArrayRef<int64_t> own, bool linesLast) {
    SmallVector<int64_t> shape(own);
    shape.insert(linesLast ? shape.end() : shape.begin(), lines);
    return shape;
  }
  /// The shape of what is accessed in memory at once.
  SmallVector<int64_t> accessOf(int64_t size) {
    return several < 0 ? SmallVector<int64_t>{size} : shapeOf(size);
  }
  bool liesAcross(const Buffer &buffer);
  int64_t countColumns(ArrayRef<Extent> sizes, ArrayRef<Buffer> parts);
  void choosePlaces();
  SmallVector<Stage> chooseStages();
  /// A buffer with the elements of lines last, or the lines next to each other.
  Buffer turned(const Buffer &buffer);
  SmallVector<Value> placesAt(int64_t element);
  Buffer pairsOf(const Buffer &real);
  Value loadTile(const Buffer &from, ArrayRef<int64_t> shape,
                 ArrayRef<Value> places);
  void storeTile(Value tile, const Buffer &to, ArrayRef<Value> places);
  Buffer mirrored(const Buffer &half);
  Complex loadRow(ArrayRef<Buffer> parts, int64_t first, const Stage &stage);
  Value clearFirst(Value im);
  ComplexLine loadLine(const Stage &stage);
  void store(const ComplexLine &line, const Stage &stage);
  Complex rootsOf(const Stage &stage);
  ComplexLine multiplyRoots(const ComplexLine &line, const Stage &stage);
  Value joined(ArrayRef<Value> parts);
  SmallVector<Value> split(Value tile, int64_t count);
  SmallVector<Value> exchange(ArrayRef<Value> parts, int64_t sets,
                              const Stage &stage, const Stage &next,
                              bool linesLast);
  bool exchangesPairs();
  ComplexLine follow(const ComplexLine &line, const Stage &stage,
                     const Stage &next, bool linesLast);
  Value reshape(Value tile, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(tile.getType());
    return type.getShape() == shape
               ? tile
               : tile::ReshapeOp::create(b, loc, type.clone(shape), tile)
                     .getResult();
  }

  prim::FourierOp op;
  ScheduleContext &ctx;
  KernelBuilder kernel;
  OpBuilder &b;
  Location loc;
  ComplexBuilder math;
  ArrayRef<Buffer> outs;
  int64_t dim, length;
  int64_t several = -1; ///< the dimension of the lines of an instance
  int64_t lines = 1;    ///< of an instance
  /// Whether tiles have the lines last: neighbours in memory are of
  /// neighbouring lines. At first as operands lie, at last as results do.
  bool isAcross = false;
};

} // namespace

SmallVector<StagedFourier::Stage> StagedFourier::chooseStages() {
  unsigned bits = llvm::Log2_64(length),
           count = llvm::divideCeil(bits, kRadixBits);
  SmallVector<Stage> stages;
  int64_t left = length, rows = 1;
  for (unsigned i = 0; i < count; ++i) {
    // The last ones have the most elements: all threads have some before.
    int64_t radix = int64_t(1) << (bits / count + (i + bits % count >= count));
    left /= radix;
    stages.push_back({radix, left, rows});
    rows *= radix;
  }
  return stages;
}

/// Whether real and imaginary parts lie side by side in memory.
static bool isInterleaved(ArrayRef<Buffer> parts, index::Math &math) {
  return parts.size() == 2 && parts[0].base == parts[1].base &&
         parts[0].strides == parts[1].strides &&
         llvm::any_of(parts[0].strides,
                      [](Extent of) { return of.is(2) || of.is(-2); }) &&
         math.sub(parts[1].offset, parts[0].offset).is(1);
}

/// Bytes of a core that its threads share.
static int64_t sharedBytes(target::TargetAttr description) {
  target::MemoryAttr memory =
      description ? description.getSharedMemory() : target::MemoryAttr();
  return memory ? memory.getSize() : 0;
}

/// Whether neighbours in the memory of a tensor are of neighbouring lines.
bool StagedFourier::liesAcross(const Buffer &buffer) {
  auto isNext = [](Extent stride) { return stride.is(1) || stride.is(2); };
  if (several < 0 || isNext(buffer.strides[dim]))
    return false;
  return isNext(buffer.strides[several]) || dim + 1 < int64_t(buffer.rank());
}

/// Columns of an instance, neighbours of which are accessed together: as many
/// as are transferred together, if there are instances for all cores, and a
/// core has room for several blocks, the threads of which have few elements
/// each.
int64_t StagedFourier::countColumns(ArrayRef<Extent> sizes,
                                    ArrayRef<Buffer> parts) {
  constexpr int64_t kBlocksOfCore = 2;
  int64_t bytes =
      getElementTypeOrSelf(parts[0].elementType()).getIntOrFloatBitWidth() / 8 *
      (isInterleaved(parts, ctx.host.math) ? 2 : 1);
  target::TopologyAttr topology =
      ctx.description ? ctx.description.getTopology() : target::TopologyAttr();
  int64_t cores = target::countCores(ctx.description),
          most = topology ? topology.getThreadsPerBlock() << kRadixBits : 0,
          few = std::max<int64_t>(kFewBytes / bytes, 1),
          columns = llvm::bit_floor(uint64_t(std::max<int64_t>(
              target::transferBytes(ctx.description) / bytes, few)));
  auto instances = [&]() -> int64_t {
    int64_t count = 1;
    for (auto [d, size] : llvm::enumerate(sizes))
      if (int64_t(d) != dim)
        count *= !size.isStatic()        ? cores
                 : int64_t(d) == several ? llvm::divideCeil(size.get(), columns)
                                         : size.get();
    return count;
  };
  while (columns > few &&
         (columns * length > most / kBlocksOfCore || instances() < cores))
    columns /= 2;
  // Long columns take all threads of a block.
  while (columns > 1 && columns * length > most)
    columns /= 2;
  return columns;
}

void StagedFourier::choosePlaces() {
  SmallVector<Extent> sizes = ctx.host.sizesOf(op.getOperand(0));
  SmallVector<Buffer, 2> parts;
  for (Value operand : op.getOperands())
    parts.push_back(ctx.host.buffer(operand));
  int64_t rank = sizes.size();
  several = dim + 1 == rank ? rank - 2 : rank - 1;
  isAcross = liesAcross(parts[0]);
  bool hasColumns = isAcross || liesAcross(outs[0]);
  if (several >= 0) {
    int64_t threads = countBlockThreads(ctx.description);
    lines = std::max<int64_t>(1, (threads << kRadixBits) / length);
    if (hasColumns)
      lines =
          std::max(lines, countColumns(sizes, isAcross ? ArrayRef<Buffer>(parts)
                                                       : outs));
    if (sizes[several].isStatic())
      lines = std::min<int64_t>(lines, llvm::PowerOf2Ceil(std::max<int64_t>(
                                           sizes[several].get(), 1)));
  }
  // More elements than threads usually have are for more threads.
  int64_t warps = (lines * length >> kRadixBits) / countLanes(ctx.description);
  if (hasColumns &&
      warps * countLanes(ctx.description) > countBlockThreads(ctx.description))
    kernel.kernel->setAttr(
        tile::kHintsAttr,
        tile::KernelHintsAttr::get(b.getContext(), warps, 0, 0, 0));
  for (int64_t d = 0; d < rank; ++d) {
    KernelDim next;
    if (d != dim)
      next.size = sizes[d];
    if (d == several)
      next.block = lines;
    kernel.dims.push_back(next);
  }
  for (int64_t d = rank; d-- > 0;)
    if (d == dim)
      kernel.place(int(d), kernel.constant(0));
    else
      kernel.addGridDim(int(d));
  kernel.placeGrid();
}

Buffer StagedFourier::turned(const Buffer &buffer) {
  Buffer result;
  result.base = buffer.base;
  result.offset = buffer.offset;
  auto add = [&](int64_t d) {
    result.sizes.push_back(buffer.sizes[d]);
    result.strides.push_back(buffer.strides[d]);
  };
  for (int64_t d = 0; d < int64_t(buffer.rank()); ++d)
    if (d != dim && d != several)
      add(d);
  if (several >= 0 && !isAcross)
    add(several);
  add(dim);
  if (isAcross)
    add(several);
  return result;
}

/// The coordinates of an element of the first line.
SmallVector<Value> StagedFourier::placesAt(int64_t element) {
  SmallVector<Value> places;
  for (int64_t d = 0; d < int64_t(kernel.dims.size()); ++d)
    if (d != dim && d != several)
      places.push_back(kernel.dims[d].offset);
  if (several >= 0 && !isAcross)
    places.push_back(kernel.dims[several].offset);
  places.push_back(kernel.constant(element));
  if (isAcross)
    places.push_back(kernel.dims[several].offset);
  return places;
}

Value StagedFourier::loadTile(const Buffer &from, ArrayRef<int64_t> shape,
                              ArrayRef<Value> places) {
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get(shape, from.elementType()),
      kernel.view(from, /*write=*/false), places, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
}

void StagedFourier::storeTile(Value tile, const Buffer &to,
                              ArrayRef<Value> places) {
  tile::StoreOp::create(b, loc, tile, kernel.view(to, /*write=*/true), places,
                        /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
}

/// A buffer of real parts whose imaginary parts follow them, as one of pairs.
Buffer StagedFourier::pairsOf(const Buffer &real) {
  Buffer pairs = turned(real);
  pairs.sizes.push_back(2);
  pairs.strides.push_back(1);
  return pairs;
}

/// The elements behind the middle of a line whose first half is in memory, by
/// their distance from the middle: in memory these are in the other order.
Buffer StagedFourier::mirrored(const Buffer &half) {
  index::Math &sizes = ctx.host.math;
  Buffer result = half;
  Extent stride = half.strides[dim];
  result.offset = sizes.add(half.offset, sizes.mul(stride, length / 2));
  result.strides[dim] = sizes.mul(stride, -1);
  result.sizes[dim] = length / 2;
  return result;
}

Complex StagedFourier::loadRow(ArrayRef<Buffer> parts, int64_t first,
                               const Stage &stage) {
  SmallVector<int64_t> shape = shapeOf(stage.columns),
                       own = accessOf(stage.columns);
  SmallVector<Value> places = placesAt(first);
  if (!isInterleaved(parts, ctx.host.math)) {
    Complex x;
    x.re = reshape(loadTile(turned(parts[0]), own, places), shape);
    if (parts.size() > 1)
      x.im = reshape(loadTile(turned(parts[1]), own, places), shape);
    return x;
  }
  places.push_back(kernel.constant(0));
  SmallVector<int64_t> wide(own);
  wide.push_back(2);
  Value both = loadTile(pairsOf(parts[0]), wide, places);
  wide.assign(shape);
  wide.push_back(2);
  SmallVector<Value> halves = split(reshape(both, wide), 2);
  return {halves[0], halves[1]};
}

/// Without the imaginary part of the first column.
Value StagedFourier::clearFirst(Value im) {
  auto type = cast<RankedTensorType>(im.getType()).clone(b.getI32Type());
  Value column = tile::IotaOp::create(b, loc, type, uint64_t(isAcross ? 0 : 1));
  Value isFirst = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, column,
      constantLike(b, loc, column, b.getI32IntegerAttr(0)));
  return arith::SelectOp::create(b, loc, isFirst, math.zeroLike(im), im);
}

ComplexLine StagedFourier::loadLine(const Stage &stage) {
  SmallVector<Buffer, 2> parts, behind;
  for (Value operand : op.getOperands())
    parts.push_back(ctx.host.buffer(operand));
  // Of a real result the operands are the first half and the one behind it;
  // what follows are conjugates.
  bool isHalf = op.getNumResults() == 1;
  if (isHalf)
    for (const Buffer &part : parts)
      behind.push_back(mirrored(part));
  ComplexLine line(stage.radix);
  for (auto [row, x] : llvm::enumerate(line)) {
    int64_t first = row * stage.columns;
    if (!isHalf) {
      x = loadRow(parts, first, stage);
      continue;
    }
    bool isBehind = first >= length / 2;
    x = isBehind ? loadRow(behind, first - length / 2, stage)
                 : loadRow(parts, first, stage);
    if (isBehind)
      x.im = math.negate(x.im);
    if (first == 0 || first == length / 2)
      x.im = clearFirst(x.im);
  }
  return line;
}

/// What is behind the end of a result is not stored: of real operands, the
/// conjugates of what comes before.
void StagedFourier::store(const ComplexLine &line, const Stage &stage) {
  SmallVector<int64_t> own = accessOf(stage.rows);
  auto store = [&](const Buffer &out, bool isPair,
                   llvm::function_ref<Value(const Complex &)> tileOf) {
    for (auto [k, x] : llvm::enumerate(line)) {
      int64_t first = k * stage.rows;
      if (outs[0].sizes[dim].isStatic() && first >= outs[0].sizes[dim].get())
        continue;
      SmallVector<Value> places = placesAt(first);
      SmallVector<int64_t> shape(own);
      if (isPair) {
        places.push_back(kernel.constant(0));
        shape.push_back(2);
      }
      storeTile(reshape(tileOf(x), shape), out, places);
    }
  };
  if (isInterleaved(outs, ctx.host.math))
    return store(pairsOf(outs[0]), /*isPair=*/true,
                 [&](const Complex &x) { return joined({x.re, x.im}); });
  store(turned(outs[0]), /*isPair=*/false,
        [](const Complex &x) { return x.re; });
  if (outs.size() > 1)
    store(turned(outs[1]), /*isPair=*/false,
          [](const Complex &x) { return x.im; });
}

/// The root of each column of a stage, for its row 1.
Complex StagedFourier::rootsOf(const Stage &stage) {
  ComplexNumbers numbers;
  for (int64_t t = 0; t < stage.columns; ++t)
    numbers.push_back(
        transformRoot(t, stage.radix * stage.columns, op.getInverse()));
  auto type = RankedTensorType::get(
      {stage.columns}, getElementTypeOrSelf(op.getOperand(0).getType()));
  ComplexTable table = tableOf(numbers, type);
  auto tileOf = [&](DenseElementsAttr part) {
    Value tile = tile::LoadOp::create(
        b, loc, type, kernel.view(ctx.host.constant(part), /*write=*/false),
        ValueRange(kernel.constant(0)), Value(), /*element_offsets=*/true,
        tile::Padding::zero, DenseI64ArrayAttr());
    tile = tile::BroadcastOp::create(
        b, loc, type.clone(shapeOf({stage.columns, stage.rows})),
        reshape(tile, isAcross ? ArrayRef<int64_t>{stage.columns, 1, 1}
                               : ArrayRef<int64_t>{1, stage.columns, 1}));
    return reshape(tile, shapeOf(stage.columns * stage.rows));
  };
  return {tileOf(table.re), tileOf(table.im)};
}

/// Row k is multiplied by the k-th powers of the roots.
ComplexLine StagedFourier::multiplyRoots(const ComplexLine &line,
                                         const Stage &stage) {
  ComplexLine powers(line.size()), result(line);
  powers[1] = rootsOf(stage);
  for (size_t k = 1; k < line.size(); ++k) {
    if (k > 1)
      powers[k] = math.mul(powers[k / 2], powers[k - k / 2]);
    result[k] = math.mul(line[k], powers[k]);
  }
  return result;
}

/// The tiles along new last dimensions of size 2, the last one for the lowest
/// bit of their number.
Value StagedFourier::joined(ArrayRef<Value> parts) {
  SmallVector<Value> all(parts);
  while (all.size() > 1) {
    size_t half = all.size() / 2;
    auto type = cast<RankedTensorType>(all.front().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(2);
    for (size_t i = 0; i < half; ++i)
      all[i] = tile::JoinOp::create(b, loc, type.clone(shape), all[i],
                                    all[i + half]);
    all.truncate(half);
  }
  return all.front();
}

SmallVector<Value> StagedFourier::split(Value tile, int64_t count) {
  SmallVector<Value> all = {tile};
  for (int64_t made = 1; made < count; made *= 2) {
    auto type = cast<RankedTensorType>(all.front().getType());
    Type part = type.clone(type.getShape().drop_back());
    SmallVector<Value> next(2 * all.size());
    for (auto [i, whole] : llvm::enumerate(all)) {
      auto halves = tile::SplitOp::create(b, loc, part, part, whole);
      // The last dimension is the lowest bit that is left.
      next[i] = halves.getFirst();
      next[i + all.size()] = halves.getSecond();
    }
    all = std::move(next);
  }
  return all;
}

/// From a tile for each result of a stage to one for each element of the next,
/// or `sets` of them, one behind the other for each number. `linesLast`: where
/// the lines are then.
SmallVector<Value> StagedFourier::exchange(ArrayRef<Value> parts, int64_t sets,
                                           const Stage &stage,
                                           const Stage &next, bool linesLast) {
  // Where dimensions are before: those of lines, then the results.
  SmallVector<int64_t> before = shapeOf({next.radix, next.columns, stage.rows});
  int64_t ofLines = isAcross ? 3 : 0, own = isAcross ? 0 : 1, results = 4;
  before.push_back(stage.radix);
  SmallVector<int64_t> order = {own + 1, results, own + 2};
  order.insert(linesLast ? order.end() : order.begin(), ofLines);
  order.push_back(own);
  SmallVector<int64_t> turned =
      shapeOf({next.columns, stage.radix, stage.rows}, linesLast);
  turned.push_back(next.radix);
  if (sets > 1) {
    order.push_back(order.size());
    before.push_back(sets);
    turned.push_back(sets);
  }
  Value tile = reshape(joined(parts), before);
  auto type = cast<RankedTensorType>(tile.getType());
  tile = tile::TransposeOp::create(b, loc, type.clone(turned), tile, order);
  SmallVector<int64_t> shape = shapeOf(next.columns * next.rows, linesLast);
  shape.append(llvm::Log2_64(next.radix * sets), 2);
  return split(reshape(tile, shape), next.radix * sets);
}

/// Whether real and imaginary parts change places together. Where only real
/// parts are stored, imaginary ones would get another layout if they changed
/// places alone. Lines next to each other need half as many barriers.
bool StagedFourier::exchangesPairs() {
  constexpr int64_t kMostBytes = 1 << 15, kBlocksOfCore = 3;
  int64_t width = getElementTypeOrSelf(op.getOperand(0).getType())
                      .getIntOrFloatBitWidth(),
          bytes = lines * length * width / 4;
  if (op.getNumResults() == 1 && bytes <= kMostBytes)
    return true;
  return isAcross && bytes * kBlocksOfCore <= sharedBytes(ctx.description);
}

/// What the elements of the next stage are after `stage`, in tiles that have
/// the lines last or first.
ComplexLine StagedFourier::follow(const ComplexLine &line, const Stage &stage,
                                  const Stage &next, bool linesLast) {
  SmallVector<Value> parts[2], both;
  for (const Complex &x : line) {
    parts[0].push_back(x.re);
    parts[1].push_back(x.im ? x.im : math.zeroLike(x.re));
    both.append({parts[0].back(), parts[1].back()});
  }
  ComplexLine result;
  if (exchangesPairs()) {
    SmallVector<Value> all = exchange(both, 2, stage, next, linesLast);
    isAcross = linesLast;
    for (size_t i = 0; i < all.size(); i += 2)
      result.push_back({all[i], all[i + 1]});
    return result;
  }
  SmallVector<Value> re = exchange(parts[0], 1, stage, next, linesLast),
                     im = exchange(parts[1], 1, stage, next, linesLast);
  isAcross = linesLast;
  for (auto [x, y] : llvm::zip_equal(re, im))
    result.push_back({x, y});
  return result;
}

void StagedFourier::run(Extent flops) {
  choosePlaces();
  SmallVector<Stage> stages = chooseStages();
  bool startsAcross = isAcross, endsAcross = liesAcross(outs[0]);
  ComplexLine line = math.transform(loadLine(stages.front()));
  for (auto [number, stage] : llvm::enumerate(ArrayRef(stages).drop_back())) {
    // The last exchange leaves neighbours where results have them.
    bool isLast = number + 2 == stages.size();
    line = follow(multiplyRoots(line, stage), stage, stages[number + 1],
                  isLast ? endsAcross : startsAcross);
    line = math.transform(line);
  }
  store(line, stages.back());
  kernel.finish("generic.fourier", flops);
}

std::string kiln::schedule::whyNoStages(prim::FourierOp op) {
  int64_t length = lengthOf(op);
  auto type = cast<RankedTensorType>(op.getOperand(0).getType());
  constexpr int64_t kLongestColumn = 1 << 12;
  bool isLast = int64_t(op.getDim()) + 1 == type.getRank();
  if (!llvm::isPowerOf2_64(length))
    return "the length is no power of two";
  if (length < kShortestLine)
    return "lines are short";
  if (length * type.getElementTypeBitWidth() / 32 >
      (isLast ? kLongestLine : kLongestColumn))
    return "threads have no registers for a line";
  return "";
}

void kiln::schedule::emitStagedFourier(prim::FourierOp op, ScheduleContext &ctx,
                                       ArrayRef<Buffer> outs, Extent flops) {
  StagedFourier(op, ctx, outs).run(flops);
}
