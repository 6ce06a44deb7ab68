//===- Loops.h - Loops that become one kernel -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule "generic.loop" of kind "loop" makes one kernel of a `prim.while`
// whose body computes few elements: small tensors are scalars in registers, a
// larger one lies in memory, where gathers read and scatters write single
// elements. Where all tensors have one element or the same number of up to
// 4,096, and each element follows from those at its own place and from
// reductions of all, they are tiles. So they are where a body multiplies,
// reduces or repeats tensors of up to 4,096 elements: then each has its own
// shape, and blocks at computed places are read and written in memory.
//
// One instance runs the loop: a thread of a CPU, or a block of a GPU, whose
// threads share the tiles. On a GPU a step over tiles has to be so short that
// launches on all cores would not be faster.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_LOOPS_H
#define KILN_SCHEDULE_LOOPS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// How a loop in one kernel carries a tensor.
enum class LoopState {
  invariant, ///< the body yields what it is given: read where the init lies
  scalars,   ///< elements are in registers, or the tensor is a tile
  memory     ///< the body writes elements of it in place
};

/// How the loop carries each tensor, if "generic.loop" can make a kernel of it;
/// else the reason is reported for `op`. Emits nothing.
std::optional<llvm::SmallVector<LoopState>> planLoop(prim::WhileOp op,
                                                     ScheduleContext &ctx);

/// Makes the kernel of a loop that `planLoop` accepts, and its launch. The
/// results have buffers: those of tensors in memory hold the inits, and those
/// of scalars are written.
mlir::LogicalResult scheduleLoop(prim::WhileOp op, ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_LOOPS_H
