//===- ColumnPieces.cpp - Blocks of columns in several pieces -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ColumnPieces.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Tiling/Warps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

SmallVector<ColumnPiece, 2>
kiln::schedule::findColumnPieces(KernelBuilder &kernel, int rows, int columns) {
  const KernelDim &dim = kernel.dims[columns];
  int64_t block = dim.block, begin = 0;
  if (llvm::isPowerOf2_64(block))
    return {{block, dim.offset, dim.coord}};
  SmallVector<ColumnPiece, 2> pieces;
  while (begin < block) {
    int64_t width = llvm::bit_floor<uint64_t>(block - begin);
    pieces.push_back(
        {width, kernel.add(dim.offset, kernel.constant(begin)), Value()});
    begin += width;
  }
  // They hold the sums of all pieces.
  int64_t warps = tiling::warpsOf(kernel.dims[rows].block, block);
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(kernel.b.getContext(), warps, 0, 0, 0));
  return pieces;
}

void kiln::schedule::enterPiece(KernelBuilder &kernel, int columns,
                                const ColumnPiece &piece) {
  kernel.dims[columns].block = piece.width;
  kernel.dims[columns].offset = piece.offset;
  kernel.dims[columns].coord = piece.coord;
}
