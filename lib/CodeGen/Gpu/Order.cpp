//===- Order.cpp - Accesses to global memory that may meet ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within an instance accesses that may overlap keep their order, but for stores
// that combine alike. Two threads share out the elements of a tile, so a
// barrier stands between such accesses, unless each thread meets only what it
// did itself.
//
//===----------------------------------------------------------------------===//

#include "Order.h"
#include "kiln/Analysis/Aliases.h"
#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether an operation is one of a plug-in, whose effects say what it reaches.
static bool isForeign(Operation *op) {
  return !isa_and_nonnull<tile::TileDialect, stage::StageDialect, SimtDialect,
                          ::mlir::gpu::GPUDialect, scf::SCFDialect>(
      op->getDialect());
}

static Reaches reachesByEffects(Operation *op) {
  if (op->getNumRegions() || isMemoryEffectFree(op))
    return {};
  auto known = dyn_cast<MemoryEffectOpInterface>(op);
  if (!known)
    return {{Value(), /*reads=*/true, /*writes=*/true}};
  SmallVector<MemoryEffects::EffectInstance> effects;
  known.getEffects(effects);
  Reaches reaches;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect()),
         writes = isa<MemoryEffects::Write>(effect.getEffect());
    if ((reads || writes) && !isa<LaunchOutput>(effect.getResource()))
      reaches.push_back({effect.getValue(), reads, writes});
  }
  return reaches;
}

Reaches simt::reachesOf(Operation *op) {
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return {{access.getAccessedView(),
             access.getAccessKind() != AccessKind::Write,
             access.getAccessKind() != AccessKind::Read}};
  if (auto access = dyn_cast<PointerAccessOpInterface>(op))
    return {{access.getAccessedPointers(),
             access.getAccessKind() != AccessKind::Write,
             access.getAccessKind() != AccessKind::Read}};
  if (isa<tile::ClusterBarrierOp>(op))
    return {{Value(), /*reads=*/true, /*writes=*/true}};
  if (isa<scf::ForOp>(op) && runsInFirstThread(op)) {
    Reaches reaches;
    op->walk([&](Operation *inner) {
      if (inner != op && !inner->getNumRegions())
        llvm::append_range(reaches, reachesOf(inner));
    });
    return reaches;
  }
  return isForeign(op) ? reachesByEffects(op) : Reaches();
}

/// Whether an operation loads or stores once, and is neither atomic nor
/// volatile: nothing but its place and its value matter.
static bool isPlainAccess(Operation *op) {
  if (op->getNumRegions())
    return false;
  std::optional<Attribute> isVolatile = op->getInherentAttr("is_volatile");
  return !isAtomic(op) && !isForeign(op) && !isFence(op) &&
         reachesOf(op).size() == 1 && !(isVolatile && *isVolatile);
}

