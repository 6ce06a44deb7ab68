//===- Schedules.cpp - What the schedules share ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/Schedules.h"
#include "AssociativeScan.h"
#include "AttentionPlan.h"
#include "DeepChannels.h"
#include "DeepWindow.h"
#include "FourierSchedule.h"
#include "GroupedWindow.h"
#include "MatrixSchedule.h"
#include "PatchProduct.h"
#include "RowSchedule.h"
#include "Siblings.h"
#include "TwoSums.h"
#include "UnrolledWindow.h"
#include "WindowProduct.h"
#include "kiln/Schedule/Loops.h"
#include "kiln/Schedule/RowGroups.h"
#include "kiln/Target/TargetRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

/// Makes a registered schedule of a function for groups of one class.
template <typename OpT>
static auto asSchedule(LogicalResult (*emit)(OpT, ScheduleContext &)) {
  return [emit](Operation *group, LoweringContext &context) -> LogicalResult {
    auto *ctx = context.as<ScheduleContext>();
    if (!ctx)
      return context.decline(group,
                             "needs the context of convert-prim-to-tile");
    return emit(cast<OpT>(group), *ctx);
  };
}

void kiln::schedule::registerCoreSchedules() {
  static bool once = [] {
    SmallVector<StringRef> kinds;
    for (uint32_t i = 0; i <= prim::getMaxEnumValForGroupKind(); ++i)
      if (std::optional<prim::GroupKind> kind = prim::symbolizeGroupKind(i))
        kinds.push_back(prim::stringifyGroupKind(*kind));
    kinds.push_back(kSiblings);
    kinds.push_back(kRows);
    target::TargetRegistry::get().setGroupKinds(kinds);
    target::LoweringRegistry &registry = target::LoweringRegistry::get();
    auto addSchedule = [&](const Twine &name, const Twine &kind, auto emit) {
      target::Schedule schedule;
      schedule.name = name.str();
      schedule.kind = kind.str();
      schedule.emit = asSchedule(emit);
      registry.add(std::move(schedule));
    };
    auto add = [&](StringRef name, prim::GroupKind kind, auto emit) {
      addSchedule(name, prim::stringifyGroupKind(kind), emit);
    };
    add("generic.elementwise", prim::GroupKind::elementwise,
        scheduleElementwise);
    addSchedule("generic.siblings", kSiblings, scheduleSiblings);
    addSchedule("generic.rows", kRows, scheduleRows);
    addSchedule("generic.two_sums", kRows, scheduleTwoSums);
    // Whoever comes later is asked first.
    add("generic.combine", prim::GroupKind::reduction, scheduleCombine);
    add("generic.reduction", prim::GroupKind::reduction, scheduleReduction);
    add("generic.contraction", prim::GroupKind::contraction,
        scheduleContraction);
    add("generic.convolution", prim::GroupKind::convolution,
        scheduleConvolution);
    add("generic.window_product", prim::GroupKind::convolution,
        scheduleWindowProduct);
    add("generic.deep_window", prim::GroupKind::convolution,
        scheduleDeepWindow);
    add("generic.deep_channels", prim::GroupKind::convolution,
        scheduleDeepChannels);
    add("generic.grouped_window", prim::GroupKind::convolution,
        scheduleGroupedWindow);
    add("generic.patches", prim::GroupKind::convolution, schedulePatches);
    add("generic.unrolled_window", prim::GroupKind::convolution,
        scheduleUnrolledWindow);
    add("generic.scatter", prim::GroupKind::scatter, scheduleScatter);
    add("generic.scan", prim::GroupKind::scan, scheduleScan);
    add("generic.sort", prim::GroupKind::sort, scheduleSort);
    add("generic.radix_sort", prim::GroupKind::sort, scheduleRadixSort);
    add("generic.select", prim::GroupKind::sort, scheduleSelect);
    addSchedule("generic.loop", "loop", scheduleLoop);
    auto addClaim = [&](StringRef name, auto find, auto emit) {
      target::PrimClaim claim;
      claim.name = ("generic." + name).str();
      claim.claim = find;
      registry.add(std::move(claim));
      addSchedule("generic." + name, "claim." + name, emit);
    };
    addClaim("attention", claimAttention, scheduleAttention);
    addClaim("fourier", claimFourier, scheduleFourier);
    addClaim("matrices", claimMatrices, scheduleMatrices);
    addClaim("associative_scan", claimAssociativeScan, scheduleAssociativeScan);
    addClaim("attention_backward", claimAttentionBackward,
             scheduleAttentionBackward);
    return true;
  }();
  (void)once;
}

Group::Group(prim::FusionOp fusion, ScheduleContext &ctx)
    : Group(fusion, ctx,
            fusion.getBody().front().getTerminator()->getOperand(0), {}) {}

Group::Group(prim::FusionOp fusion, ScheduleContext &ctx, Value root,
             ArrayRef<Operation *> computed)
    : fusion(fusion), ctx(ctx), host(ctx.host), root(root), computed(computed),
      plan(host.math, host.dimFn(), inGroup()) {}

