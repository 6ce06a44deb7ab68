//===- Reduce.cpp - Reductions of tiles -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
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
    if (auto write = dyn_cast<stage::WriteOp>(user))
      return endsInExponential(write.getStorage(), subtracted, depth + 1);
    if (auto read = dyn_cast<stage::ReadOp>(user))
      return endsInExponential(read.getResult(), subtracted, depth + 1);
    if (isa<stage::YieldOp>(user) && isa<stage::ComputeOp>(user->getParentOp()))
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

SmallVector<Value> KernelEmitter::combine(tile::ReduceOp reduce,
                                          ValueRange left, ValueRange right) {
  return combineWith(reduce.getCombiner().front(), left, right);
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

LogicalResult KernelEmitter::emitReduce(tile::ReduceOp reduce) {
  freshLevels();
  Operation *first = &reduce.getCombiner().front().front();
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(first) &&
      reduce.getNumResults() == 1 &&
      endsInExponential(reduce.getResults()[0], false))
    first->setAttr("fastmath", arith::FastMathFlagsAttr::get(
                                   b.getContext(), arith::FastMathFlags::nsz));
  auto type = cast<RankedTensorType>(reduce.getSources()[0].getType());
  int axis = reduce.getAxis();
  int64_t size = type.getDimSize(axis);
  SmallVector<Value> sources(reduce.getSources());

  // Elements stay in registers.
  bool isScalar = type.getRank() == 1;
  SmallVector<TileBuffer> results;
  for (Value result : reduce.getResults())
    results.push_back(isScalar ? TileBuffer() : resultBuffer(result));

  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  SmallVector<int> identity;
  for (auto [d, extent] : llvm::enumerate(nest.shape))
    identity.push_back(extent == 1 ? kZero : int(d));
  if (reduce.getOrdered())
    nest.excluded = axis;
  chooseLanes(nest, sources, {});
  for (Value source : sources)
    collect(source, identity, nest);
  TypedAttr neutral = neutralOf(b, reduce);
  bool alongAxis = nest.laneDim == axis;
  if (alongAxis && !neutral)
    nest.lanes = std::min<int64_t>(nest.lanes, llvm::bit_floor(uint64_t(size)));
  if (!alongAxis)
    nest.innerDim = axis;

  auto evaluateAll = [&](const Point &point) {
    SmallVector<Value> values;
    for (Value source : sources)
      values.push_back(evaluateLanes(source, point));
    return values;
  };
  auto store = [&](ValueRange values, Point point, Value count) {
    point.coords.erase(point.coords.begin() + axis);
    if (isScalar) {
      for (auto [value, result] : llvm::zip_equal(values, reduce.getResults()))
        mapping.map(result, value);
      return;
    }
    for (auto [value, buffer] : llvm::zip_equal(values, results)) {
      int64_t stride = 1;
      for (auto [d, coord] : llvm::enumerate(point.coords))
        if (coord.lane)
          stride = buffer.strides[d];
      storeBuffer(value, buffer, point, stride == 1 ? Value() : count);
    }
  };

  openRows(nest, [&](Point row, Value lo, Value fastEnd, Value hi) {
    if (alongAxis) {
      store(
          reduceAlongLanes(reduce, nest, row, neutral, fastEnd, evaluateAll),
          [&] {
            Point at = row;
            at.lanes = 1;
            return at;
          }(),
          nullptr);
      return;
    }
    // Lanes run along another dimension: element by element along the axis.
    int lane = nest.laneDim;
    auto chunk = [&](Coord iv, int64_t unroll, bool fast) {
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
      carried = forLoop(
          c64(1), c64(size), 1, carried, fast, [&](Coord k, ValueRange sums) {
            SmallVector<Value> next;
            for (int64_t u = 0; u < unroll; ++u) {
              Point at = points[u];
              at.coords[axis] = k;
              llvm::append_range(next,
                                 combine(reduce, sums.slice(u * count, count),
                                         evaluateAll(at)));
            }
            return next;
          });
      for (int64_t u = 0; u < unroll; ++u)
        store(ArrayRef(carried).slice(u * count, count), points[u], tailCount);
    };
    if (lane < 0)
      return chunk(Coord(), 1, false);
    int64_t unroll = nest.shape[lane] >= 8 * nest.lanes ? 4 : 1;
    int64_t block = unroll * nest.lanes;
    Value mainEnd = unroll == 1
                        ? fastEnd
                        : add(lo, mul(arith::DivSIOp::create(
                                          b, loc, sub(fastEnd, lo), c64(block)),
                                      c64(block)));
    forLoop(lo, mainEnd, block, {}, true, [&](Coord iv, ValueRange) {
      chunk(iv, unroll, true);
      return SmallVector<Value>();
    });
    forLoop(mainEnd, hi, nest.lanes, {}, false, [&](Coord iv, ValueRange) {
      tailCount = sub(hi, coordValue(iv));
      chunk(iv, 1, false);
      tailCount = nullptr;
      return SmallVector<Value>();
    });
  });

  for (auto [result, buffer] : llvm::zip_equal(reduce.getResults(), results))
    if (!isScalar)
      define(result, buffer);
  return success();
}

