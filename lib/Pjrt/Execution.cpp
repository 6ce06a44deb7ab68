// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of what was compiled.
#include "Execution.h"
#include "DeviceMemory.h"
#include "Group.h"
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

/// Calls a part of a program, that of the device of number `rank`.
Error *executePart(ExecuteArgs &args, size_t rank, Part &part) {
  if (auto memory = part.device->deviceMemory())
    return executeOnDevice(std::move(memory), args, rank, part);
  const Compiled &compiled = *args.executable->compiled;
  std::vector<KilnTensor *> arguments;
  std::vector<TensorPtr> copies;
  std::vector<Buffer *> donated;
  for (size_t i = 0; i < args.numArguments; ++i) {
    Buffer &buffer = *args.arguments[rank][i];
    if (!buffer.tensor)
      return fail(Code::InvalidArgument,
                  "argument " + std::to_string(i) + " was deleted");
    arguments.push_back(buffer.tensor.get());
    if (i >= compiled.written.size() || !compiled.written[i])
      continue;
    if (isDonated(args, rank, i)) {
      donated.push_back(&buffer);
      continue;
    }
    copies.emplace_back();
    if (Error *error = duplicate(buffer, copies.back()))
      return error;
    arguments.back() = copies.back().get();
  }
  Results results(compiled.results.size());
  if (kilnSessionRun(part.session.get(), compiled.entry.c_str(),
                     arguments.size(), arguments.data(), results.tensors.size(),
                     results.tensors.data()))
    return fail(Code::Internal, kilnLastError());
  for (Buffer *buffer : donated)
    buffer->tensor = nullptr;
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (size_t i = 0; i < compiled.results.size(); ++i) {
    const ResultType &type = compiled.results[i];
    buffers.push_back(std::make_unique<Buffer>(part.device, type.type,
                                               type.sizes, results.take(i)));
  }
  if (args.done)
    args.done[rank] = new Event;
  for (size_t i = 0; i < buffers.size(); ++i)
    args.results[rank][i] = buffers[i].release();
  return nullptr;
}

/// Takes back what the ranks that succeeded have given.
void dropResults(ExecuteArgs &args, const std::vector<char> &succeeded) {
  size_t count = args.executable->compiled->results.size();
  for (size_t rank = 0; rank < succeeded.size(); ++rank) {
    if (!succeeded[rank])
      continue;
    for (size_t i = 0; i < count; ++i)
      delete args.results[rank][i];
    if (args.done)
      delete args.done[rank];
  }
}

/// A part of a program with callbacks that no other call has, until the end of
/// its scope.
class FreePart {
public:
  explicit FreePart(LoadedExecutable &loaded) : loaded(loaded) {}
  ~FreePart() {
    std::lock_guard<std::mutex> lock(loaded.nesting);
    if (part)
      part->isBusy = false;
  }

  Error *take() {
    if (takeOpen())
      return nullptr;
    if (!isOpening)
      return tooManyCalls(kMostCallsAtOnce, "calls of one program at once");
    // Others begin and end calls meanwhile: opening takes long, and may wait
    // for what they do.
    std::unique_ptr<Part> opened;
    Error *error = open(opened);
    std::lock_guard<std::mutex> lock(loaded.nesting);
    --loaded.numOpening;
    if (error)
      return error;
    opened->isBusy = true;
    part = opened.get();
    loaded.nested.push_back(std::move(opened));
    return nullptr;
  }

  Part *part = nullptr;

private:
  /// Takes one of those that are open. False if all are busy: `isOpening` says
  /// whether one more may be opened, which then counts as open for others.
  bool takeOpen() {
    std::lock_guard<std::mutex> lock(loaded.nesting);
    for (std::vector<std::unique_ptr<Part>> *list :
         {&loaded.parts, &loaded.nested})
      for (std::unique_ptr<Part> &one : *list)
        if (!part && !one->isBusy)
          part = one.get();
    if (part) {
      part->isBusy = true;
      return true;
    }
    isOpening = loaded.parts.size() + loaded.nested.size() + loaded.numOpening <
                kMostCallsAtOnce;
    loaded.numOpening += isOpening;
    return false;
  }

  Error *open(std::unique_ptr<Part> &opened) {
    PackagePtr package;
    if (Error *error = openPackage(*loaded.compiled, package))
      return error;
    return openPart(package.get(), *loaded.parts.front()->device, opened);
  }

  LoadedExecutable &loaded;
  bool isOpening = false;
};

/// Calls a program on one device. A session takes no call while a callback of
/// it runs. The callback may call its own program, or wait for a thread that
/// does, so that such calls have sessions of their own.
Error *executeAlone(ExecuteArgs &args) {
  LoadedExecutable &loaded = *args.executable;
  if (!loaded.hasCallbacks)
    return executePart(args, 0, *loaded.parts.front());
  FreePart free(loaded);
  if (Error *error = free.take())
    return error;
  return executePart(args, 0, *free.part);
}

Error *execute(ExecuteArgs &args) {
  LoadedExecutable &loaded = *args.executable;
  if (loaded.isDeleted())
    return fail(Code::InvalidArgument, "the executable was deleted");
  if (args.numDevices != loaded.parts.size())
    return fail(Code::InvalidArgument, "expected a call on " +
                                           std::to_string(loaded.parts.size()) +
                                           " devices, found one on " +
                                           std::to_string(args.numDevices));
  if (args.options && (args.options->numSends || args.options->numReceives))
    return fail(Code::Unimplemented,
                "unsupported: calls that send to the host while they run");
  CallDepth depth(CallDepth::get() + 1);
  if (CallDepth::get() > kMostNestedCalls)
    return tooManyCalls(kMostNestedCalls,
                        "calls within each other's callbacks");
  if (!loaded.group)
    return executeAlone(args);
  std::vector<char> succeeded(loaded.parts.size());
  Error *error = loaded.group->run(loaded, [&](size_t rank, Part &part) {
    Error *own = executePart(args, rank, part);
    succeeded[rank] = !own;
    return own;
  });
  if (error)
    dropResults(args, succeeded);
  return error;
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

bool kiln::pjrt::isDonated(const ExecuteArgs &args, size_t rank, size_t index) {
  const Buffer &buffer = *args.arguments[rank][index];
  if (buffer.held || buffer.tensor.use_count() > 1)
    return false;
  for (size_t i = 0; i < args.numArguments; ++i)
    if (i != index && args.arguments[rank][i] == &buffer)
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
