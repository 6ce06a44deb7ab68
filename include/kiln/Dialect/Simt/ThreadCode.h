//===- ThreadCode.h - Functions of one thread -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the function of one thread says about the kernel that it is the code
// of, beside the attributes that a launch needs (SimtDialect.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_SIMT_THREADCODE_H
#define KILN_DIALECT_SIMT_THREADCODE_H

#include "llvm/ADT/StringRef.h"

namespace kiln::simt {

/// Threads of a warp where neither the function nor the description says.
inline constexpr int64_t kUsualLanes = 32;
/// On a kernel's function at the level of threads: how many threads form a warp
/// (i64), where these are others than the description's.
inline constexpr llvm::StringLiteral kLanesAttr = "simt.lanes";
/// On the same: the types of the kernel's parameters at the level of tiles
/// (types). A view is its address, sizes and strides in the function; then come
/// three extents of the grid.
inline constexpr llvm::StringLiteral kParametersAttr = "simt.parameters";

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_THREADCODE_H
