// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the simulated device: memory, modules, launches.
#include "../Seal.h"
#include "HostMode.h"
#include "Launch.h"
#include "SimDevice.h"
#include "llvm/Config/llvm-config.h"
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

using namespace kiln::amd::sim;
using kiln::runtime::failDriver;

KILN_PLUGIN_NOTE(KILN_DEVICE_API_MAJOR, KILN_DEVICE_API_MINOR,
                 LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR);

KilnDeviceHost kiln::amd::sim::runtimeHost = {};

namespace {
constexpr uint64_t kAlign = 256;
/// Bytes around an allocation that no other one has, so that an access behind
/// its end is found.
constexpr uint64_t kGap = 4096;

struct Options {
  std::string chip;
  bool checks = true, counts = false, stale = false;
  bool saysStale = false;
  Float8Kind float8 = Float8Kind::Any;
  uint64_t seed = 0;
};

/// One item of the text behind the name in a SPEC. Returns whether it is known;
/// what is wrong with it is in `problem`.
bool readOption(const std::string &item, Options &options,
                std::string &problem) {
  auto value = [&](const char *key) -> const char * {
    size_t size = std::strlen(key);
    return item.compare(0, size, key) == 0 ? item.c_str() + size : nullptr;
  };
  if (item.empty())
    return true;
  if (item.rfind("gfx", 0) == 0) {
    options.chip = item;
    return true;
  }
  // It is how the runtime came here.
  if (item == "device=sim")
    return true;
  if (const char *number = value("seed=")) {
    char *end = nullptr;
    options.seed = std::strtoull(number, &end, 10);
    if (!*number || *end)
      problem = item + ": expected a number";
    return true;
  }
  if (const char *kind = value("float8=")) {
    if (!readFloat8Kind(kind, options.float8))
      problem = item + ": expected ocp or fnuz";
    return true;
  }
  options.saysStale |= value("stale=") != nullptr;
  for (auto [key, flag] : {std::pair("checks=", &options.checks),
                           std::pair("counters=", &options.counts),
                           std::pair("stale=", &options.stale)})
    if (const char *number = value(key)) {
      *flag = *number == '1';
      if ((*number != '0' && *number != '1') || number[1])
        problem = item + ": expected 0 or 1";
      return true;
    }
  return false;
}

std::string readOptions(const std::string &text, Options &options) {
  size_t added = text.find(",,");
  std::string problem;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    bool isKnown =
        readOption(text.substr(begin, end - begin), options, problem);
    // Other keys of the package are the compiler's.
    if (!isKnown && added != std::string::npos && begin > added)
      return "expected checks=0|1, counters=0|1, float8=ocp|fnuz, seed=N or "
             "stale=0|1, found '" +
             text.substr(begin, end - begin) + "'";
    if (!problem.empty())
      return problem;
    begin = end + 1;
  }
  return "";
}

/// The first names of kernels, for messages.
std::string kernelNames(const Code &code) {
  constexpr size_t kMost = 8;
  std::string text;
  for (const KernelInfo &kernel : code.kernels()) {
    if (&kernel - code.kernels().data() == kMost)
      return text + ", ...";
    text += (text.empty() ? "" : ", ") + kernel.name;
  }
  return text.empty() ? "none" : text;
}

/// For each view its address, sizes and strides; each scalar's bits; the
/// extents of the grid.
std::vector<uint64_t> wordsOf(const KilnLaunch &launch) {
  std::vector<uint64_t> words;
  for (size_t i = 0; i < launch.numArguments; ++i) {
    const KilnKernelArgument &argument = launch.arguments[i];
    if (argument.isScalar) {
      words.push_back(argument.bits);
      continue;
    }
    words.push_back(reinterpret_cast<uint64_t>(argument.buffer->address) +
                    argument.byteOffset);
    for (const int64_t *list : {argument.sizes, argument.strides})
      for (uint32_t d = 0; d < argument.rank; ++d)
        words.push_back(uint64_t(list[d]));
  }
  for (int64_t extent : launch.grid)
    words.push_back(uint64_t(extent));
  return words;
}

/// The size of a scalar.
unsigned bytesOf(uint32_t dtype) {
  switch (dtype) {
  case KILN_DTYPE_I64:
  case KILN_DTYPE_U64:
  case KILN_DTYPE_F64:
  case KILN_DTYPE_INDEX:
    return 8;
  case KILN_DTYPE_I32:
  case KILN_DTYPE_U32:
  case KILN_DTYPE_F32:
    return 4;
  case KILN_DTYPE_I16:
  case KILN_DTYPE_U16:
  case KILN_DTYPE_F16:
  case KILN_DTYPE_BF16:
    return 2;
  default:
    return 1;
  }
}

