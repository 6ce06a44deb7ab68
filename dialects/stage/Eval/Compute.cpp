// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions: one pass over a box, with the checks that its form promises.
#include "State.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Eval/Elements.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// One evaluation of a region.
class Pass {
public:
  Pass(stage::ComputeOp op, Frame &frame, StageState &state)
      : op(op), frame(frame), state(state), axes(state.axesOf(op)) {}

  LogicalResult run() {
    if (failed(findBounds()))
      return failure();
    Block &block = op.getBody().front();
    for (Operation &inner : block.without_terminator())
      if (failed(step(&inner)))
        return failure();
    for (auto [value, result] :
         llvm::zip(block.getTerminator()->getOperands(), op.getResults())) {
      Value out = frame.get(value);
      if (!isa<RankedTensorType>(result.getType()))
        out = out.isTensor() ? out.element(0) : out;
      else if (!isWhole(value))
        out = poisonOutside(out, rangesOf(value));
      (void)frame.set(result, std::move(out));
    }
    return success();
  }

private:
  LogicalResult findBounds() {
    ArrayRef<int64_t> box = op.getBox();
    from.assign(box.size(), 0);
    to.assign(box.begin(), box.end());
    safe = from;
    auto read = [&](OperandRange values,
                    SmallVector<int64_t> &bounds) -> LogicalResult {
      for (auto [d, value] : llvm::enumerate(values)) {
        if (frame.get(value).hasPoison())
          return op.emitOpError("a bound of the region is poison");
        bounds[d] = frame.getInt(value);
      }
      return success();
    };
    if (failed(read(op.getFrom(), from)) || failed(read(op.getTo(), to)) ||
        failed(read(op.getSafe(), safe)))
      return failure();
    for (size_t d = 0; d < box.size(); ++d) {
      if (from[d] < 0 || to[d] > box[d])
        return op.emitOpError("expected 'from' and 'to' in [0, ")
               << box[d] << "] in dimension " << d << ", found " << from[d]
               << " and " << to[d];
      if (!op.getSafe().empty() && safe[d] > std::max(from[d], to[d]))
        return op.emitOpError("expected 'safe' of at most ")
               << std::max(from[d], to[d]) << " in dimension " << d
               << ", found " << safe[d];
    }
    return success();
  }

