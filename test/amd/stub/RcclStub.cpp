// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with RCCL's functions for tests: ranks exchange files in a folder
// that the unique id names, in the order of the stream. Elements are f32.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#define RCCL extern "C" __attribute__((visibility("default")))
extern "C" int hipLaunchHostFunc(void *stream, void (*function)(void *),
                                 void *data);

namespace {
struct UniqueId {
  char bytes[128];
};
struct Comm {
  std::string folder;
  int rank = 0, size = 1;
  unsigned step = 0; ///< of exchanges that have run
};
enum : int { kInternal = 3, kInvalid = 4, kFloat = 7 };
using Bytes = std::vector<char>;

std::string fileOf(const Comm &comm, unsigned step, int from, int to) {
  return comm.folder + "/" + std::to_string(step) + "." + std::to_string(from) +
         "." + std::to_string(to);
}
/// Files appear whole.
void put(const std::string &name, const void *bytes, size_t size) {
  std::string other = name + ".part";
  std::FILE *file = std::fopen(other.c_str(), "w");
  std::fwrite(bytes, 1, size, file);
  std::fclose(file);
  std::filesystem::rename(other, name);
}
Bytes take(const std::string &name, size_t size) {
  Bytes bytes(size);
  std::FILE *file = nullptr;
  for (int i = 0; i < 10000 && !(file = std::fopen(name.c_str(), "r")); ++i)
    usleep(1000);
  if (!file || std::fread(bytes.data(), 1, size, file) != size)
    std::abort();
  std::fclose(file);
  return bytes;
}

/// Runs `work` with the number of the exchange, in the order of the stream.
int enqueue(Comm *comm, void *stream, std::function<void(unsigned)> work) {
  auto *kept = new std::function<void()>(
      [comm, work = std::move(work)] { work(comm->step++); });
  return hipLaunchHostFunc(
             stream,
             [](void *data) {
               auto *kept = static_cast<std::function<void()> *>(data);
               (*kept)();
               delete kept;
             },
             kept)
             ? kInternal
             : 0;
}

/// The bytes of all ranks, in their order.
std::vector<Bytes> gather(const Comm &comm, unsigned step, const void *mine,
                          size_t size) {
  std::vector<Bytes> all;
  put(fileOf(comm, step, comm.rank, -1), mine, size);
  for (int rank = 0; rank < comm.size; ++rank)
    all.push_back(take(fileOf(comm, step, rank, -1), size));
  return all;
}

/// The sum of `count` elements of all ranks from element `first` on.
void sum(const std::vector<Bytes> &all, size_t first, size_t count,
         float *target) {
  for (size_t i = 0; i < count; ++i) {
    float total = 0;
    for (const Bytes &bytes : all)
      total += reinterpret_cast<const float *>(bytes.data())[first + i];
    target[i] = total;
  }
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
  *comm = new Comm{id.bytes, rank, size};
  return 0;
}
RCCL int ncclCommDestroy(Comm *comm) { return delete comm, 0; }
RCCL int ncclCommAbort(Comm *comm) { return delete comm, 0; }
RCCL int ncclCommGetAsyncError(Comm *, int *status) { return *status = 0; }
RCCL int ncclAllReduce(const void *source, void *target, size_t count, int type,
                       int operation, Comm *comm, void *stream) {
  if (type != kFloat || operation != 0)
    return kInvalid;
  return enqueue(comm, stream, [=](unsigned step) {
    sum(gather(*comm, step, source, count * 4), 0, count,
        static_cast<float *>(target));
  });
}
RCCL int ncclReduceScatter(const void *source, void *target, size_t count,
                           int type, int operation, Comm *comm, void *stream) {
  if (type != kFloat || operation != 0)
    return kInvalid;
  return enqueue(comm, stream, [=](unsigned step) {
    sum(gather(*comm, step, source, count * 4 * size_t(comm->size)),
        count * size_t(comm->rank), count, static_cast<float *>(target));
  });
}
RCCL int ncclAllGather(const void *source, void *target, size_t count, int type,
                       Comm *comm, void *stream) {
  if (type != kFloat)
    return kInvalid;
  return enqueue(comm, stream, [=](unsigned step) {
    char *to = static_cast<char *>(target);
    for (const Bytes &bytes : gather(*comm, step, source, count * 4))
      to = std::copy(bytes.begin(), bytes.end(), to);
  });
}
RCCL int ncclBroadcast(const void *source, void *target, size_t count, int type,
                       int root, Comm *comm, void *stream) {
  if (type != kFloat)
    return kInvalid;
  return enqueue(comm, stream, [=](unsigned step) {
    std::vector<Bytes> all = gather(*comm, step, source, count * 4);
    std::memcpy(target, all[size_t(root)].data(), count * 4);
  });
}
RCCL int ncclSend(const void *source, size_t count, int type, int peer,
                  Comm *comm, void *stream) {
  if (type != kFloat)
    return kInvalid;
  return enqueue(comm, stream, [=](unsigned) {
    // A receive follows, or the other rank's does: the pair has one number.
    put(fileOf(*comm, ~0u, comm->rank, peer), source, count * 4);
  });
}
RCCL int ncclRecv(void *target, size_t count, int type, int peer, Comm *comm,
                  void *stream) {
  if (type != kFloat)
    return kInvalid;
  return enqueue(comm, stream, [=](unsigned) {
    std::string name = fileOf(*comm, ~0u, peer, comm->rank);
    Bytes bytes = take(name, count * 4);
    std::filesystem::remove(name);
    std::memcpy(target, bytes.data(), bytes.size());
  });
}
RCCL int ncclGroupStart() { return 0; }
RCCL int ncclGroupEnd() { return 0; }
