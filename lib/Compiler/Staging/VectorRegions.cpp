//===- VectorRegions.cpp - Regions on a unit with lanes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every sink of a region is a nest of loops of its own, in which what it needs
// is computed for as many elements at a time as there are lanes.
//
//===----------------------------------------------------------------------===//

#include "VectorElements.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

VectorUnit::~VectorUnit() = default;

namespace {

/// A vendor's unit, whose instructions are checked: each gives a value of the
/// type that it has to.
class CheckedUnit : public VectorUnit {
public:
  explicit CheckedUnit(VectorUnit &unit) : VectorUnit(unit.lanes), unit(unit) {}

  Value load(VectorType type, Value address, int64_t stride) override {
    begin();
    return checked("load", type, unit.load(type, address, stride));
  }
  void store(Value vector, Value address, int64_t stride) override {
    begin();
    unit.store(vector, address, stride);
  }
  Value splat(VectorType type, Value scalar) override {
    begin();
    return checked("splat", type, unit.splat(type, scalar));
  }
  Value count(VectorType type, Value first, int64_t step) override {
    begin();
    return checked("count", type, unit.count(type, first, step));
  }
  Value slice(VectorType type, Value vector, int64_t first) override {
    begin();
    return checked("slice", type, unit.slice(type, vector, first));
  }
  Value first(Value vector) override {
    begin();
    return checked("first", getElementTypeOrSelf(vector.getType()),
                   unit.first(vector));
  }
  bool computes(Operation *function) override {
    begin();
    return unit.computes(function);
  }

  std::string problem; ///< the first one; empty: none

private:
  void begin() {
    unit.builder = builder;
    unit.location = location;
  }
  /// What goes on where the value is none: the region is in error.
  Value checked(StringRef name, Type wanted, Value made) {
    if (made && made.getType() == wanted)
      return made;
    if (problem.empty()) {
      llvm::raw_string_ostream os(problem);
      os << "gave ";
      if (made)
        os << "a value of type " << made.getType();
      else
        os << "no value";
      os << " from " << name << ", expected " << wanted;
    }
    return arith::ConstantOp::create(
        *builder, *location, cast<TypedAttr>(builder->getZeroAttr(wanted)));
  }

  VectorUnit &unit;
};

class RegionLowering : VectorElements {
public:
  RegionLowering(stage::ComputeOp region, RegionContext &ctx, CheckedUnit &unit)
      : VectorElements(region, ctx, unit), checked(unit) {}

  LogicalResult run() {
    if (!region.getFrom().empty() || !region.getTo().empty())
      return decline(region, "it computes a part of its box");
    if (failed(checkStorage()))
      return failure();
    SmallVector<Value> results;
    for (Operation &op : region.getBody().front()) {
      loc = op.getLoc();
      LogicalResult done = success();
      if (auto write = dyn_cast<stage::StorageWriteOpInterface>(op)) {
        // A reduction writes its own results.
        if (!tile::asReduction(write.getValue().getDefiningOp()))
          done = lowerWrite(write);
      } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
        done = lowerReduce(reduce);
      } else if (auto yield = dyn_cast<stage::YieldOp>(op)) {
        done = lowerYield(yield, results);
      } else if (tile::asReduction(&op) ||
                 (!isMemoryEffectFree(&op) &&
                  !isa<stage::StorageReadOpInterface>(op))) {
        // Only the results of tile.reduce are written where they are computed.
        done = lack(&op);
      }
      if (failed(done))
        return failure();
      if (!checked.problem.empty())
        return blame(checked.problem);
    }
    b.replaceOp(region, results);
    return success();
  }

