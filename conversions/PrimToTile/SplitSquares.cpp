//===- SplitSquares.cpp - What follows from sums of squares ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a mean leave the sum of squared distances from it in memory,
// so that the group of a variance has no kernel for its sum, and one for the
// quotient alone. Batch norm computes more numbers of each channel from the
// variance. With the quotient in a group of its own, all of these become one
// kernel.
//
//===----------------------------------------------------------------------===//

#include "SplitSquares.h"
#include "RowGroups.h"
#include "llvm/ADT/DenseSet.h"
#include <utility>

using namespace mlir;
using namespace kiln;

/// Whether a sum adds up squared distances from what another group gives.
static bool addsSquares(prim::SumOp sum, prim::FusionOp fusion) {
  auto product = sum.getOperand().getDefiningOp<prim::MulOp>();
  if (!product || product.getLhs() != product.getRhs())
    return false;
  auto apart = product.getLhs().getDefiningOp<prim::SubOp>();
  auto repeated = apart ? apart.getRhs().getDefiningOp<prim::BroadcastInDimOp>()
                        : prim::BroadcastInDimOp();
  if (!repeated)
    return false;
  Value centre = repeated.getOperand();
  while (auto reshape = centre.getDefiningOp<prim::ReshapeOp>())
    centre = reshape.getOperand();
  auto argument = dyn_cast<BlockArgument>(centre);
  if (!argument)
    return false;
  auto source = fusion.getInputs()[argument.getArgNumber()]
                    .getDefiningOp<prim::FusionOp>();
  return source && source.getKind() == prim::GroupKind::reduction;
}

/// The only reduction of a group, if it is such a sum of f32 and the group
/// computes something from it.
static prim::SumOp squaresOf(prim::FusionOp fusion) {
  if (fusion.getKind() != prim::GroupKind::reduction ||
      fusion.getNumResults() != 1)
    return {};
  Block &body = fusion.getBody().front();
  Operation *only = nullptr;
  for (Operation &op : body.without_terminator())
    if (schedule::isReduction(&op) && std::exchange(only, &op))
      return {};
  auto sum = dyn_cast_or_null<prim::SumOp>(only);
  bool isOf = sum && getElementTypeOrSelf(sum.getType()).isF32() &&
              body.getTerminator()->getOperand(0) != sum.getResult() &&
              addsSquares(sum, fusion);
  return isOf ? sum : prim::SumOp();
}

/// Whether an elementwise group of the shape of the result reads it.
static bool feedsElements(prim::FusionOp fusion) {
  auto type = cast<RankedTensorType>(fusion.getResult(0).getType());
  if (!type.hasStaticShape() || type.getNumElements() > kElementsOfLaunch)
    return false;
  return llvm::any_of(fusion->getUsers(), [&](Operation *user) {
    auto next = dyn_cast<prim::FusionOp>(user);
    return next && next.getKind() == prim::GroupKind::elementwise &&
           cast<RankedTensorType>(next.getResult(0).getType()).getShape() ==
               type.getShape();
  });
}

/// The operations of a group before a sum and those that follow from it, which
/// are elementwise; false if these read something else of the group. What is
/// copied into each group is in neither.
static bool divide(prim::FusionOp fusion, prim::SumOp sum,
                   SmallVectorImpl<Operation *> &before,
                   SmallVectorImpl<Operation *> &behind) {
  DenseSet<Operation *> follows;
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    if (isClonable(&op))
      continue;
    bool isBehind = llvm::any_of(op.getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && (source == sum || follows.contains(source));
    });
    if (!isBehind) {
      before.push_back(&op);
      continue;
    }
    bool isAlone = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return !source || source == sum || follows.contains(source) ||
             isClonable(source);
    });
    if (!schedule::isElementwisePrim(&op) || !isAlone)
      return false;
    follows.insert(&op);
    behind.push_back(&op);
  }
  return !behind.empty() && before.back() == sum;
}

void kiln::splitSquares(Block &block) {
  for (auto fusion :
       llvm::make_early_inc_range(block.getOps<prim::FusionOp>())) {
    prim::SumOp sum = squaresOf(fusion);
    SmallVector<Operation *> before, behind;
    if (!sum || !feedsElements(fusion) || !divide(fusion, sum, before, behind))
      continue;
    // Which part each operation is in, in their order.
    SmallVector<int> partOf;
    for (Operation &op : fusion.getBody().front().without_terminator())
      partOf.push_back(llvm::is_contained(before, &op)   ? 0
                       : llvm::is_contained(behind, &op) ? 1
                                                         : -1);
    Retired retired;
    SmallVector<Operation *> ops[2], copied;
    Operation *next = unwrap(fusion, retired);
    for (int part : partOf) {
      (part < 0 ? copied : ops[part]).push_back(next);
      next = next->getNextNode();
    }
    wrapOps(ops[0]);
    wrapOps(ops[1]);
    for (Operation *op : llvm::reverse(copied))
      if (op->use_empty())
        op->erase();
  }
}
