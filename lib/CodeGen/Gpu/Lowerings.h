//===- Lowerings.h - What becomes of tiles, for the report ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_LOWERINGS_H
#define KILN_LIB_GPU_LOWERINGS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::tile {
class KernelOp;
} // namespace kiln::tile

namespace kiln::simt {

struct BlockShape;

/// Adds rows of `--explain` for what a kernel whose tiles have layouts does:
/// how wide accesses are, and how many elements a thread has of the rest.
void reportLowerings(tile::KernelOp kernel, const BlockShape &block);

/// Adds such rows for a product and for what reads its factors: by which
/// instruction it goes, and why not by one that reads them from the memory of
/// the block.
void reportProduct(MatrixProductOpInterface product,
                   llvm::ArrayRef<mlir::Operation *> reads,
                   target::TargetAttr description);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LOWERINGS_H
