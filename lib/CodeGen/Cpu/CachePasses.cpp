//===- CachePasses.cpp - Prefetches and non-temporal stores ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What caches are told, decided on kernels of the stage level from the sizes
// that the description gives.
//
//===----------------------------------------------------------------------===//

#include "kiln/Cpu/Config.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace kiln::cpu {
#define GEN_PASS_DEF_PREFETCH
#define GEN_PASS_DEF_STREAMSTORES
#include "kiln/Cpu/Passes.h.inc"
} // namespace kiln::cpu

/// Whether a view has more bytes than the last cache, whatever its sizes are.
static bool isSurelyLarge(tile::ViewType view, const CpuConfig &config) {
  int64_t total = stage::elementBytes(view.getElementType());
  for (int64_t size : view.getShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(total, size, total))
      return false;
  return total >= config.lastCacheBytes;
}

static bool hasIndirectAxis(ArrayRef<ViewAxis> axes) {
  return llvm::any_of(axes,
                      [](const ViewAxis &axis) { return axis.isIndirect(); });
}

/// Whether the next instance accesses the next block along an axis.
static bool countsInstances(const ViewAxis &axis) {
  auto offset = dyn_cast_if_present<Value>(axis.offset);
  auto id =
      offset ? offset.getDefiningOp<tile::ProgramIdOp>() : tile::ProgramIdOp();
  return axis.countsBlocks && id && offset == id.getResult(0);
}

//===----------------------------------------------------------------------===//
// cpu-prefetch
//===----------------------------------------------------------------------===//

namespace {
struct PrefetchPass : cpu::impl::PrefetchBase<PrefetchPass> {
  using PrefetchBase::PrefetchBase;

  void runOnOperation() override {
    CpuConfig config =
        CpuConfig::fromDescription(target::getDescription(getOperation()));
    prefetchPages(getOperation(), config);
    prefetchRepeatedReads(getOperation(), config);
  }

private:
  static constexpr int64_t kPage = 4096, kMostPages = 16;

  /// Inserts prefetches of the pages of the row that the next instance stores:
  /// non-temporal stores run at memory bandwidth, but still stall on TLB misses
  /// and on partial cache lines.
  static void prefetchPages(tile::KernelOp kernel, const CpuConfig &config) {
    auto regions =
        kernel.getBody().front().getOps<stage::BoxRegionOpInterface>();
    if (regions.empty())
      return;
    Operation *first = *regions.begin();
    DominanceInfo dominance(kernel);
    OpBuilder builder(first);
    for (stage::BoxRegionOpInterface region :
         llvm::make_early_inc_range(regions))
      for (auto store :
           region.getBody().front().getOps<ViewAccessOpInterface>())
        prefetchNextRow(store, first, dominance, config, builder);
  }

  static void prefetchNextRow(ViewAccessOpInterface store, Operation *first,
                              DominanceInfo &dominance, const CpuConfig &config,
                              OpBuilder &builder) {
    auto isKnown = [&](Value value) {
      return dominance.properlyDominates(value, first);
    };
    auto type = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
    SmallVector<ViewAxis, 4> axes = store.getAxes();
    if (!type || store.getAccessKind() != AccessKind::Write ||
        store.getAccessedType().getRank() != 1 ||
        !isSurelyLarge(type, config) || hasIndirectAxis(axes) ||
        llvm::none_of(axes, countsInstances) ||
        !isKnown(store.getAccessedView()))
      return;
    int64_t elements = store.getAccessedType().getNumElements();
    bool hasOffsets = llvm::all_of(axes, [&](const ViewAxis &axis) {
      auto offset = dyn_cast_if_present<Value>(axis.offset);
      return !offset || isKnown(offset) || getConstantIntValue(offset);
    });
    if (!hasOffsets || elements * stage::elementBytes(type.getElementType()) >
                           kMostPages * kPage)
      return;
    Location loc = store->getLoc();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    SmallVector<Value> coords;
    for (const ViewAxis &axis : axes) {
      std::optional<int64_t> constant = getConstantIntValue(axis.offset);
      Value at = constant ? number(*constant) : cast<Value>(axis.offset);
      if (axis.countsBlocks)
        at = arith::MulIOp::create(builder, loc, at, number(axis.block));
      if (countsInstances(axis))
        at = arith::AddIOp::create(builder, loc, at, number(axis.block));
      coords.push_back(at);
    }
    stage::PrefetchOp::create(builder, loc, store.getAccessedView(), coords,
                              /*element_offsets=*/true,
                              ArrayRef<int64_t>{elements},
                              builder.getI64IntegerAttr(kPage), /*near=*/true);
  }

