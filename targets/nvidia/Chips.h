//===- Chips.h - NVIDIA's GPUs as descriptions ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_CHIPS_H
#define KILN_TARGETS_NVIDIA_CHIPS_H

#include "kiln/Target/Target.h"

namespace kiln::nvidia {

/// The chips that there is code for, the default first.
std::vector<target::ChipInfo> listedChips();

/// The description of `chip` (empty: the default), or null after an error.
/// `partClusters`: clusters of instances add up what split-K leaves.
target::TargetAttr describeChip(mlir::MLIRContext *context,
                                llvm::StringRef chip, bool partClusters);

/// The oldest version of PTX that knows the chip, as 78 for 7.8; 0 for a chip
/// that is not listed.
unsigned oldestPtx(llvm::StringRef chip);

/// The matrix instructions of warps (`mma.sync`) and, where the chip has its
/// own instructions, of four of them (`wgmma`) that a chip of compute
/// capability `compute` (90 for 9.0) has, for a description. One of four units
/// starts `rate` multiply-adds of f16 per cycle.
std::string matrixRows(unsigned compute, bool hasOwn, int64_t rate);

/// The instructions that move matrices (`ldmatrix`, `stmatrix`), for a
/// description: a list, with a comma before each further one.
std::string tileMoves(unsigned compute);

/// Ends the names of tile moves that transpose matrices.
inline constexpr llvm::StringLiteral kTransposedMove = ".trans";

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_CHIPS_H
