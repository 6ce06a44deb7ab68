// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target writes and the driver reads beside code objects.
#ifndef KILN_TARGETS_AMD_DEVICE_OUTPUT_H
#define KILN_TARGETS_AMD_DEVICE_OUTPUT_H

namespace kiln::amd {

/// The name of the variable of kiln/Gpu/OutputRecord.h in a code object.
constexpr char kOutputSymbol[] = "kiln_output";

} // namespace kiln::amd

#endif
