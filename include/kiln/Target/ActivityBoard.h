//===- ActivityBoard.h - What another process runs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_ACTIVITYBOARD_H
#define KILN_TARGET_ACTIVITYBOARD_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace kiln::target {

struct ActivitySlot;

/// The activities of a process in memory that the process which waits for it
/// reads, too. That one learns so whose code has ended the other: code that
/// calls `_exit` leaves no chance to say anything. The waiting process creates
/// it and passes the descriptor on, or forks; the other one uses it.
class SharedActivities {
public:
  static std::unique_ptr<SharedActivities> create();
  /// Takes the descriptor over; -1: nothing is shared.
  explicit SharedActivities(int file);
  ~SharedActivities();
  SharedActivities(const SharedActivities &) = delete;

  int descriptor() const { return file; }

  // In the process that works.
  /// Keeps the activities of threads that begin their first from here on.
  void use();
  /// Says that the process is about to end because it is done, or has said why.
  void end();
  /// Whether no thread has an activity.
  bool isIdle() const;
  /// Room for one thread; null: there is none left.
  ActivitySlot *take();

  // In the process that waits, after the end of the other.
  /// Whether it ended by itself; true where nothing is shared.
  bool hasEnded() const;
  /// The error that names whose code ended it; empty if none was running.
  /// `signal` is what a signal that ended it is called: others may have sent
  /// it, so that only code of plug-ins is named then.
  std::string endMessage(llvm::StringRef input,
                         llvm::StringRef signal = "") const;

private:
  struct Memory;
  int file;
  Memory *memory = nullptr;
};

} // namespace kiln::target

#endif // KILN_TARGET_ACTIVITYBOARD_H
