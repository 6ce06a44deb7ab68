//===- Chips.h - Processors as descriptions ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_CPU_CHIPS_H
#define KILN_TARGETS_CPU_CHIPS_H

#include "kiln/Target/Target.h"

namespace kiln::cpu_target {

/// The option that says how long vector registers are.
constexpr llvm::StringLiteral kVectorBitsKey = "vector_bits";
/// The option that says how long they are in the streaming mode of AArch64.
constexpr llvm::StringLiteral kStreamingBitsKey = "streaming_bits";

/// The chips that are listed; every processor that LLVM knows is accepted.
std::vector<target::ChipInfo> listedChips();

/// The description of a chip ("native": the machine that compiles), or null
/// after an error.
target::TargetAttr describeChip(mlir::MLIRContext *context,
                                const target::TargetOptions &options);

} // namespace kiln::cpu_target

#endif // KILN_TARGETS_CPU_CHIPS_H
