//===- ExternOps.cpp - Calls, conversions, output -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Effects.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ExternOps.cpp.inc"

void TileDialect::registerExternOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ExternOps.cpp.inc"
      >();
}

void CallExternOp::getEffects(Effects &effects) {
  addCallEffects(getPure(), effects);
}

const CFunction *kiln::tile::findCFunction(StringRef name) {
  static constexpr CFunction functions[] = {
      {"hypot", "rr", 'r'},  {"remainder", "rr", 'r'}, {"nextafter", "rr", 'r'},
      {"lgamma", "r", 'r'},  {"tgamma", "r", 'r'},     {"logb", "r", 'r'},
      {"j0", "r", 'r'},      {"j1", "r", 'r'},         {"y0", "r", 'r'},
      {"y1", "r", 'r'},      {"jn", "ir", 'r'},        {"yn", "ir", 'r'},
      {"scalbn", "ri", 'r'}, {"ilogb", "r", 'i'},
  };
  const CFunction *found =
      llvm::find_if(functions, [&](const CFunction &function) {
        return function.name == name;
      });
  return found == std::end(functions) ? nullptr : found;
}

const CFunction *CallExternOp::getCFunction() {
  return getLibrary().empty() ? findCFunction(getSymbol()) : nullptr;
}

LogicalResult CallExternOp::verify() {
  const CFunction *function = getCFunction();
  if (!function)
    return success();
  Type real;
  auto matches = [&](char letter, Type type) {
    Type element = getElementTypeOrSelf(type);
    if (isa<ShapedType>(type) != isa<ShapedType>(getOperand(0).getType()))
      return false;
    if (letter == 'i')
      return element.isInteger(32);
    if (!real && (element.isF32() || element.isF64()))
      real = element;
    return element == real;
  };
  bool good = getPure() && getNumOperands() == function->operands.size() &&
              getNumResults() == 1;
  for (size_t i = 0; good && i < function->operands.size(); ++i)
    good = matches(function->operands[i], getOperand(i).getType());
  if (good && matches(function->result, getResult(0).getType()))
    return success();
  auto diag = emitOpError("expected a pure function '")
              << function->name << "' (";
  auto spell = [](char letter) { return letter == 'i' ? "i32" : "f32 or f64"; };
  llvm::interleaveComma(function->operands, diag,
                        [&](char letter) { diag << spell(letter); });
  return diag << ") -> " << spell(function->result) << ", found "
              << (getPure() ? "" : "one that is not pure, ")
              << FunctionType::get(getContext(), getOperandTypes(),
                                   getResultTypes());
}

void InlineAsmOp::getEffects(Effects &effects) {
  addCallEffects(getPure(), effects);
}

double CallExternOp::getElementOperations() { return 30; }

LogicalResult InlineAsmOp::verify() {
  // (C1) The pack is a power of two; more would not fit into registers.
  constexpr int64_t kLargestPack = 32;
  if (getPack() < 1 || getPack() > kLargestPack ||
      !llvm::isPowerOf2_64(getPack()))
    return emitOpError() << "expected a pack of 1, 2, 4 and so on up to "
                         << kLargestPack << ", found " << getPack();
  SmallVector<Type> types(getOperandTypes());
  llvm::append_range(types, getResultTypes());
  // (C2) All are scalars, or tiles of one shape.
  for (Type type : types) {
    auto first = dyn_cast<RankedTensorType>(types.front());
    auto tile = dyn_cast<RankedTensorType>(type);
    if (bool(first) != bool(tile) ||
        (tile &&
         (!tile.hasStaticShape() || tile.getShape() != first.getShape())))
      return emitOpError()
             << "expected operands and results of one shape, found "
             << types.front() << " and " << type;
  }
  return success();
}

kiln::index::Facts
AssumeOp::getResultFacts(unsigned, function_ref<kiln::index::Facts(Value)>) {
  return {};
}

void AssumeOp::getAssumedConditions(SmallVectorImpl<Value> &conditions) {
  if (getCondition().getType().isInteger(1))
    conditions.push_back(getCondition());
}

/// What is known to hold need not be said.
LogicalResult AssumeOp::canonicalize(AssumeOp op, PatternRewriter &rewriter) {
  bool holds = matchPattern(op.getCondition(), m_One());
  if (!holds)
    return failure();
  rewriter.eraseOp(op);
  return success();
}
