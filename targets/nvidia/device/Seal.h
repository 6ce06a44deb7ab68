// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target writes and the driver reads: the mark before a cubin, and the
// variable of modules that tell the host something.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_SEAL_H
#define KILN_TARGETS_NVIDIA_DEVICE_SEAL_H

namespace kiln::nvidia {

/// What stands before a cubin in a module, with the CRC-32 of its bytes behind
/// it (little-endian): CUDA's loader crashes on damaged ones.
constexpr char kCubinMark[8] = {'K', 'I', 'L', 'N', 'C', 'U', 'B', '1'};

/// The name of the variable of kiln/Gpu/OutputRecord.h.
constexpr char kOutputSymbol[] = "kiln_output";

} // namespace kiln::nvidia

#endif
