// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of tiles.
#include "Families.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Eval/Products.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename Sum>
std::vector<Sum> load(const Value &value, Extend extend = Extend::sign) {
  std::vector<Sum> result(value.size());
  if constexpr (std::is_same_v<Sum, uint64_t>) {
    loadInts(value.dtype(), value.data(), 0, value.size(),
             reinterpret_cast<int64_t *>(result.data()), extend);
  } else if constexpr (std::is_same_v<Sum, double>) {
    loadDoubles(value.dtype(), value.data(), 0, value.size(), result.data());
  } else {
    std::vector<double> narrow = load<double>(value);
    std::copy(narrow.begin(), narrow.end(), result.begin());
  }
  return result;
}

/// A value of f32 with the 10 mantissa bits that tf32 has.
double asTf32(double value) {
  auto bits = llvm::bit_cast<uint32_t>(static_cast<float>(value));
  return llvm::bit_cast<float>(bits & 0xffffe000u);
}

/// The numbers without their signs, 0 for infinities.
template <typename Sum> std::vector<Sum> finiteSizes(std::vector<Sum> values) {
  for (Sum &value : values)
    value = std::isinf(value) ? Sum(0) : std::abs(value);
  return values;
}

/// Adds to `sizes` the terms that are missing, and the sums, where subnormal
/// numbers are read as zero. NaN where that is multiplied by infinity; other
/// infinite terms are left out.
template <typename Sum>
void addLostTerms(std::vector<Sum> a, std::vector<Sum> b,
                  std::vector<Sum> &sizes, int64_t batches, int64_t m,
                  int64_t n, int64_t k) {
  const Sum least = Sum(smallestNormal(DType::f32));
  std::vector<Sum> all(sizes.size()), kept(sizes.size());
  auto multiplyInto = [&](std::vector<Sum> &sums) {
    for (int64_t i = 0; i < batches; ++i)
      multiply(m, n, k, a.data() + i * m * k, b.data() + i * k * n,
               sums.data() + i * m * n);
  };
  std::vector<Sum> givenA = a, givenB = b;
  for (std::vector<Sum> *values : {&a, &b})
    for (Sum &value : *values)
      if (std::abs(value) < least)
        value = 0;
      else
        value = std::abs(value);
  multiplyInto(kept);
  a = finiteSizes(std::move(givenA));
  b = finiteSizes(std::move(givenB));
  multiplyInto(all);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!std::isinf(kept[i]))
      sizes[i] += all[i] - kept[i] + Sum(k + 1) * least;
}

/// What each sum may err by: all of its finite terms, each by as many halves of
/// a unit of the result's type as there are terms, and by those of the type
/// that some of them may be summed in. Infinity where partial sums may
/// overflow. Nothing where no errors are wanted.
template <typename Sum>
std::vector<Sum> errorSizes(const DotMode &mode, DType type, bool flushes,
                            std::vector<Sum> a, std::vector<Sum> b,
                            std::vector<Sum> c, int64_t batches, int64_t m,
                            int64_t n, int64_t k) {
  if constexpr (std::is_same_v<Sum, uint64_t>) {
    return {};
  } else {
    if (!perturbation().isOn())
      return {};
    c = finiteSizes(std::move(c));
    std::vector<Sum> lhs = finiteSizes(a), rhs = finiteSizes(b);
    for (int64_t i = 0; i < batches; ++i)
      multiply(m, n, k, lhs.data() + i * m * k, rhs.data() + i * k * n,
               c.data() + i * m * n);
    // Partial sums may overflow where the whole does not.
    const Sum largest = largestFinite(type);
    for (Sum &value : c)
      if (value > largest)
        value = HUGE_VAL;
    Sum error = Sum(k + 1) * Sum(runtime::dtypeEpsilon(type) / 2) +
                Sum(std::min(k, mode.impreciseTerms)) * Sum(0x1p-14);
    for (Sum &value : c)
      value *= error;
    if (flushes)
      addLostTerms(a, b, c, batches, m, n, k);
    return c;
  }
}

