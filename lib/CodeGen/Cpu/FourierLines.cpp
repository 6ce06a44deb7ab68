//===- FourierLines.cpp - Transforms of lines in memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of a b elements is a plane of a rows: the columns are transformed,
// turned by roots of unity and transposed, then the new columns are. So
// registers hold neighbouring elements in every pass.
//
//===----------------------------------------------------------------------===//

#include "FourierLines.h"
#include "Pack.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The factors of the passes of a length; empty if it has one that is too long.
static SmallVector<int64_t> passesOf(int64_t length) {
  SmallVector<int64_t> result;
  int64_t twos = llvm::countr_zero(uint64_t(length)), rest = length >> twos;
  for (; rest % 9 == 0; rest /= 9)
    result.push_back(9);
  for (int64_t factor = 3; factor <= FourierLines::kLongestFactor; factor += 2)
    for (; rest % factor == 0; rest /= factor)
      result.push_back(factor);
  if (rest > 1)
    return {};
  // Eights, and what is left in one pass.
  if (twos % 3 == 1 && twos > 3) {
    result.push_back(16);
    twos -= 4;
  } else if (twos % 3 == 1 && !result.empty() && result.back() < 8) {
    result.back() *= 2;
    twos -= 1;
  }
  if (twos % 3)
    result.push_back(int64_t(1) << twos % 3);
  result.append(twos / 3, 8);
  return result;
}

bool FourierLines::hasSmallFactors(int64_t length) {
  return length == 1 || !passesOf(length).empty();
}

int64_t FourierLines::lanesFor(int64_t width) const {
  return std::min<int64_t>(lanes(), int64_t(llvm::bit_floor(uint64_t(width))));
}

Plane FourierLines::scratch(int64_t elements) {
  int64_t bytes = elements * NestBuilder::storageBytes(element);
  Value re = e.temporary(bytes);
  return {re, e.temporary(bytes), 1};
}

void FourierLines::forEach(int64_t count,
                           llvm::function_ref<void(Value)> body) {
  e.forLoop(e.c64(0), e.c64(count), 1, {}, true, [&](Coord at, ValueRange) {
    body(e.coordValue(at));
    return SmallVector<Value>();
  });
}

void FourierLines::forVectors(int64_t width,
                              llvm::function_ref<void(Value, int64_t)> body) {
  int64_t lanes = lanesFor(width);
  e.forLoop(e.c64(0), e.c64(width), lanes, {}, true, [&](Coord at, ValueRange) {
    Value first = e.coordValue(at);
    if (width % lanes)
      first = e.minimum(first, e.c64(width - lanes));
    body(first, lanes);
    return SmallVector<Value>();
  });
}

Value FourierLines::loadPart(Value base, Value at, int64_t lanes) {
  Type type = lanes == 1 ? element : Type(VectorType::get({lanes}, element));
  return LLVM::LoadOp::create(e.b, e.loc, type, e.gep(base, at, element),
                              NestBuilder::storageBytes(element));
}

void FourierLines::storePart(Value value, Value base, Value at) {
  LLVM::StoreOp::create(e.b, e.loc, value, e.gep(base, at, element),
                        NestBuilder::storageBytes(element));
}

Complex FourierLines::load(const Plane &plane, Value at, int64_t lanes) {
  return {loadPart(plane.re, at, lanes),
          plane.im ? loadPart(plane.im, at, lanes) : Value()};
}

Value FourierLines::zero(int64_t lanes) {
  return e.broadcastLanes(e.zeroOf(element), lanes);
}

void FourierLines::store(Complex value, const Plane &plane, Value at) {
  storePart(value.re, plane.re, at);
  if (!plane.im)
    return;
  auto type = dyn_cast<VectorType>(value.re.getType());
  storePart(value.im ? value.im : zero(type ? type.getNumElements() : 1),
            plane.im, at);
}

Complex FourierLines::table(const ComplexNumbers &numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())}, element);
  ComplexTable parts = tableOf(numbers, type);
  Value re = e.tableOf(parts.re);
  return {re, e.tableOf(parts.im)};
}

