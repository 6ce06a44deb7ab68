//===- LaunchAttrs.h - How the blocks of a function start -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_SIMT_LAUNCHATTRS_H
#define KILN_DIALECT_SIMT_LAUNCHATTRS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::simt {

/// On a kernel's function at the level of threads, where each block loops over
/// points of the grid, so that a launch may start fewer blocks than the grid
/// has points (unit).
inline constexpr llvm::StringLiteral kPersistentAttr = "simt.persistent";

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_LAUNCHATTRS_H
