//===- LoopSchedule.h - Loops as one kernel ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_LOOPSCHEDULE_H
#define KILN_LIB_SCHEDULE_LOOPSCHEDULE_H

#include "ElementBuilder.h"
#include "kiln/Schedule/Loops.h"

namespace kiln::schedule {

/// Writes elements of what a loop carries at the end of an iteration.
struct ElementStore {
  unsigned state; ///< the number of the carried tensor
  llvm::SmallVector<Coord> at;
  mlir::Value condition; ///< null: always
  mlir::Value value;
  prim::ScatterOp op; ///< says how it is combined with what is there
};

/// Emits `prim.while` and `prim.if` as loops and conditions of a kernel.
class LoopBuilder : public ElementBuilder {
public:
  LoopBuilder(KernelBuilder &kernel, prim::WhileOp outer)
      : ElementBuilder(kernel, outer), outer(outer) {}

  /// How the loop carries each tensor, or nothing after `reason` was set.
  std::optional<llvm::SmallVector<LoopState>> classify(prim::WhileOp op);
  /// The loop itself. `memories` has a buffer for each tensor that is carried
  /// in memory. Binds the results that are small.
  mlir::LogicalResult emitLoop(prim::WhileOp op,
                               llvm::ArrayRef<LoopState> states,
                               llvm::ArrayRef<Buffer> memories);

private:
  mlir::LogicalResult emitRegions(mlir::Operation *op) override;
  mlir::LogicalResult emitIf(prim::IfOp op);
  /// The updates that make `value` out of `argument`, the first one first.
  bool findUpdates(mlir::Value value, mlir::BlockArgument argument,
                   llvm::SmallVectorImpl<prim::ScatterOp> &updates) const;
  mlir::LogicalResult addStores(prim::ScatterOp op, unsigned state,
                                llvm::SmallVectorImpl<ElementStore> &stores);
  void emitStore(ElementStore &store, const Buffer &buffer);
  mlir::LogicalResult emitBody(prim::WhileOp op,
                               llvm::ArrayRef<LoopState> states,
                               llvm::ArrayRef<Buffer> memories);
  mlir::LogicalResult loadSmall(prim::WhileOp op);

  prim::WhileOp outer;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_LOOPSCHEDULE_H
