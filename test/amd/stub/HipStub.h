// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with HIP's functions for tests: work of a stream is kept until a
// thread waits for it, kernels run on the simulated device, and each call is
// counted and checked. If the awaited work needs work of another stream, as a
// collective does, all streams go on.
//
//   HIP_STUB_REPORT=FILE   where a process adds lines: "mistake: TEXT" at once,
//                          "calls NAME COUNT" and "leak: TEXT" when it ends
//   HIP_STUB_DEVICES=N     how many devices there are (2)
//   HIP_STUB_CHIP=NAME     what they are (gfx942)
//   HIP_STUB_VERSION=N     what hipRuntimeGetVersion says (70100000)
//   HIP_STUB_FAIL=NAME:N=S the Nth call of a function returns status S
#ifndef KILN_TEST_AMD_STUB_HIPSTUB_H
#define KILN_TEST_AMD_STUB_HIPSTUB_H

#include "CodeObject.h"
#include "Launch.h"
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace stub {

/// hipError_t.
enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kTimeout = 702,
  kLaunchTooLarge = 720,
  kCaptureUnsupported = 900
};

struct Event;
struct Graph;
/// Returns kNotReady, without an effect, if work of another stream has to run
/// first.
using Work = std::function<int()>;

struct Stream {
  int device = 0;
  std::deque<Work> pending;
  Graph *capture = nullptr;
  int status = 0;           ///< of what has failed; stays
  bool isAdvancing = false; ///< its first piece of work runs
};

struct Event {
  int device = 0;
  Stream *stream = nullptr; ///< where it was recorded and has not happened
  uint64_t recorded = 0, happened = 0;
  double time = 0;
};

struct Graph {
  std::vector<Work> work;
};

struct Module {
  int device = 0;
  std::unique_ptr<kiln::amd::sim::Code> code;
  std::set<void *> functions;
  std::set<char *> variables;
  unsigned pending = 0; ///< launches that have not run
};

struct Function {
  Module *module = nullptr;
  const kiln::amd::sim::KernelInfo *info = nullptr;
};

struct Block {
  size_t bytes = 0;
  bool isHost = false;
  int device = 0; ///< the current one when it was allocated
};

/// All of it, under one mutex, which a thread that waits for a stream releases
/// between its attempts.
struct State {
  std::recursive_mutex mutex;
  bool isInitialised = false;
  kiln::amd::sim::AddressMap memory;
  std::map<char *, Block> blocks;
  std::map<const char *, size_t> variables; ///< of modules
  std::set<void *> streams, events, graphs, executables, modules;
  /// Destroyed ones, whose addresses work in streams may hold.
  std::vector<std::unique_ptr<Event>> oldEvents;
  std::map<void *, Function *> functions;
  std::map<std::string, unsigned> calls;

  ~State();
  static State &get();
  /// Written at once: processes of tests may end without destructors.
  void mistake(const std::string &text);
  int devices() const;
};

/// One call of a function: counts it, and says what it returns where a test
/// wants it to fail.
class Call {
public:
  explicit Call(const char *name, bool needsInit = true);
  int planned = 0;
  std::string name;
  State &state;

  int bad(int status, const std::string &text) {
    state.mistake(name + ": " + text);
    return status;
  }
  /// Whether a handle is one of the set's, on the current device.
  bool knows(const std::set<void *> &all, void *handle, const char *what);
  bool knowsStream(void *stream);
  /// Whether a range lies in one allocation.
  bool isInside(const void *address, size_t bytes, const char *what);

private:
  std::unique_lock<std::recursive_mutex> lock;
};

extern thread_local int currentDevice;

/// Runs what a stream holds, and what that waits for. Returns the first failure
/// in the stream.
int drain(Stream &stream);
/// Runs what the streams of a device hold, and what can run in the others.
void drainAll(State &state, int device);
/// Puts work into a stream, or into the graph that it is recorded into.
int enqueue(void *stream, Work work);

} // namespace stub

#endif
