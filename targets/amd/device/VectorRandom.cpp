// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CDNA4's conversions that random bits round (manual, "V_CVT_SR_F16_F32",
// "V_CVT_SCALEF32_SR_FP8_F32" and others). The manual does not say which bits
// count: as in AMD's functions for hosts, the upper ones.
#include "Float8.h"
#include "WideFloats.h"

using namespace kiln::amd::sim;

namespace {
/// v_cvt_sr_f16_f32 dst, x, random: a half of the result, the other one stays.
template <Wide wide> void runToHalf(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<float> x;
  Lanes<uint32_t> random;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, random.v, false);
  constexpr int kLeast = wide == Wide::F16 ? -14 : -126;
  constexpr int kKept = mantissaOf<wide>(), kCut = 23 - kKept;
  constexpr float kLargest = wide == Wide::F16 ? 65504.0f : 3.3895314e38f;
  alignas(64) uint16_t halves[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    float value = x.v[l], size = std::fabs(value);
    if (std::isfinite(value)) {
      int exponent = size == 0 ? kLeast : std::max(std::ilogb(size), kLeast);
      auto units = uint64_t(std::ldexp(double(size), kKept - exponent + kCut));
      units = (units + (random.v[l] >> (32 - kCut))) >> kCut;
      double rounded = std::ldexp(double(units), exponent - kKept);
      value = std::copysign(rounded > kLargest
                                ? std::numeric_limits<float>::infinity()
                                : float(rounded),
                            value);
    }
    halves[l] = uint16_t(toBits<wide>(value));
  }
  writeHalf(wave, inst, inst.ops[0], halves, (inst.opSel >> 3) & 1);
}

/// v_cvt_scalef32_sr_fp8_f32 dst, x, random, scale, and
/// v_cvt_scalef32_sr_pk_fp4 of two elements, of which the second has random
/// bits of its own: one byte of the result.
template <Wide wide, const Float8Format &format>
void runToByte(Wave &wave, const Inst &inst) {
  constexpr unsigned kBits = format.mantissaBits + format.exponentBits + 1;
  constexpr unsigned kCount = 8 / kBits;
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> random, scale;
  alignas(64) uint32_t codes[kCount][kMaxLanes];
  alignas(64) uint32_t space[kMaxLanes];
  for (unsigned n = 0; n < kCount; ++n) {
    bool isSecond = n && wide == Wide::F32;
    const uint32_t *from =
        words(wave, inst, inst.ops[1], isSecond ? 1 : 0, space, !isSecond);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      codes[n][l] = n && !isSecond ? from[l] >> 16 : from[l];
  }
  load(wave, inst, 2, random.v, false);
  load(wave, inst, 3, scale.v, false);
  bool saturates = inst.clamp || (wave.mode >> 23) & 1;
  unsigned shift = ((inst.opSel >> 2) & 3) * 8, to = inst.ops[0].reg;
  wave.touchVector(to);
  alignas(64) uint32_t out[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    int by = 127 - int((scale.v[l] >> 23) & 0xff);
    uint32_t byte = 0, bits = random.v[l];
    for (unsigned n = 0; n < kCount; ++n) {
      float value = std::ldexp(fromBits<wide>(codes[n][l]), by);
      byte |= narrowByBits(value, format, mantissaOf<wide>(), bits, saturates)
              << (n * kBits);
      bits = nextRandom(bits);
    }
    out[l] = (wave.v[to].lane[l] & ~(0xffu << shift)) | byte << shift;
  }
  writeWord(wave, to, out, writtenLanes(wave, inst));
}

template <Wide wide> void add(Table &t, const std::string &large) {
  Entry entry;
  entry.keepsHalf = true;
  entry.types.fill(Type::F32);
  entry.types[2] = Type::B32;
  entry.run = runToByte<wide, kE4M3>;
  t.add("v_cvt_scalef32_sr_fp8_" + large, entry);
  entry.run = runToByte<wide, kE5M2>;
  t.add("v_cvt_scalef32_sr_bf8_" + large, entry);
  entry.run = runToByte<wide, kE2M1>;
  t.add("v_cvt_scalef32_sr_pk_fp4_" + large, entry);
  if constexpr (wide != Wide::F32) {
    entry.run = runToHalf<wide>;
    t.add("v_cvt_sr_" + large + "_f32", entry);
  }
}
} // namespace

void kiln::amd::sim::addVectorRandom(Table &t) {
  add<Wide::F32>(t, "f32");
  add<Wide::F16>(t, "f16");
  add<Wide::BF16>(t, "bf16");
}
