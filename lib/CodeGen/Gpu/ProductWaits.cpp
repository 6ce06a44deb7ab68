//===- ProductWaits.cpp - Where asynchronous products are waited for ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait is for all groups but so many of the latest ones, and each product is
// a group at least. So a wait behind n later products may leave n in flight.
//
//===----------------------------------------------------------------------===//

#include "ProductWaits.h"
#include "MemoryProducts.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

Value simt::sumOf(Operation *product) {
  return (*product->getUsers().begin())->getResult(0);
}

static bool holdsProducts(Operation *op, target::TargetAttr description) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && isMemoryProduct(inner, description)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first operation of a block in which something uses a value.
static Operation *firstUse(Value value, Block *block) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers())
    if (Operation *whole = block->findAncestorOpInBlock(*user);
        whole && (!first || whole->isBeforeInBlock(first)))
      first = whole;
  return first;
}

/// Products from an operation on, up to before another one of its block; `end`
/// becomes the first operation that holds products itself, whose number is not
/// known.
static int64_t countProducts(Operation *from, Operation *&end,
                             target::TargetAttr description) {
  int64_t count = 0;
  for (Operation *op = from; op != end; op = op->getNextNode()) {
    if (holdsProducts(op, description)) {
      end = op;
      break;
    }
    count += isMemoryProduct(op, description);
  }
  return count;
}

/// Whether assembly can hold the elements of a tile in registers.
static bool canBeHeld(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return true; // scalars stay what they are
  Type element = type.getElementType();
  return element.isF32() || element.isInteger(32);
}

/// The wait of a product whose sum the loop carries: in the next iteration,
/// before the first use. False where there can be none.
static bool waitInNextIteration(Operation *op, ProductWait &wait,
                                target::TargetAttr description) {
  auto product = cast<stage::StorageProductOpInterface>(op);
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  Value sum = sumOf(op);
  if (!loop || !sum.hasOneUse() || !canBeHeld(sum))
    return false;
  OpOperand &use = *sum.use_begin();
  Block *body = loop.getBody();
  if (use.getOwner() != body->getTerminator())
    return false;
  BlockArgument carried = loop.getRegionIterArg(use.getOperandNumber());
  Operation *first = firstUse(carried, body);
  if (!first || op->isBeforeInBlock(first))
    return false;
  // The groups of an iteration are counted.
  for (Operation &inner : *body)
    if (holdsProducts(&inner, description))
      return false;
  Value left = product.getLhs();
  if (!isa<MemRefType>(left.getType()) &&
      body->getParent()->isAncestor(left.getParentBlock()->getParent())) {
    Operation *made = left.getDefiningOp();
    if (!made || made->getBlock() != body || made->getNumRegions() ||
        !llvm::all_of(made->getOperands(), canBeHeld))
      return false;
    wait.holder = made;
    for (Value operand : made->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && operand != carried)
        wait.held.push_back(operand);
    if (made->isBeforeInBlock(first))
      first = made;
    // What is held has to be there.
    for (Value operand : wait.held)
      if (Operation *source = operand.getDefiningOp();
          source && source->getBlock() == body &&
          !source->isBeforeInBlock(first))
        return false;
  }
  Operation *end = nullptr;
  wait.loopResult = loop.getResult(use.getOperandNumber());
  wait.but = countProducts(op->getNextNode(), end, description);
  if (first == op) {
    // It adds to its own sum, in order: the next one can begin before this one
    // is done, and what it reads is free behind that.
    if (!carried.hasOneUse() || product.getAcc() != carried)
      return false;
    first = op->getNextNode();
    wait.sum = sum;
    wait.but += countProducts(&body->front(), first, description);
  } else {
    // Threads change the sum. Assemblers know the registers of sums only where
    // no product is in flight then.
    wait.sum = carried;
    wait.but = 0;
  }
  wait.before = first;
  return true;
}

/// The operation that computes what the lhs of a product is in the next
/// iteration; null where the loop does not carry the lhs. It writes the
/// registers that the product reads.
static Operation *nextFactor(Operation *op) {
  Value left = cast<stage::StorageProductOpInterface>(op).getLhs();
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto carried = dyn_cast<BlockArgument>(left);
  if (!loop || !carried || carried.getOwner() != loop.getBody() ||
      carried == loop.getInductionVar())
    return nullptr;
  Operation *made =
      loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp();
  return made && made->getBlock() == loop.getBody() && op->isBeforeInBlock(made)
             ? made
             : nullptr;
}

/// The first operation between a product and `end` that uses the sums of a
/// product before it; else `end`.
static Operation *firstUseOfProducts(Operation *product, Operation *end,
                                     target::TargetAttr description) {
  for (Operation *op = product->getNextNode(); op != end;
       op = op->getNextNode())
    for (Value operand : op->getOperands())
      if (auto wait = operand.getDefiningOp<stage::AsyncWaitOpInterface>();
          wait && isMemoryProduct(wait.getAwaited().front().getDefiningOp(),
                                  description))
        return op;
  return end;
}

ProductWait simt::chooseProductWait(Operation *product, bool mayBeCarried,
                                    Operation *latest,
                                    target::TargetAttr description) {
  ProductWait wait;
  if (mayBeCarried && !latest &&
      waitInNextIteration(product, wait, description))
    return wait;
  wait = ProductWait();
  wait.sum = sumOf(product);
  Block *block = product->getBlock();
  wait.before = firstUse(wait.sum, block);
  if (!wait.before)
    wait.before = block->getTerminator();
  if (Operation *made = nextFactor(product)) {
    // A short product ends with what began before it, so that the warps of
    // another group have the unit, and their registers, for themselves
    // meanwhile. A deep one stays in flight until its operand is
    // overwritten.
    constexpr int64_t kDeep = 128;
    auto left = cast<RankedTensorType>(
        cast<stage::StorageProductOpInterface>(product).getLhs().getType());
    Operation *first = left.getDimSize(1) < kDeep
                           ? firstUseOfProducts(product, made, description)
                           : made;
    if (first->isBeforeInBlock(wait.before))
      wait.before = first;
  }
  if (latest && latest->isBeforeInBlock(wait.before))
    wait.before = latest;
  wait.but = countProducts(product->getNextNode(), wait.before, description);
  return wait;
}
