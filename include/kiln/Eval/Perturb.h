// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Perturbed evaluation: every operation errs as far as its contract allows. Two
// evaluations with opposite signs bound the result of a correct target, for
// each element and for the given data.
#ifndef KILN_EVAL_PERTURB_H
#define KILN_EVAL_PERTURB_H

#include "kiln/Eval/Elements.h"
#include <cstdint>

namespace kiln::eval {

/// The perturbation of the evaluation that runs.
struct Perturbation {
  int sign = 0;      ///< 1 or -1, the direction of errors; 0: exact evaluation
  uint64_t seed = 0; ///< chooses the direction of each element; see
                     ///< errorDirection
  bool isOn() const { return sign != 0; }
};

/// Returns the perturbation of this process. One evaluation at a time may use
/// it.
Perturbation &perturbation();

/// Returns the direction in which element `index` of a result errs: 1 or -1.
double errorDirection(int64_t index);

/// Half a unit in the last place of f32 (f64), relative to the number. In a sum
/// of n terms each term may err by n times that.
constexpr double kHalfUlp = 0x1p-24;
constexpr double kHalfUlpF64 = 0x1p-53;

/// Returns a replacement for a result that has no bound, whose exact evaluation
/// is `exact`: NaN if errors go up, and the largest number of the other sign if
/// they go down. One of the two evaluations then gives a number, so that a NaN
/// made of `exact` later (infinity less infinity) is not the only valid result.
double unboundedNear(double exact, runtime::DType dtype);

/// Stores sums into `out`, each perturbed by `terms` * half an ulp * `sizes`.
///
/// - `sums` and `sizes` have elements of f64. `sizes` has the sum of the
///   absolute values of each sum's finite terms.
/// - The ulp is that of the type in which `out` is summed: f64 for f64, else
/// f32.
/// - If finite terms together overflow, a partial sum may overflow although the
///   whole does not: the result has no bound.
/// - `kept`, if given, has the sizes of the terms that remain where a machine
///   reads subnormal operands as zero. The other terms may then be missing, and
///   subnormal sums may be zero.
void storeSumsWithin(const Value &sums, const Value &sizes, double terms,
                     Value &out, const Value *kept = nullptr);

/// Returns true if a machine may read subnormal operands, and subnormal sums,
/// of a matmul of these types as zero.
bool mayFlushProduct(runtime::DType lhs, runtime::DType rhs);

/// Stores `numbers`, of f64, into `out`, element i perturbed by `sizes[i]`.
void storeWithin(const Value &numbers, const std::vector<double> &sizes,
                 Value &out);

/// Stores `wide`, of f32 or f64, into `out`, each element perturbed by `ulps`
/// units in its last place.
void storeUlpsWithin(const Value &wide, double ulps, Value &out);

/// Stores `exact`, of f64, into `out`, each element perturbed by `ulps` units
/// in the last place of max(1, |element|), in f32 (f64 if `out` is f64): for
/// functions that are accurate in absolute terms near their zeros. In f64 one
/// unit is added, for the error of the reference itself. If `out` is f64 and
/// `least` is not empty, element i is perturbed by at least `least[i]`.
void storeUlpsOfOneWithin(const Value &exact, double ulps, Value &out,
                          llvm::ArrayRef<double> least = {});

/// Returns the absolute error that a Bessel function of f64 may have at x at
/// least: for large arguments, fewer bits of the reduced argument are right.
inline double besselError(double x) { return x > 8 || x < -8 ? 5e-12 : 0; }

/// Evaluates a function into `out`: exactly, or perturbed by `ulps` units in
/// the last place of f32 (f64) before the result is rounded to the type of
/// `out`. `map` evaluates the function exactly into a value of the type that it
/// is given.
template <typename Fn> void evaluateWithin(double ulps, Value &out, Fn map) {
  if (!perturbation().isOn())
    return map(out);
  bool isF64 = out.dtype() == DType::f64;
  Value wide = Value::tensor(isF64 ? DType::f64 : DType::f32, out.shape());
  if (out.isScalar())
    wide = Value::scalar(wide.dtype());
  map(wide);
  // The reference itself errs by one in f64.
  storeUlpsWithin(wide, isF64 ? ulps + 1 : ulps, out);
}

} // namespace kiln::eval

#endif // KILN_EVAL_PERTURB_H
