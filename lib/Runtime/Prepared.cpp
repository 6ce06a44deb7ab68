// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls whose steps are known before there is memory for them.
#include "Communicator.h"
#include "Plan.h"
#include <algorithm>
#include <new>

using namespace kiln::runtime;

namespace {

/// More buffers of their own than these are lent again during a call.
constexpr size_t kMaxTemporaries = 256;
/// Of more steps the program is shorter.
constexpr size_t kMaxSteps = 1 << 14;

uint64_t alignUp(uint64_t bytes) {
  // As far apart as drivers place allocations.
  constexpr uint64_t kApart = 256;
  return (bytes + kApart - 1) / kApart * kApart;
}

/// Where memory begins within PreparedCall::kAlign bytes. Nothing reads an
/// empty tensor.
uint64_t placeOf(const LentTensor &tensor) {
  for (int d = 0; d < tensor.rank; ++d)
    if (!tensor.shape[d])
      return 0;
  return reinterpret_cast<uintptr_t>(tensor.data) % PreparedCall::kAlign;
}

} // namespace

struct PreparedCall::Impl {
  struct Given {
    DType dtype;
    std::vector<int64_t> shape;
    uint64_t place;
    std::shared_ptr<DeviceBuffer> memory;
  };
  std::shared_ptr<SessionImpl> session;
  std::shared_ptr<Device> on;
  Tape tape;
  std::vector<Given> arguments;
  std::vector<PreparedCall::Result> types;
  std::vector<std::shared_ptr<DeviceBuffer>> results;
  std::vector<uint64_t> offsets; ///< of the temporaries in the scratch memory
  uint64_t scratchBytes = 0;
  std::vector<MemoryUse> uses;

  /// A tensor on the device of which only the place is known.
  Tensor standIn(DType dtype, std::vector<int64_t> shape, uint64_t place,
                 std::shared_ptr<DeviceBuffer> &memory) const;
  Error lay(const Function &function, const LentTensor *args, size_t count);
  void placeTemporaries();
  Error exchange(const LentTensor *args, void *const *given, void *scratch);
  void drop();
};

Tensor
PreparedCall::Impl::standIn(DType dtype, std::vector<int64_t> shape,
                            uint64_t place,
                            std::shared_ptr<DeviceBuffer> &memory) const {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.strides = rowMajor(shape);
  tensor.shape = std::move(shape);
  uint64_t bytes = uint64_t(tensor.numElements() * dtypeBytes(dtype));
  memory = std::make_shared<DeviceBuffer>(on, nullptr, bytes);
  memory->position = place;
  tensor.onDevice = memory;
  return tensor;
}

void PreparedCall::Impl::placeTemporaries() {
  for (const std::shared_ptr<DeviceBuffer> &memory : tape.temporaries) {
    offsets.push_back(scratchBytes);
    scratchBytes += alignUp(memory->bytes);
  }
  std::set<const DeviceBuffer *> exchanged;
  for (const auto &memory : tape.temporaries)
    exchanged.insert(memory.get());
  for (const Given &given : arguments)
    exchanged.insert(given.memory.get());
  for (const auto &memory : results)
    exchanged.insert(memory.get());
  uses = findUses(tape, exchanged);
}

/// Runs the program twice: what it gives says where to put it.
Error PreparedCall::Impl::lay(const Function &function, const LentTensor *args,
                              size_t count) {
  std::vector<Tensor> given(count), into;
  for (size_t i = 0; i < count; ++i) {
    const LentTensor &arg = args[i];
    Given &one = arguments.emplace_back();
    one = {arg.dtype, {arg.shape, arg.shape + arg.rank}, placeOf(arg), nullptr};
    given[i] = standIn(one.dtype, one.shape, one.place, one.memory);
  }
  CallOptions options;
  options.resultsOnDevice = options.noWait = true;
  auto run = [&](Tape &to) {
    to.isDeferred = true;
    Interpreter interpreter(*session->package, session->target(), function,
                            options, /*report=*/nullptr, session.get(), &to);
    return interpreter.lay(given);
  };
  Tape first;
  auto found = run(first);
  if (!found)
    return found.takeError();
  types = std::move(*found);
  results.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i)
    into.push_back(standIn(types[i].dtype, types[i].shape, 0, results[i]));
  options.into = &into;
  auto laid = run(tape);
  if (!laid)
    return laid.takeError();
  bool isOnDevice = tape.size() == 0 || tape.device() != Tape::kHost;
  bool copies = tape.size() > tape.launches.size();
  if (!isOnDevice || tape.size() > kMaxSteps ||
      tape.temporaries.size() > kMaxTemporaries ||
      (copies && !(on->driver().copy && on->driver().fill)))
    return Error("unsupported: preparing calls of '" + function.name +
                 "', which needs the host between its kernels");
  placeTemporaries();
  return Error::success();
}

