//===- Regions.cpp - Regions and storage of the stage level ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage is an address in scratch memory. A region is one nest: of the
// operation in it that is more than a computation of elements (a store, a
// reduction, a product, whatever a lowering takes), or of what it writes.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Staging/Storage.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

LogicalResult KernelEmitter::measureStorage() {
  WalkResult result = kernel.walk([&](stage::AllocOp alloc) -> WalkResult {
    MemRefType type = alloc.getStorage().getType();
    if (!alloc.getOffset())
      return alloc.emitOpError("expected an offset, which 'stage-allocate' "
                               "gives");
    storageEnd = std::max<int64_t>(
        storageEnd, *alloc.getOffset() + *stage::storageBytes(type) +
                        alloc.getSlack().value_or(0));
    return success();
  });
  scratchEnd = temporaryEnd = storageEnd;
  return failure(result.wasInterrupted());
}

LogicalResult KernelEmitter::emitStorage(Operation *op) {
  TileBuffer buffer;
  int64_t offset;
  auto type = cast<MemRefType>(op->getResult(0).getType());
  bool isStrided = succeeded(type.getStridesAndOffset(buffer.strides, offset));
  buffer.elementType = type.getElementType();
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  if (auto alloc = dyn_cast<stage::AllocOp>(op)) {
    // What an operation has been split into while it was emitted has no place.
    buffer.base = alloc.getOffset() ? scratchAt(*alloc.getOffset())
                                    : temporary(*stage::storageBytes(type) +
                                                alloc.getSlack().value_or(0));
  } else {
    auto alias = cast<memref::ReinterpretCastOp>(op);
    if (!isStrided || ShapedType::isDynamic(offset) ||
        llvm::is_contained(buffer.strides, ShapedType::kDynamic))
      return target::emitUnsupported(op, "storage with dynamic strides");
    buffer.base = gep(storages.at(alias.getSource()).base, c64(offset),
                      buffer.elementType);
  }
  storages[op->getResult(0)] = buffer;
  if (auto alloc = dyn_cast<stage::AllocOp>(op))
    findDirectSums(alloc);
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
                              ArrayRef<stage::WriteOp> writes) {
  auto reads = region.getBody().front().getOps<stage::ReadOp>();
  return llvm::any_of(writes, [&](stage::WriteOp write) {
    return llvm::any_of(reads, [&](stage::ReadOp read) {
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

void KernelEmitter::setBounds(stage::ComputeOp region) {
  bounds = {};
  bounds.box.assign(region.getBox().begin(), region.getBox().end());
  if (!region.getFrom().empty() || !region.getTo().empty())
    bounds.ranges.resize(bounds.box.size());
  for (auto [range, from] : llvm::zip(bounds.ranges, region.getFrom()))
    if (getConstantIntValue(from) != 0)
      range.lo = scalar64(from);
  for (auto [range, to] : llvm::zip(bounds.ranges, region.getTo()))
    range.hi = scalar64(to);
  for (Value safe : region.getSafe())
    bounds.safe.push_back(scalar64(safe));
}

LogicalResult KernelEmitter::emitRegion(stage::ComputeOp region) {
  if (auto direct = directStores.find(region); direct != directStores.end()) {
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    Value outside = arith::XOrIOp::create(b, loc, direct->second, yes);
    directStores.erase(direct);
    auto choice = scf::IfOp::create(b, loc, TypeRange{}, outside, true, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    b.setInsertionPoint(scf::YieldOp::create(b, loc));
    return emitRegion(region);
  }
  results.clear();
  bounds = {};
  storing.clear();
  SmallVector<Operation *> roots;
  SmallVector<stage::WriteOp> writes;
  for (Operation &op : region.getBody().front().without_terminator()) {
    if (auto write = dyn_cast<stage::WriteOp>(op))
      writes.push_back(write);
    else if (!isa<stage::ReadOp, tensor::ExtractOp, tile::IntToPtrOp>(op) &&
             !staging::hasInlineForm(&op))
      roots.push_back(&op);
  }
  // A lowering may take what would be computed element by element.
  SmallVector<Value> leaving(
      region.getBody().front().getTerminator()->getOperands());
  for (stage::WriteOp write : writes)
    leaving.push_back(write.getValue());
  bool isComputed = roots.empty();
  for (Value value : leaving)
    if (Operation *op = value.getDefiningOp();
        isComputed && op && op->getParentOp() == region &&
        !isa<stage::ReadOp, tensor::ExtractOp>(op) && isCustom(op) &&
        !llvm::is_contained(roots, op))
      roots.push_back(op);
  // Nests one behind the other would read what the first has written.
  size_t nests =
      roots.size() + llvm::count_if(writes, [&](stage::WriteOp write) {
        return !llvm::is_contained(roots, write.getValue().getDefiningOp());
      });
  if (nests > 1 && readsWhatItWrites(region, writes))
    return target::emitUnsupported(
        region, "a region with several nests that writes what it reads");
  if (roots.empty() && writes.size() == 1 && writesPanels(writes[0]))
    return emitPack(region, writes[0]);
  if (roots.size() > 1)
    return target::emitUnsupported(
        roots[1], "a second operation with a nest of its own in a region");
  bool isStore = !roots.empty() && isa<ViewAccessOpInterface>(roots[0]);
  bool hasBounds = !region.getFrom().empty() || !region.getTo().empty();
  if (hasBounds && !isStore && !(roots.empty() && !writes.empty()))
    return target::emitUnsupported(region, "bounds of a region that neither "
                                           "stores nor writes");
  freshLevels();
  setBounds(region);
  SmallVector<stage::WriteOp> others;
  if (!roots.empty()) {
    Operation *root = roots.front();
    for (stage::WriteOp write : writes) {
      if (write.getValue().getDefiningOp() == root)
        continue;
      if (isa<tile::ReduceOp>(root) && isComputedFor(root, write.getValue()))
        storing[write.getValue()] =
            storageAt(write.getStorage(), write.getOrigin());
      else
        others.push_back(write);
    }
    if (failed(emitRoot(root)))
      return failure();
    storing.clear();
  } else {
    others = writes;
  }
  if (!others.empty())
    emitWrites(others);
  bounds = {};
  return emitYields(region);
}

void KernelEmitter::emitWrites(ArrayRef<stage::WriteOp> writes) {
  for (stage::WriteOp write : writes) {
    TileBuffer buffer = storageAt(write.getStorage(), write.getOrigin());
    auto type = cast<RankedTensorType>(write.getValue().getType());
    bool isWhole = llvm::equal(buffer.shape, type.getShape());
    buffer.shape.assign(type.getShape().begin(), type.getShape().end());
    fill(buffer, write.getValue(), /*mayOverrun=*/isWhole);
  }
}

LogicalResult KernelEmitter::emitYields(stage::ComputeOp region) {
  Operation *yield = region.getBody().front().getTerminator();
  bool isFresh = false;
  for (auto [value, result] :
       llvm::zip_equal(yield->getOperands(), region.getResults())) {
    if (isTile(result.getType()))
      return target::emitUnsupported(region, "a fragment");
    if (mapping.contains(value)) {
      mapping.map(result, mapping.lookup(value));
      continue;
    }
    if (!isFresh)
      freshLevels();
    isFresh = true;
    Point point;
    Value tile = value;
    if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
      tile = extract.getTensor();
      for (Value index : extract.getIndices())
        point.coords.push_back(Coord{scalar64(index), 0, 0, 0});
    }
    mapping.map(result, evaluate(tile, point));
  }
  return success();
}
