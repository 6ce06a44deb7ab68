//===- AssemblyIntegers.cpp - Instructions on integers and bits -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln::tile;

static unsigned widthOf(Type element) {
  return element.getIntOrFloatBitWidth();
}

Value AssemblyMachine::integers(const Statement &i, Type element, bool isSigned,
                                ValueRange args) {
  unsigned bits = widthOf(element);
  bool hasRelu = i.has("relu") && (i.name == "min" || i.name == "max");
  bool saturates =
      i.has("sat") && i.type() == "s32" && (i.name == "add" || i.name == "sub");
  if (!i.hasOnly(hasRelu     ? ArrayRef<StringRef>{"relu"}
                 : saturates ? ArrayRef<StringRef>{"sat"}
                             : ArrayRef<StringRef>{}))
    return {};
  if (args.size() == 1) {
    Value zero = integer(bits, 0);
    if (i.name == "neg" && isSigned)
      return make("arith.subi", {zero, args[0]}, element);
    return i.name == "abs" && isSigned ? make("math.absi", args[0], element)
                                       : Value();
  }
  if (args.size() != 2)
    return {};
  StringRef op = llvm::StringSwitch<StringRef>(i.name)
                     .Case("add", "arith.addi")
                     .Case("sub", "arith.subi")
                     .Case("max", isSigned ? "arith.maxsi" : "arith.maxui")
                     .Case("min", isSigned ? "arith.minsi" : "arith.minui")
                     .Case("div", isSigned ? "arith.divsi" : "arith.divui")
                     .Case("rem", isSigned ? "arith.remsi" : "arith.remui")
                     .Default("");
  if (op.empty())
    return {};
  if (saturates) {
    Type wide = b.getI64Type();
    Value exact =
        make(op, {resize(args[0], 64, true), resize(args[1], 64, true)}, wide);
    exact = make("arith.minsi", {exact, integer(64, INT32_MAX)}, wide);
    exact = make("arith.maxsi", {exact, integer(64, INT32_MIN)}, wide);
    return resize(exact, 32);
  }
  Value result = make(op, args, element);
  return hasRelu ? make("arith.maxsi", {result, integer(bits, 0)}, element)
                 : result;
}

Value AssemblyMachine::bitwise(const Statement &i, Type element,
                               ValueRange args) {
  unsigned bits = widthOf(element);
  if (!i.modifiers.empty())
    return {};
  if (args.size() == 1) {
    if (i.name == "not")
      return make("arith.xori", {args[0], integer(bits, -1)}, element);
    if (i.name == "cnot")
      return resize(
          compare(arith::CmpIPredicate::eq, args[0], integer(bits, 0)), bits);
    if (i.name == "brev" && bits >= 32) {
      Value value = args[0];
      // Ever larger neighbours change places.
      for (unsigned step = 1; step < bits; step *= 2) {
        uint64_t low = 0;
        for (unsigned bit = 0; bit < bits; ++bit)
          low |= uint64_t(bit / step % 2 == 0) << bit;
        Value mask = integer(bits, int64_t(low)), by = integer(bits, step);
        Value up =
            make("arith.shli", {make("arith.andi", {value, mask}, element), by},
                 element);
        Value down =
            make("arith.andi",
                 {make("arith.shrui", {value, by}, element), mask}, element);
        value = make("arith.ori", {up, down}, element);
      }
      return value;
    }
    // Counts are numbers of 32 bits.
    StringRef count = llvm::StringSwitch<StringRef>(i.name)
                          .Case("popc", "math.ctpop")
                          .Case("clz", "math.ctlz")
                          .Default("");
    return count.empty() || bits < 32
               ? Value()
               : resize(make(count, args[0], element), 32);
  }
  StringRef op = llvm::StringSwitch<StringRef>(i.name)
                     .Case("and", "arith.andi")
                     .Case("or", "arith.ori")
                     .Case("xor", "arith.xori")
                     .Default("");
  return op.empty() || args.size() != 2 ? Value() : make(op, args, element);
}

/// A shift by an amount of 32 bits; beyond the width nothing is left but the
/// sign.
Value AssemblyMachine::shiftBy(StringRef op, Value value, Value amount) {
  Type element = getElementTypeOrSelf(value.getType());
  unsigned bits = widthOf(element);
  Value last = integer(32, bits - 1);
  Value isWhole = compare(arith::CmpIPredicate::ugt, amount, last);
  Value within =
      resize(make("arith.minui", {amount, last}, b.getI32Type()), bits);
  Value shifted = make(op, {value, within}, element);
  return op == "arith.shrsi" ? shifted
                             : select(isWhole, integer(bits, 0), shifted);
}

Value AssemblyMachine::shift(const Statement &i, Type element, bool isSigned) {
  if (i.operands.size() != 3 || isa<FloatType>(element) ||
      element.isInteger(1) || !i.modifiers.empty())
    return {};
  Value value = read(i.operands[1].name(), element);
  Value amount = value ? read(i.operands[2].name(), b.getI32Type()) : Value();
  if (!amount)
    return {};
  return shiftBy(i.name == "shl" ? "arith.shli"
                 : isSigned      ? "arith.shrsi"
                                 : "arith.shrui",
                 value, amount);
}

/// The product of the low 24 bits of two registers: its low 32 bits, or its
/// high ones of 48.
Value AssemblyMachine::shortProduct(const Statement &i, Value x, Value y,
                                    bool isSigned) {
  Type wide = b.getI64Type();
  if ((i.type() != "s32" && i.type() != "u32") || i.has("lo") == i.has("hi"))
    return {};
  StringRef down = isSigned ? "arith.shrsi" : "arith.shrui";
  Value by = integer(64, 40);
  for (Value *factor : {&x, &y})
    *factor = make(
        down, {make("arith.shli", {resize(*factor, 64), by}, wide), by}, wide);
  Value exact = make("arith.muli", {x, y}, wide);
  if (i.has("hi"))
    exact = make(down, {exact, integer(64, 16)}, wide);
  return resize(exact, 32);
}

