//===- Pack.cpp - Panels for register-blocked products --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pack.h"
#include "Machine.h"
#include "SmallFloats.h"
#include "kiln/Dialect/Stage/Places.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

void cpu::transposeRegisters(OpBuilder &b, Location loc,
                             SmallVector<Value> &rows, int64_t unit) {
  int64_t side = rows.size();
  int64_t lanes =
      cast<VectorType>(rows.front().getType()).getNumElements() / unit;
  for (int64_t w = 1; w < side; w *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t j = 0; j < lanes; ++j)
      for (int64_t u = 0; u < unit; ++u) {
        low.push_back((j & w ? lanes + j - w : j) * unit + u);
        high.push_back((j & w ? lanes + j : j + w) * unit + u);
      }
    for (int64_t i = 0; i < side; ++i) {
      if (i & w)
        continue;
      Value x = rows[i], y = rows[i + w];
      rows[i] = vector::ShuffleOp::create(b, loc, x, y, low);
      rows[i + w] = vector::ShuffleOp::create(b, loc, x, y, high);
    }
  }
}

/// The registers that hold, piece by piece, for each lane its elements of all
/// `rows` side by side. Pieces are of `piece` lanes.
static SmallVector<Value> interleavePieces(OpBuilder &b, Location loc,
                                           ArrayRef<Value> rows,
                                           int64_t piece) {
  auto type = cast<VectorType>(rows.front().getType());
  int64_t lanes = type.getNumElements();
  // For each row a list of registers, which are put together.
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t from = i / piece * piece + i % piece / 2 + i % 2 * lanes;
    low.push_back(from);
    high.push_back(from + piece / 2);
  }
  SmallVector<SmallVector<Value>> lists;
  for (Value row : rows)
    lists.push_back({row});
  for (; lists.size() > 1; lists.resize(lists.size() / 2)) {
    size_t half = lists.size() / 2;
    for (size_t u = 0; u < half; ++u) {
      SmallVector<Value> merged;
      for (auto [x, y] : llvm::zip(lists[u], lists[u + half])) {
        merged.push_back(vector::ShuffleOp::create(b, loc, x, y, low));
        merged.push_back(vector::ShuffleOp::create(b, loc, x, y, high));
      }
      lists[u] = std::move(merged);
    }
  }
  return lists.front();
}

/// The registers that hold, for each lane, its elements of all `rows` side by
/// side, from first to last. Null where this takes more than exchanging whole
/// pieces of 16 bytes after what machines do within them. Scalable registers
/// are interleaved as wholes.
static SmallVector<Value> interleaveRegisters(OpBuilder &b, Location loc,
                                              ArrayRef<Value> rows,
                                              bool isScalable) {
  constexpr int64_t kPieceBits = 128;
  auto type = cast<VectorType>(rows.front().getType());
  int64_t lanes = type.getNumElements(), count = rows.size(),
          piece = kPieceBits / type.getElementTypeBitWidth();
  if (isScalable)
    return interleavePieces(b, loc, rows, lanes);
  if (piece < count || lanes % piece)
    return {};
  int64_t pieces = lanes / piece;
  if (pieces > count || (pieces > 2 && pieces != count && count != 2))
    return {};
  SmallVector<Value> parts = interleavePieces(b, loc, rows, piece);
  // In wider elements, or code generators take all of it apart again.
  constexpr int64_t kUnitBits = 64;
  auto units = VectorType::get({pieces * kPieceBits / kUnitBits},
                               b.getIntegerType(kUnitBits));
  if (pieces > 1)
    for (Value &part : parts)
      part = LLVM::BitcastOp::create(b, loc, units, part);
  lanes = units.getNumElements(), piece = kPieceBits / kUnitBits;
  if (pieces == count && count > 2) {
    transposeRegisters(b, loc, parts, piece);
    return parts;
  }
  // Piece t of the whole is piece t / count of part t % count.
  SmallVector<Value> result;
  for (int64_t j = 0; j < count && pieces > 1; ++j) {
    int64_t x = j * pieces % count, y = (j * pieces + 1) % count;
    SmallVector<int64_t> mask;
    for (int64_t t = j * pieces; t < (j + 1) * pieces; ++t)
      for (int64_t u = 0; u < piece; ++u)
        mask.push_back((t % count == x ? 0 : lanes) + t / count * piece + u);
    result.push_back(
        vector::ShuffleOp::create(b, loc, parts[x], parts[y], mask));
  }
  return pieces > 1 ? result : parts;
}

