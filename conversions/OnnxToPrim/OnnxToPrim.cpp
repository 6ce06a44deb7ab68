// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass `convert-onnx-to-prim`.
#include "kiln/Conversion/OnnxToPrim.h"
#include "../TensorToPrim/Functions.h"
#include "Arguments.h"
#include "Learning.h"
#include "Lists.h"
#include "Node.h"
#include "Windows.h"
#include "kiln/Eval/Register.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

namespace kiln {
#define GEN_PASS_DEF_ONNXTOPRIM
#include "kiln/Conversion/OnnxToPrim.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::onnx_to_prim;

namespace {

void addAllRules(NodeRules &rules) {
  addElementwiseRules(rules);
  addActivationRules(rules);
  addConvertRules(rules);
  addConstantRules(rules);
  addShapeRules(rules);
  addSliceRules(rules);
  addPadRules(rules);
  addReductionRules(rules);
  addProductRules(rules);
  addConvRules(rules);
  addPoolRules(rules);
  addNormRules(rules);
  addGatherRules(rules);
  addScatterRules(rules);
  addSelectRules(rules);
  addResizeRules(rules);
  addSampleRules(rules);
  addQuantRules(rules);
  addControlRules(rules);
  addLossRules(rules);
  addRecurrentRules(rules);
  addAttentionRules(rules);
  addSignalRules(rules);
  addRandomRules(rules);
  addStreamingRules(rules);
  addTextRules(rules);
  addRegionRules(rules);
  addLearningRules(rules);
  addTreeRules(rules);
  addTrainingRules(rules);
  addSequenceRules(rules);
  addContribRules(rules);
  addContribQuantRules(rules);
  addContribAttentionRules(rules);
}

/// Whether an operator of this name hands sequences on, or has graphs that do.
bool takesSequences(StringRef name) {
  static const llvm::StringSet<> names = {
      "Identity", "Optional", "OptionalGetElement", "OptionalHasElement",
      "If",       "Loop",     "ConcatFromSequence", "SplitToSequence"};
  return name.starts_with("Sequence") || names.contains(name);
}

/// A node, by the name of its operator.
LogicalResult translate(torch::OperatorOp op, Translator &e, Graph &graph) {
  graph.enter(op->getParentOfType<func::FuncOp>(), e);
  Node n(op, e, graph);
  if (!op.getName().starts_with("onnx."))
    return n.fail("is not an operator of ONNX");
  const NodeRules::Entry *entry = graph.rules.find(n.name());
  if (!entry)
    return n.fail("has no translation to prim");
  for (unsigned i = 0; i < entry->inputs; ++i)
    if (!n.has(i))
      return n.fail("has no input " + Twine(i));
  for (unsigned i = 0; i < n.numInputs(); ++i)
    if (isSequence(n.in(i)) && !takesSequences(n.name()))
      return n.fail("takes no sequence, found one as input " + Twine(i));
  if (op.getNumResults() == 0)
    return n.fail("has no result");
  completeLists(n);
  LogicalResult result = entry->rule(n);
  if (failed(result) && !e.reported)
    return n.fail("has no translation to prim");
  if (succeeded(result))
    completeElementTypes(n);
  return result;
}

/// The type of a tensor among the arguments.
Type argumentType(Type type) {
  if (auto optional = dyn_cast<torch::OptionalType>(type))
    type = optional.getContained();
  auto tensor = dyn_cast<torch::VTensorType>(type);
  if (!tensor || !tensor.getRanked() || !tensor.getElement() ||
      !tensor_to_prim::primElement(tensor.getElement()))
    return type;
  return RankedTensorType::get(tensor.getShape(), tensor.getElement());
}

/// Arguments are tensors of builtin types to whoever calls.
void retype(func::FuncOp fn) {
  SmallVector<Type> types;
  for (Type type : fn.getArgumentTypes())
    types.push_back(argumentType(type));
  fn.setFunctionType(FunctionType::get(fn.getContext(), types,
                                       fn.getFunctionType().getResults()));
  if (fn.isExternal())
    return;
  for (auto [argument, type] : llvm::zip_equal(fn.getArguments(), types))
    argument.setType(type);
  for (Block &block : fn.getBody())
    inferBackwards(block);
}

/// Converts the functions of a module.
struct OnnxToPrimPass : kiln::impl::OnnxToPrimBase<OnnxToPrimPass> {
  using OnnxToPrimBase::OnnxToPrimBase;

  /// What is known is computed by evaluation of prim.
  void getDependentDialects(DialectRegistry &registry) const override {
    OnnxToPrimBase::getDependentDialects(registry);
    eval::registerPrimEvaluation(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Graph graph(module);
    addAllRules(graph.rules);
    tensor_to_prim::Rules rules;
    tensor_to_prim::addSharedRules(rules);
    rules.add("torch.operator", [&](Operation *op, Translator &e) {
      return translate(cast<torch::OperatorOp>(op), e, graph);
    });
    rules.add("torch.constant.none", [](Operation *op, Translator &e) {
      e.alias(op->getResult(0), Value());
      return success();
    });
    rules.add("torch.vtensor.literal", [](Operation *op, Translator &e) {
      auto literal = cast<torch::LiteralOp>(op);
      auto value = tensor_to_prim::constantValue(op, literal.getValue(), e);
      if (failed(value))
        return failure();
      e.alias(literal, *value);
      return success();
    });
    if (failed(specialize(module, lengths, fixed)))
      return signalPassFailure();
    for (auto fn : module.getOps<func::FuncOp>())
      retype(fn);
    if (failed(
            tensor_to_prim::convertFunctions(module, rules, entries, elided)))
      signalPassFailure();
  }
};

} // namespace
