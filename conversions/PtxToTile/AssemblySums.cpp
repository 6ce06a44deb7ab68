//===- AssemblySums.cpp - Sums with a carry, of differences, of products --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"

using namespace mlir;
using namespace kiln::tile;

/// add.cc, addc, sub.cc, subc, mad.cc and madc: sums that set the carry (`cc`)
/// or add the one that was set. The carry of a difference is its borrow.
Value AssemblyMachine::carried(const Statement &i, Type element) {
  bool isMad = StringRef(i.name).starts_with("mad");
  bool isDifference = StringRef(i.name).starts_with("sub");
  bool reads = StringRef(i.name).ends_with("c"), sets = i.has("cc");
  unsigned bits = element.getIntOrFloatBitWidth();
  // A carry that a guard may keep is not followed.
  if (bits < 32 || !i.guard.empty() || i.operands.size() != (isMad ? 4 : 3) ||
      i.modifiers.size() != size_t(isMad) + sets)
    return {};
  if (reads && !carry) {
    fail("a carry that is not set");
    return {};
  }
  SmallVector<Value> args = readSources(i, element);
  if (args.empty())
    return {};
  if (isMad) {
    if (i.has("lo") == i.has("hi"))
      return {};
    bool isSigned = kindOfAssemblyType(i.type()) == 's';
    Value half =
        i.has("lo") ? make("arith.muli", {args[0], args[1]}, element)
        : isSigned
            ? arith::MulSIExtendedOp::create(b, loc, args[0], args[1]).getHigh()
            : arith::MulUIExtendedOp::create(b, loc, args[0], args[1])
                  .getHigh();
    args = {half, args[2]};
  }
  StringRef op = isDifference ? "arith.subi" : "arith.addi";
  using P = arith::CmpIPredicate;
  Value result = make(op, {args[0], args[1]}, element);
  Value over = isDifference ? compare(P::ult, args[0], args[1])
                            : compare(P::ult, result, args[0]);
  if (reads) {
    Value added = resize(carry, bits);
    Value next = make(op, {result, added}, element);
    Value again = isDifference ? compare(P::ult, result, added)
                               : compare(P::ult, next, result);
    over = make("arith.ori", {over, again}, b.getI1Type());
    result = next;
  }
  if (sets)
    carry = over;
  return result;
}

/// sad: the distance of two integers, and a sum.
Value AssemblyMachine::sumDistance(const Statement &i, Type element,
                                   bool isSigned) {
  if (i.operands.size() != 4 || !i.modifiers.empty() ||
      kindOfAssemblyType(i.type()) == 'b')
    return {};
  SmallVector<Value> args = readSources(i, element);
  if (args.empty())
    return {};
  Value most = make(isSigned ? "arith.maxsi" : "arith.maxui",
                    {args[0], args[1]}, element);
  Value least = make(isSigned ? "arith.minsi" : "arith.minui",
                     {args[0], args[1]}, element);
  return make("arith.addi",
              {args[2], make("arith.subi", {most, least}, element)}, element);
}

/// slct: the first operand where the third is not negative, else the second.
/// -0 is not negative, NaN is.
Value AssemblyMachine::selectBySign(const Statement &i) {
  if (i.operands.size() != 4 || i.types.size() != 2 || !i.hasOnly({"ftz"}) ||
      (i.type(1) != "s32" && i.type(1) != "f32") ||
      (i.has("ftz") && i.type(1) != "f32"))
    return {};
  Type element = typeOf(i.type()), condition = typeOf(i.type(1));
  Value x = read(i.operands[1].name(), element);
  Value y = x ? read(i.operands[2].name(), element) : Value();
  Value by = y ? read(i.operands[3].name(), condition) : Value();
  if (!by)
    return {};
  if (i.has("ftz"))
    by = flush(by);
  return select(
      condition.isF32()
          ? compare(arith::CmpFPredicate::OGE, by, number(condition, 0))
          : compare(arith::CmpIPredicate::sge, by, integer(32, 0)),
      x, y);
}

/// dp4a and dp2a: products of bytes with bytes, or with halves, and a sum.
Value AssemblyMachine::dotParts(const Statement &i) {
  bool isPair = i.name == "dp2a";
  if (i.operands.size() != 4 || i.types.size() != 2 ||
      i.modifiers.size() != size_t(isPair) ||
      (isPair && i.has("lo") == i.has("hi")))
    return {};
  Type word = b.getI32Type();
  SmallVector<Value> args = readSources(i, word);
  if (args.empty())
    return {};
  for (StringRef type : i.types)
    if (type != "s32" && type != "u32")
      return {};
  auto part = [&](int side, int number, int bits) {
    Value moved =
        make("arith.shrui", {args[side], integer(32, number * bits)}, word);
    return resize(resize(moved, bits), 32, i.type(side) == "s32");
  };
  Value sum = args[2];
  int first = i.has("hi") ? 2 : 0;
  for (int k = 0; k < (isPair ? 2 : 4); ++k)
    sum = make(
        "arith.addi",
        {sum, make("arith.muli",
                   {part(0, k, isPair ? 16 : 8), part(1, first + k, 8)}, word)},
        word);
  return sum;
}

/// Integers of 16 bits, two in a register.
Value AssemblyMachine::packedIntegers(const Statement &i) {
  Type word = b.getI32Type(), half = b.getI16Type();
  SmallVector<Value> args = readSources(i, word);
  if (args.empty() || (i.name != "add" && i.name != "min" && i.name != "max"))
    return {};
  Value results[2];
  for (int side : {0, 1}) {
    SmallVector<Value> halves;
    for (Value arg : args)
      halves.push_back(
          resize(make("arith.shrui", {arg, integer(32, 16 * side)}, word), 16));
    results[side] =
        integers(i, half, kindOfAssemblyType(i.type()) == 's', halves);
    if (!results[side])
      return {};
    results[side] = resize(results[side], 32);
  }
  Value high = make("arith.shli", {results[1], integer(32, 16)}, word);
  return make("arith.ori", {results[0], high}, word);
}
