//===- FourierOps.h - Discrete Fourier transforms of tiles ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_FOURIEROPS_H
#define KILN_DIALECT_TILE_FOURIEROPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/FourierOps.h.inc"

#endif // KILN_DIALECT_TILE_FOURIEROPS_H
