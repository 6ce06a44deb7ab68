//===- AttentionParts.cpp - Keys of attention that instances share out ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where there are few queries, as in a step of generation, instances share out
// the keys of a query, and a second kernel combines what they have found
// (Flash-Decoding, Dao et al. 2023).
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Follows movements of an operand to what they move, or to the `prim.cat` that
/// joins its keys, if there is one; fails where a `prim.cat` joins something
/// else.
static FailureOr<ConcatenationOpInterface>
findCat(GroupPlan &plan, const GroupPlan::InGroupFn &inGroup, int key,
        Value &value, AccessMap &map) {
  while (Operation *op = value.getDefiningOp()) {
    if (!inGroup(op))
      break;
    if (auto cat = dyn_cast<ConcatenationOpInterface>(op)) {
      const IndexExpr &at = map.index[cat.getJoinedDim()];
      if (at.asDim() != key || !at.offset().is(0) || !map.ranges.empty())
        return failure();
      return cat;
    }
    AccessMap inner;
    MapContext ctx = plan.context();
    if (!isViewMovement(op) || failed(moveMap(op, 0, map, ctx, inner)))
      break;
    map = inner;
    value = op->getOperand(0);
  }
  return ConcatenationOpInterface();
}

FailureOr<std::vector<KeyPiece>>
kiln::schedule::findKeyPieces(GroupPlan &plan,
                              const GroupPlan::InGroupFn &inGroup,
                              const AttentionDims &dims, std::string &reason) {
  const AnchorVisit &anchor = plan.anchors.front();
  auto op = cast<prim::AttentionOp>(anchor.op);
  KeyPiece whole{0,
                 1,
                 op.getKey(),
                 op.getValue(),
                 anchor.operandMaps[1],
                 anchor.operandMaps[2]};
  if (dims.key >= 0)
    whole.size = plan.sizes[dims.key];
  FailureOr<ConcatenationOpInterface> joinedKeys =
      findCat(plan, inGroup, dims.key, whole.key, whole.keyMap);
  FailureOr<ConcatenationOpInterface> joinedValues =
      findCat(plan, inGroup, dims.key, whole.value, whole.valueMap);
  if (failed(joinedKeys) || failed(joinedValues)) {
    reason = "the joined keys or values are not joined along the keys";
    return failure();
  }
  ConcatenationOpInterface keys = *joinedKeys, values = *joinedValues;
  if (!keys && !values)
    return std::vector<KeyPiece>{whole};
  MapContext ctx = plan.context();
  std::vector<KeyPiece> pieces;
  ConcatenationOpInterface one = keys ? keys : values;
  Extent first = 0;
  for (unsigned number = 0; number < one->getNumOperands(); ++number) {
    KeyPiece piece = whole;
    piece.first = first;
    piece.size = ctx.dimOf(one->getOperand(number), one.getJoinedDim());
    if (keys && values &&
        (keys->getNumOperands() != values->getNumOperands() ||
         !piece.size.same(
             ctx.dimOf(values->getOperand(number), values.getJoinedDim())))) {
      reason = "keys and values are joined at different places";
      return failure();
    }
    for (auto [cat, map, value, inner] :
         {std::tuple(keys, &whole.keyMap, &piece.key, &piece.keyMap),
          std::tuple(values, &whole.valueMap, &piece.value, &piece.valueMap)}) {
      if (!cat)
        continue;
      if (failed(moveMap(cat, number, *map, ctx, *inner))) {
        reason = "no affine access to a piece of the keys";
        return failure();
      }
      *value = cat->getOperand(number);
    }
    first = ctx.math.add(first, piece.size);
    pieces.push_back(piece);
  }
  return pieces;
}

SmallVector<int> kiln::schedule::findRowDims(const GroupPlan &plan,
                                             const AttentionDims &dims,
                                             const KeyPiece &keys) {
  // Rows of the smallest matrix instructions, and a few more.
  constexpr int64_t kMostRows = 64;
  llvm::SmallBitVector shared = keys.keyMap.support(plan.sizes.size());
  shared |= keys.valueMap.support(plan.sizes.size());
  int64_t rows = 1;
  auto take = [&](int dim) {
    if (!plan.sizes[dim].isStatic())
      return false;
    rows *= llvm::PowerOf2Ceil(plan.sizes[dim].get());
    return rows <= kMostRows;
  };
  if (dims.query >= 0 && !take(dims.query))
    return {};
  SmallVector<int> result;
  for (int dim : dims.outer)
    if (!shared.test(dim) && !plan.untiled.test(dim)) {
      if (!take(dim))
        return {};
      result.push_back(dim);
    }
  return result;
}

int64_t kiln::schedule::chooseKeyParts(const PartProblem &problem) {
  // In units of a block of keys: what an instance takes for its query and its
  // result, and what a second kernel takes.
  constexpr double kInstance = 1, kSecond = 2;
  // How much slower than memory an instance of few rows is that is alone in a
  // core: measured with 64 keys of 128 elements.
  const double alone = problem.hasFewRows ? 3 : 1;
  // Cores that have enough instances gain nothing.
  if (problem.instances >=
      problem.cores * std::min<int64_t>(problem.perCore, 2))
    return 1;
  int64_t best = 1;
  double least = 0;
  for (int64_t parts = 1; parts <= problem.blocks; ++parts) {
    int64_t each = llvm::divideCeil(problem.blocks, parts);
    // Parts without a block are of no use.
    if (int64_t(llvm::divideCeil(problem.blocks, each)) != parts)
      continue;
    double store = parts > 1 ? problem.store : 0;
    double second =
        parts > 1 ? kSecond + problem.instances * parts * store / problem.cores
                  : 0;
    // Instances of one core go on at the pace of memory if they are enough.
    int64_t held = llvm::divideCeil(problem.instances * parts, problem.cores);
    int64_t rounds = llvm::divideCeil(held, problem.perCore);
    double time =
        std::max<double>(held * (each + store),
                         rounds * (each * alone + kInstance + store)) +
        second;
    if (parts == 1 || time < least) {
      least = time;
      best = parts;
    }
  }
  return best;
}

