// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products by register blocks over packed panels.
#include "kiln/Eval/Products.h"
#include "kiln/Eval/Elements.h"
#include <algorithm>
#include <vector>

namespace kiln::eval {

namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 16;
constexpr int64_t kDepth = 256;

/// Adds the product of `rows` (at most kRows) rows of A and a packed panel of B
/// with kColumns columns.
template <typename T, int64_t rows>
inline __attribute__((always_inline)) void
block(int64_t depth, const T *a, int64_t aStride, const T *panel, T *c,
      int64_t cStride, int64_t columns) {
  T sum[rows][kColumns] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < kColumns; ++j)
        sum[i][j] += a[i * aStride + k] * panel[k * kColumns + j];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      c[i * cStride + j] += sum[i][j];
}

template <typename T>
inline __attribute__((always_inline)) void
panelTimes(int64_t m, int64_t depth, const T *a, int64_t aStride,
           const T *panel, T *c, int64_t cStride, int64_t columns) {
  int64_t i = 0;
  for (; i + kRows <= m; i += kRows)
    block<T, kRows>(depth, a + i * aStride, aStride, panel, c + i * cStride,
                    cStride, columns);
  for (; i < m; ++i)
    block<T, 1>(depth, a + i * aStride, aStride, panel, c + i * cStride,
                cStride, columns);
}

/// The hot loops, for the vectors of whatever chip this runs on. Products of
/// floats up to f32 are exact in a double, so that fused additions change
/// nothing.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3",
                             "default"))) void
panelTimesDouble(int64_t m, int64_t depth, const double *a, int64_t aStride,
                 const double *panel, double *c, int64_t cStride,
                 int64_t columns) {
  panelTimes(m, depth, a, aStride, panel, c, cStride, columns);
}

void call(int64_t m, int64_t depth, const double *a, int64_t aStride,
          const double *panel, double *c, int64_t cStride, int64_t columns) {
  panelTimesDouble(m, depth, a, aStride, panel, c, cStride, columns);
}
void call(int64_t m, int64_t depth, const uint64_t *a, int64_t aStride,
          const uint64_t *panel, uint64_t *c, int64_t cStride,
          int64_t columns) {
  panelTimes(m, depth, a, aStride, panel, c, cStride, columns);
}
void call(int64_t m, int64_t depth, const long double *a, int64_t aStride,
          const long double *panel, long double *c, int64_t cStride,
          int64_t columns) {
  panelTimes(m, depth, a, aStride, panel, c, cStride, columns);
}

/// `load(begin, count, to)` reads elements of B.
template <typename T, typename Load>
void multiplyIn(int64_t m, int64_t n, int64_t k, const T *a, const Load &load,
                T *c) {
  int64_t panels = (n + kColumns - 1) / kColumns;
  int64_t grain =
      std::max<int64_t>(1, (1 << 18) / std::max<int64_t>(1, m * k * kColumns));
  // Threads own columns of C.
  auto work = [&](int64_t begin, int64_t end) {
    std::vector<T> panel(kDepth * kColumns);
    for (int64_t p = begin; p < end; ++p) {
      int64_t column = p * kColumns;
      int64_t columns = std::min(kColumns, n - column);
      for (int64_t first = 0; first < k; first += kDepth) {
        int64_t depth = std::min(kDepth, k - first);
        for (int64_t d = 0; d < depth; ++d) {
          T *to = panel.data() + d * kColumns;
          load((first + d) * n + column, columns, to);
          std::fill(to + columns, to + kColumns, T(0));
        }
        call(m, depth, a + first, k, panel.data(), c + column, n, columns);
      }
    }
  };
  parallelFor(panels, grain, work);
}

template <typename T>
void multiplyArrays(int64_t m, int64_t n, int64_t k, const T *a, const T *b,
                    T *c) {
  multiplyIn(
      m, n, k, a,
      [&](int64_t begin, int64_t count, T *to) {
        std::copy(b + begin, b + begin + count, to);
      },
      c);
}

} // namespace

void multiply(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
              double *c) {
  multiplyArrays(m, n, k, a, b, c);
}

void multiply(int64_t m, int64_t n, int64_t k, const uint64_t *a,
              const uint64_t *b, uint64_t *c) {
  multiplyArrays(m, n, k, a, b, c);
}

void multiply(int64_t m, int64_t n, int64_t k, const long double *a,
              const long double *b, long double *c) {
  multiplyArrays(m, n, k, a, b, c);
}

void multiply(int64_t m, int64_t n, int64_t k, const double *a,
              const LoadElements<double> &b, double *c) {
  multiplyIn(m, n, k, a, b, c);
}

void multiply(int64_t m, int64_t n, int64_t k, const uint64_t *a,
              const LoadElements<uint64_t> &b, uint64_t *c) {
  multiplyIn(m, n, k, a, b, c);
}

void multiply(int64_t m, int64_t n, int64_t k, const long double *a,
              const LoadElements<long double> &b, long double *c) {
  multiplyIn(m, n, k, a, b, c);
}

} // namespace kiln::eval
