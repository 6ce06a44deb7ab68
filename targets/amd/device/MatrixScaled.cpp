// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CDNA4's matrix instructions on floats of 8, 6 and 4 bits of either operand,
// with a scale for each 32 elements ("V_MFMA_SCALE_F32_16X16X128_F8F6F4"), and
// its conversions with scales.
#include "MatrixValues.h"

using namespace kiln::amd::sim;

namespace {
/// cbsz and blgp say the formats of the operands.
bool formatOf(unsigned code, Element &format) {
  constexpr Element formats[] = {Element::Fp8, Element::Bf8, Element::Fp6,
                                 Element::Bf6, Element::Fp4};
  if (code >= std::size(formats))
    return false;
  format = formats[code];
  return true;
}

/// The scales of the lanes: powers of two, their exponents in one byte of a
/// register, or a constant. 255 is NaN.
void readScales(Wave &wave, const Inst &inst, unsigned index, double *out) {
  alignas(64) uint32_t space[kMaxLanes];
  const uint32_t *lanes = words(wave, inst, inst.ops[index], 0, space, false);
  unsigned bit = index - 4;
  unsigned byte = ((inst.opSel >> bit) & 1) + 2 * ((inst.opSelHi >> bit) & 1);
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    auto exponent = int((lanes[l] >> (8 * byte)) & 0xff);
    out[l] = exponent == 255 ? std::numeric_limits<double>::quiet_NaN()
                             : std::ldexp(1.0, exponent - 127);
  }
}

/// Where element `e` of a group of lanes is along the summed dimension, of `k`.
/// Narrow elements of a lane are in a row; of those of 8 bits 16 are, and the
/// other 16 in the second half.
unsigned placeOfElement(Element type, unsigned group, unsigned e, unsigned k) {
  constexpr unsigned kEach = 32, kPiece = 16;
  if (bitsOf(type) < 8)
    return group * kEach + e;
  return e / kPiece * (k / 2) + group * kPiece + e % kPiece;
}

/// v_mfma dst, lhs, rhs, acc [, scales of lhs, scales of rhs]. A lane has 32
/// elements of a row or column, and the scale of the 32 that are as many as the
/// group of the lane. `aux`: rows of the results.
void runScaled(Wave &wave, const Inst &inst) {
  constexpr unsigned kEach = 32;
  unsigned m = inst.aux, parts = kMaxLanes / m, k = parts * kEach;
  MatrixRow row = {"", uint16_t(m),  uint16_t(m),  uint16_t(k),
                   1,  Element::Fp8, Element::Fp8, false};
  if (!formatOf(inst.flags & 0xff, row.lhs) ||
      !formatOf(inst.flags >> 16, row.rhs))
    wave.fail("the instruction has a format of its operands that is not known");
  wave.sourceMask = ~uint64_t(0);
  static thread_local Elements lhs, rhs;
  static thread_local Product product;
  lhs.read(wave, inst.ops[1], kEach, row.lhs);
  rhs.read(wave, inst.ops[2], kEach, row.rhs);
  double lhsScales[kMaxLanes], rhsScales[kMaxLanes];
  std::fill_n(lhsScales, kMaxLanes, 1.0);
  std::fill_n(rhsScales, kMaxLanes, 1.0);
  if (inst.numOps > 5) {
    readScales(wave, inst, 4, lhsScales);
    readScales(wave, inst, 5, rhsScales);
  }
  unsigned results = m * m / kMaxLanes;
  touchAccumulator(wave, inst.ops[3], results);
  for (unsigned lane = 0; lane < kMaxLanes; ++lane)
    for (unsigned e = 0; e < kEach; ++e) {
      unsigned i = lane % m;
      unsigned s = placeOfElement(row.lhs, lane / m, e, k);
      product.lhs[i][s] = lhs.v[e][lane] * lhsScales[s / kEach * m + i];
      s = placeOfElement(row.rhs, lane / m, e, k);
      product.rhs[s][i] = rhs.v[e][lane] * rhsScales[s / kEach * m + i];
    }
  unsigned lane, reg;
  alignas(64) uint32_t out[16][kMaxLanes];
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < m; ++j) {
      placeOf(row, 0, i, j, lane, reg);
      product.sums[i][j] = decode(wave, inst.ops[3], lane, reg, row);
    }
  product.multiply(m, m, k);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < m; ++j) {
      placeOf(row, 0, i, j, lane, reg);
      out[reg][lane] = uint32_t(encode(product.sums[i][j], row, false));
    }
  wave.sourceMask = ~uint64_t(0);
  for (unsigned i = 0; i < results; ++i)
    writeWord(wave, inst.ops[0].reg + i, out[i], ~uint64_t(0));
}

//===----------------------------------------------------------------------===//
// Conversions with a scale
//===----------------------------------------------------------------------===//

/// The type of the wide side of a conversion.
enum class Wide : uint8_t { F32, F16, BF16 };
float fromHalf(uint32_t bits, Wide type) {
  auto half = uint16_t(bits);
  return type == Wide::F16 ? float(std::bit_cast<Half>(half))
                           : toFloat(Bf16{half});
}
uint32_t toHalf(float value, Wide type) {
  return type == Wide::F16 ? std::bit_cast<uint16_t>(Half(value))
                           : toBf16(value).bits;
}
/// The exponent of a scale, of which the rest does not matter.
int exponentOf(uint32_t scale) { return int((scale >> 23) & 0xff) - 127; }

template <Element small> float widenElement(uint32_t code) {
  return small == Element::Fp4
             ? widenSmall(code & 15, kE2M1)
             : widen(uint8_t(code), small == Element::Fp8 ? kE4M3 : kE5M2);
}
template <Element small> uint32_t narrowElement(float x, bool saturates) {
  return small == Element::Fp4
             ? narrowSmall(x, kE2M1)
             : narrow(x, small == Element::Fp8 ? kE4M3 : kE5M2, saturates);
}

