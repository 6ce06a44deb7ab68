//===- Rings.h - Rings in the code of a thread ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a ring are its counters: loops and conditions carry them as
// they carry those of tiles. All else is in the operation that makes the ring.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_RINGS_H
#define KILN_LIB_GPU_RINGS_H

#include "ThreadWriter.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"

namespace kiln::simt {

/// What a ring counts: i32. The first two are where the slots begin that come
/// next. With barriers they are the numbers of these slots, and the last one is
/// that of the next release, modulo twice the depth: their phases have the
/// parity of the rounds.
enum class RingCounter { Fill, Use, Release };

/// A ring, with the values that its counters have where code is written.
class Ring {
public:
  Ring(mlir::Value ring, ThreadWriter &w);

  mlir::Value get(RingCounter counter) const;
  void set(RingCounter counter, mlir::Value value);
  /// Begins to count.
  void start();

  mlir::Value ring;
  stage::RingOpInterface op; ///< which makes it
  int64_t depth, align, offset, slotBytes;
  int64_t held;              ///< slots that stay full behind a release
  SlotBarriersAttr barriers; ///< null without any

private:
  ThreadWriter &w;
};

/// Returns the rings that are made before an operation, in its block or around
/// it, in this order. A loop or a condition that fills or uses slots carries
/// the counters of all of them.
llvm::SmallVector<mlir::Value> ringsBefore(mlir::Operation *op);
/// The counters of rings, one after another.
llvm::SmallVector<mlir::Value> ringCounters(mlir::ValueRange rings,
                                            ThreadWriter &w);
void setRingCounters(mlir::ValueRange rings, mlir::ValueRange counters,
                     ThreadWriter &w);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_RINGS_H
