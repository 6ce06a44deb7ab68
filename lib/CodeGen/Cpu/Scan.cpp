//===- Scan.cpp - Scans, sorting and reading by index ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Loops over every dimension of `shape` but `axis`; `body` gets a point whose
/// coordinate along `axis` is unset.
void forRows(KernelEmitter &e, ArrayRef<int64_t> shape, int64_t axis,
             llvm::function_ref<void(Point)> body) {
  Point point;
  point.coords.resize(shape.size());
  std::function<void(size_t)> descend = [&](size_t d) {
    if (d == shape.size())
      return body(point);
    if (static_cast<int64_t>(d) == axis)
      return descend(d + 1);
    e.forLoop(e.c64(0), e.c64(shape[d]), 1, {}, false,
              [&](Coord iv, ValueRange) {
                point.coords[d] = iv;
                descend(d + 1);
                return SmallVector<Value>();
              });
  };
  descend(0);
}

Point withCoord(Point point, int64_t axis, Coord coord) {
  point.coords[axis] = coord;
  return point;
}

/// A coordinate computed here, at the current level.
Coord computed(KernelEmitter &e, Value index) {
  return Coord{index, 0, 0, e.currentLevel()};
}
} // namespace

/// What hides the latency of an addition.
static constexpr int64_t kScanParts = 4;

static LogicalResult lowerScan(tile::ScanOp scan, KernelEmitter &e) {
  SmallVector<TileBuffer> sources, results;
  for (Value source : scan.getSources())
    sources.push_back(e.materialize(source));
  for (Value result : scan.getResults())
    results.push_back(e.resultBuffer(result));
  e.freshLevels();
  int64_t axis = scan.getAxis(), size = sources[0].shape[axis];
  Block &combiner = scan.getCombiner().front();
  unsigned bits = 8;
  for (TileBuffer &source : sources)
    bits =
        std::max<unsigned>(bits, 8 * stage::elementBytes(source.elementType));
  // Machines without vectors have registers that are narrower than an i64.
  int64_t lanes = std::max<int64_t>(e.config.vectorBits / bits, 1);
  int64_t parts = size % (kScanParts * lanes) == 0 ? kScanParts : 1;
  forRows(e, sources[0].shape, axis, [&](Point row) {
    auto at = [&](Coord step) {
      if (!scan.getReverse())
        return step;
      Value last = e.c64(size - 1), distance = e.coordValue(step);
      return computed(e, e.sub(last, distance));
    };
    auto read = [&](Coord coord) {
      SmallVector<Value> values;
      for (TileBuffer &source : sources)
        values.push_back(e.loadBuffer(source, withCoord(row, axis, coord)));
      return values;
    };
    auto write = [&](ValueRange values, Coord coord) {
      for (auto [value, result] : llvm::zip(values, results))
        e.storeBuffer(value, result, withCoord(row, axis, coord));
    };
    // Each part has prefixes of its own first: several that do not wait for
    // each other.
    int64_t part = size / parts;
    unsigned count = sources.size();
    SmallVector<Value> prefixes;
    for (int64_t p = 0; p < parts; ++p) {
      Coord first{Value(), scan.getReverse() ? size - 1 - p * part : p * part,
                  0, 0};
      SmallVector<Value> values = read(first);
      write(values, first);
      llvm::append_range(prefixes, values);
    }
    prefixes = e.forLoop(e.c64(1), e.c64(part), 1, prefixes, false,
                         [&](Coord step, ValueRange carried) {
                           SmallVector<Value> all;
                           for (int64_t p = 0; p < parts; ++p) {
                             Coord coord = step;
                             coord.constant += p * part;
                             coord = at(coord);
                             SmallVector<Value> next = e.combineWith(
                                 combiner, carried.slice(p * count, count),
                                 read(coord));
                             write(next, coord);
                             llvm::append_range(all, next);
                           }
                           return all;
                         });
    // Then it is combined with what is in front of it.
    SmallVector<Value> before(ArrayRef<Value>(prefixes).take_front(count));
    for (int64_t p = 1; p < parts; ++p) {
      SmallVector<Value> wide;
      for (Value value : before)
        wide.push_back(e.broadcastLanes(value, lanes));
      e.forLoop(e.c64(p * part), e.c64((p + 1) * part), lanes, {}, false,
                [&](Coord step, ValueRange) {
                  Coord last = step;
                  last.constant += lanes - 1;
                  Coord coord = scan.getReverse() ? at(last) : step;
                  coord.lane = 1;
                  Point point = withCoord(row, axis, coord);
                  point.lanes = lanes;
                  SmallVector<Value> values;
                  for (TileBuffer &result : results)
                    values.push_back(e.loadBuffer(result, point));
                  values = e.combineWith(combiner, wide, values);
                  for (auto [value, result] : llvm::zip(values, results))
                    e.storeBuffer(value, result, point);
                  return SmallVector<Value>();
                });
      before = e.combineWith(combiner, before,
                             ArrayRef(prefixes).slice(p * count, count));
    }
  });
  for (auto [result, buffer] : llvm::zip(scan.getResults(), results))
    e.define(result, buffer);
  return success();
}

