// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the system stops: for accesses outside of all memory, say.
#ifndef KILN_TOOLS_KILN_RUN_FAULTS_H
#define KILN_TOOLS_KILN_RUN_FAULTS_H

namespace kiln::run {

/// Makes this process end with an error message and status 1, not by a signal,
/// when a kernel faults, or something else on the memory that it has left
/// behind. Faults before the first kernel, and those of children, stay what
/// they are.
void reportFaults();

} // namespace kiln::run

#endif
