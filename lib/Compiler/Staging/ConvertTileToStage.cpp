//===- ConvertTileToStage.cpp - Regions and storage of tile kernels -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FamilyLowerings.h"
#include "TileToStage.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Loops.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_CONVERTTILETOSTAGE
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;
using namespace kiln::staging;

RankedTensorType staging::getExpressionType(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && !tile.getEncoding() ? tile : RankedTensorType();
}

static RankedTensorType tileOf(Value value) {
  return getExpressionType(value.getType());
}

static bool hasTiles(Operation *op) {
  auto isTile = [](Value value) { return static_cast<bool>(tileOf(value)); };
  return llvm::any_of(op->getOperands(), isTile) ||
         llvm::any_of(op->getResults(), isTile);
}

/// Tiles of pointers have no storage; they are made where an access uses them.
static bool makesPointers(Operation *op) {
  return op->getNumResults() == 1 && tileOf(op->getResult(0)) &&
         isa<tile::PtrType>(tileOf(op->getResult(0)).getElementType());
}

TileToStage::TileToStage(tile::KernelOp kernel,
                         std::function<bool(Operation *)> forced)
    : kernel(kernel), plan(kernel, /*disjoint=*/false, std::move(forced)),
      b(kernel.getContext()) {}

LogicalResult TileToStage::check() {
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    auto refuse = [&](const Twine &what) {
      op->emitError("unsupported: ") << what << " at the stage level";
      return WalkResult::interrupt();
    };
    if (isa<stage::StageDialect>(op->getDialect()))
      return refuse("a kernel that is there in part");
    if (op->getNumRegions() && !isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
      WalkResult inner = op->walk([&](Operation *nested) {
        return nested != op && hasTiles(nested) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      });
      if (inner.wasInterrupted())
        return refuse("tiles inside of '" + op->getName().getStringRef() + "'");
    }
    for (Value value : op->getResults())
      if (tileOf(value) && makesPointers(op) &&
          (!isMemoryEffectFree(op) || op->getNumRegions() ||
           isa<scf::SCFDialect>(op->getDialect())))
        return refuse("pointers that are kept");
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (auto tile = tileOf(argument);
            tile && isa<tile::PtrType>(tile.getElementType()))
          return refuse("pointers that control flow carries");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Where nobody has decided, reads stay before writes that they may see.
void TileToStage::keepCrossedReads() {
  kernel.getBody().walk([&](Operation *op) {
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    if (access && !op->hasAttr(stage::kDecidedAttr) && plan.isInlineOp(op) &&
        (access.isVolatileAccess() || plan.crossesStore(access)))
      op->setAttr(stage::kDecidedAttr,
                  stage::HomeAttr::get(op->getContext(), stage::Home::keep));
  });
}

LogicalResult TileToStage::run() {
  if (failed(check()))
    return failure();
  keepCrossedReads();
  if (failed(plan.read()))
    return failure();
  Region fresh;
  Block *old = &kernel.getBody().front(), *block = &fresh.emplaceBlock();
  for (BlockArgument argument : old->getArguments())
    scalars.map(argument,
                block->addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(block);
  convertBlock(old);
  b.clone(*old->getTerminator(), scalars);
  kernel.getBody().takeBody(fresh);
  return success();
}

void TileToStage::convertBlock(Block *block) {
  for (Operation &op : block->without_terminator())
    convertOp(&op);
}

void TileToStage::convertOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertFor(loop);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return convertIf(choice);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return convertWhile(loop);
  if (!hasTiles(op))
    return cloneScalar(op);
  if (isa<tensor::ExtractOp>(op))
    return convertExtract(op);
  if (makesPointers(op))
    return;
  if (plan.isInlineOp(op)) {
    Value tile = op->getResult(0);
    if (!plan.isInline(tile) && !plan.fusedInto(tile))
      keep(op);
    return;
  }
  if (auto product = dyn_cast<MatrixProductOpInterface>(op))
    return convertProduct(product);
  if (isa<ConcatenationOpInterface>(op))
    return convertCat(op);
  if (isa<tile::ReshapeOp>(op))
    return convertReshape(op);
  convertAlone(op);
}

void TileToStage::mapScalars(Operation *op, IRMapping &mapping) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!mapping.contains(operand) && scalars.contains(operand))
        mapping.map(operand, scalars.lookup(operand));
  });
}

void TileToStage::cloneScalar(Operation *op) {
  IRMapping mapping;
  mapScalars(op, mapping);
  Operation *clone = b.clone(*op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    scalars.map(result, value);
}

Value TileToStage::allocate(RankedTensorType type, Location loc) {
  return stage::AllocOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()),
      IntegerAttr(), IntegerAttr(), IntegerAttr());
}

