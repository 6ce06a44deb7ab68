// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of inline assembly in PTX, as Triton kernels hold it, to
// operations on tiles.
#ifndef KILN_CONVERSION_PTXTOTILE_H
#define KILN_CONVERSION_PTXTOTILE_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln::tile {

#define GEN_PASS_DECL
#include "kiln/Conversion/PtxToTile.h.inc"

/// Registers `tile-expand-inline-asm`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/PtxToTile.h.inc"

} // namespace kiln::tile

#endif // KILN_CONVERSION_PTXTOTILE_H
