// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine of @name@ in software, behind the table of kiln-c/Device.h: replace it by calls that reach yours. A module is
// `KMACHIN2`, the sizes of the name and of the program, the name, and the program, which is words of 64 bits: the number of
// registers, then instructions, each a code, the number of its operands, and those.
#include "kiln/Runtime/HostDriver.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using kiln::runtime::failDriver;

namespace {

enum Code : int64_t {
  Const, Pid, Programs, Dim, Add, Sub, Mul, Min, Max, Fill, Load, Store,
  VectorAdd, VectorSub, VectorMul, VectorDiv, VectorMax, VectorMin, VectorNeg,
  VectorExp
};
constexpr int64_t kMaxTile = 4096;
const KilnMemoryKind kMain = {"main", 0, 64, 268435456};

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

} // namespace

struct KilnDevice {
  KilnDeviceProperties properties = {};
  uint64_t used = 0;
};
struct KilnBuffer {
  std::vector<char> memory;
};
/// A blob has one kernel, so a kernel is its module.
struct KilnModule {
  std::string name;
  std::vector<int64_t> words;
};

namespace {

/// One instance of the grid. What does not exist throws.
struct Instance {
  const KilnLaunch &launch;
  int64_t id[3];
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
      std::vector<int64_t> x(words.begin() + long(at + 2), words.begin() + long(at + 2) + count);
      step(code, x);
      at += 2 + size_t(count);
    }
  }

  int64_t &scalar(int64_t n) { return registers.at(size_t(n)).scalar; }
  std::vector<float> &tile(int64_t n) { return registers.at(size_t(n)).tile; }
  const KilnKernelArgument &view(int64_t n) {
    if (uint64_t(n) >= launch.numArguments || launch.arguments[n].isScalar)
      throw std::runtime_error("a parameter that is no view");
    return launch.arguments[n];
  }

  void step(int64_t code, const std::vector<int64_t> &x) {
    switch (code) {
    case Const: scalar(x[0]) = x[1]; return;
    case Pid: scalar(x[0]) = id[x[1] % 3]; return;
    case Programs: scalar(x[0]) = launch.grid[x[1] % 3]; return;
    case Dim:
      if (x.at(2) < 0 || x[2] >= int64_t(view(x[1]).rank))
        throw std::runtime_error("a dimension that does not exist");
      scalar(x[0]) = view(x[1]).sizes[x[2]];
      return;
    case Add: scalar(x[0]) = scalar(x[1]) + scalar(x.at(2)); return;
    case Sub: scalar(x[0]) = scalar(x[1]) - scalar(x.at(2)); return;
    case Mul: scalar(x[0]) = scalar(x[1]) * scalar(x.at(2)); return;
    case Min: scalar(x[0]) = std::min(scalar(x[1]), scalar(x.at(2))); return;
    case Max: scalar(x[0]) = std::max(scalar(x[1]), scalar(x.at(2))); return;
    case Fill: tile(x[0]).assign(size_t(checkSize(x[1])), number(x.at(2))); return;
    case Load:
    case Store: return access(x, code == Load);
    default: {
      const std::vector<float> a = tile(x[1]), b = x.size() > 2 ? tile(x[2]) : a;
      if (a.size() != b.size())
        throw std::runtime_error("tiles of different sizes");
      std::vector<float> result(a.size());
      for (size_t i = 0; i < a.size(); ++i)
        result[i] = compute(code, a[i], b[i]);
      tile(x[0]) = std::move(result);
    }
    }
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
    const KilnKernelArgument &to = view(x[1]);
    int64_t rank = x.at(3), size = 1;
    if (rank != int64_t(to.rank) || x.size() != 4 + 3 * size_t(rank))
      throw std::runtime_error("an access of the wrong rank");
    for (int64_t d = 0; d < rank; ++d)
      size = checkSize(size * checkSize(x[size_t(4 + 3 * d)]));
    std::vector<float> &data = tile(x[0]);
    if (isLoad)
      data.assign(size_t(size), number(x[2]));
    else if (int64_t(data.size()) != size)
      throw std::runtime_error("a tile of the wrong size");
    for (int64_t i = 0; i < size; ++i) {
      int64_t rest = i, element = 0;
      bool isInside = true;
      for (int64_t d = rank - 1; d >= 0; --d) {
        const int64_t *place = &x[size_t(4 + 3 * d)];
        int64_t at = scalar(place[1]) + rest % place[0] * place[2];
        rest /= place[0];
        isInside &= at >= 0 && at < to.sizes[d];
        element += at * to.strides[d];
      }
      if (!isInside)
        continue;
      uint64_t byte = to.byteOffset + uint64_t(element) * 4, bytes = to.buffer->memory.size();
      if (bytes < 4 || byte > bytes - 4)
        throw std::runtime_error("an access outside of its buffer");
      char *memory = to.buffer->memory.data() + byte;
      isLoad ? std::memcpy(&data[size_t(i)], memory, 4) : std::memcpy(memory, &data[size_t(i)], 4);
    }
  }
};