/// Whether one thread does the same as all: an operation of scalars that
/// computes, loads, stores, or chooses and repeats such ones. A volatile load
/// may wait for another instance, and all threads with it.
static bool isOfScalars(Operation *op) {
  auto isScalar = [](Type type) { return !isa<ShapedType>(type); };
  if (!llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return false;
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return true;
  // How a plug-in lowers its operations is unknown: they may exchange values
  // between threads.
  bool isKnown = !isForeign(op) ||
                 isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  return !op->getNumRegions() && isKnown &&
         (isMemoryEffectFree(op) || isPlainAccess(op));
}

/// Whether there are only operations of scalars in another one.
static bool holdsScalars(Operation *op) {
  return !op->walk([&](Operation *inner) {
              return inner == op || isOfScalars(inner)
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

bool simt::runsInFirstThread(Operation *op) {
  if (isPlainAccess(op))
    return reachesOf(op).front().writes && isOfScalars(op);
  // A loop without a count may wait for what another instance stores, and what
  // all threads do behind it waits, too.
  auto mayWait = [](scf::WhileOp) { return WalkResult::interrupt(); };
  return isa<scf::ForOp>(op) && op->use_empty() && isOfScalars(op) &&
         holdsScalars(op) && !op->walk(mayWait).wasInterrupted();
}

bool simt::hasOnlyScalars(Operation *kernel) { return holdsScalars(kernel); }

bool simt::mayConflict(ArrayRef<Reach> a, ArrayRef<Reach> b) {
  return llvm::any_of(a, [&](const Reach &x) {
    return llvm::any_of(b, [&](const Reach &y) {
      return (x.writes || y.writes) && tile::mayAlias(x.place, y.place);
    });
  });
}

/// Whether a loop around an access says that it is independent.
static bool isInIndependentLoop(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    auto hints = loop->getAttrOfType<tile::LoopHintsAttr>(tile::kHintsAttr);
    if (hints && hints.getIndependent())
      return true;
  }
  return false;
}

/// Whether two stores combine alike, so that either may come first: what they
/// leave is the same but for the rounding of sums, whose order other instances
/// change as well.
static bool combineAlike(Operation *first, Operation *second) {
  auto a = dyn_cast<ViewAccessOpInterface>(first),
       b = dyn_cast<ViewAccessOpInterface>(second);
  if (!a || !b || a.getAccessKind() != AccessKind::Update ||
      b.getAccessKind() != AccessKind::Update ||
      getElementTypeOrSelf(a.getAccessedTile().getType()) !=
          getElementTypeOrSelf(b.getAccessedTile().getType()))
    return false;
  auto kindOf = [](Operation *op) {
    return dyn_cast_or_null<tile::CombineAttr>(
        op->getInherentAttr("combine").value_or(Attribute()));
  };
  tile::CombineAttr kind = kindOf(first);
  return kind && kind == kindOf(second) &&
         kind.getValue() != tile::Combine::inc &&
         kind.getValue() != tile::Combine::dec;
}

/// Whether different coordinates of a view are different places in memory, by
/// its type alone.
static bool hasOwnPlaces(tile::ViewType type) {
  if (type.isDense())
    return true;
  SmallVector<std::pair<int64_t, int64_t>> dims; // strides and sizes
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    int64_t stride = type.getStaticStride(d);
    if (ShapedType::isDynamic(stride) || stride <= 0)
      return false;
    if (size != 1)
      dims.emplace_back(stride, size);
  }
  llvm::sort(dims);
  // How many places the dimensions so far go through.
  std::optional<int64_t> span = 1;
  for (auto [stride, size] : dims) {
    if (!span || stride < *span)
      return false;
    if (ShapedType::isDynamic(size)) {
      span.reset();
      continue;
    }
    // What overflows has no bytes that a view could be of.
    std::optional<int64_t> more = llvm::checkedMul(size - 1, stride);
    span = more ? llvm::checkedAdd(*span, *more) : std::nullopt;
    if (!span)
      return false;
  }
  return true;
}

/// Whether two accesses of a parameter keep apart along a dimension, at known
/// places, whatever their other coordinates are.
static bool keepApart(Operation *first, Operation *second) {
  auto a = dyn_cast<ViewAccessOpInterface>(first),
       b = dyn_cast<ViewAccessOpInterface>(second);
  // Volatile accesses stay in their order.
  if (!a || !b || a.getAccessedView() != b.getAccessedView() ||
      a.isVolatileAccess() || b.isVolatileAccess())
    return false;
  Value view = a.getAccessedView();
  auto type = dyn_cast<tile::ViewType>(view.getType());
  if (!type || view != tile::rootOf(view) || !hasOwnPlaces(type))
    return false;
  // The first element along an axis, and the one behind the last.
  auto rangeOf =
      [](const ViewAxis &axis) -> std::optional<std::pair<int64_t, int64_t>> {
    std::optional<int64_t> offset;
    if (!axis.isIndirect() && axis.step == 1)
      offset = getConstantIntValue(axis.offset);
    if (!offset)
      return std::nullopt;
    int64_t begin = axis.countsBlocks ? *offset * axis.block : *offset;
    return std::make_pair(begin, begin + axis.block);
  };
  return llvm::any_of(
      llvm::zip_equal(a.getAxes(), b.getAxes()), [&](const auto &pair) {
        auto x = rangeOf(std::get<0>(pair)), y = rangeOf(std::get<1>(pair));
        return x && y && (x->second <= y->first || y->second <= x->first);
      });
}

bool simt::isUnordered(Operation *first, Operation *second) {
  if (combineAlike(first, second) || keepApart(first, second))
    return true;
  if (!isInIndependentLoop(first) && !isInIndependentLoop(second))
    return false;
  if (first == second)
    return !isAtomic(first);
  auto rootsOf = [](Operation *op) {
    SmallPtrSet<void *, 2> roots;
    if (isAtomic(op))
      return roots;
    for (const Reach &reach : reachesOf(op)) {
      BlockArgument root = tile::rootOf(reach.place);
      if (!root)
        return SmallPtrSet<void *, 2>();
      roots.insert(root.getAsOpaquePointer());
    }
    return roots;
  };
  auto a = rootsOf(first), b = rootsOf(second);
  return !a.empty() && !b.empty() &&
         llvm::none_of(a, [&](void *root) { return b.contains(root); });
}

bool simt::isInFirstThread(Operation *op) {
  for (; op; op = op->getParentOp())
    if (getDecided(op, kFirstThreadEntry))
      return true;
  return false;
}

bool simt::isAtomic(Operation *op) {
  auto access = dyn_cast<PointerAccessOpInterface>(op);
  return access && access.isUpdate();
}

int64_t simt::countAddedTogether(Operation *op) {
  constexpr int64_t kWord = 2, kChunk = 8;
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  if (!rmw || !op->use_empty() || rmw.getKind() != tile::AtomicKind::fadd)
    return 1;
  Type element = getElementTypeOrSelf(rmw.getValue().getType());
  if (!element.isF16() && !element.isBF16())
    return 1;
  return isFence(op) ? kChunk : kWord;
}

bool simt::isFence(Operation *op) {
  if (isa<tile::ClusterBarrierOp>(op))
    return true;
  auto access = dyn_cast<PointerAccessOpInterface>(op);
  return access && access.isRelease();
}

bool simt::isOwnAccess(Operation *first, Operation *second, unsigned laneBits,
                       unsigned warpBits) {
  if (runsInFirstThread(first) && runsInFirstThread(second))
    return true;
  auto a = dyn_cast<ViewAccessOpInterface>(first);
  auto b = dyn_cast<ViewAccessOpInterface>(second);
  if (!a || !b || !a.isRead())
    return false;
  LayoutAttr layout = getLayout(a.getAccessedTile());
  return layout && layout == getLayout(b.getAccessedTile()) &&
         !ThreadBuilder::copyMask(layout, laneBits, warpBits) &&
         accessSameElements(a, b);
}
