//===- Worker.cpp - Compiling in this process or in one apart -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Worker.h"
#include "Context.h"
#include "Guard.h"
#include "WorkerServer.h"
#include "kiln/Eval/Register.h"
#include "kiln/Isolated/IsolatedTarget.h"
#include "kiln/System/Process.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/ActivityBoard.h"
#include "kiln/Target/PluginLoader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::driver;
using llvm::StringRef;

namespace {
/// Closes a descriptor.
struct Descriptor {
  explicit Descriptor(int fd = -1) : fd(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor &) = delete;
  void reset() {
    if (fd >= 0)
      close(std::exchange(fd, -1));
  }
  int fd;
};

/// What a record holds.
enum class Record : char { Diagnostic = 'd', Report = 'r', Status = 's' };

/// Writes records: a letter, four bytes of length, the text.
class RecordWriter {
public:
  explicit RecordWriter(int fd) : fd(fd) {}

  void write(Record kind, StringRef text) {
    std::lock_guard<std::mutex> lock(mutex);
    uint32_t size = uint32_t(text.size());
    char header[5] = {static_cast<char>(kind)};
    std::memcpy(header + 1, &size, sizeof size);
    (void)(runtime::writeFully(fd, header, sizeof header) &&
           runtime::writeFully(fd, text.data(), size));
  }

private:
  int fd;
  std::mutex mutex;
};

/// Puts records together from what comes through a pipe.
class RecordReader {
public:
  template <typename Fn> void take(const char *bytes, size_t size, Fn each) {
    text.append(bytes, size);
    size_t at = 0;
    uint32_t length;
    while (text.size() - at >= 5) {
      std::memcpy(&length, text.data() + at + 1, sizeof length);
      if (text.size() - at - 5 < length)
        break;
      each(static_cast<Record>(text[at]),
           StringRef(text).substr(at + 5, length));
      at += 5 + length;
    }
    text.erase(0, at);
  }

private:
  std::string text;
};

/// In the child or the helper: compiles, writes the package and the records.
int compileInChild(Request &request, int package, int records,
                   target::SharedActivities &activities) {
  RecordWriter writer(records);
  activities.use();
  keepContexts();
  request.diag = [&](StringRef line) {
    writer.write(Record::Diagnostic, line);
  };
  if (request.report)
    request.report = [&](StringRef json) {
      writer.write(Record::Report, json);
    };
  // A signal handler can keep no reference.
  static int lostRecords;
  lostRecords = records;
  target::reportLostActivities(request.name, [](const char *line, size_t size) {
    char header[5] = {static_cast<char>(Record::Diagnostic)};
    auto length = uint32_t(size);
    std::memcpy(header + 1, &length, sizeof length);
    const char failed[6] = {static_cast<char>(Record::Status), 1, 0, 0, 0, 1};
    (void)(runtime::writeFully(lostRecords, header, sizeof header) &&
           runtime::writeFully(lostRecords, line, size) &&
           runtime::writeFully(lostRecords, failed, sizeof failed));
  });
  exitOnFatalErrors(request.name, [&](StringRef line) {
    writer.write(Record::Diagnostic, line);
    writer.write(Record::Status, StringRef("\1", 1));
  });
  std::string bytes;
  int status = compileHere(request, bytes);
  // This process ends without its destructors.
  isolated::endPrograms();
  if (status == kDone &&
      !runtime::writeFully(package, bytes.data(), bytes.size())) {
    request.diag("error: cannot hand over the package: " +
                 std::string(std::strerror(errno)));
    status = kInputFailed;
  }
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  char byte = static_cast<char>(status);
  writer.write(Record::Status, StringRef(&byte, 1));
  return status;
}

/// A file in memory that holds `bytes`; -1 when there is no room.
int fileInMemory(const char *name, StringRef bytes) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0 || runtime::writeFully(fd, bytes.data(), bytes.size()))
    return fd;
  close(fd);
  return -1;
}

