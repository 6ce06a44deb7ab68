// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly that other operations express, translated by meaning.
//
// The text is run on symbolic registers: each is a tile with one element for
// each time that the text would have run, and each instruction an operation.
#include "Assembly.h"
#include "AssemblyMachine.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kiln::triton_to_tile {

Type Machine::typeOf(StringRef name) {
  if (name == "bf16")
    return b.getBF16Type();
  if (name == "pred")
    return b.getI1Type();
  unsigned bits = 0;
  (void)name.drop_front().getAsInteger(10, bits);
  if (name.front() != 'f')
    return b.getIntegerType(bits);
  return bits == 16   ? Type(b.getF16Type())
         : bits == 32 ? Type(b.getF32Type())
         : bits == 64 ? Type(b.getF64Type())
                      : Type(b.getIntegerType(bits));
}

Value Machine::constant(Type element, Attribute value) {
  if (tile)
    value = DenseElementsAttr::get(tile.clone(element), value);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(value));
}

Value Machine::as(Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (!from.isIntOrFloat() ||
      from.getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth())
    return {};
  return arith::BitcastOp::create(b, loc, like(element), value);
}

/// A register or a literal; null for what is neither.
Value Machine::read(StringRef arg, Type element) {
  if (Value known = registers.lookup(arg))
    return as(known, element);
  unsigned bits = element.getIntOrFloatBitWidth();
  auto type = dyn_cast<FloatType>(element);
  double real;
  if (type && arg.contains('.') && !arg.getAsDouble(real))
    return number(type, real);
  // The bits of floats begin with 0f and 0d.
  StringRef digits = arg;
  APInt value(64, 0);
  bool isFloat = bits == 32   ? digits.consume_front_insensitive("0f")
                 : bits == 64 ? digits.consume_front_insensitive("0d")
                              : false;
  digits.consume_front("-");
  if (type && !isFloat)
    return {};
  if (isFloat ? digits.getAsInteger(16, value) : digits.getAsInteger(0, value))
    return {};
  if (value.getActiveBits() > bits)
    return {};
  value = value.zextOrTrunc(bits);
  if (arg.starts_with("-"))
    value.negate();
  return as(integer(b.getIntegerType(bits), value), element);
}

Value Machine::make(StringRef name, ValueRange operands, Type element) {
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(like(element));
  return b.create(state)->getResult(0);
}

namespace {

bool isTypeName(StringRef word) {
  if (word == "bf16" || word == "pred")
    return true;
  unsigned bits;
  return word.size() > 1 && StringRef("fsub").contains(word.front()) &&
         !word.drop_front().getAsInteger(10, bits) &&
         llvm::is_contained({8u, 16u, 32u, 64u}, bits) &&
         (word.front() != 'f' || bits > 8);
}

std::optional<Instruction> parseInstruction(StringRef statement) {
  Instruction result;
  auto [opcode, rest] = statement.split(' ');
  SmallVector<StringRef> parts;
  opcode.split(parts, '.');
  result.name = parts.front();
  for (StringRef part : llvm::drop_begin(parts))
    (isTypeName(part) ? result.types : result.modifiers).push_back(part);
  rest.split(result.args, ',');
  for (StringRef &arg : result.args)
    arg = arg.trim();
  size_t numTypes = result.name == "cvt" && !result.has("tf32") ? 2 : 1;
  if (result.types.size() != numTypes || result.args.size() < 2)
    return std::nullopt;
  return result;
}

} // namespace

