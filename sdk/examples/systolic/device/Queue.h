// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of transfers between memory and the scratchpad.
#ifndef SYSTOLIC_QUEUE_H
#define SYSTOLIC_QUEUE_H

#include "Machine.h"
#include <deque>

namespace systolic {

/// A box of a view, and where it lies in the scratchpad.
struct Transfer {
  struct Dim {
    int64_t first, count;
    int64_t stride; ///< bytes in the scratchpad
  };
  bool isIn = true;
  const Argument *argument = nullptr;
  int64_t elementBytes = 0, address = 0;
  uint64_t padding = 0; ///< what is read outside of the view
  std::vector<Dim> dims;
  // Set by the queue.
  int64_t tag = 0, end = 0, bytes = 0;
};

/// Transfers one after the other. Each has its effect when it is waited for.
class Queue {
public:
  explicit Queue(std::vector<char> &pad) : pad(pad) {}

  /// Gives the tag of the transfer, which begins when the one before has ended.
  int64_t add(Transfer transfer, int64_t now);
  /// Ends all transfers up to a tag; gives the time when they have.
  int64_t wait(int64_t tag, int64_t now);
  bool isBusy() const { return !waiting.empty(); }
  /// Whether a transfer that nobody has waited for writes these bytes, or, if
  /// they shall be written, reads them.
  bool touches(int64_t address, int64_t bytes, bool isWrite) const;
  /// The oldest transfer that is under way.
  std::string describe() const;
  /// Cycles in which it was at work.
  int64_t worked() const { return busy; }

private:
  void perform(const Transfer &transfer);

  std::vector<char> &pad;
  std::deque<Transfer> waiting;
  int64_t lastTag = 0, free = 0, busy = 0;
};

} // namespace systolic

#endif
