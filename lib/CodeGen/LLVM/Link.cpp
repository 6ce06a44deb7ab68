//===- Link.cpp - Objects to a shared object ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Link.h"
#include "SharedObject.h"
#include "kiln/Runtime/HostSymbols.h"
#include "kiln/System/Process.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace llvm;

namespace {
/// The first linker found: the one that is carried along, the one of this
/// LLVM, then any.
std::optional<std::string> findLinker() {
  static const char anchor = 0;
  std::string carried =
      kiln::runtime::helperProgram(&anchor, "ld.lld", "KILN_LINKER");
  if (sys::fs::can_execute(carried))
    return carried;
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  // Where the LLVM that this was built with has its programs.
  if (ErrorOr<std::string> path =
          sys::findProgramByName("ld.lld", {StringRef(KILN_LLVM_TOOLS)}))
    return *path;
  return std::nullopt;
}

/// The first undefined symbol of the object that no runtime supplies, or "".
std::string firstUnknownSymbol(StringRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(
          MemoryBufferRef(object, "kernels.o"));
  if (!file) {
    consumeError(file.takeError());
    return "";
  }
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      continue;
    }
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() &&
        *name != "_GLOBAL_OFFSET_TABLE_" && !kiln::runtime::isHostSymbol(*name))
      return name->str();
  }
  return "";
}
} // namespace

namespace {
/// A file in memory: no folder has to have room for it, and nothing of it is
/// left, whatever happens to this process.
class MemoryFile {
public:
  MemoryFile() : fd(memfd_create("kiln-link", MFD_CLOEXEC)) {}
  explicit MemoryFile(StringRef bytes) : MemoryFile() {
    isGood =
        fd >= 0 && kiln::runtime::writeFully(fd, bytes.data(), bytes.size());
  }
  MemoryFile(MemoryFile &&other) noexcept
      : fd(std::exchange(other.fd, -1)), isGood(other.isGood) {}
  ~MemoryFile() {
    if (fd >= 0)
      close(fd);
  }

  /// Its contents, or nothing with the reason in errno.
  std::optional<std::string> read() const {
    struct stat info;
    if (fstat(fd, &info) != 0)
      return std::nullopt;
    std::string bytes(size_t(info.st_size), 0);
    for (size_t at = 0; at < bytes.size();) {
      ssize_t got = pread(fd, bytes.data() + at, bytes.size() - at, off_t(at));
      if (got <= 0)
        return std::nullopt;
      at += size_t(got);
    }
    return bytes;
  }

  int fd;
  bool isGood = true;
};
} // namespace

std::optional<std::string>
kiln::cpu::linkSharedObject(ArrayRef<StringRef> objects, std::string &error) {
  constexpr double kSeconds = 60;
  for (StringRef object : objects)
    if (std::string symbol = firstUnknownSymbol(object); !symbol.empty()) {
      error = "kernels need '" + symbol + "', which no runtime supplies";
      return std::nullopt;
    }
  if (objects.size() == 1 && !std::getenv("KILN_LINKER"))
    if (std::optional<std::string> linked = writeSharedObject(objects.front()))
      return linked;
  std::optional<std::string> linker = findLinker();
  if (!linker) {
    error = "ld.lld-22 not found (package lld-22)";
    return std::nullopt;
  }
  std::vector<std::string> arguments = {
      "-shared", "-s", "--hash-style=gnu", "-z", "noexecstack",
      "--build-id=none",
      // Other kernels are linked beside these.
      "--threads=1", "-o", "-"};
  std::vector<MemoryFile> inputs;
  std::vector<int> descriptors;
  for (StringRef object : objects) {
    inputs.emplace_back(object);
    if (!inputs.back().isGood) {
      error = std::string("cannot keep an object in memory: ") +
              std::strerror(errno);
      return std::nullopt;
    }
    arguments.push_back("/proc/self/fd/" +
                        std::to_string(3 + descriptors.size()));
    descriptors.push_back(inputs.back().fd);
  }
  MemoryFile output;
  auto run = kiln::runtime::runProgram(*linker, arguments, descriptors,
                                       kSeconds, output.fd);
  if (!run || !run->succeeded()) {
    error = run ? run->failure(*linker) : run.message();
    return std::nullopt;
  }
  std::optional<std::string> bytes = output.read();
  if (!bytes || bytes->empty()) {
    error = *linker + " wrote nothing";
    return std::nullopt;
  }
  return bytes;
}
