//===- Bound.cpp - What regions compute, and where accesses are in bounds -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Stage/Axes.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Staging/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEBOUND
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;
using namespace kiln::staging;

namespace {

/// Gives one region its bounds.
class Bounder {
public:
  Bounder(stage::ComputeOp region, tile::KernelOp kernel)
      : region(region), b(region), math(b, kernel, region.getLoc()) {}

  void run() {
    for (Operation &op : region.getBody().front().without_terminator()) {
      if (auto access = dyn_cast<ViewAccessOpInterface>(op))
        accesses.push_back(access);
      else if (!isa<stage::StorageReadOpInterface>(op) && !hasInlineForm(&op))
        isPlain = false;
    }
    if (accesses.empty())
      return;
    SmallVector<Value> to = findEnds();
    SmallVector<Value> safe = findSafe(to);
    if (!to.empty())
      region.getToMutable().assign(to);
    if (!safe.empty())
      region.getSafeMutable().assign(safe);
  }

private:
  /// Where the block of an access ends along an axis: in elements of its tile.
  Value endOf(ViewAccessOpInterface access, int64_t dim) {
    ViewAxis axis = access.getAxes()[dim];
    return math.ceilDiv(math.sub(math.sizeOf(access.getAccessedView(), dim),
                                 math.offsetOf(axis)),
                        axis.step);
  }

  /// Behind what a store drops everything, if a store is all that is seen.
  SmallVector<Value> findEnds() {
    ViewAccessOpInterface store;
    for (ViewAccessOpInterface access : accesses) {
      if (!access.isWrite())
        continue;
      if (store)
        return {};
      store = access;
    }
    if (!store || !isPlain || region.getNumResults() ||
        !region.getBody().getOps<stage::StorageWriteOpInterface>().empty() ||
        indirectAxis(store.getAxes()) >= 0 ||
        store.getAccessedType().getShape() != region.getBox())
      return {};
    SmallVector<Value> ends;
    for (int64_t size : region.getBox())
      ends.push_back(math.constant(size));
    for (auto [d, axis] : llvm::enumerate(store.getAxes()))
      if (axis.tileDim >= 0 && axis.step > 0)
        ends[axis.tileDim] = math.max(
            math.min(ends[axis.tileDim], endOf(store, d)), math.constant(0));
    return ends;
  }

  /// Up to where every access is in bounds; nothing where that cannot be said
  /// by one box.
  SmallVector<Value> findSafe(ArrayRef<Value> to) {
    stage::Axes axes(region);
    SmallVector<Value> ends;
    for (int64_t size : region.getBox())
      ends.push_back(math.constant(size));
    for (auto [end, last] : llvm::zip(ends, to))
      end = last;
    Value condition;
    auto require = [&](Value x, Value y) {
      condition = math.conjunction(condition, math.atLeast(x, y));
    };
    for (ViewAccessOpInterface access : accesses) {
      if (indirectAxis(access.getAxes()) >= 0)
        return {};
      Value tile =
          access.isWrite() ? access.getAccessedTile() : access->getResult(0);
      ArrayRef<int64_t> mine = axes.of(tile);
      for (auto [d, axis] : llvm::enumerate(access.getAxes())) {
        if (axis.step < 1)
          return {};
        Value offset = math.offsetOf(axis);
        // What starts before a view has no safe corner at the first point.
        auto given = dyn_cast<Value>(axis.offset);
        if (given && !facts.isNonNegative(given))
          return {};
        if (!given && getConstantIntValue(axis.offset).value_or(0) < 0)
          return {};
        int64_t size = axis.tileDim < 0
                           ? 1
                           : access.getAccessedType().getDimSize(axis.tileDim);
        int64_t dim = axis.tileDim < 0 || mine.empty() ? stage::Axes::kNone
                                                       : mine[axis.tileDim];
        if (size == 1) {
          require(math.sub(math.sizeOf(access.getAccessedView(), d),
                           math.constant(1)),
                  offset);
          continue;
        }
        if (dim == stage::Axes::kNone || region.getBox()[dim] != size)
          return {};
        ends[dim] = math.min(ends[dim], endOf(access, d));
      }
    }
    for (Value &end : ends) {
      end = math.max(end, math.constant(0));
      if (condition)
        end = arith::SelectOp::create(b, region.getLoc(), condition, end,
                                      math.constant(0));
    }
    return ends;
  }

  stage::ComputeOp region;
  OpBuilder b;
  Indices math;
  index::Analysis facts;
  SmallVector<ViewAccessOpInterface> accesses;
  bool isPlain = true;
};

struct StageBoundPass : staging::impl::StageBoundBase<StageBoundPass> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    SmallVector<stage::ComputeOp> regions;
    kernel.walk([&](stage::ComputeOp region) {
      if (region.getFrom().empty() && region.getTo().empty() &&
          region.getSafe().empty())
        regions.push_back(region);
    });
    for (stage::ComputeOp region : regions)
      Bounder(region, kernel).run();
  }
};

} // namespace
