//===- Wrap.cpp - Groups of operations as prim.fusion ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Wrap.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Whether a reshape may have an affine access: as far as they are known, the
/// numbers of elements behind each dimension of both shapes divide each other
/// in turn, so that each dimension is several of the other side or a part of
/// one. 9x15 to 5x27 is not: neither of 15 and 27 divides the other.
static bool dividesInTurn(prim::ReshapeOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType()),
       to = cast<RankedTensorType>(op.getResult().getType());
  std::set<int64_t> behind;
  for (RankedTensorType type : {from, to}) {
    int64_t product = 1;
    for (int64_t size : llvm::reverse(type.getShape())) {
      if (ShapedType::isDynamic(size))
        break;
      if (size == 0)
        return true;
      behind.insert(product *= size);
    }
  }
  int64_t last = 1;
  for (int64_t product : behind) {
    if (product % last != 0)
      return false;
    last = product;
  }
  return true;
}

bool kiln::isClonable(Operation *op) {
  if (isa<prim::IotaOp, prim::FromIndexOp>(op) || splatValue(op))
    return true;
  auto reshape = dyn_cast<prim::ReshapeOp>(op);
  if (!isViewMovement(op) || (reshape && !dividesInTurn(reshape)))
    return false;
  Operation *source = op->getOperand(0).getDefiningOp();
  return source && isClonable(source);
}

bool kiln::isFusible(Operation *op) {
  return isElementwisePrim(op) || isMovement(op) || isReduction(op) ||
         isAnchor(op) || standsAlone(op) ||
         isa<prim::GatherOp, prim::FullOp, prim::IotaOp, prim::FromIndexOp>(op);
}

bool kiln::standsAlone(Operation *op) {
  return isa<prim::ScatterOp, prim::ScanOp, prim::ArgScanOp, prim::ArgsortOp,
             prim::ReduceOp>(op);
}

/// Whether a gather takes elements of each line of its operand, which lies
/// along the last dimension: a known number, or one without a dimension of its
/// own.
static bool takesOfLines(prim::GatherOp op) {
  int64_t last = op.getOperand().getType().getRank() - 1,
          rank = op.getType().getRank();
  return static_cast<int64_t>(op.getDim()) == last &&
         static_cast<int64_t>(op.getBatchDims()) == last &&
         (rank == last ||
          (rank == last + 1 && !op.getType().isDynamicDim(last)));
}

/// Whether a slice takes neighbouring elements along `dim`, a known number, and
/// all of the other dimensions.
static bool takesNeighbours(prim::SliceOp op, int64_t dim) {
  if (op.getType().isDynamicDim(dim))
    return false;
  for (auto [d, start] : llvm::enumerate(op.getStarts())) {
    int64_t limit = op.getLimits()[d];
    bool isWhole =
        start == 0 &&
        (limit == -1 || limit == op.getOperand().getType().getDimSize(d));
    if (op.getStrides()[d] != 1 || (!isWhole && static_cast<int64_t>(d) != dim))
      return false;
  }
  return true;
}

Operation *kiln::partOf(prim::ArgsortOp op) {
  if (!op->hasOneUse())
    return nullptr;
  OpOperand &use = *op->use_begin();
  int64_t dim = op.getDim();
  if (auto slice = dyn_cast<prim::SliceOp>(use.getOwner()))
    return takesNeighbours(slice, dim) ? slice.getOperation() : nullptr;
  auto gather = dyn_cast<prim::GatherOp>(use.getOwner());
  bool isTaken = gather && use.getOperandNumber() == 0 &&
                 dim + 1 == op.getType().getRank() && takesOfLines(gather);
  return isTaken ? gather.getOperation() : nullptr;
}

prim::GroupKind kiln::kindOf(ArrayRef<Operation *> ops) {
  prim::GroupKind kind = prim::GroupKind::elementwise;
  for (Operation *op : ops) {
    if (isa<prim::ScatterOp>(op))
      return prim::GroupKind::scatter;
    if (isa<prim::ScanOp, prim::ArgScanOp>(op))
      return prim::GroupKind::scan;
    if (isa<prim::ArgsortOp>(op))
      return prim::GroupKind::sort;
    if (isa<prim::ReduceOp>(op))
      return prim::GroupKind::reduction;
    if (isa<prim::DotGeneralOp>(op))
      return prim::GroupKind::contraction;
    if (isAnchor(op))
      return prim::GroupKind::convolution;
    if (isReduction(op))
      kind = prim::GroupKind::reduction;
  }
  return kind;
}

