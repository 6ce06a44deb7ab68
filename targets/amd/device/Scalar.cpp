// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar arithmetic: SOP1, SOP2, SOPC and SOPK of the instruction set manuals.
// SCC is the carry, the comparison, or whether the result is not zero.
#include "ScalarValues.h"
#include <algorithm>

using namespace kiln::amd::sim;

namespace {
/// Functions that get SCC and set it.
template <typename R, auto F> void runFlagged(Wave &wave, const Inst &inst) {
  give(wave, inst,
       F(source<R>(wave, inst, 1), source<R>(wave, inst, 2), wave.scc));
}
template <typename R, auto F> Entry flagged() {
  Entry entry;
  entry.run = runFlagged<R, F>;
  entry.kind = Class::Scalar;
  entry.types.fill(typeOf<R>());
  return entry;
}

template <typename T> T field(T x, u32 select) {
  u32 at = select & (sizeof(T) * 8 - 1), bits = (select >> 16) & 0x7f;
  T part = x >> at;
  return bits >= sizeof(T) * 8 ? part : bits ? part & ((T(1) << bits) - 1) : 0;
}
template <typename T> T signedField(T x, u32 select) {
  u32 at = select & (sizeof(T) * 8 - 1), bits = (select >> 16) & 0x7f;
  using S = std::make_signed_t<T>;
  if (!bits)
    return 0;
  u32 size = sizeof(T) * 8;
  bits = std::min(bits, size - at);
  return T(S(x << (size - at - bits)) >> (size - bits));
}

/// The lowest bit of each four that are not all 0.
template <typename T> T quads(T x) {
  constexpr T lowest = T(~T(0)) / 15;
  return (x | x >> 1 | x >> 2 | x >> 3) & lowest;
}

template <typename T> void addBits(Table &t, const std::string &type) {
  auto name = [&](const char *stem) { return std::string(stem) + type; };
  constexpr Flag kNonZero = Flag::NotZero;
  t.add(name("s_and_"),
        scalar<kNonZero, [](T x, T y) -> T { return x & y; }>());
  t.add(name("s_or_"), scalar<kNonZero, [](T x, T y) -> T { return x | y; }>());
  t.add(name("s_xor_"),
        scalar<kNonZero, [](T x, T y) -> T { return x ^ y; }>());
  t.add({name("s_andn2_"), name("s_and_not1_")},
        scalar<kNonZero, [](T x, T y) -> T { return x & ~y; }>());
  t.add({name("s_orn2_"), name("s_or_not1_")},
        scalar<kNonZero, [](T x, T y) -> T { return x | ~y; }>());
  t.add(name("s_nand_"),
        scalar<kNonZero, [](T x, T y) -> T { return ~(x & y); }>());
  t.add(name("s_nor_"),
        scalar<kNonZero, [](T x, T y) -> T { return ~(x | y); }>());
  t.add(name("s_xnor_"),
        scalar<kNonZero, [](T x, T y) -> T { return ~(x ^ y); }>());
  t.add(name("s_not_"), scalar<kNonZero, [](T x) -> T { return ~x; }>());
  t.add(name("s_mov_"), scalar<Flag::Keep, [](T x) -> T { return x; }>());
  constexpr u32 mask = sizeof(T) * 8 - 1;
  t.add(name("s_lshl_"),
        scalar<kNonZero, [](T x, u32 n) -> T { return x << (n & mask); }>());
  t.add(name("s_lshr_"),
        scalar<kNonZero, [](T x, u32 n) -> T { return (x >> (n & mask)); }>());
  t.add(name("s_brev_"), scalar<Flag::Keep, [](T x) -> T {
          T y = 0;
          for (u32 i = 0; i < sizeof(T) * 8; ++i)
            y |= ((x >> i) & 1) << (sizeof(T) * 8 - 1 - i);
          return y;
        }>());
  t.add(name("s_bcnt1_i32_"),
        scalar<kNonZero, [](T x) -> u32 { return u32(std::popcount(x)); }>());
  t.add(
      name("s_bcnt0_i32_"),
      scalar<kNonZero, [](T x) -> u32 { return u32(std::popcount(T(~x))); }>());
  t.add(name("s_ff0_i32_"), scalar<Flag::Keep, [](T x) -> u32 {
          return T(~x) ? u32(std::countr_zero(T(~x))) : ~0u;
        }>());
  t.add(name("s_wqm_"), scalar<kNonZero, [](T x) -> T {
          // Four copies of each quad's bit.
          return T(quads(x) * T(15));
        }>());
  t.add(name("s_quadmask_"), scalar<kNonZero, [](T x) -> T {
          T y = 0;
          for (u32 i = 0; i < sizeof(T) * 2; ++i)
            y |= ((quads(x) >> (4 * i)) & 1) << i;
          return y;
        }>());
  auto signs = scalar<Flag::Keep, [](T x) -> u32 {
    T other = std::make_signed_t<T>(x) < 0 ? T(~x) : x;
    return other ? u32(std::countl_zero(other)) : ~0u;
  }>();
  t.add({sizeof(T) == 8 ? "s_flbit_i32_i64" : "s_flbit_i32",
         sizeof(T) == 8 ? "s_cls_i32_i64" : "s_cls_i32"},
        signs);
  t.add({name("s_ff1_i32_"), name("s_ctz_i32_")},
        scalar<Flag::Keep, [](T x) -> u32 {
          return x ? u32(std::countr_zero(x)) : ~0u;
        }>());
  auto leading = scalar<Flag::Keep, [](T x) -> u32 {
    return x ? u32(std::countl_zero(x)) : ~0u;
  }>();
  std::string unsignedType = sizeof(T) == 8 ? "u64" : "u32";
  t.add({"s_flbit_i32_" + type, "s_clz_i32_" + unsignedType}, leading);
  t.add("s_bfm_" + type, scalar<Flag::Keep, [](u32 x, u32 y) -> T {
          return ((T(1) << (x & mask)) - 1) << (y & mask);
        }>());
}

/// Operations on one bit, and those that choose by the bit of conditions.
template <typename T> void addSingleBits(Table &t, const std::string &type) {
  constexpr u32 mask = sizeof(T) * 8 - 1;
  // The result stands where one bit changes.
  auto bit = [&](const char *stem, Run run) {
    Entry entry;
    entry.kind = Class::Scalar;
    entry.types.fill(typeOf<T>());
    entry.run = run;
    t.add(stem + type, entry);
  };
  bit("s_bitset0_", [](Wave &wave, const Inst &inst) {
    T old = source<T>(wave, inst, 0);
    give(wave, inst, T(old & ~(T(1) << (source<u32>(wave, inst, 1) & mask))));
  });
  bit("s_bitset1_", [](Wave &wave, const Inst &inst) {
    T old = source<T>(wave, inst, 0);
    give(wave, inst, T(old | T(1) << (source<u32>(wave, inst, 1) & mask)));
  });
  bit("s_bitcmp0_", [](Wave &wave, const Inst &inst) {
    wave.scc = !(
        (source<T>(wave, inst, 0) >> (source<u32>(wave, inst, 1) & mask)) & 1);
  });
  bit("s_bitcmp1_", [](Wave &wave, const Inst &inst) {
    wave.scc =
        (source<T>(wave, inst, 0) >> (source<u32>(wave, inst, 1) & mask)) & 1;
  });
  bit("s_cselect_", [](Wave &wave, const Inst &inst) {
    T x = source<T>(wave, inst, 1), y = source<T>(wave, inst, 2);
    give(wave, inst, wave.scc ? x : y);
  });
  bit("s_cmov_", [](Wave &wave, const Inst &inst) {
    T x = source<T>(wave, inst, 1);
    if (wave.scc)
      give(wave, inst, x);
  });
}

void addSums(Table &t) {
  t.add({"s_add_u32", "s_add_co_u32"},
        flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u32 sum = x + y;
          c = sum < x;
          return sum;
        }>());
  t.add({"s_sub_u32", "s_sub_co_u32"},
        flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          c = (y > x);
          return x - y;
        }>());
  t.add({"s_addc_u32", "s_add_co_ci_u32"},
        flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u64 sum = u64(x) + y + c;
          c = (sum >> 32);
          return u32(sum);
        }>());
  t.add({"s_subb_u32", "s_sub_co_ci_u32"},
        flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u64 sum = u64(x) - y - c;
          c = (sum >> 32) & 1;
          return u32(sum);
        }>());
  t.add({"s_add_i32", "s_add_co_i32"},
        flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          i32 sum;
          c = __builtin_add_overflow(i32(x), i32(y), &sum);
          return u32(sum);
        }>());
  t.add({"s_sub_i32", "s_sub_co_i32"},
        flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          i32 sum;
          c = __builtin_sub_overflow(i32(x), i32(y), &sum);
          return u32(sum);
        }>());
  t.add({"s_min_i32"}, flagged<i32, [](i32 x, i32 y, bool &c) -> i32 {
          c = x < y;
          return std::min(x, y);
        }>());
  t.add({"s_max_i32"}, flagged<i32, [](i32 x, i32 y, bool &c) -> i32 {
          c = (x > y);
          return std::max(x, y);
        }>());
  t.add({"s_min_u32"}, flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          c = x < y;
          return std::min(x, y);
        }>());
  t.add({"s_max_u32"}, flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          c = (x > y);
          return std::max(x, y);
        }>());
  t.add("s_absdiff_i32", flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          // The difference wraps around before its sign is dropped.
          u32 difference = x - y;
          c = difference != 0;
          return i32(difference) < 0 ? 0u - difference : difference;
        }>());
  t.add("s_abs_i32", scalar<Flag::NotZero, [](u32 x) -> u32 {
          return i32(x) < 0 ? 0u - x : x;
        }>());
  t.add("s_lshl1_add_u32", flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u64 s = (u64(x) << 1) + y;
          c = (s >> 32);
          return u32(s);
        }>());
  t.add("s_lshl2_add_u32", flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u64 s = (u64(x) << 2) + y;
          c = (s >> 32);
          return u32(s);
        }>());
  t.add("s_lshl3_add_u32", flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u64 s = (u64(x) << 3) + y;
          c = (s >> 32);
          return u32(s);
        }>());
  t.add("s_lshl4_add_u32", flagged<u32, [](u32 x, u32 y, bool &c) -> u32 {
          u64 s = (u64(x) << 4) + y;
          c = (s >> 32);
          return u32(s);
        }>());
}

