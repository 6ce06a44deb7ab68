//===- Plan.cpp - Which tiles are computed in place, which in memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Interfaces/Cost.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Recomputing something dearer than this beats neither a store nor a load.
constexpr double kWorthStoring = 8.0;
/// Not even a tree of simple operations may grow beyond this where it is
/// computed twice: such trees double from one user to the next.
constexpr double kLargeTree = 64.0;

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
         llvm::all_of(found, [](const MemoryEffects::EffectInstance &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect());
         });
}
} // namespace

bool cpu::mayAlias(Value a, Value b, bool disjoint) {
  if (a == b)
    return true;
  auto fact = [](Value view, StringRef name) {
    auto argument = dyn_cast<BlockArgument>(view);
    if (!argument)
      return false;
    auto kernel = dyn_cast<tile::KernelOp>(argument.getOwner()->getParentOp());
    return kernel && kernel.getArgAttr(argument.getArgNumber(), name);
  };
  for (Value view : {a, b})
    if (fact(view, tile::kReadonlyAttr) || fact(view, tile::kNoaliasAttr))
      return false;
  return !(disjoint && isa<BlockArgument>(a) && isa<BlockArgument>(b));
}

Plan::Plan(tile::KernelOp kernel, bool disjoint,
           std::function<bool(Operation *)> forced)
    : kernel(kernel), disjoint(disjoint), forced(std::move(forced)) {
  kernel.getBody().walk([&](Operation *op) {
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    if (access && access.isWrite())
      stores.emplace_back(op, access.getAccessedView());
    else if (writesAnywhere(op))
      pointerWrites.push_back(op);
  });
  // Uses before definitions: a decision depends on those of the users.
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    decide(op);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (materialized.contains(result))
        findFusion(result);
  for (Operation *op : ops)
    if (auto loop = dyn_cast<scf::ForOp>(op))
      findInPlace(loop);
}

bool Plan::isInlineOp(Operation *op) const {
  auto [known, isNew] = inlineOps.try_emplace(op, false);
  if (isNew) {
    bool result = hasInlineForm(op);
    inlineOps[op] = result; // asking may have moved the entry
    return result;
  }
  return known->second;
}

bool Plan::hasInlineForm(Operation *op) const {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0).getType()) ||
      op->getNumRegions() || (forced && forced(op)))
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
  // What is moved from one operand, without dividing or joining dimensions.
  if (!handsOnElements(op))
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get().getType())) {
      OperandRead read = getOperandRead(operand);
      return read && !read.domain && isElementToElement(read.map);
    }
  return false;
}

AffineMap Plan::readOf(OpOperand &operand) const {
  AffineMap &map = reads_[&operand];
  if (!map)
    map = getOperandRead(operand).map;
  return map;
}

bool Plan::isInline(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && !materialized.contains(value) && isInlineOp(op);
}

ArrayRef<Value> Plan::fusedValues(Operation *reduce) const {
  auto it = fusedLists.find(reduce);
  return it == fusedLists.end() ? ArrayRef<Value>() : ArrayRef(it->second);
}

