// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "Plan.h"
#include "Communicator.h"
#include <algorithm>
#include <new>
#include <set>

using namespace kiln::runtime;

namespace {

/// What memory of arguments begins at: a multiple of this, as of all memory of
/// the host that the runtime allocates. The course of a program can depend on
/// it.
constexpr uint64_t kAlign = 64;
/// Loops are kept step by step; of more than these the program is shorter.
constexpr size_t kMaxSteps = 1 << 14;

} // namespace

bool kiln::runtime::dependsOnShapesAlone(const std::vector<Instruction> &code) {
  return std::all_of(code.begin(), code.end(), [](const Instruction &inst) {
    if (const auto *branch = std::get_if<IfInst>(&inst.body))
      return dependsOnShapesAlone(branch->thenCode) &&
             dependsOnShapesAlone(branch->elseCode);
    if (const auto *loop = std::get_if<WhileInst>(&inst.body))
      return dependsOnShapesAlone(loop->before) &&
             dependsOnShapesAlone(loop->body);
    return !std::holds_alternative<ReadInst>(inst.body) &&
           !std::holds_alternative<HostInst>(inst.body) &&
           !std::holds_alternative<CollectiveInst>(inst.body) &&
           !std::holds_alternative<WaitInst>(inst.body);
  });
}

namespace {

Tensor asTensor(const LentTensor &lent) {
  Tensor tensor;
  tensor.dtype = lent.dtype;
  tensor.shape.assign(lent.shape, lent.shape + lent.rank);
  tensor.strides = rowMajor(tensor.shape);
  tensor.storage.data = lent.data;
  tensor.storage.bytes =
      size_t(tensor.numElements() * dtypeBytes(tensor.dtype));
  return tensor;
}

} // namespace

bool Plan::isPossible(const SessionImpl &session, const Function &function) {
  if (session.world || session.devices.size() != 1 ||
      !session.devices.front().device->importsHost() ||
      session.maxAlign > kAlign || function.kind != Function::Kind::function)
    return false;
  for (const Argument &arg : function.args)
    if (arg.isScalar || uint64_t(arg.align) > kAlign)
      return false;
  return dependsOnShapesAlone(function.code);
}

bool Plan::areAligned(const LentTensor *args, size_t count) {
  return std::all_of(args, args + count, [](const LentTensor &arg) {
    return reinterpret_cast<uintptr_t>(arg.data) % kAlign == 0;
  });
}

Expected<std::vector<Tensor>> Plan::make(SessionImpl &session,
                                         const Function &function,
                                         const std::vector<Tensor> &args,
                                         std::unique_ptr<Plan> &plan) {
  auto made = std::make_unique<Plan>();
  made->tape.isForPlan = true;
  made->on = session.devices.front().device;
  CallOptions options;
  Interpreter interpreter(*session.package, session.target(), function, options,
                          /*report=*/nullptr, &session, &made->tape);
  Expected<std::vector<Tensor>> outputs = interpreter.call(args);
  if (!outputs)
    return outputs;
  auto results = interpreter.resultMemory();
  if (!results || made->tape.size() > kMaxSteps)
    return outputs;
  made->results = std::move(*results);
  for (size_t i = 0; i < args.size(); ++i)
    made->arguments.push_back(
        {args[i].dtype, args[i].shape, made->tape.arguments[i]});
  std::set<const DeviceBuffer *> exchanged;
  for (const Given &given : made->arguments)
    exchanged.insert(given.memory.get());
  for (const BufferValue &result : made->results)
    exchanged.insert(result.memory.get());
  made->uses = findUses(made->tape, exchanged);
  // Nothing that is lent is kept.
  for (const Given &given : made->arguments)
    made->on->drop(*given.memory);
  for (BufferValue &result : made->results) {
    made->on->drop(*result.memory);
    result.host.owner = nullptr;
  }
  plan = std::move(made);
  return outputs;
}