/// Integer products: the low or the high half or both, and sums with them.
Value AssemblyMachine::product(const Statement &i, Type element,
                               bool isSigned) {
  bool isShort = i.name == "mul24" || i.name == "mad24";
  bool adds = StringRef(i.name).starts_with("mad"), isWide = i.has("wide");
  unsigned bits = widthOf(element);
  if (i.modifiers.size() != 1 || i.operands.size() != (adds ? 4 : 3) ||
      (isWide && bits == 64))
    return {};
  Value x = read(i.operands[1].name(), element);
  Value y = x ? read(i.operands[2].name(), element) : Value();
  if (!y)
    return {};
  Value result;
  if (isShort) {
    result = shortProduct(i, x, y, isSigned);
    if (!result)
      return {};
  } else if (i.has("lo")) {
    result = make("arith.muli", {x, y}, element);
  } else if (i.has("hi")) {
    result = isSigned ? arith::MulSIExtendedOp::create(b, loc, x, y).getHigh()
                      : arith::MulUIExtendedOp::create(b, loc, x, y).getHigh();
  } else if (isWide) {
    element = b.getIntegerType(2 * bits);
    result =
        make("arith.muli",
             {resize(x, 2 * bits, isSigned), resize(y, 2 * bits, isSigned)},
             element);
  } else {
    return {};
  }
  if (!adds)
    return result;
  Value sum = read(i.operands[3].name(), element);
  return sum ? make("arith.addi", {result, sum}, element) : Value();
}

/// lop3: bit k of the table is the result where the operands' bits are k.
Value AssemblyMachine::lookUp(const Statement &i) {
  unsigned table;
  Type type = b.getI32Type();
  if (i.operands.size() != 5 || i.type() != "b32" || !i.modifiers.empty() ||
      i.operands[4].name().getAsInteger(0, table) || table > 255)
    return {};
  SmallVector<Value> args;
  for (size_t n = 1; n < 4; ++n) {
    args.push_back(read(i.operands[n].name(), type));
    if (!args.back())
      return {};
  }
  Value ones = integer(32, -1), result = integer(32, 0);
  for (unsigned k = 0; k < 8; ++k) {
    if (!(table >> k & 1))
      continue;
    Value term = ones;
    for (unsigned n = 0; n < 3; ++n) {
      bool isSet = k >> (2 - n) & 1;
      Value bits = isSet ? args[n] : make("arith.xori", {args[n], ones}, type);
      term = make("arith.andi", {term, bits}, type);
    }
    result = make("arith.ori", {result, term}, type);
  }
  return result;
}

SmallVector<Value> AssemblyMachine::readSources(const Statement &i,
                                                Type element) {
  SmallVector<Value> args;
  for (const auto &operand : llvm::drop_begin(i.operands)) {
    args.push_back(read(operand.name(), element));
    if (!args.back())
      return {};
  }
  return args;
}

/// prmt: each byte of the result is one of the eight of two registers, or its
/// sign everywhere.
Value AssemblyMachine::permute(const Statement &i) {
  if (i.operands.size() != 4 || i.type() != "b32" || !i.modifiers.empty())
    return {};
  Type word = b.getI32Type(), wide = b.getI64Type();
  SmallVector<Value> args = readSources(i, word);
  if (args.empty())
    return {};
  Value all =
      make("arith.ori",
           {resize(args[0], 64),
            make("arith.shli", {resize(args[1], 64), integer(64, 32)}, wide)},
           wide);
  Value selector = resize(args[2], 64), result = integer(32, 0);
  for (int k = 0; k < 4; ++k) {
    Value code = make("arith.shrui", {selector, integer(64, 4 * k)}, wide);
    Value place =
        make("arith.shli",
             {make("arith.andi", {code, integer(64, 7)}, wide), integer(64, 3)},
             wide);
    Value byte = resize(make("arith.shrui", {all, place}, wide), 8);
    Value sign = make("arith.shrsi", {byte, integer(8, 7)}, b.getI8Type());
    Value isSign = compare(arith::CmpIPredicate::ne,
                           make("arith.andi", {code, integer(64, 8)}, wide),
                           integer(64, 0));
    Value chosen = resize(select(isSign, sign, byte), 32);
    result = make(
        "arith.ori",
        {result, make("arith.shli", {chosen, integer(32, 8 * k)}, word)}, word);
  }
  return result;
}

/// shf: a shift of two registers as one, the upper or the lower half.
Value AssemblyMachine::funnelShift(const Statement &i) {
  if (i.operands.size() != 4 || i.type() != "b32" || i.modifiers.size() != 2 ||
      i.has("l") == i.has("r") || i.has("wrap") == i.has("clamp"))
    return {};
  Type word = b.getI32Type(), wide = b.getI64Type();
  SmallVector<Value> args = readSources(i, word);
  if (args.empty())
    return {};
  Value amount = i.has("wrap")
                     ? make("arith.andi", {args[2], integer(32, 31)}, word)
                     : make("arith.minui", {args[2], integer(32, 32)}, word);
  Value both =
      make("arith.ori",
           {resize(args[0], 64),
            make("arith.shli", {resize(args[1], 64), integer(64, 32)}, wide)},
           wide);
  Value shifted = make(i.has("l") ? "arith.shli" : "arith.shrui",
                       {both, resize(amount, 64)}, wide);
  if (i.has("l"))
    shifted = make("arith.shrui", {shifted, integer(64, 32)}, wide);
  return resize(shifted, 32);
}
