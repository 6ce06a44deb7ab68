//===- AssemblyConversions.cpp - Conversions between numbers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace kiln::tile;

/// A whole float as an integer: the nearest one that there is, 0 for NaN.
Value AssemblyMachine::toInteger(Value value, Type to, bool isSigned) {
  unsigned bits = to.getIntOrFloatBitWidth();
  Type from = getElementTypeOrSelf(value.getType());
  if (from.getIntOrFloatBitWidth() < 32) {
    // Narrow floats do not reach the ends.
    from = b.getF32Type();
    value = make("arith.extf", value, from);
  }
  APInt low = isSigned ? APInt::getSignedMinValue(bits) : APInt(bits, 0);
  APInt high =
      isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  double end = std::ldexp(1.0, int(bits) - (isSigned ? 1 : 0));
  Value result = make(isSigned ? "arith.fptosi" : "arith.fptoui", value, to);
  Value isHigh = compare(arith::CmpFPredicate::OGE, value, number(from, end));
  Value isLow = compare(arith::CmpFPredicate::OLT, value,
                        number(from, isSigned ? -end : 0));
  Value isNan = compare(arith::CmpFPredicate::UNO, value, value);
  result = select(isHigh, integer(bits, high.getSExtValue()), result);
  result = select(isLow, integer(bits, low.getSExtValue()), result);
  return select(isNan, integer(bits, 0), result);
}

/// f32 rounded to 10 bits of the fraction, ties away from zero.
Value AssemblyMachine::toTf32(Value value) {
  Type bits = b.getI32Type();
  Value raw = as(value, bits);
  Value half = make("arith.addi", {raw, integer(32, 0x1000)}, bits);
  Value rounded =
      make("arith.andi", {half, integer(32, int32_t(0xffffe000))}, bits);
  return select(compare(arith::CmpFPredicate::UNO, value, value), raw, rounded);
}

/// Between float types, to nearest or toward zero.
Value AssemblyMachine::convertFloat(const Statement &i, Value value, Type to) {
  Type from = getElementTypeOrSelf(value.getType());
  if (i.has("relu")) // NaN stays
    value = make("arith.maximumf", {value, number(from, 0)}, from);
  unsigned toBits = to.getIntOrFloatBitWidth();
  unsigned fromBits = from.getIntOrFloatBitWidth();
  Value result = value;
  if (to == from) {
    if (i.has("satfinite") || i.has("rz"))
      return {};
  } else if (toBits > fromBits) {
    result = make("arith.extf", value, to);
  } else {
    // Two formats of one width go through a wider one.
    if (toBits == fromBits)
      value = make("arith.extf", value, b.getF32Type());
    if (i.has("rz") || i.has("satfinite") || toBits == 8)
      result = ConvertFloatOp::create(b, loc, like(to), value,
                                      i.has("rz") ? Rounding::toward_zero
                                                  : Rounding::nearest_even,
                                      i.has("satfinite"));
    else
      result = make("arith.truncf", value, to);
  }
  if (i.has("sat")) // NaN gives 0
    result = make(
        "arith.minnumf",
        {make("arith.maxnumf", {result, number(to, 0)}, to), number(to, 1)},
        to);
  return result;
}

/// Conversions of two numbers at once: of two registers to the halves of one,
/// the second one to the low half, or of the halves of one.
Value AssemblyMachine::convertPair(const Statement &i) {
  if (i.types.size() != 2 || !i.hasOnly({"rn", "rz", "relu", "satfinite"}) ||
      (!i.has("rn") && !i.has("rz")))
    return {};
  if (llvm::is_contained(i.types, "e2m1x2"))
    return convertFloat4Pair(i);
  auto elementOf = [&](StringRef pair) -> Type {
    return llvm::StringSwitch<Type>(pair)
        .Case("f16x2", b.getF16Type())
        .Case("bf16x2", b.getBF16Type())
        .Case("e4m3x2", Float8E4M3FNType::get(b.getContext()))
        .Case("e5m2x2", Float8E5M2Type::get(b.getContext()))
        .Default(Type());
  };
  Type to = elementOf(i.types[0]), from = elementOf(i.types[1]);
  bool isSplit = i.types[1] == "f32";
  if (!to || (!from && !isSplit) || i.operands.size() != (isSplit ? 3 : 2))
    return {};
  Value parts[2];
  if (isSplit) {
    for (int k : {0, 1}) {
      parts[k] = read(i.operands[2 - k].name(), b.getF32Type());
      if (!parts[k])
        return {};
    }
  } else {
    unsigned bits = from.getIntOrFloatBitWidth();
    Value whole = readBits(i.operands[1].name(), 2 * bits);
    if (!whole)
      return {};
    Value high = make("arith.shrui", {whole, integer(2 * bits, bits)},
                      b.getIntegerType(2 * bits));
    parts[0] = as(resize(whole, bits), from);
    parts[1] = as(resize(high, bits), from);
  }
  unsigned bits = to.getIntOrFloatBitWidth();
  for (Value &part : parts) {
    part = convertFloat(i, part, to);
    if (!part)
      return {};
    part = resize(part, 2 * bits);
  }
  Type whole = b.getIntegerType(2 * bits);
  Value high = make("arith.shli", {parts[1], integer(2 * bits, bits)}, whole);
  return make("arith.ori", {parts[0], high}, whole);
}

