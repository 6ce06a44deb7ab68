//===- HostSizes.cpp - Sizes and checks at the entry of a program ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostSizes.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Schedule/GroupPlan.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

std::string HostSizes::describe(const Extent &extent) {
  if (extent.isStatic())
    return std::to_string(extent.get());
  Value value;
  if (int symbol = asSymbol(extent); symbol >= 0)
    value = host.math.symbols[symbol].value;
  if (auto dim = value ? value.getDefiningOp<memref::DimOp>() : nullptr)
    if (auto argument = dyn_cast<BlockArgument>(dim.getSource()))
      if (std::optional<int64_t> d = dim.getConstantIndex())
        return "size of dimension " + std::to_string(*d) + " of argument " +
               std::to_string(argument.getArgNumber());
  return "a computed size";
}

void HostSizes::check(Extent a, Extent b) {
  if (a.same(b))
    return;
  // Sizes of arguments are the interesting ones: name them first.
  if (a.isStatic())
    std::swap(a, b);
  if (a.isStatic())
    return;
  // Either order is the same question.
  for (auto &[x, y] : checked)
    if ((x == a && y == b) || (x == b && y == a))
      return;
  host.checkSame(a, b, describe(a) + " does not match " + describe(b));
  if (isLocal)
    return;
  checked.push_back({a, b});
  Extent from = representative(a), to = representative(b);
  if (from.same(to))
    return;
  // What is known later is said by what was known before.
  if (asSymbol(from) < 0 || (!settled.empty() && asSymbol(from) < asSymbol(to)))
    std::swap(from, to);
  // Only what is not a part of the other size can be replaced by it.
  if (int symbol = asSymbol(from); symbol >= 0)
    if (llvm::none_of(to.getTerms(), [&](const Extent::Term &term) {
          return llvm::is_contained(term.factors, symbol);
        }))
      equal[symbol] = to;
}

Extent HostSizes::representative(Extent extent) {
  while (true) {
    Extent next = extent.substitute([&](unsigned symbol) {
      auto found = equal.find(symbol);
      return found == equal.end() ? Extent::symbol(symbol) : found->second;
    });
    if (!next.isKnown() || next == extent)
      return extent;
    extent = next;
  }
}

void HostSizes::unify() {
  for (Value argument : func.getArguments()) {
    Buffer buffer = host.buffer(argument);
    for (Extent &size : buffer.sizes)
      size = representative(size);
    buffer.strides = denseStrides(buffer.sizes, host.math);
    host.setBuffer(argument, buffer);
  }
  host.forgetSizes();
}

void HostSizes::checkDims(Value a, unsigned i, Value b, unsigned j) {
  check(host.dimOf(a, i), host.dimOf(b, j));
}

/// Checks what the operands of one prim must agree in.
void HostSizes::checkOperands(Operation *op) {
  auto rankOf = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getRank();
  };
  if (isElementwisePrim(op)) {
    unsigned last = isa<prim::TableOp>(op) ? 1 : op->getNumOperands();
    for (unsigned n = 1; n < last; ++n)
      for (int64_t d = 0; d < rankOf(op->getOperand(0)); ++d)
        checkDims(op->getOperand(0), d, op->getOperand(n), d);
    return;
  }
  if (auto dot = dyn_cast<prim::DotGeneralOp>(op)) {
    for (auto [l, r] : llvm::zip(dot.getLhsBatch(), dot.getRhsBatch()))
      checkDims(dot.getLhs(), l, dot.getRhs(), r);
    for (auto [l, r] : llvm::zip(dot.getLhsContract(), dot.getRhsContract()))
      checkDims(dot.getLhs(), l, dot.getRhs(), r);
    return;
  }
  if (auto cat = dyn_cast<prim::CatOp>(op)) {
    for (Value operand : cat.getOperands().drop_front())
      for (int64_t d = 0; d < rankOf(operand); ++d)
        if (d != static_cast<int64_t>(cat.getDim()))
          checkDims(cat.getOperands()[0], d, operand, d);
    return;
  }
  if (auto broadcast = dyn_cast<prim::BroadcastInDimOp>(op)) {
    auto type = cast<RankedTensorType>(broadcast.getOperand().getType());
    for (auto [d, target] : llvm::enumerate(broadcast.getDims()))
      if (type.getDimSize(d) != 1)
        checkDims(broadcast.getOperand(), d, broadcast.getResult(), target);
    return;
  }
  // What a loop carries keeps its sizes; branches have those of the results.
  if (isa<prim::YieldOp>(op) &&
      isa<prim::WhileOp, prim::IfOp>(op->getParentOp())) {
    Operation *parent = op->getParentOp();
    if (op->getNumOperands() == parent->getNumResults())
      for (auto [value, result] :
           llvm::zip(op->getOperands(), parent->getResults()))
        if (value.getType() == result.getType())
          for (int64_t d = 0; d < rankOf(value); ++d)
            checkDims(value, d, result, d);
    return;
  }
  // Parts of equal size for all ranks of a group.
  std::optional<int64_t> split;
  if (auto scatter = dyn_cast<prim::ReduceScatterOp>(op))
    split = scatter.getDim();
  if (auto all = dyn_cast<prim::AllToAllOp>(op))
    split = all.getSplit();
  if (split) {
    Extent size = host.dimOf(op->getOperand(0), *split);
    auto n = static_cast<int64_t>(prim::rankLists(op).front().size());
    if (!size.isStatic())
      check(size, host.math.mul(host.math.floorDiv(size, n), n));
  }
  if (isa<prim::ReshapeOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto from = cast<RankedTensorType>(op->getOperand(0).getType());
    if (!type.hasStaticShape() || !from.hasStaticShape())
      check(host.math.product(host.sizesOf(op->getOperand(0))),
            host.math.product(host.sizesOf(op->getResult(0))));
  }
}

