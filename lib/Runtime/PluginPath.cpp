// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where plug-ins are looked for.
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Trust.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <set>
#include <unistd.h>

using namespace kiln::runtime;
namespace fs = std::filesystem;

namespace {

/// The folder of libkiln-runtime.so itself.
std::string libraryFolder() {
  static const char anchor = 0;
  Dl_info info;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return "";
  std::error_code ignored;
  fs::path path = fs::absolute(info.dli_fname, ignored);
  return path.parent_path().string();
}

} // namespace

std::vector<std::string> kiln::runtime::pluginSearchPath() {
  std::vector<std::string> folders;
  if (const char *list = std::getenv("KILN_PLUGIN_PATH")) {
    std::string text = list;
    for (size_t begin = 0; begin <= text.size();) {
      size_t end = std::min(text.find(':', begin), text.size());
      if (end > begin)
        folders.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  std::string own = libraryFolder();
  if (!own.empty())
    folders.push_back(own + "/kiln/targets");
  return folders;
}

Error kiln::runtime::checkFound(const std::string &path) {
  // A user who can put a library beside this one could replace this one, too.
  fs::path folder = fs::path(path).parent_path();
  std::string own = libraryFolder();
  std::error_code ignored;
  if (!own.empty() && fs::equivalent(folder, own + "/kiln/targets", ignored))
    return Error::success();
  if (Error error = checkTrusted(folder.string()))
    return error;
  return checkTrusted(path);
}

/// Files of the search path that `matches` takes, by folder and name.
static std::vector<std::string>
findFiles(const std::function<bool(const fs::directory_entry &)> &matches,
          std::vector<std::string> &refused) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (const std::string &folder : pluginSearchPath()) {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error))
      if (matches(*it))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string &name : names) {
      std::string path = (fs::path(folder) / name).string();
      if (Error untrusted = checkFound(path)) {
        // One word about a folder is enough.
        if (std::find(refused.begin(), refused.end(), untrusted.message()) ==
            refused.end())
          refused.push_back(untrusted.message());
      } else if (seen.insert(name).second) {
        found.push_back(std::move(path));
      }
    }
  }
  return found;
}

static bool beginsWith(const std::string &name, const std::string &prefix) {
  return name.compare(0, prefix.size(), prefix) == 0 &&
         name.size() > prefix.size();
}

std::vector<std::string>
kiln::runtime::findPlugins(const std::string &prefix,
                           std::vector<std::string> &refused) {
  return findFiles(
      [&](const fs::directory_entry &entry) {
        std::string name = entry.path().filename().string();
        return beginsWith(name, prefix) && name.size() > prefix.size() + 3 &&
               name.compare(name.size() - 3, 3, ".so") == 0;
      },
      refused);
}

std::vector<std::string>
kiln::runtime::findPrograms(const std::string &prefix,
                            std::vector<std::string> &refused) {
  return findFiles(
      [&](const fs::directory_entry &entry) {
        std::string name = entry.path().filename().string();
        std::error_code ignored;
        return beginsWith(name, prefix) && name.find('.') == name.npos &&
               entry.is_regular_file(ignored) &&
               access(entry.path().c_str(), X_OK) == 0;
      },
      refused);
}

Expected<void *> kiln::runtime::loadCompilerLibrary() {
  // By the name that every installation has: the plain one is a developer's.
  constexpr const char *kName = "libKiln.so.0";
  // Global, so that plug-ins find the compiler's symbols and not copies. Lazy,
  // as one run calls few of the functions that MLIR's library refers to.
  constexpr int kFlags = RTLD_LAZY | RTLD_GLOBAL;
  std::string reason;
  std::string own = libraryFolder();
  if (!own.empty()) {
    if (void *library = dlopen((own + "/" + kName).c_str(), kFlags))
      return library;
    reason = dlerror();
  }
  if (void *library = dlopen(kName, kFlags))
    return library;
  return Error(reason.empty() ? dlerror() : reason);
}
