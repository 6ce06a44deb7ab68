// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reproducible invented data.
#include "Inputs.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <thread>
#include <vector>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

/// splitmix64: the same numbers on every machine.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed * 0xd1342543de82ef95u + 1) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [-1, 1), a multiple of 2^-23.
  float nextFloat() {
    return float(int64_t(next() >> 40) - (int64_t(1) << 23)) * 0x1p-23f;
  }
  double nextDouble() {
    return double(int64_t(next() >> 11) - (int64_t(1) << 52)) * 0x1p-52;
  }
  /// Leaves out `count` numbers.
  void skip(uint64_t count) { state += count * 0x9e3779b97f4a7c15u; }

private:
  uint64_t state;
};

/// The number itself, or one near to it that the domain has.
template <typename T> T bring(T value, Domain domain) {
  if (value < 0 &&
      (domain == Domain::nonnegative || domain == Domain::positive))
    value = -value;
  if (value == 0 && (domain == Domain::nonzero || domain == Domain::positive))
    return T(1);
  return value;
}

/// Large tensors by several threads, to the same effect.
void fillFloats(float *floats, int64_t count, Generator random, Domain domain) {
  constexpr int64_t kPart = 1 << 22;
  auto fill = [&](int64_t begin) {
    Generator own = random;
    own.skip(uint64_t(begin));
    for (int64_t i = begin, end = std::min(count, begin + kPart); i < end; ++i)
      floats[i] = bring(own.nextFloat(), domain);
  };
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t begin; (begin = next.fetch_add(kPart)) < count;)
      fill(begin);
  };
  std::vector<std::thread> threads;
  int64_t parts = (count + kPart - 1) / kPart;
  int64_t cores = std::min<int64_t>(std::thread::hardware_concurrency(), 16);
  for (int64_t i = 1; i < std::min(parts, cores); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// What invented integers lie in when the program does not say.
std::pair<int64_t, int64_t> moderateRange(DType dtype) {
  switch (dtype) {
  case DType::i1:
    return {0, 1};
  case DType::i4:
    return {-7, 7};
  case DType::i8:
    return {-100, 100};
  case DType::u8:
    return {0, 200};
  default:
    return {isUnsigned(dtype) ? 0 : -1000, 1000};
  }
}

} // namespace

void kiln::run::fillRandom(Tensor &tensor, uint64_t seed, const Argument &arg) {
  Generator random(seed);
  int64_t count = tensor.numElements();
  void *data = tensor.data();
  if (tensor.dtype == DType::f32) {
    fillFloats(static_cast<float *>(data), count, random, arg.domain);
    return;
  }
  if (tensor.dtype == DType::f8E8M0FNU) { // powers of two only
    for (int64_t i = 0; i < count; ++i)
      static_cast<uint8_t *>(data)[i] = uint8_t(120 + random.next() % 8);
    return;
  }
  if (isFloat(tensor.dtype)) {
    for (int64_t i = 0; i < count; ++i) {
      storeDouble(tensor.dtype, data, i,
                  bring(random.nextDouble(), arg.domain));
      // Narrow types round small numbers to 0.
      double kept = loadAsDouble(tensor.dtype, data, i);
      storeDouble(tensor.dtype, data, i, bring(kept, arg.domain));
    }
    return;
  }
  std::pair<int64_t, int64_t> range = moderateRange(tensor.dtype);
  if (arg.low <= arg.high)
    range = {arg.low, arg.high};
  // A sign that is asked for cuts the range.
  if (arg.domain == Domain::nonnegative && range.second >= 0)
    range.first = std::max<int64_t>(range.first, 0);
  if (arg.domain == Domain::positive && range.second >= 1)
    range.first = std::max<int64_t>(range.first, 1);
  // A width of 0 means all of 64 bits.
  uint64_t width = uint64_t(range.second) - uint64_t(range.first) + 1;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = random.next();
    auto value = int64_t(uint64_t(range.first) + (width ? bits % width : bits));
    if (value == 0 && arg.domain == Domain::nonzero)
      value = range.second >= 1 ? 1 : -1;
    storeInt(tensor.dtype, data, i, value);
  }
}

void kiln::run::addHurt(Tensor &tensor, uint64_t seed) {
  int64_t count = tensor.numElements();
  if (!isFloat(tensor.dtype) || !count)
    return;
  struct Range {
    double least, normal, largest;
  };
  auto range = [&]() -> Range {
    switch (tensor.dtype) {
    case DType::f64:
      return {0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023};
    case DType::f16:
      return {0x1p-24, 0x1p-14, 65504};
    case DType::bf16:
      return {0x1p-133, 0x1p-126, 0x1.fep127};
    case DType::f32:
      return {0x1p-149, 0x1p-126, 0x1.fffffep127};
    default: // as small and large as most narrow types go
      return {0x1p-9, 0x1p-6, 448};
    }
  }();
  const double values[] = {std::nan(""), HUGE_VAL,      -0.0,
                           range.least,  range.largest, -HUGE_VAL,
                           0.0,          -range.least,  -range.largest,
                           range.normal, -range.normal, 3 * range.least};
  constexpr int64_t kMost = 24;
  Generator random(seed ^ 0x68757274);
  int64_t places = std::clamp<int64_t>(count / 8, 1, kMost);
  for (int64_t n = 0; n < places; ++n)
    storeDouble(tensor.dtype, tensor.data(),
                int64_t(random.next() % uint64_t(count)),
                values[size_t(n) % std::size(values)]);
}
