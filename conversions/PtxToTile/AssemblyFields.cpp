//===- AssemblyFields.cpp - Bit fields of inline assembly -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"

using namespace mlir;
using namespace kiln::tile;

Value AssemblyMachine::lowBits(Value number, int64_t mask) {
  return make("arith.andi", {number, integer(32, mask)}, b.getI32Type());
}

/// bfe: bits from a position on, with the sign in front of them where the type
/// has one. Shifts beyond the width leave nothing but the sign.
Value AssemblyMachine::extractField(const Statement &i, Type element,
                                    bool isSigned) {
  if (i.operands.size() != 4 || kindOfAssemblyType(i.type()) == 'b' ||
      !i.modifiers.empty() || element.getIntOrFloatBitWidth() < 32)
    return {};
  unsigned bits = element.getIntOrFloatBitWidth();
  Type word = b.getI32Type();
  StringRef down = isSigned ? "arith.shrsi" : "arith.shrui";
  Value value = read(i.operands[1].name(), element);
  Value position = value ? read(i.operands[2].name(), word) : Value();
  Value length = position ? read(i.operands[3].name(), word) : Value();
  if (!length)
    return {};
  Value shifted = shiftBy(down, value, lowBits(position, 255));
  Value used =
      make("arith.minui", {lowBits(length, 255), integer(32, bits)}, word);
  Value unused = make("arith.subi", {integer(32, bits), used}, word);
  return shiftBy(down, shiftBy("arith.shli", shifted, unused), unused);
}

/// bfi: bits of the first operand at a position of the second.
Value AssemblyMachine::insertField(const Statement &i, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (i.operands.size() != 5 || kindOfAssemblyType(i.type()) != 'b' ||
      bits < 32 || !i.modifiers.empty())
    return {};
  Type word = b.getI32Type();
  Value args[4];
  for (int n = 0; n < 4; ++n) {
    args[n] = read(i.operands[n + 1].name(), n < 2 ? element : word);
    if (!args[n])
      return {};
  }
  Value position = lowBits(args[2], 255), length = lowBits(args[3], 255);
  Value ones = integer(bits, -1);
  Value beyond = shiftBy("arith.shli", ones, length);
  Value field = make("arith.xori", {beyond, ones}, element);
  Value mask = shiftBy("arith.shli", field, position);
  Value placed = shiftBy("arith.shli", args[0], position);
  Value kept =
      make("arith.andi", {args[1], make("arith.xori", {mask, ones}, element)},
           element);
  return make("arith.ori", {kept, make("arith.andi", {placed, mask}, element)},
              element);
}

/// bmsk: `length` ones from a position on.
Value AssemblyMachine::maskField(const Statement &i) {
  if (i.operands.size() != 3 || i.type() != "b32" || i.modifiers.size() != 1 ||
      i.has("wrap") == i.has("clamp"))
    return {};
  Type word = b.getI32Type();
  SmallVector<Value> args = readSources(i, word);
  if (args.empty())
    return {};
  if (i.has("wrap"))
    for (Value &arg : args)
      arg = lowBits(arg, 31);
  Value ones = integer(32, -1);
  Value above = shiftBy("arith.shli", ones, args[1]);
  return shiftBy("arith.shli", make("arith.xori", {above, ones}, word),
                 args[0]);
}

/// szext: the low bits of a register, extended by zeros or by their sign.
Value AssemblyMachine::extendField(const Statement &i, bool isSigned) {
  if (i.operands.size() != 3 || i.modifiers.size() != 1 ||
      i.has("wrap") == i.has("clamp") ||
      (i.type() != "s32" && i.type() != "u32"))
    return {};
  Type word = b.getI32Type();
  SmallVector<Value> args = readSources(i, word);
  if (args.empty())
    return {};
  Value used = i.has("wrap")
                   ? lowBits(args[1], 31)
                   : make("arith.minui", {args[1], integer(32, 32)}, word);
  Value unused = make("arith.subi", {integer(32, 32), used}, word);
  return shiftBy(isSigned ? "arith.shrsi" : "arith.shrui",
                 shiftBy("arith.shli", args[0], unused), unused);
}

/// bfind: the position of the highest bit, or of the highest one that is not
/// the sign; all ones where there is none.
Value AssemblyMachine::findBit(const Statement &i, Type element,
                               bool isSigned) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (i.operands.size() != 2 || kindOfAssemblyType(i.type()) == 'b' ||
      bits < 32 || !i.hasOnly({"shiftamt"}))
    return {};
  Value value = read(i.operands[1].name(), element);
  if (!value)
    return {};
  if (isSigned)
    value = make(
        "arith.xori",
        {value, make("arith.shrsi", {value, integer(bits, bits - 1)}, element)},
        element);
  Type word = b.getI32Type();
  Value above = resize(make("math.ctlz", value, element), 32);
  Value found = i.has("shiftamt")
                    ? above
                    : make("arith.subi", {integer(32, bits - 1), above}, word);
  Value isNone = compare(arith::CmpIPredicate::eq, value, integer(bits, 0));
  return select(isNone, integer(32, -1), found);
}
