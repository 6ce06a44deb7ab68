//===- NestRows.cpp - The rows of a loop nest -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the rows of a tile and over the vectors of a row: how many rows
// and vectors are computed together, and what is done at the end of a row.
//
//===----------------------------------------------------------------------===//

#include "NestBuilder.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

int Nest::rowDim() const {
  for (int d = int(shape.size()); d-- > 0;)
    if (d != laneDim && d != innerDim)
      return d;
  return -1;
}

Bounds NestBuilder::rangeOf(const Nest &nest, int dim) {
  Bounds range = nest.ranges.empty() ? Bounds() : nest.ranges[dim];
  if (!bounds.ranges.empty() && llvm::equal(bounds.box, nest.shape)) {
    const Bounds &given = bounds.ranges[dim];
    if (given.lo)
      range.lo = range.lo ? maximum(range.lo, given.lo) : given.lo;
    if (given.hi)
      range.hi = range.hi ? minimum(range.hi, given.hi) : given.hi;
  }
  return Bounds{range.lo ? range.lo : c64(0),
                range.hi ? range.hi : c64(nest.shape[dim])};
}

/// Whether rows may be longer than a vector and end within one, which may begin
/// before the end of the one before it.
static bool leavesRest(const Nest &nest, const Bounds &range) {
  if (!nest.mayRepeat || nest.lanes == 1)
    return false;
  auto lo = getConstantIntValue(range.lo), hi = getConstantIntValue(range.hi);
  int64_t most = lo && hi ? *hi - *lo : nest.shape[nest.laneDim];
  return most > nest.lanes && !(lo && hi && most % nest.lanes == 0);
}

/// Sets the range of a row's lane dimension, and of it what is in bounds: `ok`
/// is where accesses are, in a row that is in bounds itself where `fastRow`
/// (null: always) holds.
static void boundLanes(NestBuilder &b, const Nest &nest, const Bounds &ok,
                       Value fastRow, RowBlock &block) {
  Value zero = b.c64(0);
  if (nest.laneDim < 0) {
    block.begin = block.fastBegin = block.fastEnd = zero;
    block.end = b.c64(1);
    return;
  }
  Bounds range = b.rangeOf(nest, nest.laneDim);
  block.begin = block.fastBegin = block.fastEnd = range.lo;
  block.end = range.hi;
  block.isWhole = block.lanesEnd = nullptr;
  if (nest.neverFast)
    return;
  Value end = range.hi;
  if (nest.overrun)
    end = b.c64(llvm::alignTo(nest.shape[nest.laneDim], nest.lanes));
  Value limit = ok.hi ? b.minimum(end, ok.hi) : end;
  if (ok.lo && nest.mayBeginLate) {
    // Whole vectors from the start of the row, of which some are too early.
    Value early = b.maximum(b.sub(ok.lo, range.lo), zero);
    early = b.roundDown(b.add(early, b.c64(nest.lanes - 1)), nest.lanes);
    block.fastBegin = b.minimum(b.add(range.lo, early), end);
  } else if (ok.lo) {
    fastRow = b.conjunction(
        fastRow, b.compare(arith::CmpIPredicate::sle, ok.lo, range.lo));
  }
  Value whole =
      b.roundDown(b.maximum(b.sub(limit, block.fastBegin), zero), nest.lanes);
  block.fastEnd = b.add(block.fastBegin, whole);
  if (leavesRest(nest, range))
    block.isWhole = b.conjunction(
        fastRow,
        b.conjunction(
            ok.hi ? b.compare(arith::CmpIPredicate::sge, ok.hi, range.hi)
                  : Value(),
            b.compare(arith::CmpIPredicate::sge,
                      b.sub(range.hi, block.fastBegin), b.c64(nest.lanes))));
  // Rows of windows that are partly outside have vectors without masks, too.
  if (fastRow && !ok.lo && nest.rows > 1 && !nest.hasJoined)
    block.lanesEnd = block.fastEnd;
  if (fastRow) {
    block.fastBegin = b.select(fastRow, block.fastBegin, range.lo);
    block.fastEnd = b.select(fastRow, block.fastEnd, range.lo);
  }
}

