// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making random programs that fail smaller.
#ifndef KILN_SDK_CONFORM_SHRINK_H
#define KILN_SDK_CONFORM_SHRINK_H

#include "Report.h"

namespace kiln::conform {

/// How programs are compiled and run again.
struct ShrinkOptions {
  PrepareOptions prepare;
  ExecuteOptions execute;
};

/// Makes random program `number` simpler as long as it fails: fewer steps, one
/// instance, dense views, f32 or i32, plain values or ones, smaller tiles. The
/// text of what is left; empty where it does not fail again.
std::string shrink(const Compiler &compiler, unsigned number,
                   const ShrinkOptions &options);

} // namespace kiln::conform

#endif