/// Copies and events come from HostDriver.
struct Driver : kiln::runtime::HostDriver<Driver> {
  static int open(const char *options, KilnDevice **device, KilnError *error) {
    // "chip,key=value" of the compiler, then ",," and what the caller adds.
    const char *added = std::strstr(options, ",,");
    if (added && added[2])
      return failDriver(error, std::string("it has no option '") + (added + 2) + "'");
    *device = new KilnDevice();
    (*device)->properties = {sizeof(KilnDeviceProperties), "@name@ v1 (simulated)", 1, 1, &kMain, 0, 0, nullptr};
    return 0;
  }
  static void close(KilnDevice *device) { delete device; }
  static const KilnDeviceProperties *properties(KilnDevice *device) { return &device->properties; }

  static int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes, uint64_t, KilnBuffer **buffer, KilnError *error) {
    if (kind != 0)
      return failDriver(error, "there is only memory kind 0");
    if (bytes > kMain.bytes - device->used)
      return failDriver(error, "out of memory");
    device->used += bytes;
    *buffer = new KilnBuffer();
    (*buffer)->memory.reserve(1); // has an address when it is empty, too
    (*buffer)->memory.resize(bytes);
    return 0;
  }
  static void release(KilnDevice *device, KilnBuffer *buffer) {
    device->used -= buffer->memory.size();
    delete buffer;
  }
  static char *range(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    uint64_t size = buffer->memory.size();
    return offset <= size && bytes <= size - offset ? buffer->memory.data() + offset : nullptr;
  }

  static int loadModule(KilnDevice *, const void *bytes, uint64_t size, KilnModule **module, KilnError *error) {
    const char *text = static_cast<const char *>(bytes);
    uint64_t sizes[2] = {};
    if (size >= 24)
      std::memcpy(sizes, text + 8, 16);
    bool isWhole = size >= 24 && std::memcmp(text, "KMACHIN2", 8) == 0 && sizes[0] <= size - 24 && sizes[1] > 0 &&
                   sizes[1] == (size - 24 - sizes[0]) / 8 && (size - sizes[0]) % 8 == 0;
    if (!isWhole)
      return failDriver(error, "this is no code for @name@");
    *module = new KilnModule();
    (*module)->name = std::string(text + 24, sizes[0]).c_str(); // up to the padding
    (*module)->words.resize(sizes[1]);
    std::memcpy((*module)->words.data(), text + 24 + sizes[0], sizes[1] * 8);
    return 0;
  }
  static void unloadModule(KilnDevice *, KilnModule *module) { delete module; }
  static int getKernel(KilnDevice *, KilnModule *module, const KilnKernelDescription *description, KilnKernel **kernel,
                       KilnError *error) {
    if (module->name != description->symbol)
      return failDriver(error, std::string("there is no kernel '") + description->symbol + "'");
    *kernel = reinterpret_cast<KilnKernel *>(module);
    return 0;
  }

  static int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch, KilnError *error) {
    try {
      for (int64_t z = 0; z < launch->grid[2]; ++z)
        for (int64_t y = 0; y < launch->grid[1]; ++y)
          for (int64_t x = 0; x < launch->grid[0]; ++x)
            Instance{*launch, {x, y, z}, {}}.run(reinterpret_cast<const KilnModule *>(launch->kernel)->words);
    } catch (const std::exception &problem) {
      return failDriver(error, problem.what());
    }
    return 0;
  }
};

} // namespace

KILN_DEVICE_NOTE();

extern "C" const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *) {
  static const KilnDeviceDriver table = Driver::table("@name@");
  return &table;
}