void FourierLines::pass(const Place &from, const Place &to, const Pass &step,
                        bool isInverse, const Turns &turns) {
  int64_t factor = step.factor, parts = step.parts, stride = step.stride;
  Complex roots;
  if (parts > 1) {
    ComplexNumbers numbers;
    for (int64_t p = 0; p < parts; ++p)
      for (int64_t k = 1; k < factor; ++k)
        numbers.push_back(transformRoot(p * k, parts * factor, isInverse));
    roots = table(numbers);
  }
  forEach(parts, [&](Value p) {
    forEach(stride, [&](Value q) {
      Butterflies make(e.b, e.loc, isInverse);
      Butterflies::List list;
      Value source = e.add(q, e.mul(p, e.c64(stride)));
      Value target = e.add(q, e.mul(p, e.c64(stride * factor)));
      Value first = e.add(e.mul(source, e.c64(from.plane.row)), from.at);
      Value last = e.add(e.mul(target, e.c64(to.plane.row)), to.at);
      for (int64_t j = 0; j < factor; ++j)
        list.push_back(
            load(from.plane,
                 e.add(first, e.c64(j * parts * stride * from.plane.row)),
                 step.lanes));
      list = make.transform(list);
      for (int64_t k = 0; k < factor; ++k) {
        if (roots.re && k > 0) {
          Value at = e.add(e.mul(p, e.c64(factor - 1)), e.c64(k - 1));
          auto root = [&](Value base) {
            return e.broadcastLanes(loadPart(base, at, 1), step.lanes);
          };
          list[k] = make.mul(list[k], {root(roots.re), root(roots.im)});
        }
        if (turns.table.re) {
          Value row = e.add(target, e.c64(k * stride));
          Value at = e.add(e.mul(row, e.c64(turns.table.row)), turns.at);
          list[k] = make.mul(list[k], load(turns.table, at, step.lanes));
        }
        store(list[k], to.plane, e.add(last, e.c64(k * stride * to.plane.row)));
      }
    });
  });
}

void FourierLines::columns(const Plane &from, const Plane &to, int64_t length,
                           int64_t width, bool isInverse, Plane turns,
                           bool isTransposed) {
  SmallVector<int64_t> factors = passesOf(length);
  if (factors.empty())
    factors.push_back(1);
  // All passes of a few columns stay in the nearest cache.
  int64_t most = lanesFor(width);
  Plane blocks[2];
  for (Plane &block : blocks) {
    block = scratch(length * most);
    block.row = most;
  }
  forVectors(width, [&](Value column, int64_t lanes) {
    Place source{from, column};
    Pass step{1, length, 1, lanes};
    for (auto [number, factor] : llvm::enumerate(factors)) {
      bool isLast = number + 1 == factors.size();
      Place target{blocks[number % 2], e.c64(0)};
      if (isLast && !isTransposed)
        target = {to, column};
      step.factor = factor;
      step.parts /= factor;
      pass(source, target, step, isInverse,
           isLast ? Turns{turns, column} : Turns());
      step.stride *= factor;
      source = target;
    }
    if (isTransposed)
      transpose(source, {to, e.mul(column, e.c64(to.row))}, length, lanes);
  });
}

void FourierLines::transpose(const Place &from, const Place &to, int64_t rows,
                             int64_t columns) {
  int64_t side = lanesFor(std::min(rows, columns));
  auto squares = [&](int64_t size, llvm::function_ref<void(Value)> body) {
    e.forLoop(e.c64(0), e.c64(size), side, {}, true, [&](Coord at, ValueRange) {
      Value first = e.coordValue(at);
      body(size % side ? e.minimum(first, e.c64(size - side)) : first);
      return SmallVector<Value>();
    });
  };
  int64_t fromRow = from.plane.row, toRow = to.plane.row;
  squares(rows, [&](Value row) {
    squares(columns, [&](Value column) {
      Value source = e.add(from.at, e.add(e.mul(row, e.c64(fromRow)), column));
      Value target = e.add(to.at, e.add(e.mul(column, e.c64(toRow)), row));
      for (auto [given, made] : {std::pair(from.plane.re, to.plane.re),
                                 std::pair(from.plane.im, to.plane.im)}) {
        if (!given)
          continue;
        SmallVector<Value> square;
        for (int64_t i = 0; i < side; ++i)
          square.push_back(
              loadPart(given, e.add(source, e.c64(i * fromRow)), side));
        if (side > 1)
          transposeRegisters(e.b, e.loc, square);
        for (int64_t i = 0; i < side; ++i)
          storePart(square[i], made, e.add(target, e.c64(i * toRow)));
      }
    });
  });
}

/// How long the passes of a length take for each element, by the instructions
/// of their factors: long ones have more numbers than there are registers.
static double workOf(int64_t length) {
  double work = 1;
  for (int64_t factor : passesOf(length))
    work +=
        factor > 8 ? 0.2 + 0.1 * double(factor) : 0.6 + 0.05 * double(factor);
  return work;
}

