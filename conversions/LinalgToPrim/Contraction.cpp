// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of structured operations: `prim.dot_general`.
#include "../TensorToPrim/Narrow.h"
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// One factor of the product: what it reads and over which loops.
struct Factor {
  Value value;
  Slice slice;
  SmallVector<int64_t> dims;
};

/// The loops that a factor depends on; nothing if a map is not simple.
std::optional<Factor> factorOf(linalg::LinalgOp op, Value value) {
  Factor factor{value, sliceOf(value, *op.getBlock()->getParent()), {}};
  // In the order of the operand, so that it needs no transposition.
  llvm::SetVector<int64_t> used;
  for (BlockArgument argument : factor.slice.arguments) {
    AffineMap map =
        op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
    for (AffineExpr expr : map.getResults()) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        return std::nullopt;
      used.insert(dim.getPosition());
    }
  }
  for (Operation *inner : factor.slice.ops)
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      used.insert(index.getDim());
  factor.dims = used.takeVector();
  return factor;
}

/// The factor over its own loops.
FailureOr<Value> evaluate(linalg::LinalgOp op, const Factor &factor,
                          const Sizes &loops, Translator &e) {
  Sizes sizes;
  for (int64_t dim : factor.dims)
    sizes.push_back(loops[dim]);
  BodyScope scope(e, *op.getBlock()->getParent(), sizes);
  e.body->dims = factor.dims;
  for (BlockArgument argument : factor.slice.arguments) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    Value value =
        materialize(op, operandValue(operand->get(), e),
                    op.getMatchingIndexingMap(operand), factor.dims, sizes, e);
    if (!value)
      return failure();
    scope.bind(argument, value);
  }
  return scope.evaluate(factor.value);
}

/// The operand of a conversion that a sum of products does by itself.
Value beforeWidening(Value value) {
  auto op = value.getDefiningOp<prim::ConvertElementTypeOp>();
  if (!op || op.getFromUnsigned())
    return value;
  Type from = op.getOperand().getType().getElementType();
  Type to = op.getType().getElementType();
  if (to.isF32() && (from.isF16() || from.isBF16()))
    return op.getOperand();
  bool wider = isa<IntegerType>(from) && isa<IntegerType>(to) &&
               !from.isInteger(1) &&
               from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  return wider && (to.isInteger(32) || to.isInteger(64)) ? op.getOperand()
                                                         : value;
}

/// Sums over the loops that only this factor depends on.
Value sumAlone(Value value, SmallVectorImpl<int64_t> &dims,
               ArrayRef<int64_t> others, ArrayRef<int64_t> out, Translator &e) {
  SmallVector<int64_t> alone, kept, shape;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(others, dim) && !llvm::is_contained(out, dim)) {
      alone.push_back(i);
      continue;
    }
    kept.push_back(dim);
    shape.push_back(e.typeOf(value).getDimSize(i));
  }
  if (alone.empty())
    return value;
  dims.assign(kept.begin(), kept.end());
  return prim::SumOp::create(e.b, e.typeOf(value).clone(shape), value, alone);
}

