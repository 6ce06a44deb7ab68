// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the handles of a driver of devices with streams stand for, and the
// entries of its table that need no more than a StreamApi.
//
// A driver derives its device from KilnDevice, fills in `api`, `immediate` and
// the properties when it opens one, and takes the entries by addEntries(). What
// is left to it are open, close, properties, loadModule and knowsAttribute.
//
// A kernel's parameters, in order: for each view its address, its sizes and its
// strides in elements, 64 bits each; for each scalar its bits in the bytes of
// its type; then the three extents of the logical grid, 64 bits each; at the
// end what each recipe of the launch makes of a view, 128 bytes each.
#ifndef KILN_TARGETS_STREAMS_STREAMDEVICE_H
#define KILN_TARGETS_STREAMS_STREAMDEVICE_H

#include "StreamApi.h"
#include "kiln/Runtime/HostDriver.h"
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kiln::streams {
/// What a recipe makes of a view, as a parameter of a kernel.
struct alignas(64) Encoded {
  char bytes[128] = {};
};
} // namespace kiln::streams

/// What the kernels of a module tell the host (kiln/Gpu/OutputRecord.h).
struct KilnOutput {
  void *records = nullptr; ///< memory of the host that the device writes
  uint64_t variable = 0;
  std::set<const KilnQueue *> queues; ///< where launches may not have ended
};

struct KilnDevice {
  const kiln::streams::StreamApi *api = nullptr;
  const kiln::streams::CodeApi *code = nullptr;
  void *immediate = nullptr; ///< the stream of what goes without a queue
  int64_t maxShared = 0; ///< bytes of shared memory that a block may ask for
  std::string name;
  KilnMemoryKind kinds[2];
  KilnDeviceProperties properties = {};
  std::mutex outputMutex;
  std::vector<KilnOutput *> outputs; ///< of all modules, under the mutex

  virtual ~KilnDevice() = default;
  /// Makes the device that of this thread.
  virtual void enter() const = 0;
  /// Chooses the grid of the device for a logical one. Empty, or why there is
  /// none.
  virtual std::string placeGrid(const KilnLaunch &launch,
                                kiln::streams::LaunchShape &shape) const = 0;
  /// Writes what a recipe makes of a view. Empty, or why it makes nothing.
  virtual std::string encode(const KilnArgumentEncoding &recipe,
                             const KilnKernelArgument &,
                             kiln::streams::Encoded &) const {
    return "the driver has no recipe '" + std::string(recipe.recipe) + "'";
  }
};

struct KilnBuffer {
  uint64_t address = 0; ///< of the first byte
  uint64_t bytes = 0;
  void *host = nullptr; ///< the same memory, where the host sees it
  uint64_t owned = 0;   ///< what has to be freed, if anything
};

struct KilnKernel {
  void *function = nullptr;
  std::shared_ptr<const std::string> symbol;
  int64_t dynamicShared = 0;    ///< what the function was last allowed
  KilnOutput *output = nullptr; ///< of its module, if that has any
  /// Blocks that the device runs at once, of `residentThreads` threads with
  /// `residentShared` bytes of shared memory; 0: not known yet.
  int64_t resident = 0, residentThreads = 0, residentShared = 0;
};

struct KilnModule {
  void *module = nullptr;
  std::unique_ptr<KilnOutput> output;
  std::vector<std::unique_ptr<KilnKernel>> kernels;
};

struct KilnQueue {
  void *stream = nullptr;
  bool isOwned = true;
  bool isRecording = false;
  std::set<KilnOutput *> recorded; ///< of the kernels recorded so far
  /// The kernels launched last, for the message of a fault that shows later:
  /// the latest one first. With each the argument that reaches behind its
  /// buffer, or -1.
  struct Launched {
    std::shared_ptr<const std::string> symbol;
    int argument = -1;
  };
  static constexpr unsigned kRemembered = 4;
  Launched launched[kRemembered];
};

struct KilnEvent {
  void *event = nullptr;
};

struct KilnRecording {
  void *graph = nullptr;
  void *executable = nullptr;
  std::set<KilnOutput *> outputs; ///< of its kernels
  KilnQueue::Launched launched[KilnQueue::kRemembered];
};

namespace kiln::streams {

/// 0, or 1 with "WHAT: reason".
inline int check(const KilnDevice *device, int status, const std::string &what,
                 KilnError *error) {
  return status ? runtime::failDriver(error, what + ": " +
                                                 device->api->describe(status))
                : 0;
}

inline void *streamOf(const KilnDevice *device, const KilnQueue *queue) {
  return queue ? queue->stream : device->immediate;
}

/// Gives a loaded module a place for its output, if its code (any bytes that
/// hold its symbols) names the variable for it.
int attachOutput(KilnDevice *device, KilnModule *module, const void *code,
                 size_t size, KilnError *error);
void detachOutput(KilnDevice *device, KilnModule *module);
/// A launch on a queue (null: at once) may have output.
void expectOutput(KilnDevice *device, const KilnQueue *queue,
                  KilnOutput *output);
/// The work of a queue has ended: prints what it printed, and fails with what
/// its kernels say is wrong. Output that another queue may still add to waits.
int readOutputs(KilnDevice *device, const KilnQueue *queue, KilnError *error);

/// Waits where there is no queue: the work has ended on return.
int settle(KilnDevice *device, const KilnQueue *queue, const std::string &what,
           KilnError *error);

/// What the runtime offers; kilnGetDeviceDriver sets it.
extern const KilnDeviceHost *theHost;

/// All entries of the table that StreamApi is enough for.
void addEntries(KilnDeviceDriver &table);
void addMemory(KilnDeviceDriver &table);
void addQueues(KilnDeviceDriver &table);
void addCode(KilnDeviceDriver &table);

} // namespace kiln::streams

#endif