static LogicalResult lowerGather(tile::GatherOp take, KernelEmitter &e) {
  TileBuffer source = e.materialize(take.getSource());
  TileBuffer indices = e.materialize(take.getIndices());
  TileBuffer result = e.resultBuffer(take.getResult());
  e.freshLevels();
  int64_t axis = take.getAxis();
  forRows(e, result.shape, axis, [&](Point row) {
    e.forLoop(
        e.c64(0), e.c64(result.shape[axis]), 1, {}, false,
        [&](Coord iv, ValueRange) {
          Point point = withCoord(row, axis, iv);
          Value index = e.loadBuffer(indices, point);
          if (index.getType().isIndex())
            index =
                arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(), index);
          else if (!index.getType().isInteger(64))
            index = arith::ExtSIOp::create(e.b, e.loc, e.b.getI64Type(), index);
          // An index outside is undefined; it must not leave the tile.
          index = e.minimum(index, e.c64(source.shape[axis] - 1));
          index = e.maximum(index, e.c64(0));
          Value value =
              e.loadBuffer(source, withCoord(row, axis, computed(e, index)));
          e.storeBuffer(value, result, point);
          return SmallVector<Value>();
        });
  });
  e.define(take.getResult(), result);
  return success();
}

/// Whether x comes before y: smaller, or a number before NaN. Registers hold
/// narrow floats as their bits.
static Value comesBefore(KernelEmitter &e, Type element, Value x, Value y,
                         bool descending) {
  OpBuilder &b = e.b;
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return arith::CmpIOp::create(b, e.loc,
                                 descending ? arith::CmpIPredicate::sgt
                                            : arith::CmpIPredicate::slt,
                                 x, y);
  // As integers, in the order of IEEE 754: -0 is before +0.
  unsigned width = type.getWidth();
  Type integer = b.getIntegerType(width);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, e.loc,
                                     b.getIntegerAttr(integer, value));
  };
  Value most = constant(APInt::getSignedMaxValue(width));
  Value infinity =
      constant(APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt());
  struct Key {
    Value number, isNan;
  };
  auto keyOf = [&](Value v) -> Key {
    if (v.getType() != integer)
      v = arith::BitcastOp::create(b, e.loc, integer, v);
    Value signs =
        arith::ShRSIOp::create(b, e.loc, v, constant(APInt(width, width - 1)));
    Value flipped = arith::AndIOp::create(b, e.loc, signs, most);
    Value size = arith::AndIOp::create(b, e.loc, v, most);
    return {arith::XOrIOp::create(b, e.loc, v, flipped),
            arith::CmpIOp::create(b, e.loc, arith::CmpIPredicate::ugt, size,
                                  infinity)};
  };
  Key a = keyOf(x), c = keyOf(y);
  Value less = arith::CmpIOp::create(b, e.loc,
                                     descending ? arith::CmpIPredicate::sgt
                                                : arith::CmpIPredicate::slt,
                                     a.number, c.number);
  Value one = arith::ConstantOp::create(b, e.loc, b.getBoolAttr(true));
  Value isNumber = arith::XOrIOp::create(b, e.loc, a.isNan, one);
  Value ordered = arith::OrIOp::create(b, e.loc, less, c.isNan);
  return arith::AndIOp::create(b, e.loc, isNumber, ordered);
}

