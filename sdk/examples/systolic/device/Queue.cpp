// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Queue.h"
#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace systolic;

/// Cycles until the first bytes of a transfer arrive, for every run of bytes,
/// and bytes of a cycle.
constexpr int64_t kLatency = 64, kPerRun = 4, kBytesPerCycle = 16;

int64_t Queue::add(Transfer t, int64_t now) {
  if (!t.argument->memory || t.argument->sizes.size() != t.dims.size() ||
      t.elementBytes < 1 || t.elementBytes > 8)
    throw std::runtime_error("a transfer of the wrong rank");
  int64_t rows = 1;
  t.bytes = t.elementBytes;
  for (const Transfer::Dim &dim : t.dims) {
    if (dim.count < 1 || dim.count > kPadBytes || dim.stride < 0 ||
        dim.stride > kPadBytes)
      throw std::runtime_error("a transfer of no size");
    t.bytes += (dim.count - 1) * dim.stride;
  }
  if (t.address < 0 || t.bytes > kPadBytes || t.address > kPadBytes - t.bytes)
    throw std::runtime_error("a transfer outside of the scratchpad");
  // What lies side by side in memory goes as one run of bytes.
  int64_t run = 1;
  for (size_t d = t.dims.size(); d-- > 0;) {
    if (t.dims[d].count == 1 && run > 1)
      continue;
    bool isRun = rows == 1 && t.argument->strides[d] == run;
    (isRun ? run : rows) *= t.dims[d].count;
  }
  int64_t bytes = run * t.elementBytes;
  int64_t duration = kLatency + rows * (kPerRun + (bytes + kBytesPerCycle - 1) /
                                                      kBytesPerCycle);
  busy += duration;
  free = std::max(free, now) + duration;
  t.end = free;
  t.tag = ++lastTag;
  waiting.push_back(t);
  return lastTag;
}

int64_t Queue::wait(int64_t tag, int64_t now) {
  while (!waiting.empty() && waiting.front().tag <= tag) {
    perform(waiting.front());
    now = std::max(now, waiting.front().end);
    waiting.pop_front();
  }
  return now;
}

bool Queue::touches(int64_t address, int64_t bytes, bool isWrite) const {
  for (const Transfer &t : waiting)
    if ((t.isIn || isWrite) && address < t.address + t.bytes &&
        t.address < address + bytes)
      return true;
  return false;
}

std::string Queue::describe() const {
  return "transfer " + std::to_string(waiting.front().tag) +
         (waiting.front().isIn ? " into" : " out of") + " the scratchpad";
}

void Queue::perform(const Transfer &t) {
  const Argument &view = *t.argument;
  std::vector<int64_t> index(t.dims.size());
  for (bool isDone = false; !isDone;) {
    bool isInside = true;
    int64_t element = 0, place = t.address;
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t at = t.dims[d].first + index[d];
      isInside &= at >= 0 && at < view.sizes[d];
      element += at * view.strides[d];
      place += index[d] * t.dims[d].stride;
    }
    size_t size = size_t(t.elementBytes);
    if (isInside) {
      uint64_t byte = view.byteOffset + uint64_t(element) * size;
      if (byte > view.memory->size() || view.memory->size() - byte < size)
        throw std::runtime_error("a transfer outside of its buffer");
      char *memory = view.memory->data() + byte, *here = pad.data() + place;
      std::memcpy(t.isIn ? here : memory, t.isIn ? memory : here, size);
    } else if (t.isIn) {
      std::memcpy(pad.data() + place, &t.padding, size);
    }
    isDone = true;
    for (size_t d = index.size(); d-- > 0 && isDone;) {
      isDone = ++index[d] == t.dims[d].count;
      if (isDone)
        index[d] = 0;
    }
  }
}