void addProducts(Table &t) {
  t.add("s_mul_i32",
        scalar<Flag::Keep, [](u32 x, u32 y) -> u32 { return x * y; }>());
  t.add("s_mul_hi_u32", scalar<Flag::Keep, [](u32 x, u32 y) -> u32 {
          return u32((u64(x) * y) >> 32);
        }>());
  t.add("s_mul_hi_i32", scalar<Flag::Keep, [](i32 x, i32 y) -> i32 {
          return i32((i64(x) * y) >> 32);
        }>());
  t.add({"s_add_u64", "s_add_nc_u64"},
        scalar<Flag::Keep, [](u64 x, u64 y) -> u64 { return x + y; }>());
  t.add({"s_sub_u64", "s_sub_nc_u64"},
        scalar<Flag::Keep, [](u64 x, u64 y) -> u64 { return x - y; }>());
  t.add("s_mul_u64",
        scalar<Flag::Keep, [](u64 x, u64 y) -> u64 { return x * y; }>());
}

/// Shifts to the right, and fields of bits.
void addFields(Table &t) {
  t.add("s_ashr_i32", scalar<Flag::NotZero, [](i32 x, u32 n) -> i32 {
          return (x >> (n & 31));
        }>());
  t.add("s_ashr_i64", scalar<Flag::NotZero, [](i64 x, u32 n) -> i64 {
          return (x >> (n & 63));
        }>());
  t.add("s_bfe_u32", scalar<Flag::NotZero, [](u32 x, u32 y) -> u32 {
          return field<u32>(x, y & 0x7f001f);
        }>());
  t.add("s_bfe_u64", scalar<Flag::NotZero, [](u64 x, u32 y) -> u64 {
          return field<u64>(x, y);
        }>());
  t.add("s_bfe_i32", scalar<Flag::NotZero, [](u32 x, u32 y) -> u32 {
          return signedField<u32>(x, y);
        }>());
  t.add("s_bfe_i64", scalar<Flag::NotZero, [](u64 x, u32 y) -> u64 {
          return signedField<u64>(x, y);
        }>());
  t.add("s_bitreplicate_b64_b32", scalar<Flag::Keep, [](u32 x) -> u64 {
          u64 y = 0;
          for (u32 i = 0; i < 32; ++i)
            y |= u64((x >> i) & 1) * 3 << (2 * i);
          return y;
        }>());
  t.add("s_sext_i32_i8",
        scalar<Flag::Keep, [](u32 x) -> i32 { return int8_t(x); }>());
  t.add("s_sext_i32_i16",
        scalar<Flag::Keep, [](u32 x) -> i32 { return int16_t(x); }>());
  t.add("s_pack_ll_b32_b16", scalar<Flag::Keep, [](u32 x, u32 y) -> u32 {
          return (x & 0xffff) | y << 16;
        }>());
  t.add("s_pack_lh_b32_b16", scalar<Flag::Keep, [](u32 x, u32 y) -> u32 {
          return (x & 0xffff) | (y & 0xffff0000);
        }>());
  t.add("s_pack_hh_b32_b16", scalar<Flag::Keep, [](u32 x, u32 y) -> u32 {
          return (x >> 16 | (y & 0xffff0000));
        }>());
  t.add("s_pack_hl_b32_b16", scalar<Flag::Keep, [](u32 x, u32 y) -> u32 {
          return (x >> 16 | y << 16);
        }>());
}

