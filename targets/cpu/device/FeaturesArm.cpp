// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an AArch64 processor can execute, as the auxiliary vector and prctl
// tell.
#if defined(__aarch64__)
#include "CodeFeatures.h"
#include "Features.h"
#include <sys/auxv.h>
#include <sys/prctl.h>

using namespace kiln::cpu_target;

/// The length of vector registers that a request to prctl gives, in bits; 0
/// where the system knows none (Linux, Documentation/arch/arm64/sve.rst and
/// sme.rst: the low 16 bits are bytes).
static uint64_t lengthOf(int request) {
  int found = prctl(request, 0, 0, 0, 0);
  return found < 0 ? 0 : uint64_t(found & 0xffff) * 8;
}

uint64_t kiln::cpu_target::vectorBits() {
  constexpr int kGetVectorLength = 51; // PR_SVE_GET_VL
  return lengthOf(kGetVectorLength);
}

uint64_t kiln::cpu_target::streamingBits() {
  constexpr int kGetStreamingLength = 64; // PR_SME_GET_VL
  return lengthOf(kGetStreamingLength);
}

bool kiln::cpu_target::fitsVectors(uint64_t wanted, uint64_t found) {
  // Code for one length is compiled with that length in its addresses.
  return wanted == found;
}

bool kiln::cpu_target::isUnusedFeature(std::string_view) { return false; }

std::optional<bool> kiln::cpu_target::hasFeature(std::string_view name) {
  for (const ArmFeature &feature : kArmFeatures)
    if (feature.name == name)
      return getauxval(feature.word == 1 ? AT_HWCAP : AT_HWCAP2) >>
                 feature.bit &
             1;
  return std::nullopt;
}

#endif // aarch64
