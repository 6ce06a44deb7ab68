//===- Scan.cpp - Scans, sorting and reading by index ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
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

LogicalResult KernelEmitter::emitScan(tile::ScanOp scan) {
  SmallVector<TileBuffer> sources, results;
  for (Value source : scan.getSources())
    sources.push_back(materialize(source));
  for (Value result : scan.getResults())
    results.push_back(resultBuffer(result));
  freshLevels();
  int64_t axis = scan.getAxis(), size = sources[0].shape[axis];
  Block &combiner = scan.getCombiner().front();
  unsigned bits = 8;
  for (TileBuffer &source : sources)
    bits = std::max(bits, source.elementType.getIntOrFloatBitWidth());
  int64_t lanes = config.vectorBits / bits;
  int64_t parts = size % (kScanParts * lanes) == 0 ? kScanParts : 1;
  forRows(*this, sources[0].shape, axis, [&](Point row) {
    auto at = [&](Coord step) {
      if (!scan.getReverse())
        return step;
      return computed(*this, sub(c64(size - 1), coordValue(step)));
    };
    auto read = [&](Coord coord) {
      SmallVector<Value> values;
      for (TileBuffer &source : sources)
        values.push_back(loadBuffer(source, withCoord(row, axis, coord)));
      return values;
    };
    auto write = [&](ValueRange values, Coord coord) {
      for (auto [value, result] : llvm::zip(values, results))
        storeBuffer(value, result, withCoord(row, axis, coord));
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
    prefixes =
        forLoop(c64(1), c64(part), 1, prefixes, false,
                [&](Coord step, ValueRange carried) {
                  SmallVector<Value> all;
                  for (int64_t p = 0; p < parts; ++p) {
                    Coord coord = step;
                    coord.constant += p * part;
                    coord = at(coord);
                    SmallVector<Value> next = combineWith(
                        combiner, carried.slice(p * count, count), read(coord));
                    write(next, coord);
                    llvm::append_range(all, next);
                  }
                  return all;
                });
    // Then it is combined with what is in front of it.
    SmallVector<Value> before(ArrayRef(prefixes).take_front(count));
    for (int64_t p = 1; p < parts; ++p) {
      SmallVector<Value> wide;
      for (Value value : before)
        wide.push_back(broadcastLanes(value, lanes));
      forLoop(c64(p * part), c64((p + 1) * part), lanes, {}, false,
              [&](Coord step, ValueRange) {
                Coord last = step;
                last.constant += lanes - 1;
                Coord coord = scan.getReverse() ? at(last) : step;
                coord.lane = 1;
                Point point = withCoord(row, axis, coord);
                point.lanes = lanes;
                SmallVector<Value> values;
                for (TileBuffer &result : results)
                  values.push_back(loadBuffer(result, point));
                values = combineWith(combiner, wide, values);
                for (auto [value, result] : llvm::zip(values, results))
                  storeBuffer(value, result, point);
                return SmallVector<Value>();
              });
      before = combineWith(combiner, before,
                           ArrayRef(prefixes).slice(p * count, count));
    }
  });
  for (auto [result, buffer] : llvm::zip(scan.getResults(), results))
    define(result, buffer);
  return success();
}

LogicalResult KernelEmitter::emitTake(tile::GatherOp take) {
  TileBuffer source = materialize(take.getSource());
  TileBuffer indices = materialize(take.getIndices());
  TileBuffer result = resultBuffer(take.getResult());
  freshLevels();
  int64_t axis = take.getAxis();
  forRows(*this, result.shape, axis, [&](Point row) {
    forLoop(
        c64(0), c64(result.shape[axis]), 1, {}, false,
        [&](Coord iv, ValueRange) {
          Point point = withCoord(row, axis, iv);
          Value index = loadBuffer(indices, point);
          if (index.getType().isIndex())
            index = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
          else if (!index.getType().isInteger(64))
            index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
          // An index outside is undefined; it must not leave the tile.
          index = maximum(minimum(index, c64(source.shape[axis] - 1)), c64(0));
          Value value =
              loadBuffer(source, withCoord(row, axis, computed(*this, index)));
          storeBuffer(value, result, point);
          return SmallVector<Value>();
        });
  });
  define(take.getResult(), result);
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

LogicalResult KernelEmitter::emitSort(tile::SortOp sort) {
  // Every element goes to its rank: the number of elements before it.
  TileBuffer source = materialize(sort.getSource());
  TileBuffer result = resultBuffer(sort.getResult());
  freshLevels();
  int64_t axis = sort.getAxis(), size = source.shape[axis];
  Type element = source.elementType;
  forRows(*this, source.shape, axis, [&](Point row) {
    forLoop(c64(0), c64(size), 1, {}, false, [&](Coord i, ValueRange) {
      Value x = loadBuffer(source, withCoord(row, axis, i));
      SmallVector<Value> rank = forLoop(
          c64(0), c64(size), 1, ValueRange{c64(0)}, false,
          [&](Coord j, ValueRange carried) {
            Value y = loadBuffer(source, withCoord(row, axis, j));
            // Equal elements keep their order.
            Value earlier = compare(arith::CmpIPredicate::slt, coordValue(j),
                                    coordValue(i));
            Value tied = arith::XOrIOp::create(
                b, loc, comesBefore(*this, element, x, y, sort.getDescending()),
                arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
            Value before = arith::OrIOp::create(
                b, loc, comesBefore(*this, element, y, x, sort.getDescending()),
                arith::AndIOp::create(b, loc, tied, earlier));
            Value one = arith::ExtUIOp::create(b, loc, b.getI64Type(), before);
            return SmallVector<Value>{add(carried[0], one)};
          });
      storeBuffer(x, result, withCoord(row, axis, computed(*this, rank[0])));
      return SmallVector<Value>();
    });
  });
  define(sort.getResult(), result);
  return success();
}

LogicalResult KernelEmitter::emitHistogram(tile::HistogramOp op) {
  TileBuffer source = materialize(op.getSource());
  TileBuffer mask = op.getMask() ? materialize(op.getMask()) : TileBuffer();
  TileBuffer result = resultBuffer(op.getResult());
  freshLevels();
  int64_t bins = result.shape[0];
  Value zero = zeroOf(storageType(result.elementType));
  forLoop(c64(0), c64(bins), 1, {}, false, [&](Coord bin, ValueRange) {
    Point point;
    point.coords.push_back(bin);
    storeBuffer(fromStorage(zero, result.elementType), result, point);
    return SmallVector<Value>();
  });
  forRows(*this, source.shape, /*axis=*/-1, [&](Point point) {
    Value index = loadBuffer(source, point);
    if (!index.getType().isInteger(64))
      index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
    Value enabled =
        conjunction(compare(arith::CmpIPredicate::sge, index, c64(0)),
                    compare(arith::CmpIPredicate::slt, index, c64(bins)));
    if (mask)
      enabled = conjunction(enabled, loadBuffer(mask, point));
    // Disabled elements add nothing to bin 0.
    Point bin;
    bin.coords.push_back(computed(*this, select(enabled, index, c64(0))));
    Value count = toStorage(loadBuffer(result, bin));
    Value one = arith::ExtUIOp::create(b, loc, count.getType(), enabled);
    storeBuffer(fromStorage(arith::AddIOp::create(b, loc, count, one),
                            result.elementType),
                result, bin);
  });
  define(op.getResult(), result);
  return success();
}

LogicalResult KernelEmitter::emitJoin(tile::JoinOp join) {
  TileBuffer sources[] = {materialize(join.getLhs()),
                          materialize(join.getRhs())};
  TileBuffer result = resultBuffer(join.getResult());
  freshLevels();
  forRows(*this, sources[0].shape, /*axis=*/-1, [&](Point point) {
    for (int64_t side : {0, 1}) {
      Point to = point;
      to.coords.push_back(Coord{Value(), side, 0, 0});
      storeBuffer(loadBuffer(sources[side], point), result, to);
    }
  });
  define(join.getResult(), result);
  return success();
}

LogicalResult KernelEmitter::emitSplit(tile::SplitOp split) {
  TileBuffer source = materialize(split.getSource());
  TileBuffer results[] = {resultBuffer(split.getFirst()),
                          resultBuffer(split.getSecond())};
  freshLevels();
  forRows(*this, results[0].shape, /*axis=*/-1, [&](Point point) {
    for (int64_t side : {0, 1}) {
      Point from = point;
      from.coords.push_back(Coord{Value(), side, 0, 0});
      storeBuffer(loadBuffer(source, from), results[side], point);
    }
  });
  define(split.getFirst(), results[0]);
  define(split.getSecond(), results[1]);
  return success();
}
