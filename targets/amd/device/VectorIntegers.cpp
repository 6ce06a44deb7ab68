// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of integers and bits in every lane: "VOP1", "VOP2" and "VOP3"
// instructions of the instruction set manuals.
#include "Saturate.h"

using namespace kiln::amd::sim;

namespace {
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

i32 signed24(u32 x) { return i32(x << 8) >> 8; }
u32 field(u32 x, u32 at, u32 bits) {
  at &= 31;
  bits &= 31;
  return bits ? (x >> at) & ((1u << bits) - 1) : 0;
}
/// A field that reaches beyond the word ends with its sign.
i32 signedField(u32 x, u32 at, u32 bits) {
  u32 part = u32(i32(x) >> (at & 31));
  bits &= 31;
  return bits ? i32(part << (32 - bits)) >> (32 - bits) : 0;
}
/// Bytes of two words, the first one higher, by selectors of 8 bits.
u32 permute(u32 high, u32 low, u32 select) {
  u64 bytes = u64(high) << 32 | low;
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    u32 which = (select >> (8 * i)) & 0xff;
    u32 byte = which >= 13   ? 0xff
               : which == 12 ? 0
               : which >= 8
                   ? ((bytes >> (16 * (which - 8) + 15)) & 1 ? 0xff : 0)
                   : (bytes >> (8 * which)) & 0xff;
    result |= byte << (8 * i);
  }
  return result;
}
/// v_perm_b32 dst, high, low, select. Mostly all lanes select the same bytes.
void runPermute(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~u64(0);
  Lanes<u32> high, low, select, result = {};
  load(wave, inst, 1, high.v, true);
  load(wave, inst, 2, low.v, false);
  load(wave, inst, 3, select.v, false);
  bool isSame = true;
  for (u32 x : select.v)
    isSame &= x == select.v[0];
  if (!isSame) {
    for (unsigned l = 0; l < kMaxLanes; ++l)
      result.v[l] = permute(high.v[l], low.v[l], select.v[l]);
    store(wave, inst, inst.ops[0], result.v);
    return;
  }
  constexpr u32 kLow = 4, kBoth = 8;
  for (unsigned i = 0; i < 4; ++i) {
    u32 which = (select.v[0] >> (8 * i)) & 0xff;
    if (which < kBoth) {
      const u32 *from = which < kLow ? low.v : high.v;
      unsigned down = 8 * (which % kLow), up = 8 * i;
      for (unsigned l = 0; l < kMaxLanes; ++l)
        result.v[l] |= ((from[l] >> down) & 0xff) << up;
      continue;
    }
    for (unsigned l = 0; l < kMaxLanes; ++l)
      result.v[l] |= permute(high.v[l], low.v[l], which) % 256 << (8 * i);
  }
  store(wave, inst, inst.ops[0], result.v);
}
template <typename T> T median(T x, T y, T z) {
  return std::max(std::min(x, y), std::min(std::max(x, y), z));
}
u32 leadingSigns(u32 x) {
  u32 other = i32(x) < 0 ? ~x : x;
  return other ? u32(std::countl_zero(other)) : ~0u;
}
u32 reversed(u32 x) {
  u32 y = 0;
  for (unsigned i = 0; i < 32; ++i)
    y |= ((x >> i) & 1) << (31 - i);
  return y;
}

/// dst, carry out, x, y [, carry in]. `aux`: 0 adds, 1 subtracts, 2 subtracts
/// the other way around; 4 more with a carry in. Of SDWA, which takes parts of
/// the sources, they stand before the carry out.
void runCarry(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~u64(0);
  unsigned first = inst.sdwa ? 1 : 2;
  Lanes<u32> x, y, result;
  load(wave, inst, first, x.v, true);
  load(wave, inst, first + 1, y.v, false);
  u64 in = inst.aux & 4 ? maskOperand(wave, inst.ops[4]) : 0, out = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    u64 carry = (in >> l) & 1, a = x.v[l], b = y.v[l];
    if ((inst.aux & 3) == 2)
      std::swap(a, b);
    u64 sum = (inst.aux & 3) ? a - b - carry : a + b + carry;
    result.v[l] = fit<u32>(i64(sum), inst.clamp);
    out |= ((sum >> 32) & 1) << l;
  }
  // Sources are read: the mask may be one of them.
  u64 mask = writtenLanes(wave, inst);
  store(wave, inst, inst.ops[0], result.v);
  wave.writeMask(inst.ops[inst.sdwa ? 3 : 1].reg, out & mask);
}