/// Lets the helper program compile, in a process of its server or in one that
/// is started. On failure says why.
pid_t startWorker(const Request &request, int package, int records,
                  const target::SharedActivities &activities,
                  ServedWorker &served) {
  std::vector<std::string> args = {
      request.report ? "compile-with-report" : "compile", request.name};
  // What this process was given before counts there, too.
  for (const std::string &plugin : target::namedPlugins())
    args.push_back("--load-target=" + plugin);
  args.insert(args.end(), request.args.begin(), request.args.end());
  Descriptor copy(
      request.file >= 0
          ? -1
          : fileInMemory("kiln-input", request.buffer->getBuffer()));
  if (request.file < 0 && copy.fd < 0) {
    request.diag("error: cannot hand over the input: " +
                 std::string(std::strerror(errno)));
    return -1;
  }
  std::vector<int> fds = {request.file >= 0 ? request.file : copy.fd, package,
                          records, activities.descriptor()};
  std::string program = target::compileWorker();
  if (askServer(program, args, fds, served))
    return served.pid;
  auto child = runtime::startProgram(program, args, fds);
  if (child)
    return *child;
  request.diag("error: " + child.message() +
               " (KILN_COMPILE_WORKER names it; --in-process does without)");
  return -1;
}

/// Starts a child that compiles: a fork where that is safe, which saves loading
/// the compiler once more.
pid_t startChild(Request &request, int package, int records,
                 target::SharedActivities &activities, ServedWorker &served) {
  if (!runtime::isForkSafe())
    return startWorker(request, package, records, activities, served);
  if (!request.load())
    return -1;
  // What waits in buffers must not be written twice.
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    beginChild();
    _exit(compileInChild(request, package, records, activities));
  }
  if (child < 0)
    request.diag("error: cannot start a process: " +
                 std::string(std::strerror(errno)));
  return child;
}
} // namespace

bool kiln::driver::beginLoading(const std::vector<std::string> &named,
                                const DiagnosticSink &diag) {
  initializeCore();
  return target::loadPlugins(named, diag, target::NamedPrograms::Start);
}

bool Request::load() {
  if (buffer)
    return true;
  auto read = llvm::MemoryBuffer::getOpenFile(
      llvm::sys::fs::convertFDToNativeFile(file), name, -1);
  if (read) {
    buffer = std::move(*read);
    return true;
  }
  diag(name + ":1:1: error: cannot be read: " + read.getError().message());
  return false;
}

int kiln::driver::compileHere(Request &request, std::string &package) {
  if (!request.load())
    return kInputFailed;
  // Before there is a thread more, which would rule out a fork.
  if (!beginLoading(request.options.loadTargets, request.diag))
    return kInputFailed;
  return runDeep([&]() -> int {
    target::LoadedScope scope;
    CompileOptions options = request.options;
    if (request.report)
      options.explain = ".json";
    std::string report, error;
    int status = compile(options, request.buffer->getMemBufferRef(),
                         request.diag, package, report);
    if (request.report) {
      request.report(report);
    } else if (options.explain &&
               !writeOutput(options.explain->empty() ? "-" : *options.explain,
                            report, error)) {
      request.diag("error: " + error);
      return kInputFailed;
    }
    return status;
  });
}

int kiln::driver::compileApart(Request &request,
                               const std::function<int(int, size_t)> &take) {
  Descriptor package(memfd_create("kiln-package", MFD_CLOEXEC));
  int ends[2];
  if (package.fd < 0 || pipe2(ends, O_CLOEXEC)) {
    request.diag("error: cannot start a process: " +
                 std::string(std::strerror(errno)));
    return kInputFailed;
  }
  Descriptor reading(ends[0]), writing(ends[1]);
  std::unique_ptr<target::SharedActivities> activities =
      target::SharedActivities::create();
  if (activities->descriptor() < 0) {
    request.diag("error: cannot start a process: " +
                 std::string(std::strerror(errno)));
    return kInputFailed;
  }
  ServedWorker served;
  pid_t child =
      startChild(request, package.fd, writing.fd, *activities, served);
  writing.reset();
  if (child < 0)
    return kInputFailed;
  RecordReader reader;
  std::optional<int> status;
  bool inTime = runtime::readUntilEnd(
      reading.fd, request.seconds, [&](const char *bytes, size_t size) {
        reader.take(bytes, size, [&](Record kind, StringRef text) {
          if (kind == Record::Diagnostic)
            request.diag(text);
          else if (kind == Record::Report && request.report)
            request.report(text);
          else if (kind == Record::Status && !text.empty())
            status = text.front();
        });
        // Another child of the host may keep the pipe open for longer.
        return !status;
      });
  if (!inTime)
    kill(child, SIGKILL);
  // One that has said how it went is the server's to wait for.
  runtime::Ending ending;
  if (served.pid < 0)
    ending = runtime::awaitEnd(child);
  else if (!status)
    ending = served.awaitEnd();
  std::string place = request.name + ":1:1: error: ";
  if (!inTime) {
    std::string seconds;
    llvm::raw_string_ostream(seconds) << llvm::format("%g", request.seconds);
    request.diag(place + "the compiler did not come to an end within " +
                 seconds + " s");
    return kInputFailed;
  }
  if (!status) {
    std::string whose = activities->endMessage(
        request.name, ending.signal ? ending.describe() : "");
    request.diag(whose.empty()
                     ? place + "the compiler cannot process this input (" +
                           ending.describe() + ")"
                     : whose);
    return kInputFailed;
  }
  if (*status != kDone)
    return *status;
  struct stat info;
  if (fstat(package.fd, &info) == 0)
    return take(package.fd, size_t(info.st_size));
  request.diag("error: cannot read the package: " +
               std::string(std::strerror(errno)));
  return kInputFailed;
}