/// The arguments of code of another compiler.
std::vector<BareArgument> bareArguments(const KilnLaunch &launch) {
  std::vector<BareArgument> result;
  for (size_t i = 0; i < launch.numArguments; ++i) {
    const KilnKernelArgument &argument = launch.arguments[i];
    if (argument.isScalar)
      result.push_back({argument.bits, bytesOf(argument.dtype), "a value"});
    else
      result.push_back({reinterpret_cast<uint64_t>(argument.buffer->address) +
                            argument.byteOffset,
                        8, "an array"});
  }
  return result;
}

/// Whether a code object has the seal of Kiln's target behind it.
bool isSealed(const void *bytes, uint64_t size) {
  return size >= sizeof(kiln::amd::Seal) &&
         !std::memcmp(static_cast<const char *>(bytes) + size -
                          sizeof(kiln::amd::Seal),
                      kiln::amd::kSealMark, sizeof kiln::amd::kSealMark);
}

struct Driver : kiln::runtime::HostDriver<Driver> {
  static int open(const char *text, KilnDevice **device, KilnError *error) {
    Options options;
    std::string problem = readOptions(text ? text : "", options);
    if (!problem.empty())
      return failDriver(error, problem);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      return failDriver(error, "unsupported: the simulated device needs a "
                               "processor with AVX2, FMA and F16C");
#endif
    if (!HostMode::kIsKnown)
      return failDriver(error, "unsupported: the simulated device runs on "
                               "x86-64 and AArch64");
    auto created = std::make_unique<KilnDevice>();
    created->checks = options.checks;
    created->counts = options.counts;
    created->seed = options.seed;
    created->float8 = options.float8;
    if (options.saysStale)
      created->findsOld = options.stale;
    created->chip = options.chip;
    created->name =
        "simulated " + (options.chip.empty() ? "AMD GPU" : options.chip);
    created->kind = {"global", KILN_MEMORY_HOST_VISIBLE, uint32_t(kAlign), 0};
    KilnDeviceProperties &properties = created->properties;
    properties.structSize = sizeof properties;
    properties.name = created->name.c_str();
    properties.numCores = 1;
    properties.numMemoryKinds = 1;
    properties.memoryKinds = &created->kind;
    *device = created.release();
    return 0;
  }
  static void close(KilnDevice *device) { delete device; }
  static const KilnDeviceProperties *properties(KilnDevice *device) {
    return &device->properties;
  }

