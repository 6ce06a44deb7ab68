// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading packages, and compiling with libKiln.so when there is need to.
#include "Load.h"
#include "CodeObject.h"
#include "kiln-c/Compiler.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Spec.h"
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

/// The functions of libKiln.so.
struct Compiler {
  decltype(&kilnCompileFile) compileFile = nullptr;
  decltype(&kilnCompileBuffer) compileBuffer = nullptr;
  decltype(&kilnFreeBytes) freeBytes = nullptr;
};

Expected<Compiler> loadCompiler() {
  Expected<void *> library = loadCompilerLibrary();
  if (!library)
    return Error("the input is not a package, and the compiler cannot be "
                 "loaded: " +
                 library.message());
  Compiler compiler;
  compiler.compileFile = reinterpret_cast<decltype(compiler.compileFile)>(
      dlsym(*library, "kilnCompileFile"));
  compiler.compileBuffer = reinterpret_cast<decltype(compiler.compileBuffer)>(
      dlsym(*library, "kilnCompileBuffer"));
  compiler.freeBytes = reinterpret_cast<decltype(compiler.freeBytes)>(
      dlsym(*library, "kilnFreeBytes"));
  if (!compiler.compileFile || !compiler.compileBuffer || !compiler.freeBytes)
    return Error("libKiln.so lacks the functions of kiln-c/Compiler.h");
  return compiler;
}

void printDiagnostic(const char *message, void *) {
  size_t length = std::char_traits<char>::length(message);
  bool ends = length && message[length - 1] == '\n';
  std::fprintf(stderr, ends ? "%s" : "%s\n", message);
}

Loaded fail(const std::string &message, int status = 1) {
  printError(message);
  Loaded loaded;
  loaded.status = status;
  return loaded;
}

Loaded finish(Expected<Package> package, double begin) {
  if (!package)
    return fail(package.message());
  Loaded loaded;
  loaded.package = std::make_shared<const Package>(std::move(*package));
  loaded.seconds = now() - begin;
  return loaded;
}

/// Compiles the file `name`, or `source`, which comes from there.
Loaded compile(const std::string &name, const Blob *source,
               const std::vector<std::string> &args) {
  Expected<Compiler> compiler = loadCompiler();
  if (!compiler)
    return fail(compiler.message());
  double begin = now();
  std::vector<const char *> words;
  for (const std::string &arg : args)
    words.push_back(arg.c_str());
  void *bytes = nullptr;
  size_t size = 0;
  int status =
      source ? compiler->compileBuffer(source->data, source->size, name.c_str(),
                                       words.size(), words.data(),
                                       printDiagnostic, nullptr, &bytes, &size)
             : compiler->compileFile(name.c_str(), words.size(), words.data(),
                                     printDiagnostic, nullptr, &bytes, &size);
  if (status != 0) {
    Loaded loaded;
    loaded.status = status;
    return loaded;
  }
  std::shared_ptr<const void> owner(
      bytes, [free = compiler->freeBytes](const void *p) {
        free(const_cast<void *>(p));
      });
  Loaded loaded = finish(
      readPackage({owner, static_cast<const uint8_t *>(bytes), size}), begin);
  loaded.wasCompiled = true;
  return loaded;
}

/// The compiler gets every library but those that are a device driver only.
void addLibraries(const Options &options, std::vector<std::string> &args) {
  for (const std::string &library : options.loadTargets) {
    Expected<bool> isDriver = definesSymbol(library, "kilnGetDeviceDriver");
    Expected<bool> isTarget = definesSymbol(library, "kilnGetTargetPlugin");
    if (!isDriver || !isTarget || !*isDriver || *isTarget)
      args.push_back("--load-target=" + library);
  }
}

} // namespace

void kiln::run::printError(const std::string &message) {
  std::fflush(stdout);
  std::fprintf(stderr, "kiln-run: error: %s\n", message.c_str());
}

Loaded kiln::run::loadInput(const Options &options) {
  if (!options.codeObject.empty())
    return loadCodeObject(options);
  double begin = now();
  bool isStdin = options.input == "-";
  Expected<std::vector<PublicKey>> trusted =
      readPublicKeys(options.requiredKeys);
  if (!trusted)
    return fail("--require-signature: " + trusted.message());
  std::string path = isStdin ? "/dev/stdin" : options.input;
  Expected<Blob> file = trusted->empty() ? mapFile(path) : copyFile(path);
  if (!file)
    return fail(file.message());
  if (!file->size)
    return fail((isStdin ? "<stdin>" : options.input) + ": the file is empty");
  if (!isPackage(file->data, file->size) && !trusted->empty())
    return fail(options.input + ": not a package, and a signature is required");
  if (isPackage(file->data, file->size)) {
    Expected<Package> package = readPackage(*file, *trusted);
    if (!package)
      return fail(options.input + ": " + package.message());
    if (!options.compileArgs.empty())
      return fail("the input is a package, which is compiled already: '" +
                      options.compileArgs.front() + "' is not for it",
                  2);
    return finish(std::move(package), begin);
  }
  if (options.targets.empty())
    return fail("the input is not a package: --target=SPEC is needed to "
                "compile it",
                2);
  std::vector<std::string> args = options.compileArgs;
  if (options.noFallback)
    args.push_back("--no-fallback");
  if (options.check)
    args.push_back("--serialise-twice");
  if (!options.quiet)
    args.push_back("--progress=bar");
  addLibraries(options, args);
  if (!options.entry.empty())
    args.push_back("--entry=" + options.entry);
  for (const std::string &target : options.targets)
    args.push_back("--target=" + splitDriverOptions(target).first);
  if (options.targets.size() > 1)
    args.push_back("--skip-unknown-targets");
  if (isStdin)
    return compile("<stdin>", &*file, args);
  // What came through a pipe is read already.
  std::error_code ignored;
  bool isFile = std::filesystem::is_regular_file(options.input, ignored);
  return compile(options.input, isFile ? nullptr : &*file, args);
}

Loaded kiln::run::loadReference(const Options &options,
                                const PackagePtr &package) {
  for (const TargetProgram &target : package->targets)
    if (target.spec == "reference") {
      Loaded loaded;
      loaded.package = package;
      return loaded;
    }
  if (!package->source.size)
    return fail("--check needs the source, which the package does not hold");
  std::vector<std::string> args = package->compileArgs;
  addLibraries(options, args);
  args.push_back("--target=reference");
  return compile(package->sourceName, &package->source, args);
}

Loaded kiln::run::loadReferenceKernels(const Options &options,
                                       const PackagePtr &package,
                                       const std::string &spec) {
  std::vector<std::string> args = package->compileArgs;
  addLibraries(options, args);
  args.push_back("--reference-kernels");
  args.push_back("--target=" + spec);
  return compile(package->sourceName, &package->source, args);
}
