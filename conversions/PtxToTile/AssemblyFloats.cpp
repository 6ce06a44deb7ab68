//===- AssemblyFloats.cpp - Instructions on floats ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln::tile;

/// Subnormal numbers as zeros of the same sign.
Value AssemblyMachine::flush(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  // f16 begins at a larger number than the others.
  double smallest = element.isF16() ? 0x1p-14 : 0x1p-126;
  Value zero = math::CopySignOp::create(b, loc, number(element, 0), value);
  return select(lessThan(value, smallest), zero, value);
}

/// Whether a magnitude is below a limit.
Value AssemblyMachine::lessThan(Value x, double limit) {
  return compare(arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, x),
                 number(getElementTypeOrSelf(x.getType()), limit));
}

namespace {
/// The operation that an instruction is, and its number of operands.
struct FloatOperation {
  StringRef name;
  size_t arity = 0;
};

FloatOperation findOperation(const AssemblyStatement &i) {
  bool isNan = i.has("NaN");
  return llvm::StringSwitch<FloatOperation>(i.name)
      .Case("abs", {"math.absf", 1})
      .Case("add", {"arith.addf", 2})
      .Case("copysign", {"math.copysign", 2})
      .Case("cos", {"math.cos", 1})
      .Case("div", {"arith.divf", 2})
      .Case("ex2", {"math.exp2", 1})
      .Case("fma", {"math.fma", 3})
      .Case("lg2", {"math.log2", 1})
      .Case("mad", {"math.fma", 3})
      .Case("max", {isNan ? "arith.maximumf" : "arith.maxnumf", 2})
      .Case("min", {isNan ? "arith.minimumf" : "arith.minnumf", 2})
      .Case("mul", {"arith.mulf", 2})
      .Case("neg", {"arith.negf", 1})
      .Case("rcp", {"arith.divf", 1})
      .Case("rsqrt", {"math.rsqrt", 1})
      .Case("sin", {"math.sin", 1})
      .Case("sqrt", {"math.sqrt", 1})
      .Case("sub", {"arith.subf", 2})
      .Case("tanh", {"math.tanh", 1})
      .Default({});
}
} // namespace

/// Instructions that are one operation, or nearly so. Rounding to nearest and
/// approximations within the bounds of `math` are all that is known.
Value AssemblyMachine::floats(const Statement &i, Type element,
                              ValueRange args) {
  if (i.name == "testp") {
    if (args.size() != 1 || i.modifiers.size() != 1)
      return {};
    Value infinite = compare(arith::CmpFPredicate::OEQ,
                             math::AbsFOp::create(b, loc, args[0]),
                             number(element, HUGE_VAL));
    Value nan = compare(arith::CmpFPredicate::UNO, args[0], args[0]);
    Value isNumber = compare(arith::CmpFPredicate::ORD, args[0], args[0]);
    if (i.has("finite"))
      return make("arith.andi",
                  {isNumber, make("arith.xori", {infinite, integer(1, 1)},
                                  b.getI1Type())},
                  b.getI1Type());
    return i.has("infinite")     ? infinite
           : i.has("number")     ? isNumber
           : i.has("notanumber") ? nan
                                 : Value();
  }
  FloatOperation operation = findOperation(i);
  if (operation.name.empty() || args.size() != operation.arity ||
      !i.hasOnly({"approx", "full", "ftz", "rn", "NaN", "sat", "relu"}))
    return {};
  SmallVector<Value> operands(args);
  // Bits of the sign come first there, the magnitude second.
  if (i.name == "copysign")
    std::swap(operands[0], operands[1]);
  bool flushes = i.has("ftz") && !element.isF64();
  if (flushes)
    for (Value &operand : operands)
      operand = flush(operand);
  if (i.name == "rcp")
    operands.insert(operands.begin(), number(element, 1));
  Value result = make(operation.name, operands, element);
  if (flushes)
    result = flush(result);
  if (i.has("relu")) // NaN stays
    result = make("arith.maximumf", {result, number(element, 0)}, element);
  if (i.has("sat")) // NaN gives 0
    result = make("arith.minnumf",
                  {make("arith.maxnumf", {result, number(element, 0)}, element),
                   number(element, 1)},
                  element);
  return result;
}

/// The same on each half of registers of 32 or 64 bits.
Value AssemblyMachine::packedFloats(const Statement &i, Type whole) {
  if (whole.getIntOrFloatBitWidth() < 32)
    return {};
  Type element = i.type() == "f16x2"   ? Type(b.getF16Type())
                 : i.type() == "f32x2" ? Type(b.getF32Type())
                                       : b.getBF16Type();
  unsigned bits = whole.getIntOrFloatBitWidth(), part = bits / 2;
  SmallVector<Value> halves[2];
  for (const AssemblyOperand &operand : llvm::drop_begin(i.operands)) {
    Value value = read(operand.name(), whole);
    if (!value)
      return {};
    Value high = make("arith.shrui", {value, integer(bits, part)}, whole);
    halves[0].push_back(as(resize(value, part), element));
    halves[1].push_back(as(resize(high, part), element));
  }
  Value results[2];
  for (int half : {0, 1}) {
    results[half] = i.name == "mov" ? halves[half].front()
                                    : floats(i, element, halves[half]);
    if (!results[half] || getElementTypeOrSelf(results[half]) != element)
      return {};
    results[half] = resize(results[half], bits);
  }
  Value high = make("arith.shli", {results[1], integer(bits, part)}, whole);
  return make("arith.ori", {results[0], high}, whole);
}
