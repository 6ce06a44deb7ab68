// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with RCCL's functions for tests: ranks exchange files in a folder
// that the unique id names, in the order of the stream. Ranks are processes, or
// threads of one. Sums, products, maxima and minima of 32 bits.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define RCCL extern "C" __attribute__((visibility("default")))
extern "C" int hipStubEnqueue(void *stream, int (*function)(void *),
                              void (*release)(void *), void *data);

namespace {
struct UniqueId {
  char bytes[128];
};
/// Work in streams may outlive the communicator.
struct State {
  std::string folder;
  int rank = 0, size = 1;
  unsigned step = 0;                            ///< of exchanges that have run
  std::map<int, unsigned> numSent, numReceived; ///< by the other rank
  std::atomic<bool> isAborted = false;
};
struct Comm {
  std::shared_ptr<State> state;
};
enum : int { kInternal = 3, kInvalid = 4 };
/// Statuses of work in a stream, as the stub for HIP has them.
enum : int { kDone = 0, kNotReady = 600 };
enum : int { kInt8 = 0, kUint8 = 1, kInt32 = 2, kUint32 = 3, kFloat = 7 };
enum : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3 };
using Bytes = std::vector<char>;

/// The bytes of an element; 0: elements of that type are not exchanged.
size_t bytesOf(int type) {
  switch (type) {
  case kInt8:
  case kUint8:
    return 1;
  case kInt32:
  case kUint32:
  case kFloat:
    return 4;
  default:
    return 0;
  }
}

std::string fileOf(const State &state, const std::string &step, int from,
                   int to) {
  return state.folder + "/" + step + "." + std::to_string(from) + "." +
         std::to_string(to);
}
/// Files appear whole.
void put(const std::string &name, const void *bytes, size_t size) {
  std::string other = name + ".part";
  std::FILE *file = std::fopen(other.c_str(), "w");
  std::fwrite(bytes, 1, size, file);
  std::fclose(file);
  std::filesystem::rename(other, name);
}
/// Reads a file; false: it is not there yet.
bool take(const std::string &name, size_t size, Bytes &bytes) {
  std::FILE *file = std::fopen(name.c_str(), "r");
  if (!file)
    return false;
  bytes.resize(size);
  // Ranks that disagree about a size are a mistake of the program.
  if (std::fread(bytes.data(), 1, size, file) != size)
    std::abort();
  std::fclose(file);
  return true;
}

/// Work that is called until it does not return kNotReady any more. If the
/// communicator is aborted, it ends without an effect, as on the device.
using Work = std::function<int(State &)>;
struct Enqueued {
  std::shared_ptr<State> state;
  Work work;
};

int enqueue(Comm *comm, void *stream, Work work) {
  auto call = [](void *data) {
    auto *kept = static_cast<Enqueued *>(data);
    return kept->state->isAborted ? int(kDone) : kept->work(*kept->state);
  };
  auto release = [](void *data) { delete static_cast<Enqueued *>(data); };
  return hipStubEnqueue(stream, call, release,
                        new Enqueued{comm->state, std::move(work)})
             ? kInternal
             : 0;
}

/// Gives this rank's bytes to all, and `then` the bytes of all ranks, in their
/// order.
int gather(Comm *comm, void *stream, const void *mine, size_t size,
           std::function<void(const std::vector<Bytes> &)> then) {
  auto step = std::make_shared<std::string>();
  auto all = std::make_shared<std::vector<Bytes>>();
  return enqueue(comm, stream, [=](State &state) -> int {
    if (step->empty()) {
      *step = std::to_string(state.step++);
      put(fileOf(state, *step, state.rank, -1), mine, size);
    }
    while (int(all->size()) < state.size) {
      Bytes bytes;
      if (!take(fileOf(state, *step, int(all->size()), -1), size, bytes))
        return kNotReady;
      all->push_back(std::move(bytes));
    }
    then(*all);
    return kDone;
  });
}

template <typename T> T combined(int operation, T one, T other) {
  switch (operation) {
  case kProd:
    return static_cast<T>(one * other);
  case kMax:
    return std::max(one, other);
  case kMin:
    return std::min(one, other);
  default:
    return static_cast<T>(one + other);
  }
}