const SmallVector<Operation *> &Plan::sinks(Value value) {
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

Operation *Plan::lastUse(Value value) {
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

double Plan::cost(Value value) {
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

bool Plan::crossesStore(Operation *op, Value view) {
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
      if (!accessSameElements(cast<ViewAccessOpInterface>(op), store) ||
          !reads(store.getAccessedTile(), op->getResult(0), identity) ||
          !identity)
        return true;
    }
  }
  return false;
}

/// Whether a use reads elements of a tile again and again: for more elements of
/// its own result than the tile has.
static bool repeats(OpOperand &use) {
  Operation *user = use.getOwner();
  if (!handsOnElements(user))
    return false;
  return cast<ShapedType>(user->getResult(0).getType()).getNumElements() >
         cast<ShapedType>(use.get().getType()).getNumElements();
}

void Plan::decide(Operation *op) {
  if (!isInlineOp(op))
    return;
  Value value = op->getResult(0);
  auto materialize = [&] {
    materialized.insert(value);
    sinkCache.clear();
  };
  auto access = dyn_cast<ViewAccessOpInterface>(op);
  if (access && crossesStore(op, access.getAccessedView()))
    return materialize();
  bool isIndirect = access && indirectAxis(access.getAxes()) >= 0;
  // Operations further up are not decided yet, so costs are those of a fully
  // inline tree; that errs towards storing.
  costCache.clear();
  if (!isElementwise(op) && !isIndirect)
    return;
  double work = cost(value);
  if (work < kWorthStoring ||
      (getElementOperations(op) < 2 && work < kLargeTree))
    return;
  auto loops = [&](Operation *sink) {
    int depth = 0;
    for (Operation *p = sink->getParentOp(); p && p != op->getParentOp();
         p = p->getParentOp())
      depth += isa<scf::ForOp, scf::WhileOp>(p);
    return depth;
  };
  size_t evaluations = 0;
  for (Operation *sink : sinks(value))
    evaluations += isa<tensor::ExtractOp>(sink) ? 0 : 1 + loops(sink);
  bool repeated = !isIndirect && llvm::any_of(value.getUses(), repeats);
  if (evaluations > 1 || repeated)
    materialize();
}

bool Plan::reads(Value root, Value target, bool &identity) const {
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

static bool writesView(Operation *op) {
  auto access = dyn_cast<ViewAccessOpInterface>(op);
  return access && access.isWrite();
}

void Plan::findFusion(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ViewAccessOpInterface>(op))
    return;
  Operation *first = nullptr;
  for (Operation *sink : sinks(value)) {
    if (sink->getBlock() != op->getBlock())
      return;
    if (!first || sink->isBeforeInBlock(first))
      first = sink;
  }
  auto reduce = dyn_cast_or_null<tile::ReduceOp>(first);
  if (!reduce || (forced && forced(op)))
    return;
  bool identity = true, found = false;
  for (Value source : reduce.getSources())
    found |= reads(source, value, identity);
  // What the value itself reads must still be unchanged at the reduce.
  for (Operation &between :
       llvm::make_range(std::next(op->getIterator()), reduce->getIterator()))
    if (!isa<tile::ReduceOp>(between) &&
        (writesView(&between) || between.getNumRegions() ||
         llvm::is_contained(pointerWrites, &between) ||
         llvm::any_of(between.getResults(), [&](Value result) {
           return isTile(result.getType()) && !isInlineOp(&between);
         })))
      return;
  if (!found || !identity)
    return;
  fused[value] = reduce;
  fusedLists[reduce].push_back(value);
}

void Plan::findInPlace(scf::ForOp loop) {
  Block *body = loop.getBody();
  for (auto [carried, yielded] : llvm::zip_equal(
           loop.getRegionIterArgs(), body->getTerminator()->getOperands())) {
    if (!isTile(carried.getType()))
      continue;
    Operation *op = yielded.getDefiningOp();
    if (!op || op->getBlock() != body || inPlace.count(yielded))
      continue;
    bool elementwise = materialized.contains(yielded) && !fused.count(yielded);
    auto product = dyn_cast<MatrixProductOpInterface>(op);
    OpOperand *acc = product ? product.getAccOperand() : nullptr;
    if (!acc && !elementwise)
      continue;
    bool legal = true;
    for (Operation *sink : sinks(carried)) {
      Operation *ancestor = body->findAncestorOpInBlock(*sink);
      if (!ancestor || (ancestor != op && !ancestor->isBeforeInBlock(op)))
        legal = false;
      if (ancestor != op)
        continue;
      for (Value operand : op->getOperands()) {
        bool identity = true;
        if (!isTile(operand.getType()) || !reads(operand, carried, identity))
          continue;
        if (!identity || (acc && operand != acc->get()))
          legal = false;
      }
    }
    if (acc)
      legal &= product.getLhsOperand().get() != acc->get() &&
               product.getRhsOperand().get() != acc->get();
    if (legal)
      inPlace[yielded] = carried;
  }
}
