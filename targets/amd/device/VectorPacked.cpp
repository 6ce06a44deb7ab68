// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed arithmetic (VOP3P): two halves of 16 bits, or two registers of f32.
// op_sel and op_sel_hi say which half of each source the low and the high
// result take, neg_lo and neg_hi which are negated.
#include "Saturate.h"

using namespace kiln::amd::sim;

namespace {
/// The halves that one result takes of a source.
template <typename T>
void loadHalf(Wave &wave, const Inst &inst, unsigned index, bool isHigh,
              T *out) {
  const Operand &op = inst.ops[index];
  alignas(64) uint32_t space[kMaxLanes];
  const uint32_t *raw = words(wave, inst, op, 0, space, index == 1);
  unsigned bit = index - 1;
  bool takesHigh = ((isHigh ? inst.opSelHi : inst.opSel) >> bit) & 1;
  bool negates = ((isHigh ? inst.negHi : inst.negLo) >> bit) & 1;
  constexpr bool isFloat = !std::is_integral_v<T>;
  alignas(64) uint16_t halves[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    halves[l] = uint16_t(takesHigh ? raw[l] >> 16 : raw[l]);
    if (isFloat && negates)
      halves[l] ^= 0x8000;
  }
  std::memcpy(out, halves, sizeof halves);
}

template <auto F, typename T, size_t... N>
void runPairs(Wave &wave, const Inst &inst, std::index_sequence<N...>) {
  wave.sourceMask = ~uint64_t(0);
  alignas(64) uint32_t bits[kMaxLanes] = {};
  for (unsigned half = 0; half < 2; ++half) {
    Lanes<T> sources[sizeof...(N)];
    (loadHalf(wave, inst, unsigned(N + 1), half, sources[N].v), ...);
    Lanes<T> result;
    if constexpr (std::is_integral_v<T>)
      for (unsigned l = 0; l < kMaxLanes; ++l)
        result.v[l] = fit<T>(F(sources[N].v[l]...), inst.clamp);
    else
      for (unsigned l = 0; l < kMaxLanes; ++l)
        result.v[l] = F(sources[N].v[l]...);
    modify(inst, result.v);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      bits[l] |= uint32_t(std::bit_cast<uint16_t>(result.v[l])) << (16 * half);
  }
  writeWord(wave, inst.ops[0].reg, bits, writtenLanes(wave, inst));
}
template <auto F, typename T, size_t count>
void runPacked(Wave &wave, const Inst &inst) {
  runPairs<F, T>(wave, inst, std::make_index_sequence<count>());
}
/// v_pk_fmac_f16 dst, x, y: dst += x * y.
void runPackedSum(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  const Operand &to = inst.ops[0];
  alignas(64) uint32_t bits[kMaxLanes] = {}, space[kMaxLanes];
  const uint32_t *old = words(wave, inst, to, 0, space, false);
  for (unsigned half = 0; half < 2; ++half) {
    Lanes<Half> x, y;
    loadHalf(wave, inst, 1, half, x.v);
    loadHalf(wave, inst, 2, half, y.v);
    for (unsigned l = 0; l < kMaxLanes; ++l) {
      auto z = std::bit_cast<Half>(uint16_t(old[l] >> (16 * half)));
      x.v[l] = Half(double(x.v[l]) * double(y.v[l]) + double(z));
    }
    modify(inst, x.v);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      bits[l] |= uint32_t(std::bit_cast<uint16_t>(x.v[l])) << (16 * half);
  }
  writeWord(wave, to.reg, bits, writtenLanes(wave, inst));
}

template <typename T, auto F, size_t count> Entry packed() {
  Entry entry;
  entry.run = runPacked<F, T, count>;
  entry.types.fill(typeOf<T>());
  return entry;
}

/// Two f32 in two registers. A scalar pair or constant counts as one.
template <auto F, size_t count> void runSingles(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  alignas(64) float results[2][kMaxLanes];
  for (unsigned half = 0; half < 2; ++half) {
    alignas(64) float sources[3][kMaxLanes];
    for (unsigned n = 0; n < count; ++n) {
      const Operand &op = inst.ops[n + 1];
      unsigned word = ((half ? inst.opSelHi : inst.opSel) >> n) & 1;
      alignas(64) uint32_t space[kMaxLanes];
      bool isConstant = op.kind == Operand::Kind::Constant;
      const uint32_t *raw =
          words(wave, inst, op, isConstant ? 0 : word, space, false);
      uint32_t flip =
          ((half ? inst.negHi : inst.negLo) >> n) & 1 ? 1u << 31 : 0;
      for (unsigned l = 0; l < kMaxLanes; ++l)
        sources[n][l] = std::bit_cast<float>(raw[l] ^ flip);
    }
    for (unsigned l = 0; l < kMaxLanes; ++l)
      results[half][l] = F(sources[0][l], sources[1][l], sources[2][l]);
    modify(inst, results[half]);
  }
  for (unsigned half = 0; half < 2; ++half) {
    alignas(64) uint32_t bits[kMaxLanes];
    std::memcpy(bits, results[half], sizeof bits);
    writeWord(wave, inst.ops[0].reg + half, bits, writtenLanes(wave, inst));
  }
}

/// v_pk_mov_b32: word op_sel[0] of the first source, op_sel[1] of the second.
void runPackedMove(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  alignas(64) uint32_t bits[2][kMaxLanes];
  for (unsigned n = 0; n < 2; ++n) {
    const Operand &op = inst.ops[n + 1];
    unsigned word =
        op.kind == Operand::Kind::Constant ? 0 : (inst.opSel >> n) & 1;
    alignas(64) uint32_t space[kMaxLanes];
    std::memcpy(bits[n], words(wave, inst, op, word, space, false),
                sizeof(Register));
  }
  for (unsigned n = 0; n < 2; ++n)
    writeWord(wave, inst.ops[0].reg + n, bits[n], writtenLanes(wave, inst));
}

/// Mixed precision: each source is f32, or a half that op_sel_hi asks for.
/// `aux`: 0 gives f32, 1 the low half, 2 the high one.
void runMix(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  alignas(64) float sources[3][kMaxLanes];
  for (unsigned n = 0; n < 3; ++n) {
    const Operand &op = inst.ops[n + 1];
    alignas(64) uint32_t space[kMaxLanes];
    const uint32_t *raw = words(wave, inst, op, 0, space, n == 0);
    bool isHalf = (inst.opSelHi >> n) & 1, isHigh = (inst.opSel >> n) & 1;
    for (unsigned l = 0; l < kMaxLanes; ++l) {
      float x = isHalf ? float(std::bit_cast<Half>(
                             uint16_t(isHigh ? raw[l] >> 16 : raw[l])))
                       : std::bit_cast<float>(raw[l]);
      if (op.absolute || (inst.negHi >> n) & 1)
        x = std::fabs(x);
      if (op.negate || (inst.negLo >> n) & 1)
        x = -x;
      sources[n][l] = x;
    }
  }
  alignas(64) float result[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l)
    result[l] = std::fma(sources[0][l], sources[1][l], sources[2][l]);
  modify(inst, result);
  if (!inst.aux) {
    alignas(64) uint32_t bits[kMaxLanes];
    std::memcpy(bits, result, sizeof bits);
    writeWord(wave, inst.ops[0].reg, bits, writtenLanes(wave, inst));
    return;
  }
  alignas(64) uint16_t halves[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l)
    halves[l] = std::bit_cast<uint16_t>(Half(result[l]));
  writeHalf(wave, inst, inst.ops[0], halves, inst.aux == 2);
}

/// Sums of products of the parts of two words, of integers or floats.
template <unsigned bits, bool isLhsSigned, bool isRhsSigned>
void runDotIntegers(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, y;
  Lanes<int32_t> z;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  bool accumulates = inst.numOps < 4;
  load(wave, inst, accumulates ? 0 : 3, z.v, false);
  // Operands of the mixed form are signed where neg_lo says so.
  bool isMixed = inst.aux & 1;
  bool lhsSigned = isMixed ? inst.negLo & 1 : isLhsSigned;
  bool rhsSigned = isMixed ? inst.negLo & 2 : isRhsSigned;
  bool isSumSigned = isMixed || isLhsSigned;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    int64_t sum = isSumSigned ? int64_t(z.v[l]) : int64_t(uint32_t(z.v[l]));
    for (unsigned at = 0; at < 32; at += bits) {
      auto part = [&](uint32_t w, bool isSigned) -> int64_t {
        uint32_t up = w << (32 - at - bits);
        return isSigned ? int64_t(int32_t(up) >> (32 - bits))
                        : int64_t(up >> (32 - bits));
      };
      sum += part(x.v[l], lhsSigned) * part(y.v[l], rhsSigned);
    }
    z.v[l] = isSumSigned ? fit<int32_t>(sum, inst.clamp)
                         : int32_t(fit<uint32_t>(sum, inst.clamp));
  }
  store(wave, inst, inst.ops[0], z.v);
}
/// v_dot2_f32_f16 dst, x, y, z: neg_lo negates z, too.
template <bool isBf16> void runDotFloats(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, y;
  Lanes<float> z;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  load(wave, inst, inst.numOps < 4 ? 0 : 3, z.v, false);
  // The half of source n that product `half` takes.
  auto part = [&](uint32_t w, unsigned n, bool half) -> double {
    bool takesHigh = ((half ? inst.opSelHi : inst.opSel) >> n) & 1;
    bool negates = ((half ? inst.negHi : inst.negLo) >> n) & 1;
    auto bits = uint16_t((takesHigh ? w >> 16 : w) ^ (negates ? 0x8000u : 0u));
    return isBf16 ? toFloat(Bf16{bits}) : float(std::bit_cast<Half>(bits));
  };
  constexpr unsigned kLast = 2;
  bool negatesLast = (inst.negLo >> kLast) & 1;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    double sum = negatesLast ? -z.v[l] : z.v[l];
    for (bool half : {false, true})
      sum += part(x.v[l], 0, half) * part(y.v[l], 1, half);
    z.v[l] = float(sum);
  }
  store(wave, inst, inst.ops[0], z.v);
}

