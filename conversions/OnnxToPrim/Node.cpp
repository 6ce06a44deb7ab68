// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, attributes and results of nodes.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

using tensor_to_prim::text;

int64_t Node::opset() {
  auto fn = op->getParentOfType<func::FuncOp>();
  auto version =
      fn ? fn->getAttrOfType<IntegerAttr>("torch.onnx_meta.opset_version")
         : IntegerAttr();
  return version ? version.getValue().getSExtValue() : 22;
}

LogicalResult Node::fail(const Twine &reason) {
  broken = true;
  e.reported = true;
  return op->emitError("unsupported: ") << op.getName() << ' ' << reason;
}

Value Node::refuse(const Twine &reason) {
  if (!broken)
    (void)fail(reason);
  return {};
}

Value Node::in(unsigned i) {
  if (Value better = replaced.lookup(i))
    return better;
  return i < numInputs() ? e.get(op.getOperands()[i]) : Value();
}

Type Node::elementOf(Value source) {
  Type type = source.getType();
  if (auto tensor = dyn_cast<torch::VTensorType>(type))
    if (tensor.getElement())
      return tensor.getElement();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getElementType();
  Value value = e.isKnown(source) ? e.get(source) : Value();
  return value && !isSequence(value) ? e.elementOf(value)
                                     : Type(e.b.getNoneType());
}

std::optional<Ints> Node::intsOf(Value x) {
  auto value = graph.evaluate(x);
  if (!value || !isa<IntegerType>(e.elementOf(x)))
    return std::nullopt;
  Ints result;
  for (int64_t i = 0; i < value->size(); ++i)
    result.push_back(value->element(i).asInt());
  return result;
}

std::optional<SmallVector<double>> Node::numbersOf(Value x) {
  auto value = graph.evaluate(x);
  if (!value)
    return std::nullopt;
  SmallVector<double> result;
  for (int64_t k = 0; k < value->size(); ++k)
    result.push_back(value->element(k).asDouble());
  return result;
}

/// Whether a size is never negative: of a tensor, or made of such.
static bool isCount(OpFoldResult size) {
  if (auto number = getConstantIntValue(size))
    return *number >= 0;
  Operation *op = cast<Value>(size).getDefiningOp();
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), isCount);
  return isa_and_nonnull<tensor::DimOp>(op) ||
         (isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::MinSIOp>(op) &&
          llvm::all_of(op->getOperands(), isCount));
}

/// Whether two sizes are equal, if that is known.
static std::optional<bool> areEqual(OpFoldResult a, OpFoldResult c) {
  auto left = getConstantIntValue(a), right = getConstantIntValue(c);
  if (left && right)
    return *left == *right;
  if (a == c)
    return true;
  if ((left && *left < 0 && isCount(c)) || (right && *right < 0 && isCount(a)))
    return false;
  return std::nullopt;
}

/// The sizes that a comparison with a mark for "as it is" selects, such as the
/// -1 in shapes of Expand that exporters replace by 1.
std::optional<Sizes> Node::readSelected(Operation *where) {
  Value condition = where->getOperand(0);
  auto known = intsOf(condition);
  auto equal = condition.getDefiningOp<prim::EqOp>();
  auto a = readSizes(where->getOperand(1)), c = readSizes(where->getOperand(2));
  if (!a || !c || (!known && !equal))
    return std::nullopt;
  std::optional<Sizes> left, right;
  if (!known) {
    left = readSizes(equal->getOperand(0));
    right = readSizes(equal->getOperand(1));
    if (!left || !right)
      return std::nullopt;
  }
  Sizes result;
  for (size_t i = 0; i < a->size(); ++i) {
    std::optional<bool> first =
        known ? (*known)[i] != 0 : areEqual((*left)[i], (*right)[i]);
    if (!first)
      return std::nullopt;
    result.push_back(*first ? (*a)[i] : (*c)[i]);
  }
  return result;
}