/// Sums and differences.
template <typename T, int sign> Entry sum() {
  return fitting<T, [](T x, T y) -> i64 {
    return sign == 0 ? i64(x) + y : sign == 1 ? i64(x) - y : i64(y) - x;
  }>();
}

/// v_mad_u64_u32 dst, carry, x, y, z. Compilers that want the lower half leave
/// the upper half of z undefined, on which it does not depend.
template <bool isSigned> void runMad64(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~u64(0);
  Lanes<u32> x, y;
  Lanes<u64> z;
  load(wave, inst, 2, x.v, false);
  load(wave, inst, 3, y.v, false);
  u64 known = wave.sourceMask;
  if (inst.ops[4].kind == Operand::Kind::Vector)
    known &= wave.defined[inst.ops[4].reg];
  load(wave, inst, 4, z.v, false);
  u64 allKnown = wave.sourceMask;
  u64 out = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    __int128 product = isSigned ? __int128(i64(i32(x.v[l])) * i32(y.v[l]))
                                : __int128(u64(x.v[l]) * y.v[l]);
    __int128 sum =
        product + (isSigned ? __int128(i64(z.v[l])) : __int128(z.v[l]));
    out |= u64((sum >> 64) & 1) << l;
    if (inst.clamp) {
      using Limits =
          std::numeric_limits<std::conditional_t<isSigned, i64, u64>>;
      sum = std::clamp(sum, __int128(Limits::min()), __int128(Limits::max()));
    }
    z.v[l] = u64(sum);
  }
  u64 mask = writtenLanes(wave, inst);
  Lanes<u32> low, high;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    low.v[l] = u32(z.v[l]);
    high.v[l] = u32(z.v[l] >> 32);
  }
  wave.sourceMask = known;
  writeWord(wave, inst.ops[0].reg, low.v, mask);
  wave.sourceMask = allKnown;
  writeWord(wave, inst.ops[0].reg + 1, high.v, mask);
  wave.writeMask(inst.ops[1].reg, out & mask);
}

/// v_bitop3 dst, x, y, z: any function of three bits. Its table has the result
/// for the bits of x, y and z as a number, x highest.
template <typename T> void runBitFunction(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~u64(0);
  Lanes<T> x, y, z, result;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  load(wave, inst, 3, z.v, false);
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    T value = 0;
    for (unsigned row = 0; row < 8; ++row) {
      T match = T((row & 4 ? x.v[l] : ~x.v[l]) & (row & 2 ? y.v[l] : ~y.v[l]) &
                  (row & 1 ? z.v[l] : ~z.v[l]));
      value |= (inst.offset1 >> row) & 1 ? match : T(0);
    }
    result.v[l] = value;
  }
  store(wave, inst, inst.ops[0], result.v);
}

void addCarries(Table &t) {
  auto add = [&](std::initializer_list<std::string_view> names, uint8_t aux) {
    Entry entry;
    entry.run = runCarry;
    entry.aux = aux;
    t.add(names, entry);
  };
  add({"v_add_co_u32"}, 0);
  add({"v_sub_co_u32"}, 1);
  add({"v_subrev_co_u32"}, 2);
  add({"v_addc_co_u32", "v_add_co_ci_u32"}, 4);
  add({"v_subb_co_u32", "v_sub_co_ci_u32"}, 5);
  add({"v_subbrev_co_u32", "v_subrev_co_ci_u32"}, 6);
  Entry mad;
  mad.types[4] = Type::B64;
  mad.run = runMad64<false>;
  t.add({"v_mad_u64_u32", "v_mad_co_u64_u32"}, mad);
  mad.types[4] = Type::I64;
  mad.run = runMad64<true>;
  t.add({"v_mad_i64_i32", "v_mad_co_i64_i32"}, mad);
  Entry bits;
  bits.run = runBitFunction<u32>;
  t.add("v_bitop3_b32", bits);
  bits.types.fill(Type::B16);
  bits.run = runBitFunction<u16>;
  t.add("v_bitop3_b16", bits);
  t.add({"v_add_u32", "v_add_nc_u32"}, sum<u32, 0>());
  t.add({"v_sub_u32", "v_sub_nc_u32"}, sum<u32, 1>());
  t.add({"v_subrev_u32", "v_subrev_nc_u32"}, sum<u32, 2>());
  t.add({"v_add_i32", "v_add_nc_i32"}, sum<i32, 0>());
  t.add({"v_sub_i32", "v_sub_nc_i32"}, sum<i32, 1>());
  t.add({"v_add_u16", "v_add_nc_u16"}, sum<u16, 0>());
  t.add({"v_sub_u16", "v_sub_nc_u16"}, sum<u16, 1>());
  t.add("v_subrev_u16", sum<u16, 2>());
  t.add({"v_add_i16", "v_add_nc_i16"}, sum<i16, 0>());
  t.add({"v_sub_i16", "v_sub_nc_i16"}, sum<i16, 1>());
}

