//===- ScatterSums.cpp - Scatters of many updates to few elements ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on one element come one after the other: a million updates
// of sixteen elements take as long as each of them sixty thousand times. Where
// the result is that small, each thread has all its elements in registers, and
// combines an update with the one that it is for. An instance goes through a
// run of places, combines what its threads have, and stores that once. Of more
// elements than registers hold, each instance has a group, and leaves the
// updates of the others to other instances.
//
//===----------------------------------------------------------------------===//

#include "ScatterBuilder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Elements that the threads of an instance have at most.
static constexpr int64_t kGroup = 32;

/// What changes nothing that it is combined with.
static TypedAttr neutralOf(prim::ScatterOp op, OpBuilder &b) {
  using Kind = prim::ScatterKind;
  Type type = getElementTypeOrSelf(op.getType());
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (op.getCombine()) {
    case Kind::add:
      return b.getFloatAttr(real, APFloat::getZero(semantics, true));
    case Kind::mul:
      return b.getFloatAttr(real, APFloat::getOne(semantics));
    default:
      return b.getFloatAttr(
          real, APFloat::getInf(semantics, op.getCombine() == Kind::max));
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (op.getCombine()) {
  case Kind::mul:
    return b.getIntegerAttr(type, 1);
  case Kind::max:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
  case Kind::min:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(width));
  case Kind::umin:
  case Kind::and_:
    return b.getIntegerAttr(type, APInt::getAllOnes(width));
  default:
    return b.getIntegerAttr(type, 0);
  }
}

bool ScatterBuilder::combinesFew() {
  // Each thread compares each of its places with all elements of its group:
  // with more groups than these, atomic operations take less time.
  constexpr int64_t kMostElements = 8 * kGroup, kPlacesOfElement = 512;
  return storeOf(op) && listsElements(kMostElements, kPlacesOfElement);
}

Value ScatterBuilder::combineBlock(Value begin, Value before, Value neutral) {
  auto [element, inside] = elementsOf(begin);
  element = arith::SelectOp::create(b, loc, inside, element,
                                    tileOf(kernel.constant(-1)));
  auto type = cast<RankedTensorType>(before.getType());
  // Along the second dimension.
  auto spread = [&](Value tile) -> Value {
    auto own = cast<RankedTensorType>(tile.getType());
    tile = tile::ExpandDimsOp::create(
        b, loc, own.clone({1, block}, own.getElementType()), tile, 0);
    return tile::BroadcastOp::create(b, loc, type.clone(own.getElementType()),
                                     tile);
  };
  // Few bits are enough to tell elements apart.
  auto narrow = type.clone(b.getI32Type());
  auto numbers = RankedTensorType::get({block}, b.getI32Type());
  element = arith::TruncIOp::create(b, loc, numbers, element);
  if (Value first = firstOfGroup(numbers))
    element = arith::SubIOp::create(b, loc, element, first);
  Value isOwn = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      tile::IotaOp::create(b, loc, narrow, uint64_t(0)), spread(element));
  Value update =
      arith::SelectOp::create(b, loc, isOwn, spread(updatesOf(begin)), neutral);
  return combineUpdate(op, before, update, b);
}

/// A tile of the number of the first element of the group that an instance has;
/// null where there is one group.
Value ScatterBuilder::firstOfGroup(RankedTensorType type) {
  if (groups == 1)
    return {};
  Value first = arith::IndexCastOp::create(
      b, loc, type.getElementType(),
      kernel.mul(kernel.dims[1].offset, kernel.constant(kGroup)));
  return tile::SplatOp::create(b, loc, type, first);
}

void ScatterBuilder::buildFew() {
  // An instance is one warp, whose threads need nothing of each other before
  // the end. Each has some places at once, fewer where the elements of a result
  // take many registers. Runs are long beside what is done once for each.
  // Where nothing says how many places there are, they are short.
  constexpr int64_t kPlaces = 128, kManyElements = 16, kInstancesOfCore = 16,
                    kMostBlocks = 128, kOpenBlocks = 8;
  int64_t all = resultLine().sizes[0].get(),
          elements = std::min<int64_t>(llvm::PowerOf2Ceil(all), kGroup);
  groups = llvm::divideCeil(all, elements);
  block = elements > kManyElements ? kPlaces / 2 : kPlaces;
  int64_t blocks = placeRuns(std::max<int64_t>(kInstancesOfCore / groups, 2),
                             kMostBlocks, kOpenBlocks);
  setOneWarp();
  Type element = out.elementType();
  Value neutral = arith::ConstantOp::create(
      b, loc,
      SplatElementsAttr::get(RankedTensorType::get({elements, block}, element),
                             ArrayRef<Attribute>(neutralOf(op, b))));
  auto loop =
      scf::ForOp::create(b, loc, kernel.constant(0), kernel.constant(blocks),
                         kernel.constant(1), neutral);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value begin =
        kernel.add(kernel.dims[0].offset,
                   kernel.mul(loop.getInductionVar(), kernel.constant(block)));
    Value next = combineBlock(begin, loop.getRegionIterArg(0), neutral);
    scf::YieldOp::create(b, loc, next);
  }
  auto totals =
      tile::ReduceOp::create(b, loc, RankedTensorType::get({elements}, element),
                             loop.getResult(0), uint64_t(1), /*ordered=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&totals.getCombiner(), {}, {element, element},
                                {loc, loc});
    tile::YieldOp::create(
        b, loc,
        combineUpdate(op, body->getArgument(0), body->getArgument(1), b));
  }
  storeFew(totals.getResult(0));
  kernel.finish("generic.scatter");
}

/// Elements without an update are left alone: a machine may lose what is small
/// where it adds to it.
void ScatterBuilder::storeFew(Value totals) {
  auto type = cast<RankedTensorType>(totals.getType());
  Value neutral = arith::ConstantOp::create(
      b, loc,
      SplatElementsAttr::get(type, ArrayRef<Attribute>(neutralOf(op, b))));
  auto bitsOf = [&](Value tile) -> Value {
    Type element = type.getElementType();
    if (!isa<FloatType>(element))
      return tile;
    auto bits = type.clone(b.getIntegerType(element.getIntOrFloatBitWidth()));
    return arith::BitcastOp::create(b, loc, bits, tile);
  };
  auto places = type.clone(b.getI32Type());
  Value nowhere = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(places, b.getI32IntegerAttr(-1)));
  Value isNeutral = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          bitsOf(totals), bitsOf(neutral));
  Value number = tile::IotaOp::create(b, loc, places, uint64_t(0));
  if (Value first = firstOfGroup(places))
    number = arith::AddIOp::create(b, loc, number, first);
  Value index = arith::SelectOp::create(b, loc, isNeutral, nowhere, number);
  tile::StoreScatterOp::create(b, loc, totals,
                               kernel.view(resultLine(), /*write=*/true),
                               ValueRange(), index, uint64_t(0), *storeOf(op));
}
