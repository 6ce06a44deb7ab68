// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the drivers of devices with streams, events and graphs ask of a vendor's
// library. Such libraries agree on what there is and differ in names.
#ifndef KILN_TARGETS_STREAMS_STREAMAPI_H
#define KILN_TARGETS_STREAMS_STREAMAPI_H

#include "kiln-c/Device.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace kiln::streams {

/// A launch without its arguments. Extents are those of the device, in blocks
/// and in threads of a block.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t threads[3] = {1, 1, 1};
  int64_t cluster[3] = {1, 1, 1};
  int64_t sharedBytes = 0;
  bool isCooperative = false, isPersistent = false;
  int64_t priority = 0; ///< higher ones first
  int64_t own = 0;      ///< what KILN_LAUNCH_OWN says

  /// Reads the attributes of a launch; the grid is left alone.
  static LaunchShape of(const KilnLaunch &launch);
  int64_t numThreads() const { return threads[0] * threads[1] * threads[2]; }
  int64_t numCluster() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// The functions of a vendor's library for memory, streams and events. All but
/// `describe` return its status, which is 0 for success, and are called with
/// the device entered. Handles are the library's; addresses are those of device
/// memory.
class StreamApi {
public:
  virtual ~StreamApi() = default;
  /// "out of memory (ERROR_NAME)".
  virtual std::string describe(int status) const = 0;

  virtual int allocate(uint64_t *address, size_t bytes) const = 0;
  /// This and `releaseHost` wait for what still uses the memory.
  virtual int release(uint64_t address) const = 0;
  /// Memory of the host that every device sees at the same address.
  virtual int allocateHost(void **address, size_t bytes) const = 0;
  virtual int releaseHost(void *address) const = 0;
  /// Copies and fills are put into a stream.
  virtual int copyIn(uint64_t dst, const void *src, size_t bytes,
                     void *stream) const = 0;
  virtual int copyOut(void *dst, uint64_t src, size_t bytes,
                      void *stream) const = 0;
  virtual int copy(uint64_t dst, uint64_t src, size_t bytes,
                   void *stream) const = 0;
  virtual int fill(uint64_t dst, uint8_t value, size_t bytes,
                   void *stream) const = 0;

  /// A stream that does not wait for the default stream.
  virtual int createStream(void **stream) const = 0;
  virtual int destroyStream(void *stream) const = 0;
  virtual int synchronize(void *stream) const = 0;
  virtual int createEvent(void **event) const = 0;
  virtual int destroyEvent(void *event) const = 0;
  virtual int recordEvent(void *event, void *stream) const = 0;
  virtual int awaitEvent(void *stream, void *event) const = 0;
  virtual int synchronizeEvent(void *event) const = 0;
  virtual int elapsed(float *milliseconds, void *begin, void *end) const = 0;
};

/// Its functions for code: modules, launches, and graphs of these.
class CodeApi {
public:
  virtual ~CodeApi() = default;

  /// Captures what this thread puts into the stream, and nothing else.
  virtual int beginCapture(void *stream) const = 0;
  virtual int endCapture(void *stream, void **graph) const = 0;
  virtual int instantiate(void **executable, void *graph) const = 0;
  virtual int launchGraph(void *executable, void *stream) const = 0;
  virtual int destroyExecutable(void *executable) const = 0;
  virtual int destroyGraph(void *graph) const = 0;

  virtual int unloadModule(void *module) const = 0;
  virtual int findFunction(void **function, void *module,
                           const char *symbol) const = 0;
  virtual int findVariable(uint64_t *address, size_t *bytes, void *module,
                           const char *symbol) const = 0;
  /// Asks for so much dynamic shared memory in launches of the function.
  virtual int allowShared(void *function, int64_t bytes) const = 0;
  /// Blocks of the shape that one core holds at once.
  virtual int countResident(int *blocks, void *function,
                            const LaunchShape &shape) const = 0;
  virtual int launch(void *function, const LaunchShape &shape, void **arguments,
                     void *stream) const = 0;
};

} // namespace kiln::streams

#endif
