// Reproducible invented data.
#include "Inputs.h"
#include <algorithm>

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

private:
  uint64_t state;
};

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
    auto *floats = static_cast<float *>(data);
    for (int64_t i = 0; i < count; ++i)
      floats[i] = random.nextFloat();
    return;
  }
  if (tensor.dtype == DType::f8E8M0FNU) { // powers of two only
    for (int64_t i = 0; i < count; ++i)
      static_cast<uint8_t *>(data)[i] = uint8_t(120 + random.next() % 8);
    return;
  }
  if (isFloat(tensor.dtype)) {
    for (int64_t i = 0; i < count; ++i)
      storeDouble(tensor.dtype, data, i, random.nextDouble());
    return;
  }
  std::pair<int64_t, int64_t> range = moderateRange(tensor.dtype);
  if (arg.low <= arg.high)
    range = {arg.low, arg.high};
  // A width of 0 means all of 64 bits.
  uint64_t width = uint64_t(range.second) - uint64_t(range.first) + 1;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = random.next();
    storeInt(tensor.dtype, data, i,
             int64_t(uint64_t(range.first) + (width ? value % width : value)));
  }
}