/// v_dot2_f16_f16 and v_dot2_bf16_bf16 dst, x, y, z: the sum is rounded after
/// each product. Operands may be negated whole, z be the upper half.
template <bool isBf16> void runDotNarrow(Wave &wave, const Inst &inst) {
  using T = std::conditional_t<isBf16, Bf16, Half>;
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, y;
  Lanes<T> z;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  load(wave, inst, 3, z.v, false);
  auto part = [](uint32_t w, unsigned at) -> float {
    auto half = uint16_t(w >> at);
    return isBf16 ? toFloat(Bf16{half}) : float(std::bit_cast<Half>(half));
  };
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    float sum;
    if constexpr (isBf16)
      sum = toFloat(z.v[l]);
    else
      sum = float(z.v[l]);
    for (unsigned at = 0; at < 32; at += 16) {
      float lhs = part(x.v[l], at), rhs = part(y.v[l], at);
      lhs = inst.ops[1].absolute ? std::fabs(lhs) : lhs;
      rhs = inst.ops[2].absolute ? std::fabs(rhs) : rhs;
      bool flips = inst.ops[1].negate != inst.ops[2].negate;
      float next = float(double(sum) + (flips ? -1.0 : 1.0) * lhs * rhs);
      sum = isBf16 ? toFloat(toBf16(next)) : float(Half(next));
    }
    if constexpr (isBf16)
      z.v[l] = toBf16(sum);
    else
      z.v[l] = Half(sum);
  }
  store(wave, inst, inst.ops[0], z.v);
}

