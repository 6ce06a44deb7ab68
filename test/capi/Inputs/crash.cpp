// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plug-in whose option crash=1 of cpu ends the compiler, hang=1 stops it.
#include "kiln/Target/Plugin.h"
#include <unistd.h>

using namespace kiln::target;

static void registerAll(TargetRegistry &registry) {
  registry.addOption("cpu", {"crash", "0|1", "end the compiler"});
  registry.addOption("cpu", {"hang", "0|1", "stop the compiler"});
  registry.addPass("cpu.tile", "crash",
                   [](mlir::OpPassManager &, const TargetOptions &options) {
                     if (options.getBool("crash", false))
                       *static_cast<volatile int *>(nullptr) = 0;
                     while (options.getBool("hang", false))
                       pause();
                   });
}

KILN_TARGET_PLUGIN("crash", "1.0", registerAll)
