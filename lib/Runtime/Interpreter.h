// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of a function of the host program.
#ifndef KILN_LIB_RUNTIME_INTERPRETER_H
#define KILN_LIB_RUNTIME_INTERPRETER_H

#include "KernelFit.h"
#include "LaunchContract.h"
#include "SessionImpl.h"
#include "Tape.h"
#include <set>

namespace kiln::runtime {

/// A launch as the driver gets it, with what it points to.
struct EncodedLaunch {
  KilnLaunch launch = {};
  std::vector<KilnKernelArgument> args;
  std::vector<int64_t> extents; ///< sizes and strides; reserved before
  std::vector<std::shared_ptr<DeviceBuffer>> memory;
  LaunchContract contract;

  void addView(std::shared_ptr<DeviceBuffer> buffer, DType dtype,
               uint64_t byteOffset, const std::vector<int64_t> &sizes,
               const std::vector<int64_t> &strides);
};

/// A place in a launch that names memory which is exchanged between calls.
struct MemoryUse {
  KilnKernelArgument *argument;
  const DeviceBuffer *memory;
};
/// The places of the launches on a tape that name one of `exchanged`.
std::vector<MemoryUse>
findUses(const Tape &tape, const std::set<const DeviceBuffer *> &exchanged);

/// What a buffer register holds.
struct BufferValue {
  bool isSet = false;
  /// Null in a dry run, and of arguments until a device needs them.
  std::shared_ptr<DeviceBuffer> memory;
  int32_t device = 0;
  DType dtype = DType::none;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t begin = 0; ///< byte where the first element is
  /// Bytes of the memory that views of it may touch.
  int64_t regionBegin = 0;
  int64_t regionEnd = 0;
  /// The host memory of an allocation that a result can take over.
  Storage host;
  /// An argument's memory on the host; its bytes are those of `memory`, unless
  /// the program writes it.
  Storage argument;
  bool isWritable = false; ///< an argument that the program may write
  bool isOwn = false;      ///< an allocation of its own, and no view of it
  /// Whether the caller gave the memory, so that the result is in its place.
  bool isGiven = false;

  /// What the first element's address is known by, for its alignment.
  uint64_t position() const;
  bool isContiguous() const;
  int64_t numElements() const;
};

/// Interprets a verified function; every failure is an Error.
class Interpreter {
public:
  /// `session` is null for dry runs without devices; with a `tape` what the
  /// call does on devices is kept there, too. Without a `report` no launch is
  /// kept: a loop of the host may launch any number of them.
  Interpreter(const Package &package, const TargetProgram &target,
              const Function &function, const CallOptions &options,
              CallReport *report, SessionImpl *session, Tape *tape = nullptr);

  Expected<std::vector<Tensor>> call(const std::vector<Tensor> &args);
  /// Keeps the steps of a call on the tape, which is deferred. What it gives
  /// are the results' types; with CallOptions::into they go there.
  Expected<std::vector<PreparedCall::Result>>
  lay(const std::vector<Tensor> &args);
  Error measure(const std::vector<std::vector<int64_t>> &shapes);
  /// The results of a call that has ended, for a Plan; nothing where they are
  /// not allocations of their own.
  std::optional<std::vector<BufferValue>> resultMemory() const;
  /// Whether queued work uses memory of the host that the caller may change.
  bool usesHostMemory() const { return touchesHost; }
  /// Whether a device has exchanged with other ranks by itself.
  bool usesExchangesInQueue() const { return exchangesInQueue; }

private:
  Expected<std::vector<Tensor>> tryCall(const std::vector<Tensor> &args);
  /// Binds the arguments and runs the program.
  Error runWith(const std::vector<Tensor> &args);
  bool isDeferred() const { return tape && tape->isDeferred; }
  /// A buffer for memory that a prepared call is given.
  Expected<std::shared_ptr<DeviceBuffer>>
  standIn(int32_t device, const std::string &memory, int64_t bytes);
  Expected<std::shared_ptr<DeviceBuffer>> workspaceStandIn(int32_t device,
                                                           int64_t bytes);

  // Arguments (Arguments.cpp).
  Error checkArgument(size_t index, DType dtype,
                      const std::vector<int64_t> &shape) const;
  Error bindArgument(size_t index, const Tensor &given);
  Error bindOnDevice(size_t index, const Tensor &given);
  Expected<std::shared_ptr<DeviceBuffer>> place(int32_t device,
                                                const Storage &storage);
  void markWritable(const std::vector<Tensor> &args);
  Error takeBack(const std::vector<Tensor> &args);
  void finishReport();

  // Results (Results.cpp).
  Error planResults(const std::vector<Tensor> &args);
  Expected<bool> allocateGiven(const AllocInst &inst, int64_t bytes,
                               BufferValue &value);
  Expected<Tensor> takeResult(size_t index);
  Expected<Tensor> takeOnHost(const BufferValue &value);
  Expected<Tensor> takeOnDevice(const BufferValue &value);
  Error putResult(size_t index, const BufferValue &value, const Tensor &given);

  // Instructions (Interpreter.cpp).
  Error run(const std::vector<Instruction> &code);
  Error run(const ConstInst &inst);
  Error run(const IntInst &inst);
  Error run(const SelectInst &inst);
  Error run(const DimInst &inst);
  Error run(const StrideInst &inst);
  Error run(const AlignedInst &inst);
  Error run(const CheckInst &inst);
  Error run(const IfInst &inst);
  Error run(const WhileInst &inst);
  Error run(const ReturnInst &inst);

