// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of the instruction set that compiled kernels may contain, by LLVM's
// names; shared by the compiler's side and the driver's.
#ifndef KILN_TARGETS_CPU_DEVICE_CODEFEATURES_H
#define KILN_TARGETS_CPU_DEVICE_CODEFEATURES_H

#include <cstdint>
#include <string_view>

namespace kiln::cpu_target {

/// Requirements on the length of vector registers are `vector_bits.N`, those on
/// the length in streaming mode `streaming_bits.N`.
constexpr std::string_view kVectorBits = "vector_bits.",
                           kStreamingBits = "streaming_bits.";

/// Features of x86 that say nothing about whether kernels run: instructions for
/// operating systems, or that code only has where a program asks for them by
/// name, what every machine of the architecture has, and what only makes
/// instructions of the base faster. Virtual machines and firmware hide some of
/// them.
constexpr std::string_view kUnusedX86Features[] = {
    "64bit",    "64bit-mode", "cldemote", "clflushopt", "clwb",     "clzero",
    "enqcmd",   "ermsb",      "fsrm",     "fsgsbase",   "fxsr",     "hreset",
    "invpcid",  "kl",         "lwp",      "movdir64b",  "movdiri",  "mwaitx",
    "nopl",     "pconfig",    "pku",      "prefetchi",  "prfchw",   "ptwrite",
    "rdpid",    "rdpru",      "rtm",      "serialize",  "sgx",      "shstk",
    "tsxldtrk", "uintr",      "usermsr",  "waitpkg",    "wbnoinvd", "widekl",
    "x87",      "xsave",      "xsavec",   "xsaveopt",   "xsaves"};

inline bool isUnusedX86Feature(std::string_view name) {
  for (std::string_view known : kUnusedX86Features)
    if (known == name)
      return true;
  return false;
}

/// A feature of AArch64 and its bit in a word of the auxiliary vector (Linux,
/// Documentation/arch/arm64/elf_hwcaps.rst): AT_HWCAP or AT_HWCAP2.
struct ArmFeature {
  std::string_view name;
  int word;
  unsigned bit;
};

/// What LLVM selects for arithmetic, memory and control flow, or what matrix
/// instructions are. Instructions for cryptography, tags, branch targets and
/// operating systems are not among them.
constexpr ArmFeature kArmFeatures[] = {
    {"fp-armv8", 1, 0},  {"neon", 1, 1},        {"lse", 1, 8},
    {"fullfp16", 1, 10}, {"rdm", 1, 12},        {"complxnum", 1, 14},
    {"rcpc", 1, 15},     {"sha3", 1, 17},       {"dotprod", 1, 20},
    {"sve", 1, 22},      {"fp16fml", 1, 23},    {"rcpc-immo", 1, 26},
    {"flagm", 1, 27},    {"cmpbr", 1, 33},      {"fprcvt", 1, 34},
    {"sve2p2", 1, 41},   {"sve2", 2, 1},        {"sve-bitperm", 2, 4},
    {"altnzcv", 2, 7},   {"fptoint", 2, 8},     {"f32mm", 2, 10},
    {"f64mm", 2, 11},    {"i8mm", 2, 13},       {"bf16", 2, 14},
    {"sme", 2, 23},      {"sme-i16i64", 2, 24}, {"sme-f64f64", 2, 25},
    {"sme-fa64", 2, 30}, {"cssc", 2, 34},       {"sve2p1", 2, 36},
    {"sme2", 2, 37},     {"sme2p1", 2, 38},     {"sme-f16f16", 2, 42},
    {"mops", 2, 43},     {"hbc", 2, 44},        {"sve-b16b16", 2, 45},
    {"rcpc3", 2, 46},    {"faminmax", 2, 50}};

/// An extension of RISC-V and its bit under RISCV_HWPROBE_KEY_IMA_EXT_0 (Linux,
/// Documentation/arch/riscv/hwprobe.rst); -1 for those of the base, -2 for what
/// another key tells.
struct RiscvFeature {
  std::string_view name;
  int bit;
};

constexpr int kRiscvBase = -1, kRiscvMisalignedVectors = -2;
constexpr RiscvFeature kRiscvFeatures[] = {
    {"i", kRiscvBase},
    {"m", kRiscvBase},
    {"a", kRiscvBase},
    {"zmmul", kRiscvBase},
    {"zaamo", kRiscvBase},
    {"zalrsc", kRiscvBase},
    {"f", 0},
    {"d", 0},
    {"c", 1},
    {"zca", 1},
    {"zcd", 1},
    {"v", 2},
    {"zba", 3},
    {"zbb", 4},
    {"zbs", 5},
    {"zbc", 7},
    {"zbkb", 8},
    {"zvbb", 17},
    {"zvkb", 19},
    {"zfh", 27},
    {"zfhmin", 28},
    {"zvfh", 30},
    {"zvfhmin", 31},
    {"zfa", 32},
    {"ztso", 33},
    {"zacas", 34},
    {"zicond", 35},
    {"zve32x", 37},
    {"zve32f", 38},
    {"zve64x", 39},
    {"zve64f", 40},
    {"zve64d", 41},
    {"zcb", 44},
    {"zfbfmin", 52},
    {"zvfbfmin", 53},
    {"zvfbfwma", 54},
    {"zabha", 58},
    {"unaligned-vector-mem", kRiscvMisalignedVectors}};

} // namespace kiln::cpu_target

#endif
