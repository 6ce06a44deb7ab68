//===- ScatterRuns.cpp - Scatters of updates that come in runs ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where there are many updates for each element, they often come sorted: rows
// of a segment, edges of a node. Atomic operations of neighbouring threads then
// go to one element, one after the other. An instance looks at how many
// neighbours in its first block have one element. If these are most of them, it
// combines each run of neighbours in its blocks by a scan within segments, and
// the last element of a run is stored for all; else each is stored, as that
// takes less time where updates are in no order.
//
//===----------------------------------------------------------------------===//

#include "ScatterBuilder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/SegmentOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

using Pred = arith::CmpIPredicate;

bool ScatterBuilder::hasRuns() {
  constexpr int64_t kMostElements = int64_t(1) << 24, kPlacesOfElement = 8;
  return places[0].size.isStatic() && storeOf(op) &&
         listsElements(kMostElements, kPlacesOfElement);
}

namespace {
/// The elements that a block of updates is for, i32, and where their runs begin
/// and end.
class Runs {
public:
  Runs(OpBuilder &b, Location loc, Value element)
      : b(b), loc(loc), element(element),
        type(cast<RankedTensorType>(element.getType())) {
    number = tile::IotaOp::create(b, loc, type, uint64_t(0));
    size = type.getDimSize(0);
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(value)));
  }
  /// Whether the update `distance` from each one is for another element, or is
  /// in no block that this instance looks at.
  Value differs(int64_t distance) {
    Value at = arith::AddIOp::create(b, loc, number, constant(distance));
    Value end = constant(distance < 0 ? 0 : size - 1);
    at = distance < 0 ? arith::MaxSIOp::create(b, loc, at, end).getResult()
                      : arith::MinSIOp::create(b, loc, at, end).getResult();
    Value other = tile::GatherOp::create(b, loc, type, element, at,
                                         /*axis=*/uint64_t(0));
    return arith::OrIOp::create(
        b, loc, arith::CmpIOp::create(b, loc, Pred::ne, other, element),
        arith::CmpIOp::create(b, loc, Pred::eq, number, end));
  }
  /// i32: how often a condition holds.
  Value count(Value condition) {
    Type i32 = b.getI32Type();
    Value ones = arith::ExtUIOp::create(b, loc, type, condition);
    auto sum = tile::ReduceOp::create(b, loc, RankedTensorType::get({}, i32),
                                      ones, uint64_t(0), /*ordered=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      Block *body =
          b.createBlock(&sum.getCombiner(), {}, {i32, i32}, {loc, loc});
      tile::YieldOp::create(b, loc,
                            arith::AddIOp::create(b, loc, body->getArgument(0),
                                                  body->getArgument(1))
                                .getResult());
    }
    return tensor::ExtractOp::create(b, loc, sum.getResult(0), ValueRange());
  }

private:
  OpBuilder &b;
  Location loc;
  Value element, number;
  RankedTensorType type;
  int64_t size;
};
} // namespace

void ScatterBuilder::storeElements(Value update, Value element) {
  tile::StoreScatterOp::create(
      b, loc, update, kernel.view(resultLine(), /*write=*/true), ValueRange(),
      element, uint64_t(0), *storeOf(op));
}

Value ScatterBuilder::runElements(Value begin) {
  auto [place, inside] = elementsOf(begin);
  return arith::TruncIOp::create(
      b, loc, RankedTensorType::get({block}, b.getI32Type()),
      arith::SelectOp::create(b, loc, inside, place,
                              tileOf(kernel.constant(-1))));
}

void ScatterBuilder::combineRuns(Value begin) {
  Value element = runElements(begin), update = updatesOf(begin);
  Runs runs(b, loc, element);
  auto scan = tile::SegmentedScanOp::create(
      b, loc, TypeRange{update.getType()}, ValueRange{update}, runs.differs(-1),
      /*axis=*/uint64_t(0), /*reverse=*/false);
  {
    OpBuilder::InsertionGuard inner(b);
    Type type = out.elementType();
    Block *body =
        b.createBlock(&scan.getCombiner(), {}, {type, type}, {loc, loc});
    tile::YieldOp::create(
        b, loc,
        combineUpdate(op, body->getArgument(0), body->getArgument(1), b));
  }
  Value last = arith::SelectOp::create(b, loc, runs.differs(1), element,
                                       runs.constant(-1));
  storeElements(scan.getResult(0), last);
}

void ScatterBuilder::buildRuns() {
  // An instance is one warp, whose threads wait for no other one.
  constexpr int64_t kPlaces = 256, kInstancesOfCore = 32, kMostBlocks = 8;
  block = kPlaces;
  int64_t blocks = placeRuns(kInstancesOfCore, kMostBlocks, kMostBlocks);
  setOneWarp();
  Value first = kernel.dims[0].offset;
  Runs runs(b, loc, runElements(first));
  Value few = arith::CmpIOp::create(
      b, loc, Pred::ult, runs.count(runs.differs(-1)),
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(block / 2)));
  auto choice = scf::IfOp::create(b, loc, few, /*withElseRegion=*/true);
  auto forBlocks = [&](Block *where, llvm::function_ref<void(Value)> body) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(where);
    auto loop = scf::ForOp::create(b, loc, kernel.constant(0),
                                   kernel.constant(blocks), kernel.constant(1));
    b.setInsertionPointToStart(loop.getBody());
    body(kernel.add(
        first, kernel.mul(loop.getInductionVar(), kernel.constant(block))));
  };
  forBlocks(choice.thenBlock(), [&](Value begin) { combineRuns(begin); });
  forBlocks(choice.elseBlock(), [&](Value begin) {
    Value element = runElements(begin);
    storeElements(updatesOf(begin), element);
  });
  kernel.finish("generic.scatter");
}
