//===- Scratchpad.cpp - From tiles to addresses of a scratchpad -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Staging/Scratchpad.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

void staging::buildScratchpadPipeline(OpPassManager &pm,
                                      const ScratchpadOptions &options) {
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  TileDecideStorageOptions decide;
  decide.keepReads = true;
  kernels.addPass(createTileDecideStorage(decide));
  kernels.addPass(createConvertTileToStage({/*fragments=*/false}));
  kernels.addPass(createStageMakeCopies());
  kernels.addPass(createStageBlockProducts());
  kernels.addPass(createStagePlace({options.space, /*conflict=*/0}));
  std::string limit = options.space + "=" + std::to_string(options.bytes);
  if (options.slots > 1) {
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

Value Addresses::at(Location loc, Value storage, ValueRange coords) {
  Value address = addresses.lookup(storage);
  for (auto [coord, stride] :
       llvm::zip(coords, byteStrides(storage.getType()))) {
    Value bytes = arith::MulIOp::create(b, loc, coord, constant(loc, stride));
    address = arith::AddIOp::create(b, loc, address, bytes);
  }
  return address;
}

bool Addresses::bind(Operation *op) {
  if (auto alloc = dyn_cast<stage::AllocOp>(op))
    addresses[alloc] = constant(op->getLoc(), alloc.getOffset().value_or(0));
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

std::optional<TransferBox> Addresses::transfer(stage::CopyOp copy) {
  TransferBox box;
  Location loc = copy.getLoc();
  box.isIn = isa<tile::ViewType>(copy.getSource().getType());
  box.view = box.isIn ? copy.getSource() : copy.getTarget();
  Value storage = box.isIn ? copy.getTarget() : copy.getSource();
  if (!isa<tile::ViewType>(box.view.getType()) ||
      !stage::isStrided(cast<MemRefType>(storage.getType())))
    return std::nullopt;
  ValueRange coords = box.isIn ? copy.getFrom() : copy.getTo();
  bool inBlocks = box.isIn ? !copy.getFromOffsets() : !copy.getToOffsets();
  auto type = cast<MemRefType>(storage.getType());
  box.counts.assign(coords.size() - type.getRank(), 1);
  box.strides.assign(box.counts.size(), 0);
  llvm::append_range(box.counts, copy.getCopied());
  llvm::append_range(box.strides, byteStrides(type));
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
