// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the driver share.
#ifndef KILN_TARGETS_AMD_DEVICE_SIMDEVICE_H
#define KILN_TARGETS_AMD_DEVICE_SIMDEVICE_H

#include "CodeObject.h"
#include "kiln-c/Device.h"
#include "kiln/Runtime/HostDriver.h"
#include <optional>

struct KilnBuffer {
  uint8_t *memory = nullptr; ///< with a gap before and behind
  uint8_t *address = nullptr;
  uint64_t bytes = 0;
};

struct KilnKernel {
  KilnModule *module = nullptr;
  const kiln::amd::sim::KernelInfo *info = nullptr;
};

struct KilnModule {
  std::unique_ptr<kiln::amd::sim::Code> code;
  std::vector<std::unique_ptr<KilnKernel>> kernels;
  bool isOurs = false; ///< made by Kiln
  uint8_t *outputVariable = nullptr;
  std::vector<uint8_t> records; ///< that kernels write for the host
};

struct KilnDevice {
  kiln::amd::sim::AddressMap memory;
  std::string name;
  KilnMemoryKind kind = {};
  KilnDeviceProperties properties = {};
  bool checks = true, counts = false;
  /// Whether old values of LDS are reported; none: in code of Kiln, which
  /// writes the tiles that it reads whole.
  std::optional<bool> findsOld;
  kiln::amd::sim::Float8Kind float8 = kiln::amd::sim::Float8Kind::Any;
  std::string chip; ///< what code has to be for; empty: any
  uint64_t seed = 0;
};

namespace kiln::amd::sim {

/// What the runtime offers.
extern KilnDeviceHost runtimeHost;

/// Gives a module whose kernels print memory for their records.
void attachOutput(KilnDevice *device, KilnModule &module);
void detachOutput(KilnDevice *device, KilnModule &module);
/// Prints the records of a launch that has ended; the text of the first fault.
std::string readOutput(KilnModule &module);

} // namespace kiln::amd::sim

#endif
