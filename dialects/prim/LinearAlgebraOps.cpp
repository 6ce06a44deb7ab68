// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra on the host.
#include "kiln/Dialect/Prim/LinearAlgebraOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/LinearAlgebraOps.cpp.inc"

namespace {

/// What the types of the results of one operation follow from. Constraints are
/// checked here, as types are inferred before anything is verified.
class Matrices {
public:
  using Shape = SmallVector<int64_t>;

  Matrices(StringRef op, std::optional<Location> loc, ValueRange operands,
           SmallVectorImpl<Type> &types)
      : op(op), loc(loc), types(types) {
    for (Value operand : operands)
      inputs.push_back(cast<RankedTensorType>(operand.getType()));
  }

  LogicalResult error(const Twine &message) {
    return emitOptionalError(loc, "'prim.", op, "' op ", message);
  }

  RankedTensorType input(unsigned number = 0) const { return inputs[number]; }
  int64_t rows() const { return input().getShape().take_back(2).front(); }
  int64_t columns() const { return input().getShape().back(); }
  int64_t fewer() const {
    if (ShapedType::isDynamic(rows()) || ShapedType::isDynamic(columns()))
      return ShapedType::kDynamic;
    return std::min(rows(), columns());
  }

  LogicalResult haveRank() {
    if (input().getRank() >= 2)
      return success();
    return error("expected at least two dimensions, found " +
                 Twine(input().getRank()));
  }

  LogicalResult areSquare() {
    if (failed(haveRank()))
      return failure();
    if (check::compatible(rows(), columns()))
      return success();
    return error("expected as many rows as columns, found " +
                 check::printShape(input().getShape()));
  }

  /// Complex matrices, whose elements are two columns each.
  LogicalResult areComplex(unsigned number = 0) {
    if (failed(haveRank()))
      return failure();
    ArrayRef<int64_t> shape = input(number).getShape();
    if (!ShapedType::isDynamicShape(shape.take_back(2)) &&
        shape.back() % 2 == 0)
      return success();
    return error("expected matrices of known size with two columns for each "
                 "complex element, found " +
                 check::printShape(shape));
  }
  LogicalResult areComplexAndSquare() {
    if (failed(areComplex()))
      return failure();
    if (columns() == 2 * rows())
      return success();
    return error("expected twice as many columns as rows, found " +
                 check::printShape(input().getShape()));
  }

  /// `second` has the batch of the first operand and `rank` dimensions beyond.
  LogicalResult shareBatch(unsigned rank) {
    ArrayRef<int64_t> batch = input().getShape().drop_back(2);
    ArrayRef<int64_t> other = input(1).getShape();
    if (other.size() != batch.size() + rank)
      return error("expected a second operand of rank " +
                   Twine(batch.size() + rank) + ", found " +
                   Twine(other.size()));
    for (auto [a, b] : llvm::zip(batch, other))
      if (!check::compatible(a, b))
        return error("expected operands with equal dimensions before the "
                     "matrices, found " +
                     check::printShape(input().getShape()) + " and " +
                     check::printShape(other));
    if (input().getElementType() == input(1).getElementType())
      return success();
    return error("expected operands of one element type");
  }

  /// Adds a result: the batch, and these sizes.
  void give(ArrayRef<int64_t> sizes, Type element = {}) {
    Shape shape(input().getShape().drop_back(2));
    llvm::append_range(shape, sizes);
    types.push_back(RankedTensorType::get(
        shape, element ? element : input().getElementType()));
  }
  void giveSame(unsigned number = 0) { types.push_back(inputs[number]); }
  void giveNumbers(ArrayRef<int64_t> sizes = {}) {
    give(sizes, IntegerType::get(input().getContext(), 32));
  }

private:
  StringRef op;
  std::optional<Location> loc;
  SmallVectorImpl<Type> &types;
  SmallVector<RankedTensorType> inputs;
};

} // namespace

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           ValueRange operands, DictionaryAttr,
                                           OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &types) {
  Matrices m("cholesky", loc, operands, types);
  // C1, C2
  if (failed(m.areSquare()))
    return failure();
  m.giveSame();
  m.giveNumbers();
  return success();
}

