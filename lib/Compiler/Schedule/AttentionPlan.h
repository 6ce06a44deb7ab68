//===- AttentionPlan.h - What attention reads, and how ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ATTENTIONPLAN_H
#define KILN_LIB_SCHEDULE_ATTENTIONPLAN_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// The iteration dimensions of attention; -1 for one of a single element.
struct AttentionDims {
  llvm::SmallVector<int> outer; ///< batches, heads, and outer parts of queries
  int query = -1, key = -1;
  int depth = -1; ///< of a query and of a key
  int width = -1; ///< of a value
};

/// The dimensions of the one attention of a group; fails with the reason.
mlir::FailureOr<AttentionDims> findAttentionDims(const GroupPlan &plan,
                                                 std::string &reason);

/// What a mask says about keys before it is read.
struct MaskBound {
  /// Keys above this coordinate are minus infinity: an expression in which the
  /// dimension of queries has the factor 0 or 1, and that of keys none.
  IndexExpr last;
  bool isKnown = false;
  /// All other keys have a zero: nothing else need be known about the mask.
  bool isAll = false;
};

/// Looks for `where(query + c >= key, x, -inf)` in what computes a mask.
MaskBound findMaskBound(mlir::Value mask, const AccessMap &map, GroupPlan &plan,
                        GroupPlan::InGroupFn inGroup,
                        const AttentionDims &dims);

/// The blocks of keys that queries of an instance see.
struct KeyLoop {
  mlir::Value end; ///< behind the last one
  /// The first one that a mask or the end of the keys cuts; null: there is
  /// none.
  mlir::Value cut;
};
KeyLoop findKeyLoop(KernelBuilder &kernel, const AttentionDims &dims,
                    const MaskBound &bound);

/// Blocks of `rows` and of what a loop goes through, where cores compute out of
/// caches. `isCut`: a mask leaves some of them out.
std::pair<int64_t, int64_t> chooseCachedBlocks(ScheduleContext &ctx,
                                               const KernelBuilder &kernel,
                                               const AttentionDims &dims,
                                               int rows, int along,
                                               mlir::Type element, bool isCut);

/// Rows of a tile that a warp has, so that its part of the sums stays in
/// registers.
inline constexpr int64_t kRowsOfWarp = 16;
/// Rows of the tiles of FlashAttention-2: 128 of `dim`, fewer where cores would
/// have no instance.
int64_t chooseThreadedRows(ScheduleContext &ctx, const KernelBuilder &kernel,
                           const AttentionDims &dims, int dim);

/// Gives a kernel the dimensions of a plan. What attention does not have has
/// one element; heads are whole, and where threads share tiles a power of two.
void placeAttentionDims(KernelBuilder &kernel, const GroupPlan &plan,
                        AttentionDims &dims, bool isThreaded);

/// Whether a matrix unit that threads share multiplies elements of this type,
/// so that weights of attention are rounded to it.
bool multipliesWithThreads(target::TargetAttr description,
                           const target::TilingModel &model,
                           mlir::Type element);

/// Keys of a tile of heads that are not wide.
inline constexpr int64_t kKeysOfTile = 64;
/// The most queries of a tile where no matrix unit takes these elements and
/// each thread multiplies for itself: if the factors of a product have room in
/// half of the memory that threads share, and the sums of a head of so many
/// elements in registers. Else 0.
int64_t rowsOfThreadProducts(target::TargetAttr description,
                             const target::TilingModel &model,
                             mlir::Type element, int64_t head);

/// Registered as the claim `generic.attention`: attention, with the movements
/// of its operands and results and what makes its mask.
mlir::LogicalResult claimAttention(mlir::Operation *func,
                                   target::LoweringContext &context);
/// Registered as the schedule `generic.attention`.
mlir::LogicalResult scheduleAttention(prim::ClaimOp claim,
                                      ScheduleContext &ctx);
/// Registered as the claim `generic.attention_backward`.
mlir::LogicalResult claimAttentionBackward(mlir::Operation *func,
                                           target::LoweringContext &context);
/// Registered as the schedule `generic.attention_backward`.
mlir::LogicalResult scheduleAttentionBackward(prim::ClaimOp claim,
                                              ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ATTENTIONPLAN_H
