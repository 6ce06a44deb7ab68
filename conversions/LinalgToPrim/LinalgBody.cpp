// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of operands and results of structured operations.
#include "../TensorToPrim/Positions.h"
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

/// An affine expression for all points of an iteration space; null if it needs
/// a dimension that is not there.
static Value evaluateIndex(AffineExpr expr, ArrayRef<int64_t> dims,
                           ArrayRef<OpFoldResult> sizes, Translator &e) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return e.full(integerAttr(e.b.getI64Type(), constant.getValue()), sizes);
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const int64_t *found =
        llvm::find(dims, static_cast<int64_t>(dim.getPosition()));
    if (found == dims.end())
      return {};
    return prim::IotaOp::create(e.b, e.typeFor(sizes, e.b.getI64Type()),
                                e.dynamicSizes(sizes), found - dims.begin());
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  Value lhs = evaluateIndex(binary.getLHS(), dims, sizes, e);
  Value rhs = evaluateIndex(binary.getRHS(), dims, sizes, e);
  if (!lhs || !rhs)
    return {};
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return e.add(lhs, rhs);
  case AffineExprKind::Mul:
    return e.mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return e.divide(lhs, rhs, false);
  case AffineExprKind::CeilDiv:
    return e.divide(lhs, rhs, true);
  case AffineExprKind::Mod:
    return e.sub(lhs, e.mul(e.divide(lhs, rhs, false), rhs));
  default:
    return {};
  }
}

/// Whether a map is one of distinct dimensions among `dims` and constants.
static bool isSimple(AffineMap map, ArrayRef<int64_t> dims) {
  llvm::SmallDenseSet<unsigned> seen;
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return isa<AffineConstantExpr>(expr) ||
           (dim && seen.insert(dim.getPosition()).second &&
            llvm::is_contained(dims, static_cast<int64_t>(dim.getPosition())));
  });
}

Value materialize(Operation *op, Value operand, AffineMap map,
                  ArrayRef<int64_t> dims, ArrayRef<OpFoldResult> sizes,
                  Translator &e) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      int64_t extent = e.typeOf(operand).getDimSize(i);
      if (constant.getValue() < 0 ||
          (ShapedType::isStatic(extent) && constant.getValue() >= extent)) {
        (void)e.unsupported(op, "reads outside of an operand");
        return {};
      }
    }
  if (!isSimple(map, dims)) {
    SmallVector<Value> indices;
    for (AffineExpr expr : map.getResults()) {
      indices.push_back(evaluateIndex(expr, dims, sizes, e));
      if (!indices.back()) {
        (void)e.unsupported(op, "has an indexing map that it cannot follow: " +
                                    Twine(text(map)));
        return {};
      }
    }
    return readElementsInside(operand, indices, e);
  }
  SmallVector<int64_t> positions;
  Sizes kept;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      operand =
          e.sliceDim(operand, i, constant.getValue(), constant.getValue() + 1);
    else
      positions.push_back(
          llvm::find(dims, static_cast<int64_t>(
                               cast<AffineDimExpr>(expr).getPosition())) -
          dims.begin());
  }
  if (positions.size() != map.getNumResults()) {
    Sizes all = e.sizesOf(operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineConstantExpr>(expr))
        kept.push_back(all[i]);
    operand = e.reshape(operand, kept);
  }
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, positions.size()));
  llvm::sort(order,
             [&](int64_t a, int64_t c) { return positions[a] < positions[c]; });
  operand = e.transpose(operand, order);
  llvm::sort(positions);
  return e.broadcastInDim(operand, positions, sizes);
}

Value operandValue(Value operand, Translator &e) {
  llvm::SaveAndRestore<Translator::Body *> outside(e.body, nullptr);
  return e.get(operand);
}

FailureOr<Sizes> loopSizes(linalg::LinalgOp op, Translator &e) {
  Sizes sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    Sizes own = e.sizesOf(e.get(operand.get()));
    for (auto [size, expr] :
         llvm::zip_equal(own, op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (OpFoldResult &known = sizes[dim.getPosition()];
            !known ||
            (!getConstantIntValue(known) && getConstantIntValue(size)))
          known = size;
  }
  if (llvm::any_of(sizes, [](OpFoldResult size) { return !size; }))
    return e.unsupported(op, "has a loop whose size no operand gives");
  return sizes;
}

FailureOr<Value> arrange(Operation *op, Value value, ArrayRef<int64_t> dims,
                         AffineMap map, Translator &e) {
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : map.getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    const int64_t *found =
        dim ? llvm::find(dims, static_cast<int64_t>(dim.getPosition()))
            : dims.end();
    if (found == dims.end())
      return e.unsupported(op, "has an indexing map of a result that is not a "
                               "permutation: " +
                                   Twine(text(map)));
    permutation.push_back(found - dims.begin());
  }
  if (!isPermutationVector(permutation) || permutation.size() != dims.size())
    return e.unsupported(op, "has an indexing map of a result that is not a "
                             "permutation: " +
                                 Twine(text(map)));
  value = e.transpose(value, permutation);
  if (permutation.size() == map.getNumResults())
    return value;
  Sizes sizes, own = e.sizesOf(value);
  size_t next = 0;
  for (AffineExpr expr : map.getResults())
    sizes.push_back(isa<AffineConstantExpr>(expr) ? e.size(1) : own[next++]);
  return e.reshape(value, sizes);
}

/// Binds the arguments of the body to the operands, in the iteration space.
LogicalResult bindOperands(const Loops &loops, BodyScope &scope,
                           const llvm::SetVector<BlockArgument> &needed,
                           Translator &e) {
  linalg::LinalgOp op = loops.op;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!needed.contains(argument))
      continue;
    Value value = materialize(op, operandValue(operand.get(), e),
                              op.getMatchingIndexingMap(&operand), loops.all,
                              loops.sizes, e);
    if (!value)
      return failure();
    scope.bind(argument, value);
  }
  return success();
}

bool isZero(Value value, Translator &e) {
  std::optional<TypedAttr> splat = e.splatOf(value);
  if (!splat)
    return false;
  if (auto number = dyn_cast<FloatAttr>(*splat))
    return number.getValue().isZero();
  return cast<IntegerAttr>(*splat).getValue().isZero();
}

} // namespace kiln::tensor_to_prim
