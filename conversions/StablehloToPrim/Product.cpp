// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of StableHLO.
#include "Products.h"
#include "kiln/Interfaces/MatrixProduct.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {

void bringToSum(Value &lhs, Value &rhs, Type &sum, Type lhsSource,
                Type rhsSource, Type result, Translator &e) {
  Type a = e.elementOf(lhs), b = e.elementOf(rhs);
  if (isa<FloatType>(result)) {
    auto isNarrow = [](Type type) {
      return type.isF16() || type.isBF16() || prim::isSmallFloat(type);
    };
    // Small floats of any types are summed in f32, and so rounded once.
    bool isSmall = prim::isSmallFloat(a) && prim::isSmallFloat(b);
    sum = isSmall && !result.isF64() ? e.b.getF32Type() : result;
    if (a == b && (a == sum || (sum.isF32() && isNarrow(a))))
      return;
    if (isSmall && sum.isF32() && !isa<Float8E8M0FNUType>(a) &&
        !isa<Float8E8M0FNUType>(b)) { // bf16 has all numbers of both
      lhs = e.convert(lhs, e.b.getBF16Type());
      rhs = e.convert(rhs, e.b.getBF16Type());
      return;
    }
  } else {
    sum = result.isInteger(64) ? result : Type(e.b.getI32Type());
  }
  auto widen = [&](Value x, Type source) {
    bool isBool = e.elementOf(x).isInteger(1);
    return e.convert(x, sum, false, isUnsigned(source) && !isBool);
  };
  lhs = widen(lhs, lhsSource);
  rhs = widen(rhs, rhsSource);
}

/// The sum of products of both sides' parts.
static Value dotPart(const Dot &dot, Value lhs, Value rhs, Type lhsSource,
                     Type rhsSource, Type element, Translator &e) {
  Type sum;
  bringToSum(lhs, rhs, sum, lhsSource, rhsSource, element, e);
  RankedTensorType a = e.typeOf(lhs), b = e.typeOf(rhs);
  SmallVector<int64_t> shape;
  for (int64_t dim : dot.lhsBatch)
    shape.push_back(a.getDimSize(dim));
  auto rest = [&](RankedTensorType type, ArrayRef<int64_t> batch,
                  ArrayRef<int64_t> contract) {
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!llvm::is_contained(batch, int64_t(dim)) &&
          !llvm::is_contained(contract, int64_t(dim)))
        shape.push_back(size);
  };
  rest(a, dot.lhsBatch, dot.lhsContract);
  rest(b, dot.rhsBatch, dot.rhsContract);
  Value result = prim::DotGeneralOp::create(
      e.b, RankedTensorType::get(shape, sum), lhs, rhs, dot.lhsBatch,
      dot.rhsBatch, dot.lhsContract, dot.rhsContract, prim::Precision::ieee,
      dot.allowsImprecise && a.getElementTypeBitWidth() == 8 &&
              isa<FloatType>(a.getElementType())
          ? kAllTermsImprecise
          : 0);
  if (!element.isInteger(1))
    return e.convert(result, element);
  return e.compare<prim::NeOp>(result, e.integer(0, result));
}

LogicalResult translateDot(Operation *op, Value lhs, Value rhs, const Dot &dot,
                           Translator &e) {
  int64_t lhsRank = cast<RankedTensorType>(lhs.getType()).getRank();
  int64_t rhsRank = cast<RankedTensorType>(rhs.getType()).getRank();
  SmallVector<int64_t> left(dot.lhsBatch), right(dot.rhsBatch);
  llvm::append_range(left, dot.lhsContract);
  llvm::append_range(right, dot.rhsContract);
  if (failed(checkDims(op, "dimensions of the left side", left, lhsRank, e)) ||
      failed(
          checkDims(op, "dimensions of the right side", right, rhsRank, e)) ||
      failed(checkCount(op, "batching dimensions", dot.rhsBatch.size(),
                        dot.lhsBatch.size(), e)) ||
      failed(checkCount(op, "contracting dimensions", dot.rhsContract.size(),
                        dot.lhsContract.size(), e)))
    return failure();
  auto type = partType(op, op->getResult(0).getType(), e);
  if (failed(type))
    return failure();
  Tensors a = tensorsOf(lhs, e), b = tensorsOf(rhs, e);
  auto product = [&](Value x, Value y) {
    return dotPart(dot, x, y, lhs.getType(), rhs.getType(),
                   type->getElementType(), e);
  };
  if (!isComplex(op->getResult(0).getType()))
    return e.set(op->getResult(0), product(a[0], b[0]));
  if (a.size() == 1)
    a.push_back(e.number(0, a[0]));
  if (b.size() == 1)
    b.push_back(e.number(0, b[0]));
  return bind(op->getResult(0),
              {e.sub(product(a[0], b[0]), product(a[1], b[1])),
               e.add(product(a[0], b[1]), product(a[1], b[0]))},
              e);
}

