// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges in the stream of the device: what comes after them there sees their
// results.
#include "Communicator.h"
#include "kiln/Runtime/HostDriver.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace kiln::streams;
using kiln::runtime::failDriver;

namespace {

using Comm = struct Communicator *;
struct UniqueId {
  char bytes[128];
};
enum : int { kSuccess = 0, kInProgress = 7 };
/// The library's types of elements.
enum : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kHalf = 6,
  kFloat = 7,
  kDouble = 8,
  kBfloat = 9
};
/// The library's operations.
enum : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3 };

#define KILN_COLLECTIVE_FUNCTIONS(X)                                           \
  X(GetUniqueId, (UniqueId *))                                                 \
  X(CommInitRank, (Comm *, int, UniqueId, int))                                \
  X(CommDestroy, (Comm))                                                       \
  X(CommAbort, (Comm))                                                         \
  X(CommGetAsyncError, (Comm, int *))                                          \
  X(AllReduce, (const void *, void *, size_t, int, int, Comm, void *))         \
  X(AllGather, (const void *, void *, size_t, int, Comm, void *))              \
  X(ReduceScatter, (const void *, void *, size_t, int, int, Comm, void *))     \
  X(Broadcast, (const void *, void *, size_t, int, int, Comm, void *))         \
  X(Send, (const void *, size_t, int, int, Comm, void *))                      \
  X(Recv, (void *, size_t, int, int, Comm, void *))                            \
  X(GroupStart, ())                                                            \
  X(GroupEnd, ())

struct Functions {
#define KILN_COLLECTIVE_POINTER(name, parameters) int(*name) parameters;
  KILN_COLLECTIVE_FUNCTIONS(KILN_COLLECTIVE_POINTER)
#undef KILN_COLLECTIVE_POINTER
  const char *(*GetErrorString)(int);
};

/// Of this process; set before the table is given out.
const CollectiveLibrary *theLibrary = nullptr;

} // namespace

struct KilnCommunicator {
  const Functions *functions = nullptr;
  std::unique_ptr<RankDevice> device;
  int rank = 0, size = 1;
  std::mutex mutex; ///< of what follows
  Comm comm = nullptr;
  std::string reason; ///< why it was aborted
};

namespace {

/// Opens the library: where the environment says, else where the system looks.
void *openLibrary(std::string &problem) {
  const char *path = std::getenv(theLibrary->pathVariable);
  if (path && *path) {
    if (void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL))
      return library;
  } else {
    for (const char *const *file = theLibrary->files; *file; ++file)
      if (void *library = dlopen(*file, RTLD_NOW | RTLD_LOCAL))
        return library;
  }
  problem = std::string(theLibrary->title) + " cannot be loaded: " + dlerror() +
            " (" + theLibrary->pathVariable + " says where it is)";
  return nullptr;
}

const Functions *load(std::string &problem) {
  static std::mutex mutex;
  static Functions functions;
  static std::string failed;
  static bool isTried = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isTried) {
    isTried = true;
    void *library = openLibrary(failed);
    auto find = [&](const char *name, void *to) {
      if (!failed.empty())
        return;
      std::string full = std::string(theLibrary->prefix) + name;
      void *symbol = dlsym(library, full.c_str());
      std::memcpy(to, &symbol, sizeof symbol);
      if (!symbol)
        failed =
            std::string(theLibrary->title) + " is too old: it lacks " + full;
    };
#define KILN_COLLECTIVE_LOAD(name, parameters) find(#name, &functions.name);
    KILN_COLLECTIVE_FUNCTIONS(KILN_COLLECTIVE_LOAD)
#undef KILN_COLLECTIVE_LOAD
    find("GetErrorString", &functions.GetErrorString);
  }
  problem = failed;
  return failed.empty() ? &functions : nullptr;
}

/// The name of a function, for messages.
std::string named(const char *function) {
  return std::string(theLibrary->prefix) + function;
}

int check(const KilnCommunicator &c, int result, const std::string &what,
          KilnError *error) {
  if (result == kSuccess || result == kInProgress)
    return 0;
  return failDriver(error, what + ": " + c.functions->GetErrorString(result));
}

void close(KilnCommunicator *c) {
  if (c->device)
    c->device->enter();
  if (c->comm)
    c->functions->CommDestroy(c->comm);
  delete c;
}

