//===- MatrixInstructions.h - Matrix instructions of chips ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_CPU_MATRIXINSTRUCTIONS_H
#define KILN_TARGETS_CPU_MATRIXINSTRUCTIONS_H

#include "Processors.h"
#include <string>

namespace kiln::cpu_target {

/// Registers the code of the instructions that `matrixRows` lists.
void addMatrixInstructions();
/// The same for those on registers that hold tiles.
void addTileInstructions();
/// The same for those of AArch64, on vectors.
void addArmInstructions();
/// The same for those of AArch64's streaming mode.
void addOuterInstructions();
/// The same for those of RISC-V.
void addRiscvInstructions();

/// The matrix instructions of a processor with vector registers of `bits` bits
/// for a description, and the units beside the vector unit `simd` that they
/// need. In streaming mode registers have `processor.streamingBits` bits.
struct MatrixRows {
  std::string rows, units, memories;
};
MatrixRows matrixRows(const Processor &processor, int64_t bits);

} // namespace kiln::cpu_target

#endif
