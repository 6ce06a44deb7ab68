// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges through MPI, for programs that mpirun has started: the ranks are
// those of MPI_COMM_WORLD. Built where the system has MPI.
#include "Combine.h"
#include "HostCommunicator.h"
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mpi.h>

using namespace kiln::communication;

namespace {

/// Bytes of one call: counts of MPI are ints.
constexpr uint64_t kPieceBytes = uint64_t(1) << 28;

void succeed(int status, const char *what) {
  if (status == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Failure(std::string(what) + ": " + text);
}

/// Whoever initialises it finalises it, at the end of the process.
void initialise() {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  int isThere = 0, level = 0;
  MPI_Initialized(&isThere);
  if (isThere) {
    MPI_Query_thread(&level);
  } else {
    succeed(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level),
            "MPI_Init_thread");
    std::atexit([] {
      int isOver = 0;
      MPI_Finalized(&isOver);
      if (!isOver)
        MPI_Finalize();
    });
  }
  if (level < MPI_THREAD_MULTIPLE)
    throw Failure("MPI is not initialised for several threads");
}

class Mpi : public KilnCommunicator {
public:
  explicit Mpi(const KilnCommunicatorDescription &description)
      : KilnCommunicator(description) {
    try {
      initialise();
      connect();
    } catch (...) {
      finish();
      throw;
    }
  }

  ~Mpi() override {
    finish();
    int isOver = 0;
    MPI_Finalized(&isOver);
    if (!isOver && comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }

private:
  void connect() {
    int worldRank = 0, worldSize = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &worldRank);
    MPI_Comm_size(MPI_COMM_WORLD, &worldSize);
    std::vector<int> members;
    for (int64_t member : ranks) {
      if (member >= worldSize)
        throw Failure("MPI has " + std::to_string(worldSize) +
                      " processes, and " + nameOf(rank) + " needs rank " +
                      std::to_string(member));
      members.push_back(int(member));
    }
    if (members[size_t(rank)] != worldRank)
      throw Failure(nameOf(rank) + " is process " + std::to_string(worldRank) +
                    " of MPI: KILN_RANK has to be its number");
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, int(size), members.data(), &group);
    int status = MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    succeed(status, "MPI_Comm_create_group");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }

  /// mpirun ends all processes when one dies.
  void checkRanks() override {}
  void tellAbort(const std::string &) override {}

  /// Waits with an eye on whether somebody has given up.
  void wait(MPI_Request request, const char *what) {
    int isDone = 0;
    while (true) {
      succeed(MPI_Test(&request, &isDone, MPI_STATUS_IGNORE), what);
      if (isDone)
        return;
      checkAborted();
      std::this_thread::yield();
    }
  }

  /// All combine in the order of the ranks: bytes are gathered piece by piece,
  /// as MPI has no half precision.
  void combineAll(const KilnCollective &c, const char *source, char *target,
                  uint64_t count, uint64_t width) {
    uint64_t most = std::max<uint64_t>(1, kPieceBytes / width / uint64_t(size));
    std::vector<char> all(std::min(most, count) * width * uint64_t(size));
    for (uint64_t first = 0; first < count; first += most) {
      uint64_t piece = std::min(most, count - first), bytes = piece * width;
      MPI_Request request;
      succeed(MPI_Iallgather(source + first * width, int(bytes), MPI_BYTE,
                             all.data(), int(bytes), MPI_BYTE, comm, &request),
              "MPI_Iallgather");
      wait(request, "MPI_Iallgather");
      char *to = target + first * width;
      std::memcpy(to, all.data(), bytes);
      for (int64_t r = 1; r < size; ++r)
        combine(c.combiner, c.dtype, to, all.data() + uint64_t(r) * bytes,
                piece);
    }
  }

  void execute(const KilnCollective &c) override {
    uint64_t width = elementBytes(c.dtype), bytes = c.count * width;
    uint64_t n = uint64_t(size), own = uint64_t(rank);
    auto *source = static_cast<const char *>(c.source);
    auto *target = static_cast<char *>(c.target);
    MPI_Request request;
    switch (c.kind) {
    case KILN_COLLECTIVE_ALL_REDUCE:
      return combineAll(c, source, target, c.count, width);
    case KILN_COLLECTIVE_REDUCE_SCATTER: {
      std::vector<char> sums(bytes);
      combineAll(c, source, sums.data(), c.count, width);
      std::memcpy(target, sums.data() + own * (bytes / n), bytes / n);
      return;
    }
    case KILN_COLLECTIVE_BROADCAST:
      if (rank == 0)
        std::memmove(target, source, bytes);
      for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
        succeed(MPI_Ibcast(target + at, int(std::min(kPieceBytes, bytes - at)),
                           MPI_BYTE, 0, comm, &request),
                "MPI_Ibcast");
        wait(request, "MPI_Ibcast");
      }
      return;
    default:
      return exchangeParts(c, source, target, bytes);
    }
  }

  /// Sends and receptions between pairs, piece by piece.
  void exchangeParts(const KilnCollective &c, const char *source, char *target,
                     uint64_t bytes) {
    struct Way {
      bool isSend;
      int64_t peer;
      char *data;
    };
    std::vector<Way> ways;
    uint64_t n = uint64_t(size), part = bytes;
    auto *from = const_cast<char *>(source);
    if (c.kind == KILN_COLLECTIVE_PERMUTE) {
      for (uint32_t p = 0; p < c.numPairs; ++p) {
        if (c.pairs[2 * p] == rank)
          ways.push_back({true, c.pairs[2 * p + 1], from});
        if (c.pairs[2 * p + 1] == rank)
          ways.push_back({false, c.pairs[2 * p], target});
      }
    } else {
      bool gathers = c.kind == KILN_COLLECTIVE_ALL_GATHER;
      part = gathers ? bytes : bytes / n;
      for (int64_t peer = 0; peer < size; ++peer) {
        ways.push_back(
            {true, peer, from + (gathers ? 0 : uint64_t(peer) * part)});
        ways.push_back({false, peer, target + uint64_t(peer) * part});
      }
    }
    for (uint64_t at = 0; at < part; at += kPieceBytes) {
      auto piece = int(std::min(kPieceBytes, part - at));
      std::vector<MPI_Request> requests(ways.size());
      for (size_t i = 0; i < ways.size(); ++i)
        succeed(ways[i].isSend
                    ? MPI_Isend(ways[i].data + at, piece, MPI_BYTE,
                                int(ways[i].peer), 0, comm, &requests[i])
                    : MPI_Irecv(ways[i].data + at, piece, MPI_BYTE,
                                int(ways[i].peer), 0, comm, &requests[i]),
                "an exchange");
      for (MPI_Request request : requests)
        wait(request, "an exchange");
    }
  }

  MPI_Comm comm = MPI_COMM_NULL;
};

} // namespace

KILN_COMMUNICATION_NOTE();

const KilnCommunicationDriver *kilnGetCommunicationDriver(uint32_t apiMajor) {
  static const KilnCommunicationDriver table = hostTable<Mpi>("mpi");
  return apiMajor == KILN_COMMUNICATION_API_MAJOR ? &table : nullptr;
}