/// The sum starts from the accumulator and is rounded once.
template <typename Sum>
void dot(const DotMode &mode, const Value &lhs, const Value &rhs,
         const Value &acc, Value &out) {
  unsigned batch = lhs.rank() - 2;
  int64_t m = lhs.dim(batch), k = lhs.dim(batch + 1), n = rhs.dim(batch + 1);
  std::vector<Sum> a =
      load<Sum>(lhs, mode.lhsUnsigned ? Extend::zero : Extend::sign);
  std::vector<Sum> b =
      load<Sum>(rhs, mode.rhsUnsigned ? Extend::zero : Extend::sign);
  std::vector<Sum> c = load<Sum>(acc);
  if constexpr (std::is_same_v<Sum, double>)
    if (mode.isTf32)
      for (std::vector<double> *operand : {&a, &b})
        std::transform(operand->begin(), operand->end(), operand->begin(),
                       asTf32);
  int64_t batches = batch ? lhs.dim(0) : 1;
  std::vector<Sum> sizes =
      errorSizes(mode, out.dtype(), mayFlushProduct(lhs.dtype(), rhs.dtype()),
                 a, b, c, batches, m, n, k);
  for (int64_t i = 0; i < batches; ++i)
    multiply(m, n, k, a.data() + i * m * k, b.data() + i * k * n,
             c.data() + i * m * n);
  if constexpr (!std::is_same_v<Sum, uint64_t>)
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!std::isfinite(sizes[i]))
        c[i] = unboundedNear(static_cast<double>(c[i]), out.dtype());
      else if (std::isfinite(c[i]))
        c[i] += sizes[i] * errorDirection(int64_t(i));
    }
  if constexpr (std::is_same_v<Sum, uint64_t>) {
    storeInts(out.dtype(), out.mutableData(), 0, out.size(),
              reinterpret_cast<const int64_t *>(c.data()));
  } else if constexpr (std::is_same_v<Sum, double>) {
    storeDoubles(out.dtype(), out.mutableData(), 0, out.size(), c.data());
  } else {
    std::vector<double> narrow(c.begin(), c.end());
    storeDoubles(out.dtype(), out.mutableData(), 0, out.size(), narrow.data());
  }
}

/// An element is poison if a term of its sum is.
void spreadPoison(const Value &lhs, const Value &rhs, const Value &acc,
                  Value &out) {
  if (!lhs.hasPoison() && !rhs.hasPoison() && !acc.hasPoison())
    return;
  unsigned batch = lhs.rank() - 2;
  int64_t m = lhs.dim(batch), k = lhs.dim(batch + 1), n = rhs.dim(batch + 1);
  uint8_t *to = out.makePoison();
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t b = i / (m * n), row = i / n % m, column = i % n;
    bool bad = acc.poison() && acc.poison()[i];
    for (int64_t j = 0; j < k && !bad; ++j)
      bad = (lhs.poison() && lhs.poison()[(b * m + row) * k + j]) ||
            (rhs.poison() && rhs.poison()[(b * k + j) * n + column]);
    to[i] = bad;
  }
}

} // namespace

Value dotOf(const Value &lhs, const Value &rhs, const Value &acc,
            const DotMode &mode) {
  Value out = Value::tensor(acc.dtype(), acc.shape());
  if (out.dtype() == DType::f64)
    dot<long double>(mode, lhs, rhs, acc, out);
  else if (runtime::isFloat(out.dtype()))
    dot<double>(mode, lhs, rhs, acc, out);
  else
    dot<uint64_t>(mode, lhs, rhs, acc, out);
  spreadPoison(lhs, rhs, acc, out);
  return out;
}

void addTileDot(EvaluationInterface &table) {
  table.add<tile::DotOp>([](tile::DotOp op, Frame &frame) {
    DotMode mode = {op.getInputPrecision() == tile::InputPrecision::tf32,
                    op.getLhsUnsigned(), op.getRhsUnsigned(),
                    op.getImpreciseTerms()};
    return frame.set(op.getResult(),
                     dotOf(frame.get(op.getLhs()), frame.get(op.getRhs()),
                           frame.get(op.getAcc()), mode));
  });
}

} // namespace kiln::eval
