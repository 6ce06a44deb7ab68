//===- SerialiseAgain.h - Whether a serialiser is deterministic -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_SERIALISEAGAIN_H
#define KILN_LIB_DRIVER_SERIALISEAGAIN_H

#include "kiln/Target/TargetRegistry.h"

namespace kiln::driver {

/// Serialises `module` again, a copy of what `first` was made of, and reports
/// what is not the same at `loc`. Does nothing for targets that are part of
/// Kiln, whose tests compare packages.
mlir::LogicalResult serialiseAgain(mlir::ModuleOp module, mlir::Location loc,
                                   const target::BoundTarget &bound,
                                   const target::Executable &first);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_SERIALISEAGAIN_H