bool Machine::step(const Instruction &i) {
  Type element = typeOf(i.types.back());
  Value result;
  if (i.name == "cvt" && i.has("rna") && i.has("tf32") &&
      i.modifiers.size() == 2 && element.isF32() && i.args.size() == 2) {
    if (Value value = read(i.args[1], element))
      result = toTf32(value);
  } else if (i.name == "cvt") {
    result = convert(i);
    // Registers have no 8 bits.
    if (result && getElementTypeOrSelf(result.getType()).isInteger(8))
      result = make(i.kind() == 's' ? "arith.extsi" : "arith.extui", result,
                    b.getI32Type());
  } else if (i.name == "setp") {
    result = test(i, element);
  } else if (i.name == "shl" || i.name == "shr") {
    result = shift(i, element);
  } else {
    SmallVector<Value> args;
    size_t count = i.args.size() - (i.name == "lop3" ? 1 : 0);
    for (size_t n = 1; n < count; ++n) {
      bool isCondition = i.name == "selp" && n == 3;
      args.push_back(read(i.args[n], isCondition ? b.getI1Type() : element));
      if (!args.back())
        return false;
    }
    bool isInteger = i.kind() == 's' || i.kind() == 'u';
    bool isPlain = i.modifiers.empty(), isFloat = i.kind() == 'f';
    if (i.name == "mov" && isPlain && args.size() == 1)
      result = args[0];
    else if (i.name == "not" && isPlain && args.size() == 1 && !isFloat)
      result = make(
          "arith.xori",
          {args[0], integer(element, APInt::getAllOnes(
                                         element.getIntOrFloatBitWidth()))},
          element);
    else if (i.name == "neg" && i.kind() == 's' && isPlain && args.size() == 1)
      result =
          make("arith.subi",
               {integer(element, APInt(element.getIntOrFloatBitWidth(), 0)),
                args[0]},
               element);
    else if (i.name == "selp" && isPlain && args.size() == 3)
      result = select(args[2], args[0], args[1]);
    else if (i.name == "copysign" && isPlain && args.size() == 2 && isFloat)
      result = math::CopySignOp::create(b, loc, args[1], args[0]);
    else if (i.name == "lop3" && args.size() == 3)
      result = lookUp(i, args);
    else if ((i.name == "mul" || i.name == "mad") && isInteger)
      result = product(i, element, args);
    else
      result = simple(i, element, args);
  }
  if (!result)
    return false;
  registers[i.args.front()] = result;
  return true;
}

bool Machine::run(StringRef text) {
  std::string plain;
  for (StringRef line : llvm::split(text, '\n')) {
    plain += line.split("//").first;
    plain += ' ';
  }
  for (char &c : plain)
    if (llvm::isSpace(c))
      c = ' ';
  for (StringRef statement : llvm::split(plain, ';')) {
    // Braces only say how long names live.
    statement = statement.trim(" {}");
    if (statement.empty() || statement.starts_with(".reg "))
      continue;
    std::optional<Instruction> i = parseInstruction(statement);
    if (!i ||
        llvm::any_of(i->args,
                     [](StringRef arg) {
                       return arg.find_first_of("{}[]|!@") != StringRef::npos;
                     }) ||
        !step(*i))
      return false;
  }
  return true;
}

/// Bits of a register that a letter of the constraints names.
static unsigned registerBits(StringRef letter) {
  return llvm::StringSwitch<unsigned>(letter)
      .Case("h", 16)
      .Cases({"r", "f"}, 32)
      .Cases({"l", "d"}, 64)
      .Default(0);
}

std::optional<SmallVector<Value>>
translateAssembly(OpBuilder &builder, Location loc, StringRef text,
                  StringRef constraints, ValueRange operands,
                  TypeRange results) {
  SmallVector<StringRef> letters;
  constraints.split(letters, ',', -1, /*KeepEmpty=*/false);
  llvm::erase_if(letters, [](StringRef l) { return l.starts_with("~"); });
  if (letters.size() != operands.size() + results.size() || results.empty())
    return std::nullopt;
  auto translate = [&](OpBuilder &b) -> std::optional<SmallVector<Value>> {
    Machine machine(b, loc, results.front());
    auto nameOf = [](size_t n) { return ("$" + Twine(n)).str(); };
    for (auto [n, constraint] : llvm::enumerate(letters)) {
      StringRef letter = constraint;
      bool isResult = n < results.size();
      if (letter.consume_front("=") != isResult)
        return std::nullopt;
      letter.consume_front("&");
      Type type =
          isResult ? results[n] : operands[n - results.size()].getType();
      Type element = getElementTypeOrSelf(type);
      size_t same;
      bool isTied = !isResult && !letter.getAsInteger(10, same);
      if (isTied && same < results.size())
        machine.registers[nameOf(same)] = operands[n - results.size()];
      if (!element.isIntOrFloat() ||
          (!isTied && registerBits(letter) != element.getIntOrFloatBitWidth()))
        return std::nullopt;
      if (!isResult)
        machine.registers[nameOf(n)] = operands[n - results.size()];
    }
    if (!machine.run(text))
      return std::nullopt;
    SmallVector<Value> values;
    for (auto [n, type] : llvm::enumerate(results)) {
      Value value = machine.registers.lookup(nameOf(n));
      if (value)
        value = machine.as(value, getElementTypeOrSelf(type));
      if (!value)
        return std::nullopt;
      values.push_back(value);
    }
    return values;
  };
  // Tried aside first: what is not understood to its end leaves no trace.
  Block aside;
  OpBuilder trial(builder.getContext());
  trial.setInsertionPointToEnd(&aside);
  if (!translate(trial))
    return std::nullopt;
  return translate(builder);
}

} // namespace kiln::triton_to_tile
