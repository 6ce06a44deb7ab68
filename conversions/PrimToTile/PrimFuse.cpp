//===- PrimFuse.cpp - Groups prims that become one kernel -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are visited from the last to the first. One whose users are all in
// a single group joins that group if the result still has one affine iteration
// space and costs no more than it saves; otherwise it starts a group of its
// own. Joining only then keeps groups free of cycles: whatever reads an
// operation of the group and feeds a later one was visited before and is in the
// group too.
//
//===----------------------------------------------------------------------===//

#include "Legality.h"
#include "Recomputed.h"
#include "RowGroups.h"
#include "Siblings.h"
#include "SplitSquares.h"
#include "Wrap.h"
#include "kiln/Conversion/PrimToTile.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace kiln {
#define GEN_PASS_DEF_PRIMFUSE
#include "kiln/Conversion/PrimToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// The pass.
class PrimFuse : public kiln::impl::PrimFuseBase<PrimFuse> {
public:
  using PrimFuseBase::PrimFuseBase;
  void runOnOperation() override;

private:
  /// Groups the operations of one block.
  void fuse(Block &block);
  /// The one group that all users of `op` are in, or -1.
  int groupOfUsers(Operation *op);
  /// True if the result can stay a view of memory.
  bool staysView(Operation *op);
  /// Copies `op` into each group that has users of it and can take it; true if
  /// no user is left.
  bool copyIntoUsers(Operation *op, Legality &legality);

  DenseMap<Operation *, int> groupOf;
  std::vector<SmallVector<Operation *>> groups;
};

} // namespace

int PrimFuse::groupOfUsers(Operation *op) {
  int result = -1;
  for (Operation *user : op->getUsers()) {
    auto found = groupOf.find(user);
    if (found == groupOf.end() || (result >= 0 && found->second != result))
      return -1;
    result = found->second;
  }
  return result;
}

/// Whether a transposition gives the result of a scatter the order of
/// dimensions that its operand had before it was transposed, so that the result
/// may lie in that order.
static bool restoresOrder(Operation *op) {
  auto after = dyn_cast<prim::TransposeOp>(op);
  auto scatter =
      after ? after.getOperand().getDefiningOp<prim::ScatterOp>() : nullptr;
  auto before = scatter
                    ? scatter.getOperand().getDefiningOp<prim::TransposeOp>()
                    : prim::TransposeOp();
  if (!before)
    return false;
  for (auto [d, from] : llvm::enumerate(after.getPermutation()))
    if (before.getPermutation()[from] != static_cast<int64_t>(d))
      return false;
  return true;
}

bool PrimFuse::staysView(Operation *op) {
  // What a function returns has memory of its own, which a reshape can share.
  Operation *source = op->getOperand(0).getDefiningOp();
  if (restoresOrder(op))
    return true;
  for (Operation *user : op->getResult(0).getUsers())
    if (user->hasTrait<OpTrait::IsTerminator>() &&
        !(isa<prim::ReshapeOp>(op) && source && !isViewMovement(source) &&
          !isa<prim::ConstantOp>(source)))
      return false;
  return isDenseView(op);
}

/// Whether a product, of the operations of a group, reads what `op` gives.
static bool feedsAnchor(Operation *op, ArrayRef<Operation *> group) {
  DenseSet<Operation *> inGroup(group.begin(), group.end()), seen;
  SmallVector<Operation *> work = {op};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (!inGroup.contains(user) || !seen.insert(user).second)
        continue;
      if (isAnchor(user))
        return true;
      work.push_back(user);
    }
  return false;
}

/// Whether a slice that leaves out elements between others keeps a matmul from
/// summing over memory in one line: its only user, behind transposes, merges
/// such a dimension with others to one that a matmul sums over. A copy has it
/// in one line.
static bool breaksSum(prim::SliceOp slice) {
  int64_t dim = -1;
  for (auto [d, stride] : llvm::enumerate(slice.getStrides()))
    if (stride > 1 && slice.getType().getDimSize(d) != 1)
      dim = d;
  if (dim < 0)
    return false;
  bool isMerged = false;
  Operation *op = slice;
  while (op->hasOneUse()) {
    OpOperand &use = *op->use_begin();
    Operation *user = use.getOwner();
    if (auto transpose = dyn_cast<prim::TransposeOp>(user)) {
      dim = llvm::find(transpose.getPermutation(), dim) -
            transpose.getPermutation().begin();
    } else if (auto reshape = dyn_cast<prim::ReshapeOp>(user)) {
      auto groups = getReassociationIndicesForReshape(
          reshape.getOperand().getType(), reshape.getType());
      if (!groups || reshape.getOperand().getType().getRank() <=
                         reshape.getType().getRank())
        return false;
      for (auto [to, from] : llvm::enumerate(*groups))
        if (llvm::is_contained(from, dim)) {
          isMerged |= from.size() > 1;
          dim = to;
          break;
        }
    } else if (auto dot = dyn_cast<prim::DotGeneralOp>(user)) {
      return isMerged &&
             llvm::is_contained(use.getOperandNumber() ? dot.getRhsContract()
                                                       : dot.getLhsContract(),
                                dim);
    } else {
      return false;
    }
    op = user;
  }
  return false;
}

