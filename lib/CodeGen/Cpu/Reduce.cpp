//===- Reduce.cpp - Reductions of tiles -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The neutral element of a region that is one known operation, or null.
static TypedAttr neutralOf(OpBuilder &b, tile::ReduceOp reduce) {
  Block &block = reduce.getCombiner().front();
  if (reduce.getSources().size() != 1 || block.getOperations().size() != 2)
    return {};
  Operation *op = &block.front();
  if (op->getNumOperands() != 2 || op->getOperand(0) == op->getOperand(1) ||
      !llvm::all_of(op->getOperands(), [&](Value v) {
        return v.getParentBlock() == &block && isa<BlockArgument>(v);
      }))
    return {};
  std::optional<arith::AtomicRMWKind> kind;
  if (isa<arith::AddFOp>(op))
    kind = arith::AtomicRMWKind::addf;
  else if (isa<arith::MulFOp>(op))
    kind = arith::AtomicRMWKind::mulf;
  else if (isa<arith::MaximumFOp>(op))
    kind = arith::AtomicRMWKind::maximumf;
  else if (isa<arith::MinimumFOp>(op))
    kind = arith::AtomicRMWKind::minimumf;
  else if (isa<arith::AddIOp>(op))
    kind = arith::AtomicRMWKind::addi;
  else if (isa<arith::MulIOp>(op))
    kind = arith::AtomicRMWKind::muli;
  else if (isa<arith::MaxSIOp>(op))
    kind = arith::AtomicRMWKind::maxs;
  else if (isa<arith::MinSIOp>(op))
    kind = arith::AtomicRMWKind::mins;
  else if (isa<arith::MaxUIOp>(op))
    kind = arith::AtomicRMWKind::maxu;
  else if (isa<arith::MinUIOp>(op))
    kind = arith::AtomicRMWKind::minu;
  else if (isa<arith::OrIOp>(op))
    kind = arith::AtomicRMWKind::ori;
  else if (isa<arith::AndIOp>(op))
    kind = arith::AtomicRMWKind::andi;
  Type type = op->getResult(0).getType();
  if (!kind || type.isIndex())
    return {};
  // -0 is neutral for every sum, +0 is not.
  if (*kind == arith::AtomicRMWKind::addf)
    return b.getFloatAttr(
        type, APFloat::getZero(cast<FloatType>(type).getFloatSemantics(),
                               /*Negative=*/true));
  return arith::getIdentityValueAttr(*kind, type, b, reduce.getLoc());
}

/// Whether every use ends in an exponential of a difference, as in softmax:
/// then the sign of a zero makes no difference, and a maximum need not respect
/// it.
static bool endsInExponential(Value value, bool subtracted, int depth = 0) {
  if (depth > 12)
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto write = dyn_cast<stage::StorageWriteOpInterface>(user))
      return endsInExponential(write.getStorage(), subtracted, depth + 1);
    if (auto read = dyn_cast<stage::StorageReadOpInterface>(user))
      return endsInExponential(read.getResult(), subtracted, depth + 1);
    if (isa<stage::YieldOp>(user) &&
        isa<stage::BoxRegionOpInterface>(user->getParentOp()))
      return endsInExponential(
          user->getParentOp()->getResult(use.getOperandNumber()), subtracted,
          depth + 1);
    if (getFillValue(user) == value)
      return endsInExponential(user->getResult(0), subtracted, depth + 1);
    if (isa<math::ExpOp>(user))
      return subtracted;
    if (isa<arith::SubFOp>(user))
      return endsInExponential(user->getResult(0), true, depth + 1);
    if (handsOnElements(user))
      return endsInExponential(user->getResult(0), subtracted, depth + 1);
    return false;
  });
}
static SmallVector<Value> combine(KernelEmitter &e, tile::ReduceOp reduce,
                                  ValueRange left, ValueRange right) {
  return e.combineWith(reduce.getCombiner().front(), left, right);
}

SmallVector<Value> RegisterBuilder::combineWith(Block &block, ValueRange left,
                                                ValueRange right) {
  IRMapping local;
  size_t count = left.size();
  for (size_t i = 0; i < count; ++i) {
    local.map(block.getArgument(i), left[i]);
    local.map(block.getArgument(count + i), right[i]);
  }
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(left[0].getType()))
    lanes = vector.getNumElements();
  auto lookup = [&](Value value) {
    return local.contains(value) ? local.lookup(value) : scalar(value);
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp>(op)) {
      local.map(op.getResult(0),
                constantOf(op.getResult(0).getType(),
                           cast<arith::ConstantOp>(op).getValue()));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(broadcastLanes(lookup(operand), lanes));
    // The first is compared with itself to find NaN: what arrives now, so that
    // what is carried waits for the maximum alone.
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
        op.getOperand(0) == block.getArgument(0))
      std::swap(operands[0], operands[1]);
    local.map(op.getResult(0), emitElementwise(&op, operands));
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(broadcastLanes(lookup(value), lanes));
  return results;
}

