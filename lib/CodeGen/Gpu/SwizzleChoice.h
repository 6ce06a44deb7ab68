//===- SwizzleChoice.h - How storage of fragments is permuted ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SWIZZLECHOICE_H
#define KILN_LIB_GPU_SWIZZLECHOICE_H

#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/Value.h"

namespace kiln::simt {

/// Bytes of a row that the storage of a factor permutes as one, where the
/// elements of dimension `dim` lie side by side: the fewest, at least those
/// that a copy moves, with which the banks are accessed least often until every
/// lane has read its fragments.
int64_t permutedBytes(mlir::Value factor, int dim,
                      target::TargetAttr description, int64_t lanes,
                      int64_t warps);

/// Bytes that one copy of a thread moves at most.
inline constexpr int64_t kCopyBytes = 16;

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SWIZZLECHOICE_H
