//===- FamilyLowerings.h - Operations that lowerings take -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_STAGING_FAMILYLOWERINGS_H
#define KILN_LIB_STAGING_FAMILYLOWERINGS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include <functional>

namespace kiln::staging {

/// Whether a lowering of an operation is registered for the target of the
/// kernel's module or for its family.
std::function<bool(mlir::Operation *)>
findFamilyLowerings(tile::KernelOp kernel);

/// Whether a lowering of a plug-in may take a matrix product before the family.
std::function<bool(mlir::Operation *)>
findProductPlugIns(tile::KernelOp kernel);

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_FAMILYLOWERINGS_H
