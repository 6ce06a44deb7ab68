//===- CApi.cpp - The C interface of the compiler -------------------------===//

#include "kiln-c/Compiler.h"
#include "kiln/Driver/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kiln::driver;

/// Whether a child process of this one is safe to work in: no other thread can
/// hold a lock that the child would wait for.
static bool canUseChild() {
  const char *direct = std::getenv("KILN_NO_CHILD");
  if (direct && *direct == '1')
    return false;
  std::error_code code;
  unsigned threads = 0;
  for (llvm::sys::fs::directory_iterator it("/proc/self/task", code), end;
       it != end && !code; it.increment(code))
    ++threads;
  return !code && threads == 1;
}

/// Compiles in this process.
static int compileHere(const CompileOptions &options,
                       llvm::MemoryBufferRef input, const DiagnosticSink &diag,
                       std::string &result) {
  if (!initialize(options.loadTargets))
    return kInputFailed;
  std::string report, error;
  int status = compile(options, input, diag, result, report);
  if (!options.explain)
    return status;
  if (writeOutput(options.explain->empty() ? "-" : *options.explain, report,
                  error))
    return status;
  diag("error: " + error);
  return kInputFailed;
}

/// Compiles in a child process, so that no input can hurt this one. Diagnostics
/// come through a pipe, the package through a file in memory.
static int compileInChild(const CompileOptions &options,
                          llvm::MemoryBufferRef input,
                          const DiagnosticSink &diag, std::string &result) {
  int ends[2];
  int file = memfd_create("kiln-package", MFD_CLOEXEC);
  if (file < 0)
    return compileHere(options, input, diag, result);
  if (pipe2(ends, O_CLOEXEC)) {
    close(file);
    return compileHere(options, input, diag, result);
  }
  llvm::raw_fd_ostream toParent(ends[1], /*shouldClose=*/false,
                                /*unbuffered=*/true);
  auto body = [&] {
    std::string bytes;
    int status = compileHere(
        options, input, [&](llvm::StringRef line) { toParent << line << '\0'; },
        bytes);
    llvm::raw_fd_ostream out(file, /*shouldClose=*/false);
    out << bytes;
    out.flush();
    return status;
  };
  std::string crash, text;
  int status = runInChild(
      body,
      [&] {
        close(ends[1]);
        char buffer[4096];
        for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) != 0;) {
          if (n < 0 && errno != EINTR)
            break;
          text.append(buffer, std::max<ssize_t>(n, 0));
          size_t end;
          while ((end = text.find('\0')) != std::string::npos) {
            diag(llvm::StringRef(text).take_front(end));
            text.erase(0, end + 1);
          }
        }
      },
      crash);
  close(ends[0]);
  if (!crash.empty())
    diag((input.getBufferIdentifier() +
          ":1:1: error: the compiler cannot process this input (" + crash + ")")
             .str());
  if (status == kDone) {
    auto bytes = llvm::MemoryBuffer::getOpenFile(
        llvm::sys::fs::convertFDToNativeFile(file), "package", -1,
        /*RequiresNullTerminator=*/false);
    if (bytes)
      result = (*bytes)->getBuffer().str();
  }
  close(file);
  return status;
}

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
  std::string result;
  int status = canUseChild() ? compileInChild(options, input, diag, result)
                             : compileHere(options, input, diag, result);
  if (status != kDone)
    return status;
  *bytes = std::malloc(result.size());
  if (!*bytes) {
    diag("error: out of memory");
    return kInputFailed;
  }
  std::memcpy(*bytes, result.data(), result.size());
  *size = result.size();
  return kDone;
}

static DiagnosticSink sinkFor(KilnDiagnosticHandler handler, void *user) {
  return [handler, user](llvm::StringRef line) {
    if (handler)
      handler(line.str().c_str(), user);
  };
}

/// Refuses null where something has to be; empties the results.
static int checkPointers(bool hasInput, size_t numArgs, const char *const *args,
                         void **bytes, size_t *size,
                         const DiagnosticSink &diag) {
  if (bytes)
    *bytes = nullptr;
  if (size)
    *size = 0;
  const char *what = nullptr;
  if (!hasInput)
    what = "the input";
  else if (!bytes || !size)
    what = "the place for the package";
  else if (numArgs && !args)
    what = "the list of arguments";
  for (size_t i = 0; !what && i < numArgs; ++i)
    if (!args[i])
      what = "an argument";
  if (!what)
    return kDone;
  diag(std::string("error: ") + what + " is null");
  return kWrongUsage;
}

extern "C" int kilnCompileBuffer(const void *input, size_t inputSize,
                                 const char *name, size_t numArgs,
                                 const char *const *args,
                                 KilnDiagnosticHandler diag, void *user,
                                 void **bytes, size_t *size) {
  if (int status = checkPointers(input || !inputSize, numArgs, args, bytes,
                                 size, sinkFor(diag, user)))
    return status;
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
  if (int status =
          checkPointers(input, numArgs, args, bytes, size, sinkFor(diag, user)))
    return status;
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
