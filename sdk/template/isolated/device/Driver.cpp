// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine of @name@ in software, behind the table of kiln-c/Device.h: replace it by calls that reach yours. A program is
// words of 64 bits: the number of registers, then instructions, each a code, the number of its operands, and those.
#include "kiln/Runtime/SimulatedDriver.h"
#include <algorithm>
#include <cmath>

using namespace kiln::runtime;

namespace {

enum Code : int64_t {
  Const, Pid, Programs, Dim, Param, Add, Sub, Mul, Min, Max, Div, Fill, Splat, Load, Store,
  VectorAdd, VectorSub, VectorMul, VectorDiv, VectorMax, VectorMin, VectorNeg,
  VectorExp
};
constexpr int64_t kMaxTile = 4096;

float larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

float compute(int64_t code, float a, float b) {
  switch (code) {
  case VectorAdd: return a + b;
  case VectorSub: return a - b;
  case VectorMul: return a * b;
  case VectorDiv: return a / b;
  case VectorMax: return larger(a, b);
  case VectorMin: return -larger(-a, -b);
  case VectorNeg: return -a;
  case VectorExp: return std::exp(a);
  default: throw std::runtime_error("an instruction that does not exist");
  }
}

/// One instance of the grid. What does not exist throws. A number of f32 is a tile of one element.
struct Instance {
  const KilnLaunch &launch;
  const int64_t *id;
  struct Register {
    int64_t scalar = 0;
    std::vector<float> tile;
  };
  std::vector<Register> registers;

  void run(const std::vector<int64_t> &words) {
    registers.resize(size_t(std::clamp<int64_t>(words.at(0), 0, 65536)));
    for (size_t at = 1; at < words.size();) {
      int64_t code = words.at(at), count = words.at(at + 1);
      if (count < 2 || uint64_t(count) > words.size() - at - 2)
        throw std::runtime_error("an instruction that ends too early");
      step(code, {words.begin() + long(at + 2), words.begin() + long(at + 2) + count});
      at += 2 + size_t(count);
    }
  }

  int64_t &scalar(int64_t n) { return registers.at(size_t(n)).scalar; }
  std::vector<float> &tile(int64_t n) { return registers.at(size_t(n)).tile; }

  void step(int64_t code, const std::vector<int64_t> &x) {
    switch (code) {
    case Const: scalar(x[0]) = x[1]; return;
    case Pid: scalar(x[0]) = id[x[1] % 3]; return;
    case Programs: scalar(x[0]) = launch.grid[x[1] % 3]; return;
    case Dim:
      if (x.at(2) < 0 || x[2] >= int64_t(viewOf(launch, x[1]).rank))
        throw std::runtime_error("a dimension that does not exist");
      scalar(x[0]) = viewOf(launch, x[1]).sizes[x[2]];
      return;
    case Param: return param(x[0], x[1]);
    case Add: scalar(x[0]) = scalar(x[1]) + scalar(x.at(2)); return;
    case Sub: scalar(x[0]) = scalar(x[1]) - scalar(x.at(2)); return;
    case Mul: scalar(x[0]) = scalar(x[1]) * scalar(x.at(2)); return;
    case Min: scalar(x[0]) = std::min(scalar(x[1]), scalar(x.at(2))); return;
    case Max: scalar(x[0]) = std::max(scalar(x[1]), scalar(x.at(2))); return;
    case Div:
      if (scalar(x.at(2)) == 0 || (scalar(x[2]) == -1 && scalar(x[1]) == INT64_MIN))
        throw std::runtime_error("a quotient that does not exist");
      scalar(x[0]) = scalar(x[1]) / scalar(x[2]);
      return;
    case Fill: tile(x[0]).assign(size_t(checkSize(x[1])), number(x.at(2))); return;
    case Splat: tile(x[0]).assign(size_t(checkSize(x.at(2))), tile(x[1]).at(0)); return;
    case Load:
    case Store: return access(x, code == Load);
    default: {
      const std::vector<float> a = tile(x[1]), b = x.size() > 2 ? tile(x[2]) : a;
      if (a.size() != b.size())
        throw std::runtime_error("tiles of different sizes");
      tile(x[0]).resize(a.size());
      for (size_t i = 0; i < a.size(); ++i)
        tile(x[0])[i] = compute(code, a[i], b[i]);
    }
    }
  }

  void param(int64_t to, int64_t number) {
    if (number < 0 || uint64_t(number) >= launch.numArguments || !launch.arguments[number].isScalar)
      throw std::runtime_error("a parameter that is no number");
    scalar(to) = int64_t(launch.arguments[number].bits);
    tile(to) = {Instance::number(scalar(to))};
  }
  static int64_t checkSize(int64_t size) {
    if (size < 0 || size > kMaxTile)
      throw std::runtime_error("a tile that is too large");
    return size;
  }
  static float number(int64_t bits) {
    uint32_t word = uint32_t(bits);
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }

  /// x: tile, parameter, what is outside, rank, then block, offset, step for each dimension.
  void access(const std::vector<int64_t> &x, bool isLoad) {
    int64_t rank = x.at(3), size = 1;
    if (rank < 0 || x.size() != 4 + 3 * size_t(rank))
      throw std::runtime_error("an access of the wrong rank");
    for (int64_t d = 0; d < rank; ++d)
      size = checkSize(size * checkSize(x[size_t(4 + 3 * d)]));
    std::vector<float> &data = tile(x[0]);
    if (isLoad)
      data.assign(size_t(size), number(x[2]));
    else if (int64_t(data.size()) != size)
      throw std::runtime_error("a tile of the wrong size");
    std::vector<int64_t> coords(static_cast<size_t>(rank));
    for (int64_t i = 0; i < size; ++i) {
      int64_t rest = i;
      for (int64_t d = rank - 1; d >= 0; --d) {
        const int64_t *place = &x[size_t(4 + 3 * d)];
        coords[size_t(d)] = scalar(place[1]) + rest % place[0] * place[2];
        rest /= place[0];
      }
      if (char *memory = elementOf(viewOf(launch, x[1]), coords, 4))
        isLoad ? std::memcpy(&data[size_t(i)], memory, 4) : std::memcpy(memory, &data[size_t(i)], 4);
    }
  }
};

struct Machine {
  static constexpr const char *kName = "@name@", *kTitle = "@name@ v1 (simulated)";
  static constexpr KilnMemoryKind kMemory = {"main", 0, 64, 268435456};
  static void run(const KilnLaunch &launch, const int64_t id[3], const std::vector<int64_t> &words) {
    Instance{launch, id, {}}.run(words);
  }
};

} // namespace

KILN_DEVICE_NOTE();

extern "C" const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *) { return SimulatedDriver<Machine>::table(); }
