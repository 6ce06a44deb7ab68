// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluation of tile by families of operations. Private to this folder.
#ifndef KILN_DIALECTS_TILE_EVAL_FAMILIES_H
#define KILN_DIALECTS_TILE_EVAL_FAMILIES_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"

namespace kiln::eval {

void addTileKernel(EvaluationInterface &table);
void addTileMemory(EvaluationInterface &table);
void addTileShape(EvaluationInterface &table);
void addTileDot(EvaluationInterface &table);
void addTileDotScaled(EvaluationInterface &table);
void addTileReduce(EvaluationInterface &table);
void addTileScan(EvaluationInterface &table);
void addTileExtern(EvaluationInterface &table);
void addTileFunctions(EvaluationInterface &table);
void addTilePointer(EvaluationInterface &table);

/// Whether a combiner can be run on whole tiles instead of scalars: it knows
/// only lanes of its own values.
bool isLaneWise(mlir::Block &block);

/// The shape of a tile type.
inline llvm::ArrayRef<int64_t> tileShape(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

} // namespace kiln::eval

#endif // KILN_DIALECTS_TILE_EVAL_FAMILIES_H
