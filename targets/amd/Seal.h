// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target writes behind a code object, and the driver checks: loaders
// are not told how many bytes there are, and trust them. Nothing reads behind
// the end of an ELF file otherwise.
#ifndef KILN_TARGETS_AMD_SEAL_H
#define KILN_TARGETS_AMD_SEAL_H

#include <cstdint>

namespace kiln::amd {

constexpr char kSealMark[8] = {'K', 'I', 'L', 'N', 'S', 'U', 'M', '1'};

/// Little-endian, as code objects are.
struct Seal {
  char mark[8];
  uint32_t sum;     ///< the CRC-32 of all that stands before the seal
  uint32_t version; ///< 0
};

} // namespace kiln::amd

#endif
