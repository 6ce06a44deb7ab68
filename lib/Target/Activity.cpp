//===- Activity.cpp - Whose code a thread runs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Activity.h"
#include "kiln/Target/Report.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <exception>
#include <link.h>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace kiln::target;

std::string kiln::target::describeOwner(StringRef kind, StringRef name,
                                        StringRef plugin) {
  std::string text = (kind + " '" + name + "'").str();
  if (!plugin.empty())
    text += (" of plug-in '" + plugin + "'").str();
  return text;
}

static bool isKernel(Operation *op) {
  return op->getName().getStringRef() == "tile.kernel";
}

/// The kernels in a module, else its public functions: what they become.
static std::vector<Operation *> kernelsIn(Operation *module) {
  std::vector<Operation *> kernels, functions;
  for (Region &region : module->getRegions())
    for (Block &block : region)
      for (Operation &op : block)
        if (isKernel(&op))
          kernels.push_back(&op);
        else if (isa<FunctionOpInterface>(op) &&
                 SymbolTable::getSymbolVisibility(&op) ==
                     SymbolTable::Visibility::Public &&
                 op.getNumRegions() && !op.getRegion(0).empty())
          functions.push_back(&op);
  return kernels.empty() ? functions : kernels;
}

static bool isModule(Operation *op) {
  return op && op->getName().getStringRef() == "builtin.module";
}

std::string kiln::target::placeOf(Operation *op) {
  if (isModule(op))
    for (Operation *kernel : kernelsIn(op))
      if (std::string place = placeOf(kernel); !place.empty())
        return place;
  std::string place = op ? locationString(op->getLoc()) : "";
  return StringRef(place).ends_with(":0:0") ? "" : place;
}

std::string kiln::target::describeKernels(Operation *op) {
  constexpr size_t kShown = 4;
  auto quoted = [](Operation *kernel) {
    auto name = kernel->getAttrOfType<StringAttr>("sym_name");
    return "'" + (name ? name.getValue().str() : std::string()) + "'";
  };
  for (Operation *at = op; at; at = at->getParentOp())
    if (isKernel(at) || isa<FunctionOpInterface>(at))
      return (isKernel(at) ? "kernel " : "function ") + quoted(at);
  if (!isModule(op))
    return "";
  std::vector<Operation *> all = kernelsIn(op);
  if (all.empty())
    return "";
  // A function and what it becomes share a name for a while.
  llvm::SetVector<StringRef> seen;
  llvm::erase_if(all, [&](Operation *op) {
    auto name = op->getAttrOfType<StringAttr>("sym_name");
    return name && !seen.insert(name.getValue());
  });
  size_t shown = std::min(all.size(), kShown);
  std::string text = isKernel(all.front()) ? "kernel" : "function";
  text += all.size() > 1 ? "s " : " ";
  for (size_t i = 0; i < shown; ++i)
    text += (i ? ", " : "") + quoted(all[i]);
  if (size_t more = all.size() - shown)
    text += " and " + std::to_string(more) + " more";
  return text;
}

//===----------------------------------------------------------------------===//
// What threads do
//===----------------------------------------------------------------------===//

namespace {
/// One activity as text, of a size that a signal handler can read.
struct Entry {
  char place[256]; ///< "file:line:column", or nothing
  char owner[256];
  char kernels[256]; ///< "on kernel 'a'"
  int64_t began;
};

constexpr size_t kDeepest = 16;

/// The activities of one thread.
struct ThreadState {
  std::mutex mutex; ///< between the thread and the watchdog
  size_t depth = 0; ///< those beyond kDeepest are only counted
  Entry entries[kDeepest];
  std::unique_ptr<char[]> signalStack;
  ThreadState();
  ~ThreadState();