/// Lets the buffers be memory of the caller.
Error PreparedCall::Impl::exchange(const LentTensor *args, void *const *given,
                                   void *scratch) {
  auto isOff = [](uint64_t address) { return address % kAlign != 0; };
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Error error = on->exchange(*arguments[i].memory, args[i].data))
      return error;
  for (size_t i = 0; i < results.size(); ++i) {
    auto address = reinterpret_cast<uintptr_t>(given[i]);
    if (results[i]->bytes && isOff(address))
      return Error("result " + std::to_string(i) +
                   " of a prepared call has to "
                   "begin at a multiple of " +
                   std::to_string(kAlign) + " bytes");
    if (Error error = on->exchange(*results[i], given[i]))
      return error;
  }
  auto begin = reinterpret_cast<uintptr_t>(scratch);
  if (scratchBytes && (!begin || isOff(begin)))
    return Error("the scratch memory of a prepared call has to begin at a "
                 "multiple of " +
                 std::to_string(kAlign) + " bytes");
  for (size_t i = 0; i < offsets.size(); ++i)
    if (Error error = on->exchange(*tape.temporaries[i],
                                   static_cast<char *>(scratch) + offsets[i]))
      return error;
  for (const MemoryUse &use : uses)
    use.argument->buffer = use.memory->handle;
  return Error::success();
}

/// Keeps nothing of the memory.
void PreparedCall::Impl::drop() {
  for (const Given &given : arguments)
    on->drop(*given.memory);
  for (const auto &memory : results)
    on->drop(*memory);
  for (const auto &memory : tape.temporaries)
    on->drop(*memory);
}

PreparedCall::PreparedCall(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
PreparedCall::PreparedCall(PreparedCall &&) noexcept = default;
PreparedCall &PreparedCall::operator=(PreparedCall &&) noexcept = default;
PreparedCall::~PreparedCall() = default;

const std::vector<PreparedCall::Result> &PreparedCall::results() const {
  return impl->types;
}
uint64_t PreparedCall::scratchBytes() const { return impl->scratchBytes; }

bool PreparedCall::fits(const LentTensor *args, size_t count) const {
  if (count != impl->arguments.size())
    return false;
  for (size_t i = 0; i < count; ++i) {
    const Impl::Given &given = impl->arguments[i];
    if (args[i].dtype != given.dtype ||
        size_t(args[i].rank) != given.shape.size() ||
        !std::equal(given.shape.begin(), given.shape.end(), args[i].shape) ||
        placeOf(args[i]) != given.place)
      return false;
  }
  return true;
}

Error PreparedCall::run(const LentTensor *args, void *const *results,
                        void *scratch, void *queue) {
  std::lock_guard<std::mutex> lock(impl->session->calling);
  WorldOfCall world(impl->session->world.get());
  QueueOfCall queueOfCall(*impl->on);
  Error error = impl->exchange(args, results, scratch);
  if (!error)
    error = queueOfCall.enter(queue);
  if (!error)
    error = impl->tape.play();
  impl->drop();
  return error;
}

Expected<PreparedCall> Session::prepare(const Function &function,
                                        const LentTensor *args, size_t count) {
  std::lock_guard<std::mutex> lock(impl->calling);
  auto why = [&](const std::string &reason) {
    return Error("unsupported: preparing calls of '" + function.name + "', " +
                 reason);
  };
  Device &on = *impl->devices.front().device;
  if (impl->devices.size() != 1 || on.importsHost() ||
      !on.driver().importAddress)
    return why("which does not run on one device with memory of its own");
  if (function.kind != Function::Kind::function ||
      !dependsOnShapesAlone(function.code))
    return why("whose course depends on more than the shapes of arguments");
  if (impl->maxAlign > PreparedCall::kAlign)
    return why("which needs memory of a larger alignment");
  for (const Argument &arg : function.args)
    if (arg.isScalar || arg.writable ||
        uint64_t(arg.align) > PreparedCall::kAlign)
      return why("which has a scalar, or writes an argument");
  try {
    auto made = std::make_unique<PreparedCall::Impl>();
    made->session = impl;
    made->on = impl->devices.front().device;
    if (Error error = made->lay(function, args, count))
      return error;
    // Queues that know nothing of it may read the constants.
    if (impl->hasQueuedConstants)
      if (Error error = on.synchronize())
        return error;
    impl->hasQueuedConstants = false;
    return PreparedCall(std::move(made));
  } catch (const std::bad_alloc &) {
    return Error("out of memory while preparing '" + function.name + "'");
  }
}

Expected<std::shared_ptr<DeviceBuffer>>
Interpreter::standIn(int32_t index, const std::string &memory, int64_t bytes) {
  Expected<uint32_t> kind = device(index).memoryKind(memory);
  if (!kind)
    return kind.takeError();
  if (*kind)
    return Error("unsupported: preparing calls of '" + function.name +
                 "', which needs memory '" + memory + "'");
  return tape->temporaries.emplace_back(
      std::make_shared<DeviceBuffer>(shared(index), nullptr, uint64_t(bytes)));
}

Expected<std::shared_ptr<DeviceBuffer>>
Interpreter::workspaceStandIn(int32_t index, int64_t bytes) {
  if (!tape->workspace) {
    auto made = standIn(index, "", bytes);
    if (!made)
      return made;
    tape->workspace = *made;
  }
  tape->workspace->bytes = std::max(tape->workspace->bytes, uint64_t(bytes));
  return tape->workspace;
}

Expected<std::vector<PreparedCall::Result>>
Interpreter::lay(const std::vector<Tensor> &args) {
  if (Error error = runWith(args))
    return error;
  std::vector<PreparedCall::Result> types;
  for (size_t i = 0; i < results.size(); ++i) {
    if (options.into) {
      Expected<Tensor> put = takeResult(i);
      if (!put)
        return put.takeError();
    }
    types.push_back({results[i]->dtype, results[i]->sizes});
  }
  return types;
}
