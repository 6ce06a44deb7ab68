//===- AssemblyFloat4.cpp - Conversions of pairs of four bits -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two numbers of a sign, two bits of an exponent and one of a fraction in a
// byte, by comparisons and shifts: few machines have the type.
//
//===----------------------------------------------------------------------===//

#include "AssemblyMachine.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// The code of the nearest number, in the low bits of a byte: counts the
/// middles between neighbours that the magnitude passes. A tie goes to the even
/// code. What is too large gives the largest number, NaN the positive one.
Value AssemblyMachine::toFloat4(Value value) {
  constexpr std::pair<double, arith::CmpFPredicate> kMiddles[] = {
      {0.25, arith::CmpFPredicate::UGT}, {0.75, arith::CmpFPredicate::UGE},
      {1.25, arith::CmpFPredicate::UGT}, {1.75, arith::CmpFPredicate::UGE},
      {2.5, arith::CmpFPredicate::UGT},  {3.5, arith::CmpFPredicate::UGE},
      {5.0, arith::CmpFPredicate::UGT}};
  Type from = getElementTypeOrSelf(value.getType()), byte = b.getI8Type();
  Value size = make("math.absf", value, from);
  Value code = integer(8, 0);
  for (auto [middle, predicate] : kMiddles) {
    Value passes = compare(predicate, size, number(from, middle));
    code = make("arith.addi", {code, make("arith.extui", passes, byte)}, byte);
  }
  unsigned bits = from.getIntOrFloatBitWidth();
  Value raw = as(value, b.getIntegerType(bits));
  Value isNegative = compare(arith::CmpIPredicate::slt, raw, integer(bits, 0));
  Value isNumber = compare(arith::CmpFPredicate::ORD, value, value);
  isNegative = make("arith.andi", {isNegative, isNumber}, b.getI1Type());
  return make("arith.ori",
              {code, select(isNegative, integer(8, 8), integer(8, 0))}, byte);
}

/// The number of a code in the low bits of a byte, as f16: exponent and
/// fraction lie beside each other in both, and the bias differs.
Value AssemblyMachine::fromFloat4(Value code) {
  Type half = b.getF16Type(), word = b.getI16Type();
  code = resize(code, 16);
  auto moved = [&](int64_t mask, int64_t amount) {
    Value kept = make("arith.andi", {code, integer(16, mask)}, word);
    return make("arith.shli", {kept, integer(16, amount)}, word);
  };
  Value scaled =
      make("arith.mulf", {as(moved(7, 9), half), number(half, 16384)}, half);
  return as(make("arith.ori", {as(scaled, word), moved(8, 12)}, word), half);
}

Value AssemblyMachine::convertFloat4Pair(const Statement &i) {
  Type byte = b.getI8Type();
  bool hasNumbers = i.types[0] == "e2m1x2" && i.types[1] == "f32" &&
                    i.operands.size() == 3 && i.has("satfinite");
  bool hasCodes = i.types[1] == "e2m1x2" && i.types[0] == "f16x2" &&
                  i.operands.size() == 2 && !i.has("satfinite");
  if (!i.has("rn") || i.has("rz") || (!hasNumbers && !hasCodes))
    return {};
  if (hasNumbers) {
    // The first one becomes the high half.
    Value codes[2];
    for (int k : {0, 1}) {
      Value value = read(i.operands[k + 1].name(), b.getF32Type());
      if (!value)
        return {};
      if (i.has("relu"))
        value = make("arith.maximumf", {value, number(b.getF32Type(), 0)},
                     b.getF32Type());
      codes[k] = toFloat4(value);
    }
    Value high = make("arith.shli", {codes[0], integer(8, 4)}, byte);
    return make("arith.ori", {high, codes[1]}, byte);
  }
  Value whole = readBits(i.operands[1].name(), 8);
  if (!whole)
    return {};
  Type pair = b.getI32Type();
  Value halves[2] = {make("arith.shrui", {whole, integer(8, 4)}, byte), whole};
  for (Value &part : halves) {
    part = fromFloat4(part);
    if (i.has("relu"))
      part = make("arith.maximumf", {part, number(b.getF16Type(), 0)},
                  b.getF16Type());
    part = resize(part, 32);
  }
  Value high = make("arith.shli", {halves[0], integer(32, 16)}, pair);
  return make("arith.ori", {high, halves[1]}, pair);
}
