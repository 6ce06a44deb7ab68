//===- CApi.cpp - The C interface of the compiler -------------------------===//

#include "kiln-c/Compiler.h"
#include "kiln/Driver/Driver.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <cstring>

using namespace kiln::driver;

/// Shared by both entry points.
static int compileInput(llvm::MemoryBufferRef input, size_t numArgs,
                        const char *const *args, const DiagnosticSink &diag,
                        void **bytes, size_t *size) {
  CompileOptions options;
  std::string error;
  std::vector<std::string> list(args, args + numArgs);
  if (!CompileOptions::parse(list, options, error)) {
    diag("error: " + error);
    return kWrongUsage;
  }
  if (options.emit != Emit::Package) {
    diag("error: expected --emit=package");
    return kWrongUsage;
  }
  if (options.targets.empty()) {
    diag("error: expected --target=SPEC");
    return kWrongUsage;
  }
  if (!initialize(options.loadTargets))
    return kInputFailed;
  std::string result, report;
  int status = compile(options, input, diag, result, report);
  if (status != kDone)
    return status;
  *bytes = std::malloc(result.size());
  if (!*bytes) {
    diag("error: out of memory");
    return kInputFailed;
  }
  std::memcpy(*bytes, result.data(), result.size());
  *size = result.size();
  if (options.explain) {
    bool ok = writeOutput(options.explain->empty() ? "-" : *options.explain,
                          report, error);
    if (!ok)
      diag("error: " + error);
    return ok ? kDone : kInputFailed;
  }
  return kDone;
}

static DiagnosticSink sinkFor(KilnDiagnosticHandler handler, void *user) {
  return [handler, user](llvm::StringRef line) {
    if (handler)
      handler(line.str().c_str(), user);
  };
}

extern "C" int kilnCompileBuffer(const void *input, size_t inputSize,
                                 const char *name, size_t numArgs,
                                 const char *const *args,
                                 KilnDiagnosticHandler diag, void *user,
                                 void **bytes, size_t *size) {
  *bytes = nullptr;
  *size = 0;
  // Parsers want a zero behind the text.
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(static_cast<const char *>(input), inputSize),
      name ? name : "<input>");
  return compileInput(*copy, numArgs, args, sinkFor(diag, user), bytes, size);
}

extern "C" int kilnCompileFile(const char *input, size_t numArgs,
                               const char *const *args,
                               KilnDiagnosticHandler diag, void *user,
                               void **bytes, size_t *size) {
  *bytes = nullptr;
  *size = 0;
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!file) {
    sinkFor(diag, user)(std::string(input) + ":1:1: error: cannot be read: " +
                        file.getError().message());
    return kInputFailed;
  }
  return compileInput((*file)->getMemBufferRef(), numArgs, args,
                      sinkFor(diag, user), bytes, size);
}

extern "C" void kilnFreeBytes(void *bytes) { std::free(bytes); }
