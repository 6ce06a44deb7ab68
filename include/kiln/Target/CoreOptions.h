//===- CoreOptions.h - Keys that every target has ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_COREOPTIONS_H
#define KILN_TARGET_COREOPTIONS_H

#include "kiln/Target/Target.h"

namespace kiln::target {

/// The keys of a target specification that the core reads, for any target.
std::vector<OptionInfo> coreOptions();

} // namespace kiln::target

#endif // KILN_TARGET_COREOPTIONS_H