int64_t FourierLines::rowsOf(int64_t length) {
  auto work = [&](int64_t rows, int64_t columns) {
    return double(rows) *
           std::ceil(double(columns) / double(lanesFor(columns))) *
           workOf(rows);
  };
  int64_t best = 1;
  double least = double(length) * workOf(length);
  for (int64_t rows = 2; rows <= length / 2; ++rows) {
    if (length % rows)
      continue;
    double cost = work(rows, length / rows) + work(length / rows, rows);
    if (cost < least)
      least = cost, best = rows;
  }
  return best;
}

bool FourierLines::isNarrow(int64_t length) {
  int64_t rows = rowsOf(length);
  return 2 * std::min(rows, length / rows) < lanes();
}

void FourierLines::line(Plane from, Plane to, int64_t length, bool isInverse) {
  if (!hasSmallFactors(length))
    return convolved(from, to, length, isInverse);
  int64_t rows = rowsOf(length), width = length / rows;
  if (rows == 1) {
    from.row = to.row = 1;
    return columns(from, to, length, 1, isInverse);
  }
  ComplexNumbers numbers;
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t j = 0; j < width; ++j)
      numbers.push_back(transformRoot(k * j, length, isInverse));
  Complex roots = table(numbers);
  Plane turned = scratch(length);
  turned.row = to.row = rows;
  from.row = width;
  columns(from, turned, rows, width, isInverse, {roots.re, roots.im, width},
          /*isTransposed=*/true);
  columns(turned, to, width, rows, isInverse);
}

/// A length with small factors that is at least another one.
static int64_t longerLength(int64_t least) {
  int64_t best = int64_t(llvm::PowerOf2Ceil(uint64_t(least)));
  for (int64_t factor : {3, 5, 9, 15})
    for (int64_t length = 16 * factor; length < best; length *= 2)
      if (length >= least)
        best = length;
  return std::max<int64_t>(best, 64);
}

/// 2 i k = i^2 + k^2 - (k - i)^2 makes a transform a convolution, which two
/// transforms of a longer line with small factors compute (Bluestein).
void FourierLines::convolved(const Plane &from, const Plane &to, int64_t length,
                             bool isInverse) {
  int64_t longer = longerLength(2 * length - 1);
  ComplexNumbers chirp, other(longer), frequencies;
  for (int64_t i = 0; i < length; ++i) {
    chirp.push_back(transformRoot(i * i % (2 * length), 2 * length, isInverse));
    other[i] = other[(longer - i) % longer] =
        std::conj(chirp.back()) / double(longer);
  }
  frequencies = transformedNumbers(other);
  Complex turns = table(chirp), with = table(frequencies);
  Plane first = scratch(longer), second = scratch(longer);
  Butterflies make(e.b, e.loc, isInverse);
  auto turned = [&](const Plane &source, const Plane &target, Complex by,
                    int64_t size) {
    forVectors(size, [&](Value at, int64_t lanes) {
      store(make.mul(load(source, at, lanes), load({by.re, by.im}, at, lanes)),
            target, at);
    });
  };
  turned(from, first, turns, length);
  forVectors(longer - length, [&](Value at, int64_t lanes) {
    Value none = zero(lanes);
    store({none, none}, first, e.add(at, e.c64(length)));
  });
  line(first, second, longer, /*isInverse=*/false);
  // Into the other plane: the last registers take some elements again.
  turned(second, first, with, longer);
  line(first, second, longer, /*isInverse=*/true);
  turned(second, to, turns, length);
}

Value FourierLines::loadBackwards(Value base, Value end, int64_t lanes) {
  Value loaded = loadPart(base, e.sub(end, e.c64(lanes)), lanes);
  if (lanes == 1)
    return loaded;
  SmallVector<int64_t> order;
  for (int64_t i = lanes; i-- > 0;)
    order.push_back(i);
  return vector::ShuffleOp::create(e.b, e.loc, loaded, loaded, order);
}

