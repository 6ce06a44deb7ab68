// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of StableHLO: products with matrices of cosines and sines
// where a dimension is short, else transforms of its factors, or a convolution
// where it has none.
#include "Rules.h"

#include <cmath>
#include <complex>

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// Lengths beyond which and up to which a dimension is multiplied with a whole
/// matrix; those up to which it is with one at all, without factors and with;
/// and the longest that there may be.
constexpr int64_t fewest = 16, mostPlain = 64, mostPrime = 512,
                  mostDirect = 128, mostOverall = 1 << 22;

using Numbers = std::vector<std::complex<double>>;

/// Constants of the real and of the imaginary parts.
Complex constants(const Numbers &numbers, ArrayRef<int64_t> shape, Type element,
                  Translator &e) {
  auto type = RankedTensorType::get(shape, element);
  auto make = [&](auto part, auto example) {
    std::vector<decltype(example)> list;
    for (const auto &number : numbers)
      list.push_back(part(number));
    return e.constant(DenseElementsAttr::get(type, ArrayRef(list)));
  };
  auto real = [](const std::complex<double> &z) { return z.real(); };
  auto imag = [](const std::complex<double> &z) { return z.imag(); };
  if (element.isF32())
    return {make(real, 0.0f), make(imag, 0.0f)};
  return {make(real, 0.0), make(imag, 0.0)};
}

/// exp(+-2 pi i number / period); the angle is brought below an eighth of a
/// turn before it is rounded, so that what is 0, 1 or equal is so.
std::complex<double> root(int64_t number, int64_t period, bool inverse) {
  int64_t n = number % period;
  bool lower = 2 * n > period, left = false, steep = false;
  if (lower)
    n = period - n;
  // Now in units of half a period, then of a quarter.
  if ((left = 4 * n > period))
    n = period - 2 * n; // of 2 period
  else
    n *= 2;
  int64_t whole = 2 * period;
  if ((steep = 8 * n > whole))
    n = period - 2 * n; // of 4 period
  else
    n *= 2;
  long double angle = 2 * 3.14159265358979323846264338327950288L *
                      static_cast<long double>(n) /
                      static_cast<long double>(2 * whole);
  double x = double(std::cos(angle)), y = double(std::sin(angle));
  if (steep)
    std::swap(x, y);
  if (left)
    x = -x;
  return {x, lower == inverse ? -y : y};
}

/// Roots of i k, for i < rows and k < columns, each times a factor of its row.
Complex roots(int64_t rows, int64_t columns, int64_t period, bool inverse,
              llvm::function_ref<double(int64_t)> factor, Type element,
              Translator &e) {
  Numbers numbers;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k)
      numbers.push_back(factor(i) * root(i * k, period, inverse));
  return constants(numbers, {rows, columns}, element, e);
}

/// Whether numbers are known to be 0.
bool isZero(Value x, Translator &e) {
  auto number = dyn_cast_or_null<FloatAttr>(e.splatOf(x).value_or(TypedAttr()));
  return number && number.getValue().isPosZero();
}

/// Sums over dimension `dim` with a matrix; the new dimension takes its place.
Value contract(Value x, Value matrix, int64_t dim, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), order;
  int64_t rank = shape.size();
  shape.erase(shape.begin() + dim);
  shape.push_back(e.typeOf(matrix).getDimSize(1));
  Value product = prim::DotGeneralOp::create(
      e.b, e.typeOf(x).clone(shape), x, matrix, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{0},
      prim::Precision::ieee);
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i < dim ? i : i == dim ? rank - 1 : i - 1);
  return e.transpose(product, order);
}

/// `x` with `size` elements along a dimension: cut off, or zeros behind it.
Value resize(Value x, int64_t dim, int64_t size, Translator &e) {
  int64_t have = e.typeOf(x).getDimSize(dim);
  if (have >= size)
    return e.sliceDim(x, dim, 0, size);
  size_t rank = e.typeOf(x).getRank();
  SmallVector<int64_t> none(rank, 0), high(rank, 0);
  high[dim] = size - have;
  return pad(x, e.full(numberAttr(e.elementOf(x), 0), {}), none, high, none, e);
}

