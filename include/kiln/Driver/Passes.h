//===- Passes.h - Steps of the driver between the levels --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DRIVER_PASSES_H
#define KILN_DRIVER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::driver {

#define GEN_PASS_DECL
#include "kiln/Driver/Passes.h.inc"

/// Registers the passes above.
void registerDriverPasses();

} // namespace kiln::driver

#endif // KILN_DRIVER_PASSES_H
