// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products, the inner loop of dot_general, conv and attention.
#ifndef KILN_EVAL_PRODUCTS_H
#define KILN_EVAL_PRODUCTS_H

#include <cstdint>
#include <functional>

namespace kiln::eval {

/// C[m, n] += sum over k of A[m, k] * B[k, n], all row-major and dense. Floats
/// are multiplied and added in T; integers wrap. May use several threads.
void multiply(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
              double *c);
void multiply(int64_t m, int64_t n, int64_t k, const uint64_t *a,
              const uint64_t *b, uint64_t *c);
void multiply(int64_t m, int64_t n, int64_t k, const long double *a,
              const long double *b, long double *c);

/// Writes `n` elements from number `begin` on.
template <typename T>
using LoadElements = std::function<void(int64_t begin, int64_t n, T *to)>;

/// The same for a B that is converted as it is read, which saves a copy of all
/// of it.
void multiply(int64_t m, int64_t n, int64_t k, const double *a,
              const LoadElements<double> &b, double *c);
void multiply(int64_t m, int64_t n, int64_t k, const uint64_t *a,
              const LoadElements<uint64_t> &b, uint64_t *c);
void multiply(int64_t m, int64_t n, int64_t k, const long double *a,
              const LoadElements<long double> &b, long double *c);

} // namespace kiln::eval

#endif // KILN_EVAL_PRODUCTS_H
