//===- Link.cpp - Objects to a shared object ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Link.h"
#include "kiln/Runtime/HostSymbols.h"
#include "kiln/Runtime/Process.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

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
  for (StringRef folder : {"/usr/lib/llvm-22/bin"})
    if (ErrorOr<std::string> path = sys::findProgramByName("ld.lld", {folder}))
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

std::optional<std::string>
kiln::cpu::linkSharedObject(ArrayRef<StringRef> objects, std::string &error) {
  std::optional<std::string> linker = findLinker();
  if (!linker) {
    error = "ld.lld-22 not found (package lld-22)";
    return std::nullopt;
  }
  SmallVector<std::string> inputs;
  SmallVector<std::unique_ptr<FileRemover>> removers;
  auto temporary = [&](StringRef suffix, SmallVectorImpl<char> &path, int &fd) {
    if (std::error_code code =
            sys::fs::createTemporaryFile("kiln", suffix, fd, path)) {
      error = "cannot create a temporary file: " + code.message();
      return false;
    }
    removers.push_back(std::make_unique<FileRemover>(path));
    return true;
  };
  for (StringRef object : objects) {
    if (std::string symbol = firstUnknownSymbol(object); !symbol.empty()) {
      error = "kernels need '" + symbol + "', which no runtime supplies";
      return std::nullopt;
    }
    SmallString<128> path;
    int fd;
    if (!temporary("o", path, fd))
      return std::nullopt;
    raw_fd_ostream out(fd, /*shouldClose=*/true);
    out << object;
    out.close();
    if (out.has_error()) {
      error = "cannot write " + path.str().str() + ": " + out.error().message();
      out.clear_error();
      return std::nullopt;
    }
    inputs.push_back(path.str().str());
  }
  SmallString<128> output, log;
  int fd;
  if (!temporary("so", output, fd))
    return std::nullopt;
  sys::Process::SafelyCloseFileDescriptor(fd);
  if (!temporary("log", log, fd))
    return std::nullopt;
  sys::Process::SafelyCloseFileDescriptor(fd);

  SmallVector<StringRef> arguments = {*linker, "-shared", "-s",
                                      "--hash-style=gnu", "-z", "noexecstack",
                                      "--build-id=none",
                                      // Other kernels are linked beside these.
                                      "--threads=1", "-o", output};
  for (const std::string &input : inputs)
    arguments.push_back(input);
  std::string message;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  int status = sys::ExecuteAndWait(*linker, arguments, std::nullopt, redirects,
                                   /*SecondsToWait=*/60, 0, &message);
  if (status != 0) {
    error = *linker + " failed";
    if (!message.empty())
      error += ": " + message;
    if (auto text = MemoryBuffer::getFile(log))
      error += "\n" + (*text)->getBuffer().str();
    return std::nullopt;
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> bytes =
      MemoryBuffer::getFile(output, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!bytes) {
    error = "cannot read " + output.str().str();
    return std::nullopt;
  }
  return (*bytes)->getBuffer().str();
}
