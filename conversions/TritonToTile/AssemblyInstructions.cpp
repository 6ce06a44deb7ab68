// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the instructions of inline assembly compute.
#include "AssemblyMachine.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace kiln::triton_to_tile {

/// Subnormal numbers as zeros of the same sign.
Value Machine::flush(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Value smallest = number(element, 0x1p-126);
  Value isSmall = compare(arith::CmpFPredicate::OLT,
                          math::AbsFOp::create(b, loc, value), smallest);
  Value zero = math::CopySignOp::create(b, loc, number(element, 0), value);
  return select(isSmall, zero, value);
}

/// Instructions that are one operation, or nearly so.
Value Machine::simple(const Instruction &i, Type element, ValueRange args) {
  char kind = i.kind();
  StringRef op;
  if (kind == 'f')
    op = llvm::StringSwitch<StringRef>(i.name)
             .Case("abs", "math.absf")
             .Case("add", "arith.addf")
             .Case("cos", "math.cos")
             .Case("div", "arith.divf")
             .Case("ex2", "math.exp2")
             .Case("fma", "math.fma")
             .Case("lg2", "math.log2")
             .Case("max", i.has("NaN") ? "arith.maximumf" : "arith.maxnumf")
             .Case("min", i.has("NaN") ? "arith.minimumf" : "arith.minnumf")
             .Case("mul", "arith.mulf")
             .Case("neg", "arith.negf")
             .Case("rcp", "arith.divf")
             .Case("rsqrt", "math.rsqrt")
             .Case("sin", "math.sin")
             .Case("sqrt", "math.sqrt")
             .Case("sub", "arith.subf")
             .Case("tanh", "math.tanh")
             .Default("");
  else if (kind == 's' || kind == 'u')
    op = llvm::StringSwitch<StringRef>(i.name)
             .Case("abs", kind == 's' ? "math.absi" : "")
             .Case("add", "arith.addi")
             .Case("max", kind == 's' ? "arith.maxsi" : "arith.maxui")
             .Case("min", kind == 's' ? "arith.minsi" : "arith.minui")
             .Case("sub", "arith.subi")
             .Default("");
  else
    op = llvm::StringSwitch<StringRef>(i.name)
             .Case("and", "arith.andi")
             .Case("clz", i.types[0] == "b32" ? "math.ctlz" : "")
             .Case("or", "arith.ori")
             .Case("popc", i.types[0] == "b32" ? "math.ctpop" : "")
             .Case("xor", "arith.xori")
             .Default("");
  bool isBinary = !op.starts_with("math.") && op != "arith.negf";
  size_t arity = i.name == "rcp" ? 1 : i.name == "fma" ? 3 : isBinary ? 2 : 1;
  if (op.empty() || args.size() != arity)
    return {};
  for (StringRef modifier : i.modifiers)
    if (!llvm::is_contained({"approx", "full", "ftz", "rn", "NaN", "sat"},
                            modifier) ||
        kind != 'f')
      return {};
  SmallVector<Value> operands(args);
  bool flushes = i.has("ftz") && element.isF32();
  if (flushes)
    for (Value &operand : operands)
      operand = flush(operand);
  if (i.name == "rcp")
    operands.insert(operands.begin(), number(element, 1));
  Value result = make(op, operands, element);
  if (flushes)
    result = flush(result);
  if (i.has("sat")) // NaN gives 0
    result = make("arith.minnumf",
                  {make("arith.maxnumf", {result, number(element, 0)}, element),
                   number(element, 1)},
                  element);
  return result;
}