/// What elements are in terms of sizes: read through the operations that move
/// them and through arithmetic.
std::optional<Sizes> Node::readSizes(Value x) {
  if (!x || !isa<IntegerType>(e.elementOf(x)) ||
      !e.typeOf(x).hasStaticShape() || e.typeOf(x).getRank() > 1)
    return std::nullopt;
  if (auto known = intsOf(x))
    return Sizes(getAsIndexOpFoldResult(e.b.getContext(), *known));
  Operation *op = x.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto size = dyn_cast<prim::FromIndexOp>(op))
    return Sizes{size.getValue()};
  if (isa<prim::ReshapeOp>(op) ||
      (isa<prim::ConvertElementTypeOp>(op) &&
       isa<IntegerType>(e.elementOf(op->getOperand(0)))))
    return readSizes(op->getOperand(0));
  auto operand = [&](unsigned i) { return readSizes(op->getOperand(i)); };
  if (isa<prim::CatOp>(op)) {
    Sizes all;
    for (Value part : op->getOperands()) {
      auto some = readSizes(part);
      if (!some)
        return std::nullopt;
      llvm::append_range(all, *some);
    }
    return all;
  }
  if (auto slice = dyn_cast<prim::SliceOp>(op)) {
    auto all = operand(0);
    Sizes part;
    if (!all || slice.getStarts().empty())
      return all;
    int64_t limit = slice.getLimits()[0];
    for (int64_t i = slice.getStarts()[0];
         i < (limit < 0 ? int64_t(all->size()) : limit);
         i += slice.getStrides()[0])
      part.push_back((*all)[i]);
    return part;
  }
  if (auto gather = dyn_cast<prim::GatherOp>(op)) {
    auto all = operand(0);
    auto at = intsOf(gather.getIndices());
    Sizes part;
    if (!all || !at || gather.getBatchDims())
      return std::nullopt;
    for (int64_t i : *at) {
      if (i < 0 || i >= int64_t(all->size()))
        return std::nullopt;
      part.push_back((*all)[i]);
    }
    return part;
  }
  if (auto spread = dyn_cast<prim::BroadcastInDimOp>(op)) {
    auto one = operand(0);
    if (!one || one->size() != 1)
      return std::nullopt;
    return Sizes(e.typeOf(x).getNumElements(), one->front());
  }
  if (isa<prim::WhereOp>(op))
    return readSelected(op);
  if (!isa<prim::AddOp, prim::SubOp, prim::MulOp>(op))
    return std::nullopt;
  auto a = operand(0), c = operand(1);
  if (!a || !c)
    return std::nullopt;
  Sizes result;
  auto &math = e.sizeMath();
  for (auto [l, r] : llvm::zip_equal(*a, *c))
    result.push_back(isa<prim::AddOp>(op)   ? math.add(l, r)
                     : isa<prim::SubOp>(op) ? math.sub(l, r)
                                            : math.mul(l, r));
  return result;
}

int64_t Node::getInt(StringRef name, int64_t otherwise) {
  auto value = dyn_cast_or_null<IntegerAttr>(attr(name));
  return value ? value.getValue().getSExtValue() : otherwise;
}

double Node::getFloat(StringRef name, double otherwise) {
  auto value = dyn_cast_or_null<FloatAttr>(attr(name));
  return value ? value.getValueAsDouble() : otherwise;
}

StringRef Node::getString(StringRef name, StringRef otherwise) {
  auto value = dyn_cast_or_null<StringAttr>(attr(name));
  return value ? value.getValue() : otherwise;
}

std::optional<Ints> Node::getInts(StringRef name) {
  auto list = dyn_cast_or_null<ArrayAttr>(attr(name));
  if (!list)
    return std::nullopt;
  Ints result;
  for (Attribute entry : list)
    if (auto number = dyn_cast<IntegerAttr>(entry))
      result.push_back(number.getValue().getSExtValue());
  return result;
}

Region *Node::graphAttr(StringRef name) {
  auto number = dyn_cast_or_null<IntegerAttr>(attr(name));
  if (!number || number.getInt() < 0 ||
      number.getInt() >= static_cast<int64_t>(op->getNumRegions()))
    return nullptr;
  return &op->getRegion(number.getInt());
}

std::optional<SmallVector<double>> Node::getFloats(StringRef name) {
  auto list = dyn_cast_or_null<ArrayAttr>(attr(name));
  if (!list)
    return std::nullopt;
  SmallVector<double> result;
  for (Attribute entry : list)
    if (auto number = dyn_cast<FloatAttr>(entry))
      result.push_back(number.getValueAsDouble());
  return result;
}

Ints Node::getInts(StringRef name, size_t count, int64_t otherwise) {
  auto list = getInts(name);
  if (list && list->size() != count)
    refuse("has " + Twine(list->size()) + " " + name + ", expected " +
           Twine(count));
  return list && !broken ? *list : Ints(count, otherwise);
}

int64_t Node::axis(int64_t given, int64_t rank) {
  int64_t result = given < 0 ? given + rank : given;
  if (result >= 0 && result < rank)
    return result;
  refuse("has axis " + Twine(given) + " of a tensor of rank " + Twine(rank));
  return 0;
}