Value AssemblyMachine::convert(const Statement &i) {
  if (llvm::any_of(i.types,
                   [](StringRef type) { return type.ends_with("x2"); }))
    return convertPair(i);
  if (i.operands.size() != 2 || i.types.size() != 2)
    return {};
  char kinds[2];
  for (int side : {0, 1}) {
    kinds[side] = kindOfAssemblyType(i.types[side]);
    if (!StringRef("fsu").contains(kinds[side]))
      return {};
  }
  StringRef name = i.operands[1].name();
  if (i.types[0] == "tf32") {
    Value value = i.modifiers.size() == 1 && i.has("rna") && i.types[1] == "f32"
                      ? read(name, b.getF32Type())
                      : Value();
    return value ? toTf32(value) : Value();
  }
  Type to = typeOf(i.types[0]), from = typeOf(i.types[1]);
  bool toFloat = kinds[0] == 'f', fromFloat = kinds[1] == 'f';
  StringRef whole; // rounds to an integer
  for (StringRef modifier : i.modifiers) {
    StringRef rounding = llvm::StringSwitch<StringRef>(modifier)
                             .Case("rni", "math.roundeven")
                             .Case("rzi", "math.trunc")
                             .Case("rmi", "math.floor")
                             .Case("rpi", "math.ceil")
                             .Default("");
    if (!rounding.empty() && fromFloat)
      whole = rounding;
    else if (modifier != "rn" && modifier != "ftz" && modifier != "sat" &&
             !(fromFloat && toFloat &&
               llvm::is_contained({"rz", "relu", "satfinite"}, modifier)))
      return {};
  }
  // An operand may be wider than what is converted.
  Value value = fromFloat ? read(name, from)
                          : readBits(name, from.getIntOrFloatBitWidth());
  if (!value)
    return {};
  if (i.has("ftz") && from.isF32())
    value = flush(value);
  if (!whole.empty())
    value = make(whole, value, from);
  if (fromFloat && toFloat)
    return convertFloat(i, value, to);
  if (fromFloat) // always saturates
    return whole.empty() ? Value() : toInteger(value, to, kinds[0] == 's');
  bool isSigned = kinds[1] == 's';
  if (toFloat)
    return i.has("sat")
               ? Value()
               : make(isSigned ? "arith.sitofp" : "arith.uitofp", value, to);
  unsigned toBits = to.getIntOrFloatBitWidth();
  if (!i.has("sat"))
    return resize(value, toBits, isSigned);
  // The nearest number of the other type, found in one that holds both.
  if (from.getIntOrFloatBitWidth() > 32)
    return {};
  bool toSigned = kinds[0] == 's';
  APInt low = toSigned ? APInt::getSignedMinValue(toBits) : APInt(toBits, 0);
  APInt high =
      toSigned ? APInt::getSignedMaxValue(toBits) : APInt::getMaxValue(toBits);
  Type wide = b.getI64Type();
  value = resize(value, 64, isSigned);
  if (toBits < 64) {
    auto end = [&](const APInt &limit) {
      return integer(64, toSigned ? limit.getSExtValue()
                                  : int64_t(limit.getZExtValue()));
    };
    value = make("arith.minsi", {value, end(high)}, wide);
    value = make("arith.maxsi", {value, end(low)}, wide);
  } else if (!toSigned) {
    value = make("arith.maxsi", {value, integer(64, 0)}, wide);
  }
  return resize(value, toBits);
}
