// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms by their definition.
#include "Fourier.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Eval/Fourier.h"

using namespace mlir;

namespace kiln::eval {

static LogicalResult fourier(prim::FourierOp op, Frame &frame) {
  SmallVector<Value> sources;
  for (mlir::Value operand : op.getOperands())
    sources.push_back(frame.get(operand));
  if (failed(sameShape(op, sources)))
    return failure();
  int64_t dim = op.getDim();
  SmallVector<int64_t> shape(sources.front().shape());
  shape[dim] =
      cast<RankedTensorType>(op.getResult(0).getType()).getDimSize(dim);
  for (auto [result, value] : llvm::zip(
           op.getResults(), transformLines(sources, shape, op.getNumResults(),
                                           dim, op.getInverse())))
    if (failed(frame.set(result, value)))
      return failure();
  return success();
}

void addPrimFourier(PrimTable &table) { table.add<prim::FourierOp>(fourier); }

} // namespace kiln::eval
