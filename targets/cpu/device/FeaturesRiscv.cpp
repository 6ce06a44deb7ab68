// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a RISC-V processor can execute, as riscv_hwprobe and /proc/cpuinfo tell.
#if defined(__riscv)
#include "CodeFeatures.h"
#include "Features.h"
#include <fstream>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kiln::cpu_target;

namespace {

/// The value of a key of the system call riscv_hwprobe; nothing where the
/// system does not know the key or the call.
std::optional<uint64_t> probe(int64_t key) {
  constexpr long kHwprobe = 258;
  struct {
    int64_t key;
    uint64_t value;
  } pair = {key, 0};
  if (syscall(kHwprobe, &pair, 1, 0, nullptr, 0) != 0 || pair.key != key)
    return std::nullopt;
  return pair.value;
}

/// The extensions in a string such as "rv64imafdcv_zba_zbb".
std::set<std::string> readExtensions(const std::string &isa) {
  std::set<std::string> names;
  size_t begin = isa.find("rv64");
  if (begin == std::string::npos)
    return names;
  size_t end = isa.find('_', begin += 4);
  for (char letter : isa.substr(begin, end - begin))
    names.insert(letter == 'g' ? "i" : std::string(1, letter));
  if (isa.find('g', begin) < end)
    names.insert({"m", "a", "f", "d"});
  while (end < isa.size()) {
    begin = end + 1;
    end = std::min(isa.find('_', begin), isa.size());
    names.insert(isa.substr(begin, end - begin));
  }
  // What single letters stand for.
  for (auto [letter, parts] :
       {std::pair("c", std::set<std::string>{"zca", "zcd"}),
        std::pair("v", std::set<std::string>{"zve32x", "zve32f", "zve64x",
                                             "zve64f", "zve64d"}),
        std::pair("m", std::set<std::string>{"zmmul"}),
        std::pair("a", std::set<std::string>{"zaamo", "zalrsc"})})
    if (names.count(letter))
      names.insert(parts.begin(), parts.end());
  return names;
}

/// The extensions that all processors have, as /proc/cpuinfo tells.
std::set<std::string> systemExtensions() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> common;
  bool isFirst = true;
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 3, "isa") != 0)
      continue;
    std::set<std::string> here = readExtensions(line);
    for (auto name = common.begin(); name != common.end();)
      name = here.count(*name) ? std::next(name) : common.erase(name);
    if (isFirst)
      common = here;
    isFirst = false;
  }
  return common;
}

/// Whether this thread may use vectors, which the system can forbid (Linux,
/// Documentation/arch/riscv/vector.rst).
bool permitsVectors() {
  constexpr int kGetVectorControl = 70; // PR_RISCV_V_GET_CONTROL
  constexpr int kOff = 1;
  int found = prctl(kGetVectorControl, 0, 0, 0, 0);
  return found < 0 || (found & 3) != kOff;
}

} // namespace

bool kiln::cpu_target::isUnusedFeature(std::string_view) { return false; }

std::optional<bool> kiln::cpu_target::hasFeature(std::string_view name) {
  constexpr int64_t kExtensions = 4;         // RISCV_HWPROBE_KEY_IMA_EXT_0
  constexpr int64_t kMisalignedVectors = 10; // …_KEY_MISALIGNED_VECTOR_PERF
  constexpr uint64_t kUnsupported = 4;
  static const uint64_t probed = probe(kExtensions).value_or(0);
  static const std::set<std::string> told = systemExtensions();
  for (const RiscvFeature &feature : kRiscvFeatures) {
    if (feature.name != name)
      continue;
    if (feature.bit == kRiscvBase)
      return true;
    if (feature.bit == kRiscvMisalignedVectors)
      return probe(kMisalignedVectors).value_or(0) != kUnsupported;
    bool has = (probed >> feature.bit & 1) || told.count(std::string(name));
    bool isVector = name == "v" || name.substr(0, 2) == "zv";
    return has && (!isVector || permitsVectors());
  }
  return std::nullopt;
}

uint64_t kiln::cpu_target::vectorBits() {
  if (!hasFeature("zve32x").value_or(false))
    return 0;
  uint64_t bytes = 0;
  // The register vlenb, by its number: assemblers need not know of vectors.
  __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
  return bytes * 8;
}

uint64_t kiln::cpu_target::streamingBits() { return 0; }

bool kiln::cpu_target::fitsVectors(uint64_t wanted, uint64_t found) {
  // Code says how many elements it means, which longer registers have, too.
  return wanted <= found;
}

#endif // riscv