/// Whether x comes before y, or is equal to it and `earlier`.
static Value precedes(KernelEmitter &e, Type element, Value x, Value y,
                      Value earlier, bool descending) {
  Value isAfter = comesBefore(e, element, y, x, descending);
  Value yes = arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true));
  Value isNotAfter = arith::XOrIOp::create(e.b, e.loc, isAfter, yes);
  Value isBefore = comesBefore(e, element, x, y, descending);
  Value tied = arith::AndIOp::create(e.b, e.loc, isNotAfter, earlier);
  return arith::OrIOp::create(e.b, e.loc, isBefore, tied);
}

static LogicalResult lowerSort(tile::SortOp sort, KernelEmitter &e) {
  // Every element goes to its rank: the number of elements before it.
  TileBuffer source = e.materialize(sort.getSource());
  TileBuffer result = e.resultBuffer(sort.getResult());
  e.freshLevels();
  int64_t axis = sort.getAxis(), size = source.shape[axis];
  Type element = source.elementType;
  forRows(e, source.shape, axis, [&](Point row) {
    e.forLoop(e.c64(0), e.c64(size), 1, {}, false, [&](Coord i, ValueRange) {
      Value x = e.loadBuffer(source, withCoord(row, axis, i));
      SmallVector<Value> rank = e.forLoop(
          e.c64(0), e.c64(size), 1, ValueRange{e.c64(0)}, false,
          [&](Coord j, ValueRange carried) {
            Value y = e.loadBuffer(source, withCoord(row, axis, j));
            // Equal elements keep their order.
            Value other = e.coordValue(j), own = e.coordValue(i);
            Value earlier = e.compare(arith::CmpIPredicate::slt, other, own);
            Value before =
                precedes(e, element, y, x, earlier, sort.getDescending());
            Value one =
                arith::ExtUIOp::create(e.b, e.loc, e.b.getI64Type(), before);
            return SmallVector<Value>{e.add(carried[0], one)};
          });
      e.storeBuffer(x, result, withCoord(row, axis, computed(e, rank[0])));
      return SmallVector<Value>();
    });
  });
  e.define(sort.getResult(), result);
  return success();
}

/// Takes the best of what comes after the last one taken, one by one: few of
/// many are usual.
static LogicalResult lowerTopK(tile::TopKOp op, KernelEmitter &e) {
  TileBuffer source = e.materialize(op.getSource());
  TileBuffer values = e.resultBuffer(op.getValues());
  TileBuffer indices = e.resultBuffer(op.getIndices());
  e.freshLevels();
  int64_t axis = op.getAxis();
  Type element = source.elementType;
  // Whether x at i comes before y at j, elements of equal value by their
  // places.
  auto isBefore = [&](Value x, Value i, Value y, Value j) {
    Value earlier = e.compare(arith::CmpIPredicate::slt, i, j);
    return precedes(e, element, x, y, earlier, !op.getSmallest());
  };
  auto isNone = [&](Value place) {
    return e.compare(arith::CmpIPredicate::slt, place, e.c64(0));
  };
  forRows(e, source.shape, axis, [&](Point row) {
    Value first = e.loadBuffer(source, withCoord(row, axis, Coord{}));
    e.forLoop(
        e.c64(0), e.c64(values.shape[axis]), 1, ValueRange{first, e.c64(-1)},
        false, [&](Coord k, ValueRange last) {
          SmallVector<Value> best = e.forLoop(
              e.c64(0), e.c64(source.shape[axis]), 1,
              ValueRange{first, e.c64(-1)}, false,
              [&](Coord j, ValueRange carried) {
                Value y = e.loadBuffer(source, withCoord(row, axis, j));
                Value place = e.coordValue(j);
                Value isFirst = isNone(last[1]);
                Value isBehind = isBefore(last[0], last[1], y, place);
                Value isLeft =
                    arith::OrIOp::create(e.b, e.loc, isFirst, isBehind);
                Value hasNone = isNone(carried[1]);
                Value isAhead = isBefore(y, place, carried[0], carried[1]);
                Value isBetter =
                    arith::OrIOp::create(e.b, e.loc, hasNone, isAhead);
                Value takes =
                    arith::AndIOp::create(e.b, e.loc, isLeft, isBetter);
                return SmallVector<Value>{e.select(takes, y, carried[0]),
                                          e.select(takes, place, carried[1])};
              });
          e.storeBuffer(best[0], values, withCoord(row, axis, k));
          Value place = best[1];
          Type index = indices.elementType;
          if (index.isIndex())
            place = arith::IndexCastOp::create(e.b, e.loc, index, place);
          else if (!index.isInteger(64))
            place = arith::TruncIOp::create(e.b, e.loc, index, place);
          e.storeBuffer(place, indices, withCoord(row, axis, k));
          return best;
        });
  });
  e.define(op.getValues(), values);
  e.define(op.getIndices(), indices);
  return success();
}