std::vector<MemoryUse>
kiln::runtime::findUses(const Tape &tape,
                        const std::set<const DeviceBuffer *> &exchanged) {
  std::vector<MemoryUse> uses;
  for (const std::shared_ptr<EncodedLaunch> &launch : tape.launches) {
    size_t view = 0;
    for (KilnKernelArgument &argument : launch->args) {
      if (argument.isScalar)
        continue;
      const DeviceBuffer *memory = launch->memory[view++].get();
      if (exchanged.count(memory))
        uses.push_back({&argument, memory});
    }
  }
  return uses;
}

bool Plan::fits(const LentTensor *args, size_t count) const {
  if (count != arguments.size())
    return false;
  for (size_t i = 0; i < count; ++i) {
    const Given &given = arguments[i];
    if (args[i].dtype != given.dtype ||
        size_t(args[i].rank) != given.shape.size() ||
        !std::equal(given.shape.begin(), given.shape.end(), args[i].shape))
      return false;
  }
  return true;
}

Expected<std::vector<Tensor>> Plan::exchanged(SessionImpl &session,
                                              const LentTensor *args) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Error error = on->exchange(*arguments[i].memory, args[i].data))
      return error;
  std::vector<Tensor> outputs(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    const BufferValue &value = results[k];
    Expected<Storage> storage = session.pool->allocate(value.host.bytes);
    if (!storage)
      return storage.takeError();
    if (Error error = on->exchange(*value.memory, storage->data))
      return error;
    Tensor &output = outputs[k];
    output.dtype = value.dtype;
    output.shape = value.sizes;
    output.strides = value.strides;
    output.storage = std::move(*storage);
    output.offset = value.begin / dtypeBytes(value.dtype);
  }
  for (const MemoryUse &use : uses)
    use.argument->buffer = use.memory->handle;
  if (Error error = tape.play())
    return error;
  if (Error error = on->synchronize())
    return error;
  return outputs;
}

Expected<std::vector<Tensor>> Plan::run(SessionImpl &session,
                                        const LentTensor *args) {
  Expected<std::vector<Tensor>> outputs = exchanged(session, args);
  for (const Given &given : arguments)
    on->drop(*given.memory);
  for (const BufferValue &result : results)
    on->drop(*result.memory);
  return outputs;
}

std::optional<std::vector<BufferValue>> Interpreter::resultMemory() const {
  std::vector<BufferValue> found;
  std::set<const DeviceBuffer *> seen;
  for (const BufferValue *value : results) {
    if (!value->host.data || !value->isContiguous() ||
        value->begin % dtypeBytes(value->dtype) ||
        !seen.insert(value->memory.get()).second)
      return std::nullopt;
    found.push_back(*value);
    found.back().strides = rowMajor(value->sizes);
  }
  return found;
}

Expected<std::vector<Tensor>> Session::callLent(const Function &function,
                                                const LentTensor *args,
                                                size_t count) {
  auto tensors = [&] {
    std::vector<Tensor> made;
    for (size_t i = 0; i < count; ++i)
      made.push_back(asTensor(args[i]));
    return made;
  };
  std::unique_lock<std::mutex> lock(impl->calling);
  try {
    auto [found, isNew] = impl->callPlans.try_emplace(&function);
    std::unique_ptr<Plan> &plan = found->second;
    bool areAligned = Plan::areAligned(args, count);
    if (plan && areAligned && plan->fits(args, count))
      return plan->run(*impl, args);
    // With other shapes than the last ones: the plan is for those now.
    if (areAligned && (isNew || plan) && Plan::isPossible(*impl, function)) {
      plan = nullptr;
      auto outputs = Plan::make(*impl, function, tensors(), plan);
      if (!outputs)
        impl->callPlans.erase(found); // the next call can be a right one
      return outputs;
    }
  } catch (const std::bad_alloc &) {
    return Error("out of memory while calling '" + function.name + "'");
  }
  lock.unlock();
  return call(function, tensors());
}
