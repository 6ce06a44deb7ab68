// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrix instructions by vector code of the host. The types of
// vectors are extensions of the compiler: it splits those that are wider than
// the host's.
#include "MatrixProduct.h"

using namespace kiln::amd::sim;

namespace {
constexpr unsigned kWidth = 8;
using Doubles = double __attribute__((vector_size(8 * kWidth)));
using Floats = float __attribute__((vector_size(4 * kWidth)));
using Words = uint32_t __attribute__((vector_size(4 * kWidth)));
using Integers = int32_t __attribute__((vector_size(4 * kWidth)));

/// Multiplies `rows` rows from `i` on by `wide` vectors of columns from `j` on.
template <unsigned rows, unsigned wide, bool isInteger>
[[gnu::always_inline]] inline void multiplyTile(const RowProduct &p, unsigned i,
                                                unsigned j) {
  // Products are exact, so that a fused sum is the same.
#ifdef __clang__
#pragma clang fp contract(fast)
#endif
  Words constant = {};
  constant += p.constant;
  Words old[rows][wide];
  Doubles sums[rows][wide];
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned w = 0; w < wide; ++w) {
      Words &words = old[r][w];
      words = constant;
      if (const uint32_t *from = p.from[i + r])
        std::memcpy(&words, from + j + w * kWidth, sizeof words);
      // Sums of integers begin at zero: they stay in the range of i32.
      if constexpr (isInteger)
        sums[r][w] = Doubles{};
      else
        sums[r][w] =
            __builtin_convertvector(std::bit_cast<Floats>(words), Doubles);
    }
  for (unsigned s = 0; s < p.k; ++s) {
    const double *lhs = p.lhs[s] + i, *rhs = p.rhs[s] + j;
    Doubles right[wide];
    std::memcpy(right, rhs, sizeof right);
    for (unsigned r = 0; r < rows; ++r) {
      double x = lhs[r];
      Doubles left = {x, x, x, x, x, x, x, x};
      for (unsigned w = 0; w < wide; ++w)
        sums[r][w] += left * right[w];
    }
  }
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned w = 0; w < wide; ++w) {
      Words words;
      if constexpr (isInteger)
        words = old[r][w] + std::bit_cast<Words>(
                                __builtin_convertvector(sums[r][w], Integers));
      else
        words =
            std::bit_cast<Words>(__builtin_convertvector(sums[r][w], Floats));
      std::memcpy(p.to[i + r] + j + w * kWidth, &words, sizeof words);
    }
}

template <unsigned rows, unsigned wide>
[[gnu::always_inline]] inline void multiplyTiles(const RowProduct &p) {
  for (unsigned i = 0; i < p.m; i += rows)
    for (unsigned j = 0; j < p.n; j += wide * kWidth)
      if (p.isInteger)
        multiplyTile<rows, wide, true>(p, i, j);
      else
        multiplyTile<rows, wide, false>(p, i, j);
}

// Sums stay in registers: there are 16 of four f64, or 32 of eight.
void multiplyUsual(const RowProduct &p) { multiplyTiles<2, 2>(p); }

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void multiplyWide(const RowProduct &p) {
  if (p.n == 32)
    multiplyTiles<4, 4>(p);
  else
    multiplyTiles<8, 2>(p);
}
#endif

using Multiply = void (*)(const RowProduct &);
Multiply choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return multiplyWide;
#endif
  return multiplyUsual;
}
} // namespace

void kiln::amd::sim::multiplyRows(const RowProduct &product) {
  static const Multiply multiply = choose();
  multiply(product);
}