/// Combines the lanes of vectors, half against half, from one width down to
/// another.
static SmallVector<Value> combineHalves(KernelEmitter &e, tile::ReduceOp reduce,
                                        SmallVector<Value> sums, int64_t from,
                                        int64_t to) {
  for (int64_t width = from; width > to; width /= 2) {
    SmallVector<Value> low, high;
    for (Value sum : sums) {
      if (width == 2) {
        low.push_back(vector::ExtractOp::create(e.b, e.loc, sum, 0));
        high.push_back(vector::ExtractOp::create(e.b, e.loc, sum, 1));
        continue;
      }
      auto half = [&](int64_t begin) -> Value {
        return vector::ExtractStridedSliceOp::create(
            e.b, e.loc, sum, ArrayRef<int64_t>{begin},
            ArrayRef<int64_t>{width / 2}, ArrayRef<int64_t>{1});
      };
      low.push_back(half(0));
      high.push_back(half(width / 2));
    }
    sums = combine(e, reduce, low, high);
  }
  return sums;
}

namespace {
/// The nest of one reduction.
class Reduction {
public:
  Reduction(tile::ReduceOp reduce, KernelEmitter &e);
  void emit();

private:
  SmallVector<Value> evaluateAll(const Point &point) {
    SmallVector<Value> values;
    for (Value source : sources)
      values.push_back(e.evaluateLanes(source, point));
    return values;
  }
  void store(ValueRange values, Point point, Value count);
  /// One row whose axis is the lane dimension.
  SmallVector<Value> reduceAlongLanes(const Point &row, Value fastEnd);
  /// `unroll` vectors side by side, element by element along the axis.
  void reduceChunk(const Point &row, Coord iv, int64_t unroll, bool fast);
  void reduceRows(const Point &row, Value lo, Value fastEnd, Value hi);

  KernelEmitter &e;
  tile::ReduceOp reduce;
  int axis;
  int64_t size; ///< elements along the axis
  SmallVector<Value> sources;
  bool isScalar; ///< a result is one element, which stays in a register
  SmallVector<TileBuffer> results;
  TypedAttr neutral;
  Nest nest;
};
} // namespace

Reduction::Reduction(tile::ReduceOp reduce, KernelEmitter &e)
    : e(e), reduce(reduce), axis(int(reduce.getAxis())),
      sources(reduce.getSources()) {
  auto type = cast<RankedTensorType>(sources[0].getType());
  size = type.getDimSize(axis);
  isScalar = type.getRank() == 1;
  for (Value result : reduce.getResults())
    results.push_back(isScalar ? TileBuffer() : e.resultBuffer(result));
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  SmallVector<int> identity;
  for (auto [d, extent] : llvm::enumerate(nest.shape))
    identity.push_back(extent == 1 ? kZero : int(d));
  if (reduce.getOrdered())
    nest.excluded = axis;
  e.chooseLanes(nest, sources, {});
  for (Value source : sources)
    e.collect(source, identity, nest);
  neutral = neutralOf(e.b, reduce);
  bool alongAxis = nest.laneDim == axis;
  if (alongAxis && !neutral)
    nest.lanes = std::min<int64_t>(nest.lanes, llvm::bit_floor(uint64_t(size)));
  if (!alongAxis)
    nest.innerDim = axis;
}

void Reduction::emit() {
  e.openRows(nest, [&](const RowBlock &rows) {
    if (nest.laneDim != axis)
      return reduceRows(rows.first, rows.begin, rows.fastEnd, rows.end);
    Point row = rows.first;
    SmallVector<Value> values = reduceAlongLanes(row, rows.fastEnd);
    row.lanes = 1;
    store(values, row, nullptr);
  });
  for (auto [result, buffer] : llvm::zip_equal(reduce.getResults(), results))
    if (!isScalar)
      e.define(result, buffer);
}

void Reduction::store(ValueRange values, Point point, Value count) {
  point.coords.erase(point.coords.begin() + axis);
  if (isScalar) {
    for (auto [value, result] : llvm::zip_equal(values, reduce.getResults()))
      e.mapping.map(result, value);
    return;
  }
  for (auto [value, buffer] : llvm::zip_equal(values, results)) {
    int64_t stride = 1;
    for (auto [d, coord] : llvm::enumerate(point.coords))
      if (coord.lane)
        stride = buffer.strides[d];
    e.storeBuffer(value, buffer, point, stride == 1 ? Value() : count);
  }
}