  Entry *innermost() {
    return depth ? &entries[std::min(depth, kDeepest) - 1] : nullptr;
  }
};

/// What is known of the process.
struct Process {
  std::mutex mutex;
  std::set<ThreadState *> threads;
  std::atomic<int64_t> progress{0}; ///< when anything began or ended
  std::atomic<double> limit{0};
  bool isWatched = false;
  std::string input;
  LastWordsFn say = nullptr;
  std::atomic<bool> isEnding{false};
};
Process &process() {
  static Process *all = new Process;
  return *all;
}

constexpr size_t kSignalStackBytes = 64 << 10;

int64_t now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

template <size_t size> void keep(char (&to)[size], StringRef text) {
  text = text.take_front(size - 1);
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = 0;
}

thread_local ThreadState *current = nullptr;

ThreadState &state() {
  static thread_local ThreadState own;
  return own;
}
} // namespace

ThreadState::ThreadState() {
  Process &all = process();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.threads.insert(this);
  current = this;
  if (!all.say)
    return;
  // A stack that has run out is no place for the handler.
  signalStack = std::make_unique<char[]>(kSignalStackBytes);
  stack_t stack = {};
  stack.ss_sp = signalStack.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
}

ThreadState::~ThreadState() {
  if (signalStack) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  Process &all = process();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.threads.erase(this);
  current = nullptr;
}

void Activity::begin(StringRef owner, Operation *op) {
  std::string place = placeOf(op);
  std::string kernels = describeKernels(op);
  ThreadState &own = state();
  std::lock_guard<std::mutex> lock(own.mutex);
  if (own.depth++ >= kDeepest)
    return;
  Entry &entry = own.entries[own.depth - 1];
  keep(entry.place, place);
  keep(entry.owner, owner);
  keep(entry.kernels, kernels);
  // Inside of a kernel it is known, inside of what holds it the place is.
  if (own.depth > 1) {
    Entry &outer = own.entries[own.depth - 2];
    if (kernels.empty())
      std::memcpy(entry.kernels, outer.kernels, sizeof entry.kernels);
    if (place.empty())
      std::memcpy(entry.place, outer.place, sizeof entry.place);
  }
  entry.began = now();
  process().progress = entry.began;
}

void Activity::end() {
  ThreadState &own = state();
  std::lock_guard<std::mutex> lock(own.mutex);
  if (own.depth)
    --own.depth;
  process().progress = now();
}

unsigned Activity::depth() { return state().depth; }

void Activity::endDownTo(unsigned depth) {
  while (state().depth > depth)
    end();
}

Activity::Activity(StringRef owner, Operation *op) { begin(owner, op); }
Activity::~Activity() { end(); }

LogicalResult
kiln::target::runGuardedActivity(StringRef owner, Operation *op,
                                 llvm::function_ref<LogicalResult()> body) {
  unsigned depth = Activity::depth();
  // The operation may be gone afterwards, its location is not.
  Location loc = op->getLoc();
  std::string what;
  Activity::begin(owner, op);
  try {
    LogicalResult result = body();
    Activity::endDownTo(depth);
    return result;
  } catch (const std::bad_alloc &) {
    Activity::endDownTo(depth);
    throw;
  } catch (const std::exception &e) {
    what = e.what();
  } catch (...) {
    what = "something that is no std::exception";
  }
  // Hooks around passes have not been told of the end: that is who threw.
  Entry thrower = *state().innermost();
  Activity::endDownTo(depth);
  auto [rest, column] = StringRef(thrower.place).rsplit(':');
  auto [file, line] = rest.rsplit(':');
  unsigned lineNumber = 0, columnNumber = 0;
  if (!line.getAsInteger(10, lineNumber) &&
      !column.getAsInteger(10, columnNumber))
    loc = FileLineColLoc::get(loc.getContext(), file, lineNumber, columnNumber);
  return emitError(loc) << thrower.owner << " throws"
                        << (thrower.kernels[0] ? " on " : "") << thrower.kernels
                        << ": " << what << " (" << kStackAdvice << ")";
}

