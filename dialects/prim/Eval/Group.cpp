// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups are evaluated by their regions.
#include "Families.h"

using namespace mlir;

namespace kiln::eval {

template <typename OpTy> static LogicalResult group(OpTy op, Frame &frame) {
  SmallVector<Value> results;
  if (failed(frame.run(op.getBody(), frame.get(op.getInputs()), results)))
    return failure();
  if (results.size() != op->getNumResults())
    return op.emitOpError("expected ")
           << op->getNumResults() << " yielded values, found "
           << results.size();
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    (void)frame.set(result, value);
  return success();
}

void addPrimGroup(PrimTable &table) {
  table.add<prim::FusionOp>(group<prim::FusionOp>);
  table.add<prim::ClaimOp>(group<prim::ClaimOp>);
}

} // namespace kiln::eval
