// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the types of later results say about those of earlier ones.
#include "Node.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

/// Operators whose result has the shape of their first input.
static bool keepsShape(StringRef name) {
  static const llvm::StringSet<> names = {
      "Abs",  "Acos",     "Acosh", "Asin",  "Asinh",      "Atan",     "Atanh",
      "Cast", "CastLike", "Ceil",  "Clip",  "Cos",        "Cosh",     "Erf",
      "Exp",  "Floor",    "Gelu",  "IsNaN", "Identity",   "IsInf",    "Log",
      "Neg",  "Not",      "Relu",  "Round", "Reciprocal", "Sigmoid",  "Sign",
      "Sin",  "Sinh",     "Sqrt",  "Tan",   "Tanh",       "Softplus", "Elu"};
  return names.contains(name);
}

/// Operators whose result has the shape that the inputs have together.
static bool joinsShapes(StringRef name) {
  static const llvm::StringSet<> names = {
      "Add", "And",  "Div", "Equal", "Greater", "Less",
      "Max", "Mean", "Min", "Mod",   "Mul",     "Or",
      "Pow", "Sub",  "Sum", "Where", "Xor",     "PRelu"};
  return names.contains(name);
}

/// The shape that the type of a value says, if any.
static std::optional<Ints> shapeOf(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return Ints(type.getShape());
  auto type = dyn_cast<torch::VTensorType>(value.getType());
  if (!type || !type.getRanked())
    return std::nullopt;
  return Ints(type.getShape());
}

/// Whether a value is certainly a scalar: `[]` may also stand for a shape that
/// is not known.
static bool isScalar(Value value, int depth = 16) {
  auto shape = shapeOf(value);
  if (!shape || !shape->empty() || depth == 0)
    return false;
  auto op = value.getDefiningOp<torch::OperatorOp>();
  if (!op)
    return true; // an argument, or a literal
  if (!op.getName().starts_with("onnx."))
    return false;
  StringRef name = op.getName().drop_front(5);
  if (name == "Constant" || name == "Size")
    return true;
  return (keepsShape(name) || joinsShapes(name)) &&
         llvm::all_of(op.getOperands(), [&](Value operand) {
           return isa<torch::NoneType>(operand.getType()) ||
                  isScalar(operand, depth - 1);
         });
}

/// Gives a result of an operator a shape. Arguments are what callers say.
static void setShape(Value value, ArrayRef<int64_t> shape) {
  auto type = dyn_cast<torch::VTensorType>(value.getType());
  if (type && value.getDefiningOp<torch::OperatorOp>())
    value.setType(torch::VTensorType::get(value.getContext(), shape,
                                          /*ranked=*/true, type.getElement()));
}

/// An operand whose shape the result keeps.
static void fromKept(Value operand, ArrayRef<int64_t> shape) {
  auto own = shapeOf(operand);
  if (!own || own->empty() ||
      (own->size() == shape.size() && ShapedType::isDynamicShape(*own)))
    setShape(operand, shape);
}

/// Sizes of one operand that no other can give are those of the result.
static void fromJoined(torch::OperatorOp op, ArrayRef<int64_t> shape) {
  for (Value operand : op.getOperands()) {
    auto own = shapeOf(operand);
    if (!own || own->size() != shape.size())
      continue;
    for (auto [d, size] : llvm::enumerate(*own)) {
      if (!ShapedType::isDynamic(size))
        continue;
      int64_t fromEnd = shape.size() - d;
      bool alone = llvm::all_of(op.getOperands(), [&](Value other) {
        auto their = shapeOf(other);
        if (other == operand || isa<torch::NoneType>(other.getType()))
          return true;
        if (!their || their->empty())
          return isScalar(other);
        int64_t at = int64_t(their->size()) - fromEnd;
        return at < 0 || (*their)[at] == 1;
      });
      if (alone)
        size = shape[d];
    }
    setShape(operand, *own);
  }
}

void inferBackwards(Block &block) {
  for (Operation &each : llvm::reverse(block)) {
    auto op = dyn_cast<torch::OperatorOp>(each);
    if (!op || op.getNumResults() != 1 || op.getOperands().empty() ||
        !op.getName().starts_with("onnx."))
      continue;
    auto shape = shapeOf(op.getResult(0));
    if (!shape || shape->empty() || ShapedType::isDynamicShape(*shape))
      continue;
    StringRef name = op.getName().drop_front(5);
    if (keepsShape(name))
      fromKept(op.getOperands()[0], *shape);
    else if (joinsShapes(name))
      fromJoined(op, *shape);
  }
}

} // namespace kiln::onnx_to_prim
