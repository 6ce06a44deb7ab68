//===- Math.cpp - Symbols and arithmetic on sizes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Math.h"
#include "kiln/Index/Reader.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::index;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Expr Symbols::of(Value value) {
  if (Integer number = getNumber(value))
    return *number;
  auto [it, isNew] = ofValue.try_emplace(value, entries.size());
  if (isNew)
    entries.emplace_back().value = value;
  return Expr::symbol(it->second);
}

Expr Symbols::of(const void *key, unsigned part) {
  auto [it, isNew] = ofKey.try_emplace({key, part}, entries.size());
  if (isNew)
    entries.emplace_back();
  return Expr::symbol(it->second);
}

/// The result where it is a number or one of the operands.
static std::optional<Expr> fold(Derived kind, const Expr &a, const Expr &b) {
  bool isDivision = kind == Derived::FloorDiv || kind == Derived::CeilDiv;
  if (a.isStatic() && b.isStatic()) {
    Integer known = kind == Derived::FloorDiv  ? floorDiv(a.get(), b.get())
                    : kind == Derived::CeilDiv ? ceilDiv(a.get(), b.get())
                    : kind == Derived::Min     ? min(a.get(), b.get())
                                               : max(a.get(), b.get());
    if (known)
      return Expr(*known);
    return std::nullopt;
  }
  if (isDivision)
    return a.exactDiv(b);
  // Which is smaller follows from a difference that is a number.
  Expr difference = a - b;
  if (!difference.isStatic())
    return std::nullopt;
  return (difference.get() < 0) == (kind == Derived::Min) ? a : b;
}

Expr Symbols::derive(Derived kind, const Expr &a, const Expr &b) {
  if (!a.isKnown() || !b.isKnown() || a.hasDims() || b.hasDims())
    return Expr::unknown();
  if (std::optional<Expr> known = fold(kind, a, b))
    return *known;
  size_t hash = llvm::hash_combine(static_cast<int>(kind), a, b);
  bool commutes = kind == Derived::Min || kind == Derived::Max;
  if (commutes)
    hash = static_cast<size_t>(kind) + hash_value(a) + hash_value(b);
  auto [first, last] = ofDerived.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Entry &entry = entries[it->second];
    if (entry.kind == kind && ((entry.a == a && entry.b == b) ||
                               (commutes && entry.a == b && entry.b == a)))
      return Expr::symbol(it->second);
  }
  ofDerived.emplace(hash, entries.size());
  entries.push_back({Value(), true, kind, a, b});
  return Expr::symbol(entries.size() - 1);
}

//===----------------------------------------------------------------------===//
// Math
//===----------------------------------------------------------------------===//

Expr Math::of(Value value) {
  auto found = exprs.find(value);
  if (found != exprs.end())
    return found->second;
  Reader reader(Reader::Sizes, [&](Value leaf) { return symbols.of(leaf); });
  Expr expr = reader.read(value).value_or(Expr::unknown());
  if (!expr.isKnown())
    expr = symbols.of(value);
  exprs[value] = expr;
  if (!expr.isStatic())
    values.try_emplace(expr, value);
  return expr;
}

Expr Math::checked(Expr result, const Expr &a, const Expr &b, const char *op) {
  if (result.isKnown() || !a.isKnown() || !b.isKnown() || a.hasDims() ||
      b.hasDims())
    return result;
  if (errorLoc && !didFail) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "unsupported: a size that does not fit 64 bits: (";
    a.print(os);
    os << ") " << op << " (";
    b.print(os);
    os << ")";
    emitError(*errorLoc) << text;
  }
  didFail = true;
  return result;
}

Expr Math::product(ArrayRef<Expr> factors) {
  Expr result = 1;
  for (const Expr &factor : factors)
    result = mul(result, factor);
  return result;
}

Value Math::value(const Expr &size) {
  assert(builder && "values are computed with a builder");
  ScalarBuilder arith(*builder, *loc);
  // After a size that does not fit, anything will do.
  if (!size.isKnown())
    return arith.materialize(arith.constant(0));
  // Constants are cheap and merged later.
  if (size.isStatic())
    return arith.materialize(arith.constant(size.get()));
  auto found = values.find(size);
  if (found != values.end())
    return found->second;
  Value result = compute(size);
  values[size] = result;
  exprs.try_emplace(result, size);
  return result;
}

Value Math::computeSymbol(unsigned symbol) {
  // Copied, as operands may make more symbols.
  Symbols::Entry entry = symbols[symbol];
  if (!entry.isDerived) {
    assert(entry.value && "only values can be computed with");
    return entry.value;
  }
  ScalarBuilder arith(*builder, *loc);
  Value a = value(entry.a), b = value(entry.b);
  switch (entry.kind) {
  case Derived::FloorDiv:
    return arith.materialize(arith.floorDiv(a, b));
  case Derived::CeilDiv:
    return arith.materialize(arith.ceilDiv(a, b));
  case Derived::Min:
    return arith.materialize(arith.min(a, b));
  case Derived::Max:
    return arith.materialize(arith.max(a, b));
  }
  llvm_unreachable("all kinds were seen");
}

/// One of the factors times the rest: strides are products of the last sizes.
Value Math::computeTerm(const Expr::Term &term) {
  ScalarBuilder arith(*builder, *loc);
  Expr rest = 1;
  for (unsigned factor : ArrayRef(term.factors).drop_front())
    rest = rest * Expr::symbol(factor);
  if (term.coefficient != 1) {
    rest = rest * Expr::symbol(term.factors.front());
    Value product = value(rest);
    return arith.materialize(
        arith.mul(product, arith.constant(term.coefficient)));
  }
  if (rest.is(1))
    return computeSymbol(term.factors.front());
  Value first = value(Expr::symbol(term.factors.front()));
  return arith.materialize(arith.mul(first, value(rest)));
}

Value Math::compute(const Expr &size) {
  ScalarBuilder arith(*builder, *loc);
  assert(!size.hasDims() && "only sizes have values");
  if (size.getTerms().size() == 1 && size.getNumber() == 0)
    return computeTerm(size.getTerms().front());
  // What is subtracted comes after what it is taken from.
  OpFoldResult sum;
  for (bool negative : {false, true})
    for (const Expr::Term &term : size.getTerms()) {
      Integer magnitude = kiln::index::sub(0, term.coefficient);
      bool subtracts = sum && term.coefficient < 0 && magnitude;
      if (negative != (term.coefficient < 0))
        continue;
      Expr product = subtracts ? *magnitude : term.coefficient;
      for (unsigned factor : term.factors)
        product = product * Expr::symbol(factor);
      Value operand = value(product);
      sum = !sum        ? OpFoldResult(operand)
            : subtracts ? arith.sub(sum, operand)
                        : arith.add(sum, operand);
    }
  Integer magnitude = kiln::index::sub(0, size.getNumber());
  if (size.getNumber() < 0 && magnitude)
    sum = arith.sub(sum, arith.constant(*magnitude));
  else
    sum = arith.add(sum, arith.constant(size.getNumber()));
  return arith.materialize(sum);
}
