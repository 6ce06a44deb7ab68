// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors on purpose, of a direction that depends on the place alone.
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <limits>

namespace kiln::eval {

Perturbation &perturbation() {
  static Perturbation current;
  return current;
}

double errorDirection(int64_t index) {
  const Perturbation &now = perturbation();
  uint64_t z = now.seed + uint64_t(index) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z >> 63 ? now.sign : -now.sign;
}

double unboundedNear(double exact, DType dtype) {
  if (std::isnan(exact) || perturbation().sign > 0)
    return std::numeric_limits<double>::quiet_NaN();
  return -std::copysign(largestFinite(dtype), exact);
}

bool mayFlushProduct(DType lhs, DType rhs) {
  return lhs == DType::bf16 && rhs == DType::bf16;
}

void storeSumsWithin(const Value &sums, const Value &sizes, double terms,
                     Value &out, const Value *kept) {
  bool isF64 = out.dtype() == DType::f64;
  double unit = isF64 ? kHalfUlpF64 : kHalfUlp;
  double most = largestFinite(isF64 ? DType::f64 : DType::f32);
  // Sums of narrow types may be rounded to them at the end of a block.
  if (runtime::isFloat(out.dtype()))
    most = std::min(most, largestFinite(out.dtype()));
  for (int64_t i = 0; i < out.size(); ++i) {
    double value = sums.as<double>()[i];
    double size = std::fabs(sizes.as<double>()[i]);
    double left = kept ? kept->as<double>()[i] : size;
    // NaN is left where a term is infinity times what is read as zero.
    if (size > most || std::isnan(size) || std::isnan(left))
      value = unboundedNear(value, out.dtype());
    else if (std::isfinite(value))
      value += errorDirection(i) *
               (terms * unit * size +
                (kept ? size - left + terms * smallestNormal(DType::f32) : 0));
    storeDoubles(out.dtype(), out.mutableData(), i, 1, &value);
  }
}

void storeWithin(const Value &numbers, const std::vector<double> &sizes,
                 Value &out) {
  for (int64_t i = 0; i < out.size(); ++i) {
    double value = numbers.as<double>()[i];
    if (std::isfinite(value))
      value += errorDirection(i) * sizes[i];
    storeDoubles(out.dtype(), out.mutableData(), i, 1, &value);
  }
}

void storeUlpsWithin(const Value &wide, double ulps, Value &out) {
  int fraction = fractionBits(wide.dtype());
  double least = smallestNormal(wide.dtype());
  for (int64_t i = 0; i < out.size(); ++i) {
    double value;
    loadDoubles(wide.dtype(), wide.data(), i, 1, &value);
    if (std::isfinite(value)) {
      double size = std::max(std::fabs(value), least);
      value +=
          errorDirection(i) * std::ldexp(ulps, std::ilogb(size) - fraction);
    }
    storeDoubles(out.dtype(), out.mutableData(), i, 1, &value);
  }
}

void storeUlpsOfOneWithin(const Value &exact, double ulps, Value &out,
                          llvm::ArrayRef<double> least) {
  std::vector<double> sizes(exact.size());
  bool isF64 = out.dtype() == DType::f64;
  int fraction = fractionBits(isF64 ? DType::f64 : DType::f32);
  for (int64_t i = 0; i < exact.size(); ++i) {
    double size = std::fabs(exact.as<double>()[i]);
    if (std::isfinite(size))
      sizes[i] =
          std::ldexp(ulps + isF64, std::ilogb(std::max(size, 1.0)) - fraction);
    if (isF64 && !least.empty())
      sizes[i] = std::max(sizes[i], least[i]);
  }
  storeWithin(exact, sizes, out);
}

} // namespace kiln::eval