/// The file that an address is loaded from; empty in the program itself. Unlike
/// dladdr this does not go through all symbols of the file, which takes longer
/// than most passes.
static std::string fileOfCode(const void *address) {
  struct Search {
    uintptr_t address;
    std::string file;
  } search = {reinterpret_cast<uintptr_t>(address), ""};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *opaque) {
        auto *search = static_cast<Search *>(opaque);
        for (size_t i = 0; i < info->dlpi_phnum; ++i) {
          const auto &segment = info->dlpi_phdr[i];
          uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || search->address < begin ||
              search->address - begin >= segment.p_memsz)
            continue;
          search->file = info->dlpi_name;
          return 1;
        }
        return 0;
      },
      &search);
  return search.file;
}

std::string kiln::target::pluginOfCode(const void *address) {
  std::string file = fileOfCode(address);
  if (file.empty())
    return "";
  for (const PluginInfo &plugin : TargetRegistry::get().plugins())
    if (!plugin.path.empty() &&
        (plugin.path == file || llvm::sys::path::filename(plugin.path) ==
                                    llvm::sys::path::filename(file)))
      return plugin.name;
  return "";
}

//===----------------------------------------------------------------------===//
// How they end
//===----------------------------------------------------------------------===//

namespace {
/// Puts a message together without memory from the heap.
struct Line {
  char text[1536];
  size_t size = 0;
  void add(const char *part) {
    for (; *part && size + 1 < sizeof text; ++part)
      text[size++] = *part == '\n' ? ' ' : *part;
    text[size] = 0;
  }
};

void compose(Line &line, const Entry &entry, const char *what) {
  if (entry.place[0]) {
    line.add(entry.place);
    line.add(": ");
  } else if (!process().input.empty()) {
    line.add(process().input.c_str());
    line.add(":1:1: ");
  }
  line.add("error: ");
  line.add(entry.owner);
  line.add(" ");
  // "crashes on kernel 'a': Segmentation fault"
  const char *colon = std::strstr(what, ": ");
  char verb[64] = "";
  size_t length = colon ? size_t(colon - what) : std::strlen(what);
  std::memcpy(verb, what, std::min(length, sizeof verb - 1));
  line.add(verb);
  if (entry.kernels[0]) {
    line.add(" on ");
    line.add(entry.kernels);
  }
  if (colon)
    line.add(colon);
  line.add(" (");
  line.add(kStackAdvice.data());
  line.add(")");
}

/// Ends the process with a message, once.
[[noreturn]] void endWith(const Entry &entry, const char *what) {
  while (process().isEnding.exchange(true))
    pause();
  Line line;
  compose(line, entry, what);
  process().say(line.text, line.size);
  _exit(1);
}

void onSignal(int number) {
  // Whatever goes wrong from here on ends as it would have without this.
  std::signal(number, SIG_DFL);
  ThreadState *own = current;
  if (!own || !own->depth) {
    std::raise(number);
    return;
  }
  Line what;
  what.add("crashes: ");
  const char *name = sigdescr_np(number);
  what.add(name ? name : "a signal");
  endWith(*own->innermost(), what.text);
}

[[noreturn]] void onTerminate() {
  ThreadState *own = current;
  if (!own || !own->depth)
    std::abort();
  Line what;
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
  endWith(*own->innermost(), what.text);
}

/// What this process has started and what that has, which would outlive it.
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
  Process &all = process();
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    double limit = all.limit;
    if (limit <= 0 || now() - all.progress < limit * 1e9)
      continue;
    // The activity that began last is the one that others wait for.
    std::lock_guard<std::mutex> lock(all.mutex);
    Entry last = {};
    for (ThreadState *thread : all.threads) {
      std::lock_guard<std::mutex> own(thread->mutex);
      Entry *entry = thread->innermost();
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
  Process &all = process();
  all.input = input.str();
  all.say = say;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    sigaction(number, &action, nullptr);
  std::set_terminate(onTerminate);
}

void kiln::target::limitSteps(double seconds) {
  Process &all = process();
  if (!all.say)
    return;
  all.limit = seconds;
  all.progress = now();
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

std::string kiln::target::activityMessage(const Twine &what) {
  ThreadState *own = current;
  if (!own || !own->depth)
    return "";
  Line line;
  compose(line, *own->innermost(), what.str().c_str());
  return line.text;
}
