// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of padded tensors of StableHLO whose elements take turns. Zeros between
// elements would be made, and added, for each of them.
#include "Interleave.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// A tensor with a zero behind each element along one dimension, or in front of
/// each; the last zero, or the first, may be missing.
struct Spaced {
  stablehlo::PadOp pad;
  unsigned dim = 0;
  int64_t low = 0, size = 0;
};

bool isZero(Value value, Translator &e) {
  for (Value part : tensorsOf(value, e)) {
    std::optional<TypedAttr> number = e.splatOf(part);
    if (!number)
      return false;
    if (auto real = dyn_cast<FloatAttr>(*number)) {
      if (!real.getValue().isPosZero())
        return false;
    } else if (!cast<IntegerAttr>(*number).getValue().isZero()) {
      return false;
    }
  }
  return true;
}

std::optional<Spaced> spacedOf(Value value, Translator &e) {
  auto pad = value.getDefiningOp<stablehlo::PadOp>();
  if (!pad || !isZero(pad.getPaddingValue(), e))
    return std::nullopt;
  auto type = cast<RankedTensorType>(pad.getOperand().getType());
  Spaced spaced{pad};
  unsigned dims = 0;
  for (unsigned d = 0; d < pad.getInteriorPadding().size(); ++d) {
    int64_t low = pad.getEdgePaddingLow()[d],
            high = pad.getEdgePaddingHigh()[d],
            between = pad.getInteriorPadding()[d];
    if (between == 0 && low == 0 && high == 0)
      continue;
    if (between != 1 || low < 0 || low > 1 || high < 0 || high > 1)
      return std::nullopt;
    spaced.dim = d;
    spaced.low = low;
    ++dims;
  }
  if (dims != 1 || !type.hasStaticShape())
    return std::nullopt;
  spaced.size = type.getDimSize(spaced.dim);
  return spaced;
}

} // namespace

Tensors interleave(Value lhs, Value rhs, Translator &e) {
  auto even = spacedOf(lhs, e), odd = spacedOf(rhs, e);
  if (even && odd && even->low == 1)
    std::swap(even, odd);
  if (!even || !odd || even->dim != odd->dim || even->low != 0 ||
      odd->low != 1 || odd->size == 0 ||
      (even->size != odd->size && even->size != odd->size + 1))
    return {};
  int64_t dim = even->dim, half = even->size;
  Tensors results;
  for (auto [a, b] : llvm::zip_equal(tensorsOf(even->pad.getOperand(), e),
                                     tensorsOf(odd->pad.getOperand(), e))) {
    SmallVector<int64_t> one(e.typeOf(a).getShape()), joined = one, high;
    one.insert(one.begin() + dim + 1, 1);
    joined[dim] = 2 * half;
    Value second = b;
    if (odd->size != half) {
      high.resize(joined.size());
      high[dim] = 1;
      second = prim::PadOp::create(e.b, a.getType(), b,
                                   SmallVector<int64_t>(high.size()), high,
                                   e.b.getZeroAttr(e.elementOf(b)));
    }
    Value both = e.concat({e.reshape(a, one), e.reshape(second, one)}, dim + 1);
    Value all = e.sliceDim(e.reshape(both, joined), dim, 0, half + odd->size);
    // The sum with a zero has no negative one.
    results.push_back(
        isa<FloatType>(e.elementOf(all)) ? e.add(all, e.number(0, all)) : all);
  }
  return results;
}

} // namespace kiln::stablehlo_to_prim
