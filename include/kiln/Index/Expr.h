//===- Expr.h - Sizes and coordinates as expressions ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A size is a sum of products of symbols with whole coefficients; a coordinate
// is linear in the dimensions of an iteration space, with sizes for
// coefficients and constant: affine where those are numbers, semi-affine
// otherwise. Expressions are kept in a canonical form, so that two that are
// equal as polynomials compare equal, however they were computed.
//
// Symbols are numbered by the `Symbols` that made them; dimensions by the
// owner of the space. Arithmetic is exact (see Integer.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_EXPR_H
#define KILN_INDEX_EXPR_H

#include "kiln/Index/Integer.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::index {

/// A size or a coordinate, or unknown. What is computed from something unknown,
/// does not fit 64 bits or is not linear in the dimensions is unknown.
class Expr {
public:
  /// coefficient * dimension * symbols.
  struct Term {
    int64_t coefficient = 0;                ///< not 0
    int dim = -1;                           ///< -1: none
    llvm::SmallVector<unsigned, 2> factors; ///< symbols, ascending

    bool sameProduct(const Term &other) const {
      return dim == other.dim && factors == other.factors;
    }
    bool operator==(const Term &other) const {
      return coefficient == other.coefficient && sameProduct(other);
    }
  };

  Expr(int64_t number = 0) : number(number) {}
  static Expr dim(unsigned dim);
  static Expr symbol(unsigned symbol);
  /// Equals nothing, not even itself.
  static Expr unknown();

  bool isKnown() const { return known; }
  /// A known number.
  bool isStatic() const { return known && terms.empty(); }
  /// Known to be this number.
  bool is(int64_t n) const { return isStatic() && number == n; }
  /// The number of a static expression.
  int64_t get() const {
    assert(isStatic() && "only known numbers have a value");
    return number;
  }
  /// The number, or kDynamic: what a type holds.
  int64_t asStatic() const {
    return isStatic() ? number : mlir::ShapedType::kDynamic;
  }

  /// Known to be the same whatever symbols and dimensions are.
  bool same(const Expr &other) const {
    return known && other.known && *this == other;
  }
  /// Written the same way; unknown ones are.
  bool operator==(const Expr &other) const {
    return known == other.known && number == other.number &&
           terms == other.terms;
  }
  bool operator!=(const Expr &other) const { return !(*this == other); }

  // --- As a function of dimensions ------------------------------------------
  /// The dimensions that appear, ascending.
  llvm::SmallVector<int, 2> dims() const;
  bool hasDims() const { return !terms.empty() && terms.back().dim >= 0; }
  bool dependsOn(int dim) const;
  /// What `dim` is multiplied with; has no dimensions.
  Expr coefficient(int dim) const;
  /// The number that `dim` is multiplied with; 0 where there is none.
  int64_t scale(int dim) const;
  /// What is left where all dimensions are 0.
  Expr offset() const;
  /// The dimension if the expression is just that, else -1.
  int asDim() const;
  /// Without the terms of the dimensions for which `drop` holds.
  Expr without(llvm::function_ref<bool(int)> drop) const;

  // --- As a polynomial -------------------------------------------------------
  /// The sum, less its number; ordered by dimension, then symbols.
  llvm::ArrayRef<Term> getTerms() const & { return terms; }
  void getTerms() && = delete; ///< the terms would not live on
  int64_t getNumber() const { return number; }
  /// The quotient where `divisor` divides every term (a number other than
  /// 0, or a product of symbols, which are taken not to be 0); else nothing.
  std::optional<Expr> exactDiv(const Expr &divisor) const;
  /// With expressions for symbols and dimensions.
  Expr substitute(llvm::function_ref<Expr(unsigned)> ofSymbol,
                  llvm::function_ref<Expr(int)> ofDim = nullptr) const;
  /// The value where symbols and dimensions have these values, if it fits.
  Integer evaluate(llvm::function_ref<Integer(unsigned)> ofSymbol,
                   llvm::function_ref<Integer(int)> ofDim = nullptr) const;

  friend Expr operator+(const Expr &a, const Expr &b) { return sum(a, b, 1); }
  friend Expr operator-(const Expr &a, const Expr &b) { return sum(a, b, -1); }
  friend Expr operator*(const Expr &a, const Expr &b);

  /// Prints `4*d0 + s0*s1 + 3`.
  void print(llvm::raw_ostream &os) const;

private:
  static Expr sum(const Expr &a, const Expr &b, int64_t factor);
  /// Adds one term; keeps the order.
  void addTerm(const Term &term);

  bool known = true;
  int64_t number = 0;
  llvm::SmallVector<Term, 0> terms;
};

/// Hashes an expression, for containers of LLVM.
llvm::hash_code hash_value(const Expr &expr);

/// For maps from expressions.
struct ExprHash {
  size_t operator()(const Expr &expr) const { return hash_value(expr); }
};

/// The number of a static expression.
inline Integer toInteger(const Expr &expr) {
  return expr.isStatic() ? Integer(expr.getNumber()) : Integer();
}
/// The symbol if the expression is just that, else -1.
int asSymbol(const Expr &expr);
/// True if all coefficients of dimensions and symbols are numbers.
bool isLinear(const Expr &expr);
/// The greatest number that divides all coefficients and the number; 0 for the
/// expression 0.
int64_t contentOf(const Expr &expr);

/// As an upstream expression over d0, ... and s0, ...; null where upstream has
/// none (unknown ones).
mlir::AffineExpr toAffine(const Expr &expr, mlir::MLIRContext *context);
/// From a sum of products; nothing for divisions.
std::optional<Expr> fromAffine(mlir::AffineExpr expr);
/// One expression per dimension of a value, as a map over `numDims` dimensions
/// and `numSymbols` symbols; null if one of them is unknown.
mlir::AffineMap toAffineMap(llvm::ArrayRef<Expr> exprs, unsigned numDims,
                            unsigned numSymbols, mlir::MLIRContext *context);

} // namespace kiln::index

#endif // KILN_INDEX_EXPR_H
