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

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_ATTRIBUTES_H
