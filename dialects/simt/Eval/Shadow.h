// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads of a block touched each byte of a memory, and whether barriers
// order them. Private to this folder.
#ifndef KILN_DIALECTS_SIMT_EVAL_SHADOW_H
#define KILN_DIALECTS_SIMT_EVAL_SHADOW_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace kiln::eval {

/// A bit for each lane of a warp.
using LaneMask = uint64_t;
inline constexpr int64_t kMostLanes = 8 * sizeof(LaneMask);
/// A bit for each warp of a block.
using WarpMask = uint32_t;
inline constexpr int64_t kMostWarps = 8 * sizeof(WarpMask);
/// The first so many lanes, at least one.
inline LaneMask firstLanes(int64_t count) {
  return ~LaneMask(0) >> (kMostLanes - count);
}

/// A thread at a moment. Barriers of the block have phases that are counted: a
/// thread arrives in a phase and passes it, at once or by two operations.
struct Moment {
  uint32_t warp = 0, lane = 0;
  uint32_t blockEpoch = 1, warpEpoch = 1; ///< phases arrived in, of each kind
  uint32_t passed = 1;                    ///< phases of the block passed
};

/// The accesses to a byte since the last barrier that ordered them. Of two
/// warps one may have arrived in one phase more than the other, no more.
struct Touch {
  LaneMask lanes = 0;      ///< of the warp, where it is one alone
  uint32_t warps = 0;      ///< a bit each
  uint32_t blockEpoch = 0; ///< the latest one; 0: no access
  uint32_t warpEpoch = 0;
  uint32_t warpsBefore = 0; ///< with accesses one phase before `blockEpoch`
  uint32_t op = 0;          ///< the number of the latest operation

  bool isNone() const { return blockEpoch == 0; }
  /// Whether all accesses by other warps happen before what a thread does now.
  bool areOthersBefore(const Moment &now) const {
    uint32_t own = uint32_t(1) << now.warp;
    return warps == own && (!(warpsBefore & ~own) || blockEpoch <= now.passed);
  }
  /// Whether all of these accesses happen before what a thread does now.
  bool isBefore(const Moment &now) const {
    if (blockEpoch < now.passed)
      return true;
    return areOthersBefore(now) &&
           (warpEpoch < now.warpEpoch || lanes == LaneMask(1) << now.lane);
  }
  /// The same for all lanes of the warp together.
  bool isBeforeWarp(const Moment &now) const {
    return blockEpoch < now.passed ||
           (areOthersBefore(now) && warpEpoch < now.warpEpoch);
  }
  /// Adds an access.
  void add(const Moment &now, uint32_t by) {
    uint32_t warp = uint32_t(1) << now.warp;
    if (now.blockEpoch < blockEpoch) {
      if (now.blockEpoch + 1 == blockEpoch)
        warpsBefore |= warp;
      return;
    }
    if (now.blockEpoch > blockEpoch) {
      warpsBefore = now.blockEpoch == blockEpoch + 1 ? warps : 0;
      lanes = 0;
      warps = 0;
    } else if (warps == warp && warpEpoch != now.warpEpoch) {
      lanes = 0;
      warps = 0;
    }
    lanes |= LaneMask(1) << now.lane;
    warps |= warp;
    blockEpoch = now.blockEpoch;
    warpEpoch = now.warpEpoch;
    op = by;
  }
};

/// What is known of one byte.
struct ByteState {
  Touch write, read;
  uint32_t fences = 0;        ///< proxy fences of the writer before its write
  uint32_t copy = 0;          ///< the copy in flight that writes it, plus one
  uint16_t products = 0;      ///< products in flight that read it
  bool isAtomic = false;      ///< `write` are atomic accesses
  bool isReadPlainly = false; ///< not all of `read` are volatile
  /// Of the barrier of a slot that counts the bytes of a bulk copy, the phase
  /// in which it wrote this one, plus one; 0: what wrote it is no bulk copy.
  uint32_t phase = 0;
  uint32_t slot = 0; ///< the number of that barrier
};

/// The states of the bytes of a memory, made where they are first touched.
class Shadow {
public:
  ByteState &at(int64_t byte) {
    if (byte >> kPageBits != current) {
      current = byte >> kPageBits;
      auto &found = pages[current];
      if (!found)
        found = std::make_unique<Page>();
      page = found.get();
    }
    return page->states[byte & (kPageBytes - 1)];
  }

private:
  static constexpr int kPageBits = 10;
  static constexpr int64_t kPageBytes = int64_t(1) << kPageBits;
  struct Page {
    ByteState states[kPageBytes];
  };
  std::unordered_map<int64_t, std::unique_ptr<Page>> pages;
  int64_t current = -1;
  Page *page = nullptr;
};

} // namespace kiln::eval

#endif // KILN_DIALECTS_SIMT_EVAL_SHADOW_H
