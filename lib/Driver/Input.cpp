//===- Input.cpp - Reading programs ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Frontend/Passes.h"
#include "kiln/Interfaces/BytecodeTables.h"
#include "kiln/System/Process.h"
#include "kiln/Target/Activity.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

/// Seconds after which reading bytecode counts as hanging.
static constexpr unsigned kTrialSeconds = 120;
/// Seconds of a processor that it may take, and bytes that are worth one more.
static constexpr rlim_t kTrialWork = 3, kTrialBytesPerSecond = 1 << 20;
/// What reading bytecode may take in memory: counts in it that announce more
/// are wrong.
static constexpr rlim_t kTrialBytes = rlim_t(1) << 30;
static constexpr rlim_t kTrialBytesPerByte = 1024;
/// How a trial ends that ran out of memory, and one in which LLVM gave up.
static constexpr int kOutOfMemory = 3, kGaveUp = 4;

/// Lets this process have `more` bytes of data on top of what it has. False:
/// it has another limit already, or none can be set.
static bool limitData(rlim_t more) {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY ||
      getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
    return false;
  // Pages of all memory, of what is in memory, shared, of code, none, of data.
  constexpr unsigned kData = 5;
  auto file = llvm::MemoryBuffer::getFileAsStream("/proc/self/statm");
  if (!file)
    return false;
  SmallVector<StringRef> pages;
  (*file)->getBuffer().trim().split(pages, ' ');
  rlim_t data = 0;
  if (pages.size() <= kData || pages[kData].getAsInteger(10, data))
    return false;
  limit.rlim_cur = data * sysconf(_SC_PAGESIZE) + more;
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

/// Reads a module. Bytecode contains types and attributes as texts, and MLIR
/// says that an error in one is in a file of that name: such an error is handed
/// on as one in the input, with the beginning of the text.
static OwningOpRef<ModuleOp> parse(llvm::MemoryBufferRef input,
                                   const ParserConfig &config) {
  constexpr size_t kLongest = 80;
  StringRef name = input.getBufferIdentifier();
  if (!isBytecode(input))
    return parseSourceString<ModuleOp>(input.getBuffer(), config, name);
  MLIRContext *context = config.getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    auto place = diag.getLocation()->findInstanceOf<FileLineColLoc>();
    if (!place || place.getFilename() == name)
      return failure();
    StringRef text = place.getFilename();
    Diagnostic moved(FileLineColLoc::get(context, name, 0, 0),
                     diag.getSeverity());
    moved << diag.str() << " in the embedded text '"
          << text.take_front(kLongest)
          << (text.size() > kLongest ? "...'" : "'");
    context->getDiagEngine().emit(std::move(moved));
    return success();
  });
  return parseSourceString<ModuleOp>(input.getBuffer(), config, name);
}

