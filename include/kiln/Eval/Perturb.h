// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors on purpose: how far a result may move when every operation errs as far
// as its contract lets it. Two evaluations with opposite signs say what a
// correct target can differ by, at the place and for the data at hand.
#ifndef KILN_EVAL_PERTURB_H
#define KILN_EVAL_PERTURB_H

#include "kiln/Eval/Elements.h"
#include <cstdint>

namespace kiln::eval {

/// Off unless `sign` is set; for the evaluation that runs.
struct Perturbation {
  int sign = 0; ///< 1 or -1
  uint64_t seed = 0;
  bool isOn() const { return sign != 0; }
};

/// Of the process: one evaluation at a time uses it.
Perturbation &perturbation();

/// The direction in which element `index` of a result errs: 1 or -1.
double errorDirection(int64_t index);

/// Half a unit in the last place of f32, relative to a number: what a term of a
/// sum of n terms errs by is n times that.
constexpr double kHalfUlp = 0x1p-24;
constexpr double kHalfUlpF64 = 0x1p-53;

/// What stands for a result without bound, where `exact` is that of an exact
/// evaluation: NaN where errors go up; where they go down the largest number of
/// the other sign. So one of the two is a number, and an evaluation that makes
/// NaN of `exact` later (infinity less infinity) is not taken as the only one.
double unboundedNear(double exact, runtime::DType dtype);

/// Stores sums into `out`, each off by `terms` halves of a unit of `out`'s sums
/// (f32, or f64 for f64) of the sizes of all its terms. Where finite terms
/// together overflow a partial sum may do so where the whole does not, and the
/// result has no bound. Both tensors are of f64; `sizes` leaves terms that are
/// infinite out. `kept`, if given, are the sizes of those terms that are left
/// where a machine reads subnormal operands as zero: then the others may be
/// missing, and subnormal sums be zero.
void storeSumsWithin(const Value &sums, const Value &sizes, double terms,
                     Value &out, const Value *kept = nullptr);

/// Whether a machine may read subnormal operands and sums of a product as zero.
bool mayFlushProduct(runtime::DType lhs, runtime::DType rhs);

/// Stores numbers of f64 into `out`, each off by its size.
void storeWithin(const Value &numbers, const std::vector<double> &sizes,
                 Value &out);

/// Stores `wide`, of f32 or f64, each number off by `ulps` of its units.
void storeUlpsWithin(const Value &wide, double ulps, Value &out);

/// Stores `exact`, of f64, each number off by `ulps` units of its result in f32
/// (f64), or of 1 where it is smaller: functions near their zeros. Where f64 is
/// stored each may be off by `least`, if there are such, even if that is more.
void storeUlpsOfOneWithin(const Value &exact, double ulps, Value &out,
                          llvm::ArrayRef<double> least = {});

/// How far a Bessel function of f64 may be off at x, even if that is more than
/// units in the last place: their argument is reduced by fewer bits far out.
inline double besselError(double x) { return x > 8 || x < -8 ? 5e-12 : 0; }

/// Evaluates a function into `out`: exactly, or off by `ulps` units in the last
/// place of f32 (f64) before the result is rounded. `map` evaluates it exactly
/// into a value of any type.
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