SmallVector<Value> KernelEmitter::reduceAlongLanes(
    tile::ReduceOp reduce, const Nest &nest, const Point &row,
    TypedAttr neutral, Value fastEnd,
    llvm::function_ref<SmallVector<Value>(const Point &)> evaluateAll) {
  int axis = reduce.getAxis();
  int64_t size = nest.shape[axis], lanes = nest.lanes;
  auto at = [&](Coord iv, int64_t offset) {
    Point point = row;
    point.coords[axis] = iv;
    point.coords[axis].constant += offset;
    point.coords[axis].lane = lanes > 1 ? 1 : 0;
    return point;
  };
  SmallVector<Value> sums;
  Value begin = c64(0);
  if (neutral) {
    // Several registers side by side hide the latency of the combination, and
    // share the branches of functions.
    uint64_t registers = std::clamp<int64_t>(size / lanes, 1, kSideBySide);
    int64_t wide = lanes > 1 ? lanes * llvm::bit_floor(registers) : 1;
    sums = {broadcastLanes(constantOf(neutral.getType(), neutral), wide)};
    Value mainEnd = roundDown(fastEnd, wide);
    sums = forLoop(begin, mainEnd, wide, sums, true,
                   [&](Coord iv, ValueRange carried) {
                     Point point = at(iv, 0);
                     point.lanes = wide;
                     return combine(reduce, carried, evaluateAll(point));
                   });
    sums = combineHalves(reduce, sums, wide, lanes);
    begin = mainEnd;
  } else {
    sums = evaluateAll(at(Coord(), 0));
    begin = c64(lanes);
  }
  sums = forLoop(
      begin, c64(size), lanes, sums, false, [&](Coord iv, ValueRange carried) {
        if (size % lanes)
          tailCount = sub(c64(size), coordValue(iv));
        SmallVector<Value> next =
            combine(reduce, carried, evaluateAll(at(iv, 0)));
        if (size % lanes) {
          Value mask = laneMask(tailCount, lanes);
          for (auto [value, old] : llvm::zip_equal(next, carried))
            value = arith::SelectOp::create(b, loc, mask, value, old);
        }
        tailCount = nullptr;
        return next;
      });
  return combineHalves(reduce, sums, lanes, 1);
}

SmallVector<Value> KernelEmitter::combineHalves(tile::ReduceOp reduce,
                                                SmallVector<Value> sums,
                                                int64_t from, int64_t to) {
  for (int64_t width = from; width > to; width /= 2) {
    SmallVector<Value> low, high;
    for (Value sum : sums) {
      if (width == 2) {
        low.push_back(vector::ExtractOp::create(b, loc, sum, 0));
        high.push_back(vector::ExtractOp::create(b, loc, sum, 1));
        continue;
      }
      auto half = [&](int64_t begin) -> Value {
        return vector::ExtractStridedSliceOp::create(
            b, loc, sum, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{width / 2},
            ArrayRef<int64_t>{1});
      };
      low.push_back(half(0));
      high.push_back(half(width / 2));
    }
    sums = combine(reduce, low, high);
  }
  return sums;
}
