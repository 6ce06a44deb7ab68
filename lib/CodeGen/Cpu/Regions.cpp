//===- Regions.cpp - Regions and storage of the stage level ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage is an address in scratch memory. A region is one nest: of the
// operation in it that is more than a computation of elements (a store, a
// reduction, a product, whatever a lowering takes), or of what it writes.
//
//===----------------------------------------------------------------------===//

#include "OwnLowerings.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Staging/Storage.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

LogicalResult KernelEmitter::measureStorage() {
  WalkResult result =
      kernel.walk([&](stage::StorageOpInterface alloc) -> WalkResult {
        MemRefType type = alloc.getStorage().getType();
        if (!alloc.getOffset())
          return alloc->emitOpError(
              "expected an offset, which 'stage-allocate' "
              "gives");
        storageEnd = std::max<int64_t>(
            storageEnd, *alloc.getOffset() + *stage::storageBytes(type) +
                            alloc.getSlack().value_or(0));
        return success();
      });
  scratchEnd = temporaryEnd = storageEnd;
  return failure(result.wasInterrupted());
}

LogicalResult cpu::lowerStorage(Operation *op, KernelEmitter &e) {
  TileBuffer buffer;
  int64_t offset;
  auto type = cast<MemRefType>(op->getResult(0).getType());
  bool isStrided = succeeded(type.getStridesAndOffset(buffer.strides, offset));
  buffer.elementType = type.getElementType();
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  if (auto alloc = dyn_cast<stage::StorageOpInterface>(op)) {
    // What an operation has been split into while it was emitted has no place.
    buffer.base = alloc.getOffset() ? e.scratchAt(*alloc.getOffset())
                                    : e.temporary(*stage::storageBytes(type) +
                                                  alloc.getSlack().value_or(0));
  } else {
    auto alias = cast<memref::ReinterpretCastOp>(op);
    if (!isStrided || ShapedType::isDynamic(offset) ||
        llvm::is_contained(buffer.strides, ShapedType::kDynamic))
      return target::emitUnsupported(op, "storage with dynamic strides");
    buffer.base = e.gep(e.storages.at(alias.getSource()).base, e.c64(offset),
                        buffer.elementType);
  }
  e.storages[op->getResult(0)] = buffer;
  if (auto alloc = dyn_cast<stage::StorageOpInterface>(op)) {
    findDirectSums(e, alloc);
    findDirectRows(e, alloc);
  }
  return success();
}

AffineMap NestBuilder::readOf(OpOperand &operand) {
  AffineMap &map = reads[&operand];
  if (!map)
    map = getOperandRead(operand).map;
  return map;
}

/// Whether a region reads storage that it writes.
static bool readsWhatItWrites(stage::ComputeOp region,
                              ArrayRef<stage::StorageWriteOpInterface> writes) {
  auto reads = region.getBody().front().getOps<stage::StorageReadOpInterface>();
  return llvm::any_of(writes, [&](stage::StorageWriteOpInterface write) {
    return llvm::any_of(reads, [&](stage::StorageReadOpInterface read) {
      return read.getStorage() == write.getStorage();
    });
  });
}

/// Whether evaluating an operation's operands evaluates `value` at the same
/// points.
static bool isComputedFor(Operation *root, Value value) {
  llvm::SetVector<Value> open(root->operand_begin(), root->operand_end());
  for (size_t i = 0; i < open.size(); ++i) {
    if (open[i] == value)
      return true;
    Operation *op = open[i].getDefiningOp();
    if (op && isElementwise(op))
      open.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}
/// Notes the bounds of a region for its nests.
static void setBounds(KernelEmitter &e, stage::ComputeOp region) {
  e.bounds = {};
  e.bounds.box.assign(region.getBox().begin(), region.getBox().end());
  if (!region.getFrom().empty() || !region.getTo().empty())
    e.bounds.ranges.resize(e.bounds.box.size());
  for (auto [range, from] : llvm::zip(e.bounds.ranges, region.getFrom()))
    if (getConstantIntValue(from) != 0)
      range.lo = e.scalar64(from);
  for (auto [range, to] : llvm::zip(e.bounds.ranges, region.getTo()))
    range.hi = e.scalar64(to);
  for (Value safe : region.getSafe())
    e.bounds.safe.push_back(e.scalar64(safe));
}

/// One nest for each tile that a region writes element by element.
static void emitWrites(KernelEmitter &e,
                       ArrayRef<stage::StorageWriteOpInterface> writes) {
  for (stage::StorageWriteOpInterface write : writes) {
    TileBuffer buffer = e.storageAt(write.getStorage(), write.getOrigin());
    auto type = cast<RankedTensorType>(write.getValue().getType());
    bool isWhole = llvm::equal(buffer.shape, type.getShape());
    buffer.shape.assign(type.getShape().begin(), type.getShape().end());
    e.fill(buffer, write.getValue(), /*mayOverrun=*/isWhole);
  }
}
/// Evaluates what a region yields, element by element.
static LogicalResult emitYields(KernelEmitter &e, stage::ComputeOp region) {
  Operation *yield = region.getBody().front().getTerminator();
  bool isFresh = false;
  for (auto [value, result] :
       llvm::zip_equal(yield->getOperands(), region.getResults())) {
    if (isTile(result.getType()))
      return target::emitUnsupported(region, "a fragment");
    if (e.mapping.contains(value)) {
      e.mapping.map(result, e.mapping.lookup(value));
      continue;
    }
    if (!isFresh)
      e.freshLevels();
    isFresh = true;
    Point point;
    Value tile = value;
    if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
      tile = extract.getTensor();
      for (Value index : extract.getIndices())
        point.coords.push_back(Coord{e.scalar64(index), 0, 0, 0});
    }
    e.mapping.map(result, e.evaluate(tile, point));
  }
  return success();
}