/// A comparison with a register, or (s_cmpk) with a constant of 16 bits that
/// has a sign where the type has one.
template <typename T, auto F>
void addRelation(Table &t, const std::string &name) {
  addCompare<T, F>(t, {"s_cmp_" + name});
  Entry entry;
  entry.kind = Class::Scalar;
  entry.run = [](Wave &wave, const Inst &inst) {
    using Short = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
    wave.scc =
        F(source<T>(wave, inst, 0), T(Short(source<u32>(wave, inst, 1))));
  };
  t.add("s_cmpk_" + name, entry);
}

template <typename T> void addOrder(Table &t, const std::string &type) {
  addRelation<T, [](T x, T y) { return x == y; }>(t, "eq_" + type);
  addRelation<T, [](T x, T y) { return x != y; }>(t, "lg_" + type);
  addRelation<T, [](T x, T y) { return (x > y); }>(t, "gt_" + type);
  addRelation<T, [](T x, T y) { return x >= y; }>(t, "ge_" + type);
  addRelation<T, [](T x, T y) { return x < y; }>(t, "lt_" + type);
  addRelation<T, [](T x, T y) { return x <= y; }>(t, "le_" + type);
}

/// SOPK: a constant of 16 bits with a sign.
void addShort(Table &t) {
  auto add = [&](std::initializer_list<std::string_view> names, Run run) {
    Entry entry;
    entry.kind = Class::Scalar;
    entry.run = run;
    t.add(names, entry);
  };
  add({"s_movk_i32"}, [](Wave &wave, const Inst &inst) {
    give(wave, inst, i32(int16_t(source<u32>(wave, inst, 1))));
  });
  add({"s_cmovk_i32"}, [](Wave &wave, const Inst &inst) {
    if (wave.scc)
      give(wave, inst, i32(int16_t(source<u32>(wave, inst, 1))));
  });
  add({"s_addk_i32", "s_addk_co_i32"}, [](Wave &wave, const Inst &inst) {
    i32 sum;
    wave.scc =
        __builtin_add_overflow(source<i32>(wave, inst, 0),
                               i32(int16_t(source<u32>(wave, inst, 1))), &sum);
    give(wave, inst, sum);
  });
  add({"s_mulk_i32"}, [](Wave &wave, const Inst &inst) {
    give(wave, inst,
         source<u32>(wave, inst, 0) *
             u32(i32(int16_t(source<u32>(wave, inst, 1)))));
  });
}
} // namespace

void kiln::amd::sim::addScalar(Table &t) {
  addBits<u32>(t, "b32");
  addBits<u64>(t, "b64");
  addSingleBits<u32>(t, "b32");
  addSingleBits<u64>(t, "b64");
  addSums(t);
  addProducts(t);
  addFields(t);
  addScalarFloats(t);
  addScalarHalves(t);
  addOrder<i32>(t, "i32");
  addOrder<u32>(t, "u32");
  addCompare<u64, [](u64 x, u64 y) { return x == y; }>(t, {"s_cmp_eq_u64"});
  addCompare<u64, [](u64 x, u64 y) { return x != y; }>(
      t, {"s_cmp_lg_u64", "s_cmp_ne_u64"});
  addShort(t);
}
