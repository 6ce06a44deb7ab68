// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A package on its devices: calling its functions.
#ifndef KILN_RUNTIME_SESSION_H
#define KILN_RUNTIME_SESSION_H

#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Tensor.h"
#include <array>
#include <functional>
#include <memory>

namespace kiln::runtime {

/// A launch that ran, for reports.
struct LaunchRecord {
  std::string name;
  const KernelInfo *kernel = nullptr;
  std::array<int64_t, 3> grid = {1, 1, 1};
  double seconds = 0; ///< by the device's clock, where it has one
  /// When it began, after the first launch of the call on its device.
  double begin = 0;
  int64_t flops = 0; ///< 0: unknown
  int64_t bytes = 0; ///< 0: unknown
};

/// What a call used.
struct CallReport {
  std::vector<LaunchRecord> launches;
  int64_t arenaBytes = 0;
  int64_t arenaTensorBytes = 0; ///< sum of the tensors that share the arena
  int64_t ownBytes = 0;         ///< allocations outside of it
  int64_t workspaceBytes = 0;   ///< of the launch that needs the most
  bool usedDeviceClock = false; ///< for the seconds of launches
  /// Element tolerance lengths of the results, after evaluation.
  std::vector<int64_t> accumulation;
};

/// Sees every launch with what its kernel gets and leaves behind: copies of the
/// arguments in order, scalars of rank 0. An error ends the call.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  virtual Error before(const LaunchRecord &launch,
                       const std::vector<Tensor> &args) = 0;
  virtual Error after(const LaunchRecord &launch,
                      const std::vector<Tensor> &args) = 0;
};

/// How a call is made.
struct CallOptions {
  std::array<int64_t, 3> grid = {1, 1, 1};
  bool dryRun = false; ///< sizes only: nothing is allocated or launched
  bool time = false;   ///< fill LaunchRecord::seconds
  /// Where results go: a tensor per result, of its type, on the host or on a
  /// device of the session; they are what the call returns. A kernel or a
  /// function may read arguments that overlap them.
  const std::vector<Tensor> *into = nullptr;
  /// Results stay on the devices that made them.
  bool resultsOnDevice = false;
  /// Return when the work is queued. Without effect where something has to be
  /// copied to or from the host. Faults come with what waits next.
  bool noWait = false;
  /// Called before each kernel: for callers that report which one the system
  /// stopped.
  std::function<void(const KernelInfo &)> onLaunch;
  LaunchObserver *observer = nullptr; ///< for checkers of kernels
};

/// Row-major elements in memory of the host, or at an address on a device.
struct LentTensor {
  void *data = nullptr;
  DType dtype = DType::none;
  int rank = 0;
  const int64_t *shape = nullptr;
};

class SessionImpl;
class World;

