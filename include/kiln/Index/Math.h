//===- Math.h - Symbols and arithmetic on sizes -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives expressions their symbols, divides and compares them, and computes them
// where their values are used. Nothing is made before.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_MATH_H
#define KILN_INDEX_MATH_H

#include "kiln/Index/Expr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>
#include <vector>

namespace kiln::index {

/// What polynomials cannot say, as a symbol of its own.
enum class Derived { FloorDiv, CeilDiv, Min, Max };

/// Numbers symbols. Two symbols of one `Symbols` stand for the same only if
/// they are the same.
class Symbols {
public:
  /// A symbol for an integer or index value; a constant becomes its number.
  Expr of(mlir::Value value);
  /// A symbol for part `part` of something else that `key` tells apart.
  Expr of(const void *key, unsigned part);
  /// a `kind` b, folded where that is exact; for two expressions without
  /// dimensions. Divisors are taken not to be 0.
  Expr derive(Derived kind, const Expr &a, const Expr &b);

  /// What a symbol stands for.
  struct Entry {
    mlir::Value value;                ///< null for others
    bool isDerived = false;           ///< made by `derive`
    Derived kind = Derived::FloorDiv; ///< of a derived one
    Expr a, b;                        ///< operands of a derived one
  };
  /// Returns the number of symbols so far; they are numbered from 0.
  unsigned size() const { return entries.size(); }
  /// Returns what a symbol below `size()` stands for.
  const Entry &operator[](unsigned symbol) const { return entries[symbol]; }

private:
  std::vector<Entry> entries;
  llvm::DenseMap<mlir::Value, unsigned> ofValue;
  llvm::DenseMap<std::pair<const void *, unsigned>, unsigned> ofKey;
  std::unordered_multimap<size_t, unsigned> ofDerived;
};

/// Arithmetic on the sizes of one program. With a builder their values can be
/// had; without one they are only looked at.
class Math {
public:
  /// Looks at sizes only: `value` must not be called.
  Math() = default;
  /// Computes values by `builder`; operations and errors get the location.
  Math(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(&builder), loc(loc), errorLoc(loc) {}

  /// The size that an index value of the program is: sums and products of
  /// others are seen through.
  Expr of(mlir::Value value);

  /// Returns a + b. A result beyond 64 bits is reported; `failed` is true then.
  Expr add(const Expr &a, const Expr &b) { return checked(a + b, a, b, "+"); }
  /// Returns a - b, checked as `add` is.
  Expr sub(const Expr &a, const Expr &b) { return checked(a - b, a, b, "-"); }
  /// Returns a * b, checked as `add` is.
  Expr mul(const Expr &a, const Expr &b) { return checked(a * b, a, b, "*"); }
  /// Returns a / b rounded down; b is taken not to be 0.
  Expr floorDiv(const Expr &a, const Expr &b) {
    return symbols.derive(Derived::FloorDiv, a, b);
  }
  /// Returns a / b rounded up; b is taken not to be 0.
  Expr ceilDiv(const Expr &a, const Expr &b) {
    return symbols.derive(Derived::CeilDiv, a, b);
  }
  /// Returns the smaller of two sizes without dimensions.
  Expr min(const Expr &a, const Expr &b) {
    return symbols.derive(Derived::Min, a, b);
  }
  /// Returns the larger of two sizes without dimensions.
  Expr max(const Expr &a, const Expr &b) {
    return symbols.derive(Derived::Max, a, b);
  }
  /// Returns the product of all these sizes, checked as `add` is; 1 for none.
  Expr product(llvm::ArrayRef<Expr> factors);

  /// The value of a known size without dimensions, computed at the builder's
  /// insertion point unless it was before. The builder only ever moves on, so
  /// that what was made before can be used.
  mlir::Value value(const Expr &size);

  /// Forgets, at its end, the values that were computed since: those are in a
  /// region that ends there.
  class Scope {
  public:
    /// Begins a scope; `math` has to outlive it.
    explicit Scope(Math &math) : math(math), values(math.values) {}
    ~Scope() { math.values = std::move(values); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Math &math;
    std::unordered_map<Expr, mlir::Value, ExprHash> values;
  };

  /// Where errors about sizes are reported from now on.
  void setErrorLoc(mlir::Location at) { errorLoc = at; }
  /// True after a size that does not fit 64 bits, which was reported.
  bool failed() const { return didFail; }

  /// The symbols of all expressions that this object makes.
  Symbols symbols;

private:
  /// Reports what does not fit.
  Expr checked(Expr result, const Expr &a, const Expr &b, const char *op);
  mlir::Value compute(const Expr &size);
  mlir::Value computeTerm(const Expr::Term &term);
  mlir::Value computeSymbol(unsigned symbol);

  mlir::OpBuilder *builder = nullptr;
  std::optional<mlir::Location> loc, errorLoc;
  bool didFail = false;
  std::unordered_map<Expr, mlir::Value, ExprHash> values;
  llvm::DenseMap<mlir::Value, Expr> exprs;
};

} // namespace kiln::index

#endif // KILN_INDEX_MATH_H
