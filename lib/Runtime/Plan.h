// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that are done again with other memory.
#ifndef KILN_LIB_RUNTIME_PLAN_H
#define KILN_LIB_RUNTIME_PLAN_H

#include "Interpreter.h"

namespace kiln::runtime {

/// Whether code of a function takes the same course for all tensors of the same
/// shapes, and does all its work on devices without other ranks.
bool dependsOnShapesAlone(const std::vector<Instruction> &code);

/// What a function did on a device that works on host memory, for arguments of
/// certain shapes: the launches with all that they are given. A later call
/// exchanges the memory of arguments and results, and does it again.
class Plan {
public:
  /// Whether the course of a function depends on the shapes alone, so that
  /// there can be plans of it in this session.
  static bool isPossible(const SessionImpl &session, const Function &function);
  /// Whether these arguments lie as a plan wants them.
  static bool areAligned(const LentTensor *args, size_t count);

  /// Calls the function and keeps what it does, in `plan`; that stays null
  /// where it can be kept, but not done again.
  static Expected<std::vector<Tensor>> make(SessionImpl &session,
                                            const Function &function,
                                            const std::vector<Tensor> &args,
                                            std::unique_ptr<Plan> &plan);

  bool fits(const LentTensor *args, size_t count) const;
  Expected<std::vector<Tensor>> run(SessionImpl &session,
                                    const LentTensor *args);

private:
  struct Given {
    DType dtype;
    std::vector<int64_t> shape;
    std::shared_ptr<DeviceBuffer> memory;
  };
  Expected<std::vector<Tensor>> exchanged(SessionImpl &session,
                                          const LentTensor *args);

  Tape tape;
  std::shared_ptr<Device> on;
  std::vector<Given> arguments;
  std::vector<BufferValue> results;
  std::vector<MemoryUse> uses;
};

} // namespace kiln::runtime

#endif