/// The product of two factors, summed; `order` receives the loops of the
/// result's dimensions.
Value dot(Value lhs, ArrayRef<int64_t> lhsDims, Value rhs,
          ArrayRef<int64_t> rhsDims, ArrayRef<int64_t> out, Type element,
          SmallVectorImpl<int64_t> &order, Translator &e) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsSum, rhsSum, batch, rows, columns;
  SmallVector<int64_t> batchShape, rowShape, columnShape;
  for (auto [i, dim] : llvm::enumerate(lhsDims)) {
    const int64_t *match = llvm::find(rhsDims, dim);
    int64_t size = e.typeOf(lhs).getDimSize(i);
    if (match == rhsDims.end()) {
      rows.push_back(dim);
      rowShape.push_back(size);
      continue;
    }
    int64_t j = match - rhsDims.begin();
    bool kept = llvm::is_contained(out, dim);
    (kept ? lhsBatch : lhsSum).push_back(i);
    (kept ? rhsBatch : rhsSum).push_back(j);
    if (kept) {
      batch.push_back(dim);
      batchShape.push_back(size);
    }
  }
  for (auto [j, dim] : llvm::enumerate(rhsDims))
    if (!llvm::is_contained(lhsDims, dim)) {
      columns.push_back(dim);
      columnShape.push_back(e.typeOf(rhs).getDimSize(j));
    }
  for (ArrayRef<int64_t> part : {ArrayRef(rows), ArrayRef(columns)})
    llvm::append_range(batch, part);
  for (ArrayRef<int64_t> part : {ArrayRef(rowShape), ArrayRef(columnShape)})
    llvm::append_range(batchShape, part);
  order.assign(batch.begin(), batch.end());
  return prim::DotGeneralOp::create(
      e.b, RankedTensorType::get(batchShape, element), lhs, rhs, lhsBatch,
      rhsBatch, lhsSum, rhsSum, prim::Precision::ieee);
}

} // namespace

std::optional<LogicalResult> emitContraction(linalg::LinalgOp op,
                                             Translator &e) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  std::optional<Combine> combine = matchCombine(op, 0);
  if (!combine || !isa<arith::AddFOp, arith::AddIOp>(combine->op))
    return std::nullopt;
  Operation *product = combine->value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) ||
      product->getBlock() != op.getBlock())
    return std::nullopt;
  auto lhs = factorOf(op, product->getOperand(0));
  auto rhs = factorOf(op, product->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  // Scalars may be read by both sides, but a tensor by one only.
  SmallVector<int64_t> out;
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      out.push_back(dim.getPosition());
  auto covers = [&](int64_t dim) {
    return llvm::is_contained(lhs->dims, dim) ||
           llvm::is_contained(rhs->dims, dim);
  };
  bool shared = false;
  for (int64_t dim : lhs->dims)
    shared |=
        llvm::is_contained(rhs->dims, dim) && !llvm::is_contained(out, dim);
  if (!shared)
    return std::nullopt;
  for (int64_t dim = 0; dim < op.getNumLoops(); ++dim)
    if (!covers(dim))
      return std::nullopt;
  Type element = primElement(combine->op->getResult(0).getType());
  if (!element || element.isInteger(1))
    return std::nullopt;

  auto sizes = loopSizes(op, e);
  if (failed(sizes))
    return failure();
  auto left = evaluate(op, *lhs, *sizes, e);
  auto right = failed(left) ? left : evaluate(op, *rhs, *sizes, e);
  if (failed(right))
    return failure();
  e.b.setLoc(op.getLoc());
  Value narrowLeft = beforeWidening(*left),
        narrowRight = beforeWidening(*right);
  bool integers = isa<IntegerType>(element);
  if (integers || e.elementOf(narrowLeft) == e.elementOf(narrowRight)) {
    left = narrowLeft;
    right = narrowRight;
  }
  Value a = sumAlone(*left, lhs->dims, rhs->dims, out, e);
  Value c = sumAlone(*right, rhs->dims, lhs->dims, out, e);
  Type sum = element;
  if (integers && !element.isInteger(64))
    sum = e.b.getI32Type(); // narrower sums wrap alike
  SmallVector<int64_t> order;
  Value result = dot(a, lhs->dims, c, rhs->dims, out, sum, order, e);
  result = e.convert(result, element);
  OpOperand *init = op.getDpsInitOperand(0);
  auto arranged =
      arrange(op, result, order, op.getMatchingIndexingMap(init), e);
  if (failed(arranged))
    return failure();
  // The sum may be of a wider type than the result.
  Value before = e.get(init->get());
  if (!isZero(before, e))
    arranged = e.add(
        e.convert(e.refine(before, e.typeOf(*arranged).getShape()), element),
        e.refine(*arranged, e.typeOf(before).getShape()));
  return e.setOrWrite(op, 0, init->get(),
                      wrapTo(init->get().getType(),
                             e.convert(*arranged, e.elementOf(before)), e));
}

} // namespace kiln::tensor_to_prim