  /// An error that names the target: what its unit does not keep.
  LogicalResult blame(const Twine &what) {
    const target::Target *target =
        target::TargetRegistry::get().find(ctx.options.name);
    std::string owner = target
                            ? target::describeTarget(*target, "vector unit of")
                            : "vector unit";
    return region.emitError() << owner << " " << what;
  }

private:
  /// Sinks follow each other, so none may read what another has overwritten.
  LogicalResult checkStorage() {
    auto root = [](Value storage) {
      Operation *op = storage.getDefiningOp();
      return op && op->getNumOperands() == 1 ? op->getOperand(0) : storage;
    };
    DenseSet<Value> written;
    int sinks = 0;
    for (Operation &op : region.getBody().front()) {
      sinks += (tile::asReduction(&op) || isa<stage::YieldOp>(op)) &&
               op.getNumOperands();
      if (auto write = dyn_cast<stage::StorageWriteOpInterface>(op)) {
        written.insert(root(write.getStorage()));
        ++sinks;
      }
    }
    for (auto read : region.getBody().getOps<stage::StorageReadOpInterface>())
      if (sinks > 1 && written.contains(root(read.getStorage())))
        return decline(read, "the region writes what it reads");
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  using Body = llvm::function_ref<LogicalResult(Point &)>;

  /// Calls `body` for every element of a shape, with as many lanes along one
  /// dimension (-1: none) as there are.
  LogicalResult nest(ArrayRef<int64_t> shape, int64_t lane, Body body,
                     Point point = {}) {
    int64_t d = point.values.size();
    OpBuilder::InsertionGuard guard(b);
    auto at = [&](Value value, int64_t lanes) {
      Point inner = point;
      inner.values.push_back(value);
      if (d == lane)
        inner.lane = d, inner.lanes = lanes;
      return nest(shape, lane, body, inner);
    };
    if (d == int64_t(shape.size()))
      return body(point);
    int64_t step = d == lane ? unit.lanes : 1, size = shape[d];
    int64_t whole = size / step * step;
    if (whole == step) {
      if (failed(at(index(0), step)))
        return failure();
    } else if (whole) {
      auto loop =
          scf::ForOp::create(b, loc, index(0), index(whole), index(step));
      b.setInsertionPoint(loop.getBody()->getTerminator());
      if (failed(at(loop.getInductionVar(), step)))
        return failure();
      b.setInsertionPointAfter(loop);
    }
    return whole == size ? success() : at(index(whole), size - whole);
  }

  /// The last dimension that has more than one element.
  static int64_t laneOf(ArrayRef<int64_t> shape) {
    int64_t lane = int64_t(shape.size()) - 1;
    while (lane > 0 && shape[lane] == 1)
      --lane;
    return lane;
  }

  SmallVector<AffineExpr> identity(int64_t rank) {
    SmallVector<AffineExpr> coords;
    for (int64_t d = 0; d < rank; ++d)
      coords.push_back(dim(d));
    return coords;
  }

  //===--------------------------------------------------------------------===//
  // Sinks
  //===--------------------------------------------------------------------===//

  LogicalResult lowerWrite(stage::StorageWriteOpInterface write) {
    auto shape = cast<RankedTensorType>(write.getValue().getType()).getShape();
    return nest(shape, laneOf(shape), [&](Point &point) {
      auto coords = identity(shape.size());
      FailureOr<Value> value = evaluate(write.getValue(), coords, point);
      return failed(value) ? failure()
                           : store(*value, write.getStorage(),
                                   write.getOrigin(), coords, point);
    });
  }

  /// Scalars that were computed before, or one element each.
  LogicalResult lowerYield(stage::YieldOp yield, SmallVector<Value> &results) {
    for (Value value : yield.getValues()) {
      Point point;
      SmallVector<AffineExpr> coords;
      Value tile = value;
      if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
        tile = extract.getTensor();
        coords = identity(extract.getIndices().size());
        point.values.append(extract.getIndices().begin(),
                            extract.getIndices().end());
      }
      auto type = dyn_cast<RankedTensorType>(tile.getType());
      if (Value scalar = scalars.lookup(tile)) {
        results.push_back(scalar);
        continue;
      }
      if (!type || type.getEncoding())
        return decline(yield, "it yields what is no scalar");
      FailureOr<Value> lanes = evaluate(tile, coords, point);
      if (failed(lanes))
        return failure();
      results.push_back(unit.first(*lanes));
    }
    return success();
  }

  LogicalResult lowerReduce(tile::ReduceOp reduce) {
    auto type = cast<RankedTensorType>(reduce.getSources()[0].getType());
    int64_t axis = reduce.getAxis(), rank = type.getRank();
    SmallVector<int64_t> kept(type.getShape());
    int64_t size = type.getDimSize(axis);
    kept.erase(kept.begin() + axis);
    // Lanes go along a dimension that stays, else along the one that goes.
    int64_t lane = laneOf(kept);
    bool isAlong = !reduce.getOrdered() && axis == rank - 1;
    return nest(kept, isAlong ? -1 : lane, [&](Point &point) {
      SmallVector<AffineExpr> coords = identity(rank - 1);
      coords.insert(coords.begin() + axis, dim(rank - 1));
      auto at = [&](Value value, int64_t lanes) {
        Point inner = point;
        inner.values.push_back(value);
        if (isAlong)
          inner.lane = rank - 1, inner.lanes = lanes;
        return inner;
      };
      auto read = [&](Value value, int64_t lanes) {
        Point inner = at(value, lanes);
        return evaluateAll(reduce.getSources(), coords, inner);
      };
      FailureOr<SmallVector<Value>> sums =
          isAlong ? foldLanes(reduce, size, read) : fold(reduce, 1, size, read);
      return failed(sums) ? failure() : deliver(reduce, *sums, point);
    });
  }

  using Read =
      llvm::function_ref<FailureOr<SmallVector<Value>>(Value, int64_t)>;

