// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What does not depend on arguments, computed.
#include "Node.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Interfaces/OwnDiagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

/// Dimensions of arguments that have the same name are one size.
void Graph::enter(func::FuncOp function, Translator &e) {
  if (function == current)
    return;
  current = function;
  forget();
  sizes.forgetNames();
  for (BlockArgument argument : function.getArguments()) {
    auto names = target::getArgumentEntry<ArrayAttr>(
        function, argument.getArgNumber(), target::kDimensionNamesEntry);
    Value value = names && e.isKnown(argument) ? e.get(argument) : Value();
    if (!isa_and_nonnull<BlockArgument>(value))
      continue;
    for (auto [dim, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
      if (!name.empty() && int64_t(dim) < e.typeOf(value).getRank())
        sizes.setName(value, dim, name);
  }
}

/// Larger tensors are weights, and nobody asks for their numbers.
constexpr int64_t mostElements = 65536;

std::optional<eval::Value> Graph::evaluate(mlir::Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  auto compute = [&]() -> std::optional<eval::Value> {
    Operation *op = value ? value.getDefiningOp() : nullptr;
    auto type = value ? dyn_cast<RankedTensorType>(value.getType())
                      : RankedTensorType();
    if (!op || !type || !type.hasStaticShape() || op->getNumRegions() ||
        type.getNumElements() > mostElements ||
        !isa<prim::PrimDialect>(op->getDialect()))
      return std::nullopt;
    eval::Evaluator evaluator(module);
    eval::Frame frame(evaluator);
    for (mlir::Value operand : op->getOperands()) {
      std::optional<eval::Value> number = evaluate(operand);
      if (!number || failed(frame.set(operand, *number)))
        return std::nullopt;
    }
    // What fails at run time fails there.
    OwnDiagnostics quiet(op->getContext(),
                         [](Diagnostic &) { return success(); });
    if (failed(mlir::verify(op)) || failed(frame.step(op)))
      return std::nullopt;
    for (mlir::Value result : op->getResults())
      if (frame.get(result).hasPoison())
        return std::nullopt;
    for (mlir::Value result : op->getResults())
      known[result] = frame.get(result);
    return frame.get(value);
  };
  std::optional<eval::Value> result = compute();
  known[value] = result;
  return result;
}

} // namespace kiln::onnx_to_prim
