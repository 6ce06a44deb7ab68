// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CDNA4's conversions of 32 elements of 6 bits with a scale (manual,
// "V_CVT_SCALEF32_PK32_F32_FP6" and others).
#include "Float8.h"
#include "WideFloats.h"

using namespace kiln::amd::sim;

namespace {
/// Elements of an instruction, and the bits of a narrow one.
constexpr unsigned kElements = 32, kBits = 6;

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

/// What stands between the destination and the scale: all elements, two halves
/// whose elements alternate in the result, or elements and random bits.
enum class Sources : uint8_t { Whole, Halves, Random };

/// Replaces the elements of each lane by `convert`, which gets an element, the
/// exponent of the scale, and random bits.
template <Sources form = Sources::Whole, typename Convert>
void runOnElements(Wave &wave, const Inst &inst, unsigned sourceBits,
                   unsigned resultBits, Convert convert) {
  wave.sourceMask = ~uint64_t(0);
  constexpr bool isTwice = form == Sources::Halves;
  constexpr unsigned kScale = form == Sources::Whole ? 2 : 3;
  unsigned sources = kElements * sourceBits / 32;
  unsigned results = kElements * resultBits / 32;
  static thread_local std::array<Bits, kMaxLanes> from, to;
  to.fill({});
  alignas(64) uint32_t space[kMaxLanes], scales[kMaxLanes], seeds[kMaxLanes];
  for (unsigned i = 0; i < sources; ++i) {
    const Operand &op = inst.ops[isTwice ? 1 + i % 2 : 1];
    const uint32_t *lanes =
        words(wave, inst, op, isTwice ? i / 2 : i, space, false);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      from[l].words[i] = lanes[l];
  }
  const uint32_t *scale = words(wave, inst, inst.ops[kScale], 0, scales, false);
  const uint32_t *seed =
      form == Sources::Random
          ? words(wave, inst, inst.ops[kScale - 1], 0, seeds, false)
          : scale;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    // The rest of a scale does not matter.
    int exponent = int((scale[l] >> 23) & 0xff) - 127;
    uint32_t random = seed[l];
    for (unsigned e = 0; e < kElements; ++e) {
      to[l].set(
          e * resultBits, resultBits,
          convert(from[l].get(e * sourceBits, sourceBits), exponent, random));
      random = nextRandom(random);
    }
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
  runOnElements(wave, inst, kBits, bitsOf<wide>(),
                [](uint32_t code, int by, uint32_t) {
                  return toBits<wide>(
                      std::ldexp(widenSmall(code, isBf6 ? kE3M2 : kE2M3), by));
                });
}

/// v_cvt_scalef32_pk32_fp6_f16 dst[6], x[16], scale; of two halves of 16
/// elements: v_cvt_scalef32_2xpk16_fp6_f32 dst[6], x[16], y[16], scale.
template <bool isBf6, Wide wide, Sources form>
void runNarrow(Wave &wave, const Inst &inst) {
  runOnElements<form>(
      wave, inst, bitsOf<wide>(), kBits, [](uint32_t bits, int by, uint32_t) {
        return narrowSmall(std::ldexp(fromBits<wide>(bits), -by),
                           isBf6 ? kE3M2 : kE2M3);
      });
}

/// v_cvt_scalef32_sr_pk32_fp6_f16 dst[6], x[16], random, scale.
template <bool isBf6, Wide wide>
void runNarrowByBits(Wave &wave, const Inst &inst) {
  runOnElements<Sources::Random>(
      wave, inst, bitsOf<wide>(), kBits,
      [](uint32_t bits, int by, uint32_t random) {
        return narrowByBits(std::ldexp(fromBits<wide>(bits), -by),
                            isBf6 ? kE3M2 : kE2M3, mantissaOf<wide>(), random,
                            /*saturates=*/true);
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
  entry.run = runNarrow<isBf6, Wide::F16, Sources::Whole>;
  t.add(stem + small + "_f16", entry);
  entry.run = runNarrow<isBf6, Wide::BF16, Sources::Whole>;
  t.add(stem + small + "_bf16", entry);
  entry.run = runNarrow<isBf6, Wide::F32, Sources::Halves>;
  t.add("v_cvt_scalef32_2xpk16_" + small + "_f32", entry);
  const std::string byBits = "v_cvt_scalef32_sr_pk32_" + small;
  entry.run = runNarrowByBits<isBf6, Wide::F32>;
  t.add(byBits + "_f32", entry);
  entry.run = runNarrowByBits<isBf6, Wide::F16>;
  t.add(byBits + "_f16", entry);
  entry.run = runNarrowByBits<isBf6, Wide::BF16>;
  t.add(byBits + "_bf16", entry);
}
} // namespace

void kiln::amd::sim::addVectorFloat6(Table &t) {
  add<false>(t, "fp6");
  add<true>(t, "bf6");
}
