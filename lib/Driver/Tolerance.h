//===- Tolerance.h - How far results may be off -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_TOLERANCE_H
#define KILN_LIB_DRIVER_TOLERANCE_H

#include "kiln/Runtime/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>
#include <vector>

namespace kiln::tile {
class KernelOp;
} // namespace kiln::tile

namespace kiln::driver {

/// Per function, one entry per result.
using Tolerances = std::map<std::string, std::vector<runtime::Tolerance>>;

/// Follows every prim function from its arguments to its results: the coarsest
/// type that is rounded to, and the lengths of the sums on the way.
Tolerances computeTolerances(mlir::ModuleOp module);

/// Whether `reference` can tell how far a kernel's results may be off by
/// letting its operations err: each one's contract is a bound of its own.
bool hasContractBounds(tile::KernelOp kernel);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_TOLERANCE_H
