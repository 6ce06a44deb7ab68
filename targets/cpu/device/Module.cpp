// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel libraries: shared objects in memory.
#include "CpuDevice.h"
#include "ElfCheck.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kiln::cpu_target;

namespace {

bool writeAll(int fd, const char *data, uint64_t size) {
  while (size) {
    ssize_t put = write(fd, data, size);
    if (put <= 0)
      return false;
    data += put;
    size -= uint64_t(put);
  }
  return true;
}

/// A path to a file descriptor that was never used before. The loader takes
/// equal paths for one library, and descriptors are reused.
std::string freshPath(int fd) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t n = ++counter; n; n >>= 1)
    path += n & 1 ? ".//" : "./";
  return path + std::to_string(fd);
}

} // namespace

bool kiln::cpu_target::loadLibrary(const void *bytes, uint64_t size,
                                   KilnModule &module, std::string &problem) {
  ElfSymbols symbols;
  if (!checkElf(bytes, size, isRuntimeSymbol, symbols, problem)) {
    problem = "kernel library: " + problem;
    return false;
  }
  int fd = memfd_create("kiln-kernels", MFD_CLOEXEC);
  if (fd < 0 || !writeAll(fd, static_cast<const char *>(bytes), size)) {
    problem = "cannot keep a kernel library in memory";
    if (fd >= 0)
      close(fd);
    return false;
  }
  module.library = dlopen(freshPath(fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module.library)
    problem = std::string("cannot load a kernel library: ") + dlerror();
  close(fd);
  module.symbols = std::move(symbols);
  return module.library != nullptr;
}