GroupPlan::InGroupFn Group::inGroup() const {
  prim::FusionOp op = fusion;
  Operation *parent = op;
  return [parent, without = computed](Operation *op) {
    return op->getParentOp() == parent && !llvm::is_contained(without, op);
  };
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

TilingProblem Group::problemFor(const KernelBuilder &kernel,
                                TilingProblem::Kind kind,
                                ArrayRef<std::pair<int, TilingRole>> dims,
                                const Buffer *out) {
  TilingProblem problem;
  problem.kind = kind;
  for (auto [dim, role] : dims) {
    if (role == TilingRole::Part) {
      // What one instance can put together again.
      constexpr int64_t kMostParts = 1024;
      problem.dims.push_back({role, ShapedType::kDynamic, kMostParts});
      continue;
    }
    const KernelDim &from = kernel.dims[dim];
    TilingDim described{role};
    if (from.size.isStatic())
      described.size = from.size.get();
    // One that the schedule made up has a single element, always.
    bool isOfPlan = dim < static_cast<int>(plan.sizes.size());
    if (!isOfPlan || plan.untiled.test(dim))
      described.most = 1;
    problem.dims.push_back(described);
  }
  auto add = [&](Value value, const AccessMap &map, const Buffer *buffer) {
    TilingTile tile;
    tile.bits = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
    llvm::SmallBitVector along(kernel.dims.size());
    llvm::SmallBitVector support = map.support(plan.sizes.size());
    for (int dim : support.set_bits()) {
      while (kernel.dims[dim].into >= 0)
        dim = kernel.dims[dim].into;
      along.set(dim);
    }
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim.first >= 0 && along.test(dim.first)) {
        tile.dims.push_back(i);
        // Of products, schedules tell it where it matters.
        if (kind != TilingProblem::Kind::Contraction && buffer &&
            strideOf(*buffer, map, dim.first).is(1))
          tile.along = i;
      }
    problem.tiles.push_back(std::move(tile));
  };
  for (const LeafVisit &leaf : plan.leaves)
    if (host.hasBuffer(leaf.value))
      add(leaf.value, leaf.map, &host.buffer(leaf.value));
  add(root, plan.rootMap, out);
  return problem;
}

SmallVector<int64_t>
Group::chooseBlocks(KernelBuilder &kernel, const TilingProblem &problem,
                    ArrayRef<std::pair<int, TilingRole>> dims) {
  Tiling tiling = ctx.tiling.choose(problem);
  for (auto [dim, block] : llvm::zip(dims, tiling.blocks))
    if (dim.first >= 0)
      kernel.dims[dim.first].block = block;
  // Only what was ranked is worth measuring.
  if (problem.kind == TilingProblem::Kind::Contraction || tiling.cost > 0)
    tiling::noteTiling(kernel.kernel, problem, tiling);
  return tiling.blocks;
}

bool kiln::schedule::hasTileDot(Type operand, Type accumulator) {
  if (isa<FloatType>(operand))
    return true;
  return operand.getIntOrFloatBitWidth() <= 32 &&
         accumulator.getIntOrFloatBitWidth() >= 32;
}

tile::InputPrecision kiln::schedule::inputPrecision(prim::Precision precision) {
  return precision == prim::Precision::tf32 ? tile::InputPrecision::tf32
                                            : tile::InputPrecision::ieee;
}

Type kiln::schedule::multipliedType(Type element, prim::Precision precision) {
  return precision == prim::Precision::tf32
             ? Type(FloatTF32Type::get(element.getContext()))
             : element;
}

Value kiln::schedule::multiplied(Value x, Value y, RankedTensorType type,
                                 TileBuilder &emitter) {
  OpBuilder &b = emitter.kernel.b;
  Location loc = emitter.kernel.loc;
  bool isFloat = isa<FloatType>(type.getElementType());
  for (Value *tile : {&x, &y}) {
    auto from = cast<RankedTensorType>(tile->getType());
    auto to = from.clone(type.getElementType());
    if (from != to)
      *tile = isFloat ? arith::ExtFOp::create(b, loc, to, *tile).getResult()
                      : arith::ExtSIOp::create(b, loc, to, *tile).getResult();
    *tile = emitter.broadcast(*tile, type.getShape());
  }
  return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                 : arith::MulIOp::create(b, loc, x, y).getResult();
}

Value kiln::schedule::added(Value x, Value y, OpBuilder &b) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return arith::AddFOp::create(b, x.getLoc(), x, y);
  return arith::AddIOp::create(b, x.getLoc(), x, y);
}

Value kiln::schedule::multiplyAdd(Value column, Value row, Value sum,
                                  TileBuilder &emitter) {
  auto type = cast<RankedTensorType>(sum.getType());
  Value product = multiplied(column, row, type, emitter);
  Value total = added(sum, product, emitter.kernel.b);
  // The bound of a contraction leaves room for either rounding.
  for (Value value : {product, total})
    if (auto op = value.getDefiningOp<arith::ArithFastMathInterface>())
      op->setAttr(op.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(
                      op->getContext(), arith::FastMathFlags::contract));
  return total;
}