namespace {

LogicalResult dotGeneral(stablehlo::DotGeneralOp op, Translator &e) {
  auto n = op.getDotDimensionNumbers();
  return translateDot(
      op, op.getLhs(), op.getRhs(),
      {SmallVector<int64_t>(n.getLhsBatchingDimensions()),
       SmallVector<int64_t>(n.getRhsBatchingDimensions()),
       SmallVector<int64_t>(n.getLhsContractingDimensions()),
       SmallVector<int64_t>(n.getRhsContractingDimensions()),
       op.getAlgorithmAttr() &&
           op.getAlgorithmAttr().getAllowImpreciseAccumulation()},
      e);
}

/// The last dimension with the first one.
LogicalResult dot(stablehlo::DotOp op, Translator &e) {
  int64_t rank = cast<RankedTensorType>(op.getLhs().getType()).getRank();
  return translateDot(op, op.getLhs(), op.getRhs(),
                      {{}, {}, {rank - 1}, {0}, false}, e);
}

/// ab,bc->ac: what both sides have and the result too is matched, what the
/// result lacks is summed over.
LogicalResult einsum(stablehlo::EinsumOp op, Translator &e) {
  auto [inputs, output] = op.getEinsumConfig().split("->");
  auto [left, right] = inputs.split(',');
  left = left.trim();
  right = right.trim();
  output = output.trim();
  auto rank = [](Value value) {
    return size_t(cast<RankedTensorType>(value.getType()).getRank());
  };
  auto unique = [](StringRef names) {
    return llvm::all_of(
        names, [&](char c) { return llvm::isAlpha(c) && names.count(c) == 1; });
  };
  if (left.size() != rank(op.getLhs()) || right.size() != rank(op.getRhs()) ||
      !unique(left) || !unique(right) || !unique(output))
    return e.unsupported(op,
                         "with the equation '" + op.getEinsumConfig() + "'");
  Dot dot;
  std::string given;
  for (auto [dim, name] : llvm::enumerate(left)) {
    size_t other = right.find(name);
    bool kept = output.contains(name);
    if (other == StringRef::npos && !kept)
      return e.unsupported(op, "sums over a dimension of one side");
    if (other == StringRef::npos)
      continue;
    (kept ? dot.lhsBatch : dot.lhsContract).push_back(dim);
    (kept ? dot.rhsBatch : dot.rhsContract).push_back(other);
    if (kept)
      given.push_back(name);
  }
  for (StringRef side : {left, right})
    for (char name : side)
      if (!left.contains(name) || !right.contains(name)) {
        if (!output.contains(name))
          return e.unsupported(op, "sums over a dimension of one side");
        given.push_back(name);
      }
  SmallVector<int64_t> order;
  for (char name : output)
    order.push_back(StringRef(given).find(name));
  if (order.size() != given.size() || llvm::is_contained(order, -1))
    return e.unsupported(op,
                         "with the equation '" + op.getEinsumConfig() + "'");
  // The product has the shape before the transposition.
  OpBuilder b(op);
  auto target = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(order.size());
  for (auto [dim, from] : llvm::enumerate(order))
    shape[from] = target.getDimSize(dim);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      op.getContext(), dot.lhsBatch, dot.rhsBatch, dot.lhsContract,
      dot.rhsContract);
  auto product = stablehlo::DotGeneralOp::create(
      b, op.getLoc(), target.clone(shape), op.getLhs(), op.getRhs(), numbers,
      ArrayAttr(), stablehlo::DotAlgorithmAttr());
  if (failed(e.emit(product)))
    return failure();
  return eachPart(op, product.getResult(), e,
                  [&](RankedTensorType, ArrayRef<Value> x) {
                    return e.transpose(x[0], order);
                  });
}

/// ab->a: what the result lacks is summed over.
LogicalResult unaryEinsum(stablehlo::UnaryEinsumOp op, Translator &e) {
  auto [input, output] = op.getEinsumConfig().split("->");
  input = input.trim();
  output = output.trim();
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  if (int64_t(input.size()) != source.getRank())
    return e.unsupported(op,
                         "with the equation '" + op.getEinsumConfig() + "'");
  SmallVector<int64_t> dims, order, shape;
  std::string kept;
  for (auto [dim, name] : llvm::enumerate(input)) {
    if (!llvm::isAlpha(name) || input.count(name) != 1)
      return e.unsupported(op, "with a letter twice");
    if (!output.contains(name)) {
      dims.push_back(dim);
    } else {
      kept.push_back(name);
      shape.push_back(source.getDimSize(dim));
    }
  }
  for (char name : output)
    order.push_back(StringRef(kept).find(name));
  if (order.size() != kept.size() || llvm::is_contained(order, -1))
    return e.unsupported(op,
                         "with the equation '" + op.getEinsumConfig() + "'");
  return eachPart(
      op, op.getOperand(), e, [&](RankedTensorType type, ArrayRef<Value> x) {
        Value sum = x[0];
        if (!dims.empty())
          sum = prim::SumOp::create(e.b, type.clone(shape), sum, dims);
        return e.transpose(sum, order);
      });
}

} // namespace

void addProductRules(Rules &rules) {
  rules.add<stablehlo::DotGeneralOp>(dotGeneral);
  rules.add<stablehlo::DotOp>(dot);
  rules.add<stablehlo::EinsumOp>(einsum);
  rules.add<stablehlo::UnaryEinsumOp>(unaryEinsum);
}

} // namespace kiln::stablehlo_to_prim
