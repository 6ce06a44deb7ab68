// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hip.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <vector>

using namespace kiln::amd;

/// What every message about missing hardware ends with.
constexpr const char *kSimulated =
    "; device=sim runs the code on a simulated device";

/// The newest library: on the search path, then in ROCm's folder.
static void *openLibrary(std::string &problem) {
  const char *root = std::getenv("ROCM_PATH");
  std::string folder =
      std::string(root && *root ? root : "/opt/rocm") + "/lib/";
  for (const std::string &prefix : {std::string(), folder})
    for (const char *suffix : {".7", ".6", ".5", ""}) {
      std::string path = prefix + "libamdhip64.so" + suffix;
      if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
      std::string why = dlerror();
      // Of one that is there and cannot be loaded the reason counts.
      if (problem.empty() || why.find("libamdhip64") == why.npos)
        problem = why;
    }
  return nullptr;
}

/// Looks up all functions. Empty, or which one is missing.
static std::string findFunctions(void *library, Hip &hip) {
  std::string missing;
  auto find = [&](const char *name, void *to, bool isRequired) {
    void *symbol = dlsym(library, name);
    std::memcpy(to, &symbol, sizeof symbol);
    if (!symbol && isRequired && missing.empty())
      missing = name;
  };
#define KILN_HIP_LOAD(name, parameters) find(#name, &hip.name, true);
  KILN_HIP_FUNCTIONS(KILN_HIP_LOAD)
#undef KILN_HIP_LOAD
#define KILN_HIP_LOAD(name, parameters) find(#name, &hip.name, false);
  KILN_HIP_OPTIONAL_FUNCTIONS(KILN_HIP_LOAD)
#undef KILN_HIP_LOAD
  find("hipGetErrorName", &hip.hipGetErrorName, true);
  find("hipGetErrorString", &hip.hipGetErrorString, true);
  return missing;
}

static std::string load(Hip &hip) {
  std::string problem;
  void *library = openLibrary(problem);
  if (!library)
    return "AMD's HIP runtime cannot be loaded (ROCm 5.6 or newer): " +
           problem + kSimulated;
  std::string missing = findFunctions(library, hip);
  if (!missing.empty())
    return "AMD's HIP runtime is too old: it lacks " + missing + kSimulated;
  int status = hip.hipInit(0), count = 0;
  if (!status)
    status = hip.hipGetDeviceCount(&count);
  if (status || !count)
    return "no AMD GPU is there" +
           (status ? ": " + hip.describe(status) : std::string()) + kSimulated;
  // Code objects of version 5, and what kernels expect behind their arguments.
  int version = 0;
  constexpr int kOldest = 506;
  if (!hip.hipRuntimeGetVersion(&version) && version / 100000 < kOldest)
    return "unsupported: ROCm " + std::to_string(version / 10000000) + "." +
           std::to_string(version / 100000 % 100) + ", expected 5.6 or newer" +
           kSimulated;
  return "";
}

const Hip *Hip::get(std::string &problem) {
  static std::mutex mutex;
  static Hip hip;
  static std::string failed;
  static bool isTried = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isTried) {
    isTried = true;
    failed = load(hip);
  }
  problem = failed;
  return failed.empty() ? &hip : nullptr;
}

std::string Hip::describe(int status) const {
  const char *name = hipGetErrorName(status);
  const char *text = hipGetErrorString(status);
  if (!name || !text)
    return "HIP error " + std::to_string(status);
  if (std::strcmp(name, text) == 0)
    return name;
  return std::string(text) + " (" + name + ")";
}

std::string Hip::architecture(int device) const {
  // Where `gcnArchName` stands in the properties differs between versions, and
  // may in others: it is the text that begins with "gfx", behind the name of
  // 256 bytes.
  constexpr size_t kCapacity = 16384, kName = 256;
  std::vector<char> bytes(kCapacity);
  auto get = hipGetDevicePropertiesR0600 ? hipGetDevicePropertiesR0600
                                         : hipGetDeviceProperties;
  if (!get || get(bytes.data(), device))
    return "";
  for (size_t at = kName; at + 3 < kCapacity; ++at)
    if (std::memcmp(bytes.data() + at, "gfx", 3) == 0) {
      std::string name(bytes.data() + at,
                       strnlen(bytes.data() + at, kCapacity - at));
      return name.substr(0, name.find(':'));
    }
  return "";
}
