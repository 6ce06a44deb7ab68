//===- AccessMap.cpp - How a value is read in an iteration space ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/AccessMap.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Interfaces/OpTable.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

llvm::SmallBitVector AccessMap::support(unsigned numDims) const {
  llvm::SmallBitVector bits(numDims);
  for (const IndexExpr &expr : index)
    for (int dim : expr.dims())
      bits.set(dim);
  return bits;
}

const IndexRange *AccessMap::rangeOf(int dim) const {
  for (const IndexRange &range : ranges)
    if (range.dim == dim)
      return &range;
  return nullptr;
}

/// True if an index is known to lie outside of [low, low + size).
static bool isOutside(const IndexExpr &expr, Extent low, Extent size) {
  Extent above = expr.offset() - low, below = low + size - expr.offset();
  return !expr.hasDims() && ((above.isStatic() && above.get() < 0) ||
                             (below.isStatic() && below.get() <= 0));
}

bool kiln::schedule::readsNothing(Operation *op, unsigned number,
                                  const AccessMap &map, MapContext &ctx) {
  Value operand = op->getOperand(number);
  if (auto pad = dyn_cast<PaddingOpInterface>(op)) {
    for (auto [d, low] : llvm::enumerate(pad.getLow()))
      if (isOutside(map.index[d], low, ctx.dimOf(operand, d)))
        return true;
    return false;
  }
  auto cat = dyn_cast<ConcatenationOpInterface>(op);
  if (!cat)
    return false;
  unsigned dim = cat.getJoinedDim();
  Extent start = 0;
  for (Value before : op->getOperands().take_front(number))
    start = ctx.math.add(start, ctx.dimOf(before, dim));
  return isOutside(map.index[dim], start, ctx.dimOf(operand, dim));
}

LogicalResult kiln::schedule::restrictMap(AccessMap &map, const IndexExpr &expr,
                                          Extent low, Extent size,
                                          MapContext &ctx) {
  index::Math &math = ctx.math;
  Extent c = expr.offset(), lo, hi;
  if (!expr.hasDims()) {
    // Known to be inside, or not expressible.
    Extent above = c - low, below = low + size - c;
    return success(above.isStatic() && below.isStatic() && above.get() >= 0 &&
                   below.get() > 0);
  }
  SmallVector<int, 2> dims = expr.dims();
  if (dims.size() != 1 || !expr.coefficient(dims[0]).isStatic())
    return failure();
  int dim = dims[0];
  int64_t a = expr.scale(dim);
  if (a > 0) {
    // low <= a d + c < low + size
    lo = math.ceilDiv(math.sub(low, c), a);
    hi = math.ceilDiv(math.sub(math.add(low, size), c), a);
  } else {
    // (c - low - size) / b < d <= (c - low) / b with b = -a
    Extent top = math.sub(c, low);
    lo = math.add(math.floorDiv(math.sub(top, size), -a), 1);
    hi = math.add(math.floorDiv(top, -a), 1);
  }
  if (lo.isStatic() && lo.get() <= 0)
    lo = 0;
  Extent whole = ctx.sizes[dim];
  if (hi.isStatic() && whole.isStatic() && hi.get() > whole.get())
    hi = whole;
  if (lo.is(0) && hi.same(whole))
    return success();
  for (IndexRange &range : map.ranges)
    if (range.dim == dim) {
      range.lo = math.max(range.lo, lo);
      range.hi = math.min(range.hi, hi);
      return success();
    }
  map.ranges.push_back({dim, lo, hi});
  llvm::sort(map.ranges, [](const IndexRange &x, const IndexRange &y) {
    return x.dim < y.dim;
  });
  return success();
}

static LogicalResult moveBroadcast(RepeatOpInterface op, unsigned,
                                   const AccessMap &map, MapContext &,
                                   AccessMap &result) {
  auto type = cast<RankedTensorType>(op.getMoved().getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [d, target] : llvm::enumerate(op.getKeptDims())) {
    bool repeated = type.getDimSize(d) == 1 && to.getDimSize(target) != 1;
    result.index.push_back(repeated ? IndexExpr() : map.index[target]);
  }
  return success();
}

static LogicalResult moveTranspose(PermutationOpInterface op, unsigned,
                                   const AccessMap &map, MapContext &,
                                   AccessMap &result) {
  result.index.resize(map.index.size());
  for (auto [d, source] : llvm::enumerate(op.getPermutation()))
    result.index[source] = map.index[d];
  return success();
}

static LogicalResult moveSlice(SliceOpInterface op, unsigned,
                               const AccessMap &map, MapContext &,
                               AccessMap &result) {
  for (auto [expr, start, stride] :
       llvm::zip(map.index, op.getStarts(), op.getStrides()))
    result.index.push_back(expr * stride + start);
  return success();
}

