// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of arguments, from seeds.
#include "Values.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace kiln::conform;
using namespace kiln::runtime;

namespace {

/// splitmix64: the same numbers on every machine.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

uint64_t maskOf(DType dtype) {
  int bits = dtypeBits(dtype);
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

bool isNumber(DType dtype, uint64_t bits) {
  double value = loadAsDouble(dtype, &bits, 0);
  return std::isfinite(value);
}

uint64_t anyBits(DType dtype, Generator &random, bool finite) {
  if (dtype == DType::i1)
    return random.next() & 1;
  uint64_t bits = random.next() & maskOf(dtype);
  // Random exponents are mostly far away: half of the numbers are near to 1.
  FloatForm form = formOf(dtype);
  if (form.exponent > 5 && random.next() % 2) {
    uint64_t bias = (uint64_t(1) << (form.exponent - 1)) - 1;
    uint64_t fraction = bits & ((uint64_t(1) << form.fraction) - 1);
    uint64_t sign = random.next() % 2 << (form.fraction + form.exponent);
    bits = sign | (bias - 4 + random.next() % 9) << form.fraction | fraction;
  }
  while (finite && isFloat(dtype) && !isNumber(dtype, bits))
    bits = random.next() & maskOf(dtype);
  return bits;
}

/// Halfway between two numbers that keep fewer bits of the fraction, or x.5.
uint64_t tieBits(DType dtype, Generator &random, int64_t index) {
  FloatForm form = formOf(dtype);
  if (form.fraction < 2)
    return anyBits(dtype, random, true);
  if (index % 3 == 0) {
    uint64_t bits = 0;
    storeDouble(dtype, &bits, 0, double(int64_t(random.next() % 41)) - 20.5);
    return bits;
  }
  uint64_t bits = anyBits(dtype, random, true);
  constexpr int kept[] = {7, 10, 3, 2, 1, 23};
  int dropped = form.fraction - kept[random.next() % 6];
  if (dropped < 1)
    dropped = 1 + int(random.next() % uint64_t(form.fraction));
  bits &= ~((uint64_t(1) << dropped) - 1);
  bits |= uint64_t(1) << (dropped - 1);
  // One beside the tie tells which way the rounding leans.
  int64_t lean = int64_t(random.next() % 3) - 1;
  return index % 3 == 1 || dropped < 2 ? bits : bits + uint64_t(lean);
}

std::pair<double, double> plainRange(DType dtype) {
  switch (dtype) {
  case DType::i1:
    return {0, 1};
  case DType::i4:
    return {-7, 7};
  case DType::i8:
    return {-100, 100};
  default:
    return isFloat(dtype) ? std::pair(-4.0, 4.0) : std::pair(-1000.0, 1000.0);
  }
}

uint64_t rangeBits(DType dtype, Generator &random, double low, double high) {
  uint64_t bits = 0;
  if (isFloat(dtype)) {
    storeDouble(dtype, &bits, 0, low + (high - low) * random.unit());
    return bits;
  }
  uint64_t width = uint64_t(high - low) + 1;
  return uint64_t(int64_t(low) + int64_t(random.next() % width)) &
         maskOf(dtype);
}

uint64_t cancelBits(DType dtype, Generator &random, int64_t index) {
  if (!isFloat(dtype))
    return anyBits(dtype, random, true);
  double size = dtypeBits(dtype) < 16 ? 16 : dtypeBits(dtype) < 32 ? 64 : 4096;
  double value =
      (index % 2 ? -size : size) * (1 + 0.001 * random.unit()) + random.unit();
  uint64_t bits = 0;
  storeDouble(dtype, &bits, 0, value);
  return bits;
}

/// A permutation of 0, 1, ...
void fillOrder(DType dtype, void *data, int64_t count, Generator &random) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.next() % i]);
  for (int64_t i = 0; i < count; ++i)
    storeInt(dtype, data, i, order[size_t(i)]);
}

uint64_t numberBits(DType dtype, double value) {
  uint64_t bits = 0;
  if (isFloat(dtype))
    storeDouble(dtype, &bits, 0, value);
  else
    storeInt(dtype, &bits, 0, int64_t(value));
  return bits;
}

