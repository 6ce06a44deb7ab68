// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra on the host.
#include "LinearAlgebra.h"
#include "Families.h"
#include "kiln/Dialect/Prim/CallbackOps.h"
#include "kiln/Dialect/Prim/LinearAlgebraOps.h"
#include "kiln/Eval/HostFunctions.h"

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename Op> LogicalResult evaluate(Op op, Frame &frame) {
  SmallVector<Value> inputs = frame.get(op->getOperands());
  SmallVector<Value> outputs;
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, source] :
         llvm::zip(shape, prim::sizeSources(op, result.getResultNumber()))) {
      ArrayRef<int64_t> from = inputs[source.operand].shape();
      if (ShapedType::isDynamic(size))
        size = std::min(from[source.dim],
                        from[source.other < 0 ? source.dim : source.other]);
    }
    outputs.push_back(Value::tensor(dtypeOf(type), shape));
  }
  auto host = cast<HostOpInterface>(op.getOperation());
  if (failed(runHostFunction(op, host.getHostFunction(), host.getHostFlags(),
                             inputs, outputs)))
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), outputs))
    if (failed(frame.set(result, std::move(value))))
      return failure();
  return success();
}

/// Reports that there is no function to call.
LogicalResult evaluateCallback(prim::CallbackOp op, Frame &) {
  return runHostFunction(op, op.getHostFunction(), op.getHostFlags(), {}, {});
}

template <typename... Ops> void addAll(PrimTable &table) {
  (table.add<Ops>(evaluate<Ops>), ...);
}

} // namespace

void addPrimLinearAlgebra(PrimTable &table) {
  table.add<prim::CallbackOp>(evaluateCallback);
  addAll<prim::CholeskyOp, prim::LuOp, prim::PivotsToPermutationOp,
         prim::TriangularSolveOp, prim::ComplexCholeskyOp, prim::ComplexLuOp,
         prim::ComplexTriangularSolveOp, prim::ComplexHouseholderQrOp,
         prim::ComplexHouseholderProductOp, prim::ComplexEighOp,
         prim::ComplexSvdOp, prim::HouseholderQrOp, prim::HouseholderProductOp,
         prim::EighOp, prim::EigOp, prim::SvdOp>(table);
}

} // namespace kiln::eval
