// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions: relatives of the error function, Bessel functions, the gamma function's derivatives.
#ifndef KILN_DIALECT_PRIM_SPECIALOPS_TD
#define KILN_DIALECT_PRIM_SPECIALOPS_TD

include "kiln/Dialect/Prim/ElementwiseBase.td"

def Prim_ErfcxOp : Prim_FunctionOp<"erfcx", "Scaled complementary error function",
  "exp(x^2) * erfc(x), without overflow on the way; infinity below -26.7.">;

def Prim_ErfinvOp : Prim_FunctionOp<"erfinv", "Inverse error function",
  "The w with erf(w) = x; -1 and 1 give infinities, NaN beyond them.">;

def Prim_NdtriOp : Prim_FunctionOp<"ndtri", "Quantile of the normal distribution",
  "The w below which a normal variable lies with probability x: 0 and 1 give infinities, NaN outside of [0, 1].">;

def Prim_DigammaOp : Prim_FunctionOp<"digamma", "Derivative of the logarithm of the gamma function",
  "gamma'(x) / gamma(x); 0 gives infinity of the other sign, -1, -2 ... NaN.">;

def Prim_BesselI0Op : Prim_FunctionOp<"bessel_i0", "Modified Bessel function of the first kind, order 0",
  "I0(x); overflow gives infinity.">;

def Prim_BesselI0eOp : Prim_FunctionOp<"bessel_i0e", "Scaled modified Bessel function of the first kind, order 0",
  "exp(-|x|) * I0(x).">;

def Prim_BesselI1Op : Prim_FunctionOp<"bessel_i1", "Modified Bessel function of the first kind, order 1",
  "I1(x), odd; overflow gives infinity of the operand's sign.">;

def Prim_BesselI1eOp : Prim_FunctionOp<"bessel_i1e", "Scaled modified Bessel function of the first kind, order 1",
  "exp(-|x|) * I1(x), odd.">;

def Prim_BesselJ0Op : Prim_FunctionOp<"bessel_j0", "Bessel function of the first kind, order 0",
  "J0(x); infinity gives 0.">;

def Prim_BesselJ1Op : Prim_FunctionOp<"bessel_j1", "Bessel function of the first kind, order 1",
  "J1(x), odd; infinity gives 0.">;

def Prim_BesselY0Op : Prim_FunctionOp<"bessel_y0", "Bessel function of the second kind, order 0",
  "Y0(x); 0 gives minus infinity, below it NaN.">;

def Prim_BesselY1Op : Prim_FunctionOp<"bessel_y1", "Bessel function of the second kind, order 1",
  "Y1(x); 0 gives minus infinity, below it NaN.">;

def Prim_SphericalBesselJ0Op : Prim_FunctionOp<"spherical_bessel_j0", "Spherical Bessel function of the first kind, order 0",
  "sin(x) / x; 0 gives 1, infinity 0.">;

def Prim_ZetaOp : Prim_BinaryFunctionOp<"zeta", "Hurwitz's zeta function",
  "The sum of (b + k)^-a over k = 0, 1, 2 ...: a = 1 gives infinity, a < 1 NaN. b = 0, -1, -2 ... gives infinity; other negative b need a whole a, else NaN.">;

def Prim_PolygammaOp : Prim_BinaryFunctionOp<"polygamma", "Derivatives of the digamma function",
  "The a-th derivative of digamma at b; NaN where a is no whole number, or negative; unspecified beyond 170, whose factorial f64 does not hold.">;

#endif
