// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar arithmetic of floats, which RDNA has since gfx11.5 ("RDNA4" manual).
#include "FloatExtremes.h"
#include "NearestEven.h"
#include "ScalarValues.h"

using namespace kiln::amd::sim;

void kiln::amd::sim::addScalarFloats(Table &t) {
  t.add("s_add_f32",
        scalar<Flag::Keep, [](float x, float y) -> float { return x + y; }>());
  t.add("s_sub_f32",
        scalar<Flag::Keep, [](float x, float y) -> float { return x - y; }>());
  t.add("s_mul_f32",
        scalar<Flag::Keep, [](float x, float y) -> float { return x * y; }>());
  t.add({"s_max_f32", "s_max_num_f32"},
        scalar<Flag::Keep,
               [](float x, float y) -> float { return larger(x, y); }>());
  t.add({"s_min_f32", "s_min_num_f32"},
        scalar<Flag::Keep,
               [](float x, float y) -> float { return smaller(x, y); }>());
  t.add("s_cvt_f32_i32",
        scalar<Flag::Keep, [](i32 x) -> float { return float(x); }>());
  t.add("s_cvt_f32_u32",
        scalar<Flag::Keep, [](u32 x) -> float { return float(x); }>());
  t.add("s_cvt_i32_f32", scalar<Flag::Keep, [](float x) -> i32 {
          return x != x                ? 0
                 : x >= 2147483648.0f  ? INT32_MAX
                 : x <= -2147483648.0f ? INT32_MIN
                                       : i32(x);
        }>());
  t.add("s_cvt_u32_f32", scalar<Flag::Keep, [](float x) -> u32 {
          return !(x > 0) ? 0 : x >= 4294967296.0f ? ~0u : u32(x);
        }>());
  t.add("s_trunc_f32",
        scalar<Flag::Keep, [](float x) -> float { return std::trunc(x); }>());
  t.add("s_floor_f32",
        scalar<Flag::Keep, [](float x) -> float { return std::floor(x); }>());
  t.add("s_ceil_f32",
        scalar<Flag::Keep, [](float x) -> float { return std::ceil(x); }>());
  t.add("s_rndne_f32",
        scalar<Flag::Keep, [](float x) -> float { return nearestEven(x); }>());
  Entry entry;
  entry.kind = Class::Scalar;
  entry.types.fill(Type::F32);
  entry.run = [](Wave &wave, const Inst &inst) {
    give(wave, inst,
         std::fma(source<float>(wave, inst, 1), source<float>(wave, inst, 2),
                  source<float>(wave, inst, 0)));
  };
  t.add("s_fmac_f32", entry);
  entry.run = [](Wave &wave, const Inst &inst) {
    give(wave, inst,
         std::fma(source<float>(wave, inst, 1), source<float>(wave, inst, 2),
                  source<float>(wave, inst, 3)));
  };
  t.add({"s_fmamk_f32", "s_fmaak_f32"}, entry);
  addCompare<float, [](float x, float y) { return x < y; }>(t,
                                                            {"s_cmp_lt_f32"});
  addCompare<float, [](float x, float y) { return x == y; }>(t,
                                                             {"s_cmp_eq_f32"});
  addCompare<float, [](float x, float y) { return x <= y; }>(t,
                                                             {"s_cmp_le_f32"});
  addCompare<float, [](float x, float y) { return (x > y); }>(t,
                                                              {"s_cmp_gt_f32"});
  addCompare<float, [](float x, float y) { return (x < y || x > y); }>(
      t, {"s_cmp_lg_f32"});
  addCompare<float, [](float x, float y) { return x >= y; }>(t,
                                                             {"s_cmp_ge_f32"});
  addCompare<float, [](float x, float y) { return x == x && y == y; }>(
      t, {"s_cmp_o_f32"});
  addCompare<float, [](float x, float y) { return x != x || y != y; }>(
      t, {"s_cmp_u_f32"});
  addCompare<float, [](float x, float y) { return !(x >= y); }>(
      t, {"s_cmp_nge_f32"});
  addCompare<float, [](float x, float y) { return !(x < y || x > y); }>(
      t, {"s_cmp_nlg_f32"});
  addCompare<float, [](float x, float y) { return !(x > y); }>(
      t, {"s_cmp_ngt_f32"});
  addCompare<float, [](float x, float y) { return !(x <= y); }>(
      t, {"s_cmp_nle_f32"});
  addCompare<float, [](float x, float y) { return !(x == y); }>(
      t, {"s_cmp_neq_f32"});
  addCompare<float, [](float x, float y) { return !(x < y); }>(
      t, {"s_cmp_nlt_f32"});
}
