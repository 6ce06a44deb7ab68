// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms: products with matrices of cosines and sines where a
// dimension is short, else transforms of its factors, or a convolution where it
// has none.
#include "Decompose.h"

#include "../PrimBuilder.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Interfaces/Fourier.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

namespace {

/// Lengths beyond which and up to which a dimension is multiplied with a whole
/// matrix; those up to which it is with one at all, without factors and with.
constexpr int64_t fewest = 16, mostPlain = 64, mostPrime = 512,
                  mostDirect = 128;

/// The real and the imaginary parts; no imaginary parts: they are zero.
struct Complex {
  Value re, im;
};

using Tensors = SmallVector<Value>;

/// Builds prims of one element type.
class FourierBuilder {
public:
  FourierBuilder(OpBuilder &builder, Location loc, Type element)
      : emit(builder, loc), b(builder), loc(loc), element(element) {}

  PrimBuilder emit;
  OpBuilder &b;
  Location loc;
  Type element;

  RankedTensorType typeOf(Value x) {
    return cast<RankedTensorType>(x.getType());
  }
  Value add(Value x, Value y) {
    return x && y ? emit.map<AddOp>(x, y) : x ? x : y;
  }
  Value sub(Value x, Value y) {
    return x && y ? emit.map<SubOp>(x, y) : x ? x : negate(y);
  }
  Value mul(Value x, Value y) {
    return x && y ? emit.map<MulOp>(x, y) : Value();
  }
  Value negate(Value x) { return x ? emit.map<NegOp>(x) : Value(); }
  Value zeroLike(Value x) { return emit.splatLike(x, 0); }
  Value transpose(Value x, ArrayRef<int64_t> order) {
    return x ? emit.transpose(x, order) : Value();
  }
  Value reshape(Value x, ArrayRef<OpFoldResult> sizes) {
    return x ? emit.reshape(x, sizes) : Value();
  }
  Value sliceDim(Value x, int64_t dim, int64_t start, int64_t limit);
  Value concat(ArrayRef<Value> values, int64_t dim);
  Value constant(DenseElementsAttr value) {
    return ConstantOp::create(b, loc, cast<RankedTensorType>(value.getType()),
                              cast<ElementsAttr>(value));
  }
};

Value FourierBuilder::sliceDim(Value x, int64_t dim, int64_t start,
                               int64_t limit) {
  RankedTensorType type = typeOf(x);
  if (start == 0 && limit == type.getDimSize(dim))
    return x;
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1),
      limits, shape(type.getShape());
  for (int64_t size : type.getShape())
    limits.push_back(ShapedType::isDynamic(size) ? -1 : size);
  starts[dim] = start;
  limits[dim] = limit;
  shape[dim] = limit - start;
  return SliceOp::create(b, loc, type.clone(shape), x, starts, limits, strides);
}

Value FourierBuilder::concat(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1)
    return values.front();
  SmallVector<int64_t> shape(typeOf(values.front()).getShape());
  shape[dim] = 0;
  for (Value value : values)
    shape[dim] += typeOf(value).getDimSize(dim);
  return CatOp::create(b, loc, typeOf(values.front()).clone(shape), values,
                       dim);
}

/// Constants of the real and of the imaginary parts.
Complex constants(const ComplexNumbers &numbers, ArrayRef<int64_t> shape,
                  FourierBuilder &e) {
  auto type = RankedTensorType::get(shape, e.element);
  ComplexTable parts = tableOf(numbers, type);
  Value re = e.constant(parts.re);
  return {re, e.constant(parts.im)};
}

/// Roots of i k, for i < rows and k < columns, each times a factor of its row.
Complex roots(int64_t rows, int64_t columns, int64_t period, bool inverse,
              llvm::function_ref<double(int64_t)> factor, FourierBuilder &e) {
  ComplexNumbers numbers;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k)
      numbers.push_back((factor ? factor(i) : 1) *
                        transformRoot(i * k, period, inverse));
  return constants(numbers, {rows, columns}, e);
}

