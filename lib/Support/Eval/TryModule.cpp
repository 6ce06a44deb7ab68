// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading modules that may harm the reader.
#include "kiln/Eval/Register.h"
#include "kiln/Interfaces/BytecodeTables.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;

template <typename Resource>
static void limit(Resource resource, rlim_t value) {
  rlimit both = {value, value};
  setrlimit(resource, &both);
}

/// Bytes of address space that this process uses.
static rlim_t usedMemory() {
  unsigned long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * sysconf(_SC_PAGESIZE);
}

void kiln::eval::tryModule(llvm::StringRef bytes) {
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
    signal(number, SIG_DFL);
  std::set_new_handler(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Some mutated bytes make the reader loop, or ask for all memory.
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 5 + bytes.size() / (16 << 20));
  limit(RLIMIT_AS, usedMemory() + (rlim_t(2) << 30) + 8 * bytes.size());
  int quiet = open("/dev/null", O_WRONLY);
  if (quiet >= 0)
    dup2(quiet, 2);
  if (!findTableDamage(bytes).empty())
    abort();
  DialectRegistry registry;
  registerEvaluation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  ParserConfig config(&context);
  _exit(parseSourceString<ModuleOp>(bytes, config, "module") ? kModuleRead
                                                             : kModuleRefused);
}
