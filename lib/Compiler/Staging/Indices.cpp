//===- Indices.cpp - Arithmetic on indices of products -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

Value Indices::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value Indices::add(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx + *cy);
  if (cx == 0)
    return y;
  return cy == 0 ? x : arith::AddIOp::create(b, loc, x, y).getResult();
}

Value Indices::sub(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx - *cy);
  return cy == 0 ? x : arith::SubIOp::create(b, loc, x, y).getResult();
}

Value Indices::mul(Value x, int64_t y) {
  if (auto cx = getConstantIntValue(x))
    return constant(*cx * y);
  return y == 1 ? x : arith::MulIOp::create(b, loc, x, constant(y)).getResult();
}

Value Indices::floorDiv(Value x, int64_t y) {
  if (auto cx = getConstantIntValue(x))
    return constant(*cx / y);
  return y == 1 ? x
                : arith::DivUIOp::create(b, loc, x, constant(y)).getResult();
}

Value Indices::ceilDiv(Value x, int64_t y) {
  return y == 1
             ? x
             : arith::CeilDivSIOp::create(b, loc, x, constant(y)).getResult();
}

Value Indices::min(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::min(*cx, *cy));
  return x == y ? x : arith::MinSIOp::create(b, loc, x, y).getResult();
}

Value Indices::max(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::max(*cx, *cy));
  return x == y ? x : arith::MaxSIOp::create(b, loc, x, y).getResult();
}

Value Indices::atLeast(Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, x, y);
}

Value Indices::conjunction(Value x, Value y) {
  return !x ? y : arith::AndIOp::create(b, loc, x, y).getResult();
}

Value Indices::offsetOf(const ViewAxis &axis) {
  auto known = getConstantIntValue(axis.offset);
  Value offset = known && isa<Attribute>(axis.offset)
                     ? constant(*known)
                     : cast<Value>(axis.offset);
  return axis.countsBlocks ? mul(offset, axis.block) : offset;
}

Value Indices::sizeOf(Value view, int64_t dim) {
  int64_t size = cast<tile::ViewType>(view.getType()).getShape()[dim];
  if (!ShapedType::isDynamic(size))
    return constant(size);
  return tile::DimOp::create(b, loc, b.getIndexType(), view, dim);
}

static bool standsBefore(Value value, Operation *place) {
  Operation *around = value.getParentBlock()->findAncestorOpInBlock(*place);
  Operation *op = value.getDefiningOp();
  return around && (!op || op->isBeforeInBlock(around));
}

/// As `isComputable`: then `cone` has what must be cloned, operands first.
static bool findCone(Value value, Operation *place,
                     llvm::SetVector<Operation *> &cone) {
  Operation *op = value.getDefiningOp();
  if (standsBefore(value, place) || cone.contains(op))
    return true;
  if (!op || op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return findCone(operand, place, cone);
      }))
    return false;
  cone.insert(op);
  return true;
}

bool staging::isComputable(Value value, Operation *place) {
  llvm::SetVector<Operation *> cone;
  return findCone(value, place, cone);
}

Value Indices::computeHere(Value value) {
  llvm::SetVector<Operation *> cone;
  Block *block = b.getInsertionBlock();
  if (b.getInsertionPoint() == block->end() ||
      !findCone(value, &*b.getInsertionPoint(), cone))
    return {};
  IRMapping mapping;
  for (Operation *op : cone)
    b.clone(*op, mapping);
  return mapping.lookupOrDefault(value);
}

Value Indices::truth() {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
}

Value Indices::isEqual(Value x, Value y, Value also) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cx == cy)
    return also;
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  return getConstantIntValue(also) == 1 || getConstantIntValue(also) == -1
             ? equal
             : conjunction(also, equal);
}
