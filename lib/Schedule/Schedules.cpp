//===- Schedules.cpp - What the schedules share ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/Schedules.h"
#include "kiln/Target/TargetRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

void kiln::schedule::registerCoreSchedules() {
  static bool once = [] {
    SmallVector<StringRef> kinds;
    for (uint32_t i = 0; i <= prim::getMaxEnumValForGroupKind(); ++i)
      if (std::optional<prim::GroupKind> kind = prim::symbolizeGroupKind(i))
        kinds.push_back(prim::stringifyGroupKind(*kind));
    target::TargetRegistry::get().setGroupKinds(kinds);
    target::LoweringRegistry &registry = target::LoweringRegistry::get();
    auto add = [&](StringRef name, prim::GroupKind kind, auto emit) {
      target::Schedule schedule;
      schedule.name = name.str();
      schedule.kind = prim::stringifyGroupKind(kind).str();
      schedule.emit = emit;
      registry.add(std::move(schedule));
    };
    add("generic.elementwise", prim::GroupKind::elementwise,
        scheduleElementwise);
    add("generic.reduction", prim::GroupKind::reduction, scheduleReduction);
    add("generic.contraction", prim::GroupKind::contraction,
        scheduleContraction);
    add("generic.convolution", prim::GroupKind::convolution,
        scheduleConvolution);
    return true;
  }();
  (void)once;
}

Group::Group(prim::FusionOp fusion, ScheduleContext &ctx)
    : fusion(fusion), ctx(ctx), host(ctx.host),
      root(fusion.getBody().front().getTerminator()->getOperand(0)),
      plan(host.math, host.dimFn(), inGroup()) {}

GroupPlan::InGroupFn Group::inGroup() const {
  prim::FusionOp op = fusion;
  Operation *parent = op;
  return [parent](Operation *op) { return op->getParentOp() == parent; };
}

Extent Group::strideOf(const Buffer &buffer, const AccessMap &map, int dim) {
  Extent result = 0;
  for (auto [expr, stride] : llvm::zip(map.index, buffer.strides))
    if (expr.dependsOn(dim))
      result =
          host.math.add(result, host.math.mul(expr.coefficient(dim), stride));
  return result;
}

void Group::addDims(KernelBuilder &kernel) {
  for (Extent size : plan.sizes) {
    KernelDim dim;
    dim.size = size;
    kernel.dims.push_back(dim);
  }
}

void Group::merge(KernelBuilder &kernel, ArrayRef<int> dims,
                  const Buffer &out) {
  index::Math &math = host.math;
  auto allows = [&](const Buffer &buffer, const AccessMap &map, int a, int b) {
    return strideOf(buffer, map, a)
        .same(math.mul(strideOf(buffer, map, b), plan.sizes[b]));
  };
  auto together = [&](const llvm::SmallBitVector &bits, int a, int b) {
    return bits.test(a) == bits.test(b);
  };
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    int a = dims[i], b = dims[i + 1];
    if (plan.pinned.test(a) || plan.pinned.test(b) || plan.untiled.test(a) ||
        plan.untiled.test(b))
      continue;
    bool ok = allows(out, plan.rootMap, a, b);
    for (const LeafVisit &leaf : plan.leaves)
      ok = ok && host.hasBuffer(leaf.value) &&
           allows(host.buffer(leaf.value), leaf.map, a, b);
    // A reduction takes both or neither, and so does its result.
    for (const ReductionVisit &visit : plan.reductions) {
      ok &= llvm::is_contained(visit.dims, a) ==
            llvm::is_contained(visit.dims, b);
      ok &= together(visit.map.support(plan.sizes.size()), a, b);
    }
    if (ok)
      kernel.dims[a].into = b;
  }
  // Sizes grow inwards.
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    if (kernel.dims[dims[i]].into >= 0)
      kernel.dims[dims[i + 1]].size =
          math.mul(kernel.dims[dims[i]].size, kernel.dims[dims[i + 1]].size);
}

SmallVector<int> Group::physical(const KernelBuilder &kernel,
                                 ArrayRef<int> dims) {
  SmallVector<int> result;
  for (int dim : dims)
    if (kernel.dims[dim].into < 0)
      result.push_back(dim);
  return result;
}

int64_t ScheduleContext::concurrency() const {
  int64_t cores = 1;
  if (target::TopologyAttr topology =
          description ? description.getTopology() : target::TopologyAttr())
    cores = topology.getCores() * topology.getClusters();
  return std::clamp<int64_t>(options.getInt("threads", cores), 1, 1024);
}

bool Group::spread(KernelBuilder &kernel, ArrayRef<int> dims,
                   ArrayRef<int64_t> grain, int64_t instances, double work) {
  // Starting an instance elsewhere costs about as much as this many steps.
  constexpr double kLeast = 1 << 21;
  int64_t wanted = std::min<double>(ctx.concurrency(), work / kLeast);
  if (wanted <= 1)
    return false;
  for (int dim : dims)
    if (Extent count = kernel.numBlocks(dim); count.isStatic())
      instances *= count.get();
  bool changed = false;
  for (auto [dim, step] : llvm::zip(dims, grain)) {
    KernelDim &d = kernel.dims[dim];
    // Many instances are even enough, whatever their number.
    if (instances >= 4 * wanted || instances % wanted == 0)
      break;
    if (!d.size.isStatic() || d.block <= step || instances == 0)
      continue;
    int64_t blocks = kernel.numBlocks(dim).get();
    int64_t others = instances / blocks;
    int64_t target = llvm::divideCeil(wanted, others);
    while (target < blocks || (others * target) % wanted)
      ++target;
    int64_t block = llvm::alignTo(llvm::divideCeil(d.size.get(), target), step);
    if (block >= d.block)
      continue;
    d.block = block;
    instances = others * kernel.numBlocks(dim).get();
    changed = true;
  }
  return changed;
}

int64_t Group::blockFor(Extent size, int64_t cap) {
  cap = std::max<int64_t>(cap, 1);
  return size.isStatic() ? std::clamp<int64_t>(size.get(), 1, cap) : cap;
}

bool kiln::schedule::hasTileDot(Type operand, Type accumulator) {
  if (isa<FloatType>(operand))
    return true;
  return operand.getIntOrFloatBitWidth() <= 32 &&
         accumulator.getIntOrFloatBitWidth() >= 32;
}

Value kiln::schedule::multiplyAdd(Value column, Value row, Value sum,
                                  TileBuilder &emitter) {
  OpBuilder &b = emitter.kernel.b;
  Location loc = emitter.kernel.loc;
  auto type = cast<RankedTensorType>(sum.getType());
  auto widen = [&](Value tile) -> Value {
    auto from = cast<RankedTensorType>(tile.getType());
    auto to = from.clone(type.getElementType());
    if (from != to)
      tile = isa<FloatType>(type.getElementType())
                 ? arith::ExtFOp::create(b, loc, to, tile).getResult()
                 : arith::ExtSIOp::create(b, loc, to, tile).getResult();
    return emitter.broadcast(tile, type.getShape());
  };
  Value x = widen(column), y = widen(row);
  if (isa<FloatType>(type.getElementType()))
    return arith::AddFOp::create(b, loc, sum,
                                 arith::MulFOp::create(b, loc, x, y));
  return arith::AddIOp::create(b, loc, sum,
                               arith::MulIOp::create(b, loc, x, y));
}
