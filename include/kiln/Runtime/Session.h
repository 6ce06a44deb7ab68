// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of a package's functions on devices. A program loads a Package, makes a
// Session of it, and calls its entries:
//
//   auto session = Session::create(package, "cpu");
//   auto entry = session->defaultEntry();
//   auto results = session->call(**entry, arguments);
#ifndef KILN_RUNTIME_SESSION_H
#define KILN_RUNTIME_SESSION_H

#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Tensor.h"
#include <array>
#include <functional>
#include <memory>

namespace kiln::runtime {

/// One launch of a kernel, as reports show it.
struct LaunchRecord {
  std::string name;
  const KernelInfo *kernel = nullptr;
  std::array<int64_t, 3> grid = {1, 1, 1};
  double seconds = 0; ///< duration, by the device's clock if it has one
  /// Seconds from the begin of the call's first launch on this device.
  double begin = 0;
  int64_t flops = 0; ///< estimated FLOPs; 0: unknown
  int64_t bytes = 0; ///< estimated bytes read and written; 0: unknown
};

/// The launches and the memory of a call.
struct CallReport {
  std::vector<LaunchRecord> launches;
  int64_t arenaBytes = 0;       ///< the arena, which temporary tensors share
  int64_t arenaTensorBytes = 0; ///< sum of the tensors that share the arena
  int64_t ownBytes = 0;         ///< allocations outside of the arena
  int64_t workspaceBytes = 0;   ///< of the launch that needs the most
  bool usedDeviceClock = false; ///< the device measured LaunchRecord::seconds
  /// For each result, the number of terms that its elements sum up, from which
  /// tolerances follow. Filled by evaluation.
  std::vector<int64_t> accumulation;
};

/// Sees every launch: `before` gets copies of the kernel's arguments, `after`
/// copies of the same arguments as the kernel left them. Arguments are in
/// order, scalars have rank 0. An error ends the call. The call waits for each
/// launch.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  virtual Error before(const LaunchRecord &launch,
                       const std::vector<Tensor> &args) = 0;
  virtual Error after(const LaunchRecord &launch,
                      const std::vector<Tensor> &args) = 0;
};

/// Options of a call.
struct CallOptions {
  /// Program instances in each dimension, for an entry that is a kernel.
  std::array<int64_t, 3> grid = {1, 1, 1};
  bool dryRun = false; ///< only compute sizes: allocate and launch nothing
  bool time = false;   ///< fill LaunchRecord::seconds
  /// Tensors for the results: one for each, of its type, on the host or on a
  /// device of the session. The call returns them. They may overlap arguments.
  const std::vector<Tensor> *into = nullptr;
  /// Leaves results on the devices that computed them.
  bool resultsOnDevice = false;
  /// Returns when the work is queued, if nothing has to be copied to or from
  /// the host. The next call that waits, such as synchronize, returns a fault
  /// of this work.
  bool noWait = false;
  /// Called before each launch, so that a caller can name the kernel at which
  /// the system stopped the process.
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
  /// Repeats the call and waits for its end. If the call was recorded with
  /// CallOptions::noWait, returns when the work is queued; the next call that
  /// waits, such as Session::synchronize, then returns a fault of it.
  Error replay();
  /// Returns the result tensors, whose contents every replay overwrites.
  const std::vector<Tensor> &results() const;
  /// Returns true if the driver holds the recording as one object, such as a
  /// graph of launches.
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

/// A package that is ready to run: opens its devices, loads its modules and
/// places its constants. A session may be called from several threads, one call
/// at a time; different sessions run side by side.
class Session {
public:
  /// Makes a session for the first target of the package that matches `target`
  /// (a SPEC or a device name; empty: any) and can be used on this machine.
  /// The error lists why each target was passed over.
  static Expected<Session> create(std::shared_ptr<const Package> package,
                                  const std::string &target = "");
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  /// Sets the ranks that later calls exchange data with. Without it they are
  /// those of the environment, see World::ofEnvironment.
  void setWorld(std::shared_ptr<World> world);

  /// Returns the target that the session runs.
  const TargetProgram &target() const;
  /// Returns the earlier targets of the package that cannot be used here, each
  /// as "SPEC: reason".
  const std::vector<std::string> &passedOver() const;
  /// Returns the entry of this name, or null.
  const Function *lookup(const std::string &name) const;
  /// Returns the only entry, else `main`; else an error that lists the entries.
  Expected<const Function *> defaultEntry() const;

