// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a kernel over a grid.
#ifndef KILN_TARGETS_AMD_DEVICE_LAUNCH_H
#define KILN_TARGETS_AMD_DEVICE_LAUNCH_H

#include "CodeObject.h"
#include <functional>

namespace kiln::amd::sim {

struct LaunchOptions {
  uint32_t grid[3] = {1, 1, 1};    ///< workgroups
  uint32_t threads[3] = {1, 1, 1}; ///< of a workgroup
  uint32_t dynamicLds = 0;         ///< bytes behind those of the descriptor
  bool isCooperative = false;      ///< all workgroups are there at once
  bool checks = true;
  bool findsOld = false; ///< whether old values of LDS are reported
  Float8Kind float8 = Float8Kind::Any; ///< what buffers hold
  /// 0: waves run in the order of their numbers; else the order and the length
  /// of their turns are drawn from it.
  uint64_t seed = 0;
  /// Told how many of how many workgroups have ended.
  std::function<void(uint64_t, uint64_t)> progress;
};

/// Runs the kernel with the bytes of its kernarg segment; fills in the hidden
/// arguments. Returns what went wrong, or nothing; adds to `counters`.
std::string runKernel(Code &code, const KernelInfo &kernel,
                      std::vector<uint8_t> kernarg, AddressMap &memory,
                      const LaunchOptions &options, Counters &counters);

/// Reads "ocp" or "fnuz"; returns whether it is one of them.
bool readFloat8Kind(const std::string &text, Float8Kind &kind);

/// Prints what was counted, in one line, to the standard error.
void printCounters(const std::string &kernel, const Counters &counters);

/// Puts words into the kernarg segment, in order of the arguments that are not
/// hidden. Returns what does not fit, or nothing.
std::string packArguments(const KernelInfo &kernel,
                          const std::vector<uint64_t> &words,
                          std::vector<uint8_t> &kernarg);

/// An argument of code of another compiler.
struct BareArgument {
  uint64_t bits = 0;
  unsigned bytes = 8;
  std::string what; ///< for messages: "i32", "an array"
};

/// Puts arguments into the kernarg segment. A structure that is passed by value
/// takes as many arguments as its bytes hold, each at a multiple of its size.
/// Returns what does not fit the metadata of the kernel, or nothing.
std::string packBare(const KernelInfo &kernel,
                     const std::vector<BareArgument> &arguments,
                     std::vector<uint8_t> &kernarg);

} // namespace kiln::amd::sim

#endif
