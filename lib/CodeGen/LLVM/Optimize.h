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

/// Converts vectors of f16 to integers by way of f32, for machines whose
/// vectors of f16 only become f32. The code said so; LLVM's passes leave the
/// step out, and back ends cannot select what is left.
void widenHalfConversions(llvm::Module &code);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_OPTIMIZE_H