int connect(KilnCommunicator &c, const KilnCommunicatorDescription &description,
            KilnError *error) {
  const KilnStore &store = *description.store;
  std::string key = std::string(description.name) + "/id";
  UniqueId id = {};
  if (c.rank == 0) {
    if (check(c, c.functions->GetUniqueId(&id), named("GetUniqueId"), error) ||
        store.set(store.user, key.c_str(), &id, sizeof id, error))
      return 1;
  } else {
    size_t size = 0;
    if (store.get(store.user, key.c_str(), &id, sizeof id, &size,
                  description.seconds, error))
      return 1;
    if (size != sizeof id)
      return failDriver(error, std::string("rank 0 has written no id of ") +
                                   theLibrary->title);
  }
  return check(c, c.functions->CommInitRank(&c.comm, c.size, id, c.rank),
               named("CommInitRank"), error);
}

int open(const KilnCommunicatorDescription *description,
         KilnCommunicator **communicator, KilnError *error) {
  std::string problem;
  auto made = std::make_unique<KilnCommunicator>();
  made->device = theLibrary->openDevice(description->ordinal, problem);
  if (!made->device || !(made->functions = load(problem)))
    return failDriver(error, problem);
  made->rank = int(description->rank);
  made->size = int(description->size);
  made->device->enter();
  KilnCommunicator *opened = made.release();
  if (connect(*opened, *description, error)) {
    close(opened);
    return 1;
  }
  *communicator = opened;
  return 0;
}

/// The library's type for elements that are moved, and how many of it one is.
bool movedAs(uint32_t dtype, int &type, uint64_t &times) {
  times = 1;
  switch (dtype) {
  case KILN_DTYPE_F16:
    return type = kHalf, true;
  case KILN_DTYPE_BF16:
    return type = kBfloat, true;
  case KILN_DTYPE_F32:
    return type = kFloat, true;
  case KILN_DTYPE_F64:
    return type = kDouble, true;
  case KILN_DTYPE_I32:
    return type = kInt32, true;
  case KILN_DTYPE_I64:
    return type = kInt64, true;
  case KILN_DTYPE_I16:
    times = 2;
    [[fallthrough]];
  case KILN_DTYPE_I1:
  case KILN_DTYPE_I8:
    return type = kInt8, true;
  default:
    return false;
  }
}

/// The library's type and operation for elements that are combined.
bool combinedAs(uint32_t dtype, uint32_t combiner, int &type, int &operation) {
  uint64_t times = 1;
  if (!movedAs(dtype, type, times) || times != 1)
    return false;
  bool isTruth = dtype == KILN_DTYPE_I1;
  switch (combiner) {
  case KILN_COMBINER_ADD:
    return operation = kSum, !isTruth;
  case KILN_COMBINER_MUL:
    return operation = kProd, !isTruth;
  case KILN_COMBINER_MIN:
    return operation = kMin, !isTruth;
  case KILN_COMBINER_MAX:
    return operation = kMax, !isTruth;
  case KILN_COMBINER_AND:
    return operation = kMin, isTruth;
  case KILN_COMBINER_OR:
    return operation = kMax, isTruth;
  case KILN_COMBINER_UMIN:
  case KILN_COMBINER_UMAX:
    operation = combiner == KILN_COMBINER_UMIN ? kMin : kMax;
    // The types without sign follow those with one.
    if (type != kInt8 && type != kInt32 && type != kInt64)
      return false;
    ++type;
    return !isTruth;
  default:
    return false;
  }
}

/// Sends and receptions that go together.
int exchangeParts(KilnCommunicator &c, const KilnCollective &what, int type,
                  uint64_t times, KilnError *error) {
  const Functions &functions = *c.functions;
  int result = functions.GroupStart();
  auto keep = [&](int next) { result = result ? result : next; };
  if (what.kind == KILN_COLLECTIVE_ALL_TO_ALL) {
    uint64_t part = what.count * times / uint64_t(c.size);
    uint64_t bytes = 1;
    switch (type) {
    case kHalf:
    case kBfloat:
      bytes = 2;
      break;
    case kInt32:
    case kFloat:
      bytes = 4;
      break;
    case kInt64:
    case kDouble:
      bytes = 8;
      break;
    default:
      break;
    }
    for (int peer = 0; peer < c.size; ++peer) {
      uint64_t offset = part * bytes * uint64_t(peer);
      keep(functions.Send(static_cast<const char *>(what.source) + offset, part,
                          type, peer, c.comm, what.queue));
      keep(functions.Recv(static_cast<char *>(what.target) + offset, part, type,
                          peer, c.comm, what.queue));
    }
  } else {
    for (uint32_t p = 0; p < what.numPairs; ++p) {
      int from = int(what.pairs[2 * p]), to = int(what.pairs[2 * p + 1]);
      if (from == c.rank)
        keep(functions.Send(what.source, what.count * times, type, to, c.comm,
                            what.queue));
      if (to == c.rank)
        keep(functions.Recv(what.target, what.count * times, type, from, c.comm,
                            what.queue));
    }
  }
  int ended = functions.GroupEnd();
  return check(c, result ? result : ended, "an exchange", error);
}

