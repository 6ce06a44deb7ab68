//===- Fourier.cpp - Discrete Fourier transforms of tiles -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FourierLines.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/FourierOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// The lowering of one operation.
class TileFourier {
public:
  TileFourier(tile::FourierOp op, KernelEmitter &e)
      : op(op), e(e), axis(op.getAxis()),
        length(fourierLength(op.getSources().getTypes(),
                             op.getResults().getTypes(), axis)),
        isInverse(op.getInverse()),
        lines(e, cast<RankedTensorType>(op.getSources()[0].getType())
                     .getElementType()) {}

  void run();

private:
  /// The line or the columns that begin at an offset of sources and of results.
  void transform(Value from, Value to);
  void transformColumns(const Plane &from, const Plane &to, int64_t width);
  /// One column after the other, where a factor is too long for columns.
  void copyColumns(const Plane &from, const Plane &to, int64_t width);
  void transformLine(const Plane &from, const Plane &to);
  /// As many neighbouring lines as a register has elements, as its columns.
  void transformTogether(Value from, Value to);
  /// How many of the lines along the last dimension are columns of registers.
  int64_t linesTogether();
  Plane planeOf(ArrayRef<TileBuffer> parts, Value offset);
  /// Where sources and results lie, both parts of a number at the same offset.
  void placeSources();
  void placeResults();
  void defineResults();

  bool isRealSource() const { return sources.size() == 1; }
  bool isRealResult() const { return results.size() == 1; }

  tile::FourierOp op;
  KernelEmitter &e;
  int64_t axis, length;
  bool isInverse;
  FourierLines lines;
  SmallVector<TileBuffer, 2> sources, results;
  /// Where the second result belongs, if that is not where it is computed.
  std::optional<TileBuffer> secondResult;
};
} // namespace

Plane TileFourier::planeOf(ArrayRef<TileBuffer> parts, Value offset) {
  Type element = parts.front().elementType;
  Plane plane;
  plane.re = e.gep(parts.front().base, offset, element);
  if (parts.size() > 1)
    plane.im = e.gep(parts.back().base, offset, element);
  plane.row = parts.front().strides[axis];
  return plane;
}

void TileFourier::transformLine(const Plane &from, const Plane &to) {
  if (isRealSource())
    lines.realLine(from, to, length, isInverse);
  else if (isRealResult())
    lines.lineToReal(from, to, length, isInverse);
  else
    lines.line(from, to, length, isInverse);
}

void TileFourier::copyColumns(const Plane &from, const Plane &to,
                              int64_t width) {
  Plane source = lines.scratch(length), target = lines.scratch(length);
  if (!from.im)
    source.im = Value();
  if (!to.im)
    target.im = Value();
  int64_t given = sources.front().shape[axis],
          wanted = results.front().shape[axis];
  lines.forEach(width, [&](Value column) {
    auto at = [&](const Plane &plane, Value row) {
      return e.add(e.mul(row, e.c64(plane.row)), column);
    };
    lines.forEach(given, [&](Value row) {
      lines.store(lines.load(from, at(from, row), 1), source, row);
    });
    transformLine(source, target);
    lines.forEach(wanted, [&](Value row) {
      lines.store(lines.load(target, row, 1), to, at(to, row));
    });
  });
}

void TileFourier::transformColumns(const Plane &from, const Plane &to,
                                   int64_t width) {
  if (!FourierLines::hasSmallFactors(length))
    return copyColumns(from, to, width);
  if (!isRealSource() && !isRealResult())
    return lines.columns(from, to, length, width, isInverse);
  Plane all = lines.scratch(length * width);
  all.row = width;
  int64_t half = length / 2;
  auto at = [&](const Plane &plane, Value row, Value column) {
    return e.add(e.mul(row, e.c64(plane.row)), column);
  };
  auto copy = [&](const Plane &source, const Plane &target, int64_t rows) {
    lines.forEach(rows, [&](Value row) {
      lines.forVectors(width, [&](Value column, int64_t lanes) {
        lines.store(lines.load(source, at(source, row, column), lanes), target,
                    at(target, row, column));
      });
    });
  };
  if (isRealSource()) {
    lines.columns(from, all, length, width, isInverse);
    return copy(all, to, half + 1);
  }
  // The others are conjugates; what is its own has no imaginary part.
  Plane whole = lines.scratch(length * width);
  whole.row = width;
  copy(from, whole, half + 1); // also what has no conjugate of its own
  Butterflies make(e.b, e.loc, isInverse);
  lines.forEach((length - 1) / 2, [&](Value row) {
    Value source = e.add(row, e.c64(1)), target = e.sub(e.c64(length), source);
    lines.forVectors(width, [&](Value column, int64_t lanes) {
      Complex x =
          make.spread(lines.load(from, at(from, source, column), lanes));
      lines.store(x, whole, at(whole, source, column));
      lines.store(make.conj(x), whole, at(whole, target, column));
    });
  });
  for (int64_t row : {int64_t(0), half})
    if (2 * row % length == 0)
      lines.forVectors(width, [&](Value column, int64_t lanes) {
        lines.storePart(
            e.broadcastLanes(e.zeroOf(sources[0].elementType), lanes), whole.im,
            at(whole, e.c64(row), column));
      });
  lines.columns(whole, all, length, width, isInverse);
  copy({all.re, Value(), all.row}, to, length);
}

