// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host computes itself, of the program dialect.
#ifndef KILN_DIALECT_PROGRAM_HOSTOPS_H
#define KILN_DIALECT_PROGRAM_HOSTOPS_H

#include "kiln/Dialect/Program/Program.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::program {

/// What the process that runs a program holds outside of the program's buffers.
struct Process : mlir::SideEffects::Resource::Base<Process> {
  llvm::StringRef getName() final { return "Process"; }
};

} // namespace kiln::program

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/HostOps.h.inc"

#endif // KILN_DIALECT_PROGRAM_HOSTOPS_H
