//===- ExternOps.h - Calls, conversions, output --*- C++ -*-===//

#ifndef KILN_DIALECT_TILE_EXTERNOPS_H
#define KILN_DIALECT_TILE_EXTERNOPS_H

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ExternOps.h.inc"

#endif // KILN_DIALECT_TILE_EXTERNOPS_H
