// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of StableHLO, one dimension after the other.
#include "Rules.h"

#include "kiln/Dialect/Prim/FourierOps.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// The longest transform that there may be.
constexpr int64_t mostOverall = 1 << 22;

/// `count` results with `size` elements along a dimension.
SmallVector<Value> transform(ArrayRef<Value> parts, int64_t dim, int64_t size,
                             size_t count, bool inverse, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(parts.front()).getShape());
  shape[dim] = size;
  SmallVector<Type> types(count, e.typeOf(parts.front()).clone(shape));
  return prim::FourierOp::create(e.b, types, parts, uint64_t(dim), inverse)
      .getResults();
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
  auto resized = [&](Value part, int64_t dim, int64_t size) {
    return prim::resizeLines(e.b, e.b.getLoc(), part, dim, size);
  };
  // What is halved goes first of all, and what becomes whole last.
  double count = 1;
  for (size_t i = length.size(); i-- > 0;) {
    count *= double(length[i]);
    int64_t dim = first + i;
    bool last = i + 1 == length.size();
    if (last && back)
      continue;
    x = {resized(x.re, dim, length[i]), resized(x.im, dim, length[i])};
    SmallVector<Value> parts{x.re};
    if (!last || !half)
      parts.push_back(x.im);
    parts = transform(parts, dim, last && half ? length[i] / 2 + 1 : length[i],
                      2, inverse, e);
    x = {parts[0], parts[1]};
  }
  auto scaled = [&](Value part) {
    return inverse ? e.mul(part, e.number(1 / count, part)) : part;
  };
  if (!back)
    return bind(op, {scaled(x.re), scaled(x.im)}, e);
  int64_t kept = length.back() / 2 + 1;
  Value made =
      transform({resized(x.re, rank - 1, kept), resized(x.im, rank - 1, kept)},
                rank - 1, length.back(), 1, inverse, e)[0];
  return e.set(op, scaled(made));
}

} // namespace

void addFourierRules(Rules &rules) { rules.add<stablehlo::FftOp>(fft); }

} // namespace kiln::stablehlo_to_prim