/// Fills `count` elements; `place` and `places` say which argument it is.
void fillElements(DType dtype, void *data, int64_t count, const Fill &fill,
                  uint64_t seed, size_t place) {
  Generator random(seed);
  // One loop for each kind: names are not compared for each element.
  auto fillBy = [&](auto bitsOf) {
    for (int64_t i = 0; i < count; ++i)
      storeBits(dtype, data, i, bitsOf(i));
  };
  std::pair<double, double> range = plainRange(dtype);
  if (fill.low <= fill.high)
    range = {fill.low, fill.high};
  auto plain = [&](int64_t) {
    return dtype == DType::f8E8M0FNU
               ? 120 + random.next() % 14
               : rangeBits(dtype, random, range.first, range.second);
  };
  const std::string &kind = fill.kind;
  if (kind == "order")
    return fillOrder(dtype, data, count, random);
  if (kind == "hurt") {
    std::vector<uint64_t> hurting = hurtingBits(dtype);
    // Tuples in turn: the first argument changes fastest.
    return fillBy([&](int64_t i) {
      uint64_t n = hurting.size(), at = uint64_t(i);
      for (size_t k = 0; k < place && k < 2; ++k)
        at /= n;
      return place < 2 ? hurting[(at + uint64_t(i) / (n * n)) % n]
                       : hurting[random.next() % n];
    });
  }
  if (kind == "seldom") {
    std::vector<uint64_t> hurting = hurtingBits(dtype);
    return fillBy([&](int64_t i) {
      return random.next() % 48 == 0 ? hurting[random.next() % hurting.size()]
                                     : plain(i);
    });
  }
  if (kind == "bits" || kind == "finite")
    return fillBy([&, finite = kind == "finite"](int64_t) {
      return anyBits(dtype, random, finite);
    });
  if (kind == "ties")
    return fillBy([&](int64_t i) { return tieBits(dtype, random, i); });
  if (kind == "cancel")
    return fillBy([&](int64_t i) { return cancelBits(dtype, random, i); });
  if (kind == "value")
    return fillBy(
        [&, bits = numberBits(dtype, fill.low)](int64_t) { return bits; });
  if (kind == "count")
    return fillBy([&](int64_t i) { return numberBits(dtype, double(i)); });
  if (kind == "zero")
    return fillBy([](int64_t) { return uint64_t(0); });
  fillBy(plain);
}

} // namespace

uint64_t kiln::conform::hashOf(std::string_view text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325u ^ (seed * 0x9e3779b97f4a7c15u);
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  hash ^= hash >> 29;
  return hash * 0xbf58476d1ce4e5b9u;
}

FloatForm kiln::conform::formOf(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return {10, 5, true};
  case DType::bf16:
    return {7, 8, true};
  case DType::f32:
    return {23, 8, true};
  case DType::f64:
    return {52, 11, true};
  case DType::f8E5M2:
    return {2, 5, true};
  case DType::f8E4M3FN:
  case DType::f8E4M3FNUZ:
  case DType::f8E4M3B11FNUZ:
    return {3, 4, false};
  case DType::f8E5M2FNUZ:
    return {2, 5, false};
  case DType::f8E4M3:
    return {3, 4, true};
  case DType::f8E3M4:
    return {4, 3, true};
  default:
    return {};
  }
}

uint64_t kiln::conform::loadBits(DType dtype, const void *data, int64_t index) {
  uint64_t bits = 0;
  size_t bytes = size_t(dtypeBytes(dtype));
  std::memcpy(&bits, static_cast<const char *>(data) + size_t(index) * bytes,
              bytes);
  return bits;
}

void kiln::conform::storeBits(DType dtype, void *data, int64_t index,
                              uint64_t bits) {
  size_t bytes = size_t(dtypeBytes(dtype));
  if (dtypeBits(dtype) > 8 && int(bytes) * 8 > dtypeBits(dtype) &&
      isInteger(dtype) && dtype != DType::i1) // i48: sign-extended
    bits = uint64_t(int64_t(bits << (64 - dtypeBits(dtype))) >>
                    (64 - dtypeBits(dtype)));
  std::memcpy(static_cast<char *>(data) + size_t(index) * bytes, &bits, bytes);
}

