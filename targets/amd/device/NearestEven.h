// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers, whatever the mode of a wave says about rounding.
#ifndef KILN_TARGETS_AMD_DEVICE_NEARESTEVEN_H
#define KILN_TARGETS_AMD_DEVICE_NEARESTEVEN_H

namespace kiln::amd::sim {

/// The whole number that is nearest, of two the even one.
inline float nearestEven(float x) { return __builtin_roundevenf(x); }
inline double nearestEven(double x) { return __builtin_roundeven(x); }

} // namespace kiln::amd::sim

#endif
