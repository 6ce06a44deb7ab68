//===- TileToStageLoops.cpp - Tiles that control flow carries -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars, elements of tiles of rank 0 and fragments stay values of loops and
// conditions; every other tile that they carry has storage.
//
//===----------------------------------------------------------------------===//

#include "TileToStage.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

static RankedTensorType tileOf(Value value) {
  return getExpressionType(value.getType());
}

SmallVector<Value> TileToStage::allocateAll(ValueRange values) {
  SmallVector<Value> targets;
  for (Value value : values) {
    RankedTensorType tile = tileOf(value);
    targets.push_back(tile && tile.getRank() ? allocate(tile, value.getLoc())
                                             : Value());
  }
  return targets;
}

SmallVector<Value> TileToStage::carriedValues(ValueRange values,
                                              ArrayRef<Value> targets) {
  SmallVector<Value> carried;
  for (auto [value, target] : llvm::zip_equal(values, targets))
    if (!target)
      carried.push_back(tileOf(value) ? elementOf(value) : scalar(value));
  return carried;
}

SmallVector<Type> TileToStage::carriedTypes(TypeRange types,
                                            ArrayRef<Value> targets) {
  SmallVector<Type> carried;
  for (auto [type, target] : llvm::zip_equal(types, targets))
    if (!target)
      carried.push_back(getExpressionType(type)
                            ? getExpressionType(type).getElementType()
                            : type);
  return carried;
}

void TileToStage::bind(ValueRange from, ArrayRef<Value> targets,
                       ValueRange to) {
  size_t next = 0;
  for (auto [value, target] : llvm::zip_equal(from, targets)) {
    if (target)
      storage[value] = target;
    else if (tileOf(value))
      elements[value] = to[next++];
    else
      scalars.map(value, to[next++]);
  }
}

void TileToStage::assign(ValueRange tiles, ArrayRef<Value> targets,
                         ValueRange carried) {
  // A tile goes straight to its target unless evaluating it, or one that comes
  // later, would read storage that has been overwritten.
  bool isConflict = false;
  auto isThere = [&](size_t i) {
    return !targets[i] || storage.lookup(tiles[i]) == targets[i];
  };
  for (size_t i = 0; i < tiles.size(); ++i)
    for (size_t j = 0; j < carried.size() && !isThere(i); ++j) {
      bool identity = true;
      if (targets[j] && plan.reads(tiles[i], carried[j], identity))
        isConflict |= j < i || (j == i && !identity);
    }
  SmallVector<Value> seconds(tiles.size());
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (isThere(i))
      continue;
    if (!isConflict) {
      write(tiles[i], targets[i]);
      continue;
    }
    seconds[i] = allocate(tileOf(tiles[i]), tiles[i].getLoc());
    write(tiles[i], seconds[i]);
  }
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (!seconds[i])
      continue;
    RankedTensorType type = tileOf(tiles[i]);
    makeRegion(tiles[i].getLoc(), type.getShape(), {}, [&](Body &body) {
      Value tile = stage::ReadOp::create(body.inside, tiles[i].getLoc(), type,
                                         seconds[i], ValueRange());
      stage::WriteOp::create(body.inside, tiles[i].getLoc(), tile, targets[i],
                             ValueRange());
      return SmallVector<Value>();
    });
  }
}

/// A block that ends where operations are added.
static Block *emptied(Block *block) {
  while (!block->empty())
    block->back().erase();
  return block;
}

void TileToStage::convertFor(scf::ForOp loop) {
  SmallVector<Value> targets = allocateAll(loop.getInitArgs());
  for (auto [init, target] : llvm::zip_equal(loop.getInitArgs(), targets))
    if (target)
      write(init, target);
  auto made =
      scf::ForOp::create(b, loop.getLoc(), scalar(loop.getLowerBound()),
                         scalar(loop.getUpperBound()), scalar(loop.getStep()),
                         carriedValues(loop.getInitArgs(), targets));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.setUnsignedCmp(loop.getUnsignedCmp());
  scalars.map(loop.getInductionVar(), made.getInductionVar());
  bind(loop.getRegionIterArgs(), targets, made.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(emptied(made.getBody()));
  convertBlock(loop.getBody());
  // Elements are computed before storage that they read is written.
  SmallVector<Value> carried = carriedValues(loop.getYieldedValues(), targets);
  assign(loop.getYieldedValues(), targets, loop.getRegionIterArgs());
  scf::YieldOp::create(b, loop.getLoc(), carried);
  bind(loop.getResults(), targets, made.getResults());
}

void TileToStage::convertIf(scf::IfOp op) {
  SmallVector<Value> targets = allocateAll(op.getResults());
  auto made = scf::IfOp::create(
      b, op.getLoc(), carriedTypes(op.getResultTypes(), targets),
      scalar(op.getCondition()), /*addThenBlock=*/true,
      /*addElseBlock=*/!op.getElseRegion().empty());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &made.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &made.getElseRegion())}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(emptied(&to->front()));
    convertBlock(&from->front());
    ValueRange yielded = from->front().getTerminator()->getOperands();
    SmallVector<Value> carried = carriedValues(yielded, targets);
    assign(yielded, targets, {});
    scf::YieldOp::create(b, op.getLoc(), carried);
  }
  bind(op.getResults(), targets, made.getResults());
}

void TileToStage::convertWhile(scf::WhileOp op) {
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  SmallVector<Value> entering = allocateAll(op.getInits());
  for (auto [init, target] : llvm::zip_equal(op.getInits(), entering))
    if (target)
      write(init, target);
  SmallVector<Value> leaving = allocateAll(op.getResults());
  SmallVector<Value> inits = carriedValues(op.getInits(), entering);
  SmallVector<Type> types = carriedTypes(op.getResultTypes(), leaving);
  auto made = scf::WhileOp::create(b, op.getLoc(), types, inits);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  auto makeBlock = [&](Block *from, Region &region, TypeRange types,
                       ArrayRef<Value> targets) {
    SmallVector<Location> locations(types.size(), op.getLoc());
    Block *block = b.createBlock(&region, region.end(), types, locations);
    bind(from->getArguments(), targets, block->getArguments());
    convertBlock(from);
  };
  OpBuilder::InsertionGuard guard(b);
  makeBlock(before, made.getBefore(), ValueRange(inits).getTypes(), entering);
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Value> passed = carriedValues(condition.getArgs(), leaving);
  assign(condition.getArgs(), leaving, {});
  scf::ConditionOp::create(b, op.getLoc(), scalar(condition.getCondition()),
                           passed);
  makeBlock(after, made.getAfter(), types, leaving);
  ValueRange yielded = after->getTerminator()->getOperands();
  SmallVector<Value> carried = carriedValues(yielded, entering);
  assign(yielded, entering, {});
  scf::YieldOp::create(b, op.getLoc(), carried);
  bind(op.getResults(), leaving, made.getResults());
}