  /// Calls `function` and returns its results. Scalars are tensors of rank 0.
  /// The call writes writable arguments in place. It waits for its end, unless
  /// options.noWait is set.
  Expected<std::vector<Tensor>> call(const Function &function,
                                     const std::vector<Tensor> &args,
                                     const CallOptions &options = {},
                                     CallReport *report = nullptr);
  /// The same with row-major arguments in host memory that the caller lends for
  /// the call. On a device that works on host memory, the session records the
  /// steps of the function, so that calls with the same shapes do not interpret
  /// it again.
  Expected<std::vector<Tensor>> callLent(const Function &function,
                                         const LentTensor *args, size_t count);
  /// Calls a function once and records its steps. Returns an error if the
  /// control flow of the program depends on the contents of tensors.
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

  /// Returns a row-major copy on device number `device` of the session.
  Expected<Tensor> upload(const Tensor &tensor, size_t device = 0);
  /// Returns a row-major copy on the host. Waits for the copy, and so for the
  /// work that was queued before it.
  Expected<Tensor> download(const Tensor &tensor);
  /// Returns a tensor on memory of a device that `owner` keeps alive. `address`
  /// is the device's, `strides` are in elements.
  Expected<Tensor> importAddress(DType dtype, std::vector<int64_t> shape,
                                 std::vector<int64_t> strides, uint64_t address,
                                 std::shared_ptr<void> owner,
                                 size_t device = 0);
  /// Returns a row-major tensor in memory of device number `device`, or of the
  /// host if that device works there. Its contents are undefined.
  Expected<Tensor> allocate(DType dtype, std::vector<int64_t> shape,
                            size_t device = 0);
  /// Queues a copy between row-major tensors of one type and shape, of which
  /// one at least is on a device of this session, and returns. Memory of the
  /// host has to stay until the queue has been waited for.
  Error copy(const Tensor &from, const Tensor &to);
  /// Returns a tensor of this session on the memory of a tensor on a device of
  /// another session, which has opened the same device.
  Expected<Tensor> adopt(const Tensor &tensor, size_t device = 0);
  /// Waits until all queued work has ended, and returns a fault of it, if any.
  Error synchronize();
  /// Queues the work of a device in a queue (stream) of the embedding program.
  /// The driver defines the type that `native` points to. Null: in a queue of
  /// the session again.
  Error useQueue(size_t device, void *native);
  /// Gives the memory that the session keeps for later calls back to the
  /// system.
  Error trim();

  /// Returns the name of each device, as its driver reports it.
  std::vector<std::string> deviceNames() const;
  /// Returns DLPack's type of a device (0: none) and its number.
  std::pair<uint32_t, int32_t> dlpackDevice(size_t device) const;
  /// Returns the number of cores of the first device.
  unsigned numCores() const;
  /// Returns true if device number `device` works on host memory.
  bool runsOnHost(size_t device = 0) const;

private:
  friend Expected<void *> queueOf(Session &session, size_t device);
  explicit Session(std::shared_ptr<SessionImpl> impl);
  std::shared_ptr<SessionImpl> impl;
};

/// Returns the address of the first element of a tensor, on its device or on
/// the host.
Expected<uint64_t> addressOf(const Tensor &tensor);

/// Returns what the device's own interface has for the queue that a session's
/// work on device number `device` is in, as Session::useQueue of another
/// session takes it.
Expected<void *> queueOf(Session &session, size_t device = 0);

/// Returns the only public function or kernel, else `main`; else an error that
/// lists them.
Expected<const Function *> defaultEntry(const HostProgram &program);

/// Computes the launches and the memory of a call without any device. `shapes`
/// has the shape of each argument; scalars count as 0.
Expected<CallReport> measure(const Package &package,
                             const TargetProgram &target,
                             const Function &function,
                             const std::vector<std::vector<int64_t>> &shapes);

/// Returns the numbers of the package's targets that match `spec`: those with
/// an equal SPEC, else all of the same name whose chip does not differ. An
/// empty `spec` matches all. Returns an error if no target matches.
Expected<std::vector<size_t>> matchingTargets(const Package &package,
                                              const std::string &spec);

} // namespace kiln::runtime

#endif