static LogicalResult moveRev(ReversalOpInterface op, unsigned,
                             const AccessMap &map, MapContext &ctx,
                             AccessMap &result) {
  result.index.assign(map.index.begin(), map.index.end());
  for (int64_t d : op.getReversedDims())
    result.index[d] = ctx.dimOf(op.getMoved(), d) - 1 - map.index[d];
  return success();
}

static LogicalResult movePad(PaddingOpInterface op, unsigned,
                             const AccessMap &map, MapContext &ctx,
                             AccessMap &result) {
  result = map;
  for (auto [d, low] : llvm::enumerate(op.getLow())) {
    Extent size = ctx.dimOf(op.getMoved(), d);
    if (low == 0 && op.getHigh()[d] == 0)
      continue;
    if (failed(restrictMap(result, map.index[d], low, size, ctx)))
      return failure();
    result.index[d] = result.index[d] - low;
  }
  return success();
}

static LogicalResult moveCat(ConcatenationOpInterface op, unsigned number,
                             const AccessMap &map, MapContext &ctx,
                             AccessMap &result) {
  unsigned dim = op.getJoinedDim();
  Extent start = 0;
  for (unsigned i = 0; i < number; ++i)
    start = ctx.math.add(start, ctx.dimOf(op->getOperand(i), dim));
  Extent size = ctx.dimOf(op->getOperand(number), dim);
  result = map;
  if (failed(restrictMap(result, map.index[dim], start, size, ctx)))
    return failure();
  result.index[dim] = result.index[dim] - start;
  return success();
}

/// Returns the sizes of a value.
static SmallVector<Extent> sizesOf(Value value, MapContext &ctx) {
  SmallVector<Extent> sizes;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(ctx.dimOf(value, d));
  return sizes;
}

static LogicalResult moveReshape(ReshapeOpInterface op, unsigned,
                                 const AccessMap &map, MapContext &ctx,
                                 AccessMap &result) {
  SmallVector<Extent> from = sizesOf(op->getResult(0), ctx),
                      to = sizesOf(op.getMoved(), ctx);
  SmallVector<IndexExpr> index;
  if (failed(reshapeMap(map.index, from, to, ctx, index)))
    return failure();
  result.index.assign(index.begin(), index.end());
  return success();
}

using MoveRule = LogicalResult (*)(Operation *, unsigned, const AccessMap &,
                                   MapContext &, AccessMap &);

/// Returns the first rule whose interface an operation implements; null if it
/// implements none.
template <auto... rules> static MoveRule findRule(Operation *op) {
  MoveRule found = nullptr;
  ((found = !found && isa<typename OpRule<rules>::Op>(op)
                ? &OpRule<rules>::apply
                : found),
   ...);
  return found;
}

/// Returns the rule of a movement that is a strided view of its operand.
static MoveRule viewRule(Operation *op) {
  return findRule<moveBroadcast, moveTranspose, moveSlice, moveRev,
                  moveReshape>(op);
}

/// Returns the rule of another movement.
static MoveRule copyRule(Operation *op) {
  return findRule<movePad, moveCat>(op);
}

bool kiln::schedule::isMovement(Operation *op) {
  return viewRule(op) || copyRule(op);
}

bool kiln::schedule::isViewMovement(Operation *op) { return viewRule(op); }

static LogicalResult moveThrough(Operation *op, unsigned number,
                                 const AccessMap &map, MapContext &ctx,
                                 AccessMap &result) {
  result.index.clear();
  result.ranges = map.ranges;
  MoveRule rule = viewRule(op);
  if (!rule)
    rule = copyRule(op);
  return rule ? rule(op, number, map, ctx, result) : failure();
}

/// What does not fit 64 bits is no map.
static LogicalResult verify(const AccessMap &map) {
  return success(llvm::all_of(
      map.index, [](const IndexExpr &expr) { return expr.isKnown(); }));
}

LogicalResult kiln::schedule::moveMap(Operation *op, unsigned number,
                                      const AccessMap &map, MapContext &ctx,
                                      AccessMap &result) {
  if (failed(moveThrough(op, number, map, ctx, result)))
    return failure();
  return verify(result);
}

LogicalResult kiln::schedule::moveMapForward(Operation *op,
                                             const AccessMap &map,
                                             MapContext &ctx,
                                             AccessMap &result) {
  result.index.clear();
  result.ranges = map.ranges;
  if (auto transpose = dyn_cast<PermutationOpInterface>(op)) {
    for (int64_t source : transpose.getPermutation())
      result.index.push_back(map.index[source]);
    return success();
  }
  auto reshape = dyn_cast<ReshapeOpInterface>(op);
  if (!reshape)
    return failure();
  SmallVector<Extent> from = sizesOf(reshape.getMoved(), ctx),
                      to = sizesOf(op->getResult(0), ctx);
  SmallVector<IndexExpr> index;
  if (failed(reshapeMap(map.index, from, to, ctx, index)))
    return failure();
  result.index.assign(index.begin(), index.end());
  return verify(result);
}
