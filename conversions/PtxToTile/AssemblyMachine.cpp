//===- AssemblyMachine.cpp - Inline assembly on symbolic registers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"

using namespace mlir;
using namespace kiln::tile;

char kiln::tile::kindOfAssemblyType(StringRef type) {
  if (type == "bf16" || type == "bf16x2" || type == "tf32" ||
      type.starts_with("e"))
    return 'f';
  return type.empty() ? ' ' : type.front();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type AssemblyMachine::typeOf(StringRef name) {
  if (name == "bf16")
    return b.getBF16Type();
  if (name == "pred")
    return b.getI1Type();
  if (name == "tf32")
    return b.getF32Type();
  // Pairs are in a register of integers.
  if (name == "f16x2" || name == "bf16x2" || name == "s16x2" || name == "u16x2")
    return b.getI32Type();
  if (name == "f32x2")
    return b.getI64Type();
  if (name == "e4m3x2" || name == "e5m2x2")
    return b.getI16Type();
  if (name == "e2m1x2")
    return b.getI8Type();
  unsigned bits = 0;
  if (name.empty() || name.drop_front().getAsInteger(10, bits))
    return {};
  if (name.front() != 'f')
    return b.getIntegerType(bits);
  return bits == 16   ? Type(b.getF16Type())
         : bits == 32 ? Type(b.getF32Type())
                      : Type(b.getF64Type());
}

Value AssemblyMachine::integer(unsigned bits, int64_t value) {
  Type element = b.getIntegerType(bits);
  TypedAttr attr =
      b.getIntegerAttr(element, APInt(64, value).zextOrTrunc(bits));
  if (tile)
    attr = DenseElementsAttr::get(tile.clone(element), Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value AssemblyMachine::number(Type element, double value) {
  TypedAttr attr = b.getFloatAttr(element, value);
  if (tile)
    attr = DenseElementsAttr::get(tile.clone(element), Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value AssemblyMachine::make(StringRef name, ValueRange operands, Type element) {
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(like(element));
  return b.create(state)->getResult(0);
}

Value AssemblyMachine::as(Value value, Type element) {
  // Registers have no types: what was a number of this type is it again.
  if (auto cast = value.getDefiningOp<arith::BitcastOp>())
    if (getElementTypeOrSelf(cast.getIn().getType()) == element)
      return cast.getIn();
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (!from.isIntOrFloat() ||
      from.getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth())
    return {};
  return arith::BitcastOp::create(b, loc, like(element), value);
}

Value AssemblyMachine::resize(Value value, unsigned bits, bool isSigned) {
  Type from = getElementTypeOrSelf(value.getType());
  unsigned width = from.getIntOrFloatBitWidth();
  value = as(value, b.getIntegerType(width));
  if (width == bits)
    return value;
  return make(width > bits ? "arith.trunci"
              : isSigned   ? "arith.extsi"
                           : "arith.extui",
              value, b.getIntegerType(bits));
}

Value AssemblyMachine::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}
Value AssemblyMachine::compare(arith::CmpFPredicate predicate, Value x,
                               Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}
Value AssemblyMachine::compare(arith::CmpIPredicate predicate, Value x,
                               Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void AssemblyMachine::define(StringRef name, unsigned bits, Value value) {
  scopes.front()[name] = {bits, value};
}

bool AssemblyMachine::fail(const Twine &why) {
  if (problem.empty())
    problem = why.str();
  return false;
}

AssemblyMachine::Register *AssemblyMachine::find(StringRef name) {
  for (auto &scope : llvm::reverse(scopes)) {
    auto found = scope.find(name);
    if (found != scope.end())
      return &found->second;
  }
  return nullptr;
}

bool AssemblyMachine::declare(const Statement &i) {
  unsigned bits = typeOf(i.name).getIntOrFloatBitWidth();
  for (const AssemblyOperand &operand : i.operands) {
    StringRef name = operand.name();
    // `r<4>` stands for r0, r1, r2 and r3.
    auto [stem, rest] = name.split('<');
    unsigned count = 0;
    if (rest.empty()) {
      scopes.back()[name] = {bits, Value()};
      continue;
    }
    constexpr unsigned kMost = 4096;
    if (!rest.consume_back(">") || rest.getAsInteger(10, count) ||
        count > kMost)
      return fail("the declaration '" + i.text + "'");
    for (unsigned k = 0; k < count; ++k)
      scopes.back()[(stem + Twine(k)).str()] = {bits, Value()};
  }
  return true;
}

Value AssemblyMachine::readLiteral(StringRef text, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  auto type = dyn_cast<FloatType>(element);
  double real;
  if (type && text.contains('.') && !text.getAsDouble(real))
    return number(type, real);
  // The bits of floats begin with 0f and 0d.
  StringRef digits = text;
  APInt value(64, 0);
  bool isFloat = bits == 32   ? digits.consume_front_insensitive("0f")
                 : bits == 64 ? digits.consume_front_insensitive("0d")
                              : false;
  bool isNegative = digits.consume_front("-");
  if (!isFloat)
    digits.consume_back("U");
  // Half floats are stated by their bits.
  bool isBits = type && bits == 16 && digits.starts_with_insensitive("0x");
  if ((type && !isFloat && !isBits) || bits == 1)
    return {};
  if (isFloat ? digits.getAsInteger(16, value) : digits.getAsInteger(0, value))
    return {};
  if (value.getActiveBits() > bits)
    return {};
  value = value.zextOrTrunc(64);
  if (isNegative)
    value.negate();
  if (!type)
    return integer(bits, value.getSExtValue());
  TypedAttr attr = b.getFloatAttr(
      type, APFloat(type.getFloatSemantics(), value.zextOrTrunc(bits)));
  if (tile)
    attr = DenseElementsAttr::get(tile.clone(element), Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value AssemblyMachine::read(StringRef name, Type element) {
  bool isNegated = name.consume_front("!");
  Register *known = find(name);
  Value value;
  if (!known) {
    value = readLiteral(name, element);
    if (!value && element.isInteger())
      value = readSpecial(name, element.getIntOrFloatBitWidth());
    if (!value && problem.empty())
      fail("the operand '" + name + "'");
  } else if (!known->value) {
    fail("the register '" + name + "', which is read before it is written");
  } else {
    value = as(known->value, element);
    if (!value)
      fail("the register '" + name + "' of another width");
  }
  if (!value || !isNegated)
    return value;
  if (!element.isInteger(1)) {
    fail("the operand '!" + name + "'");
    return {};
  }
  return make("arith.xori", {value, integer(1, 1)}, element);
}

Value AssemblyMachine::readBits(StringRef name, unsigned bits) {
  Register *known = find(name);
  if (known && known->value &&
      getElementTypeOrSelf(known->value.getType()).getIntOrFloatBitWidth() >
          bits)
    return resize(known->value, bits);
  return read(name, b.getIntegerType(bits));
}

Value AssemblyMachine::guardOf(const Statement &i) {
  Value guard = read(i.guard, b.getI1Type());
  if (!guard || !i.isGuardNegated)
    return guard;
  return make("arith.xori", {guard, integer(1, 1)}, b.getI1Type());
}

bool AssemblyMachine::write(const Statement &i, StringRef name, Value value,
                            bool isSigned) {
  if (name == "_")
    return true;
  Register *to = find(name);
  if (!to)
    return fail("the register '" + name + "', which is not declared");
  Type element = getElementTypeOrSelf(value.getType());
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits > to->bits || (bits == 1) != (to->bits == 1))
    return fail("a result of " + Twine(bits) + " bits in the register '" +
                name + "' of " + Twine(to->bits));
  if (bits < to->bits)
    value = resize(value, to->bits, isSigned);
  if (!i.guard.empty()) {
    Value guard = guardOf(i);
    if (!guard)
      return false;
    element = getElementTypeOrSelf(value.getType());
    // What was never written is unspecified where the guard does not hold.
    Value old =
        to->value ? as(to->value, element) : as(integer(to->bits, 0), element);
    value = select(guard, value, old);
  }
  to->value = value;
  return true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool AssemblyMachine::run(StringRef text) {
  std::vector<Statement> statements;
  if (!parseAssembly(text, statements, problem))
    return false;
  for (const Statement &i : statements) {
    switch (i.kind) {
    case Statement::Open:
      scopes.emplace_back();
      break;
    case Statement::Close:
      scopes.pop_back();
      break;
    case Statement::Declaration:
      if (!declare(i))
        return false;
      break;
    case Statement::Instruction:
      if (!step(i)) {
        std::string why = problem.empty() ? "" : ": " + problem;
        problem = "the instruction '" + i.text + "'" + why;
        return false;
      }
      break;
    }
  }
  return true;
}

bool AssemblyMachine::step(const Statement &i) {
  if (i.operands.size() < 2)
    return false;
  if (i.name == "setp")
    return test(i);
  for (const AssemblyOperand &operand : i.operands)
    if (operand.isVector)
      return moveVector(i);
  Value result = compute(i);
  bool isSigned = kindOfAssemblyType(i.type()) == 's';
  return result && write(i, i.operands.front().name(), result, isSigned);
}

/// mov between a register and several that are its parts, the low one first.
bool AssemblyMachine::moveVector(const Statement &i) {
  if (i.name != "mov" || i.operands.size() != 2 || i.types.size() != 1 ||
      !i.modifiers.empty())
    return false;
  const AssemblyOperand &to = i.operands[0], &from = i.operands[1];
  unsigned bits = typeOf(i.type()).getIntOrFloatBitWidth();
  if (to.isVector == from.isVector || kindOfAssemblyType(i.type()) != 'b')
    return false;
  size_t count = (to.isVector ? to : from).names.size();
  if ((count != 2 && count != 4) || bits / count < 8)
    return false;
  unsigned part = bits / count;
  if (to.isVector) {
    Value whole = read(from.name(), b.getIntegerType(bits));
    if (!whole)
      return false;
    for (auto [k, name] : llvm::enumerate(to.names)) {
      Value shifted = k ? make("arith.shrui", {whole, integer(bits, k * part)},
                               b.getIntegerType(bits))
                        : whole;
      if (!write(i, name, resize(shifted, part), /*isSigned=*/false))
        return false;
    }
    return true;
  }
  Value whole;
  for (auto [k, name] : llvm::enumerate(from.names)) {
    Value value = read(name, b.getIntegerType(part));
    if (!value)
      return false;
    value = resize(value, bits);
    if (k)
      value = make("arith.shli", {value, integer(bits, k * part)},
                   b.getIntegerType(bits));
    whole = whole ? make("arith.ori", {whole, value}, b.getIntegerType(bits))
                  : value;
  }
  return write(i, to.name(), whole, /*isSigned=*/false);
}

/// Everything with one result, by name.
Value AssemblyMachine::compute(const Statement &i) {
  if (i.name == "cvt")
    return convert(i);
  if (i.name == "prmt")
    return permute(i);
  if (i.name == "shf")
    return funnelShift(i);
  if (i.name == "lop3")
    return lookUp(i);
  if (i.name == "dp4a" || i.name == "dp2a")
    return dotParts(i);
  if (i.name == "slct")
    return selectBySign(i);
  if (i.types.size() != 1)
    return {};
  Type element = typeOf(i.type());
  char kind = kindOfAssemblyType(i.type());
  bool isSigned = kind == 's';
  if (i.type().ends_with("x2"))
    return kind == 'f' ? packedFloats(i, element) : packedIntegers(i);
  if (i.name == "shl" || i.name == "shr")
    return shift(i, element, isSigned);
  if (i.name == "bfe")
    return extractField(i, element, isSigned);
  if (i.name == "bfi")
    return insertField(i, element);
  if (i.name == "bmsk")
    return maskField(i);
  if (i.name == "szext")
    return extendField(i, isSigned);
  if (i.name == "bfind")
    return findBit(i, element, isSigned);
  bool isInteger = isSigned || kind == 'u';
  bool hasCarry =
      i.has("cc") || i.name == "addc" || i.name == "subc" || i.name == "madc";
  if (isInteger && hasCarry)
    return carried(i, element);
  if (isInteger && i.name == "sad")
    return sumDistance(i, element, isSigned);
  if (isInteger &&
      llvm::is_contained({"mul", "mad", "mul24", "mad24"}, StringRef(i.name)))
    return product(i, element, isSigned);
  SmallVector<Value> args;
  for (size_t n = 1; n < i.operands.size(); ++n) {
    bool isCondition = i.name == "selp" && n == 3;
    Value value =
        read(i.operands[n].name(), isCondition ? b.getI1Type() : element);
    if (!value)
      return {};
    args.push_back(value);
  }
  if (i.name == "mov" && i.modifiers.empty() && args.size() == 1)
    return args[0];
  if (i.name == "selp" && i.modifiers.empty() && args.size() == 3)
    return select(args[2], args[0], args[1]);
  if (kind == 'f')
    return floats(i, element, args);
  return isInteger ? integers(i, element, isSigned, args)
                   : bitwise(i, element, args);
}
