// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges through memory that ranks on one host share. Every rank has a slot
// with two areas. In step k each writes a piece of its source to its area k mod
// 2 and publishes k; when all have, each reads what it needs. The area is
// written again in step k + 2, which no rank comes to before all have published
// k + 1, and so have read in step k.
#include "../ErrorText.h"
#include "Combine.h"
#include "HostCommunicator.h"
#include "kiln/System/Pause.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kiln::communication;

namespace {

/// Of one area.
constexpr uint64_t kAreaBytes = 512 * 1024;
constexpr int kSpins = 2000;
constexpr int kYields = 20;

struct Header {
  std::atomic<uint32_t> numJoined;
  std::atomic<uint32_t> isAborted; ///< the reason is there
  std::atomic<uint32_t> numSleeping;
  std::atomic<uint32_t> isClaimed; ///< somebody writes the reason
  char reason[1024];
};

struct alignas(64) Slot {
  std::atomic<uint32_t> published; ///< the last step
  std::atomic<uint32_t> hasLeft;
  uint64_t signatures[2]; ///< of what the areas are of
};

long futex(std::atomic<uint32_t> *word, int operation, uint32_t value,
           const timespec *timeout) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t *>(word), operation,
                 value, timeout, nullptr, 0);
}

/// A lock on a byte of a file, by this opening of the file: it goes when the
/// process ends, however it ends.
bool setLock(int fd, int64_t byte) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool isLocked(int fd, int64_t byte) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

class Shared : public KilnCommunicator {
public:
  explicit Shared(const KilnCommunicatorDescription &description)
      : KilnCommunicator(description) {
    try {
      join(description);
    } catch (...) {
      finish();
      unlink();
      leave();
      throw;
    }
  }

  ~Shared() override {
    finish();
    if (memory)
      slot(rank).hasLeft = 1;
    leave();
  }

private:
  void join(const KilnCommunicatorDescription &description) {
    bytes = sizeof(Header) + uint64_t(size) * (sizeof(Slot) + 2 * kAreaBytes);
    std::string name;
    if (rank == 0) {
      name = "/kiln-" + randomText();
      fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (fd < 0)
        fail("cannot make shared memory");
      made = name;
      if (int status = posix_fallocate(fd, 0, off_t(bytes))) {
        errno = status;
        fail("cannot make " + std::to_string(bytes) +
             " bytes of shared memory");
      }
      setKey(description, "memory", name);
    } else {
      name = getKey(description, "memory");
      fd = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
      if (fd < 0)
        fail("cannot open the shared memory " + name);
    }
    memory = static_cast<char *>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (memory == MAP_FAILED) {
      memory = nullptr;
      fail("cannot map shared memory");
    }
    if (!setLock(fd, rank))
      fail("cannot lock a byte of shared memory");
    header().numJoined.fetch_add(1);
    auto end = std::chrono::steady_clock::now() +
               std::chrono::duration<double>(description.seconds);
    constexpr int kTriesPerCheck = 200;
    for (int tries = 1; header().numJoined < uint32_t(size); ++tries) {
      // A key that is there is found at once, unless the ranks have given up.
      if (tries % kTriesPerCheck == 0)
        getKey(description, "memory");
      if (std::chrono::steady_clock::now() > end)
        throw Failure("only " + std::to_string(header().numJoined) + " of " +
                      std::to_string(size) + " ranks have come");
      usleep(500);
    }
    unlink();
  }

  /// Takes away the name of the memory that this rank has made: ranks that have
  /// joined keep the memory.
  void unlink() {
    if (!made.empty())
      shm_unlink(made.c_str());
    made.clear();
  }

  void leave() {
    if (memory)
      munmap(memory, bytes);
    if (fd >= 0)
      close(fd);
    memory = nullptr;
    fd = -1;
  }

  [[noreturn]] static void fail(const std::string &what) {
    throw Failure(what + ": " + std::strerror(errno));
  }

  Header &header() { return *reinterpret_cast<Header *>(memory); }
  Slot &slot(int64_t r) {
    return reinterpret_cast<Slot *>(memory + sizeof(Header))[r];
  }
  char *area(int64_t r) {
    return memory + sizeof(Header) + uint64_t(size) * sizeof(Slot) +
           (2 * uint64_t(r) + step % 2) * kAreaBytes;
  }

  void checkRanks() override {
    if (header().isAborted)
      throw Failure(header().reason);
    for (int64_t r = 0; r < size; ++r)
      if (r != rank && !slot(r).hasLeft && !isLocked(fd, r))
        throw gone(r);
  }

  void tellAbort(const std::string &why) override {
    if (!header().isClaimed.exchange(1)) {
      kiln::runtime::copyErrorText(why, header().reason,
                                   sizeof(Header::reason));
      header().isAborted = 1;
    }
    for (int64_t r = 0; r < size; ++r)
      futex(&slot(r).published, FUTEX_WAKE, INT_MAX, nullptr);
  }

  void begin() { ++step; }

  /// This rank's area is written.
  void publish(uint64_t signature) {
    slot(rank).signatures[step % 2] = signature;
    slot(rank).published.store(step, std::memory_order_seq_cst);
    if (header().numSleeping.load(std::memory_order_seq_cst))
      futex(&slot(rank).published, FUTEX_WAKE, INT_MAX, nullptr);
  }