static LogicalResult lowerHistogram(tile::HistogramOp op, KernelEmitter &e) {
  TileBuffer source = e.materialize(op.getSource());
  TileBuffer mask = op.getMask() ? e.materialize(op.getMask()) : TileBuffer();
  TileBuffer result = e.resultBuffer(op.getResult());
  e.freshLevels();
  int64_t bins = result.shape[0];
  Value zero = e.zeroOf(e.storageType(result.elementType));
  e.forLoop(e.c64(0), e.c64(bins), 1, {}, false, [&](Coord bin, ValueRange) {
    Point point;
    point.coords.push_back(bin);
    e.storeBuffer(e.fromStorage(zero, result.elementType), result, point);
    return SmallVector<Value>();
  });
  forRows(e, source.shape, /*axis=*/-1, [&](Point point) {
    Value index = e.loadBuffer(source, point);
    if (!index.getType().isInteger(64))
      index = arith::ExtSIOp::create(e.b, e.loc, e.b.getI64Type(), index);
    Value isAbove = e.compare(arith::CmpIPredicate::sge, index, e.c64(0));
    Value isBelow = e.compare(arith::CmpIPredicate::slt, index, e.c64(bins));
    Value enabled = e.conjunction(isAbove, isBelow);
    if (mask)
      enabled = e.conjunction(enabled, e.loadBuffer(mask, point));
    // Disabled elements add nothing to bin 0.
    Point bin;
    bin.coords.push_back(computed(e, e.select(enabled, index, e.c64(0))));
    Value count = e.toStorage(e.loadBuffer(result, bin));
    Value one = arith::ExtUIOp::create(e.b, e.loc, count.getType(), enabled);
    e.storeBuffer(e.fromStorage(arith::AddIOp::create(e.b, e.loc, count, one),
                                result.elementType),
                  result, bin);
  });
  e.define(op.getResult(), result);
  return success();
}

static LogicalResult lowerJoin(tile::JoinOp join, KernelEmitter &e) {
  TileBuffer sources[] = {e.materialize(join.getLhs()),
                          e.materialize(join.getRhs())};
  TileBuffer result = e.resultBuffer(join.getResult());
  e.freshLevels();
  forRows(e, sources[0].shape, /*axis=*/-1, [&](Point point) {
    for (int64_t side : {0, 1}) {
      Point to = point;
      to.coords.push_back(Coord{Value(), side, 0, 0});
      e.storeBuffer(e.loadBuffer(sources[side], point), result, to);
    }
  });
  e.define(join.getResult(), result);
  return success();
}

static LogicalResult lowerSplit(tile::SplitOp split, KernelEmitter &e) {
  TileBuffer source = e.materialize(split.getSource());
  TileBuffer results[] = {e.resultBuffer(split.getFirst()),
                          e.resultBuffer(split.getSecond())};
  e.freshLevels();
  forRows(e, results[0].shape, /*axis=*/-1, [&](Point point) {
    for (int64_t side : {0, 1}) {
      Point from = point;
      from.coords.push_back(Coord{Value(), side, 0, 0});
      e.storeBuffer(e.loadBuffer(source, from), results[side], point);
    }
  });
  e.define(split.getFirst(), results[0]);
  e.define(split.getSecond(), results[1]);
  return success();
}

void cpu::addScanLowerings(LoweringTable &table) {
  table.add<tile::ScanOp>(lowerScan);
  table.add<tile::GatherOp>(lowerGather);
  table.add<tile::HistogramOp>(lowerHistogram);
  table.add<tile::JoinOp>(lowerJoin);
  table.add<tile::SplitOp>(lowerSplit);
  table.add<tile::SortOp>(lowerSort);
  table.add<tile::TopKOp>(lowerTopK);
}
