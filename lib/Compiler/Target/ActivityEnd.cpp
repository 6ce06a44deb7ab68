//===- ActivityEnd.cpp - How processes end in code of plug-ins ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ActivityState.h"
#include "kiln/System/Process.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <exception>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace kiln::target;
using llvm::StringRef;

/// What begins each text of `changeSince`.
static constexpr char kCloses[] = "closes the standard ";

StandardStreams StandardStreams::now() {
  StandardStreams now = {};
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    struct stat info;
    if (fstat(fd, &info) == 0)
      now.streams[fd] = {info.st_dev, info.st_ino};
  }
  return now;
}

const char *StandardStreams::changeSince(const StandardStreams &before) const {
  static constexpr const char *texts[] = {
      "closes the standard input: expected it to leave descriptor 0 as it was",
      "closes the standard output: expected it to leave descriptor 1 as it was",
      "closes the standard error: expected it to leave descriptor 2 as it was"};
  for (int fd : {STDERR_FILENO, STDOUT_FILENO, STDIN_FILENO})
    if (streams[fd].device != before.streams[fd].device ||
        streams[fd].file != before.streams[fd].file)
      return texts[fd];
  return nullptr;
}

void MessageLine::add(const char *part) {
  for (; *part && size + 1 < sizeof text; ++part)
    text[size++] = *part == '\n' ? ' ' : *part;
  text[size] = 0;
}

void MessageLine::compose(const ActivityEntry &entry, const char *owner,
                          const char *what, const char *input) {
  if (entry.place[0]) {
    add(entry.place);
    add(": ");
  } else if (*input) {
    add(input);
    add(":1:1: ");
  }
  add("error: ");
  add(owner);
  add(" ");
  // "crashes on kernel 'a': Segmentation fault"
  const char *colon = std::strstr(what, ": ");
  char verb[64] = "";
  size_t length = colon ? size_t(colon - what) : std::strlen(what);
  std::memcpy(verb, what, std::min(length, sizeof verb - 1));
  add(verb);
  if (entry.kernels[0]) {
    add(" on ");
    add(entry.kernels);
  }
  if (colon)
    add(colon);
  // There is no stack of what ended the process in an orderly way.
  if (std::strcmp(what, kEndsProcess) == 0 ||
      std::strncmp(what, kCloses, sizeof kCloses - 1) == 0)
    return;
  add(" (");
  add(kStackAdvice.data());
  add(")");
}

void kiln::target::endWith(const ActivityEntry &entry, const char *what) {
  ActivityProcess &all = ActivityProcess::get();
  while (all.isEnding.exchange(true))
    pause();
  MessageLine line;
  line.compose(entry, entry.owner, what, all.input.c_str());
  (all.say ? all.say : all.sayExit)(line.text, line.size);
  if (all.board)
    all.board->end();
  kiln::runtime::killGroups();
  _exit(1);
}

void ActivityProcess::keepErrors() {
  if (errors >= 0)
    close(errors);
  errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

void kiln::target::endAfter(const ActivityEntry &entry, const char *what) {
  // The message has to be seen where there is no standard error any more.
  if (int errors = ActivityProcess::get().errors; errors >= 0)
    (void)dup2(errors, STDERR_FILENO);
  endWith(entry, what);
}

namespace {
void onSignal(int number) {
  // Whatever goes wrong from here on ends as it would have without this.
  std::signal(number, SIG_DFL);
  ActivityThread *own = currentThread;
  if (!own || !own->slot->depth) {
    std::raise(number);
    return;
  }
  MessageLine what;
  what.add("crashes: ");
  const char *name = sigdescr_np(number);
  what.add(name ? name : "a signal");
  endWith(*own->slot->innermost(), what.text);
}

[[noreturn]] void onTerminate() {
  ActivityThread *own = currentThread;
  if (!own || !own->slot->depth)
    std::abort();
  MessageLine what;
  what.add("throws: ");
  try {
    if (std::exception_ptr thrown = std::current_exception())
      std::rethrow_exception(thrown);
    what.add("std::terminate was called");
  } catch (const std::exception &e) {
    what.add(e.what());
  } catch (...) {
    what.add("something that is no std::exception");
  }
  endWith(*own->slot->innermost(), what.text);
}

/// Kills what this process has started and what that has, which would outlive
/// it. Each is stopped first: it starts nothing more, and a shell has no time
/// to report the end of what it waited for.
void killDescendants(pid_t pid, int depth = 0) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task", int(pid));
  DIR *tasks = opendir(path);
  if (!tasks || depth > 8) {
    if (tasks)
      closedir(tasks);
    return;
  }
  while (dirent *task = readdir(tasks)) {
    if (task->d_name[0] == '.')
      continue;
    std::snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", int(pid),
                  task->d_name);
    FILE *file = std::fopen(path, "r");
    int child;
    while (file && std::fscanf(file, "%d", &child) == 1) {
      kill(child, SIGSTOP);
      killDescendants(child, depth + 1);
      kill(child, SIGKILL);
    }
    if (file)
      std::fclose(file);
  }
  closedir(tasks);
}

