// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions and what they become. Private to this folder.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_EXTERNFUNCTIONS_H
#define KILN_CONVERSIONS_TRITONTOTILE_EXTERNFUNCTIONS_H

#include "kiln/Math/Term.h"
#include <optional>

namespace kiln::triton_to_tile {

// The expressions that functions become.
using namespace functions;

/// How a result is rounded: to nearest even, to zero, up, down.
enum class Mode : uint8_t { rn, rz, ru, rd };

/// The type in which reals are computed: that of the operands, or f64 with one
/// rounding at the end.
enum class Precision : uint8_t { same, wide };

/// One use of a function.
struct ExternCall {
  llvm::StringRef name;
  llvm::ArrayRef<Term> operands;
  mlir::Type real;   ///< the type of reals, before any widening
  mlir::Type result; ///< elements of the result
  Mode mode;         ///< the symbol's suffix

  Term operator[](size_t i) const { return operands[i]; }
};

/// A function: its name without a library's prefix and the suffix of its type,
/// its signature, and the expression that it becomes. Signatures are the
/// operands' types, `>` and the result's:
///   r  the real type that the symbol says: f32, f64 or f16
///   f  f32      d  f64      s  i16      i  i32      l  i64
///   n  any integer, one type in all places      b  any integer, as a truth
struct ExternFunction {
  llvm::StringLiteral name;
  llvm::StringLiteral signature;
  Precision precision;
  Term (*expand)(const ExternCall &call);
  /// Whether symbols end in a mode, as fadd_rz does.
  bool hasMode = false;
};

llvm::ArrayRef<ExternFunction> getSimpleFunctions();
llvm::ArrayRef<ExternFunction> getSpecialFunctions();
llvm::ArrayRef<ExternFunction> getIntegerFunctions();
llvm::ArrayRef<ExternFunction> getConversionFunctions();
llvm::ArrayRef<ExternFunction> getRoundedFunctions();

/// What a symbol denotes.
struct ExternSymbol {
  const ExternFunction *function;
  char real; ///< `f`, `d` or `h` (f16); `?`: the type of the first operand
  Mode mode;
  bool isFast = false; ///< the library approximates it
};

/// Reads the name of a function of a device library; nothing if it is unknown.
std::optional<ExternSymbol> parseExternSymbol(llvm::StringRef symbol);

/// A number as a rounded value and, by its sign, what rounding took away.
struct Inexact {
  Term value, error;
};

/// The sum of two numbers of f64.
Inexact exactSum(Term a, Term b);

/// The number rounded from f64 to `element` in a direction (not rn).
Term roundTo(Inexact number, mlir::Type element, Mode mode);

/// One operation with the operands' type.
template <typename OpTy> Term operation(const ExternCall &call) {
  if (call.operands.size() == 1)
    return apply<OpTy>(call[0]);
  if (call.operands.size() == 2)
    return apply<OpTy>(call[0], call[1]);
  return apply<OpTy>(call[0], call[1], call[2]);
}

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_EXTERNFUNCTIONS_H
