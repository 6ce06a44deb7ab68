//===- Storage.cpp - What follows from the homes of tiles -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Staging/Storage.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Cost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

/// True for values that are tiles.
static bool isTile(Type type) { return isa<RankedTensorType>(type); }

/// True for operations of arith and math, and calls, that combine element with
/// element.
static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op);
}

namespace {
/// Whether an operation may write memory that views reach, other than through
/// a view of its own.
bool writesAnywhere(Operation *op) {
  if (isa<ViewAccessOpInterface>(op) || op->getNumRegions())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  return llvm::any_of(found, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
           isa<SideEffects::DefaultResource>(effect.getResource());
  });
}

/// Whether an access reads the elements of its view as they are and does
/// nothing else, so that it can be done as often as its elements are used.
bool isPlainRead(ViewAccessOpInterface access) {
  auto view = dyn_cast<tile::ViewType>(access.getAccessedView().getType());
  if (!access.isRead() || !view ||
      view.getElementType() != access.getAccessedType().getElementType() ||
      llvm::count_if(access.getAxes(), [](const ViewAxis &axis) {
        return axis.isIndirect();
      }) > 1)
    return false;
  SmallVector<MemoryEffects::EffectInstance> found;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(access.getOperation()))
    effects.getEffects(found);
  return !found.empty() &&
         llvm::all_of(found, [&](const MemoryEffects::EffectInstance &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect()) ||
                  access.isVolatileAccess();
         });
}
} // namespace

Storage::Storage(tile::KernelOp kernel, bool disjoint,
                 std::function<bool(Operation *)> forced)
    : kernel(kernel), disjoint(disjoint), forced(std::move(forced)) {
  kernel.getBody().walk([&](Operation *op) {
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    if (access && access.isWrite())
      stores.emplace_back(op, access.getAccessedView());
    else if (writesAnywhere(op))
      pointerWrites.push_back(op);
  });
}

void Storage::keep(Value value) {
  kept.insert(value);
  sinkCache.clear();
}

void Storage::fuse(Value value, Operation *reduce) {
  fused[value] = reduce;
  fusedLists[reduce].push_back(value);
}

void Storage::overwrite(Value yielded, Value carried) {
  inPlace[yielded] = carried;
}

bool Storage::isInlineOp(Operation *op) const {
  auto [known, isNew] = inlineOps.try_emplace(op, false);
  if (isNew) {
    bool result = hasInlineForm(op) && !(forced && forced(op));
    inlineOps[op] = result; // asking may have moved the entry
    return result;
  }
  return known->second;
}

/// What a region holds is computed there.
static bool isRecomputed(Operation *op) {
  auto home = op->getAttrOfType<stage::HomeAttr>(stage::kDecidedAttr);
  return isa_and_nonnull<stage::BoxRegionOpInterface>(op->getParentOp()) ||
         (home && home.getValue() == stage::Home::recompute);
}

bool staging::hasInlineForm(Operation *op) {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0).getType()) ||
      op->getNumRegions())
    return false;
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return isPlainRead(access);
  if (isElementwise(op) || isa<arith::ConstantOp>(op))
    return true;
  auto mapped = dyn_cast<IndexMapOpInterface>(op);
  if (!mapped || !isMemoryEffectFree(op))
    return false;
  if (mapped.getGeneratedElement())
    return getFillValue(op) || getCountedDim(op);
  // What is moved from one operand, without dividing or joining dimensions
  // unless somebody has decided that.
  if (!handsOnElements(op))
    return false;
  if (isa<tile::ReshapeOp, tile::ExchangeOp>(op) && isRecomputed(op))
    return true;
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get().getType())) {
      OperandRead read = getOperandRead(operand);
      return read && !read.domain && isElementToElement(read.map);
    }
  return false;
}

AffineMap Storage::readOf(OpOperand &operand) const {
  AffineMap &map = reads_[&operand];
  if (!map)
    map = getOperandRead(operand).map;
  return map;
}

bool Storage::isInline(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && !kept.contains(value) && isInlineOp(op);
}

ArrayRef<Value> Storage::fusedValues(Operation *reduce) const {
  auto it = fusedLists.find(reduce);
  return it == fusedLists.end() ? ArrayRef<Value>() : ArrayRef(it->second);
}

const SmallVector<Operation *> &Storage::sinks(Value value) {
  auto it = sinkCache.find(value);
  if (it != sinkCache.end())
    return it->second;
  SmallVector<Operation *> found;
  for (Operation *user : value.getUsers()) {
    if (user->getNumResults() == 1 && isInline(user->getResult(0))) {
      for (Operation *sink : sinks(user->getResult(0)))
        if (!llvm::is_contained(found, sink))
          found.push_back(sink);
    } else if (!llvm::is_contained(found, user)) {
      found.push_back(user);
    }
  }
  return sinkCache[value] = std::move(found);
}

Operation *Storage::lastUse(Value value) {
  Block *block = value.getParentBlock();
  Operation *last = value.getDefiningOp();
  for (Operation *sink : sinks(value)) {
    // What is fused into a reduction is computed there.
    if (sink->getNumResults() == 1)
      if (Operation *reduce = fusedInto(sink->getResult(0)))
        sink = reduce;
    Operation *ancestor = block->findAncestorOpInBlock(*sink);
    if (ancestor && (!last || last->isBeforeInBlock(ancestor)))
      last = ancestor;
  }
  return last ? last : block->getTerminator();
}

double Storage::cost(Value value) {
  if (!isInline(value))
    return 1;
  auto it = costCache.find(value);
  if (it != costCache.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  double sum = getElementOperations(op);
  for (Value operand : op->getOperands())
    if (isTile(operand.getType()))
      sum += cost(operand);
  return costCache[value] = sum;
}

bool Storage::reads(Value root, Value target, bool &identity) const {
  // Values with several users are looked at once.
  llvm::DenseMap<Value, bool> known;
  std::function<bool(Value)> visit = [&](Value value) {
    if (value == target)
      return true;
    if (!isInline(value))
      return false;
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Operation *op = value.getDefiningOp();
    bool found = false;
    for (Value operand : op->getOperands())
      if (isTile(operand.getType()))
        found |= visit(operand);
    if (found && !isElementwise(op))
      identity = false;
    return known[value] = found;
  };
  return visit(root);
}
