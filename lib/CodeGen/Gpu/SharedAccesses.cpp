//===- SharedAccesses.cpp - What meets in the memory of a block -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedAccesses.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

const std::vector<SharedAccess::Span> &SharedAccess::sortedSpans() const {
  auto comesBefore = [](const Span &a, const Span &b) {
    return std::tie(a.begin, a.thread) < std::tie(b.begin, b.thread);
  };
  if (!isSorted && !llvm::is_sorted(spans, comesBefore))
    llvm::sort(spans, comesBefore);
  isSorted = true;
  return spans;
}

const SharedAccess *SharedAccesses::get(const SharedAccess &access) {
  auto &place = known[{access.op, access.address, access.active, access.bytes}];
  if (place)
    return place.get();
  place = std::make_unique<SharedAccess>(access);
  place->number = known.size();
  place->spans.reserve(threads);
  for (int64_t t = 0; t < threads; ++t) {
    Interval active = access.active->of(t), at = access.address->of(t);
    if (active.isOne() && !active.low)
      continue;
    bool isKnown = !access.address->symbol && !at.isAll();
    place->spans.push_back(
        {isKnown ? at.low : 0,
         isKnown ? std::min(at.high, bytes) + access.bytes : bytes, t});
  }
  place->first = place->spans.empty() ? 0 : place->spans.front().begin;
  for (const SharedAccess::Span &span : place->spans) {
    place->first = std::min(place->first, span.begin);
    place->longest = std::max(place->longest, span.end - span.begin);
    place->last = std::max(place->last, span.end);
  }
  return place.get();
}

std::optional<SharedAccesses::Meeting>
SharedAccesses::meet(const Pending &before, const SharedAccess *now) {
  const SharedAccess *then = before.access;
  if (then->touch == now->touch && now->touch != Touch::Write)
    return std::nullopt; // reads, and updates that are one step each
  if (before.stage == Pending::Stage::Unfenced && !now->isProduct &&
      !now->isBulk)
    return std::nullopt; // a barrier parts the two
  if (before.stage == Pending::Stage::Parted && !now->isBulk)
    return std::nullopt;
  if (before.freedFor && now->isBulk &&
      llvm::all_of(now->spans, [&](const SharedAccess::Span &span) {
        Interval waits = before.freedFor->of(span.thread);
        return waits.isOne() && waits.low;
      }))
    return std::nullopt;
  if (then->last <= now->first || now->last <= then->first)
    return std::nullopt;
  std::pair key(uint64_t(then->number) << 8 | uint64_t(before.stage),
                uint64_t(now->number));
  if (apart.contains(key))
    return std::nullopt;
  auto isParted = [&](int64_t first, int64_t second) {
    if (before.stage == Pending::Stage::UnderWay ||
        before.stage == Pending::Stage::Unfenced ||
        before.stage == Pending::Stage::Parted)
      return false;
    bool isOneWarp = first / lanes == second / lanes;
    // Another thread than this one may start the copies.
    if (then->isBulk != now->isBulk)
      return false;
    // Lanes read a matrix together. What they write together is not yet there
    // for other lanes, as rows are written by the lanes that hold them.
    if (before.stage == Pending::Stage::Warps ||
        (then->isOfWarp && then->touch == Touch::Read))
      return isOneWarp;
    if (then->isOfWarp)
      return false;
    return first == second && !now->isOfWarp;
  };
  const auto &spans = then->sortedSpans();
  auto firstMeeting = [&]() -> std::optional<Meeting> {
    for (const SharedAccess::Span &span : now->spans) {
      auto other = llvm::lower_bound(
          spans, span.begin - then->longest,
          [](const SharedAccess::Span &a, int64_t n) { return a.begin < n; });
      for (; other != spans.end() && other->begin < span.end; ++other)
        if (other->end > span.begin && !isParted(other->thread, span.thread))
          return Meeting{other->thread, span.thread,
                         std::max(other->begin, span.begin)};
    }
    return std::nullopt;
  };
  if (!firstMeeting()) {
    apart.insert(key);
    return std::nullopt;
  }
  // The one at the lowest byte.
  now->sortedSpans();
  return firstMeeting();
}

