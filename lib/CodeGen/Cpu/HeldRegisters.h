//===- HeldRegisters.h - Registers that loops hold values in ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_HELDREGISTERS_H
#define KILN_LIB_CPU_HELDREGISTERS_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::cpu {

/// Returns the bits of the vectors that code for the unit computes with.
int64_t getVectorBits(target::ExecutionUnitAttr vectorUnit);

/// Returns the number of registers of the unit that loops hold values in. LLVM
/// takes a time that grows with the square of the values that the registers of
/// the processor do not hold.
int64_t countHeldRegisters(target::ExecutionUnitAttr vectorUnit);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_HELDREGISTERS_H
