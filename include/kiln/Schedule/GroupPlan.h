//===- GroupPlan.h - The iteration space of a group -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a group of prims from its result to what it reads, with the access map
// of every value on the way. Tells whether a group can be one kernel at all
// (prim-fuse) and gives schedules what they choose from (convert-prim-to-tile).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_GROUPPLAN_H
#define KILN_SCHEDULE_GROUPPLAN_H

#include "kiln/Schedule/AccessMap.h"
#include <vector>

namespace kiln::schedule {

/// A value that the group reads, and how.
struct LeafVisit {
  mlir::Value value;
  AccessMap map;
};

/// A reduction with the iteration dimensions that it runs over.
struct ReductionVisit {
  mlir::Operation *op;
  AccessMap map;        ///< of the result
  AccessMap operandMap; ///< of the operand
  llvm::SmallVector<int, 2> dims;
};

/// A product, convolution, pooling or attention.
struct AnchorVisit {
  mlir::Operation *op;
  AccessMap map; ///< of the result
  llvm::SmallVector<AccessMap, 2> operandMaps;
  /// Iteration dimensions that are summed over: contracted dimensions; window
  /// positions and then the input channels.
  llvm::SmallVector<int, 4> reduced;
  /// Windows: the index of the window position, one per spatial dimension.
  llvm::SmallVector<IndexExpr, 3> window;
  /// Windows: input coordinates, one per spatial dimension.
  llvm::SmallVector<int, 3> virtualDims;
};

/// True for elementwise operations, `where`, conversions, `rescale`, `table`.
bool isElementwisePrim(mlir::Operation *op);
/// sum, prod, amax, amin, argmax.
bool isReduction(mlir::Operation *op);
/// dot_general, conv, max_pool, sum_pool.
bool isAnchor(mlir::Operation *op);
/// The value of `full` or of a constant that is the same everywhere, or null.
mlir::TypedAttr splatValue(mlir::Operation *op);
/// Reduced dimensions, in order.
llvm::SmallVector<int64_t> reducedDims(mlir::Operation *op);

/// Maps of the operand (index 0 along the gathered dimension) and of the
/// indices of a gather whose result is accessed by `map`.
void gatherMaps(prim::GatherOp op, const AccessMap &map, AccessMap &data,
                AccessMap &indices);

/// The walk and what it found.
class GroupPlan {
public:
  using InGroupFn = std::function<bool(mlir::Operation *)>;

  GroupPlan(index::Math &math, DimFn dimOf, InGroupFn inGroup)
      : math(math), dimOf(std::move(dimOf)), inGroup(std::move(inGroup)) {}

  /// Builds the plan. On failure `reason` says why.
  mlir::LogicalResult run(mlir::Value root);

  /// Sizes of the iteration dimensions; those of the result come first.
  llvm::SmallVector<Extent> sizes;
  unsigned numRootDims = 0;
  AccessMap rootMap;
  std::vector<LeafVisit> leaves;
  std::vector<ReductionVisit> reductions;
  std::vector<AnchorVisit> anchors;
  /// Dimensions whose index itself is used: they cannot be merged.
  llvm::SmallBitVector pinned;
  /// Dimensions that move both an index and the place that it reads: they have
  /// blocks of one element, unless they are summed.
  llvm::SmallBitVector untiled;
  std::string reason;
  unsigned visits = 0;

  MapContext context() { return {math, sizes, dimOf, std::nullopt}; }
  /// The index over the reduced dimension `number` of a reduction.
  const IndexExpr &reducedIndex(mlir::Operation *op, unsigned number) const;
  /// In how many ways a value is accessed.
  unsigned timesVisited(mlir::Value value) const {
    auto found = seen.find(value);
    return found == seen.end() ? 0 : found->second.size();
  }
  /// True if a root dimension is outside of `map` and of `dims`.
  bool recomputes(const ReductionVisit &visit) const;

private:
  using Key = std::pair<const void *, int>;

  mlir::LogicalResult visit(mlir::Value value, const AccessMap &map);
  mlir::LogicalResult visitReduction(mlir::Operation *op, const AccessMap &map);
  mlir::LogicalResult visitDot(prim::DotGeneralOp op, const AccessMap &map);
  mlir::LogicalResult visitConv(prim::ConvOp op, const AccessMap &map);
  mlir::LogicalResult visitAttention(prim::AttentionOp op,
                                     const AccessMap &map);
  mlir::LogicalResult visitAttentionBackward(prim::AttentionBackwardOp op,
                                             const AccessMap &map);
  mlir::LogicalResult visitPool(mlir::Operation *op, const AccessMap &map);
  mlir::LogicalResult visitGather(prim::GatherOp op, const AccessMap &map);
  mlir::LogicalResult fail(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return mlir::failure();
  }
  /// The index over the dimension(s) made for `key`.
  IndexExpr fresh(Key key, Extent size);
  int freshDim(Extent size);
  void pin(const IndexExpr &expr, llvm::SmallBitVector &bits);
  void reset();

  index::Math &math;
  DimFn dimOf;
  InGroupFn inGroup;
  std::optional<Refinement> wish;
  llvm::DenseMap<Key, llvm::SmallVector<Extent, 2>> parts;
  llvm::SmallVector<std::pair<Key, unsigned>> origin;
  llvm::DenseMap<Key, std::pair<IndexExpr, Extent>> expr;
  llvm::SmallVector<Key> keyOrder;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, Key> assigned;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<AccessMap, 1>> seen;
};

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_GROUPPLAN_H