SmallVector<Value> Reduction::reduceAlongLanes(const Point &row,
                                               Value fastEnd) {
  int64_t lanes = nest.lanes;
  auto at = [&](Coord iv, int64_t offset) {
    Point point = row;
    point.coords[axis] = iv;
    point.coords[axis].constant += offset;
    point.coords[axis].lane = lanes > 1 ? 1 : 0;
    return point;
  };
  SmallVector<Value> sums;
  Value begin = e.c64(0);
  if (neutral) {
    // Several registers side by side hide the latency of the combination, and
    // share the branches of functions.
    uint64_t registers = std::clamp<int64_t>(size / lanes, 1, kSideBySide);
    int64_t wide = lanes > 1 ? lanes * llvm::bit_floor(registers) : 1;
    sums = {e.broadcastLanes(e.constantOf(neutral.getType(), neutral), wide)};
    Value mainEnd = e.roundDown(fastEnd, wide);
    sums = e.forLoop(begin, mainEnd, wide, sums, true,
                     [&](Coord iv, ValueRange carried) {
                       Point point = at(iv, 0);
                       point.lanes = wide;
                       return combine(e, reduce, carried, evaluateAll(point));
                     });
    sums = combineHalves(e, reduce, sums, wide, lanes);
    begin = mainEnd;
  } else {
    sums = evaluateAll(at(Coord(), 0));
    begin = e.c64(lanes);
  }
  sums = e.forLoop(begin, e.c64(size), lanes, sums, false,
                   [&](Coord iv, ValueRange carried) {
                     if (size % lanes)
                       e.tailCount = e.sub(e.c64(size), e.coordValue(iv));
                     SmallVector<Value> next =
                         combine(e, reduce, carried, evaluateAll(at(iv, 0)));
                     if (size % lanes) {
                       Value mask = e.laneMask(e.tailCount, lanes);
                       for (auto [value, old] : llvm::zip_equal(next, carried))
                         value = arith::SelectOp::create(e.b, e.loc, mask,
                                                         value, old);
                     }
                     e.tailCount = nullptr;
                     return next;
                   });
  return combineHalves(e, reduce, sums, lanes, 1);
}

void Reduction::reduceChunk(const Point &row, Coord iv, int64_t unroll,
                            bool fast) {
  int lane = nest.laneDim;
  SmallVector<Point> points;
  SmallVector<Value> carried;
  for (int64_t u = 0; u < unroll; ++u) {
    Point at = row;
    if (lane >= 0) {
      at.coords[lane] = iv;
      at.coords[lane].constant += u * nest.lanes;
      at.coords[lane].lane = nest.lanes > 1 ? 1 : 0;
    }
    points.push_back(at);
    at.coords[axis] = Coord();
    llvm::append_range(carried, evaluateAll(at));
  }
  size_t count = sources.size();
  carried = e.forLoop(
      e.c64(1), e.c64(size), 1, carried, fast, [&](Coord k, ValueRange sums) {
        SmallVector<Value> next;
        for (int64_t u = 0; u < unroll; ++u) {
          Point at = points[u];
          at.coords[axis] = k;
          llvm::append_range(next,
                             combine(e, reduce, sums.slice(u * count, count),
                                     evaluateAll(at)));
        }
        return next;
      });
  for (int64_t u = 0; u < unroll; ++u)
    store(ArrayRef(carried).slice(u * count, count), points[u], e.tailCount);
}

void Reduction::reduceRows(const Point &row, Value lo, Value fastEnd,
                           Value hi) {
  // Lanes run along another dimension.
  int lane = nest.laneDim;
  if (lane < 0)
    return reduceChunk(row, Coord(), 1, false);
  int64_t unroll = nest.shape[lane] >= 8 * nest.lanes ? 4 : 1;
  int64_t block = unroll * nest.lanes;
  Value mainEnd =
      unroll == 1
          ? fastEnd
          : e.add(lo, e.mul(arith::DivSIOp::create(
                                e.b, e.loc, e.sub(fastEnd, lo), e.c64(block)),
                            e.c64(block)));
  e.forLoop(lo, mainEnd, block, {}, true, [&](Coord iv, ValueRange) {
    reduceChunk(row, iv, unroll, true);
    return SmallVector<Value>();
  });
  e.forLoop(mainEnd, hi, nest.lanes, {}, false, [&](Coord iv, ValueRange) {
    e.tailCount = e.sub(hi, e.coordValue(iv));
    reduceChunk(row, iv, 1, false);
    e.tailCount = nullptr;
    return SmallVector<Value>();
  });
}

static LogicalResult lowerReduce(tile::ReduceOp reduce, KernelEmitter &e) {
  e.freshLevels();
  Operation *first = &reduce.getCombiner().front().front();
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(first) &&
      reduce.getNumResults() == 1 &&
      endsInExponential(reduce.getResults()[0], false))
    first->setAttr("fastmath",
                   arith::FastMathFlagsAttr::get(e.b.getContext(),
                                                 arith::FastMathFlags::nsz));
  Reduction(reduce, e).emit();
  return success();
}

void cpu::addReduceLowerings(LoweringTable &table) {
  table.add<tile::ReduceOp>(lowerReduce);
}
