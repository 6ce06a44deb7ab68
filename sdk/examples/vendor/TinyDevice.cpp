// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated device behind Kiln's driver table. Its memory is its own: data
// gets there and back through copies only.
#include "TinyIsa.h"
#include "kiln-c/Device.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct KilnDevice {
  KilnDeviceProperties properties = {};
};
struct KilnBuffer {
  std::vector<char> bytes;
};
struct KilnKernel {
  std::string name;
  int64_t numScalars = 0, numTiles = 0;
  std::vector<int64_t> code;
};
struct KilnModule {
  std::map<std::string, KilnKernel> kernels;
};

namespace {
const KilnMemoryKind kMemory = {"main", 0, 64, 268435456};

int fail(KilnError *error, const std::string &message) {
  std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
  return 1;
}

int open(const char *options, KilnDevice **device, KilnError *error) {
  if (*options && std::strncmp(options, "t1", 2) != 0)
    return fail(error, "tiny has no chip '" + std::string(options) + "'");
  *device = new KilnDevice();
  KilnDeviceProperties &properties = (*device)->properties;
  properties.structSize = sizeof properties;
  properties.name = "tiny t1 (simulated)";
  properties.numCores = 1;
  properties.numMemoryKinds = 1;
  properties.memoryKinds = &kMemory;
  return 0;
}
void close(KilnDevice *device) { delete device; }
const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}
int allocate(KilnDevice *, uint32_t, uint64_t bytes, uint64_t,
             KilnBuffer **buffer, KilnError *error) {
  if (bytes > kMemory.bytes)
    return fail(error, "out of memory");
  *buffer = new KilnBuffer{std::vector<char>(bytes)};
  return 0;
}
void release(KilnDevice *, KilnBuffer *buffer) { delete buffer; }
bool inside(const KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
  return offset <= buffer->bytes.size() &&
         bytes <= buffer->bytes.size() - offset;
}
int copyIn(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t offset,
           const void *src, uint64_t bytes, KilnError *error) {
  if (!inside(dst, offset, bytes))
    return fail(error, "copy out of bounds");
  if (bytes)
    std::memcpy(dst->bytes.data() + offset, src, bytes);
  return 0;
}
int copyOut(KilnDevice *, KilnQueue *, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *error) {
  if (!inside(src, offset, bytes))
    return fail(error, "copy out of bounds");
  if (bytes)
    std::memcpy(dst, src->bytes.data() + offset, bytes);
  return 0;
}

/// Reads the words that tiny-as wrote; every index is checked.
int loadModule(KilnDevice *, const void *bytes, uint64_t size,
               KilnModule **module, KilnError *error) {
  const size_t header = sizeof tiny::kMagic;
  if (size < header || size % 8 ||
      std::memcmp(bytes, tiny::kMagic, header) != 0)
    return fail(error, "this is no code for tiny");
  std::vector<int64_t> words((size - header) / 8);
  std::memcpy(words.data(), static_cast<const char *>(bytes) + header,
              size - header);
  auto result = std::make_unique<KilnModule>();
  size_t at = 0;
  while (at < words.size()) {
    KilnKernel kernel;
    uint64_t nameWords = words[at++];
    if (nameWords > 64 || nameWords + 3 > words.size() - at)
      return fail(error, "code is truncated");
    std::string name(reinterpret_cast<const char *>(&words[at]), nameWords * 8);
    kernel.name = name.c_str();
    at += nameWords;
    kernel.numScalars = words[at++];
    kernel.numTiles = words[at++];
    uint64_t length = words[at++];
    if (length > words.size() - at || kernel.numScalars > (1 << 16) ||
        kernel.numTiles > (1 << 16) || kernel.numScalars < 0 ||
        kernel.numTiles < 0)
      return fail(error, "code is truncated");
    kernel.code.assign(words.begin() + at, words.begin() + at + length);
    at += length;
    result->kernels[kernel.name] = kernel;
  }
  *module = result.release();
  return 0;
}
void unloadModule(KilnDevice *, KilnModule *module) { delete module; }
int getKernel(KilnDevice *, KilnModule *module,
              const KilnKernelDescription *description, KilnKernel **kernel,
              KilnError *error) {
  // An older runtime has no metadata.
  if (description->structSize > KILN_KERNEL_DESCRIPTION_SIZE_1_0) {
    std::string chip(static_cast<const char *>(description->metadata),
                     description->metadataBytes);
    if (chip != "t1")
      return fail(error, "a kernel for chip '" + chip + "'");
  }
  auto it = module->kernels.find(description->symbol);
  if (it == module->kernels.end())
    return fail(error, std::string("no kernel '") + description->symbol + "'");
  *kernel = &it->second;
  return 0;
}

