//===- Activity.cpp - Whose code a thread runs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ActivityState.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <link.h>
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

thread_local ActivityThread *kiln::target::currentThread = nullptr;

static constexpr size_t kSignalStackBytes = 64 << 10;

ActivityProcess &ActivityProcess::get() {
  static ActivityProcess *all = new ActivityProcess;
  return *all;
}

int64_t kiln::target::activityClock() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

template <size_t size> static void keep(char (&to)[size], StringRef text) {
  text = text.take_front(size - 1);
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = 0;
}

static ActivityThread &state() {
  static thread_local ActivityThread own;
  return own;
}

ActivityThread::ActivityThread() {
  ActivityProcess &all = ActivityProcess::get();
  std::lock_guard<std::mutex> lock(all.mutex);
  slot = all.board ? all.board->take() : nullptr;
  if (!slot)
    slot = &own;
  all.threads.insert(this);
  currentThread = this;
  if (!all.say)
    return;
  // A stack that has run out is no place for the handler.
  signalStack = std::make_unique<char[]>(kSignalStackBytes);
  stack_t stack = {};
  stack.ss_sp = signalStack.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
}

ActivityThread::~ActivityThread() {
  ActivityProcess &all = ActivityProcess::get();
  // A thread that is done has no activity: its code has called exit, which
  // destroys what belongs to the thread first, or pthread_exit.
  if (slot->depth && all.sayExit && all.pid == getpid())
    endWith(*slot->innermost(), kEndsProcess);
  if (signalStack) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  std::lock_guard<std::mutex> lock(all.mutex);
  all.threads.erase(this);
  currentThread = nullptr;
  slot->isTaken = false;
}

void ActivityThread::leaveBoard() {
  if (slot == &own)
    return;
  own.depth = slot->depth;
  std::memcpy(own.entries, slot->entries, sizeof own.entries);
  slot = &own;
}

/// Whether an activity is code of a plug-in.
static bool isForeign(const ActivityEntry &entry) {
  return StringRef(entry.owner).contains(" of plug-in '");
}

void Activity::begin(StringRef owner, Operation *op) {
  std::string place = placeOf(op);
  std::string kernels = describeKernels(op);
  ActivityThread &thread = state();
  std::lock_guard<std::mutex> lock(thread.mutex);
  ActivitySlot &own = *thread.slot;
  if (own.depth++ >= kDeepestActivity)
    return;
  ActivityEntry &entry = own.entries[own.depth - 1];
  keep(entry.place, place);
  keep(entry.owner, owner);
  keep(entry.kernels, kernels);
  // Inside of a kernel it is known, inside of what holds it the place is.
  if (own.depth > 1) {
    ActivityEntry &outer = own.entries[own.depth - 2];
    if (kernels.empty())
      std::memcpy(entry.kernels, outer.kernels, sizeof entry.kernels);
    if (place.empty())
      std::memcpy(entry.place, outer.place, sizeof entry.place);
  }
  if (isForeign(entry))
    thread.streams[own.depth - 1] = StandardStreams::now();
  entry.began = activityClock();
  ActivityProcess::get().progress = entry.began;
}

void Activity::end() {
  ActivityThread &thread = state();
  ActivityProcess &all = ActivityProcess::get();
  std::lock_guard<std::mutex> lock(thread.mutex);
  size_t depth = thread.slot->depth;
  if (depth && depth <= kDeepestActivity && (all.say || all.sayExit) &&
      all.pid == getpid() && isForeign(thread.slot->entries[depth - 1]))
    // What is written from now on would be lost, or end in another file.
    if (const char *change =
            StandardStreams::now().changeSince(thread.streams[depth - 1]))
      endAfter(thread.slot->entries[depth - 1], change);
  if (depth)
    --thread.slot->depth;
  all.progress = activityClock();
}

unsigned Activity::depth() { return state().slot->depth; }

void Activity::endDownTo(unsigned depth) {
  while (state().slot->depth > depth)
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
  ActivityEntry thrower = *state().slot->innermost();
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
