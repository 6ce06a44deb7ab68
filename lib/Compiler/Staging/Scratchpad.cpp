//===- Scratchpad.cpp - From tiles to addresses of a scratchpad -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Staging/Scratchpad.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/FactorLayouts.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

void staging::buildScratchpadPipeline(OpPassManager &pm,
                                      const ScratchpadOptions &options) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(tile::createTileEraseUnused());
  kernels.addPass(
      tile::createTileExpandReductions({llvm::to_vector(options.keep)}));
  TileDecideStorageOptions decide;
  decide.keepReads = true;
  kernels.addPass(createTileDecideStorage(decide));
  kernels.addPass(createConvertTileToStage({/*fragments=*/false}));
  kernels.addPass(createStageMakeCopies());
  kernels.addPass(createStageBlockProducts(
      {options.space, options.columns, options.panels}));
  kernels.addPass(createStagePlace({options.space, /*conflict=*/0}));
  std::string limit = options.space + "=" + std::to_string(options.bytes);
  if (options.slots > 1 || options.slots < 0) {
    StageFitRingsOptions rings;
    rings.depth = options.slots;
    rings.limits = {limit};
    rings.align = options.align;
    pm.addPass(createStageFitRings(rings));
  }
  StageAllocateOptions allocate;
  allocate.limits = {limit};
  allocate.align = options.align;
  pm.addNestedPass<tile::KernelOp>(createStageAllocate(allocate));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Addresses::byteStrides(Type storage) {
  auto type = cast<MemRefType>(storage);
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t &stride : strides)
    stride *= stage::elementBytes(type.getElementType());
  return strides;
}

