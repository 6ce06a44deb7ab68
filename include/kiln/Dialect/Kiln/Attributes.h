//===- Attributes.h - Names between stages of the compiler ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_ATTRIBUTES_H
#define KILN_DIALECT_KILN_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace kiln::target {

/// On a group: the name of the kernel that a schedule makes of it (string).
inline constexpr llvm::StringLiteral kKernelAttr = "kiln.kernel";
/// On a kernel: the function that it comes from (string).
inline constexpr llvm::StringLiteral kFunctionAttr = "kiln.function";

// On arguments and results of functions, from the source to the package. The
// dialect verifies them (Arguments.cpp).

/// What the source calls it (string).
inline constexpr llvm::StringLiteral kArgumentNameAttr = "kiln.name";
/// What the source calls its dimensions (strings, empty for none).
inline constexpr llvm::StringLiteral kDimensionNamesAttr = "kiln.dims";
/// Its integers have no sign (unit).
inline constexpr llvm::StringLiteral kUnsignedAttr = "kiln.unsigned";
/// Which numbers an argument takes: `nonzero`, `nonnegative` or `positive`.
inline constexpr llvm::StringLiteral kDomainAttr = "kiln.domain";
/// The least and the greatest integer that an argument takes.
inline constexpr llvm::StringLiteral kRangeAttr = "kiln.range";

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_ATTRIBUTES_H