void addWords(Table &t) {
  t.add("v_mov_b32", vector<[](u32 x) -> u32 { return x; }>());
  t.add("v_accvgpr_mov_b32", vector<[](u32 x) -> u32 { return x; }>());
  t.add({"v_accvgpr_read_b32", "v_accvgpr_read"},
        vector<[](u32 x) -> u32 { return x; }>());
  t.add({"v_accvgpr_write_b32", "v_accvgpr_write"},
        vector<[](u32 x) -> u32 { return x; }>());
  t.add("v_mov_b64", vector<[](u64 x) -> u64 { return x; }>());
  t.add("v_not_b32", vector<[](u32 x) -> u32 { return ~x; }>());
  t.add("v_bfrev_b32", vector<[](u32 x) -> u32 { return reversed(x); }>());
  t.add({"v_ffbh_u32", "v_clz_i32_u32"}, vector<[](u32 x) -> u32 {
          return x ? u32(std::countl_zero(x)) : ~0u;
        }>());
  t.add({"v_ffbl_b32", "v_ctz_i32_b32"}, vector<[](u32 x) -> u32 {
          return x ? u32(std::countr_zero(x)) : ~0u;
        }>());
  t.add({"v_ffbh_i32", "v_cls_i32"},
        vector<[](u32 x) -> u32 { return leadingSigns(x); }>());
  t.add("v_and_b32", vector<[](u32 x, u32 y) -> u32 { return x & y; }>());
  t.add("v_or_b32", vector<[](u32 x, u32 y) -> u32 { return x | y; }>());
  t.add("v_xor_b32", vector<[](u32 x, u32 y) -> u32 { return x ^ y; }>());
  t.add("v_xnor_b32", vector<[](u32 x, u32 y) -> u32 { return ~(x ^ y); }>());
  t.add("v_lshlrev_b32",
        vector<[](u32 n, u32 x) -> u32 { return x << (n & 31); }>());
  t.add("v_lshrrev_b32",
        vector<[](u32 n, u32 x) -> u32 { return (x >> (n & 31)); }>());
  t.add("v_ashrrev_i32",
        vector<[](u32 n, i32 x) -> i32 { return (x >> (n & 31)); }>());
  t.add("v_min_u32",
        vector<[](u32 x, u32 y) -> u32 { return std::min(x, y); }>());
  t.add("v_max_u32",
        vector<[](u32 x, u32 y) -> u32 { return std::max(x, y); }>());
  t.add("v_min_i32",
        vector<[](i32 x, i32 y) -> i32 { return std::min(x, y); }>());
  t.add("v_max_i32",
        vector<[](i32 x, i32 y) -> i32 { return std::max(x, y); }>());
  t.add("v_mul_lo_u32", vector<[](u32 x, u32 y) -> u32 { return x * y; }>());
  t.add("v_mul_hi_u32",
        vector<[](u32 x, u32 y) -> u32 { return u32((u64(x) * y) >> 32); }>());
  t.add("v_mul_hi_i32",
        vector<[](i32 x, i32 y) -> i32 { return i32((i64(x) * y) >> 32); }>());
  t.add("v_mul_u32_u24", fitting<u32, [](u32 x, u32 y) -> i64 {
          return i64(x & 0xffffff) * (y & 0xffffff);
        }>());
  t.add("v_mul_i32_i24", fitting<i32, [](u32 x, u32 y) -> i64 {
          return i64(signed24(x)) * signed24(y);
        }>());
  t.add("v_mul_hi_u32_u24", vector<[](u32 x, u32 y) -> u32 {
          return u32((u64(x & 0xffffff) * (y & 0xffffff)) >> 32);
        }>());
  t.add("v_mul_hi_i32_i24", vector<[](u32 x, u32 y) -> u32 {
          return u32((i64(signed24(x)) * signed24(y)) >> 32);
        }>());
  t.add("v_mad_u32_u24", fitting<u32, [](u32 x, u32 y, u32 z) -> i64 {
          return i64(x & 0xffffff) * (y & 0xffffff) + z;
        }>());
  t.add("v_mad_i32_i24", fitting<i32, [](u32 x, u32 y, i32 z) -> i64 {
          return i64(signed24(x)) * signed24(y) + z;
        }>());
  t.add(
      "v_bcnt_u32_b32",
      vector<[](u32 x, u32 y) -> u32 { return u32(std::popcount(x)) + y; }>());
  t.add("v_bfm_b32", vector<[](u32 x, u32 y) -> u32 {
          return ((1u << (x & 31)) - 1) << (y & 31);
        }>());
}

