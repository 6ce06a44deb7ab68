//===- AssemblyPredicates.cpp - Comparisons -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyMachine.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln::tile;

/// setp: a predicate, and its negation as a second result; combined with
/// another predicate.
bool AssemblyMachine::test(const Statement &i) {
  if (i.types.size() != 1 || i.modifiers.empty())
    return false;
  SmallVector<StringRef> modifiers(i.modifiers.begin(), i.modifiers.end());
  StringRef how = modifiers.front();
  StringRef combine;
  bool flushes = false;
  for (StringRef modifier : llvm::drop_begin(modifiers)) {
    if (modifier == "ftz")
      flushes = true;
    else if (llvm::is_contained({"and", "or", "xor"}, modifier))
      combine = modifier;
    else
      return false;
  }
  Type element = typeOf(i.type());
  if (i.operands.size() != (combine.empty() ? 3 : 4) ||
      (flushes && !element.isF32()) || i.type().contains('x'))
    return false;
  Value x = read(i.operands[1].name(), element);
  Value y = x ? read(i.operands[2].name(), element) : Value();
  if (!y)
    return false;
  if (flushes) {
    x = flush(x);
    y = flush(y);
  }
  Value holds = testOf(i, how, element, x, y);
  if (!holds)
    return false;
  Type bit = b.getI1Type();
  Value other;
  if (!combine.empty()) {
    other = read(i.operands[3].name(), bit);
    if (!other)
      return false;
  }
  auto combined = [&](Value predicate) {
    return other
               ? make(("arith." + combine + "i").str(), {predicate, other}, bit)
               : predicate;
  };
  auto [first, second] = i.operands[0].name().split('|');
  // Both are of what was there before.
  Value fails;
  if (!second.empty())
    fails = combined(make("arith.xori", {holds, integer(1, 1)}, bit));
  return write(i, first.trim(), combined(holds), false) &&
         (!fails || write(i, second.trim(), fails, false));
}

Value AssemblyMachine::testOf(const Statement &i, StringRef how, Type element,
                              Value x, Value y) {
  if (isa<FloatType>(element)) {
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
  bool isSigned = kindOfAssemblyType(i.type()) == 's';
  auto predicate = llvm::StringSwitch<std::optional<P>>(how)
                       .Case("eq", P::eq)
                       .Case("ne", P::ne)
                       .Cases({"lt", "lo"}, isSigned ? P::slt : P::ult)
                       .Cases({"le", "ls"}, isSigned ? P::sle : P::ule)
                       .Cases({"gt", "hi"}, isSigned ? P::sgt : P::ugt)
                       .Cases({"ge", "hs"}, isSigned ? P::sge : P::uge)
                       .Default(std::nullopt);
  return predicate ? compare(*predicate, x, y) : Value();
}
