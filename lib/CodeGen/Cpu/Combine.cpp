//===- Combine.cpp - Arithmetic in memory ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other threads do to an element between its reading and its writing is
// not lost: stores that combine, and atomic operations.
//
//===----------------------------------------------------------------------===//

#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "kiln/Transforms/Tile/SmallFloatCodes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// What an atomic operation on floats stores.
static Value combineFloats(OpBuilder &b, Location loc, LLVM::AtomicBinOp kind,
                           Value old, Value value) {
  switch (kind) {
  case LLVM::AtomicBinOp::fmax:
    return arith::MaxNumFOp::create(b, loc, old, value);
  case LLVM::AtomicBinOp::fmin:
    return arith::MinNumFOp::create(b, loc, old, value);
  case LLVM::AtomicBinOp::fmaximum:
    return arith::MaximumFOp::create(b, loc, old, value);
  case LLVM::AtomicBinOp::fminimum:
    return arith::MinimumFOp::create(b, loc, old, value);
  default:
    return arith::AddFOp::create(b, loc, old, value);
  }
}

Type cpu::combinedType(Operation *op, Type element) {
  auto type = tile::getFact<TypeAttr>(op, tile::kCombinedAsFact);
  return type ? type.getValue() : element;
}

/// The f32 values of the bits of floats of at most 16 bits.
static Value widen(OpBuilder &b, Location loc, Value bits, Type element) {
  if (isSmallFloat(element))
    return widenFloat(b, loc, bits, element);
  llvm::DenseSet<Operation *> created;
  return tile::SmallFloatCodes(b, loc, created).decode(bits, element);
}

/// The bits of the floats of at most 16 bits that are nearest to f32 values.
static Value narrow(OpBuilder &b, Location loc, Value value, Type element) {
  if (isSmallFloat(element))
    return narrowFloat(b, loc, value, element);
  llvm::DenseSet<Operation *> created;
  return tile::SmallFloatCodes(b, loc, created)
      .encode(value, element, /*saturate=*/false, /*towardZero=*/false);
}

/// Tries until no other thread has changed the element in between: `combine`
/// makes the bits to be stored of those that are there. Returns the latter.
static Value exchangeBits(KernelEmitter &e, Type bits, Value pointer,
                          LLVM::AtomicOrdering order,
                          function_ref<Value(Value)> combine) {
  Value first = LLVM::LoadOp::create(
      e.b, e.loc, bits, pointer, bits.getIntOrFloatBitWidth() / 8,
      /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(e.b, e.loc, TypeRange{bits},
                                   ValueRange{first}, nullptr, nullptr);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToEnd(loop.getBeforeBody());
  Value old = loop.getBeforeArguments()[0];
  Value pair =
      LLVM::AtomicCmpXchgOp::create(e.b, e.loc, pointer, old, combine(old),
                                    order, LLVM::AtomicOrdering::monotonic);
  auto part = [&](int64_t which) -> Value {
    return LLVM::ExtractValueOp::create(e.b, e.loc, pair, which);
  };
  Value one = arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true));
  Value again = arith::XOrIOp::create(e.b, e.loc, part(1), one);
  scf::ConditionOp::create(e.b, e.loc, again, ValueRange{part(0)});
  e.b.setInsertionPointToEnd(loop.getAfterBody());
  scf::YieldOp::create(e.b, e.loc, loop.getAfterArguments());
  return loop.getResult(0);
}

static bool isNarrow(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 16;
}

Value cpu::combineAtomically(KernelEmitter &e, LLVM::AtomicBinOp kind,
                             LLVM::AtomicOrdering order, Type element,
                             Value pointer, Value value) {
  if (!isNarrow(element) || kind == LLVM::AtomicBinOp::xchg)
    return LLVM::AtomicRMWOp::create(e.b, e.loc, kind, pointer, value, order);
  // Machines know no atomic arithmetic on narrow floats.
  Value wide = widen(e.b, e.loc, value, element);
  return exchangeBits(e, value.getType(), pointer, order, [&](Value old) {
    Value sum =
        combineFloats(e.b, e.loc, kind, widen(e.b, e.loc, old, element), wide);
    return narrow(e.b, e.loc, sum, element);
  });
}

void cpu::multiplyAtomically(KernelEmitter &e, Type element, Value pointer,
                             Value value) {
  Type type = value.getType();
  Type bits = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  auto cast = [&](Value from, Type to) -> Value {
    return from.getType() == to
               ? from
               : arith::BitcastOp::create(e.b, e.loc, to, from).getResult();
  };
  Value wide = isNarrow(element) ? widen(e.b, e.loc, value, element) : Value();
  auto combine = [&](Value old) -> Value {
    if (wide)
      return narrow(e.b, e.loc,
                    arith::MulFOp::create(
                        e.b, e.loc, widen(e.b, e.loc, old, element), wide),
                    element);
    if (isa<FloatType>(element))
      return cast(arith::MulFOp::create(e.b, e.loc, cast(old, type), value),
                  bits);
    return arith::MulIOp::create(e.b, e.loc, old, value);
  };
  exchangeBits(e, bits, pointer, LLVM::AtomicOrdering::monotonic, combine);
}
