//===- FindExchanges.cpp - Elements that change places --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who sorts, merges or flips a tile in a language without an operation for it
// gives the tile a dimension of size 2 for a bit of an index, reduces that, and
// broadcasts what comes of each pair to both. Here elements are combined with
// those at a distance instead, and tiles keep the few dimensions that they had.
//
//===----------------------------------------------------------------------===//

#include "JoinExchanged.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEFINDEXCHANGES
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

static RankedTensorType tileOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// The reduction along a dimension of size 2 whose result a broadcast hands to
/// both of each pair; null if it is something else.
static tile::ReduceOp getReducedPairs(tile::BroadcastOp broadcast) {
  Operation *expand = broadcast.getSource().getDefiningOp();
  if (!isa_and_nonnull<ReshapeOpInterface>(expand))
    return {};
  auto reduce = expand->getOperand(0).getDefiningOp<tile::ReduceOp>();
  if (!reduce || reduce.getOrdered())
    return {};
  RankedTensorType source = tileOf(reduce.getSources()[0]);
  SmallVector<int64_t> shape(source.getShape());
  if (std::exchange(shape[reduce.getAxis()], 1) != 2 ||
      tileOf(broadcast.getResult()).getShape() != source.getShape() ||
      tileOf(broadcast.getSource()).getShape() != ArrayRef(shape) ||
      source.getEncoding())
    return {};
  return reduce;
}

/// Results of a region on elements, for tiles; none where it has more than
/// operations on elements.
static SmallVector<Value> inlineOnTiles(OpBuilder &b, Region &region,
                                        ValueRange arguments) {
  Block &body = region.front();
  for (Operation &op : body.without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&op) || op.getNumRegions() ||
        !isMemoryEffectFree(&op) ||
        llvm::any_of(op.getOperands(), [&](Value operand) {
          return operand.getParentBlock() != &body;
        }))
      return {};
  ArrayRef<int64_t> shape = tileOf(arguments[0]).getShape();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = b.clone(op, mapping);
    for (Value result : copy->getResults())
      result.setType(RankedTensorType::get(shape, result.getType()));
  }
  SmallVector<Value> results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrNull(result));
  return llvm::is_contained(results, Value()) ? SmallVector<Value>() : results;
}

/// Combines every element with the other one of its pair.
static SmallVector<Value> combinePairs(tile::ReduceOp reduce) {
  OpBuilder b(reduce);
  SmallVector<Value> arguments(reduce.getSources());
  for (Value own : reduce.getSources()) {
    // What the bits stand for moves as well.
    Value source = own;
    while (auto cast = source.getDefiningOp<arith::BitcastOp>())
      source = cast.getIn();
    Value other = tile::ExchangeOp::create(b, reduce.getLoc(), source,
                                           reduce.getAxis(), 1);
    if (source != own)
      other =
          arith::BitcastOp::create(b, reduce.getLoc(), own.getType(), other);
    arguments.push_back(other);
  }
  return inlineOnTiles(b, reduce.getCombiner(), arguments);
}

static void findExchanges(tile::KernelOp kernel) {
  llvm::DenseMap<Operation *, SmallVector<Value>> combined;
  kernel.walk([&](tile::BroadcastOp broadcast) {
    tile::ReduceOp reduce = getReducedPairs(broadcast);
    if (!reduce)
      return;
    auto [entry, isNew] = combined.try_emplace(reduce);
    if (isNew)
      entry->second = combinePairs(reduce);
    if (entry->second.empty())
      return;
    auto result =
        cast<OpResult>(broadcast.getSource().getDefiningOp()->getOperand(0));
    broadcast.replaceAllUsesWith(entry->second[result.getResultNumber()]);
  });
  // `x xor (x xor y)` is y.
  kernel.walk([](arith::XOrIOp op) {
    for (auto [own, pair] : {std::pair(op.getLhs(), op.getRhs()),
                             std::pair(op.getRhs(), op.getLhs())}) {
      auto inner = pair.getDefiningOp<arith::XOrIOp>();
      if (!inner || (inner.getLhs() != own && inner.getRhs() != own))
        continue;
      op.replaceAllUsesWith(inner.getLhs() == own ? inner.getRhs()
                                                  : inner.getLhs());
      return;
    }
  });
}

namespace {
struct TileFindExchanges
    : kiln::tile::impl::TileFindExchangesBase<TileFindExchanges> {
  void runOnOperation() override {
    findExchanges(getOperation());
    tile::joinExchanged(getOperation());
    // What is left of the old form.
    SmallVector<Operation *> all;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { all.push_back(op); });
    for (Operation *op : llvm::reverse(all))
      if (isOpTriviallyDead(op))
        op->erase();
  }
};
} // namespace
