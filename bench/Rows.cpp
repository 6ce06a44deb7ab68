// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and layer norm of rows, beside a copy of the same arrays.
#include "Harness.h"
#include <algorithm>
#include <cmath>

using namespace bench;

namespace {
constexpr int64_t kRows = 4096, kColumns = 4096;

const char *kSoftmax = R"(
func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = prim.softmax %x dim 1 : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
})";

const char *kLayerNorm = R"(
func.func @main(%x: tensor<4096x4096xf32>, %g: tensor<4096xf32>, %b: tensor<4096xf32>)
    -> tensor<4096x4096xf32> {
  %0 = prim.layer_norm %x weight %g bias %b axes 1 eps 1.0e-5
    : tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>
  return %0 : tensor<4096x4096xf32>
})";

/// The softmax of the first `rows` rows, in f64.
void softmaxRows(const float *x, float *y, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i, x += kColumns, y += kColumns) {
    double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < kColumns; ++j)
      largest = std::max(largest, double(x[j]));
    for (int64_t j = 0; j < kColumns; ++j)
      sum += std::exp(x[j] - largest);
    for (int64_t j = 0; j < kColumns; ++j)
      y[j] = float(std::exp(x[j] - largest) / sum);
  }
}

void normRows(const float *x, const float *g, const float *b, float *y,
              int64_t rows) {
  for (int64_t i = 0; i < rows; ++i, x += kColumns, y += kColumns) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < kColumns; ++j)
      mean += x[j];
    mean /= kColumns;
    for (int64_t j = 0; j < kColumns; ++j)
      variance += (x[j] - mean) * (x[j] - mean);
    double scale = 1 / std::sqrt(variance / kColumns + 1e-5);
    for (int64_t j = 0; j < kColumns; ++j)
      y[j] = float((x[j] - mean) * scale * g[j] + b[j]);
  }
}
} // namespace

void bench::runRows(const std::string &filter, int threads) {
  Array<float> x = randomFloats(kRows * kColumns, 3),
               g = randomFloats(kColumns, 4), b = randomFloats(kColumns, 5),
               other(x.size());
  constexpr int64_t kChecked = 16;
  Array<float> expected(kChecked * kColumns);
  for (bool norm : {false, true}) {
    std::string title =
        norm ? "layer_norm f32 4096x4096" : "softmax f32 4096x4096";
    if (title.find(filter) == std::string::npos)
      continue;
    Compiled compiled(norm ? kLayerNorm : kSoftmax, threads);
    compiled.bind(KILN_DTYPE_F32, {kRows, kColumns}, x.data());
    if (norm) {
      compiled.bind(KILN_DTYPE_F32, {kColumns}, g.data());
      compiled.bind(KILN_DTYPE_F32, {kColumns}, b.data());
    }
    std::vector<Contender> contenders = {
        {"kiln", [&] { compiled.call(); }, 0},
        {"copy", [&] { copy(other.data(), x.data(), x.size(), threads); }, 0}};
    race(contenders, threads);
    if (norm)
      normRows(x.data(), g.data(), b.data(), expected.data(), kChecked);
    else
      softmaxRows(x.data(), expected.data(), kChecked);
    verify(title, static_cast<const float *>(compiled.result()),
           expected.data(), expected.size(), 1e-5);
    report(title, contenders, 8.0 * kRows * kColumns, "GB/s");
  }
}