/// Ends the process when nothing goes on for too long.
void watch() {
  ActivityProcess &all = ActivityProcess::get();
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    double limit = all.limit;
    if (limit <= 0 || activityClock() - all.progress < limit * 1e9)
      continue;
    // The activity that began last is the one that others wait for.
    std::lock_guard<std::mutex> lock(all.mutex);
    ActivityEntry last = {};
    for (ActivityThread *thread : all.threads) {
      std::lock_guard<std::mutex> own(thread->mutex);
      ActivityEntry *entry = thread->slot->innermost();
      if (entry && entry->began > last.began)
        last = *entry;
    }
    if (!last.began)
      continue;
    char what[96];
    std::snprintf(what, sizeof what,
                  "hangs: no end within %g s, as --step-limit says", limit);
    killDescendants(getpid());
    endWith(last, what);
  }
}
} // namespace

void kiln::target::reportLostActivities(StringRef input, LastWordsFn say) {
  ActivityProcess &all = ActivityProcess::get();
  all.input = input.str();
  all.say = all.sayExit = say;
  all.keepErrors();
  all.pid = getpid();
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    sigaction(number, &action, nullptr);
  std::set_terminate(onTerminate);
}

void kiln::target::reportExits(StringRef input, LastWordsFn say) {
  ActivityProcess &all = ActivityProcess::get();
  all.input = input.str();
  all.sayExit = say;
  all.keepErrors();
  all.pid = getpid();
}

void kiln::target::limitSteps(double seconds) {
  ActivityProcess &all = ActivityProcess::get();
  if (!all.say)
    return;
  all.limit = seconds;
  all.progress = activityClock();
  if (seconds <= 0 || std::exchange(all.isWatched, true))
    return;
  std::thread(watch).detach();
}

double kiln::target::defaultStepSeconds() {
  constexpr double kDefault = 600;
  const char *text = std::getenv("KILN_STEP_SECONDS");
  double seconds;
  if (!text || StringRef(text).getAsDouble(seconds) || !(seconds >= 0))
    return kDefault;
  return seconds;
}

std::string kiln::target::activityMessage(const llvm::Twine &what) {
  ActivityThread *own = currentThread;
  if (!own || !own->slot->depth)
    return "";
  MessageLine line;
  const ActivityEntry &entry = *own->slot->innermost();
  line.compose(entry, entry.owner, what.str().c_str(),
               ActivityProcess::get().input.c_str());
  return line.text;
}

//===----------------------------------------------------------------------===//
// What the waiting process sees
//===----------------------------------------------------------------------===//

/// More threads than this are not told apart.
static constexpr size_t kSlots = 128;

struct SharedActivities::Memory {
  std::atomic<bool> isEnded;
  ActivitySlot slots[kSlots];
};

SharedActivities::SharedActivities(int file) : file(file) {
  struct stat info;
  bool fits = file >= 0 && fstat(file, &info) == 0 &&
              size_t(info.st_size) >= sizeof(Memory);
  void *at = fits ? mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE,
                         MAP_SHARED, file, 0)
                  : MAP_FAILED;
  // New memory is zero, which is what all of it begins with.
  memory = at == MAP_FAILED ? nullptr : static_cast<Memory *>(at);
}

SharedActivities::~SharedActivities() {
  if (memory)
    munmap(memory, sizeof(Memory));
  if (file >= 0)
    close(file);
}

std::unique_ptr<SharedActivities> SharedActivities::create() {
  int file = memfd_create("kiln-activities", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, sizeof(Memory)) != 0) {
    close(file);
    file = -1;
  }
  return std::make_unique<SharedActivities>(file);
}

void SharedActivities::use() {
  ActivityProcess &all = ActivityProcess::get();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.board = this;
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr, [] {
      ActivityProcess::get().board = nullptr;
      if (currentThread)
        currentThread->leaveBoard();
    });
  });
  // This thread may have had activities of another process before.
  if (currentThread && !currentThread->slot->depth)
    if (ActivitySlot *slot = take())
      currentThread->slot = slot;
}

ActivitySlot *SharedActivities::take() {
  for (size_t i = 0; memory && i < kSlots; ++i)
    if (!memory->slots[i].isTaken.exchange(true))
      return &memory->slots[i];
  return nullptr;
}

void SharedActivities::end() {
  if (memory)
    memory->isEnded = true;
}

bool SharedActivities::hasEnded() const { return !memory || memory->isEnded; }

bool SharedActivities::isIdle() const {
  return !memory || llvm::none_of(memory->slots, [](const ActivitySlot &slot) {
    return slot.depth != 0;
  });
}

std::string SharedActivities::endMessage(StringRef input,
                                         StringRef signal) const {
  std::vector<const ActivityEntry *> running;
  if (memory)
    for (ActivitySlot &slot : memory->slots)
      if (slot.depth)
        running.push_back(slot.innermost());
  if (running.empty())
    return "";
  // Code of plug-ins is what can end a process, the core's does not.
  auto isForeign = [](const ActivityEntry *entry) {
    return StringRef(entry->owner).contains("plug-in '");
  };
  if (!signal.empty() || llvm::any_of(running, isForeign))
    llvm::erase_if(running,
                   [&](const ActivityEntry *e) { return !isForeign(e); });
  if (running.empty())
    return "";
  std::string owners, what = kEndsProcess;
  if (!signal.empty())
    what = "is ended by a signal: " + signal.str();
  for (const ActivityEntry *entry : running)
    if (!StringRef(owners).contains(entry->owner))
      owners += (owners.empty() ? "" : " or ") + std::string(entry->owner);
  MessageLine line;
  line.compose(*running.front(), owners.c_str(), what.c_str(),
               input.str().c_str());
  return line.text;
}
