// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver's handles stand for. Private to this folder.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_NVIDIADEVICE_H
#define KILN_TARGETS_NVIDIA_DEVICE_NVIDIADEVICE_H

#include "Cuda.h"
#include "Seal.h"
#include "kiln-c/Device.h"
#include "kiln/Runtime/HostDriver.h"
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

/// What the kernels of a module tell the host (kiln/Gpu/OutputRecord.h).
struct KilnOutput {
  void *records = nullptr; ///< memory of the host that the device writes
  kiln::nvidia::CUdeviceptr variable = 0;
  std::set<const KilnQueue *> queues; ///< where launches may not have ended
};

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
  std::mutex outputMutex;
  std::vector<KilnOutput *> outputs; ///< of all modules, under the mutex

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
  bool isRecording = false;
  std::set<KilnOutput *> recorded; ///< of the kernels recorded so far
};

struct KilnEvent {
  kiln::nvidia::CUevent event = nullptr;
};

struct KilnRecording {
  kiln::nvidia::CUgraph graph = nullptr;
  kiln::nvidia::CUgraphExec executable = nullptr;
  std::set<KilnOutput *> outputs; ///< of its kernels
};

struct KilnKernel {
  kiln::nvidia::CUfunction function = nullptr;
  std::string symbol;
  int64_t dynamicShared = -1;   ///< what the function was last allowed
  KilnOutput *output = nullptr; ///< of its module, if that has any
  /// Blocks that the device runs at once, of `residentThreads` threads with
  /// `residentShared` bytes of shared memory; 0: not known yet.
  int64_t resident = 0, residentThreads = 0, residentShared = 0;
};

struct KilnModule {
  kiln::nvidia::CUmodule module = nullptr;
  std::unique_ptr<KilnOutput> output;
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

/// Gives a loaded module a place for its output, if it wants one.
int attachOutput(KilnDevice *device, KilnModule *module,
                 const std::vector<char> &code, KilnError *error);
void detachOutput(KilnDevice *device, KilnModule *module);
/// A launch on a queue (null: at once) may have output.
void expectOutput(KilnDevice *device, const KilnQueue *queue,
                  KilnOutput *output);
/// The work of a queue has ended: prints what it printed, and fails with what
/// its kernels say is wrong. Output that another queue may still add to waits.
int readOutputs(KilnDevice *device, const KilnQueue *queue, KilnError *error);

/// Waits where there is no queue: the work has ended on return.
inline int settle(KilnDevice *device, const KilnQueue *queue, const char *what,
                  KilnError *error) {
  if (queue)
    return 0;
  return check(device, device->cuda->cuStreamSynchronize(device->immediate),
               what, error) ||
         readOutputs(device, queue, error);
}

/// What the runtime offers.
extern const KilnDeviceHost *theHost;

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
