// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of a function of the host program.
#ifndef KILN_LIB_RUNTIME_INTERPRETER_H
#define KILN_LIB_RUNTIME_INTERPRETER_H

#include "SessionImpl.h"

namespace kiln::runtime {

/// What a buffer register holds.
struct BufferValue {
  bool isSet = false;
  std::shared_ptr<DeviceBuffer> memory; ///< null in a dry run
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

  /// Where the host sees the first element, or null.
  char *address() const;
  bool isContiguous() const;
  int64_t numElements() const;
};

/// Interprets a verified function; every failure is an Error.
class Interpreter {
public:
  /// `session` is null for dry runs without devices.
  Interpreter(const Package &package, const TargetProgram &target,
              const Function &function, const CallOptions &options,
              CallReport &report, SessionImpl *session);

  Expected<std::vector<Tensor>> call(const std::vector<Tensor> &args);
  Error measure(const std::vector<std::vector<int64_t>> &shapes);

private:
  // Arguments and results (Arguments.cpp).
  Error checkArgument(size_t index, DType dtype,
                      const std::vector<int64_t> &shape) const;
  Error bindArgument(size_t index, const Tensor &given);
  Expected<std::shared_ptr<DeviceBuffer>> place(int32_t device,
                                                const Storage &storage);
  Error takeBack(const std::vector<Tensor> &args);
  Expected<Tensor> takeResult(size_t index);
  void finishReport();

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
  Expected<Tensor> download(const BufferValue &buffer);
  Error upload(const Tensor &tensor, const BufferValue &buffer);

  // Launches (Launch.cpp).
  Error run(const LaunchInst &inst);
  Error encode(const KernelInfo &kernel, const LaunchInst &inst,
               std::vector<KilnKernelArgument> &args) const;
  Error execute(uint32_t kernel, const LaunchInst &inst, LaunchRecord &record);
  Expected<Tensor> captureView(const BufferValue &from);
  Expected<std::vector<Tensor>> capture(const KernelInfo &kernel,
                                        const LaunchInst &inst);

  Expected<const BufferValue *> buffer(Buf index) const;
  std::vector<int64_t> values(const std::vector<Reg> &regs) const;
  Device &device(int32_t index) const {
    return *session->devices[size_t(index)].device;
  }
  bool isDry() const { return options.dryRun; }

  const Package &package;
  const TargetProgram &target;
  const Function &function;
  const CallOptions &options;
  CallReport &report;
  SessionImpl *session;

  std::vector<int64_t> regs;
  std::vector<BufferValue> bufs;
  struct Arena {
    bool isReserved = false;
    std::shared_ptr<DeviceBuffer> memory;
    int64_t bytes = 0;
  };
  std::vector<Arena> arenas; ///< per device
  /// Caller's storages on the devices, so that one storage is one buffer.
  std::map<std::pair<int32_t, void *>, std::shared_ptr<DeviceBuffer>> placed;
  std::vector<const BufferValue *> results;
  size_t steps = 0;
};

} // namespace kiln::runtime

#endif
