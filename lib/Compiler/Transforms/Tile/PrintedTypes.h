//===- PrintedTypes.h - What tile.print shows after lowering ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_TILE_PRINTEDTYPES_H
#define KILN_LIB_TRANSFORMS_TILE_PRINTEDTYPES_H

#include "kiln/Dialect/Tile/Kernel.h"

namespace kiln::tile {

/// Notes the element types of what is printed (`printed_types`) before they
/// are lowered. What has been noted before stays.
void keepPrintedTypes(Kernel kernel);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_PRINTEDTYPES_H
