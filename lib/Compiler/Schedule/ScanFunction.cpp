//===- ScanFunction.cpp - Functions that scans combine by -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScanFunction.h"
#include "kiln/Schedule/GroupPlan.h"
#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

DictionaryAttr kiln::schedule::encodeFunction(const ScanRecursion &scan) {
  Builder b(scan.elements.front().getContext());
  auto count = static_cast<int64_t>(scan.functions.size());
  SmallVector<int64_t> numbers;
  SmallVector<Attribute> steps;
  for (const ScanRecursion::Node &node : scan.nodes) {
    if (node.component >= 0) {
      numbers.push_back(node.component + (node.isRight ? count : 0));
      continue;
    }
    numbers.push_back(2 * count + static_cast<int64_t>(steps.size()));
    if (node.value) {
      steps.push_back(b.getDictionaryAttr(b.getNamedAttr("value", node.value)));
      continue;
    }
    SmallVector<int64_t> operands;
    for (int operand : node.operands)
      operands.push_back(numbers[operand]);
    steps.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("op",
                        b.getStringAttr(node.op->getName().getStringRef())),
         b.getNamedAttr("operands", b.getDenseI64ArrayAttr(operands)),
         b.getNamedAttr("type", TypeAttr::get(getElementTypeOrSelf(
                                    node.op->getResult(0)))),
         b.getNamedAttr("attributes", node.op->getAttrDictionary())}));
  }
  SmallVector<int64_t> yields;
  for (int node : scan.functions)
    yields.push_back(numbers[node]);
  return b.getDictionaryAttr(
      {b.getNamedAttr("steps", b.getArrayAttr(steps)),
       b.getNamedAttr("yields", b.getDenseI64ArrayAttr(yields))});
}

ScanFunction::ScanFunction(DictionaryAttr code, ArrayRef<Type> types)
    : elements(types) {
  auto steps = code.getAs<ArrayAttr>("steps");
  auto results = code.getAs<DenseI64ArrayAttr>("yields");
  isValid = false;
  if (!steps || !results || results.size() != int64_t(elements.size()))
    return;
  Location loc = UnknownLoc::get(code.getContext());
  SmallVector<Value> values;
  for (unsigned side = 0; side < 2; ++side)
    for (Type type : elements)
      values.push_back(body.addArgument(RankedTensorType::get({}, type), loc));
  for (Attribute step : steps) {
    auto entries = dyn_cast<DictionaryAttr>(step);
    Value value = entries ? addStep(entries, values) : Value();
    if (!value)
      return;
    values.push_back(value);
  }
  for (auto [number, type] : llvm::zip(results.asArrayRef(), elements)) {
    if (number < 0 || number >= int64_t(values.size()) ||
        getElementTypeOrSelf(values[number]) != type)
      return;
    yields.push_back(values[number]);
  }
  isValid = true;
}

/// Appends a step to the body; null if it is no constant or elementwise
/// operation of `values`.
Value ScanFunction::addStep(DictionaryAttr step, ArrayRef<Value> values) {
  MLIRContext *context = step.getContext();
  Location loc = UnknownLoc::get(context);
  OpBuilder b(context);
  b.setInsertionPointToEnd(&body);
  if (auto value = step.getAs<TypedAttr>("value")) {
    if (!value.getType().isIntOrFloat())
      return {};
    auto type = RankedTensorType::get({}, value.getType());
    return prim::ConstantOp::create(b, loc, type,
                                    ElementsAttr(DenseElementsAttr::get(
                                        type, static_cast<Attribute>(value))));
  }
  auto name = step.getAs<StringAttr>("op");
  auto operands = step.getAs<DenseI64ArrayAttr>("operands");
  auto type = step.getAs<TypeAttr>("type");
  auto attributes = step.getAs<DictionaryAttr>("attributes");
  if (!name || !operands || !type || !attributes ||
      !type.getValue().isIntOrFloat() ||
      !RegisteredOperationName::lookup(name.getValue(), context))
    return {};
  OperationState state(loc, name.getValue());
  for (int64_t number : operands.asArrayRef()) {
    if (number < 0 || number >= int64_t(values.size()))
      return {};
    state.operands.push_back(values[number]);
  }
  state.addTypes(RankedTensorType::get({}, type.getValue()));
  state.addAttributes(attributes.getValue());
  Operation *op = b.create(state);
  // The claim is reported, not what its attributes stand for.
  ScopedDiagnosticHandler silence(
      context, [thread = llvm::get_threadid()](Diagnostic &) {
        // Other threads of the context report their own errors.
        return success(llvm::get_threadid() == thread);
      });
  bool isStep = isElementwisePrim(op) && op->getNumResults() == 1 &&
                op->getNumRegions() == 0 && succeeded(verify(op));
  return isStep ? op->getResult(0) : Value();
}

/// Bits are bytes between combinations.
Type ScanFunction::carriedType(unsigned component) const {
  Type element = elements[component];
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

Value ScanFunction::widen(OpBuilder &b, Location loc, Value value,
                          Type to) const {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == to)
    return value;
  Type type = to;
  if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
    type = tile.clone(to);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}

SmallVector<Value> ScanFunction::combine(OpBuilder &b, Location loc,
                                         ValueRange x, ValueRange y) {
  IRMapping mapping;
  SmallVector<Value> both(x.begin(), x.end());
  llvm::append_range(both, y);
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    mapping.map(argument, widen(b, loc, both[number],
                                elements[number % elements.size()]));
  for (Operation &inner : body) {
    Value result;
    if (TypedAttr value = splatValue(&inner)) {
      Value like = mapping.lookup(body.getArgument(0));
      if (auto tile = dyn_cast<RankedTensorType>(like.getType()))
        value = DenseElementsAttr::get(tile.clone(value.getType()),
                                       static_cast<Attribute>(value));
      result = arith::ConstantOp::create(b, loc, value);
    } else {
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(mapping.lookup(operand));
      result = emitElementwiseTile(&inner, operands, b);
    }
    if (!result) {
      missing = inner.getName().getStringRef().str();
      return {};
    }
    mapping.map(inner.getResult(0), result);
  }
  SmallVector<Value> results;
  for (auto [number, value] : llvm::enumerate(yields))
    results.push_back(
        widen(b, loc, mapping.lookup(value), carriedType(number)));
  return results;
}
