// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether buffers are what the code of a kernel was compiled for.
#include "KernelFit.h"
#include "kiln/Runtime/Tensor.h"
#include <algorithm>
#include <type_traits>

using namespace kiln::runtime;

namespace {

/// Sizes and strides that a kernel computed with must be those of the buffer:
/// its code reaches what they say. Unknown ones fit.
bool sizesFit(const std::vector<int64_t> &wanted,
              const std::vector<int64_t> &found) {
  for (size_t d = 0; d < wanted.size(); ++d)
    if (wanted[d] != kDynamic && found[d] != kDynamic && wanted[d] != found[d])
      return false;
  return true;
}

bool stridesFit(const KernelParam &param, const std::vector<int64_t> &sizes,
                const std::vector<int64_t> &strides) {
  if (std::count(sizes.begin(), sizes.end(), 0))
    return true;
  int64_t dense = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (!param.strides && sizes[d] == kDynamic)
      return true; // nothing further out is known
    int64_t wanted = param.strides ? (*param.strides)[d] : dense;
    if (sizes[d] != 1 && wanted != kAnyStride && strides[d] != kAnyStride &&
        strides[d] != wanted)
      return false;
    if (!param.strides && __builtin_mul_overflow(dense, sizes[d], &dense))
      return false;
  }
  return true;
}

} // namespace

std::string kiln::runtime::misfit(const KernelParam &param, DType dtype,
                                  const std::vector<int64_t> &sizes,
                                  const std::vector<int64_t> *strides) {
  if (sizes.size() != size_t(param.rank))
    return "expected rank " + std::to_string(param.rank) + ", found " +
           typeString(dtype, sizes);
  if (dtype != DType::none && dtypeBytes(dtype) != dtypeBytes(param.dtype))
    return "expected elements of type " + std::string(dtypeName(param.dtype)) +
           ", found " + std::string(dtypeName(dtype));
  if (!param.shape)
    return "";
  if (!sizesFit(*param.shape, sizes))
    return "it is compiled for " + typeString(param.dtype, *param.shape) +
           ", found " + typeString(param.dtype, sizes);
  if (strides && !stridesFit(param, sizes, *strides))
    return std::string("it is compiled for ") +
           (param.strides ? "other strides" : "row-major elements");
  return "";
}

StaticBuffers::StaticBuffers(const Function &function)
    : regs(size_t(function.numRegs)), buffers(size_t(function.numBufs)) {
  std::vector<Buf> todo;
  for (Reg r : function.grid)
    defineReg(r);
  for (const Argument &arg : function.args) {
    if (arg.isScalar) {
      defineReg(arg.reg);
    } else if (Buffer *buffer = defineBuf(arg.reg)) {
      buffer->dtype = arg.dtype;
      buffer->shape = &arg.shape;
      buffer->isReadonly |= !arg.writable;
    }
  }
  define(function.code);
  for (size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].isReadonly)
      todo.push_back(Buf(b));
  // Views of what must not be written must not, either.
  while (!todo.empty()) {
    Buf source = todo.back();
    todo.pop_back();
    for (Buf view : buffers[size_t(source)].views) {
      if (!buffers[size_t(view)].isReadonly)
        todo.push_back(view);
      buffers[size_t(view)].isReadonly = true;
    }
  }
}

void StaticBuffers::defineReg(Reg r) {
  if (r >= 0 && size_t(r) < regs.size())
    ++regs[size_t(r)].definitions;
}

StaticBuffers::Buffer *StaticBuffers::defineBuf(Buf b) {
  if (b < 0 || size_t(b) >= buffers.size())
    return nullptr;
  ++buffers[size_t(b)].definitions;
  return &buffers[size_t(b)];
}

void StaticBuffers::define(const std::vector<Instruction> &code) {
  auto visit = [this](const auto &inst) {
    using Inst = std::decay_t<decltype(inst)>;
    if constexpr (std::is_same_v<Inst, ConstInst>) {
      defineReg(inst.dst);
      if (inst.dst >= 0 && size_t(inst.dst) < regs.size()) {
        regs[size_t(inst.dst)].constant = inst.value;
        regs[size_t(inst.dst)].isConstant = true;
      }
    } else if constexpr (std::is_same_v<Inst, IntInst> ||
                         std::is_same_v<Inst, SelectInst> ||
                         std::is_same_v<Inst, DimInst> ||
                         std::is_same_v<Inst, StrideInst> ||
                         std::is_same_v<Inst, AlignedInst> ||
                         std::is_same_v<Inst, ReadInst>) {
      defineReg(inst.dst);
    } else if constexpr (std::is_same_v<Inst, AllocInst>) {
      if (Buffer *buffer = defineBuf(inst.dst)) {
        buffer->dtype = inst.dtype;
        buffer->sizes = &inst.sizes;
      }
    } else if constexpr (std::is_same_v<Inst, ConstantInst>) {
      if (Buffer *buffer = defineBuf(inst.dst))
        buffer->isReadonly = true;
    } else if constexpr (std::is_same_v<Inst, ViewInst>) {
      if (Buffer *buffer = defineBuf(inst.dst)) {
        buffer->dtype = inst.dtype;
        buffer->sizes = &inst.sizes;
        buffer->strides = inst.strides.empty() ? nullptr : &inst.strides;
        if (inst.src >= 0 && size_t(inst.src) < buffers.size())
          buffers[size_t(inst.src)].views.push_back(inst.dst);
      }
    } else if constexpr (std::is_same_v<Inst, IfInst>) {
      define(inst.thenCode);
      define(inst.elseCode);
    } else if constexpr (std::is_same_v<Inst, WhileInst>) {
      define(inst.before);
      define(inst.body);
    }
  };
  for (const Instruction &inst : code)
    std::visit(visit, inst.body);
}

std::vector<int64_t> StaticBuffers::values(const std::vector<Reg> &list,
                                           int64_t unknown) const {
  std::vector<int64_t> result;
  for (Reg r : list) {
    bool isKnown = r >= 0 && size_t(r) < regs.size() &&
                   regs[size_t(r)].definitions == 1 &&
                   regs[size_t(r)].isConstant;
    result.push_back(isKnown ? regs[size_t(r)].constant : unknown);
  }
  return result;
}

std::string StaticBuffers::misfit(const KernelParam &param, Buf b) const {
  const Buffer &buffer = buffers[size_t(b)];
  if (buffer.definitions != 1 || (!buffer.sizes && !buffer.shape))
    return "";
  std::vector<int64_t> sizes =
      buffer.shape ? *buffer.shape : values(*buffer.sizes, kDynamic);
  std::vector<int64_t> strides;
  if (buffer.strides && buffer.strides->size() == sizes.size())
    strides = values(*buffer.strides, kAnyStride);
  return kiln::runtime::misfit(param, buffer.dtype, sizes,
                               strides.empty() ? nullptr : &strides);
}