void NestBuilder::openRows(Nest &nest,
                           llvm::function_ref<void(const RowBlock &)> body) {
  int rank = nest.shape.size();
  Value zero = c64(0);
  SmallVector<Bounds> safe;
  Value condition = safeRanges(nest, safe);

  SmallVector<int> rows;
  for (int d = 0; d < rank; ++d)
    if (d != nest.laneDim && d != nest.innerDim)
      rows.push_back(d);
  if (nest.innerDim >= 0 && safe[nest.innerDim].hi) {
    const Bounds &range = safe[nest.innerDim];
    condition =
        conjunction(condition, compare(arith::CmpIPredicate::sge, range.hi,
                                       c64(nest.shape[nest.innerDim])));
    if (range.lo)
      condition = conjunction(
          condition, compare(arith::CmpIPredicate::sle, range.lo, zero));
  }

  RowBlock block;
  Point &point = block.first;
  point.lanes = nest.lanes;
  point.coords.resize(rank);
  auto atRows = [&](Value fastRow) {
    boundLanes(*this, nest, nest.laneDim < 0 ? Bounds() : safe[nest.laneDim],
               fastRow, block);
    body(block);
  };
  std::function<void(size_t, Value)> descend = [&](size_t depth,
                                                   Value fastRow) {
    if (depth == rows.size())
      return atRows(fastRow);
    int d = rows[depth];
    auto loop = [&](Value lo, Value hi, int64_t count) {
      forLoop(lo, hi, count, {}, false, [&](Coord iv, ValueRange) {
        point.coords[d] = iv;
        if (d == rows.back())
          block.count = count;
        Value ok = fastRow;
        if (safe[d].hi) {
          Coord last = iv;
          last.constant += count - 1;
          ok = conjunction(ok, compare(arith::CmpIPredicate::slt,
                                       coordValue(last), safe[d].hi));
          if (safe[d].lo)
            ok = conjunction(ok, compare(arith::CmpIPredicate::sge,
                                         coordValue(iv), safe[d].lo));
        }
        descend(depth + 1, ok);
        return SmallVector<Value>();
      });
    };
    Bounds range = rangeOf(nest, d);
    if (d == rows.back() && nest.rows > 1) {
      Value size = maximum(sub(range.hi, range.lo), zero);
      Value blocks = ceilDivPositive(sub(size, c64(nest.rows - 1)), nest.rows);
      Value whole = add(range.lo, mul(blocks, c64(nest.rows)));
      loop(range.lo, whole, nest.rows);
      range.lo = whole;
    }
    loop(range.lo, range.hi, 1);
  };
  descend(0, condition);
}

int64_t NestBuilder::sideBySide(const Nest &nest) const {
  bool isLong = nest.laneDim >= 0 &&
                nest.shape[nest.laneDim] >= 2 * kSideBySide * nest.lanes;
  return isLong ? kSideBySide : 1;
}

/// How many rows a nest may compute together that reads at so many places of so
/// many views.
static int64_t mostRows(int64_t places, int64_t views, int64_t registers) {
  // Each row of each view is a stream of memory of its own.
  constexpr int64_t kMostApart = 4, kMostNear = 8;
  if (places < 2 * views)
    return kMostApart;
  // Windows of neighbouring rows overlap. A row has one register for its result
  // and one for an element, which the row before it has at its next place.
  constexpr int64_t kOtherRegisters = 2;
  return std::clamp<int64_t>((registers - kOtherRegisters) / 2, 1, kMostNear);
}

int64_t NestBuilder::rowsTogether(const Nest &nest) const {
  constexpr int64_t kManyPlaces = 8;
  int dim = nest.rowDim();
  if (nest.laneDim < 0 || dim < 0 || nest.neverFast || nest.side > 1)
    return 1;
  int64_t size = nest.shape[dim], places = 0;
  llvm::SmallDenseSet<Value> views;
  for (const Access &access : nest.accesses) {
    if (!llvm::is_contained(access.dims, dim))
      continue;
    ++places;
    auto read = dyn_cast<ViewAccessOpInterface>(access.op);
    views.insert(read ? read.getAccessedView() : access.op->getResult(0));
  }
  if (places < kManyPlaces)
    return 1;
  // A row reads elements of its own, and those that all rows together share.
  auto readsOf = [&](int64_t rows) {
    int64_t single = size % rows;
    return double(size - single) * (1 + 1 / double(rows)) + 2 * double(single);
  };
  int64_t best = 1, most = mostRows(places, views.size(), config.registers);
  for (int64_t rows = 2; rows <= std::min(most, size); ++rows)
    if (readsOf(rows) < readsOf(best))
      best = rows;
  return best;
}