Value Addresses::constant(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value Addresses::moved(Location loc, Value address, Value count,
                       int64_t bytes) {
  Value by = arith::MulIOp::create(b, loc, count, constant(loc, bytes));
  return arith::AddIOp::create(b, loc, address, by);
}

Value Addresses::at(Location loc, Value storage, ValueRange coords) {
  Value address = addresses.lookup(storage);
  auto type = cast<MemRefType>(storage.getType());
  std::optional<PanelLayout> panels = getPanelLayout(type);
  if (coords.empty() || !panels) {
    for (auto [coord, stride] : llvm::zip(coords, byteStrides(type)))
      address = moved(loc, address, coord, stride);
    return address;
  }
  // Whole panels and groups, then what is in them.
  int64_t bytes = stage::elementBytes(type.getElementType());
  SmallVector<Value> whole(coords);
  std::tuple<unsigned, int64_t, int64_t> parts[] = {
      {panels->panelDim, panels->width, panels->group},
      {panels->stepDim, panels->group, 1}};
  for (auto [dim, part, stride] : parts) {
    if (part == 1)
      continue;
    Value within =
        arith::RemUIOp::create(b, loc, coords[dim], constant(loc, part));
    whole[dim] = arith::SubIOp::create(b, loc, coords[dim], within);
    address = moved(loc, address, within, stride * bytes);
  }
  for (auto [coord, stride] :
       llvm::zip_equal(whole, getPanelStrides(type, *panels)))
    address = moved(loc, address, coord, stride * bytes);
  return address;
}

Value Addresses::atPanel(Location loc, Value storage, ValueRange coords) {
  Value address = addresses.lookup(storage);
  auto type = cast<MemRefType>(storage.getType());
  int64_t bytes = stage::elementBytes(type.getElementType());
  for (auto [coord, stride] :
       llvm::zip(coords, getPanelStrides(type, *getPanelLayout(type))))
    address = moved(loc, address, coord, stride * bytes);
  return address;
}

bool Addresses::bind(Operation *op) {
  if (auto alloc = dyn_cast<stage::StorageOpInterface>(op))
    addresses[alloc.getStorage()] =
        constant(op->getLoc(), alloc.getOffset().value_or(0));
  else if (auto alias = dyn_cast<memref::ReinterpretCastOp>(op))
    addresses[alias] = addresses.lookup(alias.getSource());
  else
    return false;
  return true;
}

/// Calls `visit` for the parts of a slot with their offsets; gives its size.
static int64_t walkParts(stage::RingOp ring,
                         llvm::function_ref<void(size_t, int64_t)> visit) {
  int64_t offset = 0, align = ring.getAlign().value_or(1);
  for (auto [i, part] : llvm::enumerate(ring.getRing().getType().getParts())) {
    visit(i, offset);
    offset += llvm::alignTo(*stage::storageBytes(part), align);
  }
  return offset;
}

int64_t Addresses::slotBytes(stage::RingOp ring) {
  return walkParts(ring, [](size_t, int64_t) {});
}

void Addresses::bindSlot(stage::RingOp ring, ValueRange parts, Value slot) {
  walkParts(ring, [&](size_t i, int64_t offset) {
    addresses[parts[i]] = arith::AddIOp::create(
        b, ring.getLoc(), slot, constant(ring.getLoc(), offset));
  });
}

/// The storage of a copy between it and a view; null for other copies.
static Value storageOf(stage::CopyOp copy) {
  bool isIn = isa<tile::ViewType>(copy.getSource().getType());
  Value view = isIn ? copy.getSource() : copy.getTarget();
  return isa<tile::ViewType>(view.getType())
             ? (isIn ? copy.getTarget() : copy.getSource())
             : Value();
}

TransferBox Addresses::boxOf(stage::CopyOp copy) {
  TransferBox box;
  Location loc = copy.getLoc();
  box.isIn = isa<tile::ViewType>(copy.getSource().getType());
  box.view = box.isIn ? copy.getSource() : copy.getTarget();
  Value storage = storageOf(copy);
  ValueRange coords = box.isIn ? copy.getFrom() : copy.getTo();
  bool inBlocks = box.isIn ? !copy.getFromOffsets() : !copy.getToOffsets();
  auto type = cast<MemRefType>(storage.getType());
  box.counts.assign(coords.size() - type.getRank(), 1);
  box.strides.assign(box.counts.size(), 0);
  llvm::append_range(box.counts, copy.getCopied());
  for (auto [coord, count] : llvm::zip(coords, box.counts))
    box.offsets.push_back(
        inBlocks && count != 1
            ? arith::MulIOp::create(b, loc, coord, constant(loc, count))
            : coord);
  box.address = at(loc, storage, box.isIn ? copy.getTo() : copy.getFrom());
  Type element = type.getElementType();
  box.padding = copy.getPad();
  if (!box.padding) {
    TypedAttr value = b.getZeroAttr(element);
    if (copy.getPadding() == tile::Padding::nan)
      value = FloatAttr::get(
          element,
          APFloat::getNaN(cast<FloatType>(element).getFloatSemantics()));
    box.padding = arith::ConstantOp::create(b, loc, value);
  }
  return box;
}

std::optional<TransferBox> Addresses::transfer(stage::CopyOp copy) {
  Value storage = storageOf(copy);
  if (!storage || !stage::isStrided(cast<MemRefType>(storage.getType())))
    return std::nullopt;
  TransferBox box = boxOf(copy);
  llvm::append_range(box.strides, byteStrides(storage.getType()));
  return box;
}

SmallVector<TransferBox> Addresses::transfers(stage::CopyOp copy) {
  if (std::optional<TransferBox> box = transfer(copy))
    return {*box};
  Value storage = storageOf(copy);
  auto type = storage ? cast<MemRefType>(storage.getType()) : MemRefType();
  std::optional<PanelLayout> panels =
      storage ? getPanelLayout(type) : std::nullopt;
  if (!panels || copy.getCopied() != type.getShape())
    return {};
  Location loc = copy.getLoc();
  TransferBox whole = boxOf(copy);
  int64_t rank = type.getRank(), leading = whole.offsets.size() - rank;
  int64_t bytes = stage::elementBytes(type.getElementType());
  SmallVector<int64_t> strides = getPanelStrides(type, *panels);
  // Steps of one element follow each other at one distance.
  SmallVector<int64_t> part(type.getShape());
  SmallVector<int64_t> inside = strides;
  part[panels->panelDim] = panels->width;
  inside[panels->panelDim] = panels->group;
  if (panels->group > 1) {
    part[panels->stepDim] = panels->group;
    inside[panels->stepDim] = 1;
  }
  SmallVector<TransferBox> boxes;
  for (SmallVector<int64_t> origin :
       StaticTileOffsetRange(type.getShape(), part)) {
    TransferBox box = whole;
    int64_t place = 0;
    for (int64_t d = 0; d < rank; ++d) {
      box.counts[leading + d] = part[d];
      box.strides.push_back(inside[d] * bytes);
      place += origin[d] * strides[d] * bytes;
      if (origin[d])
        box.offsets[leading + d] = arith::AddIOp::create(
            b, loc, box.offsets[leading + d], constant(loc, origin[d]));
    }
    if (place)
      box.address =
          arith::AddIOp::create(b, loc, box.address, constant(loc, place));
    boxes.push_back(std::move(box));
  }
  return boxes;
}