Value reversed(Value x, int64_t dim, Translator &e) {
  return prim::RevOp::create(e.b, x.getType(), x, ArrayRef<int64_t>{dim});
}

/// Cosines and sines of i k, each times a factor of i. The rows of the sines
/// begin with 1, and those of both end at half of the period.
Complex halves(int64_t columns, int64_t size,
               llvm::function_ref<double(int64_t)> factor, Type element,
               Translator &e) {
  Numbers even, odd;
  int64_t half = size / 2, pairs = (size - 1) / 2;
  for (int64_t i = 0; i <= half; ++i)
    for (int64_t k = 0; k < columns; ++k) {
      even.push_back(factor(i) * root(i * k, size, true));
      if (i > 0 && i <= pairs)
        odd.push_back(even.back());
    }
  return {constants(even, {half + 1, columns}, element, e).re,
          constants(odd, {pairs, columns}, element, e).im};
}

/// Sums with a matrix of roots; divided by `over`.
Complex plain(Complex x, int64_t dim, int64_t columns, bool inverse,
              double over, Translator &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  Complex w = roots(
      size, columns, size, inverse, [&](int64_t) { return 1 / over; },
      e.elementOf(x.re), e);
  if (isZero(x.im, e))
    return {contract(x.re, w.re, dim, e), contract(x.re, w.im, dim, e)};
  return {e.sub(contract(x.re, w.re, dim, e), contract(x.im, w.im, dim, e)),
          e.add(contract(x.re, w.im, dim, e), contract(x.im, w.re, dim, e))};
}

/// Sums with cosines and sines; divided by `over`. Elements i and -i have the
/// same cosine and opposite sines, as frequencies k and -k do: sums and
/// differences of elements, and of results, halve each side of the matrices,
/// and round less.
Complex direct(Complex x, int64_t dim, int64_t columns, bool inverse,
               double over, Translator &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim), half = size / 2,
          pairs = (size - 1) / 2, some = std::min(columns, half + 1);
  Complex w = halves(
      some, size, [&](int64_t) { return 1 / over; }, e.elementOf(x.re), e);
  bool isReal = isZero(x.im, e);
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
        return adds ? odd : e.unary<prim::NegOp>(odd);
      if (!odd)
        return even;
      return adds ? e.add(even, odd) : e.sub(even, odd);
    };
    if (isReal)
      return {evenRe, oddRe ? join({}, oddRe, isPlus) : e.number(0, evenRe)};
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

Complex product(Complex x, Complex y, Translator &e) {
  return {e.sub(e.mul(x.re, y.re), e.mul(x.im, y.im)),
          e.add(e.mul(x.re, y.im), e.mul(x.im, y.re))};
}

/// Numbers along dimensions from `dim` on, repeated in the shape of `like`.
Complex along(Complex numbers, int64_t dim, Value like, Translator &e) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < e.typeOf(numbers.re).getRank(); ++i)
    dims.push_back(dim + i);
  return {e.broadcastInDim(numbers.re, dims, e.sizesOf(like)),
          e.broadcastInDim(numbers.im, dims, e.sizesOf(like))};
}

Complex whole(Complex x, int64_t dim, bool inverse, double over, Translator &e);

/// Of size a b: those of length a, turned by roots, then those of length b.
Complex factored(Complex x, int64_t dim, int64_t a, bool inverse, double over,
                 Translator &e) {
  Sizes shape = e.sizesOf(x.re), split = shape;
  SmallVector<int64_t> order;
  int64_t size = e.typeOf(x.re).getDimSize(dim), b = size / a;
  split[dim] = e.size(a);
  split.insert(split.begin() + dim + 1, e.size(b));
  x = {e.reshape(x.re, split), e.reshape(x.im, split)};
  x = whole(x, dim, inverse, 1, e);
  Complex turns = roots(
      a, b, size, inverse, [](int64_t) { return 1.0; }, e.elementOf(x.re), e);
  x = product(x, along(turns, dim, x.re, e), e);
  x = whole(x, dim + 1, inverse, over, e);
  for (int64_t i = 0; i < int64_t(split.size()); ++i)
    order.push_back(i == dim ? dim + 1 : i == dim + 1 ? dim : i);
  return {e.reshape(e.transpose(x.re, order), shape),
          e.reshape(e.transpose(x.im, order), shape)};
}

