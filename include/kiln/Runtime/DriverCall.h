// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function of a device driver runs, for whoever has to say what went
// wrong in it.
#ifndef KILN_RUNTIME_DRIVERCALL_H
#define KILN_RUNTIME_DRIVERCALL_H

namespace kiln::runtime {

/// "driver 'npu' (libkiln-device-npu.so) while loading a module"; empty while no
/// driver runs. Safe in signal handlers. A kernel that is executed counts, too.
const char *currentDriverCall();

} // namespace kiln::runtime

#endif
