// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers and checked accesses.
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Elements.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

Touched::Touched(int64_t bytes, int64_t granule, bool timed)
    : granule(granule), timed(timed) {
  int64_t count = (bytes + granule - 1) / granule;
  writer.resize(count);
  reader.resize(count);
  if (timed) {
    writerTime.resize(count);
    readerTime.resize(count);
  }
}

template <typename T>
static std::vector<T> repeated(const std::vector<T> &from, int64_t times) {
  std::vector<T> result;
  result.reserve(from.size() * times);
  for (const T &entry : from)
    result.insert(result.end(), times, entry);
  return result;
}

void Touched::refine(int64_t newGranule) {
  int64_t times = granule / newGranule;
  writer = repeated(writer, times);
  reader = repeated(reader, times);
  writerTime = repeated(writerTime, times);
  readerTime = repeated(readerTime, times);
  auto spread = [times](auto &map) {
    std::remove_reference_t<decltype(map)> result;
    for (const auto &[entry, value] : map)
      for (int64_t i = 0; i < times; ++i)
        result[entry * times + i] = value;
    map = std::move(result);
  };
  spread(readers);
  spread(released);
  granule = newGranule;
}

Buffer::Buffer(int64_t size)
    : bytes(size), memory(std::aligned_alloc(64, (size + 127) / 64 * 64)),
      owned(true) {
  if (!memory)
    throw std::bad_alloc();
  try {
    states.assign(size, 0);
  } catch (const std::bad_alloc &) {
    std::free(memory);
    throw;
  }
}

Buffer::~Buffer() {
  if (owned)
    std::free(memory);
}

void Buffer::markWritten(int64_t begin, int64_t end) {
  if (states.empty() || begin >= end)
    return;
  if (begin == 0 && end == bytes)
    states = {};
  else
    std::memset(states.data() + begin, 1, end - begin);
}

void Buffer::markUnwritten(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  if (states.empty())
    states.assign(bytes, 1);
  std::memset(states.data() + begin, 0, end - begin);
}

char *boxAddress(const Box &box, SmallVectorImpl<int64_t> &strides) {
  const View &view = *box.view;
  int64_t bytes = runtime::dtypeBytes(view.dtype);
  int64_t at = view.byteOffset;
  strides.clear();
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    at += box.first[d] * view.strides[d] * bytes;
    strides.push_back(view.strides[d] * box.steps[d]);
  }
  return view.buffer->data() + at;
}

void readBox(const Box &box, Value &out, int64_t offset,
             ArrayRef<int64_t> strides) {
  SmallVector<int64_t, 4> from;
  char *address = boxAddress(box, from);
  int64_t bytes = runtime::dtypeBytes(out.dtype());
  copyStrided(box.sizes, bytes, out.as<char>() + offset * bytes, strides,
              address, from);
}

int64_t addressOf(const View &view) {
  // A view without a buffer is an address that nothing is known about.
  return view.byteOffset +
         (view.buffer ? reinterpret_cast<intptr_t>(view.buffer->data()) : 0);
}

View allocate(DType dtype, ArrayRef<int64_t> shape) {
  View view;
  view.dtype = dtype;
  view.sizes.assign(shape.begin(), shape.end());
  view.strides = rowMajorStrides(shape);
  view.buffer = std::make_shared<Buffer>(countElements(shape) *
                                         runtime::dtypeBytes(dtype));
  return view;
}

View viewOf(const Value &tensor) {
  View view;
  view.dtype = tensor.dtype();
  view.sizes.assign(tensor.shape().begin(), tensor.shape().end());
  view.strides = rowMajorStrides(tensor.shape());
  // The buffer keeps the tensor alive.
  struct Owner {
    Value tensor;
    Buffer buffer;
    explicit Owner(const Value &value)
        : tensor(value),
          buffer(const_cast<void *>(tensor.data()), tensor.bytes()) {}
  };
  auto owner = std::make_shared<Owner>(tensor);
  view.buffer = std::shared_ptr<Buffer>(owner, &owner->buffer);
  return view;
}

Value readView(const View &view) {
  Value out = Value::tensor(view.dtype, view.sizes);
  Box box = {&view, {}, view.sizes, {}};
  box.first.assign(view.sizes.size(), 0);
  box.steps.assign(view.sizes.size(), 1);
  readBox(box, out, 0, rowMajorStrides(view.sizes));
  return out;
}

} // namespace kiln::eval