  /// Combines what is read at 0, step, ... one after the other.
  FailureOr<SmallVector<Value>> fold(tile::ReduceOp reduce, int64_t step,
                                     int64_t end, Read read) {
    FailureOr<SmallVector<Value>> first = read(index(0), step);
    if (failed(first) || end <= step)
      return first;
    auto loop = scf::ForOp::create(b, loc, index(step), index(end), index(step),
                                   *first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    auto next = read(loop.getInductionVar(), step);
    if (failed(next))
      return failure();
    auto both = combine(reduce, loop.getRegionIterArgs(), *next);
    if (failed(both))
      return failure();
    scf::YieldOp::create(b, loc, *both);
    return SmallVector<Value>(loop.getResults());
  }

  /// Whole vectors first, then their lanes with each other, then the rest.
  FailureOr<SmallVector<Value>> foldLanes(tile::ReduceOp reduce, int64_t size,
                                          Read read) {
    int64_t whole = size / unit.lanes * unit.lanes;
    FailureOr<SmallVector<Value>> sums, rest;
    if (whole) {
      sums = fold(reduce, unit.lanes, whole, read);
      if (failed(sums) || failed(sums = halve(reduce, *sums, unit.lanes)))
        return failure();
    }
    if (whole == size)
      return sums;
    rest = read(index(whole), size - whole);
    if (failed(rest) || failed(rest = halve(reduce, *rest, size - whole)))
      return failure();
    return whole ? combine(reduce, *sums, *rest) : rest;
  }

  FailureOr<SmallVector<Value>>
  halve(tile::ReduceOp reduce, SmallVector<Value> values, int64_t lanes) {
    auto slice = [&](int64_t first, int64_t count) {
      SmallVector<Value> parts;
      for (Value value : values)
        parts.push_back(unit.slice(
            VectorType::get(count, getElementTypeOrSelf(value)), value, first));
      return parts;
    };
    if (lanes == 1)
      return values;
    int64_t half = lanes / 2;
    auto both = combine(reduce, slice(0, half), slice(half, half));
    if (failed(both) || failed(both = halve(reduce, *both, half)))
      return failure();
    return lanes % 2 ? combine(reduce, *both, slice(lanes - 1, 1)) : both;
  }

  /// The combiner on lanes.
  FailureOr<SmallVector<Value>> combine(tile::ReduceOp reduce, ValueRange left,
                                        ValueRange right) {
    Block &block = reduce.getCombiner().front();
    int64_t lanes = cast<VectorType>(left[0].getType()).getNumElements();
    IRMapping mapping;
    mapping.map(block.getArguments().take_front(left.size()), left);
    mapping.map(block.getArguments().drop_front(left.size()), right);
    auto get = [&](Value value) {
      if (!mapping.contains(value))
        mapping.map(value, unit.splat(lanesOf(value, lanes), value));
      return mapping.lookup(value);
    };
    for (Operation &op : block.without_terminator()) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        mapping.map(constant.getResult(), numbers(constant.getValue(), lanes));
        continue;
      }
      if (!isFunction(&op))
        return lack(&op);
      for (Value operand : op.getOperands())
        get(operand);
      Operation *made = b.clone(op, mapping);
      made->getResult(0).setType(lanesOf(op.getResult(0), lanes));
    }
    SmallVector<Value> results;
    for (Value value : block.getTerminator()->getOperands())
      results.push_back(get(value));
    return results;
  }

  /// Puts what a reduction gives where the region says.
  LogicalResult deliver(tile::ReduceOp reduce, ArrayRef<Value> sums,
                        Point &point) {
    for (auto [result, sum] : llvm::zip(reduce.getResults(), sums))
      for (Operation *user : result.getUsers()) {
        if (auto write = dyn_cast<stage::StorageWriteOpInterface>(user)) {
          auto rank = cast<RankedTensorType>(result.getType()).getRank();
          if (failed(store(sum, write.getStorage(), write.getOrigin(),
                           identity(rank), point)))
            return failure();
        } else if (isa<stage::YieldOp>(user) && point.values.empty()) {
          scalars[result] = unit.first(sum);
        } else {
          return decline(user, "it needs the result of a reduction");
        }
      }
    return success();
  }

  CheckedUnit &checked;
  DenseMap<Value, Value> scalars; ///< that reductions gave
};

} // namespace

LogicalResult kiln::staging::lowerRegion(stage::ComputeOp region,
                                         RegionContext &ctx, VectorUnit &unit) {
  // What was made for a region that cannot be done goes again.
  Operation *before = region->getPrevNode();
  ctx.rewriter.setInsertionPoint(region);
  Operation *op = region;
  CheckedUnit checked(unit);
  RegionLowering lowering(region, ctx, checked);
  if (unit.lanes < 1)
    return lowering.blame("has " + Twine(unit.lanes) +
                          " lanes, expected at least 1");
  if (succeeded(lowering.run()))
    return success();
  while (op->getPrevNode() != before)
    ctx.rewriter.eraseOp(op->getPrevNode());
  return failure();
}
