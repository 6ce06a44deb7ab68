// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether buffers are what the code of a kernel was compiled for.
#ifndef KILN_LIB_RUNTIME_KERNELFIT_H
#define KILN_LIB_RUNTIME_KERNELFIT_H

#include "kiln/Runtime/Program.h"
#include <optional>
#include <vector>

namespace kiln::runtime {

/// Why a buffer does not fit a view parameter; "" when it does. `strides` may
/// be null where they are not known.
std::string misfit(const KernelParam &param, DType dtype,
                   const std::vector<int64_t> &sizes,
                   const std::vector<int64_t> *strides);

/// What is known about the buffers of a function without running it: of those
/// that one instruction defines, from constants. What is not known here is
/// checked as the program runs.
class StaticBuffers {
public:
  explicit StaticBuffers(const Function &function);

  /// Why buffer `b` can never fit the parameter; "" when it may.
  std::string misfit(const KernelParam &param, Buf b) const;
  /// Whether it may hold a constant, or an argument that is not writable.
  bool isReadonly(Buf b) const { return buffers[size_t(b)].isReadonly; }
  /// Whether one instruction alone defines it.
  bool isDefinedOnce(Buf b) const {
    return buffers[size_t(b)].definitions == 1;
  }

private:
  struct Value {
    int definitions = 0;
    int64_t constant = 0; ///< of the only one, a ConstInst
    bool isConstant = false;
  };
  struct Buffer {
    int definitions = 0;
    DType dtype = DType::none; ///< none: not known
    const std::vector<Reg> *sizes = nullptr;
    const std::vector<Reg> *strides = nullptr;
    const std::vector<int64_t> *shape = nullptr; ///< of an argument
    bool isReadonly = false;
    std::vector<Buf> views; ///< of it
  };

  void define(const std::vector<Instruction> &code);
  void defineReg(Reg r);
  Buffer *defineBuf(Buf b);
  /// The values of registers, kDynamic where they are not known.
  std::vector<int64_t> values(const std::vector<Reg> &regs,
                              int64_t unknown) const;

  std::vector<Value> regs;
  std::vector<Buffer> buffers;
};

} // namespace kiln::runtime

#endif
