//===- Synchronization.h - Barriers, fences and waits -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_SYNCHRONIZATION_H
#define KILN_INTERFACES_SYNCHRONIZATION_H

#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// What an operation does for the order of memory accesses of a block's
/// threads.
struct Synchronization {
  enum class Kind : uint8_t {
    BlockBarrier,   ///< all threads wait for each other; orders shared memory
    WarpBarrier,    ///< the lanes of a warp wait for each other
    PartBarrier,    ///< the first threads of the block wait for each other
    ProxyFence,     ///< orders writes before reads by asynchronous matmuls
    Commit,         ///< asynchronous operations become a group
    WaitForGroups,  ///< all groups but the latest `but` are complete
    CreateBarriers, ///< `count` slot barriers begin at `place`
    CreateSplit,    ///< a split barrier is created at `place`
    ArriveAtSplit,  ///< the thread arrives there without waiting
    AwaitSplit,     ///< the thread waits until all threads have arrived
  };
  /// The asynchronous operations that a group consists of.
  enum class Group : uint8_t { Copies, Products };

  Kind kind;
  Group group = Group::Copies; ///< of `Commit` and `WaitForGroups`
  int64_t but = 0;             ///< of `WaitForGroups`
  int64_t place = 0;           ///< bytes from the start of shared memory
  int64_t count = 1;           ///< of `CreateBarriers`
  int64_t arrivals = 0;        ///< of each phase of `CreateBarriers`
  mlir::Value phase{};         ///< of `ArriveAtSplit` and `AwaitSplit`

  bool is(Kind other) const { return kind == other; }
  /// Whether it is a barrier of all threads, or of the lanes of a warp.
  bool isBarrier() const {
    return kind == Kind::BlockBarrier || kind == Kind::WarpBarrier;
  }
  bool isCommitOf(Group other) const {
    return kind == Kind::Commit && group == other;
  }
  bool isWaitFor(Group other) const {
    return kind == Kind::WaitForGroups && group == other;
  }
};

} // namespace kiln

#include "kiln/Interfaces/Synchronization.h.inc"

#endif // KILN_INTERFACES_SYNCHRONIZATION_H
