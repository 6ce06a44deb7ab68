//===- Machine.cpp - What the compiling machine says of itself ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Processors.h"
#include "device/CodeFeatures.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <optional>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/prctl.h>
#endif

using namespace kiln::cpu_target;
using llvm::StringRef;

/// The first word of a file of the system, or nothing.
static std::optional<std::string> readWord(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (!file)
    return std::nullopt;
  return (*file)->getBuffer().trim().str();
}

/// The size of the cache of a level that holds data, which the first processor
/// uses, from sysfs (Linux, Documentation/ABI/testing/
/// sysfs-devices-system-cpu); 0 where the system does not say.
static int64_t cacheSize(StringRef level) {
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" +
                         std::to_string(index) + "/";
    std::optional<std::string> found = readWord(folder + "level");
    if (!found)
      return 0;
    std::optional<std::string> type = readWord(folder + "type");
    std::optional<std::string> size = readWord(folder + "size");
    if (*found != level || !type || *type == "Instruction" || !size)
      continue;
    StringRef number = *size;
    int64_t unit = number.consume_back("K")   ? 1 << 10
                   : number.consume_back("M") ? 1 << 20
                                              : 1;
    int64_t value = 0;
    return number.getAsInteger(10, value) ? 0 : value * unit;
  }
  return 0;
}

/// The length of vector registers that the machine tells, in bits; 0 where it
/// has none whose length is its own.
static int64_t machineVectorBits(const llvm::StringMap<bool> &features) {
#if defined(__aarch64__)
  (void)features;
  constexpr int kGetVectorLength = 51; // PR_SVE_GET_VL
  int found = prctl(kGetVectorLength, 0, 0, 0, 0);
  return found < 0 ? 0 : int64_t(found & 0xffff) * 8;
#elif defined(__riscv)
  uint64_t bytes = 0;
  // The register vlenb, by its number: assemblers need not know of vectors.
  if (features.lookup("v"))
    __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
  return int64_t(bytes) * 8;
#else
  (void)features;
  return 0;
#endif
}

/// That length in streaming mode; 0 where the machine has none.
static int64_t machineStreamingBits() {
#if defined(__aarch64__)
  constexpr int kGetStreamingLength = 64; // PR_SME_GET_VL
  int found = prctl(kGetStreamingLength, 0, 0, 0, 0);
  return found < 0 ? 0 : int64_t(found & 0xffff) * 8;
#else
  return 0;
#endif
}

void kiln::cpu_target::readMachine(Processor &processor) {
  StringRef name = llvm::sys::getHostCPUName();
  llvm::SmallVector<std::string> names;
  for (const NamedChip &chip : processor.architecture->chips)
    if (chip.name == name) {
      processor.pipes = chip.pipes;
      processor.line = chip.line;
      processor.group = chip.group;
      processor.tune = chip.tune.str();
      if (!chip.features.empty())
        names.push_back(chip.features.str());
    }
  processor.cpu = name.str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  processor.vectorBits = machineVectorBits(features);
  processor.streamingBits = features.lookup("sme") ? machineStreamingBits() : 0;
  // A system may not save the registers that the processor has.
  if (processor.architecture->arch == llvm::Triple::aarch64 &&
      !processor.vectorBits)
    features["sve"] = false;
  // LLVM need not be told of what no kernel contains.
  bool isX86 = processor.architecture->arch == llvm::Triple::x86_64;
  for (const auto &feature : features)
    if (!feature.second || !isX86 || !isUnusedX86Feature(feature.first()))
      names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names);
  processor.features = llvm::join(names, ",");
  auto known = [](int name, int64_t &value) {
    long found = sysconf(name);
    if (found > 0)
      value = found;
    return found > 0;
  };
  // Systems whose libc does not ask the processor describe it in files.
  auto cache = [&](int name, StringRef level, int64_t &value) {
    if (int64_t found = known(name, value) ? 0 : cacheSize(level))
      value = found;
  };
  cache(_SC_LEVEL1_DCACHE_SIZE, "1", processor.l1);
  cache(_SC_LEVEL2_CACHE_SIZE, "2", processor.l2);
  int64_t shared = processor.l3;
  cache(_SC_LEVEL3_CACHE_SIZE, "3", shared);
  // Virtual machines report the sum over sockets.
  processor.l3 = std::min(shared, processor.l3);
  known(_SC_NPROCESSORS_ONLN, processor.cores);
}
