//===- PluginLoader.cpp - Loading plug-ins without being hurt by them -----===//
//
// Order of events: the ELF note is read from the file; a child process loads
// and registers every plug-in and checks what came out of it; only what
// survived there is loaded and registered here.
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/PluginLoader.h"
#include "RegistryImpl.h"
#include "kiln-c/TargetPlugin.h"
#include "kiln/Runtime/Plugin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln::target;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// Seconds after which a registration counts as hanging.
constexpr unsigned kTrialSeconds = 30;

bool isDescriptionFile(StringRef path) {
  return path.ends_with(".mlir") || path.ends_with(".kiln");
}

/// Compares the versions in the note with ours. Returns what is wrong.
std::string checkNote(const std::string &path) {
  auto note = kiln::runtime::readPluginNote(path);
  if (!note)
    return note.message();
  auto version = [](unsigned major, unsigned minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  if (note->apiMajor != KILN_TARGET_API_MAJOR ||
      note->apiMinor > KILN_TARGET_API_MINOR)
    return path + ": expected a plug-in for target API " +
           version(KILN_TARGET_API_MAJOR, KILN_TARGET_API_MINOR) + ", found " +
           version(note->apiMajor, note->apiMinor);
  if (note->llvmMajor != LLVM_VERSION_MAJOR ||
      note->llvmMinor != LLVM_VERSION_MINOR)
    return path + ": expected a plug-in built for LLVM " +
           version(LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR) + ", found " +
           (note->llvmMajor ? version(note->llvmMajor, note->llvmMinor)
                            : std::string("one built without LLVM"));
  return "";
}

/// Finds the entry point and checks that it is this file's own.
const KilnTargetPlugin *entryTable(void *handle, const std::string &path,
                                   std::string &error) {
  void *symbol = dlsym(handle, KILN_TARGET_ENTRY_POINT);
  if (!symbol) {
    error = path + ": does not export " KILN_TARGET_ENTRY_POINT;
    return nullptr;
  }
  link_map *ours = nullptr;
  void *owner = nullptr;
  Dl_info info;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &ours) ||
      !dladdr1(symbol, &info, &owner, RTLD_DL_LINKMAP) || owner != ours) {
    error = path + ": " KILN_TARGET_ENTRY_POINT
                   " is not its own but that of a library it depends on";
    return nullptr;
  }
  const KilnTargetPlugin *table =
      reinterpret_cast<KilnGetTargetPluginFn>(symbol)();
  if (!table) {
    error = path + ": " KILN_TARGET_ENTRY_POINT " returns null";
    return nullptr;
  }
  if (table->structSize < sizeof(KilnTargetPlugin)) {
    error = path + ": expected a plug-in table of at least " +
            std::to_string(sizeof(KilnTargetPlugin)) + " bytes, found " +
            std::to_string(table->structSize);
    return nullptr;
  }
  if (table->apiMajor != KILN_TARGET_API_MAJOR || !table->name ||
      !*table->name || !table->version || !table->registerPlugin) {
    error = path + ": the plug-in table lacks a name, a version or a register "
                   "function, or contradicts the file's version note";
    return nullptr;
  }
  return table;
}

/// Registers a file that is nothing but a description.
bool registerDescription(const std::string &path, TargetRegistry &registry,
                         std::string &error) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file) {
    error = path + ": cannot be read: " + file.getError().message();
    return false;
  }
  registry.impl().begin(path);
  registry.addDescribedTarget((*file)->getBuffer().str());
  registry.impl().plugins.push_back(
      {llvm::sys::path::stem(path).str(), "description", path});
  if (registry.impl().complaint.empty())
    return true;
  error = path + ": " + registry.impl().complaint;
  return false;
}

/// Loads and registers in this process.
bool loadHere(const std::string &path, std::string &error) {
  TargetRegistry &registry = TargetRegistry::get();
  TargetRegistry::Impl &impl = registry.impl();
  if (isDescriptionFile(path))
    return registerDescription(path, registry, error);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    StringRef why = dlerror();
    why.consume_front(path);
    why.consume_front(": ");
    error = path + ": cannot be loaded: " + why.str();
    return false;
  }
  const KilnTargetPlugin *table = entryTable(handle, path, error);
  if (!table)
    return false;
  impl.begin(table->name);
  char message[512] = "";
  int status = 0;
  try {
    status = table->registerPlugin(&registry, message, sizeof message);
  } catch (const std::exception &e) {
    error = path + ": registration throws: " + e.what();
    return false;
  } catch (...) {
    error = path + ": registration throws something that is no std::exception";
    return false;
  }
  message[sizeof message - 1] = 0;
  if (status)
    error = path + ": registration fails: " +
            (*message ? std::string(message) : std::string("without a reason"));
  else if (!impl.complaint.empty())
    error = path + ": " + impl.complaint;
  else if (!impl.contributions)
    error = path + ": registers nothing";
  if (!error.empty())
    return false;
  impl.plugins.push_back({table->name, table->version, path});
  return true;
}

/// What the child says about one plug-in.
struct Verdict {
  bool ok = false;
  std::string error;
};

