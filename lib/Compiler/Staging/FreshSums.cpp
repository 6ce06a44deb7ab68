//===- FreshSums.cpp - Accumulators that need no zeros --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage is filled with zeros so that products can add to it. Where nothing
// else happens in between, the first products overwrite it instead: filling,
// and reading what was filled, moves as many bytes as storing the result.
//
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

/// Whether all bits of a tile are zero.
static bool isZero(Value tile) {
  DenseElementsAttr value;
  if (!matchPattern(tile, m_Constant(&value)) || !value.isSplat())
    return false;
  if (isa<FloatType>(value.getElementType()))
    return value.getSplatValue<APFloat>().isPosZero();
  return isa<IntegerType>(value.getElementType()) &&
         value.getSplatValue<APInt>().isZero();
}

/// Whether a region does nothing but to fill storage with zeros.
static bool isFill(stage::BoxRegionOpInterface region,
                   stage::StorageWriteOpInterface write) {
  return region.getFrom().empty() && region.getTo().empty() &&
         region->getNumResults() == 0 && write.getOrigin().empty() &&
         isZero(write.getValue()) &&
         llvm::all_of(region.getBody().front().without_terminator(),
                      [&](Operation &op) {
                        return &op == write || isa<arith::ConstantOp>(op);
                      });
}

std::pair<stage::BoxRegionOpInterface, Operation *>
ProductSplitter::findFill() {
  stage::BoxRegionOpInterface fill;
  SmallVector<Operation *> readers;
  if (isBatched || !acc.getDefiningOp<stage::StorageOpInterface>())
    return {};
  for (Operation *user : acc.getUsers()) {
    auto around = dyn_cast<stage::BoxRegionOpInterface>(user->getParentOp());
    if (!around)
      return {};
    if (around == region)
      continue;
    auto write = dyn_cast<stage::StorageWriteOpInterface>(user);
    if (write && !fill && isFill(around, write))
      fill = around;
    else if (isa<stage::StorageReadOpInterface>(user))
      readers.push_back(around);
    else
      return {};
  }
  Operation *outer =
      fill ? fill->getBlock()->findAncestorOpInBlock(*region) : nullptr;
  if (!outer || !fill->isBeforeInBlock(outer))
    return {};
  for (Operation *reader : readers) {
    Operation *place = fill->getBlock()->findAncestorOpInBlock(*reader);
    if (!place || place == outer || place->isBeforeInBlock(outer))
      return {};
  }
  return {fill, outer};
}

/// A bound of a loop, if it is known: also as the blocks of a view whose size
/// is.
static std::optional<int64_t> knownBound(Value bound) {
  auto blocks = bound.getDefiningOp<tile::NumBlocksOp>();
  if (!blocks)
    return getConstantIntValue(bound);
  auto view = cast<tile::ViewType>(blocks.getView().getType());
  int64_t size = view.getShape()[blocks.getDim()];
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return llvm::divideCeil(size, int64_t(blocks.getBlock()));
}

Value ProductSplitter::startFresh() {
  auto [fill, outer] = findFill();
  if (!fill || !sidesAreKnown(product, outer))
    return {};
  // The loops around the product, which all add to the same sums.
  SmallVector<scf::ForOp> loops;
  for (Operation *op = region; op != outer;) {
    op = op->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return {};
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
      if (outer->isAncestor(bound.getParentBlock()->getParentOp()))
        return {};
    auto from = knownBound(loop.getLowerBound()),
         to = knownBound(loop.getUpperBound());
    if (from && to && *from >= *to) // No product writes anything.
      return {};
    loops.push_back(loop);
  }
  Value isFirst = math.truth();
  for (scf::ForOp loop : loops) {
    auto from = knownBound(loop.getLowerBound()),
         to = knownBound(loop.getUpperBound()),
         step = knownBound(loop.getStep());
    bool isOnly = from && to && step && *to - *from <= *step;
    if (!isOnly)
      isFirst =
          math.isEqual(loop.getInductionVar(), loop.getLowerBound(), isFirst);
  }
  // What no product writes is filled as before: all of it, if there is none.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(outer);
  auto [rows, columns] = findSides(product, math);
  for (scf::ForOp loop : loops) {
    auto from = knownBound(loop.getLowerBound()),
         to = knownBound(loop.getUpperBound());
    if (from && to && *from < *to)
      continue;
    Value runs =
        arith::CmpIOp::create(b, region.getLoc(), arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    rows = arith::SelectOp::create(b, region.getLoc(), runs, rows, index(0));
  }
  auto fillFrom = [&](Value row, Value column, Value endRow) {
    makeRegion(
        {m, n}, {row, column}, {endRow, index(n)}, [&](OpBuilder &inside) {
          auto zeros = RankedTensorType::get({m, n}, type.getElementType());
          Value zero = arith::ConstantOp::create(inside, region.getLoc(), zeros,
                                                 b.getZeroAttr(zeros));
          stage::WriteOp::create(inside, region.getLoc(), zero, acc,
                                 ValueRange());
        });
  };
  if (getConstantIntValue(rows) != m)
    fillFrom(rows, index(0), index(m));
  if (getConstantIntValue(columns) != n)
    fillFrom(index(0), columns, rows);
  fill.erase();
  return isFirst;
}
