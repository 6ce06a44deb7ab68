// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index mode of CDNA's vector registers.
#ifndef KILN_TARGETS_AMD_DEVICE_RELATIVE_H
#define KILN_TARGETS_AMD_DEVICE_RELATIVE_H

#include "Values.h"

namespace kiln::amd::sim {

/// The bits that `gpr_idx(SRC0,DST)` stands for.
uint32_t indexModeOf(const std::string &text);

/// Runs an instruction whose vector registers are shifted by M0, as the index
/// mode says.
void runIndexed(Wave &wave, const Inst &inst);

} // namespace kiln::amd::sim

#endif
