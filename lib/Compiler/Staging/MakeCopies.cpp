//===- MakeCopies.cpp - Moves between views and storage as copies ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEMAKECOPIES
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;
using namespace kiln::staging;

namespace {

/// Whether a copy moves the box of an access as it is.
bool isBox(ViewAccessOpInterface access) {
  auto view = dyn_cast<tile::ViewType>(access.getAccessedView().getType());
  RankedTensorType tile = access.getAccessedType();
  if (!view || access.isVolatileAccess() || tile.getEncoding() ||
      access.getAccessKind() == AccessKind::Update ||
      view.getElementType() != tile.getElementType())
    return false;
  SmallVector<ViewAxis, 4> axes = access.getAxes();
  int64_t leading = axes.size() - tile.getRank();
  for (auto [d, axis] : llvm::enumerate(axes)) {
    bool isLeading = static_cast<int64_t>(d) < leading;
    if (axis.isIndirect() || (axis.step != 1 && axis.block != 1) ||
        axis.tileDim != (isLeading ? -1 : static_cast<int64_t>(d) - leading) ||
        axis.block != (isLeading ? 1 : tile.getDimSize(d - leading)))
      return false;
  }
  return leading >= 0;
}

/// Whether an operation takes or gives whole storage.
template <typename Op> bool isWhole(Op op, RankedTensorType tile) {
  return op && op.getOrigin().empty() &&
         cast<MemRefType>(op.getStorage().getType()).getShape() ==
             tile.getShape();
}

/// Takes the accesses out of one region.
class CopyMaker {
public:
  CopyMaker(stage::BoxRegionOpInterface region, tile::KernelOp kernel)
      : region(region), b(region), math(b, kernel, region.getLoc()) {}

  void run() {
    SmallVector<ViewAccessOpInterface> accesses;
    for (Operation &op : region.getBody().front())
      if (auto access = dyn_cast<ViewAccessOpInterface>(op);
          access && isBox(access))
        accesses.push_back(access);
    // Loads happen before the region and stores behind it.
    for (ViewAccessOpInterface access : accesses)
      access.isRead() ? takeLoad(access) : takeStore(access);
    if (!accesses.empty() && region->getNumResults() == 0 &&
        llvm::all_of(region.getBody().front(), [](Operation &op) {
          return isa<stage::YieldOp>(op) ||
                 (isa<stage::StorageReadOpInterface>(op) && op.use_empty());
        }))
      region.erase();
  }

private:
  Value allocate(RankedTensorType type, Location loc) {
    return stage::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), type.getElementType()),
        IntegerAttr(), IntegerAttr(), IntegerAttr());
  }

  /// Where the box starts: in blocks if the access counts so, else in elements.
  SmallVector<Value> coordsOf(ViewAccessOpInterface access, bool &inBlocks) {
    SmallVector<ViewAxis, 4> axes = access.getAxes();
    inBlocks = llvm::all_of(
        axes, [](const ViewAxis &axis) { return axis.countsBlocks; });
    SmallVector<Value> coords;
    for (ViewAxis &axis : axes) {
      axis.countsBlocks &= !inBlocks;
      coords.push_back(math.offsetOf(axis));
    }
    return coords;
  }

  void takeLoad(ViewAccessOpInterface load) {
    Value tile = load->getResult(0);
    stage::StorageWriteOpInterface write;
    if (tile.hasOneUse())
      write = dyn_cast<stage::StorageWriteOpInterface>(*tile.user_begin());
    bool isMove = isWhole(write, load.getAccessedType());
    b.setInsertionPoint(region);
    Location loc = load.getLoc();
    Value target =
        isMove ? write.getStorage() : allocate(load.getAccessedType(), loc);
    bool inBlocks;
    SmallVector<Value> coords = coordsOf(load, inBlocks);
    tile::Padding padding = tile::Padding::zero;
    if (load.getOutside() == Outside::NaN)
      padding = tile::Padding::nan;
    else if (load.getOutside() == Outside::Value)
      padding = tile::Padding::value;
    stage::CopyOp::create(
        b, loc, Type(), load.getAccessedView(), coords, target, ValueRange(),
        padding == tile::Padding::value ? load.getOutsideValue() : Value(),
        UnitAttr(), inBlocks ? UnitAttr() : b.getUnitAttr(), UnitAttr(),
        DenseI64ArrayAttr(), tile::PaddingAttr::get(b.getContext(), padding));
    if (isMove) {
      write.erase();
    } else {
      b.setInsertionPoint(load);
      Value read = stage::ReadOp::create(b, loc, load.getAccessedType(), target,
                                         ValueRange());
      tile.replaceAllUsesWith(read);
    }
    load.erase();
  }

  void takeStore(ViewAccessOpInterface store) {
    Value tile = store.getAccessedTile();
    auto read = tile.getDefiningOp<stage::StorageReadOpInterface>();
    bool isMove = isWhole(read, store.getAccessedType());
    Location loc = store.getLoc();
    Value source;
    if (isMove) {
      source = read.getStorage();
    } else {
      b.setInsertionPoint(region);
      source = allocate(store.getAccessedType(), loc);
      b.setInsertionPoint(store);
      stage::WriteOp::create(b, loc, tile, source, ValueRange());
    }
    b.setInsertionPoint(region->getBlock(),
                        behind ? std::next(Block::iterator(behind))
                               : std::next(Block::iterator(region)));
    bool inBlocks;
    SmallVector<Value> coords = coordsOf(store, inBlocks);
    behind = stage::CopyOp::create(
        b, loc, Type(), source, ValueRange(), store.getAccessedView(), coords,
        Value(), UnitAttr(), UnitAttr(),
        inBlocks ? UnitAttr() : b.getUnitAttr(), DenseI64ArrayAttr(),
        tile::PaddingAttr::get(b.getContext(), tile::Padding::zero));
    store.erase();
  }

  stage::BoxRegionOpInterface region;
  OpBuilder b;
  Indices math;
  Operation *behind = nullptr; ///< the last copy behind the region
};

struct StageMakeCopiesPass
    : staging::impl::StageMakeCopiesBase<StageMakeCopiesPass> {
  void runOnOperation() override {
    SmallVector<stage::BoxRegionOpInterface> regions;
    getOperation().walk([&](stage::BoxRegionOpInterface region) {
      if (region.getFrom().empty() && region.getTo().empty())
        regions.push_back(region);
    });
    for (stage::BoxRegionOpInterface region : regions)
      CopyMaker(region, getOperation()).run();
  }
};

} // namespace
