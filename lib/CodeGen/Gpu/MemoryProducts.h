//===- MemoryProducts.h - Factors that instructions read -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by rows of the description whose factors have their home in
// shared memory. The instruction reads them there asynchronously, while the
// threads go on; several warps execute it together.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_MEMORYPRODUCTS_H
#define KILN_LIB_GPU_MEMORYPRODUCTS_H

#include "ProductChoice.h"
#include "ThreadWriter.h"

namespace kiln::simt {

/// Whether a row reads factors from shared memory, the right one at least:
/// their layouts say how they lie there (`#simt.swizzle`).
bool readsMemory(target::MatrixInstructionAttr row);

/// How such a row reads the left (0) or the right (1) factor; null for a left
/// factor that threads have in registers.
SwizzleAttr swizzleOf(target::MatrixInstructionAttr row, int which);

/// How the first product that a factor reaches, its dimensions transposed at
/// most, reads it; null where that does not read memory.
SwizzleAttr swizzleOf(mlir::Value factor, target::TargetAttr description);

/// The `permute` of storage whose elements lie side by side along `dim`, in
/// rows of a swizzle.
mlir::Attribute permuteOf(SwizzleAttr swizzle, int64_t dim);

/// The row of a product by such a row, before and behind simt-stage-products;
/// null for anything else.
target::MatrixInstructionAttr memoryRowOf(mlir::Operation *op,
                                          target::TargetAttr description);
/// Whether an operation is a product by such a row.
bool isMemoryProduct(mlir::Operation *op, target::TargetAttr description);
bool hasMemoryProducts(tile::KernelOp kernel, target::TargetAttr description);
/// What shared memory is aligned to for such products, in bytes; 1
/// where there are none.
int64_t alignOfMemoryProducts(tile::KernelOp kernel,
                              target::TargetAttr description);

/// How groups of warps share out a product.
struct Split {
  int64_t rows = 1, columns = 1; ///< groups along each
  int64_t width = 0;             ///< columns of one instruction
};
/// Of sums by such a row; none where groups cannot. `inParts`: sums of some
/// terms lie beside those of the product.
std::optional<Split> splitOf(mlir::RankedTensorType sums, bool inParts,
                             target::MatrixInstructionAttr row, int64_t warps);
std::optional<Split> splitOf(MatrixProductOpInterface op,
                             target::MatrixInstructionAttr row, int64_t warps);

/// Whether a product whose types a row takes is one for it: the factors that it
/// reads from memory are loads of the loop around it that can be copied ahead,
/// and tiles are so large that reading them is not what takes the time.
bool suitsMemory(MatrixProductOpInterface op, target::MatrixInstructionAttr row,
                 target::TargetAttr description, int64_t warps);

/// Why such a row does not compute a product whose types it takes; empty where
/// it does.
std::string whyNotFromMemory(MatrixProductOpInterface op,
                             target::MatrixInstructionAttr row,
                             target::TargetAttr description, int64_t warps);

/// Why the sizes of a product do not suit such a row; empty where they do.
std::string whySizesDoNotSuit(MatrixProductOpInterface op,
                              target::MatrixInstructionAttr row, int64_t lanes,
                              int64_t warps);

/// Where its warps have the sums, and the left factor if it is in registers:
/// groups of as many as the row's accumulator is spread over take rows first.
ProductChoice chooseMemoryProduct(MatrixProductOpInterface op,
                                  target::MatrixInstructionAttr row,
                                  int64_t warps);

mlir::LogicalResult emitMemoryProduct(ThreadWriter &w, stage::ProductOp op,
                                      target::MatrixInstructionAttr row);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_MEMORYPRODUCTS_H