/// The larger or smaller one; NaN wins, and +0 over -0.
Half maximum(Half x, Half y) {
  if (x != x || y != y)
    return x + y;
  return x > y || (x == y && !std::signbit(float(x))) ? x : y;
}
Half minimum(Half x, Half y) {
  if (x != x || y != y)
    return x + y;
  return x < y || (x == y && std::signbit(float(x))) ? x : y;
}

void addHalves(Table &t) {
  using H = Half;
  t.add("v_pk_maximum_f16",
        packed<H, [](H x, H y) -> H { return maximum(x, y); }, 2>());
  t.add("v_pk_minimum_f16",
        packed<H, [](H x, H y) -> H { return minimum(x, y); }, 2>());
  t.add("v_pk_maximum3_f16",
        packed<H, [](H x, H y, H z) -> H { return maximum(maximum(x, y), z); },
               3>());
  t.add("v_pk_minimum3_f16",
        packed<H, [](H x, H y, H z) -> H { return minimum(minimum(x, y), z); },
               3>());
  t.add("v_pk_add_f16", packed<H, [](H x, H y) -> H { return x + y; }, 2>());
  t.add("v_pk_mul_f16", packed<H, [](H x, H y) -> H { return x * y; }, 2>());
  t.add("v_pk_fma_f16", packed<H,
                               [](H x, H y, H z) -> H {
                                 return H(double(x) * double(y) + double(z));
                               },
                               3>());
  t.add({"v_pk_max_f16", "v_pk_max_num_f16"},
        packed<H,
               [](H x, H y) -> H {
                 return x != x ? y : y != y ? x : maximum(x, y);
               },
               2>());
  t.add({"v_pk_min_f16", "v_pk_min_num_f16"},
        packed<H,
               [](H x, H y) -> H {
                 return x != x ? y : y != y ? x : minimum(x, y);
               },
               2>());
}
void addShorts(Table &t) {
  using u16 = uint16_t;
  using i16 = int16_t;
  t.add("v_pk_add_u16",
        packed<u16, [](u16 x, u16 y) -> int { return x + y; }, 2>());
  t.add("v_pk_sub_u16",
        packed<u16, [](u16 x, u16 y) -> int { return x - y; }, 2>());
  t.add("v_pk_add_i16",
        packed<i16, [](i16 x, i16 y) -> int { return x + y; }, 2>());
  t.add("v_pk_sub_i16",
        packed<i16, [](i16 x, i16 y) -> int { return x - y; }, 2>());
  t.add("v_pk_mul_lo_u16",
        packed<u16, [](u16 x, u16 y) -> u16 { return u16(uint32_t(x) * y); },
               2>());
  t.add(
      "v_pk_mad_u16",
      packed<u16,
             [](u16 x, u16 y, u16 z) -> int64_t { return int64_t(x) * y + z; },
             3>());
  t.add(
      "v_pk_mad_i16",
      packed<i16,
             [](i16 x, i16 y, i16 z) -> int64_t { return int64_t(x) * y + z; },
             3>());
  t.add(
      "v_pk_lshlrev_b16",
      packed<u16, [](u16 n, u16 x) -> u16 { return u16(x << (n & 15)); }, 2>());
  t.add(
      "v_pk_lshrrev_b16",
      packed<u16, [](u16 n, u16 x) -> u16 { return u16(x >> (n & 15)); }, 2>());
  t.add(
      "v_pk_ashrrev_i16",
      packed<i16, [](i16 n, i16 x) -> i16 { return i16(x >> (n & 15)); }, 2>());
  t.add("v_pk_min_u16",
        packed<u16, [](u16 x, u16 y) -> u16 { return std::min(x, y); }, 2>());
  t.add("v_pk_max_u16",
        packed<u16, [](u16 x, u16 y) -> u16 { return std::max(x, y); }, 2>());
  t.add("v_pk_min_i16",
        packed<i16, [](i16 x, i16 y) -> i16 { return std::min(x, y); }, 2>());
  t.add("v_pk_max_i16",
        packed<i16, [](i16 x, i16 y) -> i16 { return std::max(x, y); }, 2>());
}
void addDots(Table &t) {
  auto add = [&](std::initializer_list<std::string_view> names, Run run,
                 uint8_t aux = 0, Type factors = Type::B32) {
    Entry entry;
    entry.run = run;
    entry.aux = aux;
    entry.types[1] = entry.types[2] = factors;
    t.add(names, entry);
  };
  add({"v_dot2_f32_f16", "v_dot2c_f32_f16", "v_dot2acc_f32_f16"},
      runDotFloats<false>, 0, Type::F16);
  add({"v_dot2_f32_bf16", "v_dot2c_f32_bf16"}, runDotFloats<true>, 0,
      Type::BF16);
  add({"v_dot4_i32_i8", "v_dot4c_i32_i8"}, runDotIntegers<8, true, true>);
  add({"v_dot4_u32_u8"}, runDotIntegers<8, false, false>);
  add({"v_dot4_i32_iu8"}, runDotIntegers<8, true, true>, 1);
  add({"v_dot8_i32_i4", "v_dot8c_i32_i4"}, runDotIntegers<4, true, true>);
  add({"v_dot8_u32_u4"}, runDotIntegers<4, false, false>);
  add({"v_dot8_i32_iu4"}, runDotIntegers<4, true, true>, 1);
  add({"v_dot2_i32_i16", "v_dot2c_i32_i16"}, runDotIntegers<16, true, true>);
  add({"v_dot2_u32_u16"}, runDotIntegers<16, false, false>);
}
} // namespace

