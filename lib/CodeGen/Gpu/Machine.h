//===- Machine.h - What the family takes from descriptions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of a chip come from its description. This header reads them, and has
// the only assumptions about chips whose description says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_MACHINE_H
#define KILN_LIB_GPU_MACHINE_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Layout/Conversion.h"
#include "kiln/Layout/Shared.h"

namespace kiln::tile {
class KernelOp;
} // namespace kiln::tile

namespace kiln::simt {

/// Threads that run in step: `given` if that is not 0, else those of the
/// description (null: none).
int64_t lanesOf(target::TargetAttr description, int64_t given = 0);

/// The most warps of a block, a power of two.
int64_t mostWarpsOf(target::TargetAttr description, int64_t lanes);

/// Bytes of the shared memory of a block.
int64_t sharedBytesOf(target::TargetAttr description);

/// Bytes of a line of the shared memory, at whose multiples storage begins.
int64_t lineBytesOf(target::TargetAttr description);

/// The name of the space of storage in shared memory.
llvm::StringRef sharedSpaceOf(target::TargetAttr description);
/// Whether threads can arrive at a barrier and wait for the others later: the
/// description's `extra` has `split_barriers`.
bool hasSplitBarriers(target::TargetAttr description);
/// Whether shared memory, more than barriers, decides how many blocks a core
/// holds: `few_bytes` in the description's `extra`.
bool sparesShared(target::TargetAttr description);
/// Whether an atomic update with a memory order costs a fence:
/// `fenced_updates` in the description's `extra`.
bool fencesUpdates(target::TargetAttr description);

/// What a copy unit copies as a whole, by a descriptor of a view.
struct BulkCopies {
  int64_t rank;   ///< the most dimensions of a view
  int64_t extent; ///< the most elements of a box along a dimension
  int64_t align;  ///< strides, and where views begin: multiples of these bytes
  int64_t row;    ///< bytes of a swizzled row, of which chunks are permuted
  int64_t chunk;
};
/// The numbers of the description's `extra` by the name `bulk_copies`; none
/// where there is no such copy unit.
std::optional<BulkCopies> bulkCopiesOf(target::TargetAttr description);

/// What a warp of its own for bulk copies needs.
struct ProducerCosts {
  int64_t warps;     ///< that change their registers together
  int64_t registers; ///< of a thread that only starts copies
  int64_t granule;   ///< numbers of registers are multiples of this
  int64_t most;      ///< registers of a thread
};
/// The numbers of the description's `extra` by the name `producer`; none where
/// warps cannot change their registers.
std::optional<ProducerCosts> producerCostsOf(target::TargetAttr description);
/// The warps that a block of `warps` warps gets more for a producer: one beside
/// a single group, else a group, as registers are of parts of the core, which
/// have the warps in turns. None where the block is not of whole groups or has
/// no room for more.
std::optional<int64_t> warpsOfProducer(ProducerCosts costs, int64_t warps,
                                       int64_t lanes,
                                       target::TargetAttr description);

/// The banks of the shared memory, and which lanes it serves together.
layout::Banks banksOf(target::TargetAttr description);

/// What exchanges between lanes, and through shared memory, cost.
layout::ConversionCosts costsOf(target::TargetAttr description);

/// Whether the lanes of a warp share registers, in which a number that they
/// have alike is kept once.
bool sharesRegisters(target::TargetAttr description);

/// Whether accesses to global memory can be checked against an extent.
bool checksBounds(target::TargetAttr description);

/// Whether barriers say which memories they order.
bool namesMemories(target::TargetAttr description);

/// The warps of a kernel, which its layouts share out tiles to; the usual
/// number if it has none.
int64_t warpsOf(tile::KernelOp kernel);

/// Requires of a description what the family needs: one explicit memory that
/// the threads of a block share, and the given number of lanes. The error is at
/// `op`.
mlir::LogicalResult verifyMachine(mlir::Operation *op,
                                  target::TargetAttr description,
                                  int64_t lanes);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_MACHINE_H