/// Whether an expression is a sum of parts that depend on one dimension each.
static bool isSeparable(AffineExpr expr, unsigned numDims) {
  unsigned count = 0;
  for (unsigned d = 0; d < numDims; ++d)
    count += expr.isFunctionOfDim(d);
  if (count < 2)
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Mul)
    return isa<AffineConstantExpr>(binary.getRHS()) &&
           isSeparable(binary.getLHS(), numDims);
  return expr.getKind() == AffineExprKind::Add &&
         isSeparable(binary.getLHS(), numDims) &&
         isSeparable(binary.getRHS(), numDims);
}

std::optional<PanelPlace> cpu::panelPlaceOf(MemRefType type, bool isLeft,
                                            int64_t width) {
  std::optional<stage::Places> places = stage::Places::of(type);
  int rank = type.getRank();
  if (!places || rank < 2)
    return std::nullopt;
  PanelPlace form;
  form.panelDim = isLeft ? rank - 2 : rank - 1;
  form.stepDim = isLeft ? rank - 1 : rank - 2;
  for (int d = 0; d + 2 < rank; ++d)
    if (type.getDimSize(d) != 1)
      return std::nullopt;
  int64_t extent = type.getDimSize(form.panelDim);
  form.deepest = type.getDimSize(form.stepDim);
  // No storage holds more; each is looked at below.
  constexpr int64_t kMost = int64_t(1) << 20;
  if (extent > kMost || form.deepest > kMost)
    return std::nullopt;
  auto at = [&](int64_t r, int64_t k) {
    SmallVector<int64_t> coordinates(rank, 0);
    coordinates[form.panelDim] = r;
    coordinates[form.stepDim] = k;
    return places->at(coordinates);
  };
  while (form.group < form.deepest && at(0, form.group) == form.group)
    ++form.group;
  if (extent > 1 && at(1, 0) != form.group)
    form.group = 1;
  while (form.width < extent && at(form.width, 0) == form.width * form.group)
    ++form.width;
  if (form.group == form.deepest && form.width % width == 0)
    form.width = width;
  if (form.width == 1)
    form.group = 1;
  // What is right in the first row and the first column is right in all, then.
  AffineMap map = type.getLayout().getAffineMap();
  bool areAlike = llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return isSeparable(expr, map.getNumDims());
  });
  for (int64_t r = 0; r < extent; ++r)
    for (int64_t k = 0; k < (areAlike && r ? 1 : form.deepest); ++k) {
      int64_t inside = r % form.width, step = k % form.group;
      if (at(r, k) != (r - inside) * form.deepest + (k - step) * form.width +
                          inside * form.group + step)
        return std::nullopt;
    }
  return form;
}

Packer::Packer(NestBuilder &e, Value tile, const PanelPlace &place,
               int64_t granule)
    : e(e), b(e.b), tile(tile), group(place.group), granule(granule),
      width(place.width) {
  auto type = cast<RankedTensorType>(tile.getType());
  element = type.getElementType();
  // Whole registers end where the next row begins.
  if (int64_t whole = e.config.lanes(NestBuilder::storageBytes(element) * 8);
      place.keepsRows() && place.deepest % whole == 0) {
    rowStride = place.deepest;
    group = 1;
  }
  lanes = e.config.lanes(group * NestBuilder::storageBytes(element) * 8);
  int rank = type.getRank();
  batched = rank == 3;
  panelDim = place.panelDim;
  stepDim = place.stepDim;
  extent = type.getDimSize(panelDim);
  stepExtent = type.getDimSize(stepDim);
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  SmallVector<int> identity;
  for (int d = 0; d < rank; ++d)
    identity.push_back(nest.shape[d] == 1 ? kZero : d);
  e.collect(tile, identity, nest);
  always = e.safeRanges(nest, safe);
  SmallVector<double> scores(rank, 0.0);
  e.scoreLanes(tile, identity, scores, nest.shape);
  alongPanel = scores[panelDim] <= scores[stepDim] && width > 1 &&
               (lanes > 1 || group == 1) && !rowStride;
  // Lanes along a dimension of one element would read past it.
  if (type.getDimSize(alongPanel ? panelDim : stepDim) == 1)
    nest.neverFast = true;
}

