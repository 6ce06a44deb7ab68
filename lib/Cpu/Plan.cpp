//===- Plan.cpp - Which tiles are computed in place, which in memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan.h"
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

/// The work of one operation per element, in simple instructions.
double opCost(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (isa<tile::LoadOp>(op))
    return 1;
  if (isa<tile::LoadGatherOp>(op))
    return 6;
  if (name.starts_with("math."))
    return llvm::StringSwitch<double>(name)
        .Cases({"math.absf", "math.fma", "math.copysign", "math.ceil",
                "math.floor", "math.absi", "math.trunc", "math.roundeven"},
               1)
        .Cases({"math.sqrt", "math.rsqrt"}, 8)
        .Cases({"math.exp", "math.exp2"}, 12)
        .Default(30);
  if (isa<tile::CallExternOp>(op))
    return 30;
  if (isa<arith::DivFOp>(op))
    return 6;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
          arith::RemFOp>(op))
    return 20;
  if (isElementwise(op))
    return 1;
  return 0;
}

/// Whether the load reads exactly the elements that the store writes.
bool sameElements(tile::LoadOp load, tile::StoreOp store) {
  return load.getView() == store.getView() &&
         llvm::equal(load.getCoords(), store.getCoords()) &&
         load.getElementOffsets() == store.getElementOffsets() &&
         load.getStepAttr() == store.getStepAttr() &&
         load.getTileType().getShape() == store.getTileType().getShape();
}
} // namespace

std::optional<SmallVector<int>> cpu::unitReshapeMap(ArrayRef<int64_t> source,
                                                    ArrayRef<int64_t> result) {
  SmallVector<int> map(result.size(), -1);
  size_t s = 0;
  for (size_t r = 0; r < result.size(); ++r) {
    if (result[r] == 1)
      continue;
    while (s < source.size() && source[s] == 1)
      ++s;
    if (s == source.size() || source[s] != result[r])
      return std::nullopt;
    map[r] = s++;
  }
  while (s < source.size() && source[s] == 1)
    ++s;
  if (s != source.size())
    return std::nullopt;
  return map;
}

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
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      stores.emplace_back(op, store.getView());
    if (auto scatter = dyn_cast<tile::StoreScatterOp>(op))
      stores.emplace_back(op, scatter.getView());
    if (isa<tile::StorePtrOp, tile::AtomicRMWOp, tile::AtomicCASOp,
            tile::CallExternOp, tile::InlineAsmOp>(op) &&
        !isMemoryEffectFree(op))
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
  if (op->getNumResults() != 1 || !isTile(op->getResult(0).getType()))
    return false;
  if (forced && forced(op))
    return false;
  if (isa<tile::LoadOp, tile::LoadGatherOp, tile::SplatOp, tile::IotaOp,
          tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp,
          tile::ExtractOp, arith::ConstantOp>(op))
    return true;
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
    return unitReshapeMap(
               cast<ShapedType>(reshape.getSource().getType()).getShape(),
               cast<ShapedType>(reshape.getType()).getShape())
        .has_value();
  return isElementwise(op) && op->getNumRegions() == 0;
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
  double sum = opCost(op);
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
      auto load = dyn_cast<tile::LoadOp>(op);
      auto store = dyn_cast<tile::StoreOp>(write);
      bool identity = true;
      if (!load || !store || !sameElements(load, store) ||
          !reads(store.getValue(), op->getResult(0), identity) || !identity)
        return true;
    }
  }
  return false;
}

void Plan::decide(Operation *op) {
  if (!isInlineOp(op))
    return;
  Value value = op->getResult(0);
  auto materialize = [&] {
    materialized.insert(value);
    sinkCache.clear();
  };
  if (auto load = dyn_cast<tile::LoadOp>(op))
    if (crossesStore(op, load.getView()))
      return materialize();
  if (auto gather = dyn_cast<tile::LoadGatherOp>(op))
    if (crossesStore(op, gather.getView()))
      return materialize();
  // Operations further up are not decided yet, so costs are those of a fully
  // inline tree; that errs towards storing.
  costCache.clear();
  if (!isElementwise(op) && !isa<tile::LoadGatherOp>(op))
    return;
  double work = cost(value);
  if (work < kWorthStoring || (opCost(op) < 2 && work < kLargeTree))
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
  bool repeated = llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<tile::BroadcastOp>(user);
  });
  if (auto gather = dyn_cast<tile::LoadGatherOp>(op))
    repeated = false;
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

void Plan::findFusion(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<tile::LoadOp, tile::LoadGatherOp>(op))
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
        (isa<tile::StoreOp, tile::StoreScatterOp>(between) ||
         between.getNumRegions() ||
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
    if (!isa<tile::DotOp>(op) && !elementwise)
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
        if (!identity ||
            (isa<tile::DotOp>(op) && operand != cast<tile::DotOp>(op).getAcc()))
          legal = false;
      }
    }
    if (auto dot = dyn_cast<tile::DotOp>(op))
      legal &= dot.getLhs() != dot.getAcc() && dot.getRhs() != dot.getAcc();
    if (legal)
      inPlace[yielded] = carried;
  }
}
