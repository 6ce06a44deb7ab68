// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between GPUs through NCCL, in the queue of the device: what comes
// after them there sees their results.
#include "Nccl.h"
#include "kiln-c/Communication.h"
#include "kiln/Runtime/HostDriver.h"
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>

using namespace kiln::nvidia;
using kiln::runtime::failDriver;

struct KilnCommunicator {
  const Cuda *cuda = nullptr;
  const Nccl *nccl = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;
  int rank = 0, size = 1;
  std::mutex mutex; ///< of what follows
  ncclComm comm = nullptr;
  std::string reason; ///< why it was aborted
};

namespace {

/// The library: KILN_NCCL_LIBRARY, else where the system looks.
const Nccl *load(std::string &problem) {
  static std::mutex mutex;
  static Nccl nccl;
  static std::string failed;
  static bool isTried = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isTried) {
    isTried = true;
    const char *path = std::getenv("KILN_NCCL_LIBRARY");
    void *library =
        dlopen(path && *path ? path : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      failed = "NCCL cannot be loaded: " + std::string(dlerror()) +
               " (KILN_NCCL_LIBRARY says where it is)";
    auto find = [&](const char *name, void *to) {
      if (!failed.empty())
        return;
      void *symbol = dlsym(library, name);
      std::memcpy(to, &symbol, sizeof symbol);
      if (!symbol)
        failed = std::string("NCCL is too old: it lacks ") + name;
    };
#define KILN_NCCL_LOAD(name, parameters) find(#name, &nccl.name);
    KILN_NCCL_FUNCTIONS(KILN_NCCL_LOAD)
#undef KILN_NCCL_LOAD
    find("ncclGetErrorString", &nccl.ncclGetErrorString);
  }
  problem = failed;
  return failed.empty() ? &nccl : nullptr;
}

int check(const KilnCommunicator &c, int result, const char *what,
          KilnError *error) {
  if (result == kNcclSuccess || result == kNcclInProgress)
    return 0;
  return failDriver(error, std::string(what) + ": " +
                               c.nccl->ncclGetErrorString(result));
}

void close(KilnCommunicator *c) {
  if (c->context)
    c->cuda->cuCtxSetCurrent(c->context);
  if (c->comm)
    c->nccl->ncclCommDestroy(c->comm);
  if (c->context)
    c->cuda->cuDevicePrimaryCtxRelease_v2(c->device);
  delete c;
}

int connect(KilnCommunicator &c, const KilnCommunicatorDescription &description,
            KilnError *error) {
  const KilnStore &store = *description.store;
  std::string key = std::string(description.name) + "/id";
  ncclUniqueId id = {};
  if (c.rank == 0) {
    if (check(c, c.nccl->ncclGetUniqueId(&id), "ncclGetUniqueId", error) ||
        store.set(store.user, key.c_str(), &id, sizeof id, error))
      return 1;
  } else {
    size_t size = 0;
    if (store.get(store.user, key.c_str(), &id, sizeof id, &size,
                  description.seconds, error))
      return 1;
    if (size != sizeof id)
      return failDriver(error, "rank 0 has written no id of NCCL");
  }
  return check(c, c.nccl->ncclCommInitRank(&c.comm, c.size, id, c.rank),
               "ncclCommInitRank", error);
}

int open(const KilnCommunicatorDescription *description,
         KilnCommunicator **communicator, KilnError *error) {
  std::string problem;
  auto made = std::make_unique<KilnCommunicator>();
  made->cuda = Cuda::get(problem);
  if (!made->cuda || !(made->nccl = load(problem)))
    return failDriver(error, problem);
  made->rank = int(description->rank);
  made->size = int(description->size);
  const Cuda &cuda = *made->cuda;
  if (cuda.cuDeviceGet(&made->device, description->ordinal) ||
      cuda.cuDevicePrimaryCtxRetain(&made->context, made->device))
    return failDriver(error, "device " + std::to_string(description->ordinal) +
                                 " cannot be opened");
  cuda.cuCtxSetCurrent(made->context);
  KilnCommunicator *opened = made.release();
  if (connect(*opened, *description, error)) {
    close(opened);
    return 1;
  }
  *communicator = opened;
  return 0;
}

/// NCCL's type for elements that are moved, and how many of it one is.
bool movedAs(uint32_t dtype, int &type, uint64_t &times) {
  times = 1;
  switch (dtype) {
  case KILN_DTYPE_F16:
    return type = kNcclHalf, true;
  case KILN_DTYPE_BF16:
    return type = kNcclBfloat, true;
  case KILN_DTYPE_F32:
    return type = kNcclFloat, true;
  case KILN_DTYPE_F64:
    return type = kNcclDouble, true;
  case KILN_DTYPE_I32:
    return type = kNcclInt32, true;
  case KILN_DTYPE_I64:
    return type = kNcclInt64, true;
  case KILN_DTYPE_I16:
    times = 2;
    [[fallthrough]];
  case KILN_DTYPE_I1:
  case KILN_DTYPE_I8:
    return type = kNcclInt8, true;
  default:
    return false;
  }
}

/// NCCL's type and operation for elements that are combined.
bool combinedAs(uint32_t dtype, uint32_t combiner, int &type, int &operation) {
  uint64_t times = 1;
  if (!movedAs(dtype, type, times) || times != 1)
    return false;
  bool isTruth = dtype == KILN_DTYPE_I1;
  switch (combiner) {
  case KILN_COMBINER_ADD:
    return operation = kNcclSum, !isTruth;
  case KILN_COMBINER_MUL:
    return operation = kNcclProd, !isTruth;
  case KILN_COMBINER_MIN:
    return operation = kNcclMin, !isTruth;
  case KILN_COMBINER_MAX:
    return operation = kNcclMax, !isTruth;
  case KILN_COMBINER_AND:
    return operation = kNcclMin, isTruth;
  case KILN_COMBINER_OR:
    return operation = kNcclMax, isTruth;
  case KILN_COMBINER_UMIN:
  case KILN_COMBINER_UMAX:
    operation = combiner == KILN_COMBINER_UMIN ? kNcclMin : kNcclMax;
    // The types without sign follow those with one.
    if (type != kNcclInt8 && type != kNcclInt32 && type != kNcclInt64)
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
  const Nccl &nccl = *c.nccl;
  auto stream = static_cast<CUstream>(what.queue);
  int result = nccl.ncclGroupStart();
  auto keep = [&](int next) { result = result ? result : next; };
  if (what.kind == KILN_COLLECTIVE_ALL_TO_ALL) {
    uint64_t part = what.count * times / uint64_t(c.size);
    uint64_t bytes = 1;
    switch (type) {
    case kNcclHalf:
    case kNcclBfloat:
      bytes = 2;
      break;
    case kNcclInt32:
    case kNcclFloat:
      bytes = 4;
      break;
    case kNcclInt64:
    case kNcclDouble:
      bytes = 8;
      break;
    default:
      break;
    }
    for (int peer = 0; peer < c.size; ++peer) {
      uint64_t offset = part * bytes * uint64_t(peer);
      keep(nccl.ncclSend(static_cast<const char *>(what.source) + offset, part,
                         type, peer, c.comm, stream));
      keep(nccl.ncclRecv(static_cast<char *>(what.target) + offset, part, type,
                         peer, c.comm, stream));
    }
  } else {
    for (uint32_t p = 0; p < what.numPairs; ++p) {
      int from = int(what.pairs[2 * p]), to = int(what.pairs[2 * p + 1]);
      if (from == c.rank)
        keep(nccl.ncclSend(what.source, what.count * times, type, to, c.comm,
                           stream));
      if (to == c.rank)
        keep(nccl.ncclRecv(what.target, what.count * times, type, from, c.comm,
                           stream));
    }
  }
  int ended = nccl.ncclGroupEnd();
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
  c.cuda->cuCtxSetCurrent(c.context);
  const Nccl &nccl = *c.nccl;
  auto stream = static_cast<CUstream>(what.queue);
  int type = 0, operation = 0;
  uint64_t times = 1;
  bool combines = what.kind == KILN_COLLECTIVE_ALL_REDUCE ||
                  what.kind == KILN_COLLECTIVE_REDUCE_SCATTER;
  if (combines ? !combinedAs(what.dtype, what.combiner, type, operation)
               : !movedAs(what.dtype, type, times))
    return failDriver(error, "unsupported: NCCL has no combiner " +
                                 std::to_string(what.combiner) +
                                 " for elements of type " +
                                 std::to_string(what.dtype));
  switch (what.kind) {
  case KILN_COLLECTIVE_ALL_REDUCE:
    return check(c,
                 nccl.ncclAllReduce(what.source, what.target, what.count, type,
                                    operation, c.comm, stream),
                 "ncclAllReduce", error);
  case KILN_COLLECTIVE_ALL_GATHER:
    return check(c,
                 nccl.ncclAllGather(what.source, what.target,
                                    what.count * times, type, c.comm, stream),
                 "ncclAllGather", error);
  case KILN_COLLECTIVE_REDUCE_SCATTER:
    return check(c,
                 nccl.ncclReduceScatter(what.source, what.target,
                                        what.count / uint64_t(c.size), type,
                                        operation, c.comm, stream),
                 "ncclReduceScatter", error);
  case KILN_COLLECTIVE_BROADCAST:
    return check(c,
                 nccl.ncclBroadcast(what.source, what.target,
                                    what.count * times, type, 0, c.comm,
                                    stream),
                 "ncclBroadcast", error);
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
  if (check(c, c.nccl->ncclCommGetAsyncError(c.comm, &state),
            "ncclCommGetAsyncError", error))
    return 1;
  return check(c, state, "an exchange", error);
}

void abort(KilnCommunicator *communicator, const char *reason) {
  KilnCommunicator &c = *communicator;
  // Whoever holds the mutex may wait for a rank that is gone: this ends it.
  std::unique_lock<std::mutex> lock(c.mutex, std::try_to_lock);
  ncclComm ended = c.comm;
  if (!ended)
    return;
  c.reason = reason;
  c.comm = nullptr;
  c.cuda->cuCtxSetCurrent(c.context);
  c.nccl->ncclCommAbort(ended);
}

} // namespace

KILN_COMMUNICATION_NOTE();

const KilnCommunicationDriver *kilnGetCommunicationDriver(uint32_t apiMajor) {
  static const KilnCommunicationDriver table = [] {
    KilnCommunicationDriver t = {};
    t.structSize = sizeof t;
    t.apiMajor = KILN_COMMUNICATION_API_MAJOR;
    t.apiMinor = KILN_COMMUNICATION_API_MINOR;
    t.name = "nccl";
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