/// Shifts by any amount: beyond the width nothing is left but the sign.
Value Machine::shift(const Instruction &i, Type element) {
  if (i.args.size() != 3 || i.kind() == 'f' || !i.modifiers.empty())
    return {};
  Value value = read(i.args[1], element);
  Value amount = read(i.args[2], b.getI32Type());
  if (!value || !amount)
    return {};
  unsigned bits = element.getIntOrFloatBitWidth();
  Value last = integer(b.getI32Type(), APInt(32, bits - 1));
  Value isWhole =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, amount, last);
  Value within = make("arith.minui", {amount, last}, b.getI32Type());
  if (bits < 32)
    within = make("arith.trunci", within, element);
  else if (bits > 32)
    within = make("arith.extui", within, element);
  if (i.name == "shr" && i.kind() == 's')
    return make("arith.shrsi", {value, within}, element);
  Value shifted = make(i.name == "shl" ? "arith.shli" : "arith.shrui",
                       {value, within}, element);
  return select(isWhole, integer(element, APInt(bits, 0)), shifted);
}

/// Integer products: the low or the high half or both, and sums with them.
Value Machine::product(const Instruction &i, Type element, ValueRange args) {
  bool adds = i.name == "mad";
  if (i.modifiers.size() != 1 || args.size() != (adds ? 3 : 2))
    return {};
  Value result;
  if (i.has("lo")) {
    result = make("arith.muli", args.take_front(2), element);
  } else if (i.has("hi") && i.kind() == 's') {
    result = arith::MulSIExtendedOp::create(b, loc, args[0], args[1]).getHigh();
  } else if (i.has("hi")) {
    result = arith::MulUIExtendedOp::create(b, loc, args[0], args[1]).getHigh();
  } else if (i.has("wide") && !adds && !element.isInteger(64)) {
    Type wide = b.getIntegerType(2 * element.getIntOrFloatBitWidth());
    StringRef extend = i.kind() == 's' ? "arith.extsi" : "arith.extui";
    return make("arith.muli",
                {make(extend, args[0], wide), make(extend, args[1], wide)},
                wide);
  }
  return result && adds ? make("arith.addi", {result, args[2]}, element)
                        : result;
}

/// lop3: bit k of the table is the result where the operands' bits are k.
Value Machine::lookUp(const Instruction &i, ValueRange args) {
  unsigned table;
  Type type = b.getI32Type();
  if (i.args.size() != 5 || i.types[0] != "b32" || !i.modifiers.empty() ||
      i.args[4].getAsInteger(0, table) || table > 255)
    return {};
  Value ones = integer(type, APInt::getAllOnes(32));
  Value result = integer(type, APInt(32, 0));
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

/// A whole float as an integer: the nearest one that there is, 0 for NaN.
Value Machine::toInteger(Value value, Type to, bool isSigned) {
  unsigned bits = to.getIntOrFloatBitWidth();
  Type from = getElementTypeOrSelf(value.getType());
  APInt low = isSigned ? APInt::getSignedMinValue(bits) : APInt(bits, 0);
  APInt high =
      isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  double end = std::ldexp(1.0, int(bits) - (isSigned ? 1 : 0));
  Value result = make(isSigned ? "arith.fptosi" : "arith.fptoui", value, to);
  Value isHigh = compare(arith::CmpFPredicate::OGE, value, number(from, end));
  Value isLow = compare(arith::CmpFPredicate::OLT, value,
                        number(from, isSigned ? -end : 0));
  Value isNan = compare(arith::CmpFPredicate::UNO, value, value);
  result = select(isHigh, integer(to, high), result);
  result = select(isLow, integer(to, low), result);
  return select(isNan, integer(to, APInt(bits, 0)), result);
}

Value Machine::convert(const Instruction &i) {
  if (i.args.size() != 2 || i.types.size() != 2)
    return {};
  for (size_t side = 0; side < 2; ++side)
    if (!StringRef("fsu").contains(i.kind(side)))
      return {};
  Type to = typeOf(i.types[0]), from = typeOf(i.types[1]);
  bool toFloat = i.kind(0) == 'f', fromFloat = i.kind(1) == 'f';
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
    else if (modifier != "rn" && modifier != "ftz")
      return {};
  }
  // An operand may be wider than what is converted.
  Value value = registers.lookup(i.args[1]);
  Type held = value ? getElementTypeOrSelf(value.getType()) : from;
  if (!fromFloat && held.isInteger() &&
      held.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
    value = make("arith.trunci", value, from);
  else
    value = read(i.args[1], from);
  if (!value)
    return {};
  if (i.has("ftz") && from.isF32())
    value = flush(value);
  if (!whole.empty())
    value = make(whole, value, from);
  unsigned toBits = to.getIntOrFloatBitWidth();
  unsigned fromBits = from.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (to == from)
      return value;
    // Two formats of one width go through a wider one.
    if (toBits == fromBits)
      value = make("arith.extf", value, b.getF32Type());
    return make(toBits > fromBits ? "arith.extf" : "arith.truncf", value, to);
  }
  if (fromFloat)
    return whole.empty() ? Value() : toInteger(value, to, i.kind(0) == 's');
  bool isSigned = i.kind(1) == 's';
  if (toFloat)
    return make(isSigned ? "arith.sitofp" : "arith.uitofp", value, to);
  if (toBits > fromBits)
    return make(isSigned ? "arith.extsi" : "arith.extui", value, to);
  return toBits == fromBits ? value : make("arith.trunci", value, to);
}