/// Runs one instance.
class Instance {
public:
  Instance(const KilnLaunch &launch, const int64_t *pid, KilnError *error)
      : launch(launch), kernel(*launch.kernel), pid(pid), error(error),
        scalars(kernel.numScalars), tiles(kernel.numTiles) {}

  int run() {
    const std::vector<int64_t> &code = kernel.code;
    for (size_t at = 0; at < code.size();) {
      int64_t op = code[at++];
      if (op < 0 || op >= tiny::NumCodes || at >= code.size())
        return fail(error, "illegal instruction");
      int64_t count = tiny::kOpcodes[op].operands;
      if (count < 0)
        count = code[at++];
      if (count < 2 || count > int64_t(code.size() - at))
        return fail(error, "illegal instruction");
      if (int status = step(op, &code[at], count))
        return status;
      at += count;
    }
    return 0;
  }

private:
  int64_t &scalar(int64_t n) { return scalars.at(n); }
  std::vector<float> &tile(int64_t n) { return tiles.at(n); }

  int step(int64_t op, const int64_t *x, int64_t count) {
    switch (op) {
    case tiny::Const:
      scalar(x[0]) = x[1];
      return 0;
    case tiny::Pid:
      scalar(x[0]) = pid[x[1] & 3];
      return 0;
    case tiny::Programs:
      scalar(x[0]) = launch.grid[x[1] % 3];
      return 0;
    case tiny::Dim:
      scalar(x[0]) = launch.arguments[x[1]].sizes[x[2]];
      return 0;
    case tiny::Add:
      scalar(x[0]) = scalar(x[1]) + scalar(x[2]);
      return 0;
    case tiny::Sub:
      scalar(x[0]) = scalar(x[1]) - scalar(x[2]);
      return 0;
    case tiny::Mul:
      scalar(x[0]) = scalar(x[1]) * scalar(x[2]);
      return 0;
    case tiny::Min:
      scalar(x[0]) = std::min(scalar(x[1]), scalar(x[2]));
      return 0;
    case tiny::Max:
      scalar(x[0]) = std::max(scalar(x[1]), scalar(x[2]));
      return 0;
    case tiny::Fill: {
      uint32_t bits = static_cast<uint32_t>(x[2]);
      float value;
      std::memcpy(&value, &bits, 4);
      tile(x[0]).assign(std::clamp<int64_t>(x[1], 0, tiny::kMaxTile), value);
      return 0;
    }
    case tiny::Load:
      return count < 4 ? fail(error, "illegal instruction")
                       : access(x, x + 4, x[3], true);
    case tiny::Store:
      return count < 3 ? fail(error, "illegal instruction")
                       : access(x, x + 3, 0, false);
    default:
      return elementwise(op, x);
    }
  }

  int elementwise(int64_t op, const int64_t *x) {
    bool unary = op == tiny::TileNeg || op == tiny::TileExp;
    int64_t size = x[unary ? 2 : 3];
    const std::vector<float> a = tile(x[1]);
    const std::vector<float> b = unary ? a : tile(x[2]);
    if (int64_t(a.size()) != size || a.size() != b.size())
      return fail(error, "tiles of different sizes");
    std::vector<float> &d = tile(x[0]);
    d.resize(size);
    for (int64_t i = 0; i < size; ++i)
      d[i] = compute(op, a[i], b[i]);
    return 0;
  }