/// Orders operations that were emitted for one row after the other by turns, so
/// that the rows' chains of operations overlap, and a value that several rows
/// use is in a register for all of them.
static void takeTurns(ArrayRef<SmallVector<Operation *>> rows, Block *block,
                      Block::iterator end) {
  DenseSet<Operation *> waiting;
  for (ArrayRef<Operation *> row : rows)
    waiting.insert_range(row);
  auto isReady = [&](Operation *op) {
    bool ready = true;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        ready &= !waiting.contains(operand.getDefiningOp());
    });
    return ready;
  };
  // The first row depends on none of the others, so that each turn moves one.
  SmallVector<size_t> next(rows.size(), 0);
  while (!waiting.empty())
    for (auto [row, at] : llvm::zip_equal(rows, next)) {
      if (at == row.size() || !isReady(row[at]))
        continue;
      row[at]->moveBefore(block, end);
      waiting.erase(row[at++]);
    }
}

void NestBuilder::runRows(const RowBlock &rows, int rowDim, Point point,
                          Value count,
                          llvm::function_ref<void(Point, Value)> body) {
  if (rows.count == 1)
    return body(point, count);
  Block *block = b.getInsertionBlock();
  Block::iterator end = b.getInsertionPoint();
  SmallVector<SmallVector<Operation *>> emitted(rows.count);
  for (SmallVector<Operation *> &row : emitted) {
    Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
    body(point, count);
    ++point.coords[rowDim].constant;
    for (auto it = before ? std::next(before->getIterator()) : block->begin();
         it != end; ++it)
      row.push_back(&*it);
  }
  takeTurns(emitted, block, end);
}

void NestBuilder::runNest(Nest &nest,
                          llvm::function_ref<void(Point, Value)> body) {
  nest.mayBeginLate = nest.side == 1;
  openRows(nest, [&](const RowBlock &rows) {
    if (nest.laneDim < 0)
      return body(rows.first, nullptr);
    auto run = [&](Value from, Value to, int64_t lanes, bool fast) {
      forLoop(from, to, lanes, {}, fast, [&](Coord iv, ValueRange) {
        Point at = rows.first;
        at.lanes = lanes;
        at.coords[nest.laneDim] = iv;
        at.coords[nest.laneDim].lane = lanes > 1 ? 1 : 0;
        Value count;
        if (!fast && lanes > 1 && !areLanesInside)
          count = sub(rows.end, coordValue(iv));
        runRows(rows, nest.rowDim(), at, count, body);
        return SmallVector<Value>();
      });
    };
    Value begin = rows.fastBegin;
    run(rows.begin, begin, nest.lanes, false);
    if (nest.side > 1 && nest.lanes > 1 && rows.fastEnd != begin) {
      int64_t wide = nest.side * nest.lanes;
      Value size = maximum(sub(rows.fastEnd, begin), c64(0));
      begin = add(begin, roundDown(size, wide));
      run(rows.fastBegin, begin, wide, true);
    }
    run(begin, rows.fastEnd, nest.lanes, true);
    Value rest = rows.fastEnd;
    if (rows.isWhole) {
      // The last vector ends where the row does.
      Value repeats =
          conjunction(rows.isWhole, compare(arith::CmpIPredicate::slt,
                                            rows.fastEnd, rows.end));
      Value last = sub(rows.end, c64(nest.lanes));
      run(select(repeats, last, rows.end), rows.end, nest.lanes, true);
      rest = select(repeats, rows.end, rest);
    }
    if (rows.lanesEnd) {
      // Where the row is in bounds these are done.
      bool before = std::exchange(areLanesInside, true);
      run(rest, rows.lanesEnd, nest.lanes, false);
      areLanesInside = before;
      if (rows.lanesEnd == rows.end)
        return;
      rest = maximum(rest, rows.lanesEnd);
    }
    run(rest, rows.end, nest.lanes, false);
  });
}
