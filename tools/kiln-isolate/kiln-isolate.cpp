//===- kiln-isolate.cpp - Serves a plug-in's target as an isolated one ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversations.h"
#include "Server.h"
#include "kiln-c/Runtime.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

using namespace kiln;

static constexpr llvm::StringLiteral kUsage =
    "usage: kiln-isolate TARGET [--as=NAME] [--load-target=LIB]\n"
    "Speaks the protocol of isolated targets for TARGET, called NAME.\n";

/// How short a build ID can be and still be a hash that a linker has computed.
static constexpr size_t kLeastIdBytes = 8;

/// The build ID of a loaded library or program, which its linker computes from
/// its bytes; empty where it has none.
static std::string buildIdOf(const std::string &path) {
  std::pair<const std::string *, std::string> search(&path, "");
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *given) {
        auto &[path, id] = *static_cast<decltype(search) *>(given);
        // The name of the program itself is empty.
        llvm::StringRef name = info->dlpi_name;
        if ((name.empty() ? "/proc/self/exe" : name) != *path)
          return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &part = info->dlpi_phdr[i];
          if (part.p_type != PT_NOTE)
            continue;
          const auto *at =
              reinterpret_cast<const char *>(info->dlpi_addr + part.p_vaddr);
          const char *end = at + part.p_memsz;
          while (size_t(end - at) >= sizeof(ElfW(Nhdr))) {
            const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
            const char *noteName = at + sizeof *note;
            const char *bytes = noteName + llvm::alignTo(note->n_namesz, 4);
            if (note->n_type == NT_GNU_BUILD_ID &&
                llvm::StringRef(noteName, note->n_namesz) ==
                    llvm::StringRef("GNU", 4))
              id.assign(bytes, note->n_descsz);
            at = bytes + llvm::alignTo(note->n_descsz, 4);
          }
        }
        return 1;
      },
      &search);
  return search.second.size() >= kLeastIdBytes ? search.second : "";
}

/// A hash of the libraries that answers depend on. Reading them whole takes a
/// third of the start, so their linker's hash stands for them where there is
/// one.
static std::string buildOf(llvm::ArrayRef<std::string> files) {
  llvm::BLAKE3 hash;
  hash.update(kilnRuntimeVersion());
  for (const std::string &file : files) {
    if (std::string id = buildIdOf(file); !id.empty())
      hash.update(id);
    else if (auto content = llvm::MemoryBuffer::getFile(file))
      hash.update((*content)->getBuffer());
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

int main(int argc, char **argv) {
  runtime::occupyStandardStreams();
  // What is printed must not get between the answers. Programs that the plug-in
  // starts would wait for, or take, bytes of the protocol: for them the
  // standard input is empty.
  int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
      first = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
      empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (output < 0 || first < 0 || empty < 0 || dup2(empty, STDIN_FILENO) < 0 ||
      dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return driver::kInputFailed;
  close(empty);
  std::vector<std::string> named = target::extractLoadTargetFlags(argc, argv);
  std::string wanted, name;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--as="))
      name = argument.str();
    else if (!argument.starts_with("-") && wanted.empty())
      wanted = argument.str();
    else
      wanted.clear(), i = argc;
  }
  if (wanted.empty()) {
    llvm::errs() << kUsage;
    return driver::kWrongUsage;
  }
  if (!driver::initialize(named))
    return driver::kInputFailed;
  target::TargetRegistry &registry = target::TargetRegistry::get();
  const target::Target *found = registry.find(wanted);
  if (!found || found->inputLevel() != target::InputLevel::Tile ||
      !found->hasPipeline()) {
    llvm::errs() << "error: expected a target that compiles kernels, found '"
                 << wanted << "'\n";
    return driver::kInputFailed;
  }
  std::vector<std::string> files = {"/proc/self/exe"};
  // The compiler is a library.
  Dl_info library;
  if (dladdr(reinterpret_cast<void *>(&driver::initialize), &library) &&
      library.dli_fname)
    files.push_back(library.dli_fname);
  for (const target::PluginInfo &plugin : registry.plugins())
    files.push_back(plugin.path);
  driver::registerPasses();
  mlir::DialectRegistry dialects;
  driver::registerDialects(dialects);
  bool several = found->lowersInParallel() && isolate::canHoldConversations();
  std::string build = buildOf(files);
  auto hold = [&](int input, int output) {
    // Conversations go on in parallel, each in one thread.
    mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
    isolate::Server(*found, name.empty() ? wanted : name, build, several,
                    context)
        .serve(input, output);
    // What the first one's context holds is left to the system.
    if (input == first)
      std::_Exit(driver::kDone);
  };
  if (several)
    isolate::acceptConversations(hold);
  hold(first, output);
  return driver::kDone;
}