void kiln::amd::sim::addVectorPacked(Table &t) {
  addHalves(t);
  addShorts(t);
  addDots(t);
  Entry entry;
  entry.types.fill(Type::F32);
  entry.run =
      runSingles<[](float x, float y, float) -> float { return x + y; }, 2>;
  t.add("v_pk_add_f32", entry);
  entry.run =
      runSingles<[](float x, float y, float) -> float { return x * y; }, 2>;
  t.add("v_pk_mul_f32", entry);
  entry.run = runSingles<
      [](float x, float y, float z) -> float { return std::fma(x, y, z); }, 3>;
  t.add("v_pk_fma_f32", entry);
  entry.types.fill(Type::B32);
  entry.run = runPackedMove;
  t.add("v_pk_mov_b32", entry);
  entry.types.fill(Type::F16);
  entry.run = runPackedSum;
  t.add("v_pk_fmac_f16", entry);
  entry.run = runDotNarrow<false>;
  t.add("v_dot2_f16_f16", entry);
  entry.types.fill(Type::BF16);
  entry.run = runDotNarrow<true>;
  t.add("v_dot2_bf16_bf16", entry);
  // Constants are f32 or halves, which the operand says: they are f32 here.
  entry.types.fill(Type::F32);
  entry.run = runMix;
  t.add({"v_fma_mix_f32", "v_mad_mix_f32"}, entry);
  entry.keepsHalf = true;
  entry.aux = 1;
  t.add({"v_fma_mixlo_f16", "v_mad_mixlo_f16"}, entry);
  entry.aux = 2;
  t.add({"v_fma_mixhi_f16", "v_mad_mixhi_f16"}, entry);
}
