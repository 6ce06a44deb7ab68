//===- AttentionParts.h - Keys of attention that instances share out -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ATTENTIONPARTS_H
#define KILN_LIB_SCHEDULE_ATTENTIONPARTS_H

#include "AttentionPlan.h"

namespace kiln::schedule {

/// Keys and values that lie beside each other: all of them, or one operand of
/// the `prim.cat` that joins them, such as a cache and what is new.
struct KeyPiece {
  Extent first, size; ///< of its keys
  mlir::Value key, value;
  AccessMap keyMap, valueMap;
};

/// The pieces of the keys, in order; fails with the reason where keys and
/// values are joined at different places.
mlir::FailureOr<std::vector<KeyPiece>>
findKeyPieces(GroupPlan &plan, const GroupPlan::InGroupFn &inGroup,
              const AttentionDims &dims, std::string &reason);

/// The outer dimensions that keys and values do not depend on, in order, if all
/// their queries make few rows: heads of a group, which read the same keys.
llvm::SmallVector<int> findRowDims(const GroupPlan &plan,
                                   const AttentionDims &dims,
                                   const KeyPiece &keys);

/// How many instances share out the keys of a query.
struct PartProblem {
  int64_t instances = 1; ///< with different queries or heads
  int64_t blocks = 1;    ///< of keys
  int64_t cores = 1;
  int64_t perCore = 1; ///< instances that a core holds at once
  /// Whether the tiles have so few rows that an instance waits for memory
  /// rather than for the matrix unit.
  bool hasFewRows = false;
  /// What an instance writes for the second kernel, in bytes of a block of keys
  /// and values.
  double store = 0;
};

/// The number of parts with the least estimated time.
int64_t chooseKeyParts(const PartProblem &problem);

/// What instances with a part of the keys leave for the kernel that combines
/// them: the largest score, the sum of the exponentials and that of the values,
/// not divided by it. `map` is that of the last one, whose last index is the
/// element of a head.
struct PartialSoftmax {
  int part = -1; ///< the dimension of parts
  Buffer largest, sum, result;
  AccessMap map;
};

/// Emits the kernel that combines the parts of each row, and stores `root` in
/// `out`. `first` is the kernel that made them; `isPowerOfTwo` says what
/// exponentials have as base. Calls `finishFirst` once the kernel is whole,
/// before its launch; fails with the reason, and then launches neither.
mlir::LogicalResult
combineParts(ScheduleContext &ctx, GroupPlan &plan,
             const GroupPlan::InGroupFn &inGroup, const AttentionDims &dims,
             llvm::ArrayRef<int> rowDims, const KernelBuilder &first,
             const PartialSoftmax &parts, bool isPowerOfTwo, mlir::Value root,
             const Buffer &out, llvm::function_ref<void()> finishFirst,
             std::string &reason);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ATTENTIONPARTS_H