Point Packer::pointAt(Coord batch, Coord start, Coord step) const {
  Point point;
  point.coords.resize(nest.shape.size());
  if (batched)
    point.coords[0] = batch;
  point.coords[panelDim] = start;
  point.coords[stepDim] = step;
  return point;
}

Value Packer::condition(Coord batch, Coord start, Value last) {
  Value ok = always;
  auto atLeast = [&](Value x, Value y) {
    ok = e.conjunction(ok, e.compare(arith::CmpIPredicate::sge, x, y));
  };
  if (batched && safe[0].hi) {
    atLeast(safe[0].hi, e.add(e.coordValue(batch), e.c64(1)));
    if (safe[0].lo)
      atLeast(e.coordValue(batch), safe[0].lo);
  }
  if (safe[panelDim].hi) {
    atLeast(safe[panelDim].hi, last);
    if (safe[panelDim].lo)
      atLeast(e.coordValue(start), safe[panelDim].lo);
  }
  return ok;
}

bool Packer::isScalable() const {
  return bool(extraOf(b.getInsertionBlock()->getParentOp(), "vscale"));
}

void Packer::store(Value value, Value place, int64_t index) {
  LLVM::StoreOp::create(b, e.loc, value, e.gep(place, e.c64(index), element),
                        NestBuilder::storageBytes(element));
}

void Packer::packAlongPanel(Coord batch, Coord start, Coord from, Coord step,
                            Value place) {
  Value row = e.gep(place, e.mul(e.coordValue(step), e.c64(width)), element);
  // Elements as they are fill whole registers.
  int64_t bits = 8 * NestBuilder::storageBytes(element);
  int64_t lanes = this->lanes, widest = e.config.lanes(bits);
  if (group > 1 && width % widest == 0 && e.widestBits(tile) <= bits)
    lanes = widest;
  for (int64_t j = 0; j < width; j += lanes) {
    Coord column = start;
    column.constant += j;
    column.lane = lanes > 1 ? 1 : 0;
    SmallVector<Value> steps;
    for (int64_t u = 0; u < group; ++u) {
      Coord k = e.sum(from, step);
      k.constant += u;
      // What is read behind the tile is replaced by zeros later.
      if (u && stepExtent % group)
        k = e.clampBelow(k, stepExtent);
      Point point = pointAt(batch, column, k);
      point.lanes = lanes;
      steps.push_back(e.evaluateLanes(tile, point));
    }
    if (lanes != this->lanes)
      if (auto whole = interleaveRegisters(b, e.loc, steps, isScalable());
          !whole.empty()) {
        for (auto [i, value] : llvm::enumerate(whole))
          store(value, row, j * group + i * lanes);
        continue;
      }
    while (steps.size() > 1) {
      SmallVector<Value> pairs;
      for (size_t u = 0; u < steps.size() / 2; ++u)
        pairs.push_back(vector::InterleaveOp::create(
            b, e.loc, steps[u], steps[u + steps.size() / 2]));
      steps = std::move(pairs);
    }
    store(steps.front(), row, j * group);
  }
}

void Packer::packAlongSteps(Coord batch, Coord start, Coord from, Coord step,
                            Coord first, int64_t count, Value place) {
  Coord k = e.sum(from, step);
  k.lane = lanes * group > 1 ? 1 : 0;
  Value row = e.gep(
      place, e.mul(e.coordValue(step), e.c64(rowStride ? 1 : width)), element);
  if (!first.isZero())
    row = e.gep(
        row, e.mul(e.coordValue(first), e.c64(rowStride ? rowStride : group)),
        element);
  Coord begin = e.sum(start, first);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < count; ++i) {
    Coord at = begin;
    at.constant += i;
    // Rows past the tile repeat its last one; nobody reads their products.
    if (extent % width)
      at = e.clampBelow(at, extent);
    Point point = pointAt(batch, at, k);
    point.lanes = lanes * group;
    rows.push_back(e.evaluateLanes(tile, point));
  }
  if (rowStride) {
    for (auto [i, value] : llvm::enumerate(rows))
      store(value, row, int64_t(i) * rowStride);
    return;
  }
  if (width == 1 || lanes == 1)
    return store(rows[0], row, 0);
  int64_t side = llvm::PowerOf2Ceil(rows.size());
  rows.resize(side, rows.back());
  auto unit = b.getIntegerType(group * NestBuilder::storageBytes(element) * 8);
  if (group > 1)
    for (Value &value : rows)
      value = LLVM::BitcastOp::create(b, e.loc, VectorType::get({lanes}, unit),
                                      value);
  // Each lane's elements side by side are the columns one after the other.
  if (isScalable()) {
    rows = interleavePieces(b, e.loc, rows, lanes);
    for (int64_t s = 0; s < lanes; ++s) {
      Value column = rows[s * side / lanes];
      if (side < lanes)
        column = vector::ExtractStridedSliceOp::create(
            b, e.loc, column, {s * side % lanes}, {side}, {1});
      store(column, row, s * width * group);
    }
    return;
  }
  transposeRegisters(b, e.loc, rows);
  for (int64_t s = 0; s < lanes; ++s) {
    Value column = rows[s % side];
    if (side < lanes)
      column = vector::ExtractStridedSliceOp::create(
          b, e.loc, column, {s / side * side}, {side}, {1});
    store(column, row, s * width * group);
  }
}