  // Memory (Memory.cpp).
  Error run(const ArenaInst &inst);
  Error run(const AllocInst &inst);
  Error run(const ConstantInst &inst);
  Error run(const ViewInst &inst);
  Error run(const FillInst &inst);
  Error run(const CopyInst &inst);
  Error run(const ReadInst &inst);
  void set(Buf index, BufferValue value);
  Error allocateOwn(const AllocInst &inst, int64_t bytes, BufferValue &value);
  Error transfer(const BufferValue &from, const BufferValue &to);

  // Exchanges between ranks (Collectives.cpp).
  struct Exchange;
  Error run(const CollectiveInst &inst);
  Error run(const WaitInst &inst);
  Error writeRank(const BufferValue &target);
  Error copyAlone(const BufferValue &source, const BufferValue &target);
  Error zero(const BufferValue &target);
  Error checkSizes(const CollectiveInst &inst, int64_t n) const;
  Expected<std::shared_ptr<Exchange>>
  prepare(const CollectiveInst &inst, const std::vector<int64_t> &group);
  /// Ends what the call has started, after a failure.
  void abandonExchanges(const std::string &reason);

  // Functions of the host (HostCalls.cpp).
  Error run(const HostInst &inst);

  // Launches (Launch.cpp).
  Error run(const LaunchInst &inst);
  Error encode(const KernelInfo &kernel, const LaunchInst &inst,
               EncodedLaunch &launch);
  std::optional<int64_t> leafOf(const LaunchInst &inst,
                                const LaunchRecord &record,
                                const Expression::Step &step) const;
  Expected<int64_t> workspaceBytes(const LaunchInst &inst,
                                   const LaunchRecord &record);
  Error addWorkspace(const KernelInfo &kernel, int64_t bytes,
                     EncodedLaunch &launch);
  Error execute(uint32_t kernel, const LaunchInst &inst, LaunchRecord &record);
  Expected<std::vector<Tensor>> capture(const KernelInfo &kernel,
                                        const LaunchInst &inst);
  Error runObserved(const KernelInfo &kernel, const LaunchInst &inst,
                    LaunchRecord &record, EncodedLaunch &launch);
  Expected<bool> mayWrite(const KernelInfo &kernel, const LaunchInst &inst,
                          size_t argument);
  Error checkUnchanged(const KernelInfo &kernel, const LaunchInst &inst,
                       const std::vector<Tensor> &given,
                       const std::vector<Tensor> &left);
  Error timeOnDevice(Device &on, const std::function<Error()> &run);
  Error readClocks();

  /// Does something on devices now and, in a recording, at every replay.
  template <typename Fn> Error perform(int32_t device, Fn fn) {
    if (tape)
      tape->add(device, fn);
    return isDeferred() ? Error::success() : fn();
  }

  Expected<const BufferValue *> buffer(Buf index) const;
  /// The same with memory on its device.
  Expected<const BufferValue *> ready(Buf index);
  std::vector<int64_t> values(const std::vector<Reg> &regs) const;
  Device &device(int32_t index) const {
    return *session->devices[size_t(index)].device;
  }
  std::shared_ptr<Device> shared(int32_t index) const {
    return session->devices[size_t(index)].device;
  }
  bool isDry() const { return options.dryRun; }

  const Package &package;
  const TargetProgram &target;
  const Function &function;
  const CallOptions &options;
  CallReport ignored; ///< where the caller wants no report
  CallReport &report;
  bool keepsLaunches;
  SessionImpl *session;
  Tape *tape;

  std::vector<int64_t> regs;
  std::vector<BufferValue> bufs;
  struct Arena {
    bool isReserved = false;
    std::shared_ptr<DeviceBuffer> memory;
    int64_t bytes = 0;
  };
  /// Per device and memory.
  std::map<std::pair<int32_t, std::string>, Arena> arenas;
  /// Caller's storages on the devices, so that one storage is one buffer.
  std::map<std::pair<int32_t, void *>, std::shared_ptr<DeviceBuffer>> placed;
  std::vector<const BufferValue *> results;
  /// Of the allocations that a given tensor can take the place of: which.
  std::map<const AllocInst *, size_t> givenResults;
  /// The times of launches, read once they have ended.
  struct Clock {
    size_t launch;
    std::shared_ptr<DeviceEvent> begin, end;
  };
  std::vector<Clock> clocks;
  std::map<int32_t, double> firstBegins; ///< by device, of the host's clock
  /// What was started and not waited for, by target; null: it has ended.
  std::map<Buf, std::shared_ptr<Exchange>> exchanges;
  /// Whether a device exchanges by itself: what waits for it does not learn of
  /// an exchange that was ended.
  bool exchangesInQueue = false;
  size_t steps = 0;
  bool touchesHost = false; ///< usesHostMemory
};

/// Byte range, relative to the first element, that a strided window touches;
/// nothing when it overflows.
std::optional<std::pair<int64_t, int64_t>>
windowOf(DType dtype, const std::vector<int64_t> &sizes,
         const std::vector<int64_t> &strides);
/// Row-major host copy of a buffer; waits for it.
Expected<Tensor> fetch(Device &on, const BufferValue &from);
/// Writes a host tensor to a buffer of the same shape and any strides.
Error store(Device &on, const Tensor &tensor, const BufferValue &to);
/// Copies elements between host tensors of one shape.
void copyElements(const Tensor &from, const Tensor &to);
/// A tensor on a device as a buffer of a program there.
BufferValue bufferOf(const Tensor &tensor, int32_t device);

} // namespace kiln::runtime

#endif
