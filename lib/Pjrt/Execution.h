// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls on the host and on a device have in common.
#ifndef KILN_LIB_PJRT_EXECUTION_H
#define KILN_LIB_PJRT_EXECUTION_H

#include "Objects.h"

namespace kiln::pjrt {

/// Whether an argument that the program writes can be written itself: its
/// caller agrees, and no other buffer uses the memory.
bool isDonated(const ExecuteArgs &args, size_t rank, size_t index);

} // namespace kiln::pjrt

#endif
