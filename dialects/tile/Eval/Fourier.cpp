// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms by their definition.
#include "Fourier.h"
#include "kiln/Dialect/Tile/FourierOps.h"
#include "kiln/Eval/Fourier.h"

using namespace mlir;

namespace kiln::eval {

static LogicalResult fourier(tile::FourierOp op, Frame &frame) {
  SmallVector<Value> sources = frame.get(op.getSources());
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  for (auto [result, value] :
       llvm::zip(op.getResults(),
                 transformLines(sources, type.getShape(), op.getNumResults(),
                                op.getAxis(), op.getInverse())))
    if (failed(frame.set(result, value)))
      return failure();
  return success();
}

void addTileFourier(EvaluationInterface &table) {
  table.add<tile::FourierOp>(fourier);
}

} // namespace kiln::eval
