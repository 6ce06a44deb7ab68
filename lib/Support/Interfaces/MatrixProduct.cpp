//===- MatrixProduct.cpp - Matrix products of tiles -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/MatrixProduct.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/MatrixProduct.cpp.inc"

bool ProductShape::isRowMajor() const {
  int lead = resultBatch < 0 ? 0 : 1;
  return resultRow == lead && resultColumn == lead + 1 && lhsRow == lead &&
         lhsSummed == lead + 1 && rhsSummed == lead && rhsColumn == lead + 1 &&
         resultBatch <= 0 && lhsBatch <= 0 && rhsBatch <= 0;
}

/// For each dimension of a map the position of the result that it is; -1 for
/// none. Nothing if a result is anything but a dimension of its own.
static std::optional<SmallVector<int>> positionsOf(OperandRead read) {
  if (!read || read.domain)
    return std::nullopt;
  SmallVector<int> positions(read.map.getNumDims(), -1);
  for (auto [i, expr] : llvm::enumerate(read.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || positions[dim.getPosition()] >= 0)
      return std::nullopt;
    positions[dim.getPosition()] = i;
  }
  return positions;
}

std::optional<ProductShape>
kiln::getProductShape(MatrixProductOpInterface product) {
  auto mapped = dyn_cast<IndexMapOpInterface>(product.getOperation());
  if (!mapped || mapped.getNumSummedDims() != 1)
    return std::nullopt;
  int rank = product.getProductType().getRank();
  auto lhs = positionsOf(getOperandRead(product.getLhsOperand()));
  auto rhs = positionsOf(getOperandRead(product.getRhsOperand()));
  if (!lhs || !rhs || int(lhs->size()) != rank + 1 ||
      int(rhs->size()) != rank + 1)
    return std::nullopt;
  if (OpOperand *acc = product.getAccOperand()) {
    OperandRead read = getOperandRead(*acc);
    if (!read || read.domain || !read.map.getNumResults() ||
        read.map !=
            AffineMap::getMultiDimIdentityMap(rank + 1, read.map.getContext())
                .dropResult(rank))
      return std::nullopt;
  }
  ProductShape shape{-1, -1, -1, (*lhs)[rank], (*rhs)[rank], -1};
  if (shape.lhsSummed < 0 || shape.rhsSummed < 0)
    return std::nullopt;
  for (int d = 0; d < rank; ++d) {
    int l = (*lhs)[d], r = (*rhs)[d];
    int &known = l >= 0 && r >= 0 ? shape.resultBatch
                 : l >= 0         ? shape.resultRow
                                  : shape.resultColumn;
    if (known >= 0 || (l < 0 && r < 0))
      return std::nullopt;
    known = d;
  }
  if (shape.resultRow < 0 || shape.resultColumn < 0)
    return std::nullopt;
  shape.lhsRow = (*lhs)[shape.resultRow];
  shape.rhsColumn = (*rhs)[shape.resultColumn];
  if (shape.resultBatch >= 0) {
    shape.lhsBatch = (*lhs)[shape.resultBatch];
    shape.rhsBatch = (*rhs)[shape.resultBatch];
  }
  return shape;
}
