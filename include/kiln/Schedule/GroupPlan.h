//===- GroupPlan.h - The iteration space of a group -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a group of operations of prim from its result to the values that it
// reads, and computes the access map of every value on the way. `prim-fuse`
// asks it whether a group can be one kernel; schedules (convert-prim-to-tile)
// read the iteration dimensions, reductions and matmuls of the group from it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_GROUPPLAN_H
#define KILN_SCHEDULE_GROUPPLAN_H

#include "kiln/Schedule/AccessMap.h"
#include <vector>

namespace kiln::schedule {

/// A value that the group reads, and the map of the access.
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

/// A matmul, convolution, pooling or attention.
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

/// Returns true for elementwise operations, `where`, conversions, `rescale`,
/// `table`.
bool isElementwisePrim(mlir::Operation *op);
/// Returns true for sum, prod, amax, amin, argmax.
bool isReduction(mlir::Operation *op);
/// Returns true for dot_general, conv, max_pool, sum_pool.
bool isAnchor(mlir::Operation *op);
/// Returns the value of a `full`, or of a constant whose elements are all
/// equal; else null.
mlir::TypedAttr splatValue(mlir::Operation *op);
/// Returns the reduced dimensions of a reduction, in order.
llvm::SmallVector<int64_t> reducedDims(mlir::Operation *op);

/// Computes the maps by which a gather reads its operand (`data`, with index 0
/// along the gathered dimension) and its `indices`, if `map` accesses its
/// result.
void gatherMaps(prim::GatherOp op, const AccessMap &map, AccessMap &data,
                AccessMap &indices);

/// The walk and its results. Call `run` once, then read the public members.
class GroupPlan {
public:
  using InGroupFn = std::function<bool(mlir::Operation *)>;

  GroupPlan(index::Math &math, DimFn dimOf, InGroupFn inGroup)
      : math(math), dimOf(std::move(dimOf)), inGroup(std::move(inGroup)) {}

  /// Walks the group whose result is `root`. On failure `reason` states why.
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
  /// Dimensions that change both a loaded index and the place at which it is
  /// read: they get blocks of one element, unless they are summed.
  llvm::SmallBitVector untiled;
  std::string reason;
  unsigned visits = 0;

  MapContext context() { return {math, sizes, dimOf, std::nullopt}; }
  /// Returns the index over the reduced dimension `number` of a reduction.
  const IndexExpr &reducedIndex(mlir::Operation *op, unsigned number) const;
  /// Returns by how many different maps the group accesses a value.
  unsigned timesVisited(mlir::Value value) const {
    auto found = seen.find(value);
    return found == seen.end() ? 0 : found->second.size();
  }
  /// Returns true if the kernel would compute the reduction several times: a
  /// dimension of the result is neither in its `map` nor in its `dims`.
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
