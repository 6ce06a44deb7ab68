// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "Lapack.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace kiln::runtime;

/// By the names that systems give them; the first is what a system with
/// several has chosen.
static const char *const kNames[] = {"liblapack.so.3", "libopenblas.so.0",
                                     "liblapack.so", "libopenblas.so"};

Expected<const Lapack *> Lapack::get() {
  static std::mutex mutex;
  static Lapack loaded;
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded.handle)
    return &loaded;
  const char *given = std::getenv("KILN_LAPACK");
  if (given && *given) {
    loaded.handle = dlopen(given, RTLD_NOW | RTLD_LOCAL);
    loaded.path = given;
    if (!loaded.handle)
      return Error(std::string("KILN_LAPACK: ") + dlerror());
    return &loaded;
  }
  // Of the package `kiln` of Python, say. Processes inherit it, and may not
  // have the library.
  const char *preferred = std::getenv("KILN_LAPACK_PREFERRED");
  if (preferred && *preferred) {
    loaded.handle = dlopen(preferred, RTLD_NOW | RTLD_LOCAL);
    loaded.path = preferred;
    if (loaded.handle)
      return &loaded;
  }
  std::string tried;
  for (const char *name : kNames) {
    loaded.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    loaded.path = name;
    if (loaded.handle)
      return &loaded;
    tried += (tried.empty() ? "" : ", ") + std::string(name);
  }
  return Error("the program needs LAPACK, and none of " + tried +
               " is there; KILN_LAPACK names such a library");
}

void *Lapack::findOther(const std::string &name) const {
  // SciPy's own library has a prefix, so that it meets no other one.
  for (const char *prefix : {"", "scipy_"})
    if (void *found = dlsym(handle, (prefix + name).c_str()))
      return found;
  return nullptr;
}

Expected<void *> Lapack::find(const std::string &name) const {
  if (void *found = findOther(name + "_"))
    return found;
  return Error("'" + path + "' has no function '" + name + "_'");
}

Expected<LapackInt> kiln::runtime::lapackInt(int64_t size) {
  // Products of two sizes are made in there, too.
  if (size >= 0 && size <= 46340)
    return LapackInt(size);
  return Error("unsupported: a matrix with a size of " + std::to_string(size) +
               " in LAPACK");
}

Error kiln::runtime::lapackRefused(const char *name, LapackInt info) {
  return Error(std::string("LAPACK's ") + name + " refuses its argument " +
               std::to_string(-int64_t(info)));
}
