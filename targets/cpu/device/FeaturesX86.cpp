// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an x86 processor can execute, as the instruction cpuid tells.
#if defined(__x86_64__)
#include "CodeFeatures.h"
#include "Features.h"
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kiln::cpu_target;

namespace {

/// State that the operating system must save for a feature, as bits of XCR0.
enum State : uint64_t {
  kNoState = 0,
  kYmm = 0x6,
  kZmm = 0xe6,
  kTiles = 0x60000,
  kApx = 0x80000,
};

enum Register { kEax, kEbx, kEcx, kEdx };

/// Where cpuid tells of a feature.
struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  unsigned bit;
  State state;
};

constexpr Feature kFeatures[] = {
    {"sse3", 1, 0, kEcx, 0, kNoState},
    {"pclmul", 1, 0, kEcx, 1, kNoState},
    {"ssse3", 1, 0, kEcx, 9, kNoState},
    {"fma", 1, 0, kEcx, 12, kYmm},
    {"cx16", 1, 0, kEcx, 13, kNoState},
    {"sse4.1", 1, 0, kEcx, 19, kNoState},
    {"sse4.2", 1, 0, kEcx, 20, kNoState},
    {"crc32", 1, 0, kEcx, 20, kNoState},
    {"movbe", 1, 0, kEcx, 22, kNoState},
    {"popcnt", 1, 0, kEcx, 23, kNoState},
    {"aes", 1, 0, kEcx, 25, kNoState},
    {"avx", 1, 0, kEcx, 28, kYmm},
    {"f16c", 1, 0, kEcx, 29, kYmm},
    {"rdrnd", 1, 0, kEcx, 30, kNoState},
    {"cx8", 1, 0, kEdx, 8, kNoState},
    {"cmov", 1, 0, kEdx, 15, kNoState},
    {"mmx", 1, 0, kEdx, 23, kNoState},
    {"sse", 1, 0, kEdx, 25, kNoState},
    {"sse2", 1, 0, kEdx, 26, kNoState},
    {"bmi", 7, 0, kEbx, 3, kNoState},
    {"avx2", 7, 0, kEbx, 5, kYmm},
    {"bmi2", 7, 0, kEbx, 8, kNoState},
    {"avx512f", 7, 0, kEbx, 16, kZmm},
    {"evex512", 7, 0, kEbx, 16, kZmm},
    {"avx512dq", 7, 0, kEbx, 17, kZmm},
    {"rdseed", 7, 0, kEbx, 18, kNoState},
    {"adx", 7, 0, kEbx, 19, kNoState},
    {"avx512ifma", 7, 0, kEbx, 21, kZmm},
    {"avx512cd", 7, 0, kEbx, 28, kZmm},
    {"sha", 7, 0, kEbx, 29, kNoState},
    {"avx512bw", 7, 0, kEbx, 30, kZmm},
    {"avx512vl", 7, 0, kEbx, 31, kZmm},
    {"avx512vbmi", 7, 0, kEcx, 1, kZmm},
    {"avx512vbmi2", 7, 0, kEcx, 6, kZmm},
    {"gfni", 7, 0, kEcx, 8, kNoState},
    {"vaes", 7, 0, kEcx, 9, kYmm},
    {"vpclmulqdq", 7, 0, kEcx, 10, kYmm},
    {"avx512vnni", 7, 0, kEcx, 11, kZmm},
    {"avx512bitalg", 7, 0, kEcx, 12, kZmm},
    {"avx512vpopcntdq", 7, 0, kEcx, 14, kZmm},
    {"avx512vp2intersect", 7, 0, kEdx, 8, kZmm},
    {"amx-bf16", 7, 0, kEdx, 22, kTiles},
    {"avx512fp16", 7, 0, kEdx, 23, kZmm},
    {"amx-tile", 7, 0, kEdx, 24, kTiles},
    {"amx-int8", 7, 0, kEdx, 25, kTiles},
    {"sha512", 7, 1, kEax, 0, kYmm},
    {"sm3", 7, 1, kEax, 1, kYmm},
    {"sm4", 7, 1, kEax, 2, kYmm},
    {"raoint", 7, 1, kEax, 3, kNoState},
    {"avxvnni", 7, 1, kEax, 4, kYmm},
    {"avx512bf16", 7, 1, kEax, 5, kZmm},
    {"cmpccxadd", 7, 1, kEax, 7, kNoState},
    {"amx-fp16", 7, 1, kEax, 21, kTiles},
    {"avxifma", 7, 1, kEax, 23, kYmm},
    {"movrs", 7, 1, kEax, 31, kNoState},
    {"avxvnniint8", 7, 1, kEdx, 4, kYmm},
    {"avxneconvert", 7, 1, kEdx, 5, kYmm},
    {"amx-complex", 7, 1, kEdx, 8, kTiles},
    {"avxvnniint16", 7, 1, kEdx, 10, kYmm},
    {"avx10.1", 7, 1, kEdx, 19, kZmm},
    {"avx10.1-512", 7, 1, kEdx, 19, kZmm},
    {"avx10.2", 7, 1, kEdx, 19, kZmm},
    {"avx10.2-512", 7, 1, kEdx, 19, kZmm},
    {"egpr", 7, 1, kEdx, 21, kApx},
    {"push2pop2", 7, 1, kEdx, 21, kApx},
    {"ppx", 7, 1, kEdx, 21, kApx},
    {"ndd", 7, 1, kEdx, 21, kApx},
    {"ccmp", 7, 1, kEdx, 21, kApx},
    {"nf", 7, 1, kEdx, 21, kApx},
    {"cf", 7, 1, kEdx, 21, kApx},
    {"zu", 7, 1, kEdx, 21, kApx},
    {"amx-fp8", 0x1e, 1, kEax, 4, kTiles},
    {"amx-tf32", 0x1e, 1, kEax, 6, kTiles},
    {"amx-avx512", 0x1e, 1, kEax, 7, kTiles},
    {"amx-movrs", 0x1e, 1, kEax, 8, kTiles},
    {"sahf", 0x80000001, 0, kEcx, 0, kNoState},
    {"lzcnt", 0x80000001, 0, kEcx, 5, kNoState},
    {"sse4a", 0x80000001, 0, kEcx, 6, kNoState},
    {"xop", 0x80000001, 0, kEcx, 11, kYmm},
    {"fma4", 0x80000001, 0, kEcx, 16, kYmm},
    {"tbm", 0x80000001, 0, kEcx, 21, kNoState},
};