/// Of numbers in double precision, for a power of two.
Numbers transformed(const Numbers &x) {
  if (x.size() == 1)
    return x;
  Numbers parts[2], result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    parts[i % 2].push_back(x[i]);
  Numbers even = transformed(parts[0]), odd = transformed(parts[1]);
  for (size_t k = 0; k < even.size(); ++k) {
    std::complex<double> turned =
        root(int64_t(k), int64_t(x.size()), false) * odd[k];
    result[k] = even[k] + turned;
    result[k + even.size()] = even[k] - turned;
  }
  return result;
}

/// Of any size: 2 i k = i^2 + k^2 - (k - i)^2 makes it a convolution, which
/// transforms of a power of two compute.
Complex convolved(Complex x, int64_t dim, bool inverse, double over,
                  Translator &e) {
  Type element = e.elementOf(x.re);
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  int64_t wide = int64_t(llvm::PowerOf2Ceil(uint64_t(2 * size - 1)));
  Numbers chirp, scaled, other(wide);
  for (int64_t i = 0; i < size; ++i) {
    chirp.push_back(root(i * i, 2 * size, inverse));
    scaled.push_back(chirp.back() / over);
    other[i] = std::conj(chirp.back());
    other[(wide - i) % wide] = other[i];
  }
  Complex turns = constants(chirp, {size}, element, e);
  x = product(x, along(turns, dim, x.re, e), e);
  x = whole({resize(x.re, dim, wide, e), resize(x.im, dim, wide, e)}, dim,
            false, 1, e);
  Complex with = constants(transformed(other), {wide}, element, e);
  x = product(x, along(with, dim, x.re, e), e);
  x = whole(x, dim, true, double(wide), e);
  x = {resize(x.re, dim, size, e), resize(x.im, dim, size, e)};
  Complex back = constants(scaled, {size}, element, e);
  return product(x, along(back, dim, x.re, e), e);
}

/// The divisor that is nearest to the root, from below.
int64_t factorOf(int64_t size) {
  int64_t factor = int64_t(std::sqrt(double(size)));
  while (size % factor != 0)
    --factor;
  return factor;
}

/// All frequencies of a dimension, divided by `over`.
Complex whole(Complex x, int64_t dim, bool inverse, double over,
              Translator &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim), factor = factorOf(size);
  // Short even lengths, of which longer ones consist, are faster at once.
  if (size <= mostPlain && size % 2 == 0)
    return plain(x, dim, size, inverse, over, e);
  if (size <= mostDirect || (factor == 1 && size <= mostPrime))
    return direct(x, dim, size, inverse, over, e);
  return factor == 1 ? convolved(x, dim, inverse, over, e)
                     : factored(x, dim, factor, inverse, over, e);
}

/// The first of the frequencies.
Complex transform(Complex x, int64_t dim, int64_t columns, bool inverse,
                  Translator &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  double over = inverse ? double(size) : 1;
  bool isFaster = size > fewest && size <= mostPlain && size % 2 == 0;
  if (size <= mostDirect)
    return isFaster ? plain(x, dim, columns, inverse, over, e)
                    : direct(x, dim, columns, inverse, over, e);
  x = whole(x, dim, inverse, over, e);
  return {resize(x.re, dim, columns, e), resize(x.im, dim, columns, e)};
}

