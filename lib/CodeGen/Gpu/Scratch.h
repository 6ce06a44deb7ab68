//===- Scratch.h - Who still uses the memory of the block -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations borrow memory of the block to exchange elements. Each writes,
// waits and reads; the next one has to wait until everybody has read, unless it
// takes other bytes. This keeps the books: what has been borrowed since the
// last barrier, and where the next borrower has to wait.
//
// A loop is gone through once. What an iteration borrows before its first
// barrier meets what the one before still uses at its end: a barrier at the end
// of the body parts the two.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_SCRATCH_H
#define KILN_LIB_GPU_SCRATCH_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>

namespace kiln::simt {

class Scratch {
public:
  /// Bytes that an operation has borrowed. If every warp has a part of its own,
  /// of so many bytes, only the warp waits.
  struct Use {
    int64_t begin, end;
    int64_t warpBytes = 0;
    bool isWritten = false; ///< not read yet, as far as is known

    bool operator==(const Use &other) const {
      return begin == other.begin && end == other.end &&
             warpBytes == other.warpBytes && isWritten == other.isWritten;
    }
    bool overlaps(const Use &other) const {
      return begin < other.end && other.begin < end;
    }
    /// Whether a warp meets only its own accesses in both.
    bool isAlike(const Use &other) const {
      return warpBytes && begin == other.begin && warpBytes == other.warpBytes;
    }
  };
  enum class Wait { None, Warp, Block };

  /// Where `bytes` can be borrowed, and for whom to wait first; memory beyond
  /// what is in use is taken up to `most` in all.
  int64_t find(int64_t bytes, int64_t warpBytes, int64_t most, Wait &wait) {
    constexpr int64_t kAlignment = 16;
    auto waitAt = [&](int64_t begin) {
      return waitFor({begin, begin + bytes, warpBytes}, uses);
    };
    llvm::SmallVector<int64_t> starts = {0};
    for (const Use &use : uses)
      starts.push_back(llvm::alignTo(use.end, kAlignment));
    std::sort(starts.begin(), starts.end());
    for (int64_t begin : starts)
      if (begin + bytes <= std::max(most, size) &&
          waitAt(begin) == Wait::None) {
        wait = Wait::None;
        return begin;
      }
    wait = waitAt(0);
    return 0;
  }

  void borrow(int64_t begin, int64_t bytes, int64_t warpBytes) {
    size = std::max(size, begin + bytes);
    Use use = {begin, begin + bytes, warpBytes, /*isWritten=*/true};
    uses.push_back(use);
    if (!hasWaited)
      early.push_back(use);
  }

  /// The block has waited.
  void waitedForBlock() {
    llvm::erase_if(uses, [](const Use &use) { return !use.isWritten; });
    for (Use &use : uses)
      use.isWritten = false;
    hasWaited = true;
  }
  /// The warp has: what it wrote is read next.
  void waitedForWarp() {
    for (Use &use : uses)
      if (use.warpBytes)
        use.isWritten = false;
  }

  /// For whom the end of a loop's body has to wait.
  Wait atEndOfBody() const {
    Wait wait = Wait::None;
    for (const Use &use : early)
      wait = std::max(wait, waitFor(use, uses));
    return wait;
  }

  /// Begins the body of a loop, or goes on after it from what was before.
  void enterBody() {
    early.clear();
    hasWaited = false;
  }
  void leaveBody(const Scratch &before) {
    Scratch inside = *this;
    *this = before;
    size = std::max(size, inside.size);
    add(uses, inside.uses);
    if (!hasWaited)
      add(early, inside.early);
  }
  /// After one of two ways, of which the other one led to `other`; both began
  /// alike.
  void join(const Scratch &other) {
    size = std::max(size, other.size);
    add(uses, other.uses);
    add(early, other.early);
    hasWaited &= other.hasWaited;
  }

  int64_t size = 0; ///< bytes that were ever borrowed at once

private:
  static void add(llvm::SmallVectorImpl<Use> &to, llvm::ArrayRef<Use> more) {
    for (const Use &use : more)
      if (!llvm::is_contained(to, use))
        to.push_back(use);
  }
  static Wait waitFor(const Use &use, llvm::ArrayRef<Use> others) {
    Wait wait = Wait::None;
    for (const Use &other : others)
      if (use.overlaps(other))
        wait = std::max(wait, use.isAlike(other) ? Wait::Warp : Wait::Block);
    return wait;
  }

  llvm::SmallVector<Use> uses;  ///< since the last barrier
  llvm::SmallVector<Use> early; ///< of this body, before its first barrier
  bool hasWaited = false;       ///< in this body
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SCRATCH_H
