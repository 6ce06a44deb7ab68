// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that another compiler made, as a package.
#ifndef KILN_TOOLS_KILN_RUN_CODEOBJECT_H
#define KILN_TOOLS_KILN_RUN_CODEOBJECT_H

#include "Load.h"

namespace kiln::run {

/// Makes a package of the code in `options.codeObject`, with one kernel whose
/// parameters are what `options.args` gives: arrays are pointers to their first
/// element. The device driver compares them with what the code says of itself.
Loaded loadCodeObject(const Options &options);

} // namespace kiln::run

#endif
