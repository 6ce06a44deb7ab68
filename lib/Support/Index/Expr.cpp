//===- Expr.cpp - Sizes and coordinates as expressions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Expr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace kiln::index;

/// What is longer is unknown: products of sums of products grow without bound.
static constexpr size_t kMostTerms = 256, kMostFactors = 64;

/// The order of terms; says nothing about coefficients.
static bool comesBefore(const Expr::Term &a, const Expr::Term &b) {
  if (a.dim != b.dim)
    return a.dim < b.dim;
  return std::lexicographical_compare(a.factors.begin(), a.factors.end(),
                                      b.factors.begin(), b.factors.end());
}

Expr Expr::dim(unsigned dim) {
  Expr result;
  result.terms.push_back({1, static_cast<int>(dim), {}});
  return result;
}

Expr Expr::symbol(unsigned symbol) {
  Expr result;
  result.terms.push_back({1, -1, {symbol}});
  return result;
}

Expr Expr::unknown() {
  Expr result;
  result.known = false;
  return result;
}

void Expr::addTerm(const Term &term) {
  auto *at = llvm::lower_bound(terms, term, comesBefore);
  if (at == terms.end() || !at->sameProduct(term)) {
    terms.insert(at, term);
    return;
  }
  Integer total = add(at->coefficient, term.coefficient);
  if (!total)
    *this = unknown();
  else if (*total == 0)
    terms.erase(at);
  else
    at->coefficient = *total;
}

Expr Expr::sum(const Expr &a, const Expr &b, int64_t factor) {
  if (!a.known || !b.known)
    return unknown();
  Integer number = factor == 1 ? kiln::index::add(a.number, b.number)
                               : kiln::index::sub(a.number, b.number);
  if (!number)
    return unknown();
  Expr result = a;
  result.number = *number;
  for (Term term : b.terms) {
    Integer coefficient = kiln::index::mul(term.coefficient, factor);
    if (!coefficient || !result.known)
      return unknown();
    term.coefficient = *coefficient;
    result.addTerm(term);
    if (result.terms.size() > kMostTerms)
      return unknown();
  }
  return result;
}

// A friend that no other declaration names: within its namespace.
namespace kiln::index {
Expr operator*(const Expr &a, const Expr &b) {
  if (!a.known || !b.known ||
      (a.terms.size() + 1) * (b.terms.size() + 1) > kMostTerms)
    return Expr::unknown();
  Expr result;
  auto multiply = [&](int64_t x, int64_t y) {
    Integer product = mul(x, y);
    if (!product)
      result = Expr::unknown();
    return product.value_or(0);
  };
  result.number = multiply(a.number, b.number);
  auto addScaled = [&](Expr::Term term, int64_t factor) {
    if (factor == 0 || !result.known)
      return;
    term.coefficient = multiply(term.coefficient, factor);
    if (result.known)
      result.addTerm(term);
  };
  for (const Expr::Term &x : a.terms)
    addScaled(x, b.number);
  for (const Expr::Term &y : b.terms)
    addScaled(y, a.number);
  for (const Expr::Term &x : a.terms)
    for (const Expr::Term &y : b.terms) {
      if ((x.dim >= 0 && y.dim >= 0) ||
          x.factors.size() + y.factors.size() > kMostFactors)
        return Expr::unknown();
      Expr::Term term = x;
      term.dim = std::max(x.dim, y.dim);
      term.factors.append(y.factors);
      llvm::sort(term.factors);
      addScaled(term, y.coefficient);
    }
  return result;
}
} // namespace kiln::index

SmallVector<int, 2> Expr::dims() const {
  SmallVector<int, 2> result;
  for (const Term &term : terms)
    if (term.dim >= 0 && (result.empty() || result.back() != term.dim))
      result.push_back(term.dim);
  return result;
}

bool Expr::dependsOn(int dim) const {
  return llvm::any_of(terms, [&](const Term &term) { return term.dim == dim; });
}

Expr Expr::coefficient(int dim) const {
  if (!known)
    return unknown();
  Expr result;
  for (Term term : terms)
    if (term.dim == dim) {
      term.dim = -1;
      if (term.factors.empty())
        result.number = term.coefficient;
      else
        result.terms.push_back(term);
    }
  return result;
}

int64_t Expr::scale(int dim) const {
  for (const Term &term : terms)
    if (term.dim == dim && term.factors.empty())
      return term.coefficient;
  return 0;
}

Expr Expr::without(llvm::function_ref<bool(int)> drop) const {
  Expr result = *this;
  llvm::erase_if(result.terms, [&](const Term &term) {
    return term.dim >= 0 && drop(term.dim);
  });
  return result;
}

