// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one architecture tells of the machine that the driver runs on.
#ifndef KILN_TARGETS_CPU_DEVICE_FEATURES_H
#define KILN_TARGETS_CPU_DEVICE_FEATURES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::cpu_target {

/// The architecture that this driver is compiled for, as packages name it; the
/// first requirement of code.
constexpr std::string_view kArchitecture =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
    "riscv64";
#else
#error "the cpu device does not know this machine"
#endif
constexpr std::string_view kArchitectures[] = {"aarch64", "riscv64", "x86_64"};

/// Whether the machine has a feature; nothing for a name not known here.
std::optional<bool> hasFeature(std::string_view name);

/// Whether the lack of a feature does not keep code from running here.
bool isUnusedFeature(std::string_view name);

/// How many bits the vector registers have, where their length is the
/// machine's; 0 where it has none of that kind.
uint64_t vectorBits();
/// The same in streaming mode.
uint64_t streamingBits();
/// Whether code for registers of `wanted` bits runs on those of `found`.
bool fitsVectors(uint64_t wanted, uint64_t found);

} // namespace kiln::cpu_target

#endif