/// Whether a view splits or merges dimensions of more than one element.
static bool regroups(Operation *op) {
  if (!isViewMovement(op) ||
      elementsOf(op->getOperand(0)) != elementsOf(op->getResult(0)))
    return false;
  auto large = [](Value value) {
    SmallVector<int64_t> sizes(
        cast<RankedTensorType>(value.getType()).getShape());
    llvm::erase(sizes, 1);
    llvm::sort(sizes);
    return sizes;
  };
  return large(op->getOperand(0)) != large(op->getResult(0));
}

/// Whether the elements of a group follow those of a product one by one, which
/// is in the group or may join it: only operations that keep the dimensions are
/// between.
static bool followsProduct(ArrayRef<Operation *> group) {
  constexpr int64_t kFraction = 8;
  int64_t all = elementsOf(group.front()->getResult(0));
  DenseSet<Operation *> seen(group.begin(), group.end());
  SmallVector<Operation *> work(group);
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || elementsOf(operand) <= all / kFraction || regroups(source))
        continue;
      bool joins = llvm::all_of(source->getUsers(), [&](Operation *user) {
        return seen.contains(user);
      });
      if (isAnchor(source) && joins)
        return true;
      if (joins &&
          (schedule::isElementwisePrim(source) || isViewMovement(source)) &&
          seen.insert(source).second)
        work.push_back(source);
    }
  return false;
}

/// Whether numbers for the elements of lines of a group, its last dimension,
/// are `op`, which merges that dimension from others: repeated numbers of
/// groups of channels, say. In the group they would split its lines.
static bool isAlongLines(Operation *op) {
  auto repeated = op->hasOneUse()
                      ? dyn_cast<prim::BroadcastInDimOp>(*op->user_begin())
                      : prim::BroadcastInDimOp();
  return repeated && !repeated.getDims().empty() &&
         repeated.getDims().back() == repeated.getType().getRank() - 1;
}

/// Whether the dimensions of a value of few elements would split those of a
/// group, as channels are split by the numbers that a norm has for each group
/// of channels. The blocks of a product need dimensions as a whole, and threads
/// that share tiles read and write whole lines faster; to write and read the
/// few elements takes less time.
static bool splitsGroup(Operation *op, ArrayRef<Operation *> group,
                        bool sharesTiles) {
  constexpr int64_t kFraction = 8, kMany = 1 << 18;
  if (!regroups(op) || llvm::any_of(group, regroups))
    return false;
  int64_t all = elementsOf(group.front()->getResult(0)),
          few = elementsOf(op->getResult(0));
  if (few < 0 || all <= 0 || few > all / kFraction)
    return false;
  return (sharesTiles && all >= kMany && isAlongLines(op)) ||
         followsProduct(group);
}

bool PrimFuse::copyIntoUsers(Operation *op, Legality &legality) {
  if (op->hasOneUse() || !isRecomputed(op, groupOf))
    return false;
  llvm::MapVector<int, SmallVector<OpOperand *>> uses;
  for (OpOperand &use : op->getUses())
    if (auto found = groupOf.find(use.getOwner());
        found != groupOf.end() && !readsMemory(use))
      uses[found->second].push_back(&use);
  for (auto &[group, operands] : uses) {
    if (groups[group].size() >= maxOps)
      continue;
    Operation *copy = OpBuilder(op).clone(*op);
    for (OpOperand *use : operands)
      use->set(copy->getResult(0));
    SmallVector<Operation *> candidate = groups[group];
    candidate.push_back(copy);
    // Products load a copied operand faster than one that they convert.
    if (!feedsAnchor(copy, groups[group]) && legality.canForm(candidate)) {
      groups[group] = std::move(candidate);
      groupOf[copy] = group;
      continue;
    }
    for (OpOperand *use : operands)
      use->set(op->getResult(0));
    copy->erase();
  }
  if (!op->use_empty())
    return false;
  op->erase();
  return true;
}