/// Sums over dimension `dim` with a matrix; the new dimension takes its place.
Value contract(Value x, Value matrix, int64_t dim, FourierBuilder &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), order;
  int64_t rank = shape.size();
  shape.erase(shape.begin() + dim);
  shape.push_back(e.typeOf(matrix).getDimSize(1));
  Value product = DotGeneralOp::create(
      e.b, e.loc, e.typeOf(x).clone(shape), x, matrix, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{0},
      Precision::ieee);
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i < dim ? i : i == dim ? rank - 1 : i - 1);
  return e.transpose(product, order);
}

/// `x` with `size` elements along a dimension: cut off, or zeros behind it.
Value resize(Value x, int64_t dim, int64_t size, FourierBuilder &e) {
  return x ? resizeLines(e.b, e.loc, x, dim, size) : x;
}

Value reversed(Value x, int64_t dim, FourierBuilder &e) {
  return RevOp::create(e.b, e.loc, x.getType(), x, ArrayRef<int64_t>{dim});
}

/// Cosines and sines of i k, each times a factor of i. The rows of the sines
/// begin with 1, and those of both end at half of the period.
Complex halves(int64_t columns, int64_t size,
               llvm::function_ref<double(int64_t)> factor, FourierBuilder &e) {
  ComplexNumbers even, odd;
  int64_t half = size / 2, pairs = (size - 1) / 2;
  for (int64_t i = 0; i <= half; ++i)
    for (int64_t k = 0; k < columns; ++k) {
      even.push_back((factor ? factor(i) : 1) * rootOfUnity(i * k, size));
      if (i > 0 && i <= pairs)
        odd.push_back(even.back());
    }
  return {constants(even, {half + 1, columns}, e).re,
          constants(odd, {pairs, columns}, e).im};
}

/// Sums with a matrix of roots.
Complex plain(Complex x, int64_t dim, int64_t columns, bool inverse,
              FourierBuilder &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  Complex w = roots(size, columns, size, inverse, nullptr, e);
  if (!x.im)
    return {contract(x.re, w.re, dim, e), contract(x.re, w.im, dim, e)};
  return {e.sub(contract(x.re, w.re, dim, e), contract(x.im, w.im, dim, e)),
          e.add(contract(x.re, w.im, dim, e), contract(x.im, w.re, dim, e))};
}

/// Sums with cosines and sines. Elements i and -i have the
/// same cosine and opposite sines, as frequencies k and -k do: sums and
/// differences of elements, and of results, halve each side of the matrices,
/// and round less.
Complex direct(Complex x, int64_t dim, int64_t columns, bool inverse,
               FourierBuilder &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim), half = size / 2,
          pairs = (size - 1) / 2, some = std::min(columns, half + 1);
  Complex w = halves(some, size, nullptr, e);
  bool isReal = !x.im;
  // The sums with cosines, and those with sines; of fewer than three elements
  // these are none.
  auto sums = [&](Value part) -> std::pair<Value, Value> {
    if (pairs == 0)
      return {contract(part, w.re, dim, e), Value()};
    Value front = e.sliceDim(part, dim, 1, pairs + 1);
    Value back = reversed(e.sliceDim(part, dim, size - pairs, size), dim, e);
    Tensors list{e.sliceDim(part, dim, 0, 1), e.add(front, back)};
    if (size % 2 == 0)
      list.push_back(e.sliceDim(part, dim, half, half + 1));
    return {contract(e.concat(list, dim), w.re, dim, e),
            contract(e.sub(front, back), w.im, dim, e)};
  };
  Value evenRe, oddRe, evenIm, oddIm;
  std::tie(evenRe, oddRe) = sums(x.re);
  if (!isReal)
    std::tie(evenIm, oddIm) = sums(x.im);
  // Frequencies from 0 up, and the opposite ones.
  auto results = [&](bool opposite) -> Complex {
    bool isPlus = inverse != opposite;
    auto join = [&](Value even, Value odd, bool adds) {
      if (!even)
        return adds ? odd : e.negate(odd);
      if (!odd)
        return even;
      return adds ? e.add(even, odd) : e.sub(even, odd);
    };
    if (isReal)
      return {evenRe, oddRe ? join({}, oddRe, isPlus) : e.zeroLike(evenRe)};
    return {join(evenRe, oddIm, !isPlus), join(evenIm, oddRe, isPlus)};
  };
  Complex first = results(false);
  int64_t missing = columns - some;
  if (missing == 0)
    return first;
  Complex second = results(true);
  auto whole = [&](Value front, Value back) {
    Value rest =
        reversed(e.sliceDim(back, dim, size - columns + 1, pairs + 1), dim, e);
    return e.concat({front, rest}, dim);
  };
  return {whole(first.re, second.re), whole(first.im, second.im)};
}