/// A call that can be repeated without interpreting its program: with the same
/// tensors, whose contents may have changed, and the same sizes and scalars.
class Recording {
public:
  Recording(Recording &&) noexcept;
  Recording &operator=(Recording &&) noexcept;
  ~Recording();
  /// Runs it, like a call of the session, and waits for its end, or returns
  /// when it is queued if it was recorded with CallOptions::noWait. A fault of
  /// a replay that was not waited for comes with what waits next.
  Error replay();
  /// What every replay writes anew.
  const std::vector<Tensor> &results() const;
  /// Whether the driver keeps it as a whole.
  bool isOnDevice() const;

private:
  friend class Session;
  struct Impl;
  explicit Recording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// A function for arguments of certain shapes, whose steps on a device are
/// known: a call does them with memory of the embedding program, in a queue of
/// that program, and allocates nothing.
class PreparedCall {
public:
  /// Where results and scratch memory begin: at multiples of this number of
  /// bytes.
  static constexpr uint64_t kAlign = 64;
  struct Result {
    DType dtype = DType::none;
    std::vector<int64_t> shape;
  };
  PreparedCall(PreparedCall &&) noexcept;
  PreparedCall &operator=(PreparedCall &&) noexcept;
  ~PreparedCall();
  /// Whether these arguments have the types of the prepared ones, and begin
  /// where those did within kAlign bytes.
  bool fits(const LentTensor *args, size_t count) const;
  const std::vector<Result> &results() const;
  /// How much scratch memory a call needs, in bytes.
  uint64_t scratchBytes() const;
  /// Queues the work and returns. Addresses are those of the device; arguments
  /// are as many as were prepared, and fit. Results are row-major, and overlap
  /// neither arguments nor each other. `queue` is as for Session::useQueue. All
  /// memory has to stay until the work has ended.
  Error run(const LentTensor *args, void *const *results, void *scratch,
            void *queue);

private:
  friend class Session;
  struct Impl;
  explicit PreparedCall(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Devices opened, modules loaded, constants placed.
class Session {
public:
  /// `target` is a SPEC or a device name. Of several targets of the package
  /// that it fits (all, when it is empty) the first that can be used here.
  static Expected<Session> create(std::shared_ptr<const Package> package,
                                  const std::string &target = "");
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  /// The ranks that this session is one of, from now on. Without it those of
  /// the environment, see World::ofEnvironment.
  void setWorld(std::shared_ptr<World> world);

  const TargetProgram &target() const;
  /// The targets of the package that come before it and cannot be used here,
  /// each "SPEC: reason".
  const std::vector<std::string> &passedOver() const;
  const Function *lookup(const std::string &name) const;
  Expected<const Function *> defaultEntry() const;

  /// Calls `function`. Writable arguments are changed in place. Scalars are
  /// tensors of rank 0. Calls from several threads come one after the other;
  /// different sessions run side by side.
  Expected<std::vector<Tensor>> call(const Function &function,
                                     const std::vector<Tensor> &args,
                                     const CallOptions &options = {},
                                     CallReport *report = nullptr);
  /// The same with row-major arguments in memory of the host, which is lent for
  /// the call. On a device that works on host memory, what a function does is
  /// kept, so that calls with the same shapes need not interpret it.
  Expected<std::vector<Tensor>> callLent(const Function &function,
                                         const LentTensor *args, size_t count);
  /// Calls a function once and keeps what it does. A program whose course
  /// depends on the contents of tensors cannot be recorded.
  Expected<Recording> record(const Function &function,
                             const std::vector<Tensor> &args,
                             const CallOptions &options = {});
  /// Finds the steps of a function for row-major arguments at addresses of the
  /// session's only device, without doing them; constants are placed.
  /// Unsupported: other devices than one with memory of its own, and functions
  /// with scalars, with arguments that they write, or whose course depends on
  /// more than the shapes.
  Expected<PreparedCall> prepare(const Function &function,
                                 const LentTensor *args, size_t count);

  /// A copy on device `device` of the session, row-major.
  Expected<Tensor> upload(const Tensor &tensor, size_t device = 0);
  /// A row-major copy on the host; waits for it.
  Expected<Tensor> download(const Tensor &tensor);
  /// Memory of a device with another owner, by its address there.
  Expected<Tensor> importAddress(DType dtype, std::vector<int64_t> shape,
                                 std::vector<int64_t> strides, uint64_t address,
                                 std::shared_ptr<void> owner,
                                 size_t device = 0);
  /// Waits until all that was queued has ended.
  Error synchronize();
  /// Queues the work of a device in a queue of the embedding program; `native`
  /// is what the driver's documentation says. Null: in one of its own again.
  Error useQueue(size_t device, void *native);
  /// Gives memory that is kept for later calls back to the system.
  Error trim();

  /// What the devices call themselves.
  std::vector<std::string> deviceNames() const;
  /// What DLPack calls a device: its type, 0 if it has none, and number.
  std::pair<uint32_t, int32_t> dlpackDevice(size_t device) const;
  /// Cores of the first device.
  unsigned numCores() const;
  /// Whether the first device works on host memory.
  bool runsOnHost() const;

private:
  explicit Session(std::shared_ptr<SessionImpl> impl);
  std::shared_ptr<SessionImpl> impl;
};

/// The only public function or kernel, else `main`; else an error that lists
/// them.
Expected<const Function *> defaultEntry(const HostProgram &program);

/// What a call would use, without any device. Sizes of the arguments are given
/// by shape; scalars are 0.
Expected<CallReport> measure(const Package &package,
                             const TargetProgram &target,
                             const Function &function,
                             const std::vector<std::vector<int64_t>> &shapes);

/// The targets of a package that `spec` asks for: those of an equal SPEC, else
/// all of the same name whose chip does not disagree; with an empty one all.
/// An error when there are none.
Expected<std::vector<size_t>> matchingTargets(const Package &package,
                                              const std::string &spec);

} // namespace kiln::runtime

#endif