std::vector<uint64_t> kiln::conform::hurtingBits(DType dtype) {
  std::vector<uint64_t> result;
  int width = dtypeBits(dtype);
  if (dtype == DType::i1)
    return {0, 1};
  if (width <= 8 && isFloat(dtype)) { // all of them
    for (uint64_t bits = 0; bits < uint64_t(1) << width; ++bits)
      result.push_back(bits);
    return result;
  }
  if (!isFloat(dtype)) {
    uint64_t mask = maskOf(dtype), top = uint64_t(1) << (width - 1);
    for (uint64_t value : {uint64_t(0),
                           uint64_t(1),
                           mask,
                           uint64_t(2),
                           mask - 1,
                           top,
                           top - 1,
                           top + 1,
                           top - 2,
                           uint64_t(3),
                           uint64_t(7),
                           mask - 6,
                           top >> 1,
                           (top >> 1) - 1,
                           uint64_t(0x5555555555555555),
                           uint64_t(width),
                           uint64_t(width - 1),
                           uint64_t(0x3333333333333333),
                           mask - 99,
                           uint64_t(100)})
      result.push_back(value & mask);
    return result;
  }
  FloatForm form = formOf(dtype);
  uint64_t one = uint64_t(1) << form.fraction;
  uint64_t top = ((uint64_t(1) << form.exponent) - 1) * one;
  uint64_t bias = ((uint64_t(1) << (form.exponent - 1)) - 1) * one;
  std::vector<uint64_t> positive = {0,       1,        one - 1,  one,
                                    one + 1, top - 1,  top,      top | one / 2,
                                    bias,    bias - 1, bias + 1, 2};
  for (double value : {0.5, 1.5, 2.5, 2.0, 3.0, 0.1, 10.0, 100.25, 709.0, 88.5,
                       1e-3, 1e-6, 0.70710678, 3.14159265}) {
    uint64_t bits = 0;
    storeDouble(dtype, &bits, 0, value);
    positive.push_back(bits);
  }
  for (uint64_t bits : positive)
    for (uint64_t sign : {uint64_t(0), uint64_t(1) << (width - 1)})
      result.push_back(bits | sign);
  return result;
}

Expected<Inputs> kiln::conform::makeInputs(const Program &program,
                                           const Call &call, uint64_t seed) {
  constexpr int64_t kGuard = 32;
  Inputs inputs;
  std::string name = caseName(program, call);
  if (call.seed)
    seed = call.seed;
  if (call.args.size() != program.params.size())
    return Error("case " + name + " has " + std::to_string(call.args.size()) +
                 " arguments, its program " +
                 std::to_string(program.params.size()));
  for (size_t k = 0; k < call.args.size(); ++k) {
    const CallArgument &arg = call.args[k];
    const Param &param = program.params[k];
    std::vector<int64_t> strides =
        arg.strides.empty() ? rowMajor(arg.shape) : arg.strides;
    // Negative strides run down from the first element.
    int64_t before = 0, after = 0;
    bool isEmpty = false;
    for (size_t d = 0; d < arg.shape.size(); ++d) {
      isEmpty |= arg.shape[d] == 0;
      int64_t reach = (arg.shape[d] - 1) * strides[d];
      (reach < 0 ? before : after) += std::abs(reach);
    }
    if (isEmpty)
      before = after = 0;
    int64_t guard = program.isKernel && !param.isScalar ? kGuard : 0;
    int64_t inside = isEmpty ? 0 : before + after + 1;
    Expected<Tensor> whole = Tensor::create(param.dtype, {2 * guard + inside});
    if (!whole)
      return whole.takeError();
    uint64_t own = hashOf(name, seed * 64 + k);
    Fill around;
    fillElements(param.dtype, whole->data(), guard, around, own + 1, k);
    char *data = static_cast<char *>(whole->data());
    int64_t bytes = dtypeBytes(param.dtype);
    fillElements(param.dtype, data + guard * bytes, inside, arg.fill, own, k);
    fillElements(param.dtype, data + (guard + inside) * bytes, guard, around,
                 own + 2, k);
    Tensor tensor = *whole;
    if (!param.isPointer) {
      tensor.shape = arg.shape;
      tensor.strides = strides;
    } else {
      tensor.shape.clear();
      tensor.strides.clear();
    }
    tensor.offset = guard + before;
    inputs.tensors.push_back(std::move(tensor));
    inputs.whole.push_back(std::move(*whole));
  }
  return inputs;
}