Complex product(Complex x, Complex y, FourierBuilder &e) {
  return {e.sub(e.mul(x.re, y.re), e.mul(x.im, y.im)),
          e.add(e.mul(x.re, y.im), e.mul(x.im, y.re))};
}

/// Numbers along dimensions from `dim` on, repeated in the shape of `like`.
Complex along(Complex numbers, int64_t dim, Value like, FourierBuilder &e) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < e.typeOf(numbers.re).getRank(); ++i)
    dims.push_back(dim + i);
  return {e.emit.broadcastTo(numbers.re, like, dims),
          e.emit.broadcastTo(numbers.im, like, dims)};
}

Complex whole(Complex x, int64_t dim, bool inverse, FourierBuilder &e);

/// Of size a b: those of length a, turned by roots, then those of length b.
Complex factored(Complex x, int64_t dim, int64_t a, bool inverse,
                 FourierBuilder &e) {
  SmallVector<OpFoldResult> shape = e.emit.sizes(x.re), split = shape;
  SmallVector<int64_t> order;
  int64_t size = e.typeOf(x.re).getDimSize(dim), b = size / a;
  split[dim] = e.b.getIndexAttr(a);
  split.insert(split.begin() + dim + 1, e.b.getIndexAttr(b));
  x = {e.reshape(x.re, split), e.reshape(x.im, split)};
  x = whole(x, dim, inverse, e);
  Complex turns = roots(a, b, size, inverse, nullptr, e);
  x = product(x, along(turns, dim, x.re, e), e);
  x = whole(x, dim + 1, inverse, e);
  for (int64_t i = 0; i < int64_t(split.size()); ++i)
    order.push_back(i == dim ? dim + 1 : i == dim + 1 ? dim : i);
  return {e.reshape(e.transpose(x.re, order), shape),
          e.reshape(e.transpose(x.im, order), shape)};
}

/// Of any size: 2 i k = i^2 + k^2 - (k - i)^2 makes it a convolution, which
/// transforms of a power of two compute.
Complex convolved(Complex x, int64_t dim, bool inverse, FourierBuilder &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  int64_t wide = int64_t(llvm::PowerOf2Ceil(uint64_t(2 * size - 1)));
  ComplexNumbers chirp, other(wide);
  for (int64_t i = 0; i < size; ++i) {
    chirp.push_back(transformRoot(i * i % (2 * size), 2 * size, inverse));
    other[i] = std::conj(chirp.back()) / double(wide);
    other[(wide - i) % wide] = other[i];
  }
  Complex turns = constants(chirp, {size}, e);
  x = product(x, along(turns, dim, x.re, e), e);
  x = whole({resize(x.re, dim, wide, e), resize(x.im, dim, wide, e)}, dim,
            false, e);
  Complex with = constants(transformedNumbers(other), {wide}, e);
  x = product(x, along(with, dim, x.re, e), e);
  x = whole(x, dim, true, e);
  x = {resize(x.re, dim, size, e), resize(x.im, dim, size, e)};
  return product(x, along(turns, dim, x.re, e), e);
}

/// The divisor that is nearest to the root, from below.
int64_t factorOf(int64_t size) {
  int64_t factor = int64_t(std::sqrt(double(size)));
  while (size % factor != 0)
    --factor;
  return factor;
}

