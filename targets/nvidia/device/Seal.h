// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target writes before a cubin and the driver reads.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_SEAL_H
#define KILN_TARGETS_NVIDIA_DEVICE_SEAL_H

namespace kiln::nvidia {

/// What stands before a cubin in a module, with the CRC-32 of its bytes behind
/// it (little-endian): CUDA's loader crashes on damaged ones.
constexpr char kCubinMark[8] = {'K', 'I', 'L', 'N', 'C', 'U', 'B', '1'};

} // namespace kiln::nvidia

#endif
