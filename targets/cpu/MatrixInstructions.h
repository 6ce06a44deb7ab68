//===- MatrixInstructions.h - Matrix instructions of x86 --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_CPU_MATRIXINSTRUCTIONS_H
#define KILN_TARGETS_CPU_MATRIXINSTRUCTIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln::cpu_target {

/// Registers the code of the instructions that `matrixRows` lists.
void addMatrixInstructions();
/// The same for those on registers that hold tiles.
void addTileInstructions();

/// The matrix instructions of a processor with vector registers of `bits` bits
/// for a description, and the units beside the vector unit `simd` that they
/// need. `has` tells of LLVM's features.
struct MatrixRows {
  std::string rows, units, memories;
};
MatrixRows matrixRows(int64_t bits,
                      llvm::function_ref<bool(llvm::StringRef)> has);

} // namespace kiln::cpu_target

#endif
