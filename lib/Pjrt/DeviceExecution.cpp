// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of programs whose arguments and results stay on a device.
#include "DeviceMemory.h"
#include "Execution.h"

using namespace kiln::pjrt;

namespace {

/// A call: its arguments on the device, and what becomes of them.
class DeviceCall {
public:
  DeviceCall(std::shared_ptr<DeviceMemory> on, ExecuteArgs &args, size_t rank,
             Part &part)
      : args(args), rank(rank), loaded(part),
        compiled(*args.executable->compiled), shared(std::move(on)),
        memory(*shared) {}

  Error *run() {
    if (Error *error = takeArguments())
      return error;
    KilnPreparedCall *prepared = prepare();
    Error *error = prepared ? runPrepared(prepared) : runSession();
    if (error)
      return error;
    uint64_t number = memory.queued();
    for (Buffer *buffer : donated)
      buffer->tensor = nullptr;
    for (size_t i = 0; i < results.size(); ++i) {
      const ResultType &type = compiled.results[i];
      auto *buffer =
          new Buffer(loaded.device, type.type, type.sizes, results[i]);
      buffer->number = number;
      args.results[rank][i] = buffer;
    }
    if (args.done)
      args.done[rank] = new Event{shared, number};
    return nullptr;
  }

private:
  Error *takeArguments();
  KilnPreparedCall *prepare();
  Error *runPrepared(KilnPreparedCall *prepared);
  Error *runSession();
  std::vector<KilnLentTensor> lent() const;

