// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements in bulk: reading any type as doubles or 64-bit integers, writing
// them back rounded once, and moving them between strided shapes. Operations
// are loops over chunks that fit in the first-level cache, so that no element
// costs a call.
#ifndef KILN_EVAL_ELEMENTS_H
#define KILN_EVAL_ELEMENTS_H

#include "kiln/Eval/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>

namespace kiln::eval {

/// Elements per chunk.
constexpr int64_t kChunk = 512;

/// How integers are widened to 64 bits.
enum class Extend : uint8_t {
  sign, ///< i1 is 0 or -1
  zero, ///< the bits as an unsigned number
  truth ///< as sign, but i1 is 0 or 1
};

/// Converts elements `begin` to `begin` + `n` of `data` to f64.
void loadDoubles(DType dtype, const void *data, int64_t begin, int64_t n,
                 double *out);
/// Converts `n` doubles to elements `begin` to `begin` + `n` of `data`. Floats
/// are rounded to nearest, ties to even.
void storeDoubles(DType dtype, void *data, int64_t begin, int64_t n,
                  const double *in);
/// Converts elements `begin` to `begin` + `n` of `data`, of an integer type, to
/// 64 bits.
void loadInts(DType dtype, const void *data, int64_t begin, int64_t n,
              int64_t *out, Extend extend = Extend::truth);
/// Writes elements `begin` to `begin` + `n` of `data`, of an integer type: the
/// low bits of each number.
void storeInts(DType dtype, void *data, int64_t begin, int64_t n,
               const int64_t *in);

/// The double nearest to `value` whose rounding to any narrower type equals
/// that of `value` (round to odd).
double narrowToOdd(long double value);
/// The same for a signed integer.
double narrowToOdd(int64_t value);
/// The same for an unsigned integer.
double narrowToOdd(uint64_t value);

/// Returns the explicit bits of the fraction of a float type: 23 for f32.
int fractionBits(DType dtype);
/// Returns the smallest positive normal number of a float type.
double smallestNormal(DType dtype);
/// Returns the largest finite number of a float type.
double largestFinite(DType dtype);
/// Returns the smallest number of an integer type.
int64_t smallestInt(DType dtype);
/// Returns the largest number of an integer type, as 64 bits.
int64_t largestInt(DType dtype);

/// Whether the highest bit of a float type is the sign, and nothing else.
inline bool hasSignBit(DType dtype) {
  return dtype != DType::f8E4M3FNUZ && dtype != DType::f8E5M2FNUZ &&
         dtype != DType::f8E4M3B11FNUZ && dtype != DType::f8E8M0FNU;
}

/// Calls `body(begin, end)` for parts of [0, n), on several threads when there
/// are at least two parts of `grain`.
void parallelFor(int64_t n, int64_t grain,
                 llvm::function_ref<void(int64_t, int64_t)> body);

/// out[i] = fn(a[i]) on doubles.
template <typename Fn> void mapFloats(const Value &a, Value &out, Fn fn) {
  parallelFor(out.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    double x[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      for (int64_t k = 0; k < n; ++k)
        x[k] = fn(x[k]);
      storeDoubles(out.dtype(), out.mutableData(), i, n, x);
    }
  });
}

/// out[i] = fn(a[i], b[i]) on doubles.
template <typename Fn>
void mapFloats(const Value &a, const Value &b, Value &out, Fn fn) {
  parallelFor(out.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    double x[kChunk], y[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      loadDoubles(b.dtype(), b.data(), i, n, y);
      for (int64_t k = 0; k < n; ++k)
        x[k] = fn(x[k], y[k]);
      storeDoubles(out.dtype(), out.mutableData(), i, n, x);
    }
  });
}

/// out[i] = fn(a[i]) on integers.
template <typename Fn>
void mapInts(const Value &a, Value &out, Extend extend, Fn fn) {
  parallelFor(out.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    int64_t x[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadInts(a.dtype(), a.data(), i, n, x, extend);
      for (int64_t k = 0; k < n; ++k)
        x[k] = fn(x[k]);
      storeInts(out.dtype(), out.mutableData(), i, n, x);
    }
  });
}

/// out[i] = fn(a[i], b[i]) on integers.
template <typename Fn>
void mapInts(const Value &a, const Value &b, Value &out, Extend extend, Fn fn) {
  parallelFor(out.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    int64_t x[kChunk], y[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadInts(a.dtype(), a.data(), i, n, x, extend);
      loadInts(b.dtype(), b.data(), i, n, y, extend);
      for (int64_t k = 0; k < n; ++k)
        x[k] = fn(x[k], y[k]);
      storeInts(out.dtype(), out.mutableData(), i, n, x);
    }
  });
}

/// out[i] = fn(a[i], b[i]) on doubles; the result is i1.
template <typename Fn>
void compareFloats(const Value &a, const Value &b, Value &out, Fn fn) {
  uint8_t *result = out.as<uint8_t>();
  parallelFor(out.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    double x[kChunk], y[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      loadDoubles(b.dtype(), b.data(), i, n, y);
      for (int64_t k = 0; k < n; ++k)
        result[i + k] = fn(x[k], y[k]);
    }
  });
}

/// A function of doubles with a wider version of itself.
struct WideFunction {
  double (*narrow)(double);         ///< computes most elements
  long double (*wide)(long double); ///< decides roundings that are close
};

/// out[i] = fn(a[i]), correctly rounded for types up to f32: where the double
/// lies so close to a rounding boundary that its error could matter, the wider
/// version decides.
void mapFunction(const Value &a, Value &out, WideFunction fn);
/// The same for a function of two operands.
void mapFunction(const Value &a, const Value &b, Value &out,
                 double (*narrow)(double, double),
                 long double (*wide)(long double, long double));

/// out[i] = a[i] * b[i] + c[i], rounded once; f16 and bf16 may be rounded to
/// f32 first.
void mapFused(const Value &a, const Value &b, const Value &c, Value &out);

/// Copies `shape` elements of `bytes` bytes. Strides are in elements and may be
/// zero or negative; the pointers are those of element 0.
void copyStrided(llvm::ArrayRef<int64_t> shape, int64_t bytes, void *dst,
                 llvm::ArrayRef<int64_t> dstStrides, const void *src,
                 llvm::ArrayRef<int64_t> srcStrides);
/// Sets every element of `out` to the scalar `value` of the same type.
void fill(Value &out, const Value &value);

/// Moves elements (and their poison) from `src` into a new tensor of `shape`,
/// where element 0 is at `offset` in src and strides are as given.
Value gatherStrided(const Value &src, llvm::ArrayRef<int64_t> shape,
                    int64_t offset, llvm::ArrayRef<int64_t> strides);
/// Writes all of `src` into `out` at `offset` with `strides`.
void scatterStrided(const Value &src, Value &out, int64_t offset,
                    llvm::ArrayRef<int64_t> strides);
/// The transposed tensor: dimension d of the result is permutation[d].
Value transposed(const Value &src, llvm::ArrayRef<int64_t> permutation);

} // namespace kiln::eval

#endif // KILN_EVAL_ELEMENTS_H