void PrimFuse::fuse(Block &block) {
  groupOf.clear();
  groups.clear();
  target::TargetAttr description = target::getDescription(getOperation());
  Legality legality(description);
  bool sharesTiles = description && description.getTopology() &&
                     description.getTopology().getLanes() > 1;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (!isFusible(&op))
      continue;
    // Some elements of an order may be had without the others.
    if (isa<prim::SliceOp, prim::GatherOp>(op))
      if (auto sort = op.getOperand(0).getDefiningOp<prim::ArgsortOp>();
          sort && sort->getBlock() == &block && partOf(sort) == &op)
        continue;
    if (auto sort = dyn_cast<prim::ArgsortOp>(op))
      if (Operation *part = partOf(sort); part && part->getBlock() == &block) {
        groupOf[part] = groupOf[sort] = groups.size();
        groups.push_back({part, sort});
        continue;
      }
    auto slice = dyn_cast<prim::SliceOp>(op);
    bool isApart = slice && breaksSum(slice);
    int joined = isApart ? -1 : groupOfUsers(&op);
    if (joined >= 0 && groups[joined].size() < maxOps) {
      SmallVector<Operation *> candidate = groups[joined];
      candidate.push_back(&op);
      if (!splitsGroup(&op, groups[joined], sharesTiles) &&
          legality.canForm(candidate)) {
        groups[joined] = std::move(candidate);
        groupOf[&op] = joined;
        continue;
      }
    }
    if (joined < 0 && !isApart && copyIntoUsers(&op, legality))
      continue;
    bool cloned =
        isClonable(&op) && llvm::all_of(op.getUses(), [&](OpOperand &use) {
          Operation *user = use.getOwner();
          return (groupOf.count(user) && !readsMemory(use)) || isClonable(user);
        });
    if (!isApart && (cloned || isa<prim::CatOp>(op) ||
                     (isViewMovement(&op) && staysView(&op))))
      continue;
    groupOf[&op] = groups.size();
    groups.push_back({&op});
  }
  for (SmallVector<Operation *> &ops : groups) {
    if (auto reshape = dyn_cast<prim::ReshapeOp>(ops.front());
        reshape && ops.size() == 1) {
      // A dense copy can take any shape; a kernel may find no affine access.
      OpBuilder builder(reshape);
      Value operand = reshape.getOperand();
      reshape.getOperandMutable().assign(
          wrapCopy(builder, reshape.getLoc(), operand).getResult(0));
      continue;
    }
    std::reverse(ops.begin(), ops.end());
    wrapOps(ops);
  }
  // Copies of these are in the groups now.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isClonable(&op) && op.use_empty())
      op.erase();
}

/// Whether kernels compute out of caches, so that many values of an element
/// cost no memory for tiles.
static bool hasCachesOnly(target::TargetAttr description) {
  auto isOf = [](target::MemoryKind kind) {
    return
        [kind](target::MemoryAttr memory) { return memory.getKind() == kind; };
  };
  return description &&
         llvm::any_of(description.getMemories(),
                      isOf(target::MemoryKind::Cached)) &&
         llvm::none_of(description.getMemories(),
                       isOf(target::MemoryKind::Explicit));
}

void PrimFuse::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal())
    return;
  if (!func.getBody().hasOneBlock()) {
    func.emitError("unsupported: a function with control flow between blocks");
    return signalPassFailure();
  }
  SmallVector<Block *> blocks = {&func.getBody().front()};
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<prim::IfOp, prim::WhileOp>(op))
      for (Region &region : op->getRegions())
        blocks.push_back(&region.front());
    return isa<prim::FusionOp, prim::ClaimOp>(op) ? WalkResult::skip()
                                                  : WalkResult::advance();
  });
  // The inner ones first: what surrounds them may be gone after.
  for (Block *block : llvm::reverse(blocks))
    fuse(*block);
  if (maxOps > 1) {
    target::TargetAttr description = target::getDescription(func);
    bool sharesTiles = description && description.getTopology() &&
                       description.getTopology().getLanes() > 1;
    mergeSiblings(*blocks.front());
    mergeRowGroups(*blocks.front(), /*mergesFew=*/sharesTiles);
    if (sharesTiles)
      splitSquares(*blocks.front());
    else if (hasCachesOnly(description))
      mergeChains(*blocks.front());
    // A launch takes longer than few elements. Where threads share out a
    // kernel, sums are bound by what they read.
    if (sharesTiles || hasCachesOnly(description))
      mergeSmall(*blocks.front());
    if (sharesTiles)
      mergeSumPairs(*blocks.front());
  }
}
