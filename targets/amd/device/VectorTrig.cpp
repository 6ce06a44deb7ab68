// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// v_trig_preop_f64: bits of 2/pi, by which device libraries reduce large angles
// (instruction set manuals, "V_TRIG_PREOP_F64").
#include "Values.h"

using namespace kiln::amd::sim;

namespace {
/// The fraction bits of 2/pi, the first one highest.
constexpr uint32_t kTwoOverPi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046, 0xfc7b6bab};
/// The bits that the instruction has; zeros follow.
constexpr unsigned kFractionBits = 1201, kSegmentBits = 53;

/// Segment `segment` of 53 bits, from where the exponent of x lets products
/// with x have a fraction.
double segmentOf(double x, uint32_t segment) {
  constexpr int kSmall = 1077, kLarge = 1968;
  int exponent = int(std::bit_cast<uint64_t>(x) >> 52) & 0x7ff;
  unsigned shift = (segment & 31) * kSegmentBits;
  if (exponent > kSmall)
    shift += unsigned(exponent - kSmall);
  uint64_t bits = 0;
  for (unsigned i = shift; i < shift + kSegmentBits; ++i) {
    bool isSet =
        i < kFractionBits && ((kTwoOverPi[i / 32] >> (31 - i % 32)) & 1);
    bits = bits << 1 | uint64_t(isSet);
  }
  int scale = -int(kSegmentBits) - int(shift) + (exponent >= kLarge ? 128 : 0);
  return std::ldexp(double(bits), scale);
}
} // namespace

void kiln::amd::sim::addVectorTrig(Table &t) {
  t.add("v_trig_preop_f64", vector<[](double x, uint32_t segment) -> double {
          return segmentOf(x, segment);
        }>());
}