namespace {

/// Builds the kernel that combines parts.
class Combiner {
public:
  Combiner(GroupPlan &plan, const GroupPlan::InGroupFn &inGroup,
           const AttentionDims &dims, KernelBuilder &kernel,
           const PartialSoftmax &parts)
      : dims(dims), kernel(kernel), parts(parts), b(kernel.b), loc(kernel.loc),
        emitter(kernel, plan, inGroup, Space{{parts.part, dims.width}}) {}

  /// The row of the result, of one element for each of a head.
  Value combine(bool isPowerOfTwo) {
    Type wide = parts.result.elementType();
    AccessMap ofRow = parts.map;
    ofRow.index.pop_back();
    auto lowest =
        FloatAttr::get(wide, -std::numeric_limits<double>::infinity());
    Value largest = emitter.load(parts.largest, ofRow, lowest);
    Value most = reduce<arith::MaximumFOp>(largest);
    // Without any key all exponentials are zero.
    Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                          most, emitter.splat(lowest, {1, 1}));
    most = arith::SelectOp::create(
        b, loc, isEmpty, emitter.splat(FloatAttr::get(wide, 0), {1, 1}), most);
    int64_t count = kernel.dims[parts.part].block,
            width = kernel.dims[dims.width].block;
    Value exponent = arith::SubFOp::create(b, loc, largest,
                                           emitter.broadcast(most, {count, 1}));
    Value factor;
    if (isPowerOfTwo)
      factor =
          math::Exp2Op::create(b, loc, exponent, arith::FastMathFlags::afn);
    else
      factor = math::ExpOp::create(b, loc, exponent);
    Value sum = reduce<arith::AddFOp>(
        arith::MulFOp::create(b, loc, factor, emitter.load(parts.sum, ofRow)));
    Value result = reduce<arith::AddFOp>(arith::MulFOp::create(
        b, loc, emitter.broadcast(factor, {count, width}),
        emitter.broadcast(emitter.load(parts.result, parts.map),
                          {count, width})));
    Value inverse = arith::DivFOp::create(
        b, loc, emitter.splat(FloatAttr::get(wide, 1), {1, 1}), sum);
    return arith::MulFOp::create(b, loc, result,
                                 emitter.broadcast(inverse, {1, width}));
  }

private:
  /// All parts of a tile, reduced to one.
  template <typename Op> Value reduce(Value tile) {
    return reduceAxis(b, loc, tile, /*axis=*/0,
                      [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                        Value made = Op::create(inside, loc, x[0], y[0]);
                        return SmallVector<Value>{made};
                      })[0];
  }

  const AttentionDims &dims;
  KernelBuilder &kernel;
  const PartialSoftmax &parts;
  OpBuilder &b;
  Location loc;

public:
  TileBuilder emitter;
};

} // namespace

LogicalResult kiln::schedule::combineParts(
    ScheduleContext &ctx, GroupPlan &plan, const GroupPlan::InGroupFn &inGroup,
    const AttentionDims &dims, ArrayRef<int> rowDims,
    const KernelBuilder &first, const PartialSoftmax &parts, bool isPowerOfTwo,
    Value root, const Buffer &out, function_ref<void()> finishFirst,
    std::string &reason) {
  const AnchorVisit &anchor = plan.anchors.front();
  KernelBuilder kernel(first.host, first.loc, ctx.kernelName + "_combine");
  kernel.dims = first.dims;
  for (KernelDim &dim : kernel.dims) {
    dim.offset = dim.coord = dim.first = dim.last = Value();
    dim.block = 1;
  }
  kernel.dims[dims.width].block = first.dims[dims.width].block;
  kernel.dims[parts.part].block =
      llvm::PowerOf2Ceil(kernel.dims[parts.part].size.get());
  // An instance has a row.
  kernel.addGridDim(dims.query);
  for (int dim : llvm::reverse(rowDims))
    kernel.addGridDim(dim);
  for (int dim : llvm::reverse(dims.outer))
    if (!llvm::is_contained(rowDims, dim))
      kernel.addGridDim(dim);
  kernel.placeGrid();
  for (int dim : {dims.width, parts.part, dims.depth, dims.key})
    kernel.place(dim, kernel.constant(0));
  Combiner combiner(plan, inGroup, dims, kernel, parts);
  Value result = combiner.combine(isPowerOfTwo);
  auto type = RankedTensorType::get(
      {1, kernel.dims[dims.width].block},
      getElementTypeOrSelf(anchor.op->getResult(0).getType()));
  if (result.getType() != type)
    result = arith::TruncFOp::create(kernel.b, kernel.loc, type, result);
  TileBuilder &emitter = combiner.emitter;
  emitter.bind(anchor.op->getResult(0), anchor.map, result);
  Value tile = emitter.emit(root, plan.rootMap);
  if (!tile) {
    reason = emitter.reason;
    kernel.abandon();
    return failure();
  }
  emitter.store(tile, out, plan.rootMap);
  finishFirst();
  kernel.finish("generic.attention");
  return success();
}
