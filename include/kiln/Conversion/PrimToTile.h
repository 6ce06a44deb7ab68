// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From prim to tile kernels and host programs.
#ifndef KILN_CONVERSION_PRIMTOTILE_H
#define KILN_CONVERSION_PRIMTOTILE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln {

#define GEN_PASS_DECL_PRIMFINDLASTUPDATES
#define GEN_PASS_DECL_PRIMFUSE
#define GEN_PASS_DECL_PRIMPRECOMPUTE
#define GEN_PASS_DECL_PRIMSINKTRANSPOSES
#define GEN_PASS_DECL_PRIMSPLITPHASES
#define GEN_PASS_DECL_PRIMTOTILE
#include "kiln/Conversion/PrimToTile.h.inc"

/// Registers `prim-split-phases`, `prim-sink-transposes`,
/// `prim-find-last-updates`, `prim-precompute`, `prim-fuse` and
/// `convert-prim-to-tile`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/PrimToTile.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_PRIMTOTILE_H