/// Reads text or bytecode; null after an error.
static OwningOpRef<ModuleOp> parseAndVerify(llvm::MemoryBufferRef input,
                                            MLIRContext *context) {
  ParserConfig config(context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parse(input, config);
  if (module &&
      (failed(target::joinArgumentEntries(*module)) ||
       failed(tile::joinAllFacts(*module)) ||
       failed(frontend::checkShapes(*module)) || failed(verify(*module))))
    return {};
  return module;
}

/// Lets LLVM's fatal errors end the trial alone: the handler of its parent says
/// that the compiler has failed, and ends what the parent has begun.
static void endTrialOnFatalErrors() {
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler([](void *, const char *why, bool) {
    // A vector that exceeds its limit has the size that a count announces.
    _exit(StringRef(why).starts_with("SmallVector unable to grow")
              ? kOutOfMemory
              : kGaveUp);
  });
}

/// What has happened to a trial of `size` bytes that ended with `status`; empty
/// if nothing.
static std::string describeTrial(int status, size_t size) {
  if ((WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
      (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory))
    return "it announces more than a file of " + std::to_string(size) +
           " bytes can hold";
  if (WIFSIGNALED(status))
    return std::string("reading it ends with: ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == kGaveUp ? "reading it ends with a fatal error"
                                        : "";
}

/// Reads bytecode in a child that may crash. Returns what happened to it, or
/// nothing if it lived (whether or not the bytecode is valid).
static std::string tryBytecode(llvm::MemoryBufferRef input) {
  // A program with threads of its own has asked to compile in its process.
  pid_t child = kiln::runtime::isForkSafe() ? fork() : -1;
  if (child < 0)
    return "";
  if (child == 0) {
    for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
      std::signal(number, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0)
      dup2(null, 2);
    alarm(kTrialSeconds);
    rlim_t work = kTrialWork + input.getBufferSize() / kTrialBytesPerSecond;
    rlimit most{work, work + 1};
    setrlimit(RLIMIT_CPU, &most);
    // Where memory is limited by others, that there is none left is for the
    // parent to say.
    static bool isLimited;
    isLimited =
        limitData(kTrialBytes + kTrialBytesPerByte * input.getBufferSize());
    std::set_new_handler([] { _exit(isLimited ? kOutOfMemory : 0); });
    llvm::remove_bad_alloc_error_handler();
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
      _exit(isLimited ? kOutOfMemory : 0);
    });
    endTrialOnFatalErrors();
    DialectRegistry registry;
    registerInputDialects(registry);
    {
      MLIRContext context(registry, MLIRContext::Threading::DISABLED);
      ScopedDiagnosticHandler quiet(&context,
                                    [](Diagnostic &) { return success(); });
      OwningOpRef<ModuleOp> module = parseAndVerify(input, &context);
      // Printing touches what the verifier does not.
      if (module) {
        llvm::raw_null_ostream nowhere;
        module->print(nowhere);
      }
    } // What the reader has damaged may show only when it is freed.
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return describeTrial(status, input.getBufferSize());
}

/// Gives the input to the frontend whose format it has.
static OwningOpRef<ModuleOp> readForeign(const frontend::Frontend &frontend,
                                         llvm::MemoryBufferRef input,
                                         MLIRContext *context,
                                         DiagnosticPrinter &printer) {
  if (!llvm::isPrint(frontend.magic.front()))
    printer.setBinary();
  OwningOpRef<ModuleOp> module;
  unsigned before = printer.numErrors();
  std::string owner =
      target::describeOwner("frontend", frontend.name, frontend.plugin);
  OwningOpRef<ModuleOp> place = ModuleOp::create(
      FileLineColLoc::get(context, input.getBufferIdentifier(), 1, 1));
  (void)target::runGuardedActivity(owner, *place, [&] {
    module = frontend.read(input, context);
    return success();
  });
  if (!module && printer.numErrors() == before)
    printer.error(owner + " read nothing, without saying why");
  if (module && failed(verify(*module))) {
    printer.note("note: in what " + owner + " made of the input");
    return {};
  }
  return module;
}

/// What frontends have to say about text that is to be parsed.
static std::optional<std::string> refusal(StringRef text) {
  for (const frontend::Frontend *frontend :
       frontend::FrontendRegistry::get().frontends())
    if (frontend->refuse)
      if (auto problem = frontend->refuse(text))
        return problem;
  return std::nullopt;
}

/// A note for a file whose name is that of a format which it does not have.
static void noteFormats(StringRef name, DiagnosticPrinter &printer) {
  for (const frontend::Frontend *frontend :
       frontend::FrontendRegistry::get().frontends())
    for (StringRef suffix : frontend->suffixes)
      if (!frontend->magic.empty() && name.ends_with(suffix)) {
        std::string magic;
        llvm::raw_string_ostream(magic).write_escaped(frontend->magic);
        printer.note("note: frontend '" + frontend->name + "' reads " +
                     suffix.str() + " files that begin with '" + magic + "'");
      }
}

OwningOpRef<ModuleOp> kiln::driver::readInput(llvm::MemoryBufferRef input,
                                              MLIRContext *context,
                                              DiagnosticPrinter &printer,
                                              bool isTrusted) {
  bool isBinary = isBytecode(input);
  if (isBinary) {
    printer.setBinary();
    std::string damage = findTableDamage(input.getBuffer());
    if (damage.empty() && !isTrusted)
      damage = tryBytecode(input);
    if (!damage.empty()) {
      printer.error("malformed bytecode: " + damage);
      return {};
    }
  }
  if (const auto *frontend =
          frontend::FrontendRegistry::get().findByMagic(input.getBuffer()))
    return readForeign(*frontend, input, context, printer);
  if (!isBinary) {
    auto problem = scanText(input.getBuffer());
    if (!problem)
      problem = refusal(input.getBuffer());
    if (problem) {
      printer.raw((input.getBufferIdentifier() + ":" + *problem).str());
      return {};
    }
  }
  OwningOpRef<ModuleOp> module = parseAndVerify(input, context);
  if (!module) {
    if (!printer.numErrors())
      printer.error("the input is not valid");
    noteFormats(input.getBufferIdentifier(), printer);
    return {};
  }
  return module;
}
