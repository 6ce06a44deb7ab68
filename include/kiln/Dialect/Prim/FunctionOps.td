// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of floats that round: trigonometric, hyperbolic, logarithms and roots.
#ifndef KILN_DIALECT_PRIM_FUNCTIONOPS_TD
#define KILN_DIALECT_PRIM_FUNCTIONOPS_TD

include "kiln/Dialect/Prim/ElementwiseBase.td"

def Prim_TanOp : Prim_FunctionOp<"tan", "Tangent of radians",
  "sin(x) / cos(x); infinity gives NaN.">;

def Prim_AsinOp : Prim_FunctionOp<"asin", "Inverse sine",
  "In [-pi/2, pi/2]; NaN outside of [-1, 1].">;

def Prim_AcosOp : Prim_FunctionOp<"acos", "Inverse cosine",
  "In [0, pi]; NaN outside of [-1, 1].">;

def Prim_AtanOp : Prim_FunctionOp<"atan", "Inverse tangent",
  "In [-pi/2, pi/2].">;

def Prim_SinhOp : Prim_FunctionOp<"sinh", "Hyperbolic sine",
  "(exp(x) - exp(-x)) / 2; overflow gives infinity of its sign.">;

def Prim_CoshOp : Prim_FunctionOp<"cosh", "Hyperbolic cosine",
  "(exp(x) + exp(-x)) / 2; overflow gives infinity.">;

def Prim_AsinhOp : Prim_FunctionOp<"asinh", "Inverse hyperbolic sine",
  "log(x + sqrt(x^2 + 1)), odd; infinity gives itself.">;

def Prim_AcoshOp : Prim_FunctionOp<"acosh", "Inverse hyperbolic cosine",
  "log(x + sqrt(x^2 - 1)); NaN below 1.">;

def Prim_AtanhOp : Prim_FunctionOp<"atanh", "Inverse hyperbolic tangent",
  "log((1 + x) / (1 - x)) / 2; -1 and 1 give infinities, NaN beyond them.">;

def Prim_Log2Op : Prim_FunctionOp<"log2", "Logarithm to the base 2",
  "Negative operands give NaN, zero gives minus infinity; exact for powers of 2.">;

def Prim_Log10Op : Prim_FunctionOp<"log10", "Logarithm to the base 10",
  "Negative operands give NaN, zero gives minus infinity.">;

def Prim_CbrtOp : Prim_FunctionOp<"cbrt", "Cube root",
  "Defined for negative operands: cbrt(-8) = -2.">;

def Prim_ErfcOp : Prim_FunctionOp<"erfc", "Complementary error function",
  "1 - erf(x) without cancellation.">;

def Prim_LgammaOp : Prim_FunctionOp<"lgamma", "Logarithm of the magnitude of the gamma function",
  "log(|gamma(x)|); 0, -1, -2 ... and both infinities give infinity.">;

def Prim_Atan2Op : Prim_BinaryFunctionOp<"atan2", "Angle of a point (x, y)",
  "The angle of (b, a) in [-pi, pi]: atan(a / b) in the right quadrant, with C's special values for zeros and infinities.">;

def Prim_HypotOp : Prim_BinaryFunctionOp<"hypot", "Length of a vector of two",
  "sqrt(a^2 + b^2) without overflow on the way; infinite if an operand is, even beside NaN.">;

#endif