LogicalResult LuOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     ValueRange operands, DictionaryAttr,
                                     OpaqueProperties, RegionRange,
                                     SmallVectorImpl<Type> &types) {
  Matrices m("lu", loc, operands, types);
  // C1
  if (failed(m.haveRank()))
    return failure();
  m.giveSame();
  m.giveNumbers({m.fewer()});
  m.giveNumbers({m.rows()});
  m.giveNumbers();
  return success();
}

LogicalResult PivotsToPermutationOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Matrices m("pivots_to_permutation", loc, operands, types);
  auto rows = static_cast<int64_t>(adaptor.getRows());
  // C1
  if (!m.input().getRank())
    return m.error("expected at least one dimension, found 0");
  // C2
  int64_t size = m.columns();
  if (rows < 0 || (!ShapedType::isDynamic(size) && size > rows))
    return m.error("expected 'rows' of at least the size of the last "
                   "dimension, found " +
                   Twine(rows));
  SmallVector<int64_t> shape(m.input().getShape());
  shape.back() = rows;
  types.push_back(m.input().clone(shape));
  return success();
}

LogicalResult
TriangularSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    ValueRange operands, DictionaryAttr,
                                    OpaqueProperties, RegionRange,
                                    SmallVectorImpl<Type> &types) {
  Matrices m("triangular_solve", loc, operands, types);
  // C2 of A, C1, C3, C4
  if (failed(m.areSquare()) || failed(m.shareBatch(2)))
    return failure();
  // C2 of B
  int64_t rows = m.input(1).getShape().take_back(2).front();
  if (!check::compatible(rows, m.columns()))
    return m.error("expected " + Twine(m.columns()) + " rows, found " +
                   Twine(rows));
  m.giveSame(1);
  return success();
}

LogicalResult
ComplexCholeskyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    ValueRange operands, DictionaryAttr,
                                    OpaqueProperties, RegionRange,
                                    SmallVectorImpl<Type> &types) {
  Matrices m("complex_cholesky", loc, operands, types);
  // C1, C2
  if (failed(m.areComplexAndSquare()))
    return failure();
  m.giveSame();
  m.giveNumbers();
  return success();
}

LogicalResult ComplexLuOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr,
                                            OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &types) {
  Matrices m("complex_lu", loc, operands, types);
  // C1, C2
  if (failed(m.areComplex()))
    return failure();
  m.giveSame();
  m.giveNumbers({std::min(m.rows(), m.columns() / 2)});
  m.giveNumbers({m.rows()});
  m.giveNumbers();
  return success();
}

LogicalResult ComplexTriangularSolveOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  Matrices m("complex_triangular_solve", loc, operands, types);
  // C2 of A, C1, C3, C4, C2 of B
  if (failed(m.areComplexAndSquare()) || failed(m.shareBatch(2)) ||
      failed(m.areComplex(1)))
    return failure();
  int64_t rows = m.input(1).getShape().take_back(2).front();
  if (rows != m.rows())
    return m.error("expected " + Twine(m.rows()) + " rows, found " +
                   Twine(rows));
  m.giveSame(1);
  return success();
}

LogicalResult ComplexHouseholderQrOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  Matrices m("complex_householder_qr", loc, operands, types);
  // C1, C2
  if (failed(m.areComplex()))
    return failure();
  m.giveSame();
  m.give({2 * std::min(m.rows(), m.columns() / 2)});
  return success();
}

LogicalResult ComplexHouseholderProductOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  Matrices m("complex_householder_product", loc, operands, types);
  // C2 of the matrix, C1, C3, C4
  if (failed(m.areComplex()) || failed(m.shareBatch(1)))
    return failure();
  // C2
  int64_t scales = m.input(1).getShape().back();
  if (ShapedType::isDynamic(scales) || scales % 2 != 0 ||
      m.columns() > 2 * m.rows() || scales > m.columns())
    return m.error("expected at most as many complex columns as rows and as "
                   "many scales as columns, found " +
                   check::printShape(m.input().getShape()) + " and " +
                   check::printShape(m.input(1).getShape()));
  m.giveSame();
  return success();
}

LogicalResult ComplexEighOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              ValueRange operands,
                                              DictionaryAttr, OpaqueProperties,
                                              RegionRange,
                                              SmallVectorImpl<Type> &types) {
  Matrices m("complex_eigh", loc, operands, types);
  // C1, C2
  if (failed(m.areComplexAndSquare()))
    return failure();
  m.give({m.rows()});
  m.giveSame();
  m.giveNumbers();
  return success();
}

