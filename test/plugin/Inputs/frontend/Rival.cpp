// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another frontend that takes TOSA for its own.
#include "kiln/Target/Plugin.h"

static void registerAll(kiln::target::TargetRegistry &registry) {
  kiln::frontend::Frontend rival;
  rival.name = "rival";
  rival.functions = {"func.func"};
  rival.dialects = {"tosa"};
  rival.pipeline = [](const kiln::frontend::Options &) -> std::string {
    return "no-such-pass";
  };
  registry.addFrontend(std::move(rival));
}

KILN_TARGET_PLUGIN("rival", "1.0", registerAll)