void PendingSet::insert(const PendingSet &others) {
  if (llvm::includes(sorted, others.sorted))
    return;
  SmallVector<Pending, 0> both;
  both.reserve(sorted.size() + others.sorted.size());
  std::set_union(sorted.begin(), sorted.end(), others.sorted.begin(),
                 others.sorted.end(), std::back_inserter(both));
  sorted = std::move(both);
}

void PendingSet::replace(
    llvm::function_ref<std::optional<Pending>(Pending)> change) {
  size_t count = 0;
  for (const Pending &one : sorted)
    if (std::optional<Pending> now = change(one))
      sorted[count++] = *now;
  sorted.truncate(count);
  if (!llvm::is_sorted(sorted))
    llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
}

void SharedAccesses::waitForBlock(PendingSet &pending, bool hasProducts,
                                  ForCopies forCopies) {
  pending.replace([&](Pending one) -> std::optional<Pending> {
    if (one.stage == Pending::Stage::UnderWay)
      return one;
    if (hasProducts && !one.isFenced && one.access->touch != Touch::Read &&
        one.stage != Pending::Stage::Parted) {
      one.stage = Pending::Stage::Unfenced;
      return one;
    }
    if (forCopies == ForCopies::None ||
        (forCopies == ForCopies::Unfenced && one.isFenced))
      return std::nullopt;
    one.stage = Pending::Stage::Parted;
    return one;
  });
}

bool SharedAccesses::arrive(PendingSet &pending) {
  bool isFirst = true;
  pending.replace([&](Pending one) -> std::optional<Pending> {
    isFirst &= !one.hasArrived;
    if (one.stage != Pending::Stage::UnderWay) {
      one.hasArrived = true;
      one.wasFenced = one.isFenced;
    }
    return one;
  });
  return isFirst;
}

void SharedAccesses::await(PendingSet &pending, bool hasProducts) {
  pending.replace([&](Pending one) -> std::optional<Pending> {
    if (!one.hasArrived)
      return one;
    if (!hasProducts || one.wasFenced || one.access->touch == Touch::Read)
      return std::nullopt;
    one.hasArrived = one.wasFenced = false;
    one.stage = Pending::Stage::Unfenced;
    return one;
  });
}

void SharedAccesses::fence(PendingSet &pending) {
  pending.replace([](Pending one) -> std::optional<Pending> {
    one.isFenced |= one.stage != Pending::Stage::UnderWay;
    return one;
  });
}

void SharedAccesses::waitForWarp(PendingSet &pending) {
  pending.replace([](Pending one) -> std::optional<Pending> {
    if (one.stage == Pending::Stage::Threads)
      one.stage = Pending::Stage::Warps;
    return one;
  });
}

void SharedAccesses::commit(PendingSet &pending, bool products) {
  constexpr uint8_t kMany = 64;
  pending.replace([&](Pending one) -> std::optional<Pending> {
    if (one.stage == Pending::Stage::UnderWay && one.groups < kMany &&
        one.access->isProduct == products)
      ++one.groups;
    return one;
  });
}

void SharedAccesses::waitForGroups(PendingSet &pending, int64_t but,
                                   bool products) {
  pending.replace([&](Pending one) -> std::optional<Pending> {
    if (one.stage == Pending::Stage::UnderWay && one.groups > but &&
        one.access->isProduct == products) {
      one.stage = Pending::Stage::Threads;
      one.groups = 0;
    }
    return one;
  });
}

void SharedAccesses::arriveAt(PendingSet &pending, uint64_t slot,
                              bool isEachThread) {
  pending.replace([&](Pending one) -> std::optional<Pending> {
    bool isKnown =
        one.stage == Pending::Stage::Warps ||
        one.stage == Pending::Stage::Parted ||
        (one.stage == Pending::Stage::Threads &&
         (isEachThread || one.access->isProduct || one.access->isOfWarp));
    if (isKnown)
      one.slots |= slot;
    return one;
  });
}

void SharedAccesses::awaitSlot(PendingSet &pending, uint64_t slot,
                               const ThreadValue *waiting, bool doAllWait) {
  pending.replace([&](Pending one) -> std::optional<Pending> {
    if (!(one.slots & slot))
      return one;
    if (!one.access->isBulk)
      one.freedFor = waiting;
    else if (doAllWait)
      return std::nullopt;
    return one;
  });
}
