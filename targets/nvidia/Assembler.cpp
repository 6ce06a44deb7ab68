//===- Assembler.cpp - From PTX to cubins ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assembler.h"
#include "kiln/System/Process.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <mutex>

using namespace kiln;
using namespace kiln::nvidia;
using llvm::SmallString;
using llvm::StringRef;

/// Long enough for anything that comes to an end.
constexpr unsigned kSeconds = 500;

std::string nvidia::findAssembler(const target::TargetOptions &options,
                                  std::string &error) {
  if (std::optional<StringRef> given = options.get("ptxas")) {
    if (*given == "none")
      return "";
    if (llvm::sys::fs::can_execute(*given))
      return given->str();
    error = "option 'ptxas': '" + given->str() + "' cannot be executed";
    return "";
  }
  auto inside = [](StringRef root) -> std::string {
    SmallString<256> path(root);
    llvm::sys::path::append(path, "bin", "ptxas");
    return llvm::sys::fs::can_execute(path) ? path.str().str() : "";
  };
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable); root && *root)
      if (std::string found = inside(root); !found.empty())
        return found;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  return inside("/usr/local/cuda");
}

namespace {
/// Files that go when it goes.
class TemporaryFiles {
public:
  /// The path of a new file; empty on failure, of which `code` says why.
  std::string make(StringRef suffix, std::error_code &code) {
    SmallString<128> path;
    code = llvm::sys::fs::createTemporaryFile("kiln", suffix, path);
    if (code)
      return "";
    removers.push_back(std::make_unique<llvm::FileRemover>(path));
    return path.str().str();
  }

private:
  llvm::SmallVector<std::unique_ptr<llvm::FileRemover>> removers;
};
} // namespace

static std::string readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  return file ? (*file)->getBuffer().str() : "";
}

/// Runs the assembler and gives what it prints; false with `error` where it
/// fails.
static bool runAssembler(const std::string &assembler,
                         llvm::ArrayRef<StringRef> arguments,
                         std::string &printed, std::string &error) {
  std::vector<std::string> words;
  for (StringRef argument : arguments)
    words.push_back(argument.str());
  auto run = kiln::runtime::runProgram(assembler, words, {}, kSeconds);
  if (!run) {
    error = run.message();
    return false;
  }
  printed = run->printed;
  if (!run->succeeded())
    error = run->failure(assembler);
  return run->succeeded();
}

unsigned nvidia::newestPtxOf(const std::string &assembler) {
  static std::mutex lock;
  static llvm::StringMap<unsigned> known;
  std::lock_guard<std::mutex> guard(lock);
  auto [entry, isNew] = known.try_emplace(assembler, 0);
  if (!isNew)
    return entry->second;
  std::string printed, error;
  if (!runAssembler(assembler, {"--version"}, printed, error))
    return 0;
  StringRef text = StringRef(printed).split("release ").second;
  unsigned major = 0, minor = 0;
  if (text.consumeInteger(10, major) || !text.consume_front(".") ||
      text.consumeInteger(10, minor))
    return 0;
  // 12.0 brought PTX 8.0 and 13.0 brought 9.0; 12.6 brought none, and so there
  // is one less from there on.
  if (major == 12)
    entry->second = 80 + minor - (minor >= 6);
  else if (major > 12)
    entry->second = 90 + 10 * (major - 13) + minor;
  else if (major == 11)
    entry->second = 70 + std::min(minor, 8u);
  return entry->second;
}

/// "N bytes WORDS" somewhere in a line.
static int64_t bytesOf(StringRef line, StringRef words) {
  size_t at = line.find(words);
  if (at == StringRef::npos)
    return 0;
  StringRef number = line.take_front(at).rtrim();
  number.consume_back("bytes");
  number = number.rtrim();
  number = number.take_back(number.size() -
                            (number.find_last_not_of("0123456789") + 1));
  int64_t value = 0;
  return number.getAsInteger(10, value) ? 0 : value;
}

AssemblerLog nvidia::readLog(StringRef text) {
  AssemblerLog log;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string entry; // that lines are about
  auto quoted = [](StringRef line) {
    return line.split('\'').second.split('\'').first.str();
  };
  for (StringRef line : lines) {
    line = line.trim();
    StringRef words = line.split(": ").second.trim();
    // "ptxas FILE, line N; error   : TEXT", "ptxas fatal   : TEXT".
    if (line.contains("error   :") || line.starts_with("ptxas fatal")) {
      unsigned number = 0;
      StringRef rest = line.split(", line ").second;
      (void)rest.consumeInteger(10, number);
      if (number || log.errors.empty())
        log.errors.push_back({number, words.str()});
    } else if (line.starts_with("ptxas warning") || words.starts_with("(C7")) {
      std::string about = quoted(line.split("function").second);
      if (about.empty())
        about = words.split("entry ").second.split(' ').first.str();
      log.warnings.push_back({about, words.str()});
    } else if (words.starts_with("Compiling entry function")) {
      entry = quoted(words);
      log.kernels[entry];
    } else if (words.starts_with("Function properties for")) {
      entry = words.substr(sizeof("Function properties for")).trim("'").str();
    } else if (auto found = log.kernels.find(entry);
               found != log.kernels.end()) {
      KernelFacts &facts = found->second;
      if (line.contains("bytes stack frame")) {
        facts.stackBytes = bytesOf(line, "stack frame");
        facts.spillStores = bytesOf(line, "spill stores");
        facts.spillLoads = bytesOf(line, "spill loads");
      } else if (words.starts_with("Used ")) {
        facts.registers = bytesOf(words, "registers");
        facts.barriers = bytesOf(words, "barriers");
        facts.sharedBytes = bytesOf(words, "smem");
      }
    }
  }
  return log;
}

std::optional<std::string> nvidia::assemble(const std::string &assembler,
                                            StringRef ptx, StringRef cpu,
                                            AssemblerLog &log) {
  TemporaryFiles files;
  auto fail = [&](std::string why) {
    log.errors.push_back({0, std::move(why)});
    return std::nullopt;
  };
  std::error_code code;
  std::string in = files.make("ptx", code), out;
  if (!code)
    out = files.make("cubin", code);
  if (code)
    return fail("cannot create a temporary file: " + code.message());
  {
    llvm::raw_fd_ostream file(in, code);
    file << ptx;
    file.close();
    if (file.has_error()) {
      code = file.error();
      file.clear_error();
    }
  }
  if (code)
    return fail("cannot write a temporary file: " + code.message());
  std::string arch = "-arch=" + cpu.str();
  // Products and sums are fused where the code says so, and nowhere else.
  llvm::SmallVector<StringRef> arguments = {arch, "-v", "-O3", "--fmad=false",
                                            in,   "-o", out};
  if (ptx.contains("\t.loc\t"))
    arguments.push_back("-lineinfo");
  std::string printed, error;
  bool isDone = runAssembler(assembler, arguments, printed, error);
  log = readLog(printed);
  if (!isDone) {
    if (log.errors.empty())
      log.errors.push_back({0, error});
    return std::nullopt;
  }
  log.errors.clear();
  std::string cubin = readFile(out);
  if (cubin.empty())
    return fail(assembler + " wrote nothing");
  return cubin;
}