LogicalResult cpu::lowerCompute(stage::ComputeOp region, KernelEmitter &e) {
  if (auto direct = e.skipped.find(region); direct != e.skipped.end()) {
    if (!direct->second)
      return success();
    Value yes = arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true));
    Value outside = arith::XOrIOp::create(e.b, e.loc, direct->second, yes);
    e.skipped.erase(direct);
    auto choice =
        scf::IfOp::create(e.b, e.loc, TypeRange{}, outside, true, false);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(choice.thenBlock());
    e.b.setInsertionPoint(scf::YieldOp::create(e.b, e.loc));
    return lowerCompute(region, e);
  }
  e.results.clear();
  e.bounds = {};
  e.storing.clear();
  SmallVector<Operation *> roots;
  SmallVector<stage::StorageWriteOpInterface> writes;
  for (Operation &op : region.getBody().front().without_terminator()) {
    if (auto write = dyn_cast<stage::StorageWriteOpInterface>(op))
      writes.push_back(write);
    else if (!isa<stage::StorageReadOpInterface, stage::PrefetchAheadOp,
                  tensor::ExtractOp, tile::IntToPtrOp>(op) &&
             !staging::hasInlineForm(&op))
      roots.push_back(&op);
  }
  // A lowering may take what would be computed element by element.
  SmallVector<Value> leaving(
      region.getBody().front().getTerminator()->getOperands());
  for (stage::StorageWriteOpInterface write : writes)
    leaving.push_back(write.getValue());
  bool isComputed = roots.empty();
  for (Value value : leaving)
    if (Operation *op = value.getDefiningOp();
        isComputed && op && op->getParentOp() == region &&
        !isa<stage::StorageReadOpInterface, tensor::ExtractOp>(op) &&
        e.isCustom(op) && !llvm::is_contained(roots, op))
      roots.push_back(op);
  // Nests one behind the other would read what the first has written.
  size_t nests =
      roots.size() +
      llvm::count_if(writes, [&](stage::StorageWriteOpInterface write) {
        return !llvm::is_contained(roots, write.getValue().getDefiningOp());
      });
  if (nests > 1 && readsWhatItWrites(region, writes))
    return target::emitUnsupported(
        region, "a region with several nests that writes what it reads");
  if (roots.empty() && writes.size() == 1 && writesPanels(writes[0]))
    return lowerPack(region, writes[0], e);
  if (roots.size() > 1)
    return target::emitUnsupported(
        roots[1], "a second operation with a nest of its own in a region");
  bool isStore = !roots.empty() && isa<ViewAccessOpInterface>(roots[0]);
  bool hasBounds = !region.getFrom().empty() || !region.getTo().empty();
  if (hasBounds && !isStore && !(roots.empty() && !writes.empty()))
    return target::emitUnsupported(region, "bounds of a region that neither "
                                           "stores nor writes");
  e.freshLevels();
  setBounds(e, region);
  SmallVector<stage::StorageWriteOpInterface> others;
  if (!roots.empty()) {
    Operation *root = roots.front();
    for (stage::StorageWriteOpInterface write : writes) {
      if (write.getValue().getDefiningOp() == root)
        continue;
      if (tile::asReduction(root) && isComputedFor(root, write.getValue()))
        e.storing[write.getValue()] =
            e.storageAt(write.getStorage(), write.getOrigin());
      else
        others.push_back(write);
    }
    if (failed(e.emitRoot(root)))
      return failure();
    e.storing.clear();
  } else {
    others = writes;
  }
  if (!others.empty())
    emitWrites(e, others);
  e.bounds = {};
  return emitYields(e, region);
}

LogicalResult cpu::lowerPrefetch(stage::PrefetchOp prefetchOp,
                                 KernelEmitter &e) {
  // Prefetches are hints: of a tall box, the first rows do.
  constexpr int64_t kMostRows = 64;
  const ViewInfo &view = e.viewOf(prefetchOp.getView());
  ArrayRef<int64_t> box = prefetchOp.getBox();
  size_t lacking = view.sizes.size() - box.size();
  e.freshLevels();
  Value address = view.base, origin = e.c64(0);
  for (auto [d, coordinate] : llvm::enumerate(prefetchOp.getCoords())) {
    Value at = e.scalar64(coordinate);
    if (!prefetchOp.getElementOffsets() && d >= lacking)
      at = e.mul(at, e.c64(box[d - lacking]));
    origin = e.add(origin, e.mul(at, view.strides[d]));
  }
  address = e.gep(address, origin, view.elementType);
  int64_t rows = box.empty() ? 1 : llvm::product_of(box.drop_back());
  int64_t elements = box.empty() ? 1 : box.back();
  int64_t bytes = elements * e.storageBytes(view.elementType);
  for (int64_t row = 0; row < std::min(rows, kMostRows); ++row) {
    Value start = address;
    int64_t left = row;
    for (size_t d = box.size() - 1; row && d-- > 0; left /= box[d])
      if (int64_t at = left % box[d])
        start = e.gep(start, e.mul(e.c64(at), view.strides[lacking + d]),
                      view.elementType);
    if (std::optional<uint64_t> every = prefetchOp.getEvery()) {
      for (int64_t at = 0; at < bytes; at += int64_t(*every))
        e.prefetch(e.gep(start, e.c64(at), e.b.getI8Type()),
                   prefetchOp.getNear());
      continue;
    }
    // The row may start within a line.
    for (int64_t at = 0; at < bytes + e.config.lineBytes;
         at += e.config.lineBytes)
      e.prefetch(e.gep(start, e.c64(std::min(at, bytes - 1)), e.b.getI8Type()),
                 prefetchOp.getNear());
  }
  return success();
}