  /// The elements of a tile within bounds along the dimensions of the box.
  Ranges rangesOf(mlir::Value tile, bool isSafe = false) {
    Ranges ranges;
    auto type = cast<RankedTensorType>(tile.getType());
    ArrayRef<int64_t> mine = axes.of(tile);
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int64_t axis = mine.empty() ? stage::Axes::kNone : mine[d];
      if (axis == stage::Axes::kNone || type.getDimSize(d) != op.getBox()[axis])
        ranges.push_back({0, type.getDimSize(d)});
      else
        ranges.push_back(
            {from[axis], std::max(from[axis], isSafe ? safe[axis] : to[axis])});
    }
    return ranges;
  }

  bool isWhole(mlir::Value tile) {
    for (auto [d, range] : llvm::enumerate(rangesOf(tile)))
      if (range.first != 0 ||
          range.second != cast<RankedTensorType>(tile.getType()).getDimSize(d))
        return false;
    return true;
  }

  LogicalResult step(Operation *inner) {
    if (auto read = dyn_cast<stage::ReadOp>(inner)) {
      Ranges ranges = rangesOf(read.getResult());
      if (failed(evaluateRead(read, frame, &ranges)))
        return failure();
      return touch(inner, read.getStorage(), read.getOrigin(), read.getResult(),
                   /*isWrite=*/false);
    }
    if (auto write = dyn_cast<stage::WriteOp>(inner)) {
      Ranges ranges = rangesOf(write.getValue());
      if (failed(touch(inner, write.getStorage(), write.getOrigin(),
                       write.getValue(), /*isWrite=*/true)))
        return failure();
      return evaluateWrite(write, frame, &ranges);
    }
    if (auto load = dyn_cast<tile::LoadOp>(inner))
      return access(load, load.getResult(), /*isWrite=*/false);
    if (auto store = dyn_cast<tile::StoreOp>(inner))
      return access(store, store.getValue(), /*isWrite=*/true);
    if (auto gather = dyn_cast<tile::LoadGatherOp>(inner))
      if (failed(checkIndirect(gather, gather.getResult())))
        return failure();
    if (auto scatter = dyn_cast<tile::StoreScatterOp>(inner))
      if (failed(checkIndirect(scatter, scatter.getValue())))
        return failure();
    if (auto reduce = dyn_cast<tile::ReduceOp>(inner))
      return evaluateReduce(reduce);
    return other(inner);
  }

  /// Whatever has no bounds of its own runs on whole tiles. What it reads
  /// beyond the bounds nobody may see; what it would write there stays.
  LogicalResult other(Operation *inner) {
    bool writes =
        !isMemoryEffectFree(inner) && hasEffect<MemoryEffects::Write>(inner);
    for (mlir::Value sink : stage::Axes::sinks(inner))
      if (writes && !isWhole(sink))
        return inner->emitOpError("unsupported: evaluation within 'from' and "
                                  "'to'");
    if (failed(frame.step(inner)))
      return failure();
    if (!isMemoryEffectFree(inner))
      for (mlir::Value result : inner->getResults())
        if (isa<RankedTensorType>(result.getType()) && !isWhole(result))
          (void)frame.set(result,
                          poisonOutside(frame.get(result), rangesOf(result)));
    return success();
  }

  /// Loads and stores, clipped to the bounds.
  template <typename OpTy>
  LogicalResult access(OpTy inner, mlir::Value tile, bool isWrite) {
    if (failed(checkSafe(inner, tile)) ||
        failed(touchView(inner, tile, isWrite)))
      return failure();
    bool clips = !isWhole(tile);
    if (clips)
      frame.instance->clip = rangesOf(tile);
    LogicalResult result = frame.step(inner);
    frame.instance->clip.clear();
    if (succeeded(result) && clips && !isWrite)
      (void)frame.set(tile, poisonOutside(frame.get(tile), rangesOf(tile)));
    return result;
  }

  /// A reduction covers the bounds along its dimension.
  LogicalResult evaluateReduce(tile::ReduceOp reduce) {
    int64_t axis = reduce.getAxis();
    SmallVector<Value> whole = frame.get(reduce.getSources());
    for (auto [source, value] : llvm::zip(reduce.getSources(), whole)) {
      auto [first, last] = rangesOf(source)[axis];
      if (last <= first)
        return reduce.emitOpError("has no elements to combine: the bounds of "
                                  "the region are empty along dimension ")
               << axis;
      SmallVector<int64_t> shape(value.shape());
      auto strides = rowMajorStrides(shape);
      shape[axis] = last - first;
      (void)frame.set(
          source, gatherStrided(value, shape, first * strides[axis], strides));
    }
    LogicalResult result = frame.step(reduce);
    for (auto [source, value] : llvm::zip(reduce.getSources(), whole))
      (void)frame.set(source, value);
    return result;
  }

  static bool isEmpty(const Ranges &ranges) {
    return llvm::any_of(ranges,
                        [](auto range) { return range.second <= range.first; });
  }

  /// Within `safe` nothing is padded or dropped.
  template <typename OpTy>
  LogicalResult checkSafe(OpTy inner, mlir::Value tile) {
    if (op.getSafe().empty())
      return success();
    Ranges ranges = rangesOf(tile, /*isSafe=*/true);
    if (isEmpty(ranges))
      return success();
    const View &view = frame.get(inner.getView()).view();
    size_t lacking = view.sizes.size() - ranges.size();
    for (auto [d, coordinate] : llvm::enumerate(inner.getCoords())) {
      int64_t block = inner.getBlock(d), step = inner.getStepOf(d);
      __int128 offset = frame.getInt(coordinate);
      if (!inner.getElementOffsets())
        offset *= block;
      std::pair<int64_t, int64_t> range = {0, 1};
      if (d >= lacking)
        range = ranges[d - lacking];
      __int128 low = offset + __int128(range.first) * step;
      __int128 high = offset + __int128(range.second - 1) * step;
      if (low >= 0 && high < view.sizes[d])
        continue;
      return inner.emitError("out-of-bounds access inside of 'safe': elements ")
             << static_cast<int64_t>(low) << " to "
             << static_cast<int64_t>(high) << " of dimension " << d
             << " of a view, which has " << view.sizes[d];
    }
    return success();
  }

  template <typename OpTy>
  LogicalResult checkIndirect(OpTy inner, mlir::Value tile) {
    if (op.getSafe().empty())
      return success();
    Ranges ranges = rangesOf(tile, /*isSafe=*/true);
    if (isEmpty(ranges))
      return success();
    const View &view = frame.get(inner.getView()).view();
    const Value &indices = frame.get(inner.getIndices());
    size_t dim = inner.getDim(), other = 0;
    for (size_t d = 0; d < view.sizes.size(); ++d) {
      if (d == dim)
        continue;
      auto range = ranges[d < dim ? d : d - 1 + indices.rank()];
      int64_t offset = frame.getInt(inner.getOffsets()[other++]);
      if (offset + range.first < 0 || offset + range.second > view.sizes[d])
        return inner.emitError("out-of-bounds access inside of 'safe' in "
                               "dimension ")
               << d;
    }
    std::vector<int64_t> index(indices.size());
    loadInts(indices.dtype(), indices.data(), 0, indices.size(), index.data(),
             Extend::sign);
    SmallVector<int64_t, 4> at(indices.rank(), 0);
    for (int64_t n = 0; n < indices.size(); ++n) {
      bool isInside = true;
      for (size_t d = 0; d < at.size(); ++d)
        isInside &=
            at[d] >= ranges[dim + d].first && at[d] < ranges[dim + d].second;
      if (isInside && (index[n] < 0 || index[n] >= view.sizes[dim]))
        return inner.emitError("out-of-bounds access inside of 'safe': index ")
               << index[n] << " of dimension " << dim << ", which has "
               << view.sizes[dim];
      for (int64_t d = static_cast<int64_t>(at.size()) - 1; d >= 0; --d) {
        if (++at[d] < indices.dim(d))
          break;
        at[d] = 0;
      }
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Reads and writes meet at equal points
  //===--------------------------------------------------------------------===//

  /// Whether the region both reads and writes memory of this kind.
  template <typename ReadTy, typename WriteTy> bool hasBoth() {
    Block &block = op.getBody().front();
    return !block.getOps<ReadTy>().empty() && !block.getOps<WriteTy>().empty();
  }

  LogicalResult touch(Operation *inner, mlir::Value storage, ValueRange origin,
                      mlir::Value tile, bool isWrite) {
    if (!hasBoth<stage::ReadOp, stage::WriteOp>())
      return success();
    SmallVector<int64_t, 4> begin, sizes;
    for (auto [first, last] : rangesOf(tile)) {
      begin.push_back(first);
      sizes.push_back(last - first);
    }
    if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
      return success();
    auto patch = state.patch(inner, frame, storage, origin, sizes, begin);
    if (failed(patch))
      return failure();
    // Points are counted from the first one of the tile.
    for (auto [at, stride] : llvm::zip(begin, patch->strides))
      patch->first -= at * stride;
    return meet(inner, tile, patch->storage->buffer.get(), patch->first,
                patch->strides, isWrite);
  }

  template <typename OpTy>
  LogicalResult touchView(OpTy inner, mlir::Value tile, bool isWrite) {
    if (!hasBoth<tile::LoadOp, tile::StoreOp>())
      return success();
    const View &view = frame.get(inner.getView()).view();
    if (!view.buffer)
      return success();
    int64_t bytes = runtime::dtypeBytes(view.dtype);
    int64_t first = view.byteOffset;
    size_t lacking = view.sizes.size() - axes.of(tile).size();
    SmallVector<int64_t, 4> strides;
    inView.clear();
    for (auto [d, coordinate] : llvm::enumerate(inner.getCoords())) {
      int64_t block = inner.getBlock(d), step = inner.getStepOf(d);
      int64_t offset = frame.getInt(coordinate);
      if (!inner.getElementOffsets())
        offset *= block;
      first += offset * view.strides[d] * bytes;
      if (d < lacking) {
        if (offset < 0 || offset >= view.sizes[d])
          return success();
        continue;
      }
      strides.push_back(view.strides[d] * step * bytes);
      int64_t low = 0, high = block;
      while (low < high && offset + low * step < 0)
        ++low;
      while (high > low && offset + (high - 1) * step >= view.sizes[d])
        --high;
      inView.push_back({low, high});
    }
    LogicalResult result =
        meet(inner, tile, view.buffer.get(), first, strides, isWrite);
    inView.clear();
    return result;
  }

  /// Remembers at which point of the box each place is read and written.
  LogicalResult meet(Operation *inner, mlir::Value tile, const Buffer *buffer,
                     int64_t first, ArrayRef<int64_t> strides, bool isWrite) {
    Ranges ranges = rangesOf(tile);
    for (auto [range, inside] : llvm::zip(ranges, inView))
      range = {std::max(range.first, inside.first),
               std::min(range.second, inside.second)};
    if (isEmpty(ranges))
      return success();
    ArrayRef<int64_t> mine = axes.of(tile);
    // A tile that is read at several points is so on purpose.
    for (auto [d, axis] : llvm::enumerate(mine))
      if (!isWrite && axis == stage::Axes::kNone &&
          cast<RankedTensorType>(tile.getType()).getDimSize(d) != 1)
        return success();
    auto box = rowMajorStrides(op.getBox());
    // A tile that lacks a dimension of the box stands for all points along it.
    int64_t lacks = 0;
    for (size_t axis = 0; axis < box.size(); ++axis)
      if (!llvm::is_contained(mine, static_cast<int64_t>(axis)) &&
          to[axis] - from[axis] > 1)
        lacks = 1;
    SmallVector<int64_t, 4> index;
    for (auto range : ranges)
      index.push_back(range.first);
    while (true) {
      int64_t at = first, point = 0;
      for (size_t d = 0; d < index.size(); ++d) {
        at += index[d] * strides[d];
        if (mine[d] != stage::Axes::kNone)
          point += index[d] * box[mine[d]];
      }
      if (lacks)
        point = kMany;
      auto [it, isNew] = points.try_emplace({buffer, at}, Meeting());
      Meeting &meeting = it->second;
      int64_t &me = isWrite ? meeting.write : meeting.read;
      if (me != point)
        me = me == kNobody ? point : kMany;
      if (meeting.read != kNobody && meeting.write != kNobody &&
          (meeting.read != meeting.write || meeting.read == kMany))
        return inner->emitError("the region reads and writes one place at "
                                "different points of its box");
      int64_t d = static_cast<int64_t>(index.size()) - 1;
      for (; d >= 0; --d) {
        if (++index[d] < ranges[d].second)
          break;
        index[d] = ranges[d].first;
      }
      if (d < 0)
        return success();
    }
  }

  static constexpr int64_t kNobody = -1, kMany = -2;
  struct Meeting {
    int64_t read = kNobody, write = kNobody;
  };

  stage::ComputeOp op;
  Frame &frame;
  StageState &state;
  const stage::Axes &axes;
  SmallVector<int64_t> from, to, safe;
  Ranges inView;
  std::map<std::pair<const Buffer *, int64_t>, Meeting> points;
};

} // namespace

void addStageCompute(EvaluationInterface &table) {
  table.add<stage::ComputeOp>(
      [](stage::ComputeOp op, Frame &frame) -> LogicalResult {
        StageState *state = stateOf(op, frame);
        if (!state || failed(state->stir(frame)))
          return failure();
        return Pass(op, frame, *state).run();
      });
}

} // namespace kiln::eval
