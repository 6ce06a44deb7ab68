//===- SharedAccesses.h - What meets in the memory of a block ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of the threads of a block to the memory that they share, those that
// nobody has waited for yet, and which of two meet.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_SHAREDACCESSES_H
#define KILN_LIB_GPU_SHAREDACCESSES_H

#include "ThreadValues.h"
#include "kiln/Interfaces/ThreadAccess.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <tuple>
#include <vector>

namespace kiln::simt {

/// One operation at the addresses that it has once. Equal ones are the same
/// object.
struct SharedAccess {
  mlir::Operation *op = nullptr;
  const ThreadValue *address = nullptr;
  const ThreadValue *active = nullptr; ///< 0 for threads that do not do it
  int64_t bytes = 16;
  Touch touch = Touch::Update;
  bool isCopy = false;    ///< goes on by itself until it is waited for
  bool isProduct = false; ///< the same, with groups of products
  bool isOfWarp = false;  ///< any lane of the warp may be the one
  bool isBulk = false;    ///< a copy unit's: a barrier counts its bytes
  struct Span {
    int64_t begin, end, thread;
  };
  /// One for each thread that does it. Most are never compared, so they are
  /// sorted by their beginnings when one is.
  mutable std::vector<Span> spans;
  const std::vector<Span> &sortedSpans() const;
  mutable bool isSorted = false;
  int64_t longest = 0, first = 0, last = 0;
  size_t number = 0; ///< in the order of their making
};

/// How far an access is from being done for everybody.
struct Pending {
  enum class Stage : uint8_t {
    Threads,  ///< each thread has done its part
    Warps,    ///< and the other lanes of its warp know
    UnderWay, ///< a copy or a product in flight: no wait covers it yet
    /// A write that a barrier follows without a proxy fence between: threads
    /// may read it, asynchronous products may not.
    Unfenced,
    /// A barrier parts it from what threads do, but not from what a copy unit
    /// does: the thread that starts copies need not pass that barrier.
    Parted,
  };
  const SharedAccess *access;
  Stage stage;
  uint8_t groups = 0;    ///< committed at or after a copy or a product
  bool isFenced = false; ///< a proxy fence follows the write
  /// The thread has arrived at a split barrier behind the access, and did not
  /// wait there yet; of a write, whether the fence stood before.
  bool hasArrived = false, wasFenced = false;
  /// Barriers of slots, a bit each: of a bulk copy the one that counts its
  /// bytes; of others those at which all who did the access arrived behind it.
  uint64_t slots = 0;
  /// The threads that have waited for such an arrival: what they do is behind
  /// the access. Null: none.
  const ThreadValue *freedFor = nullptr;

  bool operator<(const Pending &other) const { return key() < other.key(); }
  bool operator==(const Pending &other) const { return key() == other.key(); }

private:
  std::tuple<size_t, Stage, uint8_t, bool, bool, bool, uint64_t,
             const ThreadValue *>
  key() const {
    return {access->number, stage,     groups, isFenced,
            hasArrived,     wasFenced, slots,  freedFor};
  }
};

/// Pending accesses in the order of `operator<`, each once.
class PendingSet {
public:
  auto begin() const { return sorted.begin(); }
  auto end() const { return sorted.end(); }
  size_t size() const { return sorted.size(); }
  void insert(const Pending &one) {
    auto at = llvm::lower_bound(sorted, one);
    if (at == sorted.end() || !(*at == one))
      sorted.insert(at, one);
  }
  void insert(const PendingSet &others);
  /// Replaces each access by what `change` says; null drops it.
  void replace(llvm::function_ref<std::optional<Pending>(Pending)> change);

private:
  llvm::SmallVector<Pending, 0> sorted;
};

class SharedAccesses {
public:
  SharedAccesses(int64_t threads, int64_t lanes, int64_t bytes)
      : threads(threads), lanes(lanes), bytes(bytes) {}

  const SharedAccess *get(const SharedAccess &access);

  /// Two threads and a byte where an access meets one that came before.
  struct Meeting {
    int64_t first, second, byte;
  };
  std::optional<Meeting> meet(const Pending &before, const SharedAccess *now);

  // What waiting does.
  /// A barrier. Where products read shared memory by themselves, writes without
  /// a proxy fence stay pending for them. What stays pending for copies of a
  /// copy unit, `forCopies` says: what no fence follows, or all.
  enum class ForCopies : uint8_t { None, Unfenced, All };
  static void waitForBlock(PendingSet &pending, bool hasProducts,
                           ForCopies forCopies);
  /// Every thread arrives at a split barrier. False: it has before, and not
  /// waited.
  static bool arrive(PendingSet &pending);
  /// The wait for that, with the same effect as `waitForBlock` on what came
  /// before the arrival.
  static void await(PendingSet &pending, bool hasProducts);
  /// A proxy fence of every thread.
  static void fence(PendingSet &pending);
  static void waitForWarp(PendingSet &pending);
  static void commit(PendingSet &pending, bool products);
  /// Arrivals at the barrier of a slot, `slot` its bit: of each thread, or of
  /// one in each warp, which tells of what the warp knows to be done.
  static void arriveAt(PendingSet &pending, uint64_t slot, bool isEachThread);
  /// The wait of some threads for that, and for the copies that the barrier
  /// counts.
  static void awaitSlot(PendingSet &pending, uint64_t slot,
                        const ThreadValue *waiting, bool doAllWait);
  static void waitForGroups(PendingSet &pending, int64_t but, bool products);

private:
  using Key = std::tuple<mlir::Operation *, const ThreadValue *,
                         const ThreadValue *, int64_t>;
  llvm::DenseMap<Key, std::unique_ptr<SharedAccess>> known;
  /// Pairs of an access and its stage, and a later access, that do not meet.
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> apart;
  const int64_t threads, lanes, bytes;
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SHAREDACCESSES_H
