// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "Parts.h"
#include "kiln/System/Process.h"
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace kiln::runtime;

#ifndef KILN_STATIC_PARTS
namespace {

/// A library of the runtime's own version; loaded once, and tried again where
/// it could not be.
template <typename Part> class PartLibrary {
public:
  PartLibrary(const char *file, const char *symbol, const char *purpose)
      : file(file), symbol(symbol), purpose(purpose) {}

  Expected<const Part *> get() {
    std::lock_guard<std::mutex> lock(mutex);
    if (part)
      return part;
    static const char anchor = 0;
    // Not found by name: what else is called so is not to be trusted.
    std::string path = besideLibrary(&anchor, file);
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return Error("a library of the runtime, which " + std::string(purpose) +
                   " needs, cannot be loaded: " + dlerror());
    auto entry = reinterpret_cast<const Part *(*)()>(dlsym(handle, symbol));
    const Part *found = entry ? entry() : nullptr;
    if (!found || std::strcmp(found->version, KILN_VERSION) != 0)
      return Error(path + ": expected a library of the runtime's version " +
                   KILN_VERSION + ", found " +
                   (found ? found->version : "another library"));
    return part = found;
  }

private:
  const char *file, *symbol, *purpose;
  std::mutex mutex;
  const Part *part = nullptr;
};

} // namespace

Expected<const SignaturePart *> kiln::runtime::signaturePart() {
  static PartLibrary<SignaturePart> library("libkiln-signature.so",
                                            "kilnSignaturePart", "a signature");
  return library.get();
}

Expected<const LinearAlgebraPart *> kiln::runtime::linearAlgebraPart() {
  static PartLibrary<LinearAlgebraPart> library("libkiln-linear-algebra.so",
                                                "kilnLinearAlgebraPart",
                                                "linear algebra on the host");
  return library.get();
}

Expected<const PackageWriterPart *> kiln::runtime::packageWriterPart() {
  static PartLibrary<PackageWriterPart> library("libkiln-package-writer.so",
                                                "kilnPackageWriterPart",
                                                "a package that is written");
  return library.get();
}
#else
Expected<const SignaturePart *> kiln::runtime::signaturePart() {
  return kilnSignaturePart();
}

Expected<const LinearAlgebraPart *> kiln::runtime::linearAlgebraPart() {
  return kilnLinearAlgebraPart();
}

Expected<const PackageWriterPart *> kiln::runtime::packageWriterPart() {
  return kilnPackageWriterPart();
}
#endif
