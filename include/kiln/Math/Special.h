// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions as expressions: series and iterations of fixed length. All
// are of f64, where each is right to a few units in the last place, or in that
// of 1 near its zeros; `isNarrow` says that the result is rounded to f32 or
// less, which takes fewer steps.
#ifndef KILN_MATH_SPECIAL_H
#define KILN_MATH_SPECIAL_H

#include "kiln/Math/Term.h"

namespace kiln::functions {

/// e^(x^2) erfc(x).
Term erfcx(Term x);
/// The w with erf(w) = x, erfc(w) = y, and (1 + erf(w / sqrt(2))) / 2 = p.
Term inverseErf(Term x, bool isNarrow);
Term inverseErfc(Term y, bool isNarrow);
Term inverseNormal(Term p, bool isNarrow);

/// I0 or I1, the modified Bessel functions of the first kind; scaled by e^-|x|.
Term besselI(Term x, int order, bool isScaled);
/// sin(x) / x.
Term sphericalBesselJ0(Term x);

/// The derivative of log(gamma(x)).
Term digamma(Term x);
/// Hurwitz's zeta function: the sum of (q + k)^-s over k = 0, 1, 2 ...
Term zeta(Term s, Term q);
/// The derivative of order n + 1 of log(gamma(x)), for n = 0, 1, 2 ...
Term polygamma(Term n, Term x);

} // namespace kiln::functions

#endif // KILN_MATH_SPECIAL_H