  static float compute(int64_t op, float a, float b) {
    switch (op) {
    case tiny::TileAdd:
      return a + b;
    case tiny::TileSub:
      return a - b;
    case tiny::TileMul:
      return a * b;
    case tiny::TileDiv:
      return a / b;
    case tiny::TileMax:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case tiny::TileMin:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case tiny::TileNeg:
      return -a;
    default:
      return std::exp(a);
    }
  }

  /// Moves a tile between a register and memory; x: tile param rank.
  int access(const int64_t *x, const int64_t *dims, int64_t padding,
             bool isLoad) {
    const KilnKernelArgument &arg = launch.arguments[x[1]];
    int64_t rank = x[2], size = 1;
    if (rank != arg.rank)
      return fail(error, "an access of the wrong rank");
    for (int64_t d = 0; d < rank; ++d)
      size *= dims[3 * d];
    if (size < 0 || size > tiny::kMaxTile)
      return fail(error, "a tile that is too large");
    std::vector<float> &data = tile(x[0]);
    if (isLoad)
      data.resize(size);
    else if (int64_t(data.size()) != size)
      return fail(error, "a tile of the wrong size");
    uint32_t bits = static_cast<uint32_t>(padding);
    for (int64_t i = 0; i < size; ++i) {
      int64_t rest = i, element = 0;
      bool in = true;
      for (int64_t d = rank - 1; d >= 0; --d) {
        int64_t at =
            scalar(dims[3 * d + 1]) + rest % dims[3 * d] * dims[3 * d + 2];
        rest /= dims[3 * d];
        in &= at >= 0 && at < arg.sizes[d];
        element += at * arg.strides[d];
      }
      uint64_t byte = arg.byteOffset + element * 4;
      if (in && !inside(arg.buffer, byte, 4))
        return fail(error, "an access out of bounds");
      if (!in && !isLoad)
        continue;
      if (isLoad)
        std::memcpy(&data[i],
                    in ? arg.buffer->bytes.data() + byte
                       : reinterpret_cast<char *>(&bits),
                    4);
      else
        std::memcpy(arg.buffer->bytes.data() + byte, &data[i], 4);
    }
    return 0;
  }

  const KilnLaunch &launch;
  const KilnKernel &kernel;
  const int64_t *pid;
  KilnError *error;
  std::vector<int64_t> scalars;
  std::vector<std::vector<float>> tiles;
};

int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch,
            KilnError *error) {
  try {
    for (int64_t z = 0; z < launch->grid[2]; ++z)
      for (int64_t y = 0; y < launch->grid[1]; ++y)
        for (int64_t x = 0; x < launch->grid[0]; ++x) {
          int64_t pid[4] = {x, y, z, 0};
          if (int status = Instance(*launch, pid, error).run())
            return status;
        }
  } catch (const std::exception &e) {
    return fail(error, std::string("illegal register: ") + e.what());
  }
  return 0;
}

KilnDeviceDriver makeDriver() {
  KilnDeviceDriver driver = {};
  driver.structSize = sizeof driver;
  driver.apiMajor = KILN_DEVICE_API_MAJOR;
  driver.apiMinor = KILN_DEVICE_API_MINOR;
  driver.name = "tiny";
  driver.open = open;
  driver.close = close;
  driver.properties = properties;
  driver.allocate = allocate;
  driver.release = release;
  driver.copyIn = copyIn;
  driver.copyOut = copyOut;
  driver.loadModule = loadModule;
  driver.unloadModule = unloadModule;
  driver.getKernel = getKernel;
  driver.execute = execute;
  return driver;
}
} // namespace

KILN_DEVICE_NOTE();

extern "C" __attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *) {
  static const KilnDeviceDriver driver = makeDriver();
  return &driver;
}