void FourierLines::realLine(const Plane &from, const Plane &to, int64_t length,
                            bool isInverse) {
  int64_t half = length / 2;
  if (length % 2) {
    Plane all = scratch(length);
    line(from, all, length, isInverse);
    return forVectors(half + 1, [&](Value at, int64_t lanes) {
      store(load(all, at, lanes), to, at);
    });
  }
  // Of two neighbours one is the real and one the imaginary part.
  Plane pairs = scratch(half), made = scratch(half + 1);
  forVectors(half, [&](Value at, int64_t lanes) {
    Value first = e.mul(at, e.c64(2));
    Value low = loadPart(from.re, first, lanes),
          high = loadPart(from.re, e.add(first, e.c64(lanes)), lanes);
    if (lanes == 1)
      return store({low, high}, pairs, at);
    SmallVector<int64_t> even, odd;
    for (int64_t i = 0; i < lanes; ++i) {
      even.push_back(2 * i);
      odd.push_back(2 * i + 1);
    }
    store({vector::ShuffleOp::create(e.b, e.loc, low, high, even),
           vector::ShuffleOp::create(e.b, e.loc, low, high, odd)},
          pairs, at);
  });
  line(pairs, made, half, isInverse);
  store(load(made, e.c64(0), 1), made, e.c64(half));
  // Half of the sum of a frequency and the conjugate of the opposite one is
  // that of the even elements, half of the difference i times that of others.
  ComplexNumbers numbers;
  for (int64_t k = 0; k <= half; ++k)
    numbers.push_back(std::complex<double>(0, -0.5) *
                      transformRoot(k, length, isInverse));
  Complex turns = table(numbers);
  Butterflies make(e.b, e.loc, isInverse);
  forVectors(half + 1, [&](Value at, int64_t lanes) {
    Value end = e.sub(e.c64(half + 1), at);
    Complex x = load(made, at, lanes);
    Complex y = make.conj({loadBackwards(made.re, end, lanes),
                           loadBackwards(made.im, end, lanes)});
    Complex odd =
        make.mul(make.sub(x, y), load({turns.re, turns.im}, at, lanes));
    store(make.add(make.scale(make.add(x, y), 0.5), odd), to, at);
  });
}

void FourierLines::lineToReal(const Plane &from, const Plane &to,
                              int64_t length, bool isInverse) {
  int64_t half = length / 2;
  // What is its own conjugate has no imaginary part.
  Plane own = scratch(length % 2 ? length : half + 1);
  forVectors(half + 1, [&](Value at, int64_t lanes) {
    store(load(from, at, lanes), own, at);
  });
  storePart(zero(1), own.im, e.c64(0));
  Butterflies make(e.b, e.loc, isInverse);
  if (length % 2) {
    Plane all = scratch(length);
    if (half) {
      forVectors(half, [&](Value at, int64_t lanes) {
        Value next = e.add(at, e.c64(1));
        store(make.spread(load(own, next, lanes)), own, next);
      });
      forVectors(half, [&](Value at, int64_t lanes) {
        Value end = e.sub(e.c64(half + 1), at);
        store(make.conj({loadBackwards(own.re, end, lanes),
                         loadBackwards(own.im, end, lanes)}),
              own, e.add(at, e.c64(half + 1)));
      });
    }
    line(own, all, length, isInverse);
    return forVectors(length, [&](Value at, int64_t lanes) {
      storePart(loadPart(all.re, at, lanes), to.re, at);
    });
  }
  storePart(zero(1), own.im, e.c64(half));
  ComplexNumbers numbers;
  for (int64_t k = 0; k < half; ++k)
    numbers.push_back(std::complex<double>(0, 1) *
                      transformRoot(k, length, isInverse));
  Complex turns = table(numbers);
  Plane pairs = scratch(half), made = scratch(half);
  forVectors(half, [&](Value at, int64_t lanes) {
    Value end = e.sub(e.c64(half + 1), at);
    Complex x = load(own, at, lanes);
    Complex y = make.conj(
        {loadBackwards(own.re, end, lanes), loadBackwards(own.im, end, lanes)});
    Complex odd =
        make.mul(make.sub(x, y), load({turns.re, turns.im}, at, lanes));
    store(make.add(make.add(x, y), odd), pairs, at);
  });
  line(pairs, made, half, isInverse);
  forVectors(half, [&](Value at, int64_t lanes) {
    Complex x = load(made, at, lanes);
    Value first = e.mul(at, e.c64(2)), second = e.add(first, e.c64(lanes));
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < lanes; ++i) {
      low.push_back(i / 2 + i % 2 * lanes);
      high.push_back(low.back() + lanes / 2);
    }
    if (lanes > 1)
      x = {vector::ShuffleOp::create(e.b, e.loc, x.re, x.im, low),
           vector::ShuffleOp::create(e.b, e.loc, x.re, x.im, high)};
    storePart(x.re, to.re, first);
    storePart(x.im, to.re, second);
  });
}
