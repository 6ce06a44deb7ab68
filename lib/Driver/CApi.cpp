//===- CApi.cpp - The C interface of the compiler -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Worker.h"
#include "kiln-c/Compiler.h"
#include "kiln/Runtime/Package.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln::driver;
using llvm::StringRef;

namespace {
/// A copy of the caller's options: those of an older caller end earlier.
KilnCompileOptions readOptions(const KilnCompileOptions *given) {
  KilnCompileOptions options = {};
  if (given)
    std::memcpy(&options, given, std::min(given->structSize, sizeof options));
  options.structSize = sizeof options;
  return options;
}

/// Hands the rows of a report to the caller.
void giveReport(StringRef json, const KilnCompileOptions &options) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return;
  }
  const llvm::json::Array *rows = parsed->getAsArray();
  for (const llvm::json::Value &value : rows ? *rows : llvm::json::Array()) {
    const llvm::json::Object *object = value.getAsObject();
    if (!object)
      continue;
    std::vector<std::string> texts;
    for (const char *key : {"stage", "function", "kernel", "subject", "target",
                            "chosen", "detail", "location"})
      texts.push_back(object->getString(key).value_or("").str());
    std::vector<std::string> words;
    if (const llvm::json::Array *declines = object->getArray("declines"))
      for (const llvm::json::Value &decline : *declines)
        for (const char *key : {"name", "reason"})
          words.push_back(
              decline.getAsObject()->getString(key).value_or("").str());
    std::vector<KilnReportDecline> list;
    for (size_t i = 0; i + 1 < words.size(); i += 2)
      list.push_back({words[i].c_str(), words[i + 1].c_str()});
    KilnReportRow row = {};
    row.structSize = sizeof row;
    const char **fields[] = {&row.stage,   &row.function, &row.kernel,
                             &row.subject, &row.target,   &row.chosen,
                             &row.detail,  &row.location};
    for (size_t i = 0; i < texts.size(); ++i)
      *fields[i] = texts[i].c_str();
    row.count = uint32_t(object->getInteger("count").value_or(1));
    row.numDeclines = list.size();
    row.declines = list.data();
    options.report(&row, options.reportUser);
  }
}

/// Bytes that kilnFreeBytes releases.
int giveBytes(const std::string &package, void **bytes, size_t *size) {
  *bytes = std::malloc(package.size());
  if (!*bytes)
    throw std::bad_alloc();
  std::memcpy(*bytes, package.data(), package.size());
  *size = package.size();
  return kDone;
}

/// The same for a package in an open file.
int giveFile(int file, size_t length, void **bytes, size_t *size) {
  *bytes = std::malloc(length);
  if (!*bytes)
    throw std::bad_alloc();
  for (size_t done = 0; done < length;) {
    ssize_t got = pread(file, static_cast<char *>(*bytes) + done, length - done,
                        off_t(done));
    if (got > 0)
      done += size_t(got);
    else if (got == 0 || errno != EINTR)
      return std::free(std::exchange(*bytes, nullptr)), kInputFailed;
  }
  *size = length;
  return kDone;
}

/// Whether a child process was asked to be left out.
bool isInProcess(const CompileOptions &options) {
  const char *direct = std::getenv("KILN_NO_CHILD");
  return options.inProcess || (direct && *direct == '1');
}

int wrongUsage(const Request &request, const llvm::Twine &what) {
  request.diag(("error: " + what).str());
  return kWrongUsage;
}

/// Opens the input of a request; a pipe or the standard input is read.
int openInput(Request &request, const char *path) {
  auto fail = [&](const llvm::Twine &why) {
    request.diag((request.name + ":1:1: error: cannot be read: " + why).str());
    return int(kInputFailed);
  };
  struct stat info;
  bool isStandard = StringRef(path) == "-";
  if (!isStandard) {
    request.file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (request.file < 0 || fstat(request.file, &info))
      return fail(std::strerror(errno));
    if (S_ISDIR(info.st_mode))
      return fail(std::strerror(EISDIR));
    if (S_ISREG(info.st_mode))
      return kDone;
    if (kiln::runtime::isEndless(path))
      return fail("is a device without an end");
  }
  auto read = isStandard
                  ? llvm::MemoryBuffer::getSTDIN()
                  : llvm::MemoryBuffer::getOpenFile(request.file, path, -1);
  if (!read)
    return fail(read.getError().message());
  request.buffer = std::move(*read);
  if (request.file >= 0)
    close(std::exchange(request.file, -1));
  return kDone;
}