SmallVector<Value> TileToStage::allocateDense(ArrayRef<RankedTensorType> types,
                                              int64_t elements, Location loc) {
  Type element = types.front().getElementType();
  Value flat = allocate(RankedTensorType::get({elements}, element), loc);
  SmallVector<Value> views;
  for (RankedTensorType type : types) {
    SmallVector<int64_t> strides(type.getRank(), 1);
    for (int64_t d = type.getRank() - 2; d >= 0; --d)
      strides[d] = strides[d + 1] * type.getDimSize(d + 1);
    auto view =
        MemRefType::get(type.getShape(), element,
                        StridedLayoutAttr::get(b.getContext(), 0, strides));
    views.push_back(memref::ReinterpretCastOp::create(
        b, loc, view, flat, /*offset=*/0, type.getShape(), strides));
  }
  return views;
}

ResultRange TileToStage::makeRegion(Location loc, ArrayRef<int64_t> box,
                                    TypeRange results, Fill fill) {
  SmallVector<int64_t> sizes(box);
  if (sizes.empty())
    sizes = {1};
  auto region = stage::ComputeOp::create(b, loc, results, sizes, ValueRange(),
                                         ValueRange(), ValueRange(),
                                         /*stream=*/stage::StreamAttr());
  Body body{OpBuilder::atBlockBegin(&region.getBody().emplaceBlock()), {}};
  SmallVector<Value> yielded = fill(body);
  stage::YieldOp::create(body.inside, loc, yielded);
  return region.getResults();
}

void TileToStage::write(Value tile, Value target) {
  makeRegion(tile.getLoc(), tileOf(tile).getShape(), {}, [&](Body &body) {
    stage::WriteOp::create(body.inside, tile.getLoc(), fetch(tile, body),
                           target, ValueRange());
    return SmallVector<Value>();
  });
}

Operation *TileToStage::cloneInto(Operation *op, Body &body) {
  mapScalars(op, body.local);
  Operation *clone = body.inside.clone(*op, body.local);
  clone->removeAttr(stage::kDecidedAttr);
  if (!isMemoryEffectFree(op) && !hasEffect<MemoryEffects::Write>(op)) {
    auto [it, isFirst] = numbers.try_emplace(op, numbers.size());
    clone->setAttr(stage::kDecidedAttr,
                   stage::CloneAttr::get(b.getContext(), it->second, isFirst));
  }
  return clone;
}

Value TileToStage::fetch(Value value, Body &body) {
  RankedTensorType tile = tileOf(value);
  if (!tile)
    return scalar(value);
  if (Value known = body.local.lookupOrNull(value))
    return known;
  Location loc = value.getLoc();
  Value fetched;
  if (Value place = storage.lookup(value)) {
    fetched = stage::ReadOp::create(body.inside, loc, tile, place, ValueRange())
                  .getResult();
  } else if (Value element = elements.lookup(value)) {
    fetched = tile::SplatOp::create(body.inside, loc, tile, element);
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      fetch(operand, body);
    return cloneInto(value.getDefiningOp(), body)->getResult(0);
  }
  body.local.map(value, fetched);
  return fetched;
}

Value TileToStage::elementOf(Value tile) {
  if (Value known = elements.lookup(tile))
    return known;
  return makeRegion(
      tile.getLoc(), {}, tileOf(tile).getElementType(),
      [&](Body &body) { return SmallVector<Value>{fetch(tile, body)}; })[0];
}

/// Makes all tiles of a kernel such without encoding.
static void dropEncodings(tile::KernelOp kernel) {
  auto plain = [](Type type) -> RankedTensorType {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getEncoding()
               ? RankedTensorType::get(tile.getShape(), tile.getElementType())
               : RankedTensorType();
  };
  kernel.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (RankedTensorType type = plain(result.getType()))
        result.setType(type);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (RankedTensorType type = plain(argument.getType()))
          argument.setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto value = dyn_cast<DenseElementsAttr>(constant.getValue()))
        if (RankedTensorType type = plain(value.getType()))
          constant.setValueAttr(value.reshape(type));
  });
}

namespace {
struct ConvertTileToStagePass
    : staging::impl::ConvertTileToStageBase<ConvertTileToStagePass> {
  using ConvertTileToStageBase::ConvertTileToStageBase;

  void runOnOperation() override {
    signLoops(getOperation());
    if (!fragments)
      dropEncodings(getOperation());
    TileToStage conversion(getOperation(), findFamilyLowerings(getOperation()));
    if (failed(conversion.run()))
      signalPassFailure();
  }
};
} // namespace
