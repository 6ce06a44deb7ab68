// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine of vela in software. The compiler does not know that vectors have 12 lanes.
#include "kiln/Runtime/SimulatedScratchpad.h"
#include <array>
#include <cmath>

using namespace kiln::runtime;

namespace {

constexpr int64_t kLanes = 12, kScratchpad = 65536;
enum Own : int64_t { Length, While, VectorLoad, VectorStore, Vector, Multiply, Reduce, Scan };

float larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

float compute(int64_t function, float a, float b) {
  switch (function) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a * b;
  case 3: return a / b;
  case 4: return larger(a, b);
  case 5: return -larger(-a, -b);
  case 6: return -a;
  case 7: return std::exp(a);
  case 8: return std::sqrt(a);
  case 9: return std::tanh(a);
  case 10: return std::fabs(a);
  case 11: case 12: return a;
  default: throw std::runtime_error("a function that does not exist");
  }
}

float widen(uint16_t half) {
  uint32_t word = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

uint16_t round(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return std::isnan(value) ? uint16_t(word >> 16 | 64) : uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

struct Instance : ScratchpadCore {
  using ScratchpadCore::ScratchpadCore;
  std::array<std::array<float, kLanes>, 4> vectors = {};
  std::array<std::array<bool, kLanes>, 4> predicates = {};

  void step(int64_t code, const std::vector<int64_t> &x) {
    switch (code) {
    case Length: number(x.at(0)) = kLanes; return;
    case While:
      for (int64_t lane = 0; lane < kLanes; ++lane)
        predicates.at(size_t(x.at(0)))[size_t(lane)] = number(x.at(1)) + lane < x.at(2);
      return;
    case VectorLoad: case VectorStore: return access(x, code == VectorLoad);
    case Vector:
      for (size_t lane = 0; lane < kLanes; ++lane)
        if (predicates.at(size_t(x.at(2)))[lane])
          vectors.at(size_t(x.at(1)))[lane] =
              compute(x[0], vectors.at(size_t(x.at(3)))[lane], vectors.at(size_t(x.at(4)))[lane]);
      return;
    case Multiply:
      for (int64_t i = 0; i < x.at(6); ++i)
        for (int64_t j = 0; j < x.at(7); ++j)
          for (int64_t k = 0; k < x.at(8); ++k) {
            int64_t acc = number(x[2]) + i * x[5] + 4 * j;
            write(acc, read<float>(acc) + widen(read<uint16_t>(number(x[0]) + i * x[3] + 2 * k)) *
                                              widen(read<uint16_t>(number(x[1]) + k * x[4] + 2 * j)));
          }
      return;
    case Reduce: // function, result, source, outer, reduced and inner number
      for (int64_t at = 0; at < x.at(3) * x.at(5); ++at) {
        int64_t from = number(x[2]) + 4 * (at / x[5] * x[4] * x[5] + at % x[5]);
        float all = read<float>(from);
        for (int64_t i = 1; i < x[4]; ++i)
          all = compute(x[0], all, read<float>(from + 4 * i * x[5]));
        write(number(x[1]) + 4 * at, all);
      }
      return;
    case Scan: // as Reduce, and whether it begins at the end
      for (int64_t line = 0; line < x.at(3) * x.at(5); ++line) {
        float all = 0;
        for (int64_t i = 0; i < x[4]; ++i) {
          int64_t place = 4 * (line / x[5] * x[4] * x[5] + line % x[5] + (x.at(6) ? x[4] - 1 - i : i) * x[5]);
          float own = read<float>(number(x[2]) + place);
          write(number(x[1]) + place, all = i ? compute(x[0], all, own) : own);
        }
      }
      return;
    default: throw std::runtime_error("an instruction that does not exist");
    }
  }

  /// x: vector, predicate, address, bytes of an element
  void access(const std::vector<int64_t> &x, bool isLoad) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      if (!predicates.at(size_t(x.at(1)))[size_t(lane)])
        continue;
      float &value = vectors.at(size_t(x.at(0)))[size_t(lane)];
      int64_t address = number(x.at(2)) + lane * x.at(3);
      if (isLoad)
        value = x[3] == 4 ? read<float>(address) : widen(read<uint16_t>(address));
      else if (x[3] == 4)
        write(address, value);
      else
        write(address, round(value));
    }
  }
};

struct Machine {
  static constexpr const char *kName = "vela", *kTitle = "vela v1 (simulated)";
  static constexpr KilnMemoryKind kMemory = {"main", 0, 64, 268435456};
  static void run(const KilnLaunch &launch, const int64_t id[3], const std::vector<int64_t> &words) {
    Instance instance(launch, id, kScratchpad);
    instance.run(words, [&](int64_t code, const std::vector<int64_t> &x) { instance.step(code, x); });
  }
};

} // namespace

KILN_DEVICE_NOTE();

extern "C" const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *) { return SimulatedDriver<Machine>::table(); }