LogicalResult
ComplexSvdOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               ValueRange operands, DictionaryAttr attributes,
                               OpaqueProperties properties, RegionRange regions,
                               SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Matrices m("complex_svd", loc, operands, types);
  // C1, C2
  if (failed(m.areComplex()))
    return failure();
  int64_t columns = m.columns() / 2, fewer = std::min(m.rows(), columns);
  bool full = adaptor.getFull();
  m.give({m.rows(), 2 * (full ? m.rows() : fewer)});
  m.give({fewer});
  m.give({full ? columns : fewer, m.columns()});
  m.giveNumbers();
  return success();
}

LogicalResult HouseholderQrOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                ValueRange operands,
                                                DictionaryAttr,
                                                OpaqueProperties, RegionRange,
                                                SmallVectorImpl<Type> &types) {
  Matrices m("householder_qr", loc, operands, types);
  // C1
  if (failed(m.haveRank()))
    return failure();
  m.giveSame();
  m.give({m.fewer()});
  return success();
}

LogicalResult HouseholderProductOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  Matrices m("householder_product", loc, operands, types);
  // C1, C3, C4
  if (failed(m.haveRank()) || failed(m.shareBatch(1)))
    return failure();
  // C2
  auto isMore = [](int64_t a, int64_t b) {
    return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a > b;
  };
  int64_t scales = m.input(1).getShape().back();
  if (isMore(m.columns(), m.rows()) || isMore(scales, m.columns()))
    return m.error("expected at most as many columns as rows and as many "
                   "scales as columns, found " +
                   check::printShape(m.input().getShape()) + " and " +
                   check::printShape(m.input(1).getShape()));
  m.giveSame();
  return success();
}

LogicalResult EighOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  Matrices m("eigh", loc, operands, types);
  // C1, C2
  if (failed(m.areSquare()))
    return failure();
  m.give({m.columns()});
  m.giveSame();
  m.giveNumbers();
  return success();
}

LogicalResult EigOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      ValueRange operands, DictionaryAttr,
                                      OpaqueProperties, RegionRange,
                                      SmallVectorImpl<Type> &types) {
  Matrices m("eig", loc, operands, types);
  // C1, C2
  if (failed(m.areSquare()))
    return failure();
  m.give({m.columns()});
  m.give({m.columns()});
  m.giveSame();
  m.giveSame();
  m.giveNumbers();
  return success();
}

LogicalResult
SvdOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                        ValueRange operands, DictionaryAttr attributes,
                        OpaqueProperties properties, RegionRange regions,
                        SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Matrices m("svd", loc, operands, types);
  // C1
  if (failed(m.haveRank()))
    return failure();
  bool full = adaptor.getFull();
  m.give({m.rows(), full ? m.rows() : m.fewer()});
  m.give({m.fewer()});
  m.give({full ? m.columns() : m.fewer(), m.columns()});
  m.giveNumbers();
  return success();
}

SmallVector<SizeSource> kiln::prim::sizeSources(Operation *op,
                                                unsigned result) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  SmallVector<SizeSource> sizes;
  if (isa<PivotsToPermutationOp>(op)) {
    for (int64_t d = 0; d < rank; ++d)
      sizes.push_back({0, d});
    return sizes;
  }
  for (int64_t d = 0; d + 2 < rank; ++d)
    sizes.push_back({0, d});
  SizeSource m{0, rank - 2}, n{0, rank - 1}, k{0, rank - 2, rank - 1};
  size_t more =
      cast<RankedTensorType>(op->getResult(result).getType()).getRank() -
      sizes.size();
  auto svd = dyn_cast<SvdOp>(op);
  bool isFull = svd && svd.getFull();
  if (more == 1)
    sizes.push_back(isa<LuOp, ComplexLuOp>(op) && result == 2 ? m : k);
  if (more < 2)
    return sizes;
  if (isa<TriangularSolveOp, ComplexTriangularSolveOp>(op))
    sizes.append({SizeSource{1, rank - 2}, SizeSource{1, rank - 1}});
  else if (svd && result == 0)
    sizes.append({m, isFull ? m : k});
  else if (svd)
    sizes.append({isFull ? n : k, n});
  else
    sizes.append({m, n});
  return sizes;
}
