//===- kiln-isolate.cpp - Serves a plug-in's target as an isolated one ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server.h"
#include "kiln-c/Runtime.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <unistd.h>

using namespace kiln;

static constexpr llvm::StringLiteral kUsage =
    "usage: kiln-isolate TARGET [--as=NAME] [--load-target=LIB]\n"
    "Speaks the protocol of isolated targets for TARGET, called NAME.\n";

/// A hash of the libraries that answers depend on.
static std::string buildOf(llvm::ArrayRef<std::string> files) {
  llvm::BLAKE3 hash; // of tens of megabytes at each start
  hash.update(kilnRuntimeVersion());
  for (const std::string &file : files)
    if (auto content = llvm::MemoryBuffer::getFile(file))
      hash.update((*content)->getBuffer());
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

int main(int argc, char **argv) {
  runtime::occupyStandardStreams();
  // What is printed must not get between the answers.
  int output = dup(STDOUT_FILENO);
  if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return driver::kInputFailed;
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
  mlir::MLIRContext context(dialects);
  isolate::Server(*found, name.empty() ? wanted : name, buildOf(files), context)
      .serve(STDIN_FILENO, output);
  return driver::kDone;
}