  ExecuteArgs &args;
  const size_t rank;
  Part &loaded;
  const Compiled &compiled;
  std::shared_ptr<DeviceMemory> shared;
  DeviceMemory &memory;
  std::vector<TensorPtr> arguments, results;
  std::vector<Buffer *> donated;
};

Error *DeviceCall::takeArguments() {
  for (size_t i = 0; i < args.numArguments; ++i) {
    Buffer &buffer = *args.arguments[rank][i];
    // Asked before this call shares the memory.
    bool gives = i < compiled.written.size() && compiled.written[i];
    bool isGiven = gives && isDonated(args, rank, i);
    TensorPtr tensor;
    if (Error *error = memory.check(buffer.number))
      return error;
    if (Error *error = tensorOnDevice(memory, buffer, tensor))
      return error;
    if (!tensor)
      return fail(Code::InvalidArgument,
                  "argument " + std::to_string(i) + " was deleted");
    if (isGiven)
      donated.push_back(&buffer);
    if (gives && !isGiven) {
      TensorPtr copied;
      uint64_t number = 0;
      if (Error *error = memory.allocate(kilnTensorDType(tensor.get()),
                                         kilnTensorRank(tensor.get()),
                                         kilnTensorShape(tensor.get()), copied))
        return error;
      if (Error *error = memory.copy(tensor.get(), copied.get(), number))
        return error;
      tensor = std::move(copied);
    }
    arguments.push_back(std::move(tensor));
  }
  return nullptr;
}

/// The arguments by their addresses; empty if one has none.
std::vector<KilnLentTensor> DeviceCall::lent() const {
  std::vector<KilnLentTensor> given;
  for (const TensorPtr &tensor : arguments) {
    KilnLentTensor &one = given.emplace_back();
    one = {nullptr, kilnTensorDType(tensor.get()), kilnTensorRank(tensor.get()),
           kilnTensorShape(tensor.get()), nullptr};
    if (kilnTensorAddress(tensor.get(), &one.data))
      return {};
  }
  return given;
}

/// The steps of the program, found at the first call; null: the session has to
/// interpret it each time.
KilnPreparedCall *DeviceCall::prepare() {
  std::lock_guard<std::mutex> lock(loaded.preparing);
  if (loaded.wasPrepared)
    return loaded.prepared.get();
  loaded.wasPrepared = true;
  if (loaded.number < 0)
    return nullptr;
  std::vector<KilnLentTensor> given = lent();
  KilnPreparedCall *prepared = nullptr;
  if (given.size() == arguments.size() &&
      !kilnSessionPrepare(loaded.session.get(), compiled.entry.c_str(),
                          given.size(), given.data(), &prepared))
    loaded.prepared.reset(prepared);
  return loaded.prepared.get();
}

Error *DeviceCall::runPrepared(KilnPreparedCall *prepared) {
  constexpr int kMostRank = 40;
  std::vector<KilnLentTensor> given = lent();
  if (given.size() != arguments.size())
    return runtimeError("cannot find a buffer");
  if (!kilnPreparedCallFits(prepared, given.size(), given.data()))
    return runSession();
  std::vector<void *> addresses(compiled.results.size());
  results.resize(compiled.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    KilnDType dtype = KILN_DTYPE_NONE;
    int64_t shape[kMostRank];
    int rank = kilnPreparedCallResult(prepared, i, &dtype, shape, kMostRank);
    if (rank < 0)
      return runtimeError("cannot read a result's type");
    if (Error *error = memory.allocate(dtype, rank, shape, results[i]))
      return error;
    if (kilnTensorAddress(results[i].get(), &addresses[i]))
      return runtimeError("cannot find a result");
  }
  TensorPtr scratch;
  void *scratchAddress = nullptr;
  int64_t scratchBytes =
      static_cast<int64_t>(kilnPreparedCallScratchBytes(prepared));
  if (scratchBytes) {
    if (Error *error =
            memory.allocate(KILN_DTYPE_I8, 1, &scratchBytes, scratch))
      return error;
    if (kilnTensorAddress(scratch.get(), &scratchAddress))
      return runtimeError("cannot find scratch memory");
  }
  if (kilnPreparedCallRun(prepared, given.size(), given.data(),
                          addresses.size(), addresses.data(), scratchAddress,
                          memory.queue()))
    return fail(Code::Internal, kilnLastError());
  return nullptr;
}

Error *DeviceCall::runSession() {
  std::vector<TensorPtr> adoptedArguments;
  std::vector<KilnTensor *> given;
  for (const TensorPtr &tensor : arguments) {
    TensorPtr one;
    if (loaded.number < 0) {
      if (Error *error = memory.download(tensor.get(), one))
        return error;
    } else {
      KilnTensor *adopted = nullptr;
      if (kilnSessionAdopt(loaded.session.get(),
                           static_cast<size_t>(loaded.number), tensor.get(),
                           &adopted))
        return runtimeError("cannot share an argument");
      one = TensorPtr(adopted, TensorDeleter());
    }
    given.push_back(one.get());
    adoptedArguments.push_back(std::move(one));
  }
  KilnCallOptions options = {};
  options.structSize = sizeof options;
  options.flags = KILN_CALL_ON_DEVICE | KILN_CALL_NO_WAIT;
  std::vector<KilnTensor *> made(compiled.results.size());
  if (kilnSessionCall(loaded.session.get(), compiled.entry.c_str(),
                      given.size(), given.data(), made.size(), made.data(),
                      &options))
    return fail(Code::Internal, kilnLastError());
  std::vector<TensorPtr> owned;
  for (KilnTensor *one : made)
    owned.emplace_back(one, TensorDeleter());
  for (const TensorPtr &one : owned) {
    results.emplace_back();
    if (kilnTensorIsOnDevice(one.get())) {
      if (Error *error = memory.adopt(one.get(), results.back()))
        return error;
      continue;
    }
    uint64_t number = 0;
    if (Error *error = memory.upload(one, results.back(), number))
      return error;
    memory.keep(number, one, 0);
  }
  return nullptr;
}

} // namespace

Error *kiln::pjrt::executeOnDevice(std::shared_ptr<DeviceMemory> memory,
                                   ExecuteArgs &args, size_t rank, Part &part) {
  return DeviceCall(std::move(memory), args, rank, part).run();
}
