// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CDNA4's conversions of 32 elements of 6 bits with a scale (manual,
// "V_CVT_SCALEF32_PK32_F32_FP6" and others).
#include "Float8.h"
#include "Values.h"

using namespace kiln::amd::sim;

namespace {
/// Elements of an instruction, and the bits of a narrow one.
constexpr unsigned kElements = 32, kBits = 6;

/// The type of the wide side of a conversion.
enum class Wide : uint8_t { F32, F16, BF16 };

/// The elements of a lane, in any number of words.
struct Bits {
  uint32_t words[kElements] = {};
  /// `bits` bits, from bit `at` on.
  uint32_t get(unsigned at, unsigned bits) const {
    uint64_t both = words[at / 32];
    if (at / 32 + 1 < kElements)
      both |= uint64_t(words[at / 32 + 1]) << 32;
    return uint32_t(both >> (at % 32)) & uint32_t((uint64_t(1) << bits) - 1);
  }
  void set(unsigned at, unsigned bits, uint32_t value) {
    uint64_t both = uint64_t(value) << (at % 32);
    words[at / 32] |= uint32_t(both);
    if (at % 32 + bits > 32)
      words[at / 32 + 1] |= uint32_t(both >> 32);
  }
};

template <Wide wide> constexpr unsigned bitsOf() {
  return wide == Wide::F32 ? 32 : 16;
}
template <Wide wide> float fromBits(uint32_t bits) {
  if (wide == Wide::F32)
    return std::bit_cast<float>(bits);
  return wide == Wide::F16 ? float(std::bit_cast<Half>(uint16_t(bits)))
                           : toFloat(Bf16{uint16_t(bits)});
}
template <Wide wide> uint32_t toBits(float value) {
  if (wide == Wide::F32)
    return std::bit_cast<uint32_t>(value);
  return wide == Wide::F16 ? std::bit_cast<uint16_t>(Half(value))
                           : toBf16(value).bits;
}

/// Replaces the elements of each lane, dst, x, scale, by `convert`, which gets
/// an element and the exponent of the scale.
template <typename Convert>
void runOnElements(Wave &wave, const Inst &inst, unsigned sourceBits,
                   unsigned resultBits, Convert convert) {
  wave.sourceMask = ~uint64_t(0);
  unsigned sources = kElements * sourceBits / 32;
  unsigned results = kElements * resultBits / 32;
  static thread_local std::array<Bits, kMaxLanes> from, to;
  to.fill({});
  alignas(64) uint32_t space[kMaxLanes], scales[kMaxLanes];
  for (unsigned i = 0; i < sources; ++i) {
    const uint32_t *lanes = words(wave, inst, inst.ops[1], i, space, false);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      from[l].words[i] = lanes[l];
  }
  const uint32_t *scale = words(wave, inst, inst.ops[2], 0, scales, false);
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    // The rest of a scale does not matter.
    int exponent = int((scale[l] >> 23) & 0xff) - 127;
    for (unsigned e = 0; e < kElements; ++e)
      to[l].set(e * resultBits, resultBits,
                convert(from[l].get(e * sourceBits, sourceBits), exponent));
  }
  uint64_t mask = writtenLanes(wave, inst);
  for (unsigned i = 0; i < results; ++i) {
    for (unsigned l = 0; l < kMaxLanes; ++l)
      space[l] = to[l].words[i];
    writeWord(wave, inst.ops[0].reg + i, space, mask);
  }
}

/// v_cvt_scalef32_pk32_f32_fp6 dst[32], x[6], scale; of 16 bits: dst[16].
template <bool isBf6, Wide wide> void runWiden(Wave &wave, const Inst &inst) {
  runOnElements(wave, inst, kBits, bitsOf<wide>(), [](uint32_t code, int by) {
    return toBits<wide>(
        std::ldexp(widenSmall(code, isBf6 ? kE3M2 : kE2M3), by));
  });
}

/// v_cvt_scalef32_pk32_fp6_f16 dst[6], x[16], scale.
template <bool isBf6, Wide wide> void runNarrow(Wave &wave, const Inst &inst) {
  runOnElements(wave, inst, bitsOf<wide>(), kBits, [](uint32_t bits, int by) {
    return narrowSmall(std::ldexp(fromBits<wide>(bits), -by),
                       isBf6 ? kE3M2 : kE2M3);
  });
}

template <bool isBf6> void add(Table &t, const std::string &small) {
  const std::string stem = "v_cvt_scalef32_pk32_";
  Entry entry;
  entry.types.fill(Type::F32);
  entry.run = runWiden<isBf6, Wide::F32>;
  t.add(stem + "f32_" + small, entry);
  entry.run = runWiden<isBf6, Wide::F16>;
  t.add(stem + "f16_" + small, entry);
  entry.run = runWiden<isBf6, Wide::BF16>;
  t.add(stem + "bf16_" + small, entry);
  entry.run = runNarrow<isBf6, Wide::F16>;
  t.add(stem + small + "_f16", entry);
  entry.run = runNarrow<isBf6, Wide::BF16>;
  t.add(stem + small + "_bf16", entry);
}
} // namespace

void kiln::amd::sim::addVectorFloat6(Table &t) {
  add<false>(t, "fp6");
  add<true>(t, "bf6");
}