/// One register of a leaf; 0 where the processor has no such leaf.
uint32_t cpuid(uint32_t leaf, uint32_t subleaf, Register reg) {
  uint32_t values[4] = {};
  if (!__get_cpuid_count(leaf, subleaf, &values[kEax], &values[kEbx],
                         &values[kEcx], &values[kEdx]))
    return 0;
  // Subleaves of leaf 7 behind the last one repeat others on some processors.
  if (leaf == 7 && subleaf && cpuid(7, 0, kEax) < subleaf)
    return 0;
  return values[reg];
}

/// What the operating system saves when it switches threads.
uint64_t savedState() {
  constexpr uint32_t kOsXsave = 1u << 27;
  if (!(cpuid(1, 0, kEcx) & kOsXsave))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Asks the system for the state of tiles, which it gives only to processes
/// that want it.
bool permitsTiles() {
  constexpr int kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  static const bool permitted =
      syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return permitted;
}

} // namespace

std::optional<bool> kiln::cpu_target::hasFeature(std::string_view name) {
  static const uint64_t saved = savedState();
  for (const Feature &feature : kFeatures) {
    if (feature.name != name)
      continue;
    if (!(cpuid(feature.leaf, feature.subleaf, feature.reg) >> feature.bit & 1))
      return false;
    if ((saved & feature.state) != feature.state)
      return false;
    if (name.substr(0, 7) == "avx10.2" && (cpuid(0x24, 0, kEbx) & 0xff) < 2)
      return false;
    return feature.state != kTiles || permitsTiles();
  }
  return std::nullopt;
}

bool kiln::cpu_target::isUnusedFeature(std::string_view name) {
  return isUnusedX86Feature(name);
}

uint64_t kiln::cpu_target::vectorBits() { return 0; }
uint64_t kiln::cpu_target::streamingBits() { return 0; }
bool kiln::cpu_target::fitsVectors(uint64_t, uint64_t) { return false; }

#endif // x86_64
