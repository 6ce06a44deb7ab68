// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of any strides between host and devices.
#include "Interpreter.h"
#include <cstring>

using namespace kiln::runtime;

std::optional<std::pair<int64_t, int64_t>>
kiln::runtime::windowOf(DType dtype, const std::vector<int64_t> &sizes,
                        const std::vector<int64_t> &strides) {
  std::optional<int64_t> count = checkedCount(sizes);
  if (!count)
    return std::nullopt;
  if (!*count)
    return std::make_pair<int64_t, int64_t>(0, 0);
  int64_t low = 0, high = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach,
                               reach < 0 ? &low : &high))
      return std::nullopt;
  }
  int64_t width = dtypeBytes(dtype);
  if (__builtin_mul_overflow(low, width, &low) ||
      __builtin_add_overflow(high, 1, &high) ||
      __builtin_mul_overflow(high, width, &high))
    return std::nullopt;
  return std::make_pair(low, high);
}

namespace {

/// Calls fn(number, place) for every element of a row-major walk.
template <typename Fn> void walk(const std::vector<int64_t> &sizes, Fn fn) {
  std::vector<int64_t> at(sizes.size(), 0);
  int64_t count = checkedCount(sizes).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    fn(i, at);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d])
        break;
      at[d] = 0;
    }
  }
}

/// Copies the elements of two strided windows, from their first elements.
void copyStrided(const std::vector<int64_t> &sizes, int64_t width, char *to,
                 const std::vector<int64_t> &toStrides, const char *from,
                 const std::vector<int64_t> &fromStrides) {
  walk(sizes, [&](int64_t, const std::vector<int64_t> &at) {
    int64_t in = 0, out = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      in += at[d] * fromStrides[d];
      out += at[d] * toStrides[d];
    }
    std::memcpy(to + out * width, from + in * width, size_t(width));
  });
}

} // namespace

void kiln::runtime::copyElements(const Tensor &from, const Tensor &to) {
  int64_t width = dtypeBytes(from.dtype);
  if (from.isContiguous() && to.isContiguous()) {
    std::memmove(to.data(), from.data(), size_t(from.numElements() * width));
    return;
  }
  copyStrided(from.shape, width, static_cast<char *>(to.data()), to.strides,
              static_cast<const char *>(from.data()), from.strides);
}

Expected<Tensor> kiln::runtime::fetch(Device &on, const BufferValue &from) {
  Expected<Tensor> out =
      Tensor::create(from.dtype, from.sizes, /*zeroed=*/false);
  if (!out || !from.numElements())
    return out;
  int64_t width = dtypeBytes(from.dtype);
  if (from.isContiguous()) {
    if (Error error =
            on.copyOut(out->data(), *from.memory, uint64_t(from.begin),
                       uint64_t(from.numElements() * width)))
      return error;
    if (Error error = on.synchronize())
      return error;
    return out;
  }
  auto range = windowOf(from.dtype, from.sizes, from.strides);
  std::vector<char> region(size_t(range->second - range->first));
  if (Error error =
          on.copyOut(region.data(), *from.memory,
                     uint64_t(from.begin + range->first), region.size()))
    return error;
  if (Error error = on.synchronize())
    return error;
  copyStrided(from.sizes, width, static_cast<char *>(out->data()), out->strides,
              region.data() - range->first, from.strides);
  return out;
}

Error kiln::runtime::store(Device &on, const Tensor &tensor,
                           const BufferValue &to) {
  int64_t width = dtypeBytes(to.dtype);
  if (to.isContiguous() && tensor.isContiguous()) {
    on.keep(tensor.storage.owner, /*isHost=*/true);
    return on.copyIn(*to.memory, uint64_t(to.begin), tensor.data(),
                     uint64_t(to.numElements() * width));
  }
  // What lies between the elements has to stay as it is.
  auto range = windowOf(to.dtype, to.sizes, to.strides);
  auto region =
      std::make_shared<std::vector<char>>(size_t(range->second - range->first));
  uint64_t start = uint64_t(to.begin + range->first);
  if (Error error =
          on.copyOut(region->data(), *to.memory, start, region->size()))
    return error;
  if (Error error = on.synchronize())
    return error;
  copyStrided(to.sizes, width, region->data() - range->first, to.strides,
              static_cast<const char *>(tensor.data()), tensor.strides);
  on.keep(region, /*isHost=*/true);
  return on.copyIn(*to.memory, start, region->data(), region->size());
}