LogicalResult HostSizes::visit(Operation *op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return op->emitError("unsupported: a dimension number that is not known "
                           "at compile time");
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!type || *index < 0 || *index >= type.getRank())
      return op->emitError()
             << "expected a dimension of " << dim.getSource().getType()
             << ", found " << *index;
    host.setIndex(dim.getResult(),
                  host.math.value(host.dimOf(dim.getSource(), *index)));
    return success();
  }
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    if (!host.hasIndex(assertion.getArg()))
      return op->emitError("unsupported: a condition that is not computed "
                           "from sizes");
    program::CheckOp::create(host.builder, op->getLoc(),
                             host.index(assertion.getArg()),
                             assertion.getMsgAttr());
    return success();
  }
  if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
      llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>)) {
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      if (!host.hasIndex(operand))
        return op->emitError("unsupported: an operand that is not computed "
                             "from sizes");
      mapping.map(operand, host.index(operand));
    }
    Operation *copy = host.builder.clone(*op, mapping);
    for (auto [result, value] : llvm::zip(op->getResults(), copy->getResults()))
      host.setIndex(result, value);
    return success();
  }
  if (isa_and_nonnull<prim::PrimDialect>(op->getDialect()))
    checkPrim(op);
  return success();
}

void HostSizes::checkPrim(Operation *op) {
  Region *branch = op->getParentRegion();
  while (branch && !isa<prim::IfOp>(branch->getParentOp()))
    branch = branch->getParentRegion();
  if (branch && !llvm::is_contained(entered, branch)) {
    inBranch[branch].push_back(op);
    return;
  }
  llvm::SaveAndRestore<bool> local(isLocal, branch != nullptr);
  checkOperands(op);
}

void HostSizes::enterBranch(Region &branch) {
  entered.push_back(&branch);
  llvm::SaveAndRestore<bool> local(isLocal, true);
  for (Operation *op : inBranch[&branch])
    checkOperands(op);
  inBranch.erase(&branch);
}

/// Whether an operation, or one within it, reads a late value from outside.
static bool readsLate(Operation *op, const DenseSet<Value> &late) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *owner = operand.getParentRegion()->getParentOp();
          if (late.contains(operand) && !op->isAncestor(owner))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool HostSizes::isLate(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return late.contains(result); });
}

void HostSizes::findLate() {
  late.clear();
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isUnknown =
        isa<prim::ToIndexOp>(op) && !host.hasIndex(op->getResult(0));
    if (op == func || (late.empty() && !isUnknown))
      return;
    // What is carried into regions stands for what is given to them.
    for (Region &region : op->getRegions())
      for (auto [argument, operand] :
           llvm::zip(region.getArguments(), op->getOperands()))
        if (late.contains(operand))
          late.insert(argument);
    if (!isUnknown && !readsLate(op, late))
      return;
    for (Value result : op->getResults()) {
      auto tensor = dyn_cast<RankedTensorType>(result.getType());
      if (!tensor || !tensor.hasStaticShape())
        late.insert(result);
    }
  });
}

void HostSizes::nameInputs(Operation *op) {
  if (auto fusion = dyn_cast<prim::FusionOp>(op))
    for (auto [argument, input] :
         llvm::zip(fusion.getBody().getArguments(), fusion.getInputs()))
      host.setAlias(argument, input);
}

LogicalResult HostSizes::run() {
  findLate();
  SmallVector<Value> known;
  WalkResult result = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    nameInputs(op);
    if (auto loop = dyn_cast<prim::WhileOp>(op))
      for (Region &region : loop->getRegions())
        for (auto [argument, init] :
             llvm::zip(region.getArguments(), loop.getInits()))
          host.setAlias(argument, init);
    if (!late.empty() && (isLate(op) || readsLate(op, late)))
      waiting.push_back(op);
    else if (failed(visit(op)))
      return WalkResult::interrupt();
    else
      llvm::copy_if(op->getResults(), std::back_inserter(known),
                    [&](Value result) { return host.hasIndex(result); });
    return isa<prim::ClaimOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  if (!equal.empty())
    unify();
  useRepresentatives(known);
  return failure(result.wasInterrupted());
}

void HostSizes::useRepresentatives(ArrayRef<Value> values) {
  for (Value value : values) {
    Extent size = host.math.of(host.index(value)), same = representative(size);
    if (!(same == size))
      host.setIndex(value, host.math.value(same));
  }
}

LogicalResult HostSizes::resume(Value number) {
  findLate();
  SmallVector<Operation *> before = std::move(waiting);
  waiting.clear();
  settled = {number};
  for (Operation *op : before) {
    if (isLate(op) || readsLate(op, late)) {
      waiting.push_back(op);
      continue;
    }
    nameInputs(op);
    if (failed(visit(op)))
      return failure();
    llvm::copy_if(op->getResults(), std::back_inserter(settled),
                  [&](Value result) { return host.hasIndex(result); });
  }
  host.forgetSizes();
  useRepresentatives(settled);
  settled.clear();
  return success();
}