int compileRequest(Request &request, const char *path, size_t numArgs,
                   const char *const *args, const KilnCompileOptions &options,
                   void **bytes, size_t *size) {
  std::string error;
  if (numArgs)
    request.args.assign(args, args + numArgs);
  if (!CompileOptions::parse(request.args, request.options, error))
    return wrongUsage(request, error);
  if (request.options.emit != Emit::Package)
    return wrongUsage(request, "expected --emit=package");
  if (!request.options.output.empty())
    return wrongUsage(request, "expected no -o, as the package is handed over");
  if (request.options.targets.empty())
    return wrongUsage(request, "expected --target=SPEC");
  if (options.report) {
    if (request.options.explain)
      return wrongUsage(request, "expected either a callback for the report or "
                                 "--explain, found both");
    request.report = [&](StringRef json) { giveReport(json, options); };
  }
  // Negative and NaN, too.
  if (!(options.timeLimit >= 0))
    return wrongUsage(request, "expected a time limit of at least 0 s");
  request.seconds = options.timeLimit;
  bool isHere = isInProcess(request.options);
  if (isHere && request.seconds > 0)
    return wrongUsage(request, "a time limit needs a process apart, which "
                               "--in-process or KILN_NO_CHILD=1 rule out");
  if (path)
    if (int status = openInput(request, path))
      return status;
  if (!isHere)
    return compileApart(request, [&](int file, size_t length) {
      return giveFile(file, length, bytes, size);
    });
  std::string package;
  int status = compileHere(request, package);
  return status == kDone ? giveBytes(package, bytes, size) : status;
}
} // namespace

extern "C" int kilnCompile(const char *name, const void *input,
                           size_t inputSize, size_t numArgs,
                           const char *const *args,
                           const KilnCompileOptions *given, void **bytes,
                           size_t *size) {
  if (bytes)
    *bytes = nullptr;
  if (size)
    *size = 0;
  KilnCompileOptions options = readOptions(given);
  Request request;
  request.name = name ? name : "<input>";
  if (request.name == "-" && !input)
    request.name = "<stdin>";
  request.diag = [&](StringRef line) {
    if (options.diagnostic)
      options.diagnostic(line.str().c_str(), options.diagnosticUser);
  };
  bool hasAll = bytes && size && (name || input) && (args || !numArgs);
  for (size_t i = 0; hasAll && i < numArgs; ++i)
    hasAll = args[i];
  if (!hasAll)
    return wrongUsage(request, "expected an input, arguments and places for "
                               "the result, found a null pointer");
  int status = kInputFailed;
  try {
    // Parsers want a zero behind the text.
    if (input)
      request.buffer = llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(static_cast<const char *>(input), inputSize), request.name);
    status = compileRequest(request,
                            input  ? nullptr
                            : name ? name
                                   : "",
                            numArgs, args, options, bytes, size);
  } catch (const std::bad_alloc &) {
    request.diag(request.name + ":1:1: error: out of memory while compiling");
  } catch (const std::exception &e) {
    request.diag(request.name + ":1:1: error: " + e.what());
  }
  if (request.file >= 0)
    close(request.file);
  return status;
}

extern "C" int kilnCompileBuffer(const void *input, size_t inputSize,
                                 const char *name, size_t numArgs,
                                 const char *const *args,
                                 KilnDiagnosticHandler diag, void *user,
                                 void **bytes, size_t *size) {
  KilnCompileOptions options = {};
  options.structSize = sizeof options;
  options.diagnostic = diag;
  options.diagnosticUser = user;
  // An empty input may well be nowhere; a null one would mean a file.
  bool isMissing = !input && inputSize;
  return kilnCompile(isMissing ? nullptr : name,
                     input || isMissing ? input : "", inputSize, numArgs, args,
                     &options, bytes, size);
}

extern "C" int kilnCompileFile(const char *input, size_t numArgs,
                               const char *const *args,
                               KilnDiagnosticHandler diag, void *user,
                               void **bytes, size_t *size) {
  KilnCompileOptions options = {};
  options.structSize = sizeof options;
  options.diagnostic = diag;
  options.diagnosticUser = user;
  return kilnCompile(input, nullptr, 0, numArgs, args, &options, bytes, size);
}

extern "C" void kilnFreeBytes(void *bytes) { std::free(bytes); }