  bool hasPublished(int64_t r) {
    uint32_t last = slot(r).published.load(std::memory_order_acquire);
    return int32_t(last - step) >= 0;
  }

  void await(int64_t r, uint64_t signature) {
    for (int i = 0; i < kSpins && !hasPublished(r); ++i)
      kiln::pauseProcessor();
    for (int i = 0; i < kYields && !hasPublished(r); ++i)
      sched_yield();
    while (!hasPublished(r)) {
      checkAborted();
      checkRanks();
      if (slot(r).hasLeft)
        throw Failure(nameOf(r) + " has ended its program");
      header().numSleeping.fetch_add(1, std::memory_order_seq_cst);
      uint32_t seen = slot(r).published.load(std::memory_order_seq_cst);
      timespec timeout = {0, 100 * 1000 * 1000};
      if (int32_t(seen - step) < 0)
        futex(&slot(r).published, FUTEX_WAIT, seen, &timeout);
      header().numSleeping.fetch_sub(1, std::memory_order_seq_cst);
    }
    if (slot(r).signatures[step % 2] != signature)
      throw Failure(nameOf(r) + " and " + nameOf(rank) +
                    " are at different exchanges");
  }

  void awaitAll(uint64_t signature) {
    for (int64_t r = 0; r < size; ++r)
      if (r != rank)
        await(r, signature);
  }

  void execute(const KilnCollective &c) override {
    source = static_cast<const char *>(c.source);
    target = static_cast<char *>(c.target);
    width = elementBytes(c.dtype);
    uint64_t signature = signatureOf(c), n = uint64_t(size);
    uint64_t parts = c.kind == KILN_COLLECTIVE_REDUCE_SCATTER ||
                             c.kind == KILN_COLLECTIVE_ALL_TO_ALL
                         ? n
                         : 1;
    uint64_t count = c.count / parts; // of a part
    uint64_t most = kAreaBytes / width / parts;
    for (uint64_t first = 0; first < count; first += most) {
      uint64_t piece = std::min(most, count - first);
      begin();
      bool gives = c.kind != KILN_COLLECTIVE_BROADCAST || rank == 0;
      for (uint64_t p = 0; gives && p < parts; ++p)
        std::memcpy(area(rank) + p * piece * width,
                    source + (p * count + first) * width, piece * width);
      publish(signature);
      awaitAll(signature);
      take(c, count, first, piece);
    }
  }

  /// Reads the areas of a step.
  void take(const KilnCollective &c, uint64_t count, uint64_t first,
            uint64_t piece) {
    uint64_t n = uint64_t(size), own = uint64_t(rank);
    char *to = target + first * width;
    switch (c.kind) {
    case KILN_COLLECTIVE_ALL_GATHER:
      for (uint64_t r = 0; r < n; ++r)
        std::memcpy(to + r * count * width, area(int64_t(r)), piece * width);
      return;
    case KILN_COLLECTIVE_ALL_TO_ALL:
      for (uint64_t r = 0; r < n; ++r)
        std::memcpy(to + r * count * width,
                    area(int64_t(r)) + own * piece * width, piece * width);
      return;
    case KILN_COLLECTIVE_BROADCAST:
      std::memcpy(to, area(0), piece * width);
      return;
    case KILN_COLLECTIVE_PERMUTE:
      for (uint32_t p = 0; p < c.numPairs; ++p)
        if (c.pairs[2 * p + 1] == rank)
          std::memcpy(to, area(c.pairs[2 * p]), piece * width);
      return;
    case KILN_COLLECTIVE_REDUCE_SCATTER:
      combineAreas(c, to, own * piece, piece);
      return;
    default:
      reduceTogether(c, to, piece);
    }
  }

  /// Elements `from` on of all areas, in the order of the ranks.
  void combineAreas(const KilnCollective &c, char *to, uint64_t from,
                    uint64_t count) {
    std::memcpy(to, area(0) + from * width, count * width);
    for (int64_t r = 1; r < size; ++r)
      combine(c.combiner, c.dtype, to, area(r) + from * width, count);
  }

  /// Each rank combines its share, and then takes the others'.
  void reduceTogether(const KilnCollective &c, char *to, uint64_t piece) {
    uint64_t n = uint64_t(size), own = uint64_t(rank);
    auto share = [&](uint64_t r) { return piece * r / n; };
    uint64_t begins = share(own), ends = share(own + 1);
    combineAreas(c, to + begins * width, begins, ends - begins);
    begin();
    std::memcpy(area(rank), to + begins * width, (ends - begins) * width);
    publish(signatureOf(c));
    awaitAll(signatureOf(c));
    for (uint64_t r = 0; r < n; ++r)
      if (r != own)
        std::memcpy(to + share(r) * width, area(int64_t(r)),
                    (share(r + 1) - share(r)) * width);
  }

  int fd = -1;
  std::string made; ///< the name, until all ranks have joined
  char *memory = nullptr;
  uint64_t bytes = 0;
  uint32_t step = 0;
  const char *source = nullptr;
  char *target = nullptr;
  uint64_t width = 1;
};

} // namespace

KILN_COMMUNICATION_NOTE();

const KilnCommunicationDriver *kilnGetCommunicationDriver(uint32_t apiMajor) {
  static const KilnCommunicationDriver table = hostTable<Shared>("shm");
  return apiMajor == KILN_COMMUNICATION_API_MAJOR ? &table : nullptr;
}