/// All frequencies of a dimension.
Complex whole(Complex x, int64_t dim, bool inverse, FourierBuilder &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim), factor = factorOf(size);
  // Short even lengths, of which longer ones consist, are faster at once.
  if (size <= mostPlain && size % 2 == 0)
    return plain(x, dim, size, inverse, e);
  if (size <= mostDirect || (factor == 1 && size <= mostPrime))
    return direct(x, dim, size, inverse, e);
  return factor == 1 ? convolved(x, dim, inverse, e)
                     : factored(x, dim, factor, inverse, e);
}

/// The first of the frequencies.
Complex transform(Complex x, int64_t dim, int64_t columns, bool inverse,
                  FourierBuilder &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  bool isFaster = size > fewest && size <= mostPlain && size % 2 == 0;
  if (size <= mostDirect)
    return isFaster ? plain(x, dim, columns, inverse, e)
                    : direct(x, dim, columns, inverse, e);
  x = whole(x, dim, inverse, e);
  return {resize(x.re, dim, columns, e), resize(x.im, dim, columns, e)};
}

/// Real numbers of half of their frequencies: each one but the first, and the
/// middle one, stands for two.
Value toReal(Complex x, int64_t dim, int64_t size, bool inverse,
             FourierBuilder &e) {
  int64_t half = size / 2 + 1;
  if (size > mostDirect) {
    // The others are the conjugates of these.
    auto rest = [&](Value part) {
      return reversed(e.sliceDim(part, dim, 1, (size + 1) / 2), dim, e);
    };
    // What is real is read as such.
    Value zero = e.zeroLike(e.sliceDim(x.im, dim, 0, 1));
    Tensors im{zero, e.sliceDim(x.im, dim, 1, (size + 1) / 2)};
    if (size % 2 == 0)
      im.push_back(zero);
    im.push_back(e.negate(rest(x.im)));
    Complex all{e.concat({x.re, rest(x.re)}, dim), e.concat(im, dim)};
    return whole(all, dim, inverse, e).re;
  }
  auto factor = [&](int64_t i) { return i == 0 || 2 * i == size ? 1.0 : 2.0; };
  int64_t pairs = (size - 1) / 2;
  if (pairs == 0) {
    Complex w = roots(half, size, size, true, factor, e);
    return contract(x.re, w.re, dim, e);
  }
  Complex w = halves(half, size, factor, e);
  Value even = contract(x.re, w.re, dim, e);
  Value odd = contract(e.sliceDim(x.im, dim, 1, pairs + 1), w.im, dim, e);
  if (!inverse)
    odd = e.negate(odd);
  Value rest = e.sliceDim(e.add(even, odd), dim, 1, pairs + 1);
  return e.concat({e.sub(even, odd), reversed(rest, dim, e)}, dim);
}

struct DecomposeFourier : OpRewritePattern<FourierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FourierOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    int64_t dim = op.getDim(), columns = type.getDimSize(dim);
    // The numbers that the decomposition multiplies by are constants, as many
    // as the line has elements or more.
    constexpr int64_t kMostColumns = int64_t(1) << 24;
    if (columns > kMostColumns)
      return rewriter.notifyMatchFailure(op, "a line of more than 2^24");
    FourierBuilder e(rewriter, op.getLoc(), type.getElementType());
    Complex x{op.getOperand(0), Value()};
    if (op.getNumOperands() > 1)
      x.im = op.getOperand(1);
    if (op.getNumResults() == 1) {
      rewriter.replaceOp(op, toReal(x, dim, columns, op.getInverse(), e));
      return success();
    }
    x = transform(x, dim, columns, op.getInverse(), e);
    rewriter.replaceOp(op, ValueRange{x.re, x.im});
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeFourier(RewritePatternSet &patterns,
                                          WantedFn wanted) {
  addWanted<DecomposeFourier, FourierOp>(patterns, wanted);
}
