// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moving elements between strided shapes.
#include "kiln/Eval/Elements.h"
#include <cstring>

using namespace llvm;

namespace kiln::eval {

namespace {

/// One loop of a copy; strides in bytes.
struct Loop {
  int64_t size, dst, src;
};

template <typename T>
void copyRow(int64_t n, char *dst, int64_t dstStep, const char *src,
             int64_t srcStep) {
  if (dstStep == sizeof(T) && srcStep == sizeof(T)) {
    std::memcpy(dst, src, n * sizeof(T));
    return;
  }
  if (dstStep == sizeof(T) && srcStep == 0) {
    T value;
    std::memcpy(&value, src, sizeof(T));
    std::fill_n(reinterpret_cast<T *>(dst), n, value);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(dst + i * dstStep, src + i * srcStep, sizeof(T));
}

template <typename T>
void copyLoops(ArrayRef<Loop> loops, char *dst, const char *src) {
  if (loops.size() == 1)
    return copyRow<T>(loops[0].size, dst, loops[0].dst, src, loops[0].src);
  if (loops.size() == 2 && loops[0].src == sizeof(T) &&
      loops[1].dst == sizeof(T)) {
    // A transpose: small squares keep both sides in the cache.
    constexpr int64_t square = 32;
    for (int64_t i = 0; i < loops[0].size; i += square)
      for (int64_t j = 0; j < loops[1].size; j += square)
        for (int64_t y = i; y < std::min(i + square, loops[0].size); ++y)
          copyRow<T>(std::min(square, loops[1].size - j),
                     dst + y * loops[0].dst + j * loops[1].dst, loops[1].dst,
                     src + y * loops[0].src + j * loops[1].src, loops[1].src);
    return;
  }
  for (int64_t i = 0; i < loops[0].size; ++i)
    copyLoops<T>(loops.drop_front(), dst + i * loops[0].dst,
                 src + i * loops[0].src);
}

} // namespace

void copyStrided(ArrayRef<int64_t> shape, int64_t bytes, void *dst,
                 ArrayRef<int64_t> dstStrides, const void *src,
                 ArrayRef<int64_t> srcStrides) {
  SmallVector<Loop, 6> loops;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0)
      return;
    if (shape[d] == 1)
      continue;
    Loop loop = {shape[d], dstStrides[d] * bytes, srcStrides[d] * bytes};
    // Loops that continue each other become one.
    if (!loops.empty() && loops.back().dst == loop.dst * loop.size &&
        loops.back().src == loop.src * loop.size) {
      loop.size *= loops.back().size;
      loops.back() = loop;
    } else {
      loops.push_back(loop);
    }
  }
  if (loops.empty())
    loops.push_back({1, bytes, bytes});
  char *to = static_cast<char *>(dst);
  const char *from = static_cast<const char *>(src);
  switch (bytes) {
  case 1:
    return copyLoops<uint8_t>(loops, to, from);
  case 2:
    return copyLoops<uint16_t>(loops, to, from);
  case 4:
    return copyLoops<uint32_t>(loops, to, from);
  default:
    return copyLoops<uint64_t>(loops, to, from);
  }
}

void fill(Value &out, const Value &value) {
  SmallVector<int64_t, 1> zero = {0}, one = {1};
  copyStrided({out.size()}, runtime::dtypeBytes(out.dtype()), out.mutableData(),
              one, value.data(), zero);
  if (value.poison() && value.poison()[0])
    std::fill_n(out.makePoison(), out.size(), 1);
}

Value gatherStrided(const Value &src, ArrayRef<int64_t> shape, int64_t offset,
                    ArrayRef<int64_t> strides) {
  Value out = Value::tensor(src.dtype(), shape);
  int64_t bytes = runtime::dtypeBytes(src.dtype());
  auto dense = rowMajorStrides(shape);
  copyStrided(shape, bytes, out.mutableData(), dense,
              src.as<char>() + offset * bytes, strides);
  if (src.hasPoison())
    copyStrided(shape, 1, out.makePoison(), dense, src.poison() + offset,
                strides);
  return out;
}

void scatterStrided(const Value &src, Value &out, int64_t offset,
                    ArrayRef<int64_t> strides) {
  int64_t bytes = runtime::dtypeBytes(src.dtype());
  auto dense = rowMajorStrides(src.shape());
  copyStrided(src.shape(), bytes, out.as<char>() + offset * bytes, strides,
              src.data(), dense);
  if (src.hasPoison())
    copyStrided(src.shape(), 1, out.makePoison() + offset, strides,
                src.poison(), dense);
  else if (out.hasPoison()) {
    const uint8_t none = 0;
    copyStrided(src.shape(), 1, out.makePoison() + offset, strides, &none,
                SmallVector<int64_t, 4>(src.rank(), 0));
  }
}

Value transposed(const Value &src, ArrayRef<int64_t> permutation) {
  auto dense = rowMajorStrides(src.shape());
  SmallVector<int64_t, 4> shape, strides;
  for (int64_t d : permutation) {
    shape.push_back(src.dim(d));
    strides.push_back(dense[d]);
  }
  return gatherStrided(src, shape, 0, strides);
}

} // namespace kiln::eval