void TileFourier::transform(Value from, Value to) {
  Plane source = planeOf(sources, from), target = planeOf(results, to);
  int64_t last = int64_t(sources.front().shape.size()) - 1;
  if (axis == last)
    transformLine(source, target);
  else
    transformColumns(source, target, sources.front().shape[last]);
}

int64_t TileFourier::linesTogether() {
  const SmallVector<int64_t> &shape = sources.front().shape;
  int64_t rank = int64_t(shape.size());
  // A line of real numbers is one of half as many pairs.
  bool isHalved = length % 2 == 0 && (isRealSource() || isRealResult());
  if (rank < 2 || axis != rank - 1 || !FourierLines::hasSmallFactors(length) ||
      !lines.isNarrow(isHalved ? length / 2 : length))
    return 0;
  return shape[rank - 2] / lines.lanes() * lines.lanes();
}

void TileFourier::transformTogether(Value from, Value to) {
  int64_t width = lines.lanes();
  auto columns = [&](Plane &rows, const TileBuffer &part) {
    rows.row = part.strides[axis - 1];
    Plane made = lines.scratch(part.shape[axis] * width);
    made.row = width;
    if (!rows.im)
      made.im = Value();
    return made;
  };
  Plane source = planeOf(sources, from), target = planeOf(results, to);
  Plane given = columns(source, sources.front()),
        made = columns(target, results.front());
  lines.transposed(source, given, width, sources.front().shape[axis]);
  transformColumns(given, made, width);
  lines.transposed(made, target, results.front().shape[axis], width);
}

/// Whether the elements of two tiles of one shape lie at the same offsets.
static bool liesAlike(const TileBuffer &one, const TileBuffer &other) {
  return llvm::all_of(llvm::zip_equal(one.shape, one.strides, other.strides),
                      [](auto dimension) {
                        auto [size, left, right] = dimension;
                        return size == 1 || left == right;
                      });
}

/// Memory for a tile whose elements lie as those of another one do: storage
/// that the region writes may have longer rows than temporary memory.
static TileBuffer memoryAlike(KernelEmitter &e, const TileBuffer &other) {
  TileBuffer buffer = other;
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(buffer.shape, buffer.strides))
    elements += (size - 1) * stride;
  buffer.base =
      e.temporary(elements * NestBuilder::storageBytes(buffer.elementType));
  return buffer;
}

void TileFourier::placeSources() {
  for (Value source : op.getSources()) {
    TileBuffer buffer = e.materialize(source);
    if (!sources.empty() && !liesAlike(sources[0], buffer)) {
      buffer = memoryAlike(e, sources[0]);
      e.fill(buffer, source, /*mayOverrun=*/false);
    }
    sources.push_back(buffer);
  }
}

void TileFourier::placeResults() {
  for (Value result : op.getResults())
    results.push_back(e.resultBuffer(result));
  if (isRealResult() || liesAlike(results[0], results[1]))
    return;
  if (op.getResults()[0].use_empty()) {
    results[0] = memoryAlike(e, results[1]);
    return;
  }
  secondResult = results[1];
  results[1] = memoryAlike(e, results[0]);
}

void TileFourier::defineResults() {
  for (auto [result, buffer] : llvm::zip(op.getResults(), results))
    e.define(result, buffer);
  Value last = op.getResults().back();
  if (!secondResult || last.use_empty())
    return;
  e.fill(*secondResult, last, /*mayOverrun=*/false);
  e.define(last, *secondResult);
}

void TileFourier::run() {
  placeSources();
  placeResults();
  e.freshLevels();
  // The others are looped over: columns lie along the last dimension.
  int64_t rank = sources.front().shape.size(), together = linesTogether(),
          width = lines.lanes();
  auto placeOf = [&](const TileBuffer &part, Value base, int64_t d, Value at) {
    return e.add(base, e.mul(at, e.c64(part.strides[d])));
  };
  std::function<void(int64_t, Value, Value)> descend =
      [&](int64_t d, Value from, Value to) {
        if (d == rank)
          return transform(from, to);
        if (d == axis || d == rank - 1)
          return descend(d + 1, from, to);
        int64_t done = d == rank - 2 ? together : 0;
        if (done)
          lines.forEach(done / width, [&](Value group) {
            Value at = e.mul(group, e.c64(width));
            transformTogether(placeOf(sources.front(), from, d, at),
                              placeOf(results.front(), to, d, at));
          });
        if (done == sources.front().shape[d])
          return;
        lines.forEach(sources.front().shape[d] - done, [&](Value line) {
          Value at = e.add(line, e.c64(done));
          descend(d + 1, placeOf(sources.front(), from, d, at),
                  placeOf(results.front(), to, d, at));
        });
      };
  descend(0, e.c64(0), e.c64(0));
  defineResults();
}

static LogicalResult lowerFourier(tile::FourierOp op, KernelEmitter &e) {
  TileFourier(op, e).run();
  return success();
}

void cpu::addFourierLowerings(LoweringTable &table) {
  table.add<tile::FourierOp>(lowerFourier);
}
