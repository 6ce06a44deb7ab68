//===- StorageLegality.cpp - Which homes tiles can have -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/Aliases.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Staging/Storage.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

/// True for values that are tiles.
static bool isTile(Type type) { return isa<RankedTensorType>(type); }

bool staging::mayAlias(Value a, Value b, bool disjoint) {
  if (a == b)
    return true;
  BlockArgument x = tile::rootOf(a), y = tile::rootOf(b);
  return tile::mayAlias(a, b) && !(disjoint && x && y && x != y);
}

bool Storage::crossesStore(ViewAccessOpInterface read) {
  Operation *op = read;
  Value view = read.getAccessedView();
  SmallVector<Operation *> aliasing;
  for (auto [store, written] : stores)
    if (mayAlias(view, written, disjoint))
      aliasing.push_back(store);
  if (aliasing.empty() && pointerWrites.empty())
    return false;
  Block *block = op->getBlock();
  for (Operation *sink : sinks(op->getResult(0))) {
    Operation *end = block->findAncestorOpInBlock(*sink);
    if (!end)
      return true;
    for (Operation *write : pointerWrites) {
      // Even the sink itself may overwrite what it has yet to read.
      Operation *at = block->findAncestorOpInBlock(*write);
      if (at && op->isBeforeInBlock(at) &&
          (at == end || at->isBeforeInBlock(end)))
        return true;
    }
    for (Operation *write : aliasing) {
      Operation *at = block->findAncestorOpInBlock(*write);
      if (!at || !op->isBeforeInBlock(at))
        continue;
      if (at->isBeforeInBlock(end) || (at == end && at != sink))
        return true;
      if (at != end)
        continue;
      // The sink is the aliasing store itself: fine where it writes what it
      // has just read.
      auto store = cast<ViewAccessOpInterface>(write);
      bool identity = true;
      if (!accessSameElements(read, store) ||
          !reads(store.getAccessedTile(), op->getResult(0), identity) ||
          !identity)
        return true;
    }
  }
  return false;
}

static bool writesView(Operation *op) {
  auto access = dyn_cast<ViewAccessOpInterface>(op);
  return access && access.isWrite();
}

Operation *Storage::fusionOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ViewAccessOpInterface>(op))
    return nullptr;
  Operation *first = nullptr;
  for (Operation *sink : sinks(value)) {
    if (sink->getBlock() != op->getBlock())
      return nullptr;
    if (!first || sink->isBeforeInBlock(first))
      first = sink;
  }
  tile::FoldOpInterface reduce = tile::asReduction(first);
  if (!reduce || (forced && forced(op)))
    return nullptr;
  bool identity = true, found = false;
  for (Value source : reduce->getOperands())
    found |= reads(source, value, identity);
  // What the value itself reads must still be unchanged at the reduce.
  for (Operation &between :
       llvm::make_range(std::next(op->getIterator()), reduce->getIterator()))
    if (!tile::asReduction(&between) &&
        (writesView(&between) || between.getNumRegions() ||
         llvm::is_contained(pointerWrites, &between) ||
         llvm::any_of(between.getResults(), [&](Value result) {
           return isTile(result.getType()) && !isInlineOp(&between);
         })))
      return nullptr;
  return found && identity ? reduce.getOperation() : nullptr;
}

Value Storage::overwritable(Value yielded) {
  Operation *op = yielded.getDefiningOp();
  Block *body = op ? op->getBlock() : nullptr;
  auto loop = body ? dyn_cast<scf::ForOp>(body->getParentOp()) : scf::ForOp();
  if (!loop || !isTile(yielded.getType()))
    return nullptr;
  bool elementwise = kept.contains(yielded) && !fused.count(yielded);
  auto product = dyn_cast<MatrixProductOpInterface>(op);
  OpOperand *acc = product ? product.getAccOperand() : nullptr;
  if (!acc && !elementwise)
    return nullptr;
  auto isLegal = [&](Value carried) {
    for (Operation *sink : sinks(carried)) {
      Operation *ancestor = body->findAncestorOpInBlock(*sink);
      if (!ancestor || (ancestor != op && !ancestor->isBeforeInBlock(op)))
        return false;
      if (ancestor != op)
        continue;
      for (Value operand : op->getOperands()) {
        bool identity = true;
        if (!isTile(operand.getType()) || !reads(operand, carried, identity))
          continue;
        if (!identity || (acc && operand != acc->get()))
          return false;
      }
    }
    return !acc || (product.getLhsOperand().get() != acc->get() &&
                    product.getRhsOperand().get() != acc->get());
  };
  for (auto [carried, value] : llvm::zip_equal(
           loop.getRegionIterArgs(), body->getTerminator()->getOperands()))
    if (value == yielded && isLegal(carried))
      return carried;
  return nullptr;
}

/// Begins an error about the home of an operation's result, at the line of a
/// schedule script that asked for it.
static InFlightDiagnostic refuseHome(Operation *op) {
  if (std::optional<target::Asked> asked = target::findAsked(op, "storage"))
    return mlir::emitError(asked->at) << "unsupported: ";
  return op->emitError();
}

LogicalResult Storage::read() {
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  auto homeOf = [](Operation *op) {
    return op->getAttrOfType<stage::HomeAttr>(stage::kDecidedAttr);
  };
  for (Operation *op : ops) {
    stage::HomeAttr home = homeOf(op);
    if (!home)
      continue;
    bool mayOverwrite = isInlineOp(op) || isa<MatrixProductOpInterface>(op);
    // What a lowering takes is kept, whatever was decided without knowing so.
    bool mayRepeat =
        isInlineOp(op) || (forced && forced(op) && !op->getNumRegions());
    if (op->getNumResults() != 1 || !isTile(op->getResult(0).getType()) ||
        (home.getValue() == stage::Home::recompute && !mayRepeat) ||
        (home.getValue() == stage::Home::in_place && !mayOverwrite))
      return refuseHome(op) << "its result cannot have the home '"
                            << stage::stringifyHome(home.getValue()) << "'";
    if (home.getValue() != stage::Home::recompute && isInlineOp(op))
      kept.insert(op->getResult(0));
  }
  // What crosses a store depends on all of them.
  for (Operation *op : ops)
    if (auto access = dyn_cast<ViewAccessOpInterface>(op);
        access && isInlineOp(op) && isInline(op->getResult(0)) &&
        (access.isVolatileAccess() || crossesStore(access)))
      return refuseHome(op) << "what it reads may be overwritten before it is "
                               "used, so its home cannot be 'recompute'";
  for (Operation *op : ops) {
    stage::HomeAttr home = homeOf(op);
    if (!home || home.getValue() != stage::Home::fuse)
      continue;
    Value value = op->getResult(0);
    Operation *reduce = kept.contains(value) ? fusionOf(value) : nullptr;
    if (!reduce)
      return refuseHome(op) << "no reduction can store its result on the way, "
                               "so its home cannot be 'fuse'";
    fuse(value, reduce);
  }
  for (Operation *op : ops) {
    stage::HomeAttr home = homeOf(op);
    if (!home || home.getValue() != stage::Home::in_place)
      continue;
    Value carried = overwritable(op->getResult(0));
    if (!carried)
      return refuseHome(op) << "no loop carries a tile that its result may "
                               "overwrite, so its home cannot be 'in_place'";
    overwrite(op->getResult(0), carried);
  }
  return success();
}
