// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_MATH_ANGLE_H
#define KILN_MATH_ANGLE_H

#include "kiln/Math/Term.h"

namespace kiln::functions {

/// The angle of the point (x, y) in its own precision. MLIR folds
/// `math.atan2` of two zeros to NaN, so the point that is computed for the
/// origin has the abscissa 1 or -1: IEEE 754 gives both the same angle.
inline Term angle(Term y, Term x) {
  Term isOrigin = abs(y) + abs(x) == 0.0;
  Term unit = copysign(x.number(1), x);
  return apply<mlir::math::Atan2Op>(y, select(isOrigin, unit, x));
}

} // namespace kiln::functions

#endif // KILN_MATH_ANGLE_H