/// In the child: loads one plug-in after the other and writes a verdict each.
[[noreturn]] void runTrial(llvm::ArrayRef<std::string> paths, int out) {
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    std::signal(number, SIG_DFL);
  // What a crashing plug-in prints would hide the one message that matters.
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, 1);
    dup2(null, 2);
  }
  for (const std::string &path : paths) {
    alarm(kTrialSeconds);
    std::string error;
    try {
      if (loadHere(path, error))
        error = checkContributions(TargetRegistry::get(),
                                   TargetRegistry::get().impl().current);
      if (!error.empty() && !StringRef(error).starts_with(path))
        error = path + ": " + error;
    } catch (const std::exception &e) {
      error = path + ": throws: " + e.what();
    } catch (...) {
      error = path + ": throws something that is no std::exception";
    }
    for (char &c : error)
      if (c == '\n' || c == '\0')
        c = ' ';
    error = error.empty() ? "+" : "-" + error;
    error += '\n';
    for (StringRef rest = error; !rest.empty();) {
      ssize_t n = write(out, rest.data(), rest.size());
      if (n <= 0)
        _exit(1);
      rest = rest.drop_front(n);
    }
    // After a failure the registry may hold half of a plug-in: start afresh.
    if (error[0] == '-')
      break;
  }
  _exit(0);
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
    if (pipe(ends) == 0)
      child = fork();
    if (child < 0) {
      // Without a child we still load; what is checked before stays checked.
      verdicts.resize(paths.size(), Verdict{true, ""});
      break;
    }
    if (child == 0) {
      close(ends[0]);
      runTrial(batch, ends[1]);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (;;) {
      ssize_t n = read(ends[0], buffer, sizeof buffer);
      if (n > 0)
        text.append(buffer, n);
      else if (n == 0 || errno != EINTR)
        break;
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    llvm::SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (auto [index, line] : llvm::enumerate(lines)) {
      if (index < base)
        continue;
      bool ok = line.consume_front("+");
      line.consume_front("-");
      verdicts.push_back({ok, line.str()});
    }
    if (lines.size() < batch.size() &&
        (lines.empty() || lines.back().starts_with("+"))) {
      // It died while working on the next one.
      const std::string &path = paths[verdicts.size()];
      std::string how =
          "ends the process with status " + std::to_string(WEXITSTATUS(status));
      if (WIFSIGNALED(status))
        how = WTERMSIG(status) == SIGALRM
                  ? "does not come to an end"
                  : std::string("crashes: ") + strsignal(WTERMSIG(status));
      verdicts.push_back({false, path + ": registration " + how});
    }
    for (size_t i = first; i < verdicts.size(); ++i)
      if (verdicts[i].ok)
        good.push_back(paths[i]);
  }
  return verdicts;
}

/// Loads plug-ins that were found or named; `report` gets what is wrong.
void loadAll(llvm::ArrayRef<std::string> paths,
             llvm::function_ref<void(size_t, StringRef)> report) {
  std::vector<std::string> fit;
  std::vector<size_t> index;
  for (auto [i, path] : llvm::enumerate(paths)) {
    std::string error = isDescriptionFile(path) ? "" : checkNote(path);
    if (!error.empty()) {
      report(i, error);
      continue;
    }
    fit.push_back(path);
    index.push_back(i);
  }
  std::vector<Verdict> verdicts = tryPlugins(fit);
  for (size_t i = 0; i < fit.size(); ++i) {
    std::string error = verdicts[i].error;
    if (verdicts[i].ok)
      (void)loadHere(fit[i], error);
    if (!error.empty())
      report(index[i], error);
  }
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
} // namespace

bool kiln::target::loadPlugin(StringRef path, std::string &error) {
  error.clear();
  loadAll({asFile(path)}, [&](size_t, StringRef why) { error = why.str(); });
  return error.empty();
}

std::vector<std::string> kiln::target::pluginSearchPath() {
  return kiln::runtime::pluginSearchPath();
}

bool kiln::target::loadPlugins(const std::vector<std::string> &named) {
  static bool searched = false;
  static std::vector<std::string> loaded;
  // What was searched comes first, so that what is named wins among equals.
  std::vector<std::string> paths;
  if (!searched) {
    auto found = kiln::runtime::findPlugins("libkiln-target-");
    paths.assign(found.rbegin(), found.rend());
    searched = true;
  }
  auto sameFile = [](StringRef a, StringRef b) {
    return llvm::sys::path::filename(a) == llvm::sys::path::filename(b);
  };
  llvm::erase_if(paths, [&](const std::string &path) {
    return llvm::any_of(
        named, [&](const std::string &n) { return sameFile(n, path); });
  });
  size_t numFound = paths.size();
  for (const std::string &path : named)
    if (!llvm::is_contained(loaded, path) && !isDriverOnly(asFile(path)) &&
        std::find(paths.begin() + numFound, paths.end(), asFile(path)) ==
            paths.end())
      paths.push_back(asFile(path));
  bool ok = true;
  loadAll(paths, [&](size_t index, StringRef why) {
    bool isError = index >= numFound;
    llvm::errs() << (isError ? "error: " : "warning: ") << why << "\n";
    ok &= !isError;
  });
  loaded.insert(loaded.end(), named.begin(), named.end());
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