void Packer::fillUp(Value steps, Value place) {
  if (granule == 1)
    return;
  Value end = e.roundDown(e.add(steps, e.c64(granule - 1)), granule);
  e.forLoop(steps, end, 1, {}, false, [&](Coord step, ValueRange) {
    e.forLoop(e.c64(0), e.c64(width), 1, {}, false, [&](Coord at, ValueRange) {
      Value k = e.coordValue(step),
            first = rowStride ? e.c64(0) : e.roundDown(k, group);
      Value index =
          e.add(e.mul(first, e.c64(width)),
                e.mul(e.coordValue(at), e.c64(rowStride ? rowStride : group)));
      LLVM::StoreOp::create(
          b, e.loc, e.zeroOf(NestBuilder::storageType(element)),
          e.gep(place, e.add(index, e.sub(k, first)), element),
          NestBuilder::storageBytes(element));
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

/// A few rows at a time, whose lines stay in the nearest cache however far
/// apart they are.
void Packer::packFewRows(StepLoops steadily, Coord batch, Coord start,
                         Coord from, Value place) {
  auto pack = [&](Coord first, int64_t count) {
    steadily([&](Coord step) {
      packAlongSteps(batch, start, from, step, first, count, place);
    });
  };
  // The last ones first: what they write past the panel belongs to the first
  // ones of the next step.
  int64_t whole = llvm::alignDown(width, lanes);
  if (whole < width) {
    Coord rest;
    rest.constant = whole;
    pack(rest, width - whole);
  }
  // Exchanging rows for columns is much code: it is there once.
  e.forLoop(e.c64(0), e.c64(whole), lanes, {}, false,
            [&](Coord first, ValueRange) {
              pack(first, lanes);
              return SmallVector<Value>();
            });
}

void Packer::pack(Coord batch, Coord start, Coord from, Value steps,
                  Value place) {
  int64_t stride = alongPanel ? group : lanes * group;
  Value first = e.coordValue(start);
  Value last = alongPanel
                   ? e.add(first, e.c64(llvm::alignTo(width, lanes)))
                   : e.minimum(e.add(first, e.c64(width)), e.c64(extent));
  Value fast = e.c64(0);
  if (!nest.neverFast) {
    // Whole vectors may run past the last step, but not out of a view.
    Value end = e.roundDown(e.add(steps, e.c64(stride - 1)), stride);
    if (safe[stepDim].hi) {
      Value inside =
          e.maximum(e.sub(safe[stepDim].hi, e.coordValue(from)), e.c64(0));
      end = e.minimum(end, e.roundDown(inside, stride));
    }
    Value ok = condition(batch, start, last);
    if (safe[stepDim].lo)
      ok = e.conjunction(ok, e.compare(arith::CmpIPredicate::sge,
                                       e.coordValue(from), safe[stepDim].lo));
    fast = ok ? e.select(ok, end, e.c64(0)) : end;
  }
  auto steadily = [&](llvm::function_ref<void(Coord)> packStep) {
    for (bool inBounds : {true, false})
      e.forLoop(inBounds ? e.c64(0) : fast, inBounds ? fast : steps, stride, {},
                inBounds, [&](Coord step, ValueRange) {
                  packStep(step);
                  return SmallVector<Value>();
                });
  };
  if (alongPanel)
    steadily(
        [&](Coord step) { packAlongPanel(batch, start, from, step, place); });
  else
    packFewRows(steadily, batch, start, from, place);
  fillUp(steps, place);
}
