//===- PluginLoader.cpp - Loading plug-ins without being hurt by them -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of events: the ELF note is read from the file; a child process loads
// and registers every plug-in and checks what came out of it; only what
// survived there is loaded and registered here. The compiler's own plug-ins by
// themselves need no child. Compilations read the
// registries without a lock; loading waits until none is under way.
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/PluginLoader.h"
#include "RegistryImpl.h"
#include "kiln-c/TargetPlugin.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/System/Process.h"
#include "kiln/Target/Activity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace kiln::target;
using llvm::StringRef;

namespace {
/// Bytes of what plug-ins print that are kept.
constexpr int64_t kMostPrinted = 65536;

/// What the child says about one plug-in.
struct Verdict {
  bool ok = false;
  std::string error;
};

/// Starts a child that tries the plug-ins and writes to `out`: a fork, or the
/// helper program where other threads make that unsafe. What the plug-ins
/// print goes to `printed`. -1: neither works.
pid_t startTrial(llvm::ArrayRef<std::string> paths, int out, int printed) {
  if (kiln::runtime::isForkSafe()) {
    pid_t child = fork();
    if (child == 0) {
      kiln::runtime::declareOwnProcess();
      runTrial(paths, out, printed);
    }
    return child;
  }
  std::vector<std::string> args = {"try"};
  args.insert(args.end(), paths.begin(), paths.end());
  auto child =
      kiln::runtime::startProgram(compileWorker(), args, {out, printed});
  return child ? *child : -1;
}

/// A file in memory for what plug-ins print, which cannot grow: who prints
/// without end finds it full.
int makePrinted() {
  int printed = memfd_create("kiln-trial", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (printed >= 0 && (ftruncate(printed, kMostPrinted) ||
                       fcntl(printed, F_ADD_SEALS, F_SEAL_GROW))) {
    close(printed);
    printed = -1;
  }
  return printed;
}

/// "; it printed: ..." with the last line in `printed`, or nothing.
std::string quotePrinted(int printed) {
  std::string text(kMostPrinted, '\0');
  ssize_t size = printed < 0 ? 0 : pread(printed, text.data(), text.size(), 0);
  StringRef last =
      StringRef(text).take_front(size_t(std::max<ssize_t>(size, 0)));
  last = last.rtrim(StringRef("\0\n\r\t ", 5));
  last = last.substr(last.rfind('\n') + 1).ltrim().take_front(240);
  std::string quoted = last.empty() ? "" : "; it printed: ";
  for (char c : last)
    quoted += llvm::isPrint(c) ? c : '?';
  return quoted;
}

/// Reads what a trial writes, to its end; false when one plug-in takes too
/// long. The child cannot watch itself: its signals are the plug-in's, too.
bool readVerdicts(int fd, std::string &text) {
  bool isAtEnd = false;
  while (!isAtEnd) {
    isAtEnd = true;
    bool isInTime = kiln::runtime::readUntilEnd(
        fd, kiln::runtime::trialSeconds(), [&](const char *bytes, size_t n) {
          text.append(bytes, n);
          isAtEnd = text.back() != '\n';
          return isAtEnd;
        });
    if (!isInTime)
      return false;
  }
  return true;
}

/// Tries the plug-ins in child processes, each child going on until the first
/// failure.
std::vector<Verdict> tryPlugins(llvm::ArrayRef<std::string> paths) {
  std::vector<Verdict> verdicts;
  std::vector<std::string> good;
  while (verdicts.size() < paths.size()) {
    size_t base = good.size();
    std::vector<std::string> batch = good;
    batch.insert(batch.end(), paths.begin() + verdicts.size(), paths.end());
    size_t first = verdicts.size();
    int ends[2];
    pid_t child = -1;
    int printed = makePrinted();
    llvm::scope_exit closePrinted([&] { close(printed); });
    if (pipe2(ends, O_CLOEXEC) == 0) {
      child = startTrial(batch, ends[1], printed);
      close(ends[1]);
      if (child < 0)
        close(ends[0]);
    }
    if (child < 0) {
      // Without a child we still load; what is checked before stays checked.
      verdicts.resize(paths.size(), Verdict{true, ""});
      break;
    }
    std::string text;
    bool isInTime = readVerdicts(ends[0], text);
    close(ends[0]);
    if (!isInTime)
      kill(child, SIGKILL);
    kiln::runtime::Ending ending = kiln::runtime::awaitEnd(child);
    llvm::SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    bool isUnfinished = lines.size() < batch.size() &&
                        (lines.empty() || lines.back().starts_with("+"));
    for (auto [index, line] : llvm::enumerate(lines)) {
      if (index < base)
        continue;
      bool ok = line.consume_front("+");
      line.consume_front("-");
      verdicts.push_back({ok, line.str()});
    }
    if (isUnfinished) {
      // It died while working on the next one.
      const std::string &path = paths[verdicts.size()];
      std::string how = "ends the process with " + ending.describe();
      if (!isInTime)
        how = "does not come to an end within " +
              std::to_string(kiln::runtime::trialSeconds()) +
              " s (KILN_TRIAL_SECONDS)";
      else if (ending.signal)
        how = "crashes: " + ending.describe();
      verdicts.push_back(
          {false, path + ": registration " + how + quotePrinted(printed)});
    }
    for (size_t i = first; i < verdicts.size(); ++i)
      if (verdicts[i].ok)
        good.push_back(paths[i]);
  }
  return verdicts;
}

/// Whether a plug-in was built and tested with the compiler.
bool isOwn(const std::string &path) {
  auto mark = kiln::runtime::definesSymbol(path, kOwnPluginSymbol);
  return mark && *mark;
}

/// Whether loading a plug-in runs no code that the compiler does not know.
bool isHarmless(const std::string &path) {
  return isProgramFile(path) || isOwn(path);
}

/// Why a program that was named cannot be used; empty for others.
std::string checkProgram(const std::string &path) {
  TargetRegistry &registry = TargetRegistry::get();
  if (!isProgramFile(path))
    return "";
  for (const PluginInfo &plugin : registry.impl().plugins)
    if (plugin.path == path)
      for (const Target *target : registry.targets())
        if (pluginOf(*target) == plugin.name) {
          std::string why = whyUnusable(registry, *target);
          if (why.empty())
            why = checkContributions(registry, plugin.name);
          bool hasPath = why.empty() || StringRef(why).starts_with(path);
          return hasPath ? why : path + ": " + why;
        }
  return "";
}

/// Loads a plug-in. It may do here what it did not do when it was tried.
bool loadGuarded(const std::string &path, std::string &error) {
  Activity activity("registration of plug-in '" + path + "'", nullptr);
  return loadHere(path, error);
}

/// Loads plug-ins that were found or named; `report` gets what is wrong.
void loadAll(llvm::ArrayRef<std::string> paths,
             llvm::function_ref<void(size_t, StringRef)> report) {
  std::vector<std::string> fit;
  std::vector<size_t> index;
  for (auto [i, path] : llvm::enumerate(paths)) {
    std::string error =
        isDescriptionFile(path) || isProgramFile(path) ? "" : checkNote(path);
    if (!error.empty()) {
      report(i, error);
      continue;
    }
    fit.push_back(path);
    index.push_back(i);
  }
  std::vector<Verdict> verdicts =
      llvm::all_of(fit, isHarmless)
          ? std::vector<Verdict>(fit.size(), Verdict{true, ""})
          : tryPlugins(fit);
  std::vector<std::pair<size_t, PluginInfo>> loaded;
  for (size_t i = 0; i < fit.size(); ++i) {
    std::string error = verdicts[i].error;
    if (verdicts[i].ok && loadGuarded(fit[i], error))
      loaded.emplace_back(index[i],
                          TargetRegistry::get().impl().plugins.back());
    if (!error.empty())
      report(index[i], error);
  }
  // Those that come later may be what earlier ones refer to.
  for (const auto &[i, plugin] : loaded)
    if (isProgramFile(plugin.path))
      continue; // refers to nothing, and is not started for this
    // Descriptions that were tested with the compiler would be a fifth of its
    // start.
    else if (std::string error =
                 checkReferences(TargetRegistry::get(), plugin.name,
                                 /*checksDescriptions=*/!isOwn(plugin.path));
             !error.empty())
      report(i, plugin.path + ": " + error);
}

/// Whether a library is a device driver and no target: that is the runtime's.
bool isDriverOnly(const std::string &path) {
  auto target = kiln::runtime::definesSymbol(path, KILN_TARGET_ENTRY_POINT);
  auto driver = kiln::runtime::definesSymbol(path, "kilnGetDeviceDriver");
  return target && driver && !*target && *driver;
}

/// dlopen searches the system for a name without a slash; we mean a file.
std::string asFile(StringRef path) {
  return path.contains('/') ? path.str() : ("./" + path).str();
}

/// What is loaded, and who relies on it.
struct Loading {
  /// Taken before `users`, so that whoever wants to load comes to it although
  /// compilations follow each other.
  std::mutex gate;
  /// Shared by compilations; one thread at a time loads.
  std::shared_mutex users;
  /// Of the following.
  std::mutex state;
  bool searched = false;
  std::vector<std::string> named, refused;
  /// Named programs that have not answered yet, or that cannot be used.
  std::vector<std::string> unasked;

  static Loading &get() {
    // Never destroyed: threads may still compile when the process ends.
    static Loading *loading = new Loading;
    return *loading;
  }
  /// Whether there is nothing to load for `wanted`, and nothing to ask.
  bool has(const std::vector<std::string> &wanted, NamedPrograms programs) {
    std::lock_guard<std::mutex> lock(state);
    return searched && llvm::all_of(wanted, [&](const std::string &name) {
             std::string path = asFile(name);
             return llvm::is_contained(named, path) &&
                    (programs == NamedPrograms::Start ||
                     !llvm::is_contained(unasked, path));
           });
  }
  /// A plug-in that was named is loaded. `state` is locked.
  void addNamed(const std::string &path) {
    named.push_back(path);
    if (isProgramFile(path))
      unasked.push_back(path);
  }
  /// Says what a program answered. `state` is locked.
  void setUsable(const std::string &path, bool isUsable) {
    llvm::erase(isUsable ? unasked : named, path);
    if (!isUsable && !llvm::is_contained(refused, path))
      refused.push_back(path);
  }
};

/// Waits until nobody compiles, and keeps it so.
struct LoadingScope {
  LoadingScope() : gate(Loading::get().gate), users(Loading::get().users) {}
  std::lock_guard<std::mutex> gate;
  std::unique_lock<std::shared_mutex> users;
};
} // namespace

LoadedScope::LoadedScope() {
  std::lock_guard<std::mutex> gate(Loading::get().gate);
  Loading::get().users.lock_shared();
}
LoadedScope::~LoadedScope() { Loading::get().users.unlock_shared(); }

std::vector<std::string> kiln::target::refusedPlugins() {
  std::lock_guard<std::mutex> lock(Loading::get().state);
  return Loading::get().refused;
}

std::vector<std::string> kiln::target::namedPlugins() {
  std::lock_guard<std::mutex> lock(Loading::get().state);
  return Loading::get().named;
}

std::string kiln::target::compileWorker() {
  static const char anchor = 0;
  return kiln::runtime::helperProgram(&anchor, "kiln-compile-worker",
                                      "KILN_COMPILE_WORKER");
}

bool kiln::target::isOwnPlugin(StringRef name) {
  if (name.empty())
    return true;
  // Lowerings ask for every operation.
  static std::mutex mutex;
  static llvm::StringMap<bool> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace(name, false);
  if (isNew)
    for (const PluginInfo &plugin : TargetRegistry::get().impl().plugins)
      if (plugin.name == name)
        entry->second = isDescriptionFile(plugin.path) || isOwn(plugin.path);
  return entry->second;
}

bool kiln::target::loadPlugin(StringRef path, std::string &error) {
  LoadingScope scope;
  error.clear();
  loadAll({asFile(path)}, [&](size_t, StringRef why) { error = why.str(); });
  if (!error.empty())
    return false;
  Loading &loading = Loading::get();
  {
    std::lock_guard<std::mutex> lock(loading.state);
    loading.addNamed(asFile(path));
  }
  return checkNamedPrograms({path.str()}, [&](StringRef why) {
    why.consume_front("error: ");
    error = why.str();
  });
}

std::vector<std::string> kiln::target::pluginSearchPath() {
  return kiln::runtime::pluginSearchPath();
}

bool kiln::target::loadPlugins(const std::vector<std::string> &named,
                               const std::function<void(StringRef)> &report,
                               NamedPrograms programs) {
  Loading &loading = Loading::get();
  if (loading.has(named, programs))
    return true;
  LoadingScope scope;
  auto say = [&](const std::string &line) {
    if (report)
      report(line);
    else
      llvm::errs() << line << "\n";
  };
  // What was searched comes first, so that what is named wins among equals.
  std::vector<std::string> paths;
  if (!loading.searched) {
    std::vector<std::string> refused;
    auto found = kiln::runtime::findPlugins("libkiln-target-", refused);
    auto programs = kiln::runtime::findPrograms("kiln-target-", refused);
    paths.assign(programs.rbegin(), programs.rend());
    paths.insert(paths.end(), found.rbegin(), found.rend());
    for (const std::string &why : refused)
      say("warning: " + why);
  }
  auto sameFile = [](StringRef a, StringRef b) {
    bool isSame = false;
    return llvm::sys::path::filename(a) == llvm::sys::path::filename(b) ||
           (!llvm::sys::fs::equivalent(a, b, isSame) && isSame);
  };
  llvm::erase_if(paths, [&](const std::string &path) {
    return llvm::any_of(
        named, [&](const std::string &n) { return sameFile(n, path); });
  });
  size_t numFound = paths.size();
  std::vector<std::string> done;
  for (const std::string &name : named) {
    std::string path = asFile(name);
    if (llvm::is_contained(loading.named, path) ||
        llvm::is_contained(loading.unasked, path) ||
        std::find(paths.begin() + numFound, paths.end(), path) != paths.end())
      continue;
    if (isDriverOnly(path))
      done.push_back(path);
    else
      paths.push_back(path);
  }
  std::vector<bool> failed(paths.size());
  bool ok = true;
  auto refuse = [&](size_t index, StringRef why) {
    bool isError = index >= numFound;
    say((isError ? "error: " : "warning: ") + why.str());
    failed[index] = true;
    ok &= !isError;
    std::lock_guard<std::mutex> lock(loading.state);
    loading.refused.push_back(paths[index]);
  };
  // What a trial in another process refuses must not have been started.
  if (llvm::all_of(paths, isHarmless))
    for (size_t i = numFound; i < paths.size(); ++i)
      startAhead(paths[i]);
  loadAll(paths, refuse);
  for (size_t i = numFound; i < paths.size(); ++i)
    if (!failed[i])
      done.push_back(paths[i]);
  {
    std::lock_guard<std::mutex> lock(loading.state);
    loading.searched = true;
    for (const std::string &path : done)
      loading.addNamed(path);
  }
  if (programs == NamedPrograms::Ask)
    ok &= checkNamedPrograms(named, [&](StringRef line) { say(line.str()); });
  return ok;
}

bool kiln::target::checkNamedPrograms(
    const std::vector<std::string> &named,
    const std::function<void(StringRef)> &report) {
  Loading &loading = Loading::get();
  std::vector<std::string> paths;
  {
    std::lock_guard<std::mutex> lock(loading.state);
    for (const std::string &name : named)
      if (std::string path = asFile(name);
          llvm::is_contained(loading.unasked, path) &&
          !llvm::is_contained(paths, path))
        paths.push_back(path);
  }
  bool ok = true;
  for (const std::string &path : paths) {
    // This waits for the program.
    std::string why = checkProgram(path);
    {
      std::lock_guard<std::mutex> lock(loading.state);
      loading.setUsable(path, why.empty());
    }
    if (why.empty())
      continue;
    report("error: " + why);
    ok = false;
  }
  return ok;
}

std::vector<std::string> kiln::target::extractLoadTargetFlags(int &argc,
                                                              char **argv) {
  std::vector<std::string> named;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    StringRef arg = argv[i];
    if (arg == "--") {
      while (i < argc)
        argv[kept++] = argv[i++];
      break;
    }
    bool isFlag =
        arg.consume_front("--load-target") || arg.consume_front("-load-target");
    if (isFlag && arg.consume_front("=")) {
      named.push_back(arg.str());
    } else if (isFlag && arg.empty() && i + 1 < argc) {
      named.push_back(argv[++i]);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  return named;
}
