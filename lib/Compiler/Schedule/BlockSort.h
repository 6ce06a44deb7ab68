//===- BlockSort.h - Blocks of a line sorted as one tile --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines whose threads share tiles sort a block of elements at once: a key
// and the place of its element are one integer of 64 bits, so that no two are
// equal and equal keys keep their order.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_BLOCKSORT_H
#define KILN_LIB_SCHEDULE_BLOCKSORT_H

#include "LineKernel.h"

namespace kiln::schedule {

/// Returns the most elements of a block: eight for each of its threads.
int64_t sortedBlockOf(const ScheduleContext &ctx);

/// Whether the machine sorts such blocks, and the order has one key of up to 32
/// bits, in lines whose places fit into as many.
bool sortsBlocks(prim::ArgsortOp op, ScheduleContext &ctx);

/// The pairs of a block that begins at `line.start`: in the upper half the key
/// of an element of the operand, below it the place in the line.
mlir::Value pairsOf(LineKernel &line, prim::ArgsortOp op,
                    const Buffer &operand);
/// Pairs in ascending order. What is behind the end, at `length`, comes last.
mlir::Value sortPairs(LineKernel &line, mlir::Value pairs, Extent length);
/// The upper halves of pairs, and the lower ones as integers of a type.
mlir::Value keysOf(LineKernel &line, mlir::Value pairs);
mlir::Value placesOf(LineKernel &line, mlir::Value pairs, mlir::Type type);

/// The first `limit` places of an order whose line has `length` elements, in
/// rounds: each sorts blocks and keeps the first ones of every block.
void selectInRounds(prim::ArgsortOp op, int64_t limit, int64_t length,
                    ScheduleContext &ctx, const Buffer &out);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_BLOCKSORT_H
