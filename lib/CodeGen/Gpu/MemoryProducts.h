//===- MemoryProducts.h - Factors that instructions read -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by rows of the description whose factors have their home in the
// memory of the block: the instruction reads them there, by itself and while
// the threads go on; several warps execute it together.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_MEMORYPRODUCTS_H
#define KILN_LIB_GPU_MEMORYPRODUCTS_H

#include "KernelWalk.h"
#include "LayoutChoice.h"

namespace kiln::simt {

/// What factors that are read like this are aligned to, in bytes: permutations
/// of chunks are those of whole addresses.
inline constexpr int64_t kMatrixAlign = 1024;
/// Bytes of a row that lie together.
inline constexpr int64_t kMatrixRow = 128;

/// Whether a row reads both factors from the memory of the block.
bool readsMemory(target::MatrixInstructionAttr row);

/// Whether an operation is a product by such a row.
bool isMemoryProduct(mlir::Operation *op, target::TargetAttr description);
bool hasMemoryProducts(tile::KernelOp kernel, target::TargetAttr description);

/// Whether a product whose types a row takes is one for it: both factors are
/// loads of the loop around it that can be copied ahead, and tiles are so large
/// that reading them is not what takes the time.
bool suitsMemory(MatrixProductOpInterface op, target::MatrixInstructionAttr row,
                 target::TargetAttr description, int64_t warps);

/// Why such a row does not compute a product whose types it takes; empty where
/// it does.
std::string whyNotFromMemory(MatrixProductOpInterface op,
                             target::MatrixInstructionAttr row,
                             target::TargetAttr description, int64_t warps);

/// Why the sizes of a product do not suit such a row; empty where they do.
std::string whySizesDoNotSuit(MatrixProductOpInterface op,
                              target::MatrixInstructionAttr row, int64_t warps);

/// Where its warps have the sums: groups of as many as the row's accumulator is
/// spread over take rows first.
ProductChoice chooseMemoryProduct(MatrixProductOpInterface op,
                                  target::MatrixInstructionAttr row,
                                  int64_t warps);

mlir::LogicalResult emitMemoryProduct(KernelWalk &w,
                                      MatrixProductOpInterface op,
                                      target::MatrixInstructionAttr row);

// StageOperands.cpp
/// Whether what is read of memory at places without an element is zero, or
/// anything.
bool hasZeros(mlir::Operation *load);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_MEMORYPRODUCTS_H