/// Compiling it loads what compiling anything needs.
static constexpr char kSmallProgram[] = R"mlir(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = prim.exp %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
)mlir";

static void compileSmallProgram() {
  Request request;
  request.name = "nothing";
  request.args = {"--target=cpu"};
  request.buffer = llvm::MemoryBuffer::getMemBuffer(kSmallProgram);
  request.diag = [](StringRef) {};
  std::string error, package;
  if (CompileOptions::parse(request.args, request.options, error))
    (void)compileHere(request, package);
}

static bool isCompilation(StringRef mode) {
  return mode == "compile" || mode == "compile-with-report";
}

/// Compiles in the helper: the mode, the name of the input and the arguments;
/// the input, the package, records and activities.
static int compileAsAsked(const std::vector<std::string> &words,
                          const std::vector<int> &fds) {
  Request request;
  std::string error;
  if (words.size() < 2 || fds.size() != 4 || !isCompilation(words[0]))
    return kWrongUsage;
  request.name = words[1];
  request.args.assign(words.begin() + 2, words.end());
  request.file = fds[0];
  if (words[0] == "compile-with-report")
    request.report = [](StringRef) {};
  // Parsed by the caller before it sent them.
  if (!CompileOptions::parse(request.args, request.options, error))
    return kWrongUsage;
  target::SharedActivities activities(fds[3]);
  return compileInChild(request, fds[1], fds[2], activities);
}

int kiln::driver::workerMain(int argc, char **argv) {
  StringRef mode = argc > 1 ? argv[1] : "";
  if (mode == "try") {
    runtime::beginHelper(2);
    initializeCore();
    int printed = fcntl(4, F_GETFD) < 0 ? -1 : 4;
    target::runTrial(std::vector<std::string>(argv + 2, argv + argc), 3,
                     printed);
  }
  if (mode == "read") {
    runtime::beginHelper(1);
    auto file = llvm::MemoryBuffer::getOpenFile(
        llvm::sys::fs::convertFDToNativeFile(3), "module", -1);
    if (file)
      eval::tryModule((*file)->getBuffer());
    return eval::kModuleRefused;
  }
  if (mode == "serve" && fcntl(3, F_GETFD) >= 0) {
    runtime::beginHelper(1);
    // A forked process gets its pages of the compiler when it first uses them,
    // which takes one that compiles something small a fourth of its time.
    serve(3, compileAsAsked, compileSmallProgram, [] {
      compileSmallProgram();
      prepareContext();
    });
  }
  if (argc < 3 || fcntl(6, F_GETFD) < 0 || !isCompilation(mode)) {
    llvm::errs() << "kiln-compile-worker: error: this program is started by "
                    "libKiln.so\n";
    return kWrongUsage;
  }
  runtime::beginHelper(4);
  // What plug-ins do at exit must not count any more.
  _exit(compileAsAsked(std::vector<std::string>(argv + 1, argv + argc),
                       {3, 4, 5, 6}));
}