/// Real numbers of half of their frequencies: each one but the first, and the
/// middle one, stands for two.
Value realInverse(Complex x, int64_t dim, int64_t size, Translator &e) {
  int64_t half = size / 2 + 1;
  if (size > mostDirect) {
    // The others are the conjugates of these.
    Complex first{resize(x.re, dim, half, e), resize(x.im, dim, half, e)};
    auto rest = [&](Value part) {
      return reversed(e.sliceDim(part, dim, 1, (size + 1) / 2), dim, e);
    };
    // What is real is read as such.
    Value zero = e.number(0, e.sliceDim(first.im, dim, 0, 1));
    Tensors im{zero, e.sliceDim(first.im, dim, 1, (size + 1) / 2)};
    if (size % 2 == 0)
      im.push_back(zero);
    im.push_back(e.unary<prim::NegOp>(rest(first.im)));
    Complex all{e.concat({first.re, rest(first.re)}, dim), e.concat(im, dim)};
    return whole(all, dim, true, double(size), e).re;
  }
  auto factor = [&](int64_t i) {
    bool single = i == 0 || 2 * i == size;
    return (single ? 1.0 : 2.0) / double(size);
  };
  int64_t pairs = (size - 1) / 2;
  if (pairs == 0) {
    Complex w = roots(half, size, size, true, factor, e.elementOf(x.re), e);
    return e.sub(contract(resize(x.re, dim, half, e), w.re, dim, e),
                 contract(resize(x.im, dim, half, e), w.im, dim, e));
  }
  Complex w = halves(half, size, factor, e.elementOf(x.re), e);
  Value even = contract(resize(x.re, dim, half, e), w.re, dim, e);
  Value some = e.sliceDim(resize(x.im, dim, half, e), dim, 1, pairs + 1);
  Value odd = contract(some, w.im, dim, e);
  Value rest = e.sliceDim(e.add(even, odd), dim, 1, pairs + 1);
  return e.concat({e.sub(even, odd), reversed(rest, dim, e)}, dim);
}

LogicalResult fft(stablehlo::FftOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> length = op.getFftLength();
  int64_t rank = source.getRank(), first = rank - int64_t(length.size());
  auto type = partType(op, op.getType(), e);
  if (failed(type))
    return failure();
  if (first < 0 || length.empty() ||
      llvm::any_of(source.getShape().drop_front(first), ShapedType::isDynamic))
    return e.unsupported(op, "on a size that is not known");
  for (int64_t size : length)
    if (size < 1 || size > mostOverall)
      return e.unsupported(op, "of lengths outside of [1, " +
                                   Twine(mostOverall) + "]");
  bool half = op.getFftType() == stablehlo::FftType::RFFT,
       back = op.getFftType() == stablehlo::FftType::IRFFT;
  bool inverse = back || op.getFftType() == stablehlo::FftType::IFFT;
  if (isComplex(source) == half || isComplex(op.getType()) == back)
    return e.unsupported(op, "of elements that its type does not take");
  if (llvm::is_contained(type->getShape(), 0) ||
      llvm::is_contained(source.getShape(), 0)) {
    Sizes sizes = e.sizesOf(tensorsOf(op.getOperand(), e).front());
    for (size_t i = first; i < sizes.size(); ++i)
      sizes[i] = e.size(type->getDimSize(i));
    Value zero = e.full(numberAttr(type->getElementType(), 0), sizes);
    return back ? e.set(op, zero) : bind(op, {zero, zero}, e);
  }
  Complex x = complexOf(op.getOperand(), e);
  // What is halved goes first of all, and what becomes whole last.
  for (size_t i = length.size(); i-- > 0;) {
    int64_t dim = first + i;
    bool last = i + 1 == length.size();
    if (last && back)
      continue;
    x = {resize(x.re, dim, length[i], e), resize(x.im, dim, length[i], e)};
    x = transform(x, dim, last && half ? length[i] / 2 + 1 : length[i], inverse,
                  e);
  }
  if (back)
    return e.set(op, realInverse(x, rank - 1, length.back(), e));
  return bind(op, {x.re, x.im}, e);
}

} // namespace

void addFourierRules(Rules &rules) { rules.add<stablehlo::FftOp>(fft); }

} // namespace kiln::stablehlo_to_prim
