// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of 8-bit floats by instructions.
#ifndef KILN_TARGETS_AMD_FLOAT8_H
#define KILN_TARGETS_AMD_FLOAT8_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::amd {

/// Whether it is one of the formats that instructions of some chip convert:
/// those of OCP, f8E4M3FN and f8E5M2, and f8E4M3FNUZ and f8E5M2FNUZ.
bool isFloat8(mlir::Type type);

/// What instructions call such a format: `fp8`, or `bf8` with a mantissa of 2
/// bits.
llvm::StringRef float8Name(mlir::Type type);

/// Whether a format has no negative zero and no infinities: those of CDNA3.
bool isFnuz(mlir::Type type);

/// Replaces the conversion of an 8-bit float to a wider one, and erases it.
/// The chip has to convert the format, or, `areFnuz`, those without a negative
/// zero.
void widenFloat8(mlir::arith::ExtFOp op, bool areFnuz, mlir::OpBuilder &b);

/// The same for a conversion to an 8-bit float, rounded to the nearest even
/// one.
void narrowToFloat8(mlir::arith::TruncFOp op, bool areFnuz, mlir::OpBuilder &b);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_FLOAT8_H
