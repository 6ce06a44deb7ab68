// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers and control flow of the host program.
#include "Interpreter.h"
#include <algorithm>
#include <limits>

using namespace kiln::runtime;

namespace {

/// A dry run gives up after this many instructions.
constexpr size_t kMaxDrySteps = size_t(1) << 26;

int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

} // namespace

std::optional<int64_t> kiln::runtime::computeInt(IntOp op, int64_t a,
                                                 int64_t b) {
  auto wrap = [](uint64_t value) { return int64_t(value); };
  bool isDivision =
      op == IntOp::floordiv || op == IntOp::ceildiv || op == IntOp::mod;
  if (isDivision &&
      (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)))
    return std::nullopt;
  switch (op) {
  case IntOp::add:
    return wrap(uint64_t(a) + uint64_t(b));
  case IntOp::sub:
    return wrap(uint64_t(a) - uint64_t(b));
  case IntOp::mul:
    return wrap(uint64_t(a) * uint64_t(b));
  case IntOp::floordiv:
    return floorDiv(a, b);
  case IntOp::ceildiv:
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
  case IntOp::mod:
    return a - floorDiv(a, b) * b;
  case IntOp::min:
    return std::min(a, b);
  case IntOp::max:
    return std::max(a, b);
  case IntOp::eq:
    return a == b;
  case IntOp::ne:
    return a != b;
  case IntOp::lt:
    return a < b;
  case IntOp::le:
    return a <= b;
  case IntOp::gt:
    return a > b;
  case IntOp::ge:
    return a >= b;
  case IntOp::andI:
    return a & b;
  case IntOp::orI:
    return a | b;
  case IntOp::xorI:
    return a ^ b;
  case IntOp::mov:
    return a;
  }
  return std::nullopt;
}

uint64_t BufferValue::position() const {
  uint64_t base = 0;
  if (memory)
    base = memory->address ? reinterpret_cast<uintptr_t>(memory->address)
                           : memory->position;
  return base + uint64_t(begin);
}

bool BufferValue::isContiguous() const {
  Tensor shape;
  shape.shape = sizes;
  shape.strides = strides;
  return shape.isContiguous();
}

int64_t BufferValue::numElements() const {
  return checkedCount(sizes).value_or(0);
}

Interpreter::Interpreter(const Package &package, const TargetProgram &target,
                         const Function &function, const CallOptions &options,
                         CallReport *report, SessionImpl *session, Tape *tape)
    : package(package), target(target), function(function), options(options),
      report(report ? *report : ignored), keepsLaunches(report),
      session(session), tape(tape), regs(size_t(function.numRegs), 0),
      bufs(size_t(function.numBufs)) {
  for (int d = 0; d < 3; ++d)
    if (function.grid[d] != kNone)
      regs[size_t(function.grid[d])] = options.grid[d];
}

Expected<const BufferValue *> Interpreter::buffer(Buf index) const {
  const BufferValue &value = bufs[size_t(index)];
  if (!value.isSet)
    return Error("buffer b" + std::to_string(index) +
                 " is used before it is "
                 "set");
  return &value;
}

Expected<const BufferValue *> Interpreter::ready(Buf index) {
  BufferValue &value = bufs[size_t(index)];
  if (value.isSet && !value.memory) {
    auto memory = place(value.device, value.argument);
    if (!memory)
      return memory.takeError();
    value.memory = *memory;
  }
  return buffer(index);
}

std::vector<int64_t> Interpreter::values(const std::vector<Reg> &list) const {
  std::vector<int64_t> result;
  result.reserve(list.size());
  for (Reg r : list)
    result.push_back(regs[size_t(r)]);
  return result;
}

Error Interpreter::run(const std::vector<Instruction> &code) {
  for (const Instruction &inst : code) {
    if (isDry() && ++steps > kMaxDrySteps)
      return Error("the program runs for too long to tell its sizes");
    Error error =
        std::visit([this](const auto &i) { return run(i); }, inst.body);
    if (error)
      return error;
  }
  return Error::success();
}

Error Interpreter::run(const ConstInst &inst) {
  regs[size_t(inst.dst)] = inst.value;
  return Error::success();
}

Error Interpreter::run(const IntInst &inst) {
  int64_t rhs = inst.op == IntOp::mov ? 0 : regs[size_t(inst.rhs)];
  std::optional<int64_t> value =
      computeInt(inst.op, regs[size_t(inst.lhs)], rhs);
  if (!value)
    return Error("division of a size by zero");
  regs[size_t(inst.dst)] = *value;
  return Error::success();
}

Error Interpreter::run(const SelectInst &inst) {
  regs[size_t(inst.dst)] = regs[size_t(inst.cond)] ? regs[size_t(inst.ifTrue)]
                                                   : regs[size_t(inst.ifFalse)];
  return Error::success();
}

Error Interpreter::run(const DimInst &inst) {
  Expected<const BufferValue *> value = buffer(inst.buffer);
  if (!value)
    return value.takeError();
  if (size_t(inst.dim) >= (*value)->sizes.size())
    return Error("dimension " + std::to_string(inst.dim) +
                 " of a buffer of rank " +
                 std::to_string((*value)->sizes.size()));
  regs[size_t(inst.dst)] = (*value)->sizes[size_t(inst.dim)];
  return Error::success();
}

Error Interpreter::run(const StrideInst &inst) {
  Expected<const BufferValue *> value = buffer(inst.buffer);
  if (!value)
    return value.takeError();
  if (size_t(inst.dim) >= (*value)->strides.size())
    return Error("stride " + std::to_string(inst.dim) +
                 " of a buffer of rank " +
                 std::to_string((*value)->strides.size()));
  regs[size_t(inst.dst)] = (*value)->strides[size_t(inst.dim)];
  return Error::success();
}

Error Interpreter::run(const AlignedInst &inst) {
  Expected<const BufferValue *> value =
      isDry() ? buffer(inst.buffer) : ready(inst.buffer);
  if (!value)
    return value.takeError();
  regs[size_t(inst.dst)] = (*value)->position() % uint64_t(inst.bytes) == 0;
  return Error::success();
}

Error Interpreter::run(const CheckInst &inst) {
  if (regs[size_t(inst.cond)])
    return Error::success();
  return Error(inst.message.empty() ? "a check of the program failed"
                                    : inst.message);
}

Error Interpreter::run(const IfInst &inst) {
  return run(regs[size_t(inst.cond)] ? inst.thenCode : inst.elseCode);
}

Error Interpreter::run(const WhileInst &inst) {
  while (true) {
    // Counts empty loops, too.
    if (isDry() && ++steps > kMaxDrySteps)
      return Error("the program runs for too long to tell its sizes");
    if (Error error = run(inst.before))
      return error;
    if (!regs[size_t(inst.cond)])
      return Error::success();
    if (Error error = run(inst.body))
      return error;
  }
}

Error Interpreter::run(const ReturnInst &inst) {
  for (Buf b : inst.results) {
    Expected<const BufferValue *> value = isDry() ? buffer(b) : ready(b);
    if (!value)
      return value.takeError();
    results.push_back(*value);
  }
  return Error::success();
}