namespace {

/// Copies operations into the body of a group, together with the cheap
/// operations (constants, say) that define their operands.
class Wrapper {
public:
  Wrapper(OpBuilder &builder, ArrayRef<Value> inputs, Block *body)
      : builder(builder) {
    for (auto [input, argument] : llvm::zip(inputs, body->getArguments()))
      mapping.map(input, argument);
  }

  void clone(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!mapping.contains(operand) && source && isClonable(source))
        clone(source);
    }
    builder.clone(*op, mapping);
  }
  IRMapping mapping;

private:
  OpBuilder &builder;
};

} // namespace

/// Whether a convolution spreads its input: it then gathers the elements.
static bool spreadsInput(Operation *op) {
  auto conv = dyn_cast<prim::ConvOp>(op);
  return conv && llvm::any_of(conv.getInputDilation(),
                              [](int64_t d) { return d != 1; });
}

bool kiln::readsMemory(OpOperand &operand) {
  Operation *op = operand.getOwner();
  return standsAlone(op) ||
         (spreadsInput(op) && operand.getOperandNumber() == 0) ||
         (isa<prim::TableOp>(op) && operand.getOperandNumber() == 1) ||
         (isa<prim::GatherOp>(op) && operand.getOperandNumber() == 0);
}

/// Collects the values from outside of the group that `op` reads, or that the
/// clonable operations before it read.
static void collectInputs(Operation *op, const SetVector<Operation *> &group,
                          SetVector<Value> &inputs) {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *source = operand.get().getDefiningOp();
    if (source && group.contains(source))
      continue;
    if (source && isClonable(source) && !readsMemory(operand))
      collectInputs(source, group, inputs);
    else
      inputs.insert(operand.get());
  }
}

/// Copies the constants that regions of `op` use from outside into them.
static void sinkConstants(Operation *op) {
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region, [&](OpOperand *operand) {
      OpBuilder builder(operand->getOwner());
      operand->set(
          builder.clone(*operand->get().getDefiningOp())->getResult(0));
    });
}

Retired::~Retired() {
  for (Operation *op : ops)
    op->destroy();
}

void Retired::add(Operation *op) {
  op->remove();
  op->dropAllReferences();
  ops.push_back(op);
}

void Retired::replace(Value before, Value now) {
  before.replaceAllUsesWith(now);
  if (replaced)
    replaced(before, now);
}

prim::FusionOp kiln::wrapOps(ArrayRef<Operation *> ops, Retired *retired) {
  for (Operation *op : ops)
    sinkConstants(op);
  SetVector<Operation *> group(ops.begin(), ops.end());
  Operation *root = ops.back();
  SetVector<Value> inputs;
  for (Operation *op : ops)
    collectInputs(op, group, inputs);
  OpBuilder builder(root);
  auto fusion =
      prim::FusionOp::create(builder, root->getLoc(), root->getResultTypes(),
                             inputs.getArrayRef(), kindOf(ops), StringAttr());
  Block *body = builder.createBlock(&fusion.getBody());
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  Wrapper wrapper(builder, inputs.getArrayRef(), body);
  for (Operation *op : ops)
    wrapper.clone(op);
  SmallVector<Value> results;
  for (Value result : root->getResults())
    results.push_back(wrapper.mapping.lookup(result));
  prim::YieldOp::create(builder, root->getLoc(), results);
  for (auto [before, now] :
       llvm::zip_equal(root->getResults(), fusion.getResults()))
    if (retired)
      retired->replace(before, now);
    else
      before.replaceAllUsesWith(now);
  for (Operation *op : llvm::reverse(ops))
    if (retired)
      retired->add(op);
    else
      op->erase();
  return fusion;
}

prim::FusionOp kiln::wrapCopy(OpBuilder &builder, Location loc, Value value) {
  auto fusion =
      prim::FusionOp::create(builder, loc, value.getType(), value,
                             prim::GroupKind::elementwise, StringAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&fusion.getBody());
  Value argument = body->addArgument(value.getType(), loc);
  prim::YieldOp::create(builder, loc, ValueRange(argument));
  return fusion;
}

