// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of what was compiled.
#include "Execution.h"
#include "DeviceMemory.h"
#include <cstring>

using namespace kiln::pjrt;

namespace {

/// Tensors that are destroyed unless they are taken.
struct Results {
  std::vector<KilnTensor *> tensors;
  explicit Results(size_t count) : tensors(count) {}
  ~Results() {
    for (KilnTensor *tensor : tensors)
      kilnTensorDestroy(tensor);
  }
  TensorPtr take(size_t index) {
    TensorPtr taken(tensors[index], TensorDeleter());
    tensors[index] = nullptr;
    return taken;
  }
};

/// A tensor of its own with the same elements.
Error *duplicate(const Buffer &buffer, TensorPtr &tensor) {
  if (Error *error = makeTensor(buffer.type, buffer.sizes, tensor))
    return error;
  if (buffer.bytes)
    std::memcpy(kilnTensorData(tensor.get()), dataOf(buffer), buffer.bytes);
  return nullptr;
}

Error *execute(ExecuteArgs &args) {
  LoadedExecutable &loaded = *args.executable;
  if (!loaded.session)
    return fail(Code::InvalidArgument, "the executable was deleted");
  if (args.numDevices != 1)
    return fail(Code::Unimplemented, "unsupported: a call on " +
                                         std::to_string(args.numDevices) +
                                         " devices; this client has one");
  if (args.options && (args.options->numSends || args.options->numReceives))
    return fail(Code::Unimplemented,
                "unsupported: calls that send to the host while they run");
  if (auto memory = loaded.client->deviceMemory())
    return executeOnDevice(std::move(memory), args);
  const Compiled &compiled = *loaded.compiled;
  std::vector<KilnTensor *> arguments;
  std::vector<TensorPtr> copies;
  std::vector<Buffer *> donated;
  for (size_t i = 0; i < args.numArguments; ++i) {
    Buffer &buffer = *args.arguments[0][i];
    if (!buffer.tensor)
      return fail(Code::InvalidArgument,
                  "argument " + std::to_string(i) + " was deleted");
    arguments.push_back(buffer.tensor.get());
    if (i >= compiled.written.size() || !compiled.written[i])
      continue;
    if (isDonated(args, i)) {
      donated.push_back(&buffer);
      continue;
    }
    copies.emplace_back();
    if (Error *error = duplicate(buffer, copies.back()))
      return error;
    arguments.back() = copies.back().get();
  }
  Results results(compiled.results.size());
  if (kilnSessionRun(loaded.session.get(), compiled.entry.c_str(),
                     arguments.size(), arguments.data(), results.tensors.size(),
                     results.tensors.data()))
    return fail(Code::Internal, kilnLastError());
  for (Buffer *buffer : donated)
    buffer->tensor = nullptr;
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (size_t i = 0; i < compiled.results.size(); ++i) {
    const ResultType &type = compiled.results[i];
    buffers.push_back(std::make_unique<Buffer>(loaded.client, type.type,
                                               type.sizes, results.take(i)));
  }
  if (args.done)
    args.done[0] = new Event;
  for (size_t i = 0; i < buffers.size(); ++i)
    args.results[0][i] = buffers[i].release();
  return nullptr;
}

struct Nothing {};

Error *createContext(ContextArgs &args) {
  args.context = reinterpret_cast<ExecuteContext *>(new Nothing);
  return nullptr;
}

Error *destroyContext(ContextArgs &args) {
  delete reinterpret_cast<Nothing *>(args.context);
  return nullptr;
}

} // namespace

bool kiln::pjrt::isDonated(const ExecuteArgs &args, size_t index) {
  const Buffer &buffer = *args.arguments[0][index];
  if (buffer.held || buffer.tensor.use_count() > 1)
    return false;
  for (size_t i = 0; i < args.numArguments; ++i)
    if (i != index && args.arguments[0][i] == &buffer)
      return false;
  const ExecuteOptions *options = args.options;
  for (size_t i = 0; options && i < options->numNotDonatable; ++i)
    if (options->notDonatable[i] == static_cast<int64_t>(index))
      return false;
  return true;
}

void kiln::pjrt::addExecution(Api &api) {
  auto &f = api.functions;
  f[LoadedExecute] = entry<ExecuteArgs, execute>;
  f[ContextCreate] = entry<ContextArgs, createContext>;
  f[ContextDestroy] = entry<ContextArgs, destroyContext>;
}
