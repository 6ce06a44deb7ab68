//===- Places.cpp - Where accesses begin, and what lies outside -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NestBuilder.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

AccessStart NestBuilder::startOf(ViewAccessOpInterface access,
                                 int64_t viewDim) {
  ViewAxis axis = access.getAxes()[viewDim];
  AccessStart start;
  start.key = dyn_cast<Value>(axis.offset);
  if (!start.key || axis.countsBlocks) {
    start.value = start.key = offsetOf(access, viewDim);
  } else {
    while (auto sum = start.key.getDefiningOp<arith::AddIOp>()) {
      std::optional<int64_t> more = getConstantIntValue(sum.getRhs());
      if (!more || !mapping.contains(sum.getLhs()))
        break;
      start.constant += *more;
      start.key = sum.getLhs();
    }
    Value &memo = outermost(Level::Key(start.key.getAsOpaquePointer(), {}));
    AtLevel at(*this, 0);
    if (!memo)
      memo = scalar64(start.key);
    start.value = memo;
  }
  if (auto known = getConstantIntValue(start.value)) {
    start.constant += *known;
    start.value = start.key = nullptr;
  }
  return start;
}

Value NestBuilder::isInside(ViewAccessOpInterface access, int64_t viewDim,
                            const Coord &coord) {
  ViewAxis axis = access.getAxes()[viewDim];
  int level = coord.index ? coord.level : 0;
  Value size = viewOf(access.getAccessedView()).sizes[viewDim];
  AccessStart start = startOf(access, viewDim);
  int64_t constant = start.constant + coord.constant * axis.step;
  Value &memo = levels[level].memo[Level::Key(
      size.getAsOpaquePointer(),
      {numberOf(start.key), numberOf(coord.index), axis.step, constant})];
  if (memo)
    return memo;
  AtLevel at(*this, level);
  Value place = c64(constant);
  if (start.value)
    place = add(start.value, place);
  if (coord.index)
    place = add(mul(coord.index, c64(axis.step)), place);
  memo = compare(arith::CmpIPredicate::ult, place, size);
  return memo;
}

Value NestBuilder::outsideOf(ViewAccessOpInterface access, Type element,
                             int64_t lanes) {
  Attribute value;
  if (Value given = access.getOutsideValue()) {
    if (!matchPattern(given, m_Constant(&value)))
      return {};
  } else if (access.getOutside() == Outside::NaN && isa<FloatType>(element)) {
    value = b.getFloatAttr(
        element,
        APFloat::getQNaN(cast<FloatType>(element).getFloatSemantics()));
  } else {
    value = b.getZeroAttr(element);
  }
  return tableOf(
      DenseElementsAttr::get(RankedTensorType::get({lanes}, element), value));
}
