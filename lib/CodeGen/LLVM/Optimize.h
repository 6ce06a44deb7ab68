//===- Optimize.h - LLVM's passes over kernels ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_OPTIMIZE_H
#define KILN_LIB_CPU_OPTIMIZE_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace kiln::cpu {

/// Runs the passes that make kernels smaller and faster before code is
/// generated for a machine.
void optimizeKernels(llvm::Module &code, llvm::TargetMachine &machine);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_OPTIMIZE_H
