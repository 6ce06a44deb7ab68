// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors on purpose: how far a result may move when every operation errs as far
// as its contract lets it. Two evaluations with opposite signs say what a
// correct target can differ by, at the place and for the data at hand.
#ifndef KILN_EVAL_PERTURB_H
#define KILN_EVAL_PERTURB_H

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

} // namespace kiln::eval

#endif // KILN_EVAL_PERTURB_H