int start(KilnCommunicator *communicator, const KilnCollective *collective,
          KilnRequest **request, KilnError *error) {
  KilnCommunicator &c = *communicator;
  const KilnCollective &what = *collective;
  *request = nullptr;
  std::lock_guard<std::mutex> lock(c.mutex);
  if (!c.comm)
    return failDriver(error, c.reason);
  c.device->enter();
  const Functions &functions = *c.functions;
  int type = 0, operation = 0;
  uint64_t times = 1;
  bool combines = what.kind == KILN_COLLECTIVE_ALL_REDUCE ||
                  what.kind == KILN_COLLECTIVE_REDUCE_SCATTER;
  if (combines ? !combinedAs(what.dtype, what.combiner, type, operation)
               : !movedAs(what.dtype, type, times))
    return failDriver(
        error, "unsupported: " + std::string(theLibrary->title) +
                   " has no combiner " + std::to_string(what.combiner) +
                   " for elements of type " + std::to_string(what.dtype));
  switch (what.kind) {
  case KILN_COLLECTIVE_ALL_REDUCE:
    return check(c,
                 functions.AllReduce(what.source, what.target, what.count, type,
                                     operation, c.comm, what.queue),
                 named("AllReduce"), error);
  case KILN_COLLECTIVE_ALL_GATHER:
    return check(c,
                 functions.AllGather(what.source, what.target,
                                     what.count * times, type, c.comm,
                                     what.queue),
                 named("AllGather"), error);
  case KILN_COLLECTIVE_REDUCE_SCATTER:
    return check(c,
                 functions.ReduceScatter(what.source, what.target,
                                         what.count / uint64_t(c.size), type,
                                         operation, c.comm, what.queue),
                 named("ReduceScatter"), error);
  case KILN_COLLECTIVE_BROADCAST:
    return check(c,
                 functions.Broadcast(what.source, what.target,
                                     what.count * times, type, 0, c.comm,
                                     what.queue),
                 named("Broadcast"), error);
  default:
    return exchangeParts(c, what, type, times, error);
  }
}

/// The queue orders what comes after it.
int wait(KilnCommunicator *, KilnRequest *, KilnError *) { return 0; }

int checkRanks(KilnCommunicator *communicator, KilnError *error) {
  KilnCommunicator &c = *communicator;
  // Who starts an exchange will see.
  std::unique_lock<std::mutex> lock(c.mutex, std::try_to_lock);
  if (!lock)
    return 0;
  if (!c.comm)
    return failDriver(error, c.reason);
  int state = 0;
  if (check(c, c.functions->CommGetAsyncError(c.comm, &state),
            named("CommGetAsyncError"), error))
    return 1;
  return check(c, state, "an exchange", error);
}

void abort(KilnCommunicator *communicator, const char *reason) {
  KilnCommunicator &c = *communicator;
  // The thread that holds the mutex may wait for a rank that is gone: this ends
  // the wait.
  std::unique_lock<std::mutex> lock(c.mutex, std::try_to_lock);
  Comm ended = c.comm;
  if (!ended)
    return;
  c.reason = reason;
  c.comm = nullptr;
  c.device->enter();
  c.functions->CommAbort(ended);
}

} // namespace

const KilnCommunicationDriver *
kiln::streams::communicationDriver(const CollectiveLibrary &library,
                                   uint32_t apiMajor) {
  theLibrary = &library;
  static const KilnCommunicationDriver table = [] {
    KilnCommunicationDriver t = {};
    t.structSize = sizeof t;
    t.apiMajor = KILN_COMMUNICATION_API_MAJOR;
    t.apiMinor = KILN_COMMUNICATION_API_MINOR;
    t.name = theLibrary->driver;
    t.flags = KILN_COMMUNICATION_ON_DEVICE;
    t.open = open;
    t.close = close;
    t.start = start;
    t.wait = wait;
    t.check = checkRanks;
    t.abort = abort;
    return t;
  }();
  return apiMajor == KILN_COMMUNICATION_API_MAJOR ? &table : nullptr;
}
