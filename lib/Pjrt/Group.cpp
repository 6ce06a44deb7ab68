// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and worlds of programs on several devices.
#include "Group.h"
#include <algorithm>

using namespace kiln::pjrt;

namespace {

/// Tells groups of this process apart.
std::atomic<uint64_t> numGroups = 0;

} // namespace

thread_local size_t CallDepth::current = 0;

Error *kiln::pjrt::tooManyCalls(size_t most, const char *of) {
  return fail(Code::ResourceExhausted,
              "unsupported: more than " + std::to_string(most) + " " + of +
                  "; expected callbacks that end, found one that may call its "
                  "own program without end");
}

Worker::~Worker() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  wake.notify_one();
  thread.join();
}

void Worker::post(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push_back(std::move(task));
  }
  wake.notify_one();
}

void Worker::serve() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex);
      wake.wait(lock, [&] { return isEnding || !tasks.empty(); });
      if (tasks.empty())
        return;
      task = std::move(tasks.front());
      tasks.pop_front();
    }
    task();
  }
}

/// Makes a world for each rank.
Error *Group::join() {
  std::string meeting = "process:pjrt-" + std::to_string(++numGroups);
  for (size_t rank = 0; rank < size; ++rank) {
    KilnWorldOptions options = {};
    options.structSize = sizeof options;
    options.rank = static_cast<int64_t>(rank);
    options.ranks = static_cast<int64_t>(size);
    options.rendezvous = meeting.c_str();
    KilnWorld *world = nullptr;
    if (kilnWorldCreate(&options, &world)) {
      worlds.clear();
      return runtimeError("cannot connect the devices");
    }
    worlds.emplace_back(world);
  }
  return nullptr;
}

/// The parts of a program for calls of this group.
Error *Group::open(LoadedExecutable &loaded, const Parts *&parts) {
  parts = &loaded.parts;
  if (depth == 0)
    return nullptr;
  // Others only add to the map, where elements keep their places.
  Parts *own = nullptr;
  {
    std::lock_guard<std::mutex> lock(loaded.nesting);
    own = &loaded.overlapping[depth];
  }
  parts = own;
  if (own->size() == size)
    return nullptr;
  PackagePtr package;
  if (Error *error = openPackage(*loaded.compiled, package))
    return error;
  while (own->size() < size) {
    std::unique_ptr<Part> opened;
    if (Error *error =
            openPart(package.get(), *loaded.parts[own->size()]->device, opened))
      return error;
    own->push_back(std::move(opened));
  }
  return nullptr;
}

/// Makes sure of threads and worlds.
Error *Group::enter(const Parts &parts) {
  if (worlds.empty())
    if (Error *error = join())
      return error;
  while (workers.size() + 1 < size)
    workers.push_back(std::make_unique<Worker>());
  for (size_t rank = 0; rank < size; ++rank)
    if (kilnSessionSetWorld(parts[rank]->session.get(), worlds[rank].get()))
      return runtimeError("cannot connect the devices");
  return nullptr;
}

/// This group once no call has it, or the group for calls that begin while a
/// program with callbacks runs.
Error *Group::take(const LoadedExecutable &loaded, Group *&taken) {
  std::unique_lock<std::mutex> lock(state);
  freed.wait(lock, [&] { return !taker || taker->hasCallbacks; });
  if (taker) {
    if (depth + 1 >= std::max<size_t>(2, kMostCallsAtOnce / size))
      return tooManyCalls(depth + 1, "calls at once on several devices");
    if (!next)
      next = std::make_unique<Group>(size, depth + 1);
    Group *other = next.get();
    lock.unlock();
    return other->take(loaded, taken);
  }
  taken = this;
  taker = &loaded;
  if (loaded.hasCallbacks)
    freed.notify_all();
  return nullptr;
}

Error *Group::run(LoadedExecutable &loaded,
                  const std::function<Error *(size_t, Part &)> &task) {
  Group *free = nullptr;
  if (Error *error = take(loaded, free))
    return error;
  // Also if a thread cannot be started, others go on.
  struct Freeing {
    Group *group;
    ~Freeing() {
      std::lock_guard<std::mutex> lock(group->state);
      group->taker = nullptr;
      group->freed.notify_all();
    }
  } taken = {free};
  return taken.group->runTaken(loaded, task);
}

Error *Group::runTaken(LoadedExecutable &loaded,
                       const std::function<Error *(size_t, Part &)> &task) {
  const Parts *parts = nullptr;
  if (Error *error = open(loaded, parts))
    return error;
  if (Error *error = enter(*parts))
    return error;
  std::mutex mutex;
  std::condition_variable ended;
  size_t numEnded = 0;
  Error *first = nullptr;
  auto work = [&, within = CallDepth::get()](size_t rank) {
    CallDepth depth(within);
    Error *error = task(rank, *(*parts)[rank]);
    if (error) {
      std::string why = error->message;
      {
        // Before the others hear of it: their errors only follow from this one,
        // and may give less of it.
        std::lock_guard<std::mutex> guard(mutex);
        if (first)
          delete error;
        else
          first = error;
      }
      // At once on all ranks: what is queued on a device does not end
      // otherwise.
      for (auto &world : worlds)
        kilnWorldAbort(world.get(), why.c_str());
    }
    std::lock_guard<std::mutex> guard(mutex);
    if (++numEnded == size)
      ended.notify_one();
  };
  for (size_t rank = 1; rank < size; ++rank)
    workers[rank - 1]->post([&work, rank] { work(rank); });
  work(0);
  std::unique_lock<std::mutex> guard(mutex);
  ended.wait(guard, [&] { return numEnded == size; });
  if (first)
    worlds.clear();
  return first;
}
