// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from and to floats of 8 bits in every lane (manuals,
// "V_CVT_PK_FP8_F32" and others).
#include "Float8.h"
#include "Values.h"

using namespace kiln::amd::sim;

namespace {
Float8Format formatOf(Wave &wave, bool isBf8) {
  bool isOcp = wave.hasOcpFloat8();
  return isBf8 ? (isOcp ? kE5M2 : kE5M2Fnuz) : (isOcp ? kE4M3 : kE4M3Fnuz);
}

/// Whether numbers that are too large become the largest one.
bool saturates(const Wave &wave, const Inst &inst) {
  return inst.clamp || (wave.mode >> 23) & 1;
}

/// v_cvt_f32_fp8 dst, x: a byte that op_sel or SDWA chooses.
template <bool isBf8> void runFromByte(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x;
  Lanes<float> result;
  load(wave, inst, 1, x.v, true);
  unsigned byte = (inst.opSel & 1) * 2 + ((inst.opSel >> 1) & 1);
  if (inst.aux)
    byte = inst.aux & 3;
  if (inst.offset1)
    byte = unsigned(inst.offset1) & 3;
  Float8Format format = formatOf(wave, isBf8);
  for (unsigned l = 0; l < kMaxLanes; ++l)
    result.v[l] = widen(uint8_t(x.v[l] >> (8 * byte)), format);
  store(wave, inst, inst.ops[0], result.v);
}
/// v_cvt_pk_f32_fp8 dst[2], x: the two bytes of a half.
template <bool isBf8> void runFromBytes(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x;
  load(wave, inst, 1, x.v, true);
  unsigned shift = (inst.opSel & 1) || inst.ops[1].isHigh ? 16 : 0;
  Float8Format format = formatOf(wave, isBf8);
  for (unsigned word = 0; word < 2; ++word) {
    Lanes<float> result;
    for (unsigned l = 0; l < kMaxLanes; ++l)
      result.v[l] = widen(uint8_t(x.v[l] >> (shift + 8 * word)), format);
    modify(inst, result.v);
    alignas(64) uint32_t bits[kMaxLanes];
    std::memcpy(bits, result.v, sizeof bits);
    writeWord(wave, inst.ops[0].reg + word, bits, writtenLanes(wave, inst));
  }
}
/// v_cvt_pk_fp8_f32 dst, x, y: a half of the result, the other one stays.
template <bool isBf8> void runToBytes(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<float> x, y;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  Float8Format format = formatOf(wave, isBf8);
  bool isSaturated = saturates(wave, inst);
  alignas(64) uint16_t both[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l)
    both[l] = uint16_t(narrow(x.v[l], format, isSaturated) |
                       narrow(y.v[l], format, isSaturated) << 8);
  bool isHigh =
      inst.ops[0].isHigh || (inst.opSel >> 3) & 1 || (inst.opSel >> 2) & 1;
  writeHalf(wave, inst, inst.ops[0], both, isHigh);
}

/// v_cvt_sr_fp8_f32 dst, x, random: bits of the second operand are added to the
/// mantissa before it is rounded. One byte of the result changes.
template <bool isBf8> void runStochastic(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, random;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, random.v, false);
  if (inst.ops[1].absolute)
    for (uint32_t &bits : x.v)
      bits &= 0x7fffffff;
  if (inst.ops[1].negate)
    for (uint32_t &bits : x.v)
      bits ^= 0x80000000;
  Float8Format format = formatOf(wave, isBf8);
  unsigned byte =
      inst.offset1 ? unsigned(inst.offset1) & 3 : (inst.opSel >> 2) & 3;
  unsigned to = inst.ops[0].reg;
  wave.touchVector(to);
  constexpr uint32_t kMantissa = 0x7fffff;
  alignas(64) uint32_t bits[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    uint32_t sum = (x.v[l] & ~kMantissa) |
                   ((x.v[l] + (random.v[l] >> (isBf8 ? 11 : 12))) & kMantissa);
    uint32_t code =
        narrow(std::bit_cast<float>(sum), format, saturates(wave, inst));
    bits[l] = (wave.v[to].lane[l] & ~(0xffu << (8 * byte))) | code
                                                                  << (8 * byte);
  }
  writeWord(wave, to, bits, writtenLanes(wave, inst));
}
/// v_dot4_f32_fp8_bf8 dst, x, y, z: four products, added to z, which
/// neg_hi makes positive and neg_lo negates then.
template <bool isLeftBf8, bool isRightBf8>
void runDot(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, y;
  Lanes<float> z;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  load(wave, inst, 3, z.v, false);
  Float8Format left = formatOf(wave, isLeftBf8),
               right = formatOf(wave, isRightBf8);
  constexpr unsigned kBits = 32, kByte = 8, kLast = 2;
  bool isAbsolute = (inst.negHi >> kLast) & 1,
       negates = (inst.negLo >> kLast) & 1;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    double sum = isAbsolute ? std::fabs(z.v[l]) : z.v[l];
    sum = negates ? -sum : sum;
    for (unsigned at = 0; at < kBits; at += kByte)
      sum += double(widen(uint8_t(x.v[l] >> at), left)) *
             double(widen(uint8_t(y.v[l] >> at), right));
    z.v[l] = float(sum);
  }
  store(wave, inst, inst.ops[0], z.v);
}
} // namespace

void kiln::amd::sim::addVectorFloat8(Table &t) {
  Entry entry;
  entry.keepsHalf = true;
  auto add = [&](const char *name, Run run, Type type) {
    entry.run = run;
    entry.types.fill(type);
    t.add(name, entry);
  };
  add("v_cvt_f32_fp8", runFromByte<false>, Type::B32);
  add("v_cvt_f32_bf8", runFromByte<true>, Type::B32);
  add("v_cvt_pk_f32_fp8", runFromBytes<false>, Type::B32);
  add("v_cvt_pk_f32_bf8", runFromBytes<true>, Type::B32);
  add("v_cvt_pk_fp8_f32", runToBytes<false>, Type::F32);
  add("v_cvt_pk_bf8_f32", runToBytes<true>, Type::F32);
  add("v_cvt_sr_fp8_f32", runStochastic<false>, Type::F32);
  add("v_cvt_sr_bf8_f32", runStochastic<true>, Type::F32);
  entry.keepsHalf = false;
  add("v_dot4_f32_fp8_fp8", runDot<false, false>, Type::B32);
  add("v_dot4_f32_fp8_bf8", runDot<false, true>, Type::B32);
  add("v_dot4_f32_bf8_fp8", runDot<true, false>, Type::B32);
  add("v_dot4_f32_bf8_bf8", runDot<true, true>, Type::B32);
}
