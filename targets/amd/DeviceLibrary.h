//===- DeviceLibrary.h - AMD's functions in bitcode -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_DEVICELIBRARY_H
#define KILN_TARGETS_AMD_DEVICELIBRARY_H

#include "Chips.h"
#include "llvm/IR/Module.h"

namespace kiln::amd {

/// Links what `code` calls of AMD's device library (functions `__ocml_*` and
/// `__ockl_*`) into it, as internal functions that are inlined, and defines the
/// constants that the library reads. The option `device_libs` names the folder
/// of ocml.bc; without it the environment variable HIP_DEVICE_LIB_PATH, then
/// the folders of ROCm and of Debian's package are looked at. Reports a
/// function that is not found; code that calls none needs no library.
mlir::LogicalResult linkDeviceLibrary(mlir::ModuleOp module, llvm::Module &code,
                                      const Chip &chip,
                                      const target::TargetOptions &options);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_DEVICELIBRARY_H