void addThree(Table &t) {
  t.add("v_add3_u32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return x + y + z; }>());
  t.add(
      "v_lshl_add_u32",
      vector<[](u32 x, u32 n, u32 z) -> u32 { return (x << (n & 31)) + z; }>());
  t.add(
      "v_add_lshl_u32",
      vector<[](u32 x, u32 y, u32 n) -> u32 { return (x + y) << (n & 31); }>());
  t.add("v_xad_u32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return (x ^ y) + z; }>());
  t.add(
      "v_lshl_or_b32",
      vector<[](u32 x, u32 n, u32 z) -> u32 { return (x << (n & 31)) | z; }>());
  t.add("v_and_or_b32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return (x & y) | z; }>());
  t.add("v_or3_b32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return x | y | z; }>());
  t.add("v_xor3_b32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return x ^ y ^ z; }>());
  t.add(
      "v_bfi_b32",
      vector<[](u32 x, u32 y, u32 z) -> u32 { return (x & y) | (~x & z); }>());
  t.add("v_bfe_u32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return field(x, y, z); }>());
  t.add("v_bfe_i32", vector<[](u32 x, u32 y, u32 z) -> i32 {
          return signedField(x, y, z);
        }>());
  // The count is a half of a register.
  t.add("v_alignbit_b32", vector<[](u32 x, u32 y, u16 z) -> u32 {
          return u32((u64(x) << 32 | y) >> (z & 31));
        }>());
  t.add("v_alignbyte_b32", vector<[](u32 x, u32 y, u16 z) -> u32 {
          return u32((u64(x) << 32 | y) >> (8 * (z & 3)));
        }>());
  Entry permutation;
  permutation.run = runPermute;
  t.add("v_perm_b32", permutation);
  t.add(
      "v_min3_u32",
      vector<[](u32 x, u32 y, u32 z) -> u32 { return std::min({x, y, z}); }>());
  t.add(
      "v_max3_u32",
      vector<[](u32 x, u32 y, u32 z) -> u32 { return std::max({x, y, z}); }>());
  t.add("v_med3_u32",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return median(x, y, z); }>());
  t.add(
      "v_min3_i32",
      vector<[](i32 x, i32 y, i32 z) -> i32 { return std::min({x, y, z}); }>());
  t.add(
      "v_max3_i32",
      vector<[](i32 x, i32 y, i32 z) -> i32 { return std::max({x, y, z}); }>());
  t.add("v_med3_i32",
        vector<[](i32 x, i32 y, i32 z) -> i32 { return median(x, y, z); }>());
  t.add("v_maxmin_u32", vector<[](u32 x, u32 y, u32 z) -> u32 {
          return std::min(std::max(x, y), z);
        }>());
  t.add("v_minmax_u32", vector<[](u32 x, u32 y, u32 z) -> u32 {
          return std::max(std::min(x, y), z);
        }>());
  t.add("v_maxmin_i32", vector<[](i32 x, i32 y, i32 z) -> i32 {
          return std::min(std::max(x, y), z);
        }>());
  t.add("v_minmax_i32", vector<[](i32 x, i32 y, i32 z) -> i32 {
          return std::max(std::min(x, y), z);
        }>());
  t.add("v_mad_u32_u16", fitting<u32, [](u16 x, u16 y, u32 z) -> i64 {
          return i64(x) * y + z;
        }>());
  t.add("v_mad_i32_i16", fitting<i32, [](i16 x, i16 y, i32 z) -> i64 {
          return i64(x) * y + z;
        }>());
}

void addWide(Table &t) {
  t.add("v_lshlrev_b64",
        vector<[](u32 n, u64 x) -> u64 { return x << (n & 63); }>());
  t.add("v_lshrrev_b64",
        vector<[](u32 n, u64 x) -> u64 { return (x >> (n & 63)); }>());
  t.add("v_ashrrev_i64",
        vector<[](u32 n, i64 x) -> i64 { return (x >> (n & 63)); }>());
  t.add(
      "v_lshl_add_u64",
      vector<[](u64 x, u32 n, u64 z) -> u64 { return (x << (n & 63)) + z; }>());
  t.add("v_add_nc_u64", vector<[](u64 x, u64 y) -> u64 { return x + y; }>());
  t.add("v_mul_u64", vector<[](u64 x, u64 y) -> u64 { return x * y; }>());
}

void addShorts(Table &t) {
  t.add({"v_lshlrev_b16"},
        vector<[](u16 n, u16 x) -> u16 { return u16(x << (n & 15)); }>());
  t.add({"v_lshrrev_b16"},
        vector<[](u16 n, u16 x) -> u16 { return u16(x >> (n & 15)); }>());
  t.add({"v_ashrrev_i16"},
        vector<[](u16 n, i16 x) -> i16 { return i16(x >> (n & 15)); }>());
  t.add("v_mul_lo_u16",
        vector<[](u16 x, u16 y) -> u16 { return u16(u32(x) * y); }>());
  t.add({"v_min_u16"},
        vector<[](u16 x, u16 y) -> u16 { return std::min(x, y); }>());
  t.add({"v_max_u16"},
        vector<[](u16 x, u16 y) -> u16 { return std::max(x, y); }>());
  t.add({"v_min_i16"},
        vector<[](i16 x, i16 y) -> i16 { return std::min(x, y); }>());
  t.add({"v_max_i16"},
        vector<[](i16 x, i16 y) -> i16 { return std::max(x, y); }>());
  t.add({"v_mad_u16", "v_mad_legacy_u16"},
        fitting<u16,
                [](u16 x, u16 y, u16 z) -> i64 { return i64(x) * y + z; }>());
  t.add({"v_mad_i16", "v_mad_legacy_i16"},
        fitting<i16,
                [](i16 x, i16 y, i16 z) -> i64 { return i64(x) * y + z; }>());
  t.add("v_and_b16", vector<[](u16 x, u16 y) -> u16 { return x & y; }>());
  t.add("v_or_b16", vector<[](u16 x, u16 y) -> u16 { return x | y; }>());
  t.add("v_xor_b16", vector<[](u16 x, u16 y) -> u16 { return x ^ y; }>());
  t.add("v_not_b16", vector<[](u16 x) -> u16 { return u16(~x); }>());
  t.add("v_mov_b16", vector<[](u16 x) -> u16 { return x; }>());
  t.add(
      "v_min3_i16",
      vector<[](i16 x, i16 y, i16 z) -> i16 { return std::min({x, y, z}); }>());
  t.add(
      "v_max3_i16",
      vector<[](i16 x, i16 y, i16 z) -> i16 { return std::max({x, y, z}); }>());
  t.add("v_med3_i16",
        vector<[](i16 x, i16 y, i16 z) -> i16 { return median(x, y, z); }>());
  t.add(
      "v_min3_u16",
      vector<[](u16 x, u16 y, u16 z) -> u16 { return std::min({x, y, z}); }>());
  t.add(
      "v_max3_u16",
      vector<[](u16 x, u16 y, u16 z) -> u16 { return std::max({x, y, z}); }>());
  t.add("v_med3_u16",
        vector<[](u16 x, u16 y, u16 z) -> u16 { return median(x, y, z); }>());
}
} // namespace

void kiln::amd::sim::addVectorIntegers(Table &table) {
  addCarries(table);
  addWords(table);
  addThree(table);
  addWide(table);
  addShorts(table);
}