/// f32 rounded to 10 bits of the fraction, ties away from zero.
Value Machine::toTf32(Value value) {
  Type bits = b.getI32Type();
  Value raw = as(value, bits);
  Value half = integer(bits, APInt(32, 0x1000));
  Value mask = integer(bits, APInt(32, 0xffffe000));
  Value rounded =
      make("arith.andi", {make("arith.addi", {raw, half}, bits), mask}, bits);
  return select(compare(arith::CmpFPredicate::UNO, value, value), raw, rounded);
}

Value Machine::test(const Instruction &i, Type element) {
  if (i.args.size() != 3 || i.modifiers.empty())
    return {};
  Value x = read(i.args[1], element), y = read(i.args[2], element);
  if (!x || !y)
    return {};
  StringRef how = i.modifiers.front();
  for (StringRef modifier : llvm::drop_begin(i.modifiers)) {
    if (modifier != "ftz" || !element.isF32())
      return {};
    x = flush(x);
    y = flush(y);
  }
  if (i.kind() == 'f') {
    using P = arith::CmpFPredicate;
    auto predicate = llvm::StringSwitch<std::optional<P>>(how)
                         .Case("eq", P::OEQ)
                         .Case("ne", P::ONE)
                         .Case("lt", P::OLT)
                         .Case("le", P::OLE)
                         .Case("gt", P::OGT)
                         .Case("ge", P::OGE)
                         .Case("equ", P::UEQ)
                         .Case("neu", P::UNE)
                         .Case("ltu", P::ULT)
                         .Case("leu", P::ULE)
                         .Case("gtu", P::UGT)
                         .Case("geu", P::UGE)
                         .Case("num", P::ORD)
                         .Case("nan", P::UNO)
                         .Default(std::nullopt);
    return predicate ? compare(*predicate, x, y) : Value();
  }
  using P = arith::CmpIPredicate;
  bool isSigned = i.kind() == 's';
  auto predicate = llvm::StringSwitch<std::optional<P>>(how)
                       .Case("eq", P::eq)
                       .Case("ne", P::ne)
                       .Cases({"lt", "lo"}, isSigned ? P::slt : P::ult)
                       .Cases({"le", "ls"}, isSigned ? P::sle : P::ule)
                       .Cases({"gt", "hi"}, isSigned ? P::sgt : P::ugt)
                       .Cases({"ge", "hs"}, isSigned ? P::sge : P::uge)
                       .Default(std::nullopt);
  return predicate ? arith::CmpIOp::create(b, loc, *predicate, x, y) : Value();
}

} // namespace kiln::triton_to_tile