Ints Node::axes(ArrayRef<int64_t> given, int64_t rank) {
  Ints result;
  for (int64_t each : given) {
    result.push_back(axis(each, rank));
    if (!broken && llvm::count(result, result.back()) > 1)
      refuse("names axis " + Twine(each) + " twice");
  }
  return result;
}

Type Node::dataType(int64_t number) {
  Builder &b = e.b;
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(b.getContext(), width, IntegerType::Unsigned);
  };
  auto signedType = [&](unsigned width) {
    return IntegerType::get(b.getContext(), width, IntegerType::Signed);
  };
  switch (number) { // TensorProto.DataType
  case 1:
    return b.getF32Type();
  case 2:
    return unsignedType(8);
  case 3:
    return signedType(8);
  case 4:
    return unsignedType(16);
  case 5:
    return signedType(16);
  case 6:
    return signedType(32);
  case 7:
    return signedType(64);
  case 9:
    return b.getI1Type();
  case 10:
    return b.getF16Type();
  case 11:
    return b.getF64Type();
  case 12:
    return unsignedType(32);
  case 13:
    return unsignedType(64);
  case 16:
    return b.getBF16Type();
  case 17:
    return b.getType<Float8E4M3FNType>();
  case 18:
    return b.getType<Float8E4M3FNUZType>();
  case 19:
    return b.getType<Float8E5M2Type>();
  case 20:
    return b.getType<Float8E5M2FNUZType>();
  case 21:
    return unsignedType(4);
  case 22:
    return signedType(4);
  case 23:
    return b.getType<Float4E2M1FNType>();
  case 24:
    return b.getType<Float8E8M0FNUType>();
  case 25:
    return unsignedType(2);
  case 26:
    return signedType(2);
  default:
    refuse("makes elements of data type " + Twine(number));
    return {};
  }
}

/// The shape that the type of a result says, whose sizes may be open.
static std::optional<ArrayRef<int64_t>> shapeOfResult(Node &n, unsigned i) {
  if (i < n.numResults())
    if (auto type = dyn_cast<torch::VTensorType>(n.op.getResult(i).getType());
        type && type.getRanked())
      return type.getShape();
  return std::nullopt;
}

std::optional<int64_t> Node::declaredRank(unsigned i) {
  auto shape = shapeOfResult(*this, i);
  return shape ? std::optional<int64_t>(shape->size()) : std::nullopt;
}

std::optional<Ints> Node::declared(unsigned i) {
  auto shape = shapeOfResult(*this, i);
  if (!shape || ShapedType::isDynamicShape(*shape))
    return std::nullopt;
  return Ints(*shape);
}

LogicalResult Node::set(unsigned i, Value value) {
  if (broken || !value)
    return failure();
  if (i >= numResults())
    return success();
  Value result = op.getResult(i);
  if (isSequence(value)) {
    e.alias(result, value);
    return success();
  }
  RankedTensorType found = e.typeOf(value);
  if (auto want = dyn_cast<torch::VTensorType>(result.getType())) {
    if (Type element = want.getElement();
        element &&
        tensor_to_prim::primElement(element) != found.getElementType())
      return fail("gives " + Twine(text(found)) + " where its result is " +
                  text(want));
    // A shape that is not known reads as that of a scalar.
    if (want.getRanked() && (!want.getShape().empty() || !found.getRank())) {
      // Exporters state wrong shapes of results, which are ignored where they
      // contradict what is known.
      if (succeeded(verifyCompatibleShape(want.getShape(), found.getShape())))
        value = e.refine(value, want.getShape());
      else if (llvm::any_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>))
        op->emitWarning() << op.getName() << " gives " << text(found)
                          << " where its result is " << text(want);
    }
  }
  e.alias(result, value);
  return success();
}

FailureOr<SmallVector<Value>> Node::run(Region &region,
                                        ArrayRef<Value> inputs) {
  if (!llvm::hasSingleElement(region) ||
      region.getNumArguments() != inputs.size() || region.front().empty() ||
      !isa<torch::OperatorTerminatorOp>(region.front().back()))
    return fail("has a graph of " + Twine(region.getNumArguments()) +
                " inputs, expected " + Twine(inputs.size()));
  for (auto [argument, value] : llvm::zip_equal(region.getArguments(), inputs))
    e.alias(argument, value);
  if (failed(e.emitBlock(region.front())))
    return failure();
  e.b.setLoc(op.getLoc());
  SmallVector<Value> results;
  for (Value result : region.front().back().getOperands()) {
    Value value = e.isKnown(result) ? e.get(result) : Value();
    if (!value)
      return e.reported ? failure() : fail("has a graph that gives no tensor");
    results.push_back(value);
  }
  return results;
}

} // namespace kiln::onnx_to_prim
