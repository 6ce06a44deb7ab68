//===- TileSource.cpp - Tiles whose elements another one has --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileSource.h"
#include "kiln/Interfaces/IndexMap.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

bool TileSource::keepsDims() const {
  return llvm::equal(dims, llvm::seq<int64_t>(rank));
}

/// Returns the only tile operand of an operation that hands on its elements.
static OpOperand *findMovedOperand(Operation *op) {
  if (!op || !handsOnElements(op))
    return nullptr;
  return llvm::find_if(op->getOpOperands(), [](OpOperand &operand) {
    return isa<RankedTensorType>(operand.get().getType());
  });
}

Value tile::getMovedTile(Operation *op) {
  OpOperand *operand = findMovedOperand(op);
  return operand ? operand->get() : Value();
}

std::optional<TileSource> tile::findTileSource(Operation *op) {
  OpOperand *operand = findMovedOperand(op);
  if (!operand || op->getNumResults() != 1)
    return std::nullopt;
  OperandRead read = getOperandRead(*operand);
  if (!read || read.domain)
    return std::nullopt;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return std::nullopt;
  TileSource source{operand->get(), {}, result.getRank()};
  bool keepsRank = int64_t(read.map.getNumResults()) == source.rank;
  for (auto [number, expr] : llvm::enumerate(read.map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      source.dims.push_back(dim.getPosition());
    else if (isa<AffineConstantExpr>(expr) && keepsRank)
      source.dims.push_back(number);
    else
      return std::nullopt;
  }
  return source;
}