  static int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes,
                      uint64_t alignment, KilnBuffer **buffer,
                      KilnError *error) {
    if (kind != 0)
      return failDriver(error, "there is only memory kind 0");
    if (bytes > uint64_t(1) << 40 || alignment > kGap)
      return failDriver(error,
                        std::to_string(bytes) + " bytes with alignment " +
                            std::to_string(alignment) + " are out of range");
    uint64_t total = (bytes + kGap - 1) / kGap * kGap + 2 * kGap;
    void *memory = std::aligned_alloc(kGap, total);
    if (!memory)
      return failDriver(error,
                        "no memory for " + std::to_string(bytes) + " bytes");
    auto created = std::make_unique<KilnBuffer>();
    created->memory = static_cast<uint8_t *>(memory);
    created->address = created->memory + kGap;
    created->bytes = bytes;
    std::memset(created->address, 0, bytes);
    device->memory.add(created->address, bytes, "buffer");
    *buffer = created.release();
    return 0;
  }
  static void release(KilnDevice *device, KilnBuffer *buffer) {
    device->memory.remove(buffer->address);
    std::free(buffer->memory);
    delete buffer;
  }
  static int exportHost(KilnDevice *, KilnBuffer *buffer, void **address,
                        KilnError *) {
    *address = buffer->address;
    return 0;
  }
  static char *range(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
      return nullptr;
    return reinterpret_cast<char *>(buffer->address) + offset;
  }

  static int loadModule(KilnDevice *device, const void *bytes, uint64_t size,
                        KilnModule **module, KilnError *error) {
    auto created = std::make_unique<KilnModule>();
    std::string problem;
    created->code =
        Code::load(bytes, size, device->memory, problem, device->chip);
    if (!created->code)
      return failDriver(error, "its module cannot be loaded: " + problem);
    created->isOurs = isSealed(bytes, size);
    attachOutput(device, *created);
    *module = created.release();
    return 0;
  }
  static void unloadModule(KilnDevice *device, KilnModule *module) {
    detachOutput(device, *module);
    delete module;
  }
  static int getKernel(KilnDevice *, KilnModule *module,
                       const KilnKernelDescription *description,
                       KilnKernel **kernel, KilnError *error) {
    std::string symbol = description->symbol ? description->symbol : "";
    const std::vector<KernelInfo> &all = module->code->kernels();
    const KernelInfo *info = symbol.empty() && all.size() == 1
                                 ? &all.front()
                                 : module->code->kernel(symbol);
    if (!info)
      return failDriver(
          error,
          (symbol.empty() ? "the module has several kernels"
                          : "the module has no kernel '" + symbol + "'") +
              std::string(", expected one of: ") + kernelNames(*module->code));
    auto created = std::make_unique<KilnKernel>();
    created->module = module;
    created->info = info;
    *kernel = created.get();
    module->kernels.push_back(std::move(created));
    return 0;
  }

  static int knowsAttribute(KilnDevice *, uint32_t tag) {
    return tag == KILN_LAUNCH_THREADS || tag == KILN_LAUNCH_LOCAL_BYTES ||
           tag == KILN_LAUNCH_COOPERATIVE || tag == KILN_LAUNCH_BARE;
  }

  static int execute(KilnDevice *device, KilnQueue *, const KilnLaunch *launch,
                     KilnError *error) {
    KilnKernel &kernel = *launch->kernel;
    LaunchOptions options;
    options.checks = device->checks;
    options.seed = device->seed;
    options.float8 = device->float8;
    options.findsOld = device->findsOld.value_or(kernel.module->isOurs);
    if (runtimeHost.progress)
      options.progress = [](uint64_t done, uint64_t total) {
        runtimeHost.progress(done, total);
      };
    for (int i = 0; i < 3; ++i) {
      if (launch->grid[i] == 0)
        return 0;
      if (launch->grid[i] < 0 ||
          launch->grid[i] > std::numeric_limits<int32_t>::max())
        return failDriver(error, "unsupported: a grid of 2^31 workgroups or "
                                 "more along an axis");
      options.grid[i] = uint32_t(launch->grid[i]);
    }
    bool isBare = false, hasThreads = false;
    if (launch->structSize > KILN_LAUNCH_SIZE_1_0)
      for (uint32_t i = 0; i < launch->numAttributes; ++i) {
        const KilnLaunchAttribute &attribute = launch->attributes[i];
        if (attribute.tag == KILN_LAUNCH_THREADS) {
          hasThreads = true;
          for (int d = 0; d < 3; ++d)
            options.threads[d] =
                uint32_t(attribute.values[d] ? attribute.values[d] : 1);
        } else if (attribute.tag == KILN_LAUNCH_BARE)
          isBare = attribute.values[0] != 0;
        else if (attribute.tag == KILN_LAUNCH_LOCAL_BYTES)
          options.dynamicLds = uint32_t(attribute.values[0]);
        else if (attribute.tag == KILN_LAUNCH_COOPERATIVE)
          options.isCooperative = attribute.values[0] != 0;
      }
    if (isBare && !hasThreads)
      std::copy_n(kernel.info->requiredThreads, 3, options.threads);
    std::vector<uint8_t> kernarg;
    std::string problem =
        isBare ? packBare(*kernel.info, bareArguments(*launch), kernarg)
               : packArguments(*kernel.info, wordsOf(*launch), kernarg);
    if (problem.empty() && isBare && !hasThreads && !kernel.info->workgroupSize)
      problem =
          "its code requires no number of threads of a workgroup: expected "
          "the attribute 'threads' of the launch (kiln-run: --block), at "
          "most " +
          std::to_string(kernel.info->mostThreads);
    std::string what = "kernel '" + kernel.info->name + "': ";
    Counters counters;
    try {
      if (problem.empty())
        problem =
            runKernel(*kernel.module->code, *kernel.info, std::move(kernarg),
                      device->memory, options, counters);
    } catch (const std::bad_alloc &) {
      problem = "out of memory";
    }
    if (device->counts)
      printCounters(kernel.info->name, counters);
    if (!problem.empty())
      return failDriver(error, what + problem);
    std::string fault = readOutput(*kernel.module);
    return fault.empty() ? 0 : failDriver(error, fault);
  }
};
} // namespace

__attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *host) {
  if (!host || host->apiMajor != KILN_DEVICE_API_MAJOR)
    return nullptr;
  std::memcpy(&runtimeHost, host,
              std::min(host->structSize, sizeof runtimeHost));
  static const KilnDeviceDriver table = [] {
    KilnDeviceDriver t = Driver::table("amd-sim");
    t.exportHost = Driver::exportHost;
    t.knowsAttribute = Driver::knowsAttribute;
    return t;
  }();
  return &table;
}
