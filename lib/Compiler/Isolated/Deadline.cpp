//===- Deadline.cpp - When a wait for a program ends ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Deadline.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <string>
#include <unistd.h>

using namespace kiln;
using namespace kiln::isolated;

/// How many times its limit a program that gets no processor may take.
static constexpr double kMostLate = 20;
/// How many threads of a program are looked at.
static constexpr size_t kMostThreads = 1024;
/// The part of a limit, and the seconds, after which a wait first looks at the
/// threads. Most waits are over before: a look reads all of /proc.
static constexpr double kFirstLook = 0.05, kLatestFirstLook = 2;

std::optional<Deadline::Turns> Deadline::turnsOf(const std::string &thread) {
  // Nanoseconds of both, and the number of turns.
  auto file = llvm::MemoryBuffer::getFileAsStream(thread + "/schedstat");
  if (!file)
    return std::nullopt;
  auto [ran, rest] = (*file)->getBuffer().split(' ');
  uint64_t own, others;
  if (ran.getAsInteger(10, own) ||
      rest.split(' ').first.getAsInteger(10, others))
    return std::nullopt;
  return Turns{double(own) * 1e-9, double(others) * 1e-9};
}

/// Whether a thread waits for a processor, or has one.
static bool isReady(const std::string &thread) {
  auto file = llvm::MemoryBuffer::getFileAsStream(thread + "/stat");
  // The state stands behind the name, which may hold anything.
  return file && (*file)->getBuffer().rsplit(')').second.starts_with(" R");
}

/// Calls `use` for each entry of a folder that is a number. Entries may vanish
/// meanwhile.
static void
forEachNumber(const std::string &folder,
              llvm::function_ref<void(pid_t, const std::string &)> use) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error)) {
    pid_t number;
    if (!llvm::sys::path::filename(at->path()).getAsInteger(10, number))
      use(number, at->path());
  }
}

/// The turns of the threads of a group's processes, of kMostThreads at most.
/// `oneIsReady`, if any, gets whether one of them is.
Deadline::ThreadTurns Deadline::turnsOfGroup(pid_t group, bool *oneIsReady) {
  ThreadTurns all;
  forEachNumber("/proc", [&](pid_t pid, const std::string &process) {
    if (getpgid(pid) != group || all.size() >= kMostThreads)
      return;
    forEachNumber(process + "/task", [&](pid_t id, const std::string &thread) {
      if (all.size() >= kMostThreads)
        return;
      if (std::optional<Turns> its = turnsOf(thread))
        all[id] = *its;
      if (oneIsReady && !*oneIsReady)
        *oneIsReady = isReady(thread);
    });
  });
  return all;
}

bool Deadline::isOver() {
  double now = passed();
  if (!before && now > std::min(kFirstLook * seconds, kLatestFirstLook))
    before = turnsOfGroup(group, nullptr);
  return now > seconds && (now > kMostLate * seconds || !isStarved(now));
}

bool Deadline::isStarved(double now) const {
  bool oneIsReady = false;
  Turns since;
  for (auto [thread, its] : turnsOfGroup(group, &oneIsReady)) {
    Turns old = before ? before->lookup(thread) : its;
    since.ran += its.ran - old.ran;
    since.waited += its.waited - old.waited;
  }
  return now < seconds + since.waited || (oneIsReady && since.ran < seconds);
}
