//===- Requirements.h - What compiled code needs of a machine ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_CPU_REQUIREMENTS_H
#define KILN_TARGETS_CPU_REQUIREMENTS_H

#include "kiln/Dialect/Kiln/Description.h"
#include <string>
#include <vector>

namespace kiln::cpu_target {

/// Of the features that LLVM was told of, keeps those that code can contain;
/// adds the architecture, and the length of registers that the code is for.
void keepRequirements(target::TargetAttr description,
                      std::vector<std::string> &requirements);

} // namespace kiln::cpu_target

#endif // KILN_TARGETS_CPU_REQUIREMENTS_H
