//===- ProductOps.cpp - Matrix products -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/ProductOps.h"
#include "Async.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::stage;
using namespace kiln::tile;

/// The sum: a token or nothing for storage, a fragment or its future.
static Type sumType(bool async, Type acc) {
  auto fragment = dyn_cast<RankedTensorType>(acc);
  if (!fragment)
    return async ? TokenType::get(acc.getContext()) : Type();
  return async ? Type(FutureType::get(acc.getContext(), fragment)) : acc;
}

static ParseResult parseSumType(OpAsmParser &parser, UnitAttr async, Type acc,
                                Type &result) {
  auto fragment = dyn_cast<RankedTensorType>(acc);
  if (fragment && (!fragment.hasStaticShape() || !fragment.getEncoding()))
    return parser.emitError(parser.getNameLoc())
           << "expected an accumulator of static shape with an encoding, or in "
              "storage, found "
           << acc;
  result = sumType(static_cast<bool>(async), acc);
  return success();
}

static void printSumType(OpAsmPrinter &, Operation *, UnitAttr, Type, Type) {}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/ProductOps.cpp.inc"

void StageDialect::registerProductOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stage/ProductOps.cpp.inc"
      >();
}

std::array<int64_t, 3> ProductOp::getSizes() {
  if (auto block = getBlock())
    return {(*block)[0], (*block)[1], (*block)[2]};
  auto acc = cast<ShapedType>(getAcc().getType());
  auto lhs = cast<ShapedType>(getLhs().getType());
  return {acc.getDimSize(0), acc.getDimSize(1), lhs.getDimSize(1)};
}

/// (C3) The element types are those of tile.dot.
static LogicalResult verifyElements(ProductOp op, Type lhs, Type rhs,
                                    Type acc) {
  bool isFloat = isa<FloatType>(lhs);
  bool isTf32 = op.getInputPrecision() != InputPrecision::ieee;
  bool isUnsigned = op.getLhsUnsigned() || op.getRhsUnsigned();
  if (isFloat) {
    if (lhs != rhs || (!acc.isF32() && !acc.isF64()) ||
        acc.getIntOrFloatBitWidth() < lhs.getIntOrFloatBitWidth())
      return op.emitOpError()
             << "expected operands of one float type and an accumulator of "
                "f32 or f64 at least as wide, found "
             << lhs << ", " << rhs << " and " << acc;
  } else {
    auto isOperand = [](Type type) {
      return type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
             type.isSignlessInteger(32);
    };
    if (!isOperand(lhs) || !isOperand(rhs) ||
        (!acc.isSignlessInteger(32) && !acc.isSignlessInteger(64)))
      return op.emitOpError()
             << "expected operands of i8, i16 or i32 and an accumulator of i32 "
                "or i64, found "
             << lhs << ", " << rhs << " and " << acc;
  }
  if (isTf32 && !lhs.isF32())
    return op.emitOpError() << "expected f32 operands with precision '"
                            << stringifyInputPrecision(op.getInputPrecision())
                            << "', found " << lhs;
  if (isUnsigned && isFloat)
    return op.emitOpError() << "expected integer operands with 'lhs_unsigned' "
                               "or 'rhs_unsigned', found "
                            << lhs;
  return success();
}

LogicalResult ProductOp::verify() {
  auto lhs = cast<ShapedType>(getLhs().getType());
  auto rhs = cast<ShapedType>(getRhs().getType());
  auto acc = cast<ShapedType>(getAcc().getType());
  OperandRange origins[] = {getLhsOrigin(), getRhsOrigin(), getAccOrigin()};
  ShapedType types[] = {lhs, rhs, acc};
  for (auto [type, origin] : llvm::zip(types, origins)) {
    // (C1) Rank 2; storage may have an origin.
    if (type.getRank() != 2)
      return emitOpError() << "expected operands of rank 2, found " << type;
    if (!origin.empty() && (origin.size() != 2 || !isa<MemRefType>(type)))
      return emitOpError() << "expected two coordinates, of storage, found "
                           << origin.size() << " of " << type;
  }
  // (C2) The sizes are positive and within the operands.
  if (auto block = getBlock())
    if (block->size() != 3 ||
        llvm::any_of(*block, [](int64_t size) { return size < 1; }))
      return emitOpError() << "expected 'block' to be three positive sizes";
  auto [m, n, k] = getSizes();
  int64_t sizes[3][2] = {{m, k}, {k, n}, {m, n}};
  // Without a block the rows of rhs may be fewer than k: the depth counts.
  bool isOpen = !getBlock() && getDepth();
  for (int which = 0; which < 3; ++which)
    for (int d = 0; d < 2; ++d) {
      if (isOpen && which == 1 && d == 0)
        continue;
      int64_t size = sizes[which][d], there = types[which].getDimSize(d);
      if (isa<RankedTensorType>(types[which]) ? size != there : size > there)
        return emitOpError()
               << "expected a product of " << m << "x" << n << "x" << k
               << " to lie within its operands, found " << types[which];
    }
  // (C5) The depths agree, or it is said which counts.
  if (!getBlock() && !getDepth() && lhs.getDimSize(1) != rhs.getDimSize(0))
    return emitOpError() << "expected rhs to have " << lhs.getDimSize(1)
                         << " rows, found " << rhs.getDimSize(0);
  // (C4) The result follows from the accumulator.
  Type expected = sumType(getAsync(), acc);
  if (expected != (getResult() ? getResult().getType() : Type())) {
    InFlightDiagnostic diagnostic = emitOpError();
    if (expected)
      diagnostic << "expected a result of type " << expected;
    else
      diagnostic << "expected no result with an accumulator in storage";
    return diagnostic;
  }
  return verifyElements(*this, lhs.getElementType(), rhs.getElementType(),
                        acc.getElementType());
}

void ProductOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<MemRefType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  if (!isa<MemRefType>(getAcc().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getAccMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
}
