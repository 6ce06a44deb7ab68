// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types that a model does not say: prim's integers have no sign, those
// of ONNX have one.
#include "Node.h"

#include "kiln/Dialect/Kiln/Attributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

namespace {

/// What says the element type of a result.
enum class Source {
  Operand,   ///< the first operand of the same width
  To,        ///< the attribute `to`
  DType,     ///< the attribute `dtype`, else the first operand
  Like,      ///< the operand with this number
  Value,     ///< the attribute `value`
  Graph,     ///< what a graph of the node gives
  Quantized, ///< the zero point, else `output_dtype`, else ui8
  Signed32,
  Signed64,
  Unsigned8
};

struct Rule {
  Source source = Source::Operand;
  int number = 0; ///< of the operand, or of the graph's first result
};

Rule ruleOf(StringRef name, unsigned result) {
  name = name.substr(name.rfind('.') + 1); // without its domain
  Rule rule;
  auto first = result == 0 ? Source::Operand : Source::Signed64;
  rule.source =
      llvm::StringSwitch<Source>(name)
          .Cases({"Cast", "BitCast"}, Source::To)
          .Cases({"EyeLike", "Bernoulli", "RandomUniform", "RandomNormal",
                  "RandomUniformLike", "RandomNormalLike", "HannWindow",
                  "BlackmanWindow", "HammingWindow"},
                 Source::DType)
          .Cases(
              {"CastLike", "Where", "OneHot", "QLinearMatMul", "QLinearConv"},
              Source::Like)
          .Cases({"Constant", "ConstantOfShape"}, Source::Value)
          .Cases({"If", "Loop", "Scan"}, Source::Graph)
          .Cases({"QuantizeLinear", "com.microsoft.QuantizeLinear"},
                 Source::Quantized)
          .Case("DynamicQuantizeLinear", Source::Unsigned8)
          .Cases({"ConvInteger", "MatMulInteger"}, Source::Signed32)
          .Cases({"Shape", "Size", "NonZero", "ArgMax", "ArgMin",
                  "NonMaxSuppression"},
                 Source::Signed64)
          .Cases({"TopK", "Unique", "MaxPool"}, first)
          .Default(Source::Operand);
  rule.number = llvm::StringSwitch<int>(name)
                    .Cases({"CastLike", "Where", "Loop"}, 1)
                    .Case("OneHot", 2)
                    .Cases({"QLinearMatMul", "QLinearConv"}, 7)
                    .Default(0);
  return rule;
}

/// The element type of what a graph gives for a result.
Type fromGraph(Node &n, unsigned result, int first) {
  for (Region &region : n.op.getRegions()) {
    if (region.empty() || region.front().empty())
      continue;
    Operation &last = region.front().back();
    if (result + first < last.getNumOperands())
      return n.elementOf(last.getOperand(result + first));
  }
  return {};
}

Type fromRule(Node &n, unsigned result) {
  auto integer = [&](unsigned width, IntegerType::SignednessSemantics sign) {
    return IntegerType::get(n.e.b.getContext(), width, sign);
  };
  Rule rule = ruleOf(n.name(), result);
  switch (rule.source) {
  case Source::Operand:
    return {};
  case Source::To:
    return n.dataType(n.getInt("to", 0));
  case Source::DType:
    return n.hasAttr("dtype") ? n.dataType(n.getInt("dtype", 1)) : Type();
  case Source::Like:
    return n.has(rule.number) ? n.elementIn(rule.number) : Type();
  case Source::Value: {
    auto value = dyn_cast_or_null<ElementsAttr>(n.attr("value"));
    return value ? value.getElementType() : Type();
  }
  case Source::Graph:
    return fromGraph(n, result, rule.number);
  case Source::Quantized:
    if (n.has(2))
      return n.elementIn(2);
    if (int64_t type = n.getInt("output_dtype", 0))
      return n.dataType(type);
    return integer(8, IntegerType::Unsigned);
  case Source::Signed32:
    return integer(32, IntegerType::Signed);
  case Source::Signed64:
    return integer(64, IntegerType::Signed);
  case Source::Unsigned8:
    return integer(8, IntegerType::Unsigned);
  }
  return {};
}

/// The element type of a result that is `found` in prim.
Type elementFor(Node &n, unsigned result, Type found) {
  auto integer = dyn_cast<IntegerType>(found);
  if (!integer || integer.getWidth() == 1)
    return found;
  if (Type said = fromRule(n, result);
      said && tensor_to_prim::primElement(said) == found)
    return said;
  for (unsigned i = 0; i < n.numInputs(); ++i)
    if (Type own = n.has(i) ? n.elementIn(i) : Type();
        own && tensor_to_prim::primElement(own) == found)
      return own;
  return IntegerType::get(found.getContext(), integer.getWidth(),
                          IntegerType::Signed);
}

/// States the element type of a value whose type leaves it out. Callers of the
/// function learn that elements are unsigned from its result's entry.
void setElement(Value value, torch::VTensorType type, Type element) {
  value.setType(torch::VTensorType::get(type.getContext(), type.getShape(),
                                        type.getRanked(), element));
  if (!element.isUnsignedInteger())
    return;
  for (OpOperand &use : value.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      target::setResultEntry(use.getOwner()->getParentOfType<func::FuncOp>(),
                             use.getOperandNumber(), target::kUnsignedEntry,
                             UnitAttr::get(value.getContext()));
}

} // namespace

void completeElementTypes(Node &n) {
  for (auto [i, result] : llvm::enumerate(n.op.getResults())) {
    auto type = dyn_cast<torch::VTensorType>(result.getType());
    if (!type || type.getElement() || !n.e.isKnown(result))
      continue;
    if (Value value = n.e.get(result); value && !isSequence(value))
      setElement(result, type, elementFor(n, i, n.e.elementOf(value)));
  }
}

void completeArguments(Node &n, Region &graph, OperandRange operands,
                       unsigned first) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (first + i >= graph.getNumArguments())
      return;
    Value argument = graph.getArgument(first + i);
    auto type = dyn_cast<torch::VTensorType>(argument.getType());
    if (type && !type.getElement())
      argument.setType(
          torch::VTensorType::get(type.getContext(), type.getShape(),
                                  type.getRanked(), n.elementOf(operand)));
  }
}

} // namespace kiln::onnx_to_prim
