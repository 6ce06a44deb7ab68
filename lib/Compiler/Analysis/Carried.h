//===- Carried.h - What loops carry -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ANALYSIS_CARRIED_H
#define KILN_LIB_ANALYSIS_CARRIED_H

#include "Linearize.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <string>

namespace kiln::tile {

/// Why the result of a loop may depend on how its iterations divide the work;
/// empty when every value that it carries gathers contributions with one
/// associative operation, or is rescaled by what the loop carries besides.
std::string whyBlocksMatter(mlir::scf::ForOp loop, Linearizer &linearizer);

} // namespace kiln::tile

#endif // KILN_LIB_ANALYSIS_CARRIED_H
