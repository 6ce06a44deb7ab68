// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plug-in whose option crash=1 of cpu crashes the compiler, hang=1 stops it,
// exit=1 and exit=2 end it.
#include "kiln/Target/Plugin.h"
#include <cstdlib>
#include <unistd.h>

using namespace kiln::target;

static void registerAll(TargetRegistry &registry) {
  registry.addOption("cpu", {"crash", "0|1", "end the compiler"});
  registry.addOption("cpu", {"hang", "0|1", "stop the compiler"});
  registry.addOption("cpu", {"exit", "0|1|2", "end it by exit, by _exit"});
  registry.addPass("cpu.tile", "crash",
                   [](mlir::OpPassManager &, const TargetOptions &options) {
                     if (options.getBool("crash", false))
                       *static_cast<volatile int *>(nullptr) = 0;
                     if (options.get("exit") == "1")
                       std::exit(0);
                     if (options.get("exit") == "2")
                       _exit(0);
                     while (options.getBool("hang", false))
                       pause();
                   });
}

KILN_TARGET_PLUGIN("crash", "1.0", registerAll)
