// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU device: what the parts of its driver share.
#ifndef KILN_TARGETS_CPU_DEVICE_CPUDEVICE_H
#define KILN_TARGETS_CPU_DEVICE_CPUDEVICE_H

#include "ElfCheck.h"
#include "Threads.h"
#include "kiln-c/Device.h"
#include "kiln-c/Kernel.h"
#include "kiln/Runtime/HostDriver.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// Memory of this process, owned or imported.
struct KilnBuffer {
  void *address = nullptr;
  uint64_t bytes = 0;
  uint64_t mapped = 0; ///< bytes to unmap; 0: from aligned_alloc or imported
  bool isOwned = false;
};

/// One entry of a module, ready to call.
struct KilnKernel {
  std::string symbol;
  KilnKernelEntry entry = nullptr;
  uint64_t scratchBytes = 0;
  bool isConcurrent = false; ///< instances may wait for each other
  std::vector<KilnKernelParameter> params;
};

/// A loaded shared object and its kernels.
struct KilnModule {
  void *library = nullptr;
  kiln::cpu_target::ElfSymbols symbols;
  std::vector<std::unique_ptr<KilnKernel>> kernels;
};

namespace kiln::cpu_target {

/// What the runtime offers to this driver.
extern KilnDeviceHost runtimeHost;

/// A growing block of memory for one thread.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  ~Scratch();
  /// Null when there is no memory.
  void *get(uint64_t bytes);

private:
  void *data = nullptr;
  uint64_t size = 0;
};

/// What "chip,key=value,…" said.
struct Options {
  std::string chip;
  int threads = 0;                   ///< 0: as many as the process may use
  std::vector<std::string> required; ///< features that the code uses
  std::vector<std::string> hidden;   ///< taken to be absent, for trying things
};

bool parseOptions(const char *text, Options &options, std::string &problem);
/// Fails when this machine, or its operating system, lacks a feature that
/// `requires=` names, or a name is not known.
bool checkFeatures(const Options &options, std::string &problem);

/// Loads a kernel library after checking what it needs.
bool loadLibrary(const void *bytes, uint64_t size, KilnModule &module,
                 std::string &problem);
/// Whether a kernel may leave `symbol` undefined.
bool isRuntimeSymbol(const std::string &symbol);

inline int fail(KilnError *error, const std::string &message) {
  return runtime::failDriver(error, message);
}

} // namespace kiln::cpu_target

struct KilnDevice {
  explicit KilnDevice(int threads) : threads(threads), scratch(threads) {}
  kiln::cpu_target::Threads threads;
  std::vector<kiln::cpu_target::Scratch> scratch;
  std::string name;
  KilnMemoryKind memory = {};
  KilnDeviceProperties properties = {};
};

namespace kiln::cpu_target {
int execute(KilnDevice *device, KilnQueue *queue, const KilnLaunch *launch,
            KilnError *error);
}

#endif
