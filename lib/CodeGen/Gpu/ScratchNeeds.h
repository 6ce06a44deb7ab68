//===- ScratchNeeds.h - Shared memory that lowerings borrow -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some operations exchange elements through shared memory. What each of them
// borrows follows from its types and layouts alone, so that places and barriers
// are decided before there is any code of a thread. Beside each lowering stands
// a function that says what it will ask for.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_SCRATCHNEEDS_H
#define KILN_LIB_GPU_SCRATCHNEEDS_H

#include "ExchangeMachine.h"
#include "kiln/Dialect/Stage/ProductOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Gpu/Registers.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::simt {

/// A lowering of tiles in registers.
struct RegisterCandidate {
  const target::Lowering *lowering;
  bool isOwn; ///< it came with Kiln
};

/// The threads of a block, what exchanges between them cost, and who lowers
/// their tiles.
struct BlockShape : BlockThreads {
  ExchangeMachine machine;
  target::TargetOptions options; ///< of the kernel's target
  /// What was found for operations of a name and of some kinds, a bit each.
  mutable llvm::DenseMap<std::pair<mlir::OperationName, unsigned>,
                         std::vector<RegisterCandidate>>
      candidates;

  BlockShape(tile::Kernel kernel, int64_t lanes, int64_t warps,
             target::TargetAttr description);
};

/// What an operation of a kernel with layouts borrows; nothing for most.
ScratchNeeds scratchNeeds(mlir::Operation *op, const BlockShape &block);

/// Those of a product of operands in memory.
ScratchNeeds memoryProductNeeds(stage::ProductOp op,
                                target::TargetAttr description);

/// What handing a value that one thread found to all threads takes, and the
/// elements of a tile to the threads that hold copies of them.
ScratchNeed firstCopyNeed();
ScratchNeed firstCopiesNeed(llvm::ArrayRef<int64_t> shape, mlir::Type element);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SCRATCHNEEDS_H
