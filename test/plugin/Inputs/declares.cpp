// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plug-in that reads an entry of a dictionary in `extra`; ENTRY names it.
#include "kiln/Dialect/Kiln/ExtraCounts.h"
#include "kiln/Target/Plugin.h"

static const kiln::target::ExtraCounts kLimits("mine", "limits", {"size", ENTRY});

static void registerAll(kiln::target::TargetRegistry &registry) {
  registry.addDescribedTarget("#kiln.target<name = \"" ENTRY "\", chip = \"one\", "
                              "family = \"mine\", extra = {limits = {" ENTRY " = 4}}>");
}

KILN_TARGET_PLUGIN(ENTRY, "1.0", registerAll)
