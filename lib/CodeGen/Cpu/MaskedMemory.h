//===- MaskedMemory.h - Masked accesses without instructions ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_MASKEDMEMORY_H
#define KILN_LIB_CPU_MASKEDMEMORY_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::cpu {

/// Replaces masked loads and stores of other lengths than `masked_bits` of the
/// module's description, if that has it, by one access for each lane, without
/// branches: lanes that are off access a place on the stack instead. LLVM would
/// test and branch around each.
void expandMaskedMemory(mlir::ModuleOp module);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_MASKEDMEMORY_H
