//===- Input.cpp - Reading programs ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/Process.h"
#include "kiln/Runtime/Tensor.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
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
/// More elements than any tensor in memory has.
static constexpr int64_t kMaxElements = int64_t(1) << 46;

/// Reads bytecode in a child that may crash. Returns what happened to it, or
/// nothing if it lived (whether or not the bytecode is valid).
static std::optional<std::string> tryBytecode(llvm::MemoryBufferRef input) {
  // Whoever compiles in a process with threads of its own has asked for it.
  pid_t child = kiln::runtime::isForkSafe() ? fork() : -1;
  if (child < 0)
    return std::nullopt;
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
    // That there is no memory left is for the parent to say.
    std::set_new_handler([] { _exit(0); });
    DialectRegistry registry;
    registerInputDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    ParserConfig config(&context);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        input.getBuffer(), config, input.getBufferIdentifier());
    // Printing touches what the verifier does not.
    if (module) {
      llvm::raw_null_ostream nowhere;
      module->print(nowhere);
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!WIFSIGNALED(status))
    return std::nullopt;
  return std::string(strsignal(WTERMSIG(status)));
}

/// What no tensor may be, or nothing.
static std::string refuseSize(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return "";
  if (shaped.getRank() > runtime::kMaxRank)
    return "has rank " + std::to_string(shaped.getRank()) +
           ", expected at most " + std::to_string(runtime::kMaxRank);
  int64_t count = 1;
  for (int64_t size : shaped.getShape()) {
    if (ShapedType::isDynamic(size) || size == 0)
      continue;
    if (size > kMaxElements / count)
      return "has more than 2^46 elements";
    count *= size;
  }
  return "";
}

LogicalResult kiln::driver::checkSizes(ModuleOp module) {
  auto check = [](Location loc, StringRef what, Type type) -> LogicalResult {
    std::string problem = refuseSize(type);
    if (problem.empty())
      return success();
    // A type of high rank is long to read.
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (text.size() > 80)
      text = text.substr(0, 80) + "...";
    return emitError(loc) << "unsupported: " << what << " of type " << text
                          << " " << problem;
  };
  WalkResult result = module.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (failed(check(op->getLoc(), "a value", value.getType())))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          if (failed(check(arg.getLoc(), "an argument", arg.getType())))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The place of an attribute or a region that only Triton's compiler for
/// graphics processors makes, which comes after what Kiln reads.
static std::optional<std::string> findGpuForm(StringRef text) {
  for (StringRef word : {"= #ttg.", "= #triton_gpu.", "ttg.warp_specialize"}) {
    size_t at = text.find(word);
    if (at == StringRef::npos)
      continue;
    StringRef before = text.take_front(at);
    size_t column = at - (before.rfind('\n') + 1) + 1;
    return std::to_string(before.count('\n') + 1) + ":" +
           std::to_string(column) +
           ": error: unsupported: Triton's form for graphics processors (a "
           ".ttgir file); give the .ttir that Triton writes beside it";
  }
  return std::nullopt;
}

OwningOpRef<ModuleOp> kiln::driver::readInput(llvm::MemoryBufferRef input,
                                              MLIRContext *context,
                                              DiagnosticPrinter &printer) {
  if (isBytecode(input)) {
    printer.setBinary();
    if (auto crash = tryBytecode(input)) {
      printer.error("malformed bytecode: reading it ends with: " + *crash);
      return {};
    }
  } else if (auto problem = scanText(input.getBuffer())) {
    printer.raw((input.getBufferIdentifier() + ":" + *problem).str());
    return {};
  } else if (auto form = findGpuForm(input.getBuffer())) {
    printer.raw((input.getBufferIdentifier() + ":" + *form).str());
    return {};
  }
  ParserConfig config(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      input.getBuffer(), config, input.getBufferIdentifier());
  if (!module) {
    if (!printer.numErrors())
      printer.error("the input is not valid");
    return {};
  }
  return module;
}

InputKind kiln::driver::detect(ModuleOp module) {
  InputKind kind;
  for (Operation &op : *module.getBody()) {
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect == "tile" || dialect == "program")
      kind.tile = true;
    else if (dialect == "tt")
      kind.triton = true;
    else if (isa<func::FuncOp>(op))
      kind.functions = true;
    else
      kind.frontend = true;
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      continue;
    // A function of prim has tensors only.
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    kind.frontend |= !function.isExternal() &&
                     !(llvm::all_of(function.getArgumentTypes(), isTensor) &&
                       llvm::all_of(function.getResultTypes(), isTensor));
    op.walk([&](Operation *inner) {
      StringRef name = inner->getName().getDialectNamespace();
      if (name != "prim" && name != "func" && name != "arith")
        kind.frontend = true;
      // On tensors arith belongs to the frontend.
      if (name == "arith")
        for (Type type : inner->getResultTypes())
          kind.frontend |= isa<ShapedType>(type);
      if (isa<func::CallOp>(inner))
        kind.frontend = true;
    });
  }
  return kind;
}