/// Combines `count` elements of all ranks from element `first` on.
template <typename T>
void combine(const std::vector<Bytes> &all, size_t first, size_t count,
             int operation, void *target) {
  auto *to = static_cast<T *>(target);
  for (size_t i = 0; i < count; ++i)
    for (const Bytes &bytes : all) {
      T element = reinterpret_cast<const T *>(bytes.data())[first + i];
      to[i] = &bytes == &all.front() ? element
                                     : combined(operation, to[i], element);
    }
}
/// The function for a type; null: there is none.
auto combinerOf(int type) {
  return type == kFloat    ? combine<float>
         : type == kInt32  ? combine<int32_t>
         : type == kUint32 ? combine<uint32_t>
         : type == kInt8   ? combine<int8_t>
         : type == kUint8  ? combine<uint8_t>
                           : nullptr;
}
} // namespace

RCCL const char *ncclGetErrorString(int) { return "a failure"; }
RCCL int ncclGetUniqueId(UniqueId *id) {
  *id = {};
  std::string name = std::filesystem::temp_directory_path() / "rcclXXXXXX";
  if (!mkdtemp(name.data()))
    return kInternal;
  name.copy(id->bytes, sizeof id->bytes - 1);
  return 0;
}
RCCL int ncclCommInitRank(Comm **comm, int size, UniqueId id, int rank) {
  auto state = std::make_shared<State>();
  state->folder = id.bytes;
  state->rank = rank;
  state->size = size;
  *comm = new Comm{std::move(state)};
  return 0;
}
RCCL int ncclCommDestroy(Comm *comm) { return delete comm, 0; }
RCCL int ncclCommAbort(Comm *comm) {
  comm->state->isAborted = true;
  delete comm;
  return 0;
}
RCCL int ncclCommGetAsyncError(Comm *, int *status) { return *status = 0; }
RCCL int ncclAllReduce(const void *source, void *target, size_t count, int type,
                       int operation, Comm *comm, void *stream) {
  auto *combine = combinerOf(type);
  if (!combine || operation > kMin)
    return kInvalid;
  return gather(comm, stream, source, count * bytesOf(type),
                [=](const std::vector<Bytes> &all) {
                  combine(all, 0, count, operation, target);
                });
}
RCCL int ncclReduceScatter(const void *source, void *target, size_t count,
                           int type, int operation, Comm *comm, void *stream) {
  auto *combine = combinerOf(type);
  if (!combine || operation > kMin)
    return kInvalid;
  size_t first = count * size_t(comm->state->rank);
  size_t bytes = count * bytesOf(type) * size_t(comm->state->size);
  return gather(comm, stream, source, bytes,
                [=](const std::vector<Bytes> &all) {
                  combine(all, first, count, operation, target);
                });
}
RCCL int ncclAllGather(const void *source, void *target, size_t count, int type,
                       Comm *comm, void *stream) {
  if (!bytesOf(type))
    return kInvalid;
  return gather(comm, stream, source, count * bytesOf(type),
                [=](const std::vector<Bytes> &all) {
                  char *to = static_cast<char *>(target);
                  for (const Bytes &bytes : all)
                    to = std::copy(bytes.begin(), bytes.end(), to);
                });
}
RCCL int ncclBroadcast(const void *source, void *target, size_t count, int type,
                       int root, Comm *comm, void *stream) {
  if (!bytesOf(type))
    return kInvalid;
  return gather(comm, stream, source, count * bytesOf(type),
                [=](const std::vector<Bytes> &all) {
                  const Bytes &bytes = all[size_t(root)];
                  std::memcpy(target, bytes.data(), bytes.size());
                });
}
RCCL int ncclSend(const void *source, size_t count, int type, int peer,
                  Comm *comm, void *stream) {
  if (!bytesOf(type))
    return kInvalid;
  return enqueue(comm, stream, [=](State &state) -> int {
    std::string number = "sent" + std::to_string(state.numSent[peer]++);
    put(fileOf(state, number, state.rank, peer), source, count * bytesOf(type));
    return kDone;
  });
}
RCCL int ncclRecv(void *target, size_t count, int type, int peer, Comm *comm,
                  void *stream) {
  if (!bytesOf(type))
    return kInvalid;
  return enqueue(comm, stream, [=](State &state) -> int {
    unsigned &number = state.numReceived[peer];
    std::string name =
        fileOf(state, "sent" + std::to_string(number), peer, state.rank);
    Bytes bytes;
    if (!take(name, count * bytesOf(type), bytes))
      return kNotReady;
    ++number;
    std::memcpy(target, bytes.data(), bytes.size());
    return kDone;
  });
}
RCCL int ncclGroupStart() { return 0; }
RCCL int ncclGroupEnd() { return 0; }
