//===- Link.h - From an object to a code object ------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_LINK_H
#define KILN_TARGETS_AMD_LINK_H

#include "kiln/Target/Target.h"

namespace kiln::amd {

/// Links a relocatable object to a code object that a loader takes, with LLVM's
/// ld.lld: the one of the option `lld`, the one beside LLVM's tools, or the
/// first of ld.lld-22, ld.lld on the search path. Symbols that are defined
/// nowhere are errors. Reports a linker that is missing or fails.
mlir::FailureOr<std::string> linkObject(mlir::ModuleOp module,
                                        llvm::StringRef object,
                                        const target::TargetOptions &options);

/// What a code object says of one kernel in its metadata (LLVM's AMDGPU guide,
/// "Code Object Metadata").
struct KernelFacts {
  std::string name;
  int64_t vectorRegisters = 0, accumulationRegisters = 0, scalarRegisters = 0;
  int64_t vectorSpills = 0, scalarSpills = 0;
  int64_t ldsBytes = 0;     ///< of a workgroup
  int64_t scratchBytes = 0; ///< of a lane
};

/// The kernels of a code object. Empty where it has no metadata.
std::vector<KernelFacts> readFacts(llvm::StringRef codeObject);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_LINK_H