Operation *kiln::unwrap(prim::FusionOp fusion, Retired &retired) {
  OpBuilder builder(fusion);
  IRMapping mapping;
  Block &body = fusion.getBody().front();
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), fusion.getInputs()))
    mapping.map(argument, input);
  Operation *first = nullptr;
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (!first)
      first = copy;
  }
  for (auto [result, value] :
       llvm::zip(fusion.getResults(), body.getTerminator()->getOperands()))
    retired.replace(result, mapping.lookupOrDefault(value));
  retired.add(fusion);
  return first;
}

OpOperand &kiln::operandOfScatter(prim::FusionOp fusion) {
  Value result = fusion.getBody().front().getTerminator()->getOperand(0);
  auto operand =
      cast<BlockArgument>(result.getDefiningOp<prim::ScatterOp>().getOperand());
  return fusion->getOpOperand(operand.getArgNumber());
}

/// What a value of a group is outside of it: views and concatenations are
/// there, and what else is computed is a group.
static Value moveOut(Value value, prim::FusionOp fusion, IRMapping &outside,
                     OpBuilder &builder) {
  if (Value known = outside.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value made;
  if (isViewMovement(op) || isa<prim::CatOp>(op)) {
    for (Value operand : op->getOperands())
      if (!outside.contains(operand))
        outside.map(operand, moveOut(operand, fusion, outside, builder));
    made = builder.clone(*op, outside)->getResult(0);
  } else {
    SetVector<Operation *> slice;
    SmallVector<Operation *> work = {op};
    while (!work.empty()) {
      Operation *next = work.pop_back_val();
      slice.insert(next);
      for (Value operand : next->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == op->getBlock())
          work.push_back(source);
    }
    SmallVector<Operation *> ops = slice.takeVector();
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    auto part =
        prim::FusionOp::create(builder, op->getLoc(), value.getType(),
                               fusion.getInputs(), kindOf(ops), StringAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&part.getBody());
    IRMapping mapping;
    for (BlockArgument argument : fusion.getBody().getArguments())
      mapping.map(argument,
                  body->addArgument(argument.getType(), argument.getLoc()));
    for (Operation *one : ops)
      builder.clone(*one, mapping);
    prim::YieldOp::create(builder, op->getLoc(), mapping.lookup(value));
    for (unsigned i = fusion.getInputs().size(); i-- > 0;)
      if (body->getArgument(i).use_empty()) {
        body->eraseArgument(i);
        part.getInputsMutable().erase(i);
      }
    made = part.getResult(0);
  }
  outside.map(value, made);
  return made;
}

Operation *kiln::splitScatter(prim::FusionOp fusion, Retired &retired) {
  Block &from = fusion.getBody().front();
  auto scatter =
      from.getTerminator()->getOperand(0).getDefiningOp<prim::ScatterOp>();
  OpBuilder builder(fusion);
  Operation *before = fusion->getPrevNode();
  IRMapping outside;
  for (auto [argument, input] :
       llvm::zip(from.getArguments(), fusion.getInputs()))
    outside.map(argument, input);
  for (Value operand : scatter->getOperands())
    outside.map(operand, moveOut(operand, fusion, outside, builder));
  Operation *alone = builder.clone(*scatter, outside);
  retired.replace(fusion.getResult(0), alone->getResult(0));
  retired.add(fusion);
  wrapOps(alone, &retired);
  return before ? before->getNextNode() : &builder.getBlock()->front();
}

std::string kiln::nameOf(prim::FusionOp fusion) {
  bool hasExp = false, hasMax = false, hasSum = false, hasRsqrt = false;
  Operation *anchor = nullptr, *reduction = nullptr;
  for (Operation &op : fusion.getBody().front()) {
    hasExp |= isa<prim::ExpOp>(op);
    hasMax |= isa<prim::AmaxOp>(op);
    hasSum |= isa<prim::SumOp>(op);
    hasRsqrt |= isa<prim::RsqrtOp>(op);
    if (isAnchor(&op) || standsAlone(&op))
      anchor = &op;
    if (isReduction(&op))
      reduction = &op;
  }
  Operation *root =
      fusion.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  if (!anchor && hasExp && hasMax && hasSum)
    return "softmax";
  if (!anchor && hasRsqrt && hasSum)
    return "norm";
  Operation *main = anchor ? anchor : reduction ? reduction : root;
  if (!main)
    return "copy";
  StringRef name = main->getName().stripDialect();
  name.consume_back("_general");
  return name.str();
}

bool kiln::writesInAnyOrder(prim::ClaimOp claim) {
  auto ops = claim.getBody().front().without_terminator();
  return llvm::hasSingleElement(ops) && isa<prim::FourierOp>(*ops.begin());
}
