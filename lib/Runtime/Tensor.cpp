// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host tensors.
#include "kiln/Runtime/Tensor.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace kiln::runtime;

namespace {

/// Vector code may read whole registers behind the last element.
constexpr size_t kSlack = 64;
constexpr size_t kAlign = 64;
/// From here on fresh pages of the system are asked for directly.
constexpr size_t kMapThreshold = 1 << 20;

/// Copies a strided window to row-major memory, innermost dimension in a run.
void gather(const Tensor &src, char *dst) {
  size_t width = size_t(dtypeBytes(src.dtype));
  size_t rank = src.shape.size();
  std::vector<int64_t> at(rank, 0);
  auto *base = static_cast<const char *>(src.data());
  int64_t inner = rank ? src.shape[rank - 1] : 1;
  int64_t step = rank ? src.strides[rank - 1] : 1;
  while (true) {
    int64_t offset = 0;
    for (size_t d = 0; d + 1 < rank; ++d)
      offset += at[d] * src.strides[d];
    const char *row = base + offset * int64_t(width);
    if (step == 1) {
      std::memcpy(dst, row, size_t(inner) * width);
    } else {
      for (int64_t i = 0; i < inner; ++i)
        std::memcpy(dst + i * int64_t(width), row + i * step * int64_t(width),
                    width);
    }
    dst += inner * int64_t(width);
    size_t d = rank > 1 ? rank - 1 : 0;
    while (d-- > 0) {
      if (++at[d] < src.shape[d])
        break;
      at[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

} // namespace

Expected<Storage> Storage::allocate(size_t bytes, bool zeroed) {
  Storage storage;
  storage.bytes = bytes;
  if (bytes > size_t(1) << 46)
    return Error("cannot allocate " + std::to_string(bytes) + " bytes");
  size_t total = (bytes + kSlack + kAlign - 1) / kAlign * kAlign;
  if (total >= kMapThreshold) {
    void *data = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
      return Error("cannot allocate " + std::to_string(bytes) + " bytes");
    madvise(data, total, MADV_HUGEPAGE);
    storage.data = data;
    storage.owner =
        std::shared_ptr<void>(data, [total](void *p) { munmap(p, total); });
    return storage;
  }
  storage.data = std::aligned_alloc(kAlign, total);
  if (!storage.data)
    return Error("cannot allocate " + std::to_string(bytes) + " bytes");
  storage.owner = std::shared_ptr<void>(storage.data, std::free);
  if (zeroed)
    std::memset(storage.data, 0, total);
  return storage;
}

std::vector<int64_t>
kiln::runtime::rowMajor(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = int64_t(uint64_t(strides[d]) *
                             uint64_t(std::max<int64_t>(shape[d], 1)));
  return strides;
}

std::optional<int64_t>
kiln::runtime::checkedCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    if (size == 0)
      isEmpty = true;
    else if (__builtin_mul_overflow(count, size, &count) || count > int64_t(1)
                                                                        << 56)
      return std::nullopt;
  }
  return isEmpty ? 0 : count;
}

std::optional<int64_t>
kiln::runtime::checkedExtent(DType dtype, const std::vector<int64_t> &shape,
                             const std::vector<int64_t> &strides) {
  std::optional<int64_t> count = checkedCount(shape);
  if (!count || shape.size() != strides.size())
    return std::nullopt;
  if (*count == 0)
    return 0;
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t reach = 0;
    if (strides[d] < 0 ||
        __builtin_mul_overflow(shape[d] - 1, strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  if (last > (int64_t(1) << 56))
    return std::nullopt;
  return (last + 1) * dtypeBytes(dtype);
}

std::string kiln::runtime::typeString(DType dtype,
                                      const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + std::string(dtypeName(dtype));
}

Expected<Tensor> Tensor::create(DType dtype, std::vector<int64_t> shape,
                                bool zeroed) {
  for (int64_t size : shape)
    if (size < 0)
      return Error("expected sizes of at least 0, found " +
                   std::to_string(size));
  std::optional<int64_t> count = checkedCount(shape);
  if (!count)
    return Error("a tensor of type " + typeString(dtype, shape) +
                 " is too large");
  Expected<Storage> storage =
      Storage::allocate(size_t(*count) * size_t(dtypeBytes(dtype)), zeroed);
  if (!storage)
    return storage.takeError();
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.strides = rowMajor(shape);
  tensor.shape = std::move(shape);
  tensor.storage = std::move(*storage);
  return tensor;
}

int64_t Tensor::numElements() const { return checkedCount(shape).value_or(0); }

bool Tensor::isContiguous() const {
  int64_t expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0)
      return true;
    if (shape[d] != 1 && strides[d] != expected)
      return numElements() == 0;
    expected *= shape[d];
  }
  return true;
}

void *Tensor::data() const {
  if (onDevice)
    return nullptr;
  return static_cast<char *>(storage.data) + offset * dtypeBytes(dtype);
}

Expected<Tensor> Tensor::contiguous() const {
  if (isContiguous())
    return *this;
  Expected<Tensor> copy = create(dtype, shape, /*zeroed=*/false);
  if (copy && numElements())
    gather(*this, static_cast<char *>(copy->data()));
  return copy;
}
