// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions that are an operation or a call of C, and tests.
#include "ExternFunctions.h"
#include "kiln/Math/Angle.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

constexpr Precision same = Precision::same, wide = Precision::wide;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The function of C of the same name.
Term callC(const ExternCall &call) {
  return Term::callC(call.name, call.operands,
                     call.result.isInteger() ? call.result
                     : call.operands.back().isFloat()
                         ? call.operands.back().getElement()
                         : call[0].getElement());
}

Term ldexp(const ExternCall &call) {
  return Term::callC("scalbn", call.operands, call[0].getElement());
}

Term angle(const ExternCall &call) {
  return functions::angle(call[0], call[1]);
}

Term quotient(const ExternCall &call) { return call[0] / call[1]; }
Term reciprocal(const ExternCall &call) { return 1.0 / call[0]; }

Term positiveDifference(const ExternCall &call) {
  return select(call[0] <= call[1], 0.0, call[0] - call[1]);
}

/// Clamped to [0, 1]; NaN becomes 0.
Term saturate(const ExternCall &call) {
  Term x = call[0];
  return apply<arith::MinNumFOp>(apply<arith::MaxNumFOp>(x, x.number(0)),
                                 x.number(1));
}

Term testNaN(const ExternCall &call) { return isNaN(call[0]); }
Term testInfinite(const ExternCall &call) { return abs(call[0]) == kInfinity; }
Term testFinite(const ExternCall &call) { return abs(call[0]) < kInfinity; }
Term testSign(const ExternCall &call) { return isNegative(call[0]); }

// clang-format off
constexpr ExternFunction functions[] = {
    // One operation.
    {"acos",      "r>r",   same, operation<math::AcosOp>},
    {"acosh",     "r>r",   same, operation<math::AcoshOp>},
    {"asin",      "r>r",   same, operation<math::AsinOp>},
    {"asinh",     "r>r",   same, operation<math::AsinhOp>},
    {"atan",      "r>r",   same, operation<math::AtanOp>},
    {"atan2",     "rr>r",  same, angle},
    {"atanh",     "r>r",   same, operation<math::AtanhOp>},
    {"cbrt",      "r>r",   same, operation<math::CbrtOp>},
    {"ceil",      "r>r",   same, operation<math::CeilOp>},
    {"copysign",  "rr>r",  same, operation<math::CopySignOp>},
    {"cos",       "r>r",   same, operation<math::CosOp>},
    {"cosh",      "r>r",   same, operation<math::CoshOp>},
    {"erf",       "r>r",   same, operation<math::ErfOp>},
    {"erfc",      "r>r",   same, operation<math::ErfcOp>},
    {"exp",       "r>r",   same, operation<math::ExpOp>},
    {"exp2",      "r>r",   same, operation<math::Exp2Op>},
    {"expm1",     "r>r",   same, operation<math::ExpM1Op>},
    {"fabs",      "r>r",   same, operation<math::AbsFOp>},
    {"floor",     "r>r",   same, operation<math::FloorOp>},
    {"fma",       "rrr>r", same, operation<math::FmaOp>},
    {"fmax",      "rr>r",  same, operation<arith::MaxNumFOp>},
    {"fmin",      "rr>r",  same, operation<arith::MinNumFOp>},
    {"fmod",      "rr>r",  same, operation<arith::RemFOp>},
    {"log",       "r>r",   same, operation<math::LogOp>},
    {"log10",     "r>r",   same, operation<math::Log10Op>},
    {"log1p",     "r>r",   same, operation<math::Log1pOp>},
    {"log2",      "r>r",   same, operation<math::Log2Op>},
    {"nearbyint", "r>r",   same, operation<math::RoundEvenOp>},
    {"pow",       "rr>r",  same, operation<math::PowFOp>},
    {"powi",      "ri>r",  same, operation<math::FPowIOp>},
    {"powr",      "rr>r",  same, operation<math::PowFOp>},
    {"rint",      "r>r",   same, operation<math::RoundEvenOp>},
    {"round",     "r>r",   same, operation<math::RoundOp>},
    {"rsqrt",     "r>r",   same, operation<math::RsqrtOp>},
    {"sin",       "r>r",   same, operation<math::SinOp>},
    {"sinh",      "r>r",   same, operation<math::SinhOp>},
    {"sqrt",      "r>r",   same, operation<math::SqrtOp>},
    {"tan",       "r>r",   same, operation<math::TanOp>},
    {"tanh",      "r>r",   same, operation<math::TanhOp>},
    {"trunc",     "r>r",   same, operation<math::TruncOp>},
    // A call. Those with large errors in f32 are made in f64.
    {"hypot",     "rr>r",  same, callC},
    {"ilogb",     "r>i",   same, callC},
    {"j0",        "r>r",   wide, callC},
    {"j1",        "r>r",   wide, callC},
    {"jn",        "ir>r",  wide, callC},
    {"ldexp",     "ri>r",  same, ldexp},
    {"lgamma",    "r>r",   wide, callC},
    {"logb",      "r>r",   same, callC},
    {"nextafter", "rr>r",  same, callC},
    {"remainder", "rr>r",  same, callC},
    {"scalbn",    "ri>r",  same, callC},
    {"tgamma",    "r>r",   wide, callC},
    {"y0",        "r>r",   wide, callC},
    {"y1",        "r>r",   wide, callC},
    {"yn",        "ir>r",  wide, callC},
    // Short expressions.
    {"fdim",      "rr>r",  same, positiveDifference},
    {"fdivide",   "rr>r",  same, quotient},
    {"rcp",       "r>r",   same, reciprocal},
    {"saturate",  "r>r",   same, saturate},
    // Tests. Those of f64 have a suffix of their own.
    {"finite",    "r>b",   same, testFinite},
    {"isfinite",  "r>b",   same, testFinite},
    {"isfinited", "d>b",   same, testFinite},
    {"isinf",     "r>b",   same, testInfinite},
    {"isinfd",    "d>b",   same, testInfinite},
    {"isnan",     "r>b",   same, testNaN},
    {"isnand",    "d>b",   same, testNaN},
    {"signbit",   "r>b",   same, testSign},
    {"signbitd",  "d>b",   same, testSign},
};
// clang-format on

} // namespace

ArrayRef<ExternFunction> getSimpleFunctions() { return functions; }

} // namespace kiln::triton_to_tile