/// v_cvt_scalef32_pk_fp8_f32 dst, x, y, scale; of 16 bits: dst, xy, scale. Two
/// results in the byte or half that op_sel chooses; the rest stays.
template <Element small, Wide wide>
void runToSmall(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, y, scale;
  constexpr bool isSingle = wide == Wide::F32;
  constexpr unsigned bits = small == Element::Fp4 ? 4 : 8;
  if constexpr (isSingle) {
    Lanes<float> first, second;
    load(wave, inst, 1, first.v, true);
    load(wave, inst, 2, second.v, false);
    std::memcpy(x.v, first.v, sizeof x.v);
    std::memcpy(y.v, second.v, sizeof y.v);
  } else {
    load(wave, inst, 1, x.v, true);
  }
  load(wave, inst, isSingle ? 3 : 2, scale.v, false);
  unsigned at =
      bits == 4 ? ((inst.opSel >> 2) & 3) * 8 : (inst.opSel >> 3) * 16;
  uint32_t ones = (1u << (2 * bits)) - 1;
  bool saturates = inst.clamp || (wave.mode >> 23) & 1;
  unsigned to = inst.ops[0].reg;
  wave.touchVector(to);
  alignas(64) uint32_t out[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    float low =
        isSingle ? std::bit_cast<float>(x.v[l]) : fromHalf(x.v[l], wide);
    float high =
        isSingle ? std::bit_cast<float>(y.v[l]) : fromHalf(x.v[l] >> 16, wide);
    int by = -exponentOf(scale.v[l]);
    uint32_t both = narrowElement<small>(std::ldexp(low, by), saturates) |
                    narrowElement<small>(std::ldexp(high, by), saturates)
                        << bits;
    out[l] = (wave.v[to].lane[l] & ~(ones << at)) | both << at;
  }
  writeWord(wave, to, out, writtenLanes(wave, inst));
}

/// v_cvt_scalef32_pk_f32_fp8 dst, xy, scale: two elements of a byte or half.
template <Element small, Wide wide>
void runFromSmall(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, scale;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, scale.v, false);
  constexpr unsigned bits = small == Element::Fp4 ? 4 : 8;
  unsigned at = bits == 4 ? (inst.opSel & 3) * 8 : (inst.opSel & 1) * 16;
  alignas(64) uint32_t low[kMaxLanes], high[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    int by = exponentOf(scale.v[l]);
    uint32_t codes = x.v[l] >> at;
    float first = std::ldexp(widenElement<small>(codes), by);
    float second = std::ldexp(widenElement<small>(codes >> bits), by);
    if (wide == Wide::F32) {
      low[l] = std::bit_cast<uint32_t>(first);
      high[l] = std::bit_cast<uint32_t>(second);
    } else {
      low[l] = toHalf(first, wide) | toHalf(second, wide) << 16;
    }
  }
  uint64_t mask = writtenLanes(wave, inst);
  writeWord(wave, inst.ops[0].reg, low, mask);
  if (wide == Wide::F32)
    writeWord(wave, inst.ops[0].reg + 1, high, mask);
}

/// v_cvt_scalef32_f32_fp8 dst, x, scale: one byte of x.
template <Element small, Wide wide>
void runFromOne(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, scale;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, scale.v, false);
  unsigned at = (inst.opSel & 3) * 8;
  alignas(64) uint32_t out[kMaxLanes];
  alignas(64) uint16_t halves[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    float value =
        std::ldexp(widenElement<small>(x.v[l] >> at), exponentOf(scale.v[l]));
    out[l] = std::bit_cast<uint32_t>(value);
    halves[l] = uint16_t(toHalf(value, Wide::F16));
  }
  if (wide == Wide::F32)
    writeWord(wave, inst.ops[0].reg, out, writtenLanes(wave, inst));
  else
    writeHalf(wave, inst, inst.ops[0], halves, (inst.opSel >> 3) & 1);
}

template <Element small, Wide wide>
void addPairs(Table &t, const std::string &narrow, const std::string &large) {
  Entry entry;
  entry.keepsHalf = true;
  entry.types.fill(Type::F32);
  entry.run = runToSmall<small, wide>;
  t.add("v_cvt_scalef32_pk_" + narrow + "_" + large, entry);
  entry.run = runFromSmall<small, wide>;
  t.add("v_cvt_scalef32_pk_" + large + "_" + narrow, entry);
  if (small == Element::Fp4 || wide == Wide::BF16)
    return;
  entry.run = runFromOne<small, wide>;
  t.add("v_cvt_scalef32_" + large + "_" + narrow, entry);
}
template <Element small> void addSmall(Table &t, const char *name) {
  addPairs<small, Wide::F32>(t, name, "f32");
  addPairs<small, Wide::F16>(t, name, "f16");
  addPairs<small, Wide::BF16>(t, name, "bf16");
}
} // namespace

void kiln::amd::sim::addScaledConversions(Table &t) {
  addSmall<Element::Fp8>(t, "fp8");
  addSmall<Element::Bf8>(t, "bf8");
  addSmall<Element::Fp4>(t, "fp4");
  Entry entry;
  entry.kind = Class::Matrix;
  entry.types.fill(Type::F32);
  entry.types[4] = entry.types[5] = Type::B32;
  entry.run = runScaled;
  for (auto [size, rows] : {std::pair("16x16x128", 16), {"32x32x64", 32}}) {
    entry.aux = uint8_t(rows);
    for (const char *stem : {"v_mfma_f32_", "v_mfma_scale_f32_"})
      t.add(std::string(stem) + size + "_f8f6f4", entry);
  }
}
