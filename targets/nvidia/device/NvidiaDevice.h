// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver's handles stand for. Private to this folder.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_NVIDIADEVICE_H
#define KILN_TARGETS_NVIDIA_DEVICE_NVIDIADEVICE_H

#include "Cuda.h"
#include "Seal.h"
#include "kiln-c/Device.h"
#include "kiln/Runtime/HostDriver.h"
#include <memory>
#include <string>
#include <vector>

/// One open device: the primary context, which programs that embed the runtime
/// and other libraries share, and a stream for what goes without a queue.
struct KilnDevice {
  const kiln::nvidia::Cuda *cuda = nullptr;
  kiln::nvidia::CUdevice number = 0;
  kiln::nvidia::CUcontext context = nullptr;
  kiln::nvidia::CUstream immediate = nullptr;
  int compute = 0;   ///< 90 for compute capability 9.0
  int maxShared = 0; ///< bytes of shared memory that a block may ask for
  std::string name;
  KilnMemoryKind kinds[2];
  KilnDeviceProperties properties = {};

  /// Makes the context that of this thread.
  void enter() const { cuda->cuCtxSetCurrent(context); }
};

struct KilnBuffer {
  kiln::nvidia::CUdeviceptr address = 0; ///< of the first byte
  uint64_t bytes = 0;
  void *host = nullptr; ///< the same memory, where the host sees it
  kiln::nvidia::CUdeviceptr owned = 0; ///< what has to be freed, if anything
};

struct KilnQueue {
  kiln::nvidia::CUstream stream = nullptr;
  bool isOwned = true;
};

struct KilnEvent {
  kiln::nvidia::CUevent event = nullptr;
};

struct KilnRecording {
  kiln::nvidia::CUgraph graph = nullptr;
  kiln::nvidia::CUgraphExec executable = nullptr;
};

struct KilnKernel {
  kiln::nvidia::CUfunction function = nullptr;
  std::string symbol;
  int64_t dynamicShared = -1; ///< what the function was last allowed
};

struct KilnModule {
  kiln::nvidia::CUmodule module = nullptr;
  std::vector<std::unique_ptr<KilnKernel>> kernels;
};

namespace kiln::nvidia {

/// 0, or 1 with "WHAT: reason".
inline int check(const KilnDevice *device, CUresult result, const char *what,
                 KilnError *error) {
  return result ? runtime::failDriver(error, std::string(what) + ": " +
                                                 device->cuda->describe(result))
                : 0;
}

inline CUstream streamOf(const KilnDevice *device, const KilnQueue *queue) {
  return queue ? queue->stream : device->immediate;
}

/// Waits where there is no queue: the work has ended on return.
inline int settle(const KilnDevice *device, const KilnQueue *queue,
                  const char *what, KilnError *error) {
  return queue ? 0
               : check(device,
                       device->cuda->cuStreamSynchronize(device->immediate),
                       what, error);
}

/// Fills in the entries of the table that a file has.
void addMemory(KilnDeviceDriver &table);
void addQueues(KilnDeviceDriver &table);
void addCode(KilnDeviceDriver &table);

/// Takes a module apart: PTX, which gets the zero that ends it, or a sealed
/// cubin. Empty, or why CUDA's loader, which is not told how many bytes there
/// are, must not see it.
std::string readModule(const void *bytes, uint64_t size,
                       std::vector<char> &code);

} // namespace kiln::nvidia

#endif