llvm::hash_code kiln::index::hash_value(const Expr &expr) {
  llvm::hash_code hash = llvm::hash_combine(expr.isKnown(), expr.getNumber());
  for (const Expr::Term &term : expr.getTerms())
    hash = llvm::hash_combine(
        hash, term.coefficient, term.dim,
        llvm::hash_combine_range(term.factors.begin(), term.factors.end()));
  return hash;
}

Expr Expr::offset() const {
  return without([](int) { return true; });
}

int Expr::asDim() const {
  return known && number == 0 && terms.size() == 1 &&
                 terms[0].coefficient == 1 && terms[0].factors.empty()
             ? terms[0].dim
             : -1;
}

int kiln::index::asSymbol(const Expr &expr) {
  ArrayRef<Expr::Term> terms = expr.getTerms();
  return expr.isKnown() && expr.getNumber() == 0 && terms.size() == 1 &&
                 terms[0].coefficient == 1 && terms[0].dim < 0 &&
                 terms[0].factors.size() == 1
             ? static_cast<int>(terms[0].factors[0])
             : -1;
}

bool kiln::index::isLinear(const Expr &expr) {
  return expr.isKnown() &&
         llvm::all_of(expr.getTerms(), [](const Expr::Term &term) {
           return term.factors.size() + (term.dim >= 0) == 1;
         });
}

int64_t kiln::index::contentOf(const Expr &expr) {
  // Of absolute values, so that INT64_MIN has one, too.
  auto magnitude = [](int64_t n) {
    return n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  };
  uint64_t result = magnitude(expr.getNumber());
  for (const Expr::Term &term : expr.getTerms())
    result = std::gcd(result, magnitude(term.coefficient));
  // 2^63 does not fit; half of it divides, too.
  return result >> 63 ? int64_t(1) << 62 : static_cast<int64_t>(result);
}

std::optional<Expr> Expr::exactDiv(const Expr &divisor) const {
  if (!known || !divisor.known)
    return std::nullopt;
  Term by;
  by.coefficient = divisor.number;
  if (!divisor.terms.empty()) {
    if (divisor.terms.size() != 1 || divisor.number != 0 ||
        divisor.terms[0].dim >= 0)
      return std::nullopt;
    by = divisor.terms[0];
  }
  auto quotient = [&](int64_t n) -> Integer {
    if (!divides(n, by.coefficient) || n % by.coefficient != 0)
      return std::nullopt;
    return n / by.coefficient;
  };
  Expr result;
  if (number != 0 && !by.factors.empty())
    return std::nullopt;
  Integer rest = quotient(number);
  if (!rest)
    return std::nullopt;
  result.number = *rest;
  for (Term term : terms) {
    Integer coefficient = quotient(term.coefficient);
    if (!coefficient)
      return std::nullopt;
    term.coefficient = *coefficient;
    for (unsigned factor : by.factors) {
      auto *found = llvm::find(term.factors, factor);
      if (found == term.factors.end())
        return std::nullopt;
      term.factors.erase(found);
    }
    if (term.factors.empty() && term.dim < 0)
      result.number = term.coefficient; // no number was there: see above
    else
      result.addTerm(term);
  }
  return result;
}

Expr Expr::substitute(llvm::function_ref<Expr(unsigned)> ofSymbol,
                      llvm::function_ref<Expr(int)> ofDim) const {
  if (!known)
    return unknown();
  Expr result = number;
  for (const Term &term : terms) {
    Expr product = term.coefficient;
    if (term.dim >= 0)
      product = product * (ofDim ? ofDim(term.dim) : dim(term.dim));
    for (unsigned factor : term.factors)
      product = product * ofSymbol(factor);
    result = result + product;
  }
  return result;
}

Integer Expr::evaluate(llvm::function_ref<Integer(unsigned)> ofSymbol,
                       llvm::function_ref<Integer(int)> ofDim) const {
  auto number = [](Integer value) {
    return value ? Expr(*value) : Expr::unknown();
  };
  return toInteger(substitute(
      [&](unsigned s) { return number(ofSymbol(s)); },
      [&](int d) { return ofDim ? number(ofDim(d)) : Expr::unknown(); }));
}

void Expr::print(llvm::raw_ostream &os) const {
  if (!known) {
    os << "unknown";
    return;
  }
  bool first = true;
  auto printTerm = [&](const Term &term) {
    os << (first ? "" : " + ");
    first = false;
    StringRef times = "";
    if (term.coefficient != 1) {
      os << term.coefficient;
      times = "*";
    }
    if (term.dim >= 0) {
      os << times << 'd' << term.dim;
      times = "*";
    }
    for (unsigned factor : term.factors) {
      os << times << 's' << factor;
      times = "*";
    }
  };
  for (const Term &term : terms)
    if (term.dim >= 0)
      printTerm(term);
  for (const Term &term : terms)
    if (term.dim < 0)
      printTerm(term);
  if (number != 0 || first)
    os << (first ? "" : " + ") << number;
}