  /// A tile that is read for the last time is in a near cache by now, and
  /// memory has nothing to read: what the next instance will read is fetched
  /// there.
  static void prefetchRepeatedReads(tile::KernelOp kernel,
                                    const CpuConfig &config) {
    llvm::DenseMap<int64_t, Operation *> lastReaders;
    SmallVector<ViewAccessOpInterface> again;
    kernel.walk([&](ViewAccessOpInterface load) {
      auto clone = load->getAttrOfType<stage::CloneAttr>(stage::kDecidedAttr);
      if (!clone || clone.getFirst())
        return;
      lastReaders[clone.getNumber()] = load->getParentOp();
      again.push_back(load);
    });
    for (ViewAccessOpInterface load : again) {
      int64_t number =
          load->getAttrOfType<stage::CloneAttr>(stage::kDecidedAttr)
              .getNumber();
      if (load->getParentOp() == lastReaders.lookup(number) && load.isRead())
        prefetchAhead(load, config);
    }
  }

  static void prefetchAhead(ViewAccessOpInterface load,
                            const CpuConfig &config) {
    SmallVector<ViewAxis, 4> axes = load.getAxes();
    auto type = dyn_cast<tile::ViewType>(load.getAccessedView().getType());
    if (!type || hasIndirectAxis(axes) ||
        !isa<stage::BoxRegionOpInterface>(load->getParentOp()))
      return;
    // The nearest cache needs room for this tile, the next and one that is
    // computed.
    int64_t bytes = load.getAccessedType().getNumElements() *
                    stage::elementBytes(type.getElementType());
    bool isNear = 3 * bytes <= config.l1Bytes;
    OpBuilder builder(load.getContext());
    builder.setInsertionPointAfter(load);
    for (auto [d, axis] : llvm::enumerate(axes)) {
      if (!countsInstances(axis))
        continue;
      SmallVector<int64_t> by(axes.size(), 0);
      by[d] = axis.block;
      stage::PrefetchAheadOp::create(builder, load->getLoc(),
                                     load.getAccessedTile(), by, isNear);
    }
  }
};

//===----------------------------------------------------------------------===//
// cpu-stream-stores
//===----------------------------------------------------------------------===//

struct StreamStoresPass : cpu::impl::StreamStoresBase<StreamStoresPass> {
  using StreamStoresBase::StreamStoresBase;

  void runOnOperation() override {
    CpuConfig config =
        CpuConfig::fromDescription(target::getDescription(getOperation()));
    getOperation().walk([&](stage::BoxRegionOpInterface region) {
      if (region.getStreamAttr())
        return;
      for (auto store :
           region.getBody().front().getOps<ViewAccessOpInterface>())
        if (stage::StreamAttr stream = streamOf(store, config))
          region.setStreamAttr(stream);
    });
  }

private:
  /// Returns how a store streams, null if none of its views can be larger than
  /// the last cache.
  static stage::StreamAttr streamOf(ViewAccessOpInterface store,
                                    const CpuConfig &config) {
    auto type = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
    if (!type || store.getAccessKind() != AccessKind::Write ||
        hasIndirectAxis(store.getAxes()))
      return {};
    // Memory of callers is often aligned to less than a vector. Where sizes are
    // not known, what is stored may be small: code to peel rows would be in
    // vain.
    bool isLarge = isSurelyLarge(type, config);
    if (!isLarge && llvm::none_of(type.getShape(), ShapedType::isDynamic))
      return {};
    return stage::StreamAttr::get(store.getContext(), config.lastCacheBytes,
                                  /*peel=*/isLarge);
  }
};
} // namespace
