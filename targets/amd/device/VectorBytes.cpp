// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences and means of bytes ("V_SAD_U8", "V_QSAD_PK_U16_U8" and others in
// the instruction set manuals), and faces of cubes.
#include "Saturate.h"

using namespace kiln::amd::sim;

namespace {
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;

u32 distance(u32 x, u32 y) { return x > y ? x - y : y - x; }
/// The sum of differences of bytes. `masks`: bytes of y that are 0 do not
/// count.
i64 sumOfBytes(u32 x, u32 y, i64 sum, bool masks) {
  for (unsigned at = 0; at < 32; at += 8) {
    u32 a = (x >> at) & 0xff, b = (y >> at) & 0xff;
    sum += masks && !b ? 0 : distance(a, b);
  }
  return sum;
}
u32 mean(u32 x, u32 y, u32 rounds) {
  u32 result = 0;
  for (unsigned at = 0; at < 32; at += 8)
    result |=
        ((((x >> at) & 0xff) + ((y >> at) & 0xff) + ((rounds >> at) & 1)) >> 1)
        << at;
  return result;
}

/// Sums for four places of the first source, each a byte further, in parts of
/// 16 bits of the last one.
template <bool masks> void runFourSums(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~u64(0);
  Lanes<u64> x, sums;
  Lanes<u32> y;
  load(wave, inst, 1, x.v, false);
  load(wave, inst, 2, y.v, false);
  load(wave, inst, 3, sums.v, false);
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    u64 result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      i64 sum = sumOfBytes(u32(x.v[l] >> (8 * i)), y.v[l],
                           u16(sums.v[l] >> (16 * i)), masks);
      result |= u64(fit<u16>(sum, inst.clamp)) << (16 * i);
    }
    sums.v[l] = result;
  }
  store(wave, inst, inst.ops[0], sums.v);
}

/// v_mqsad_u32_u8 dst[4], x[2], y, sums[4].
void runFourWords(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~u64(0);
  Lanes<u64> x;
  Lanes<u32> y, sums[4];
  load(wave, inst, 1, x.v, false);
  load(wave, inst, 2, y.v, false);
  alignas(64) u32 space[kMaxLanes];
  for (unsigned i = 0; i < 4; ++i) {
    const u32 *words4 = words(wave, inst, inst.ops[3], i, space, false);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      sums[i].v[l] = fit<u32>(
          sumOfBytes(u32(x.v[l] >> (8 * i)), y.v[l], words4[l], /*masks=*/true),
          inst.clamp);
  }
  for (unsigned i = 0; i < 4; ++i)
    writeWord(wave, inst.ops[0].reg + i, sums[i].v, writtenLanes(wave, inst));
}

/// The axis of the largest coordinate: 2 before 1 before 0.
unsigned majorAxis(float x, float y, float z) {
  float a = std::fabs(x), b = std::fabs(y), c = std::fabs(z);
  return c >= a && c >= b ? 2 : b >= a ? 1 : 0;
}
void addCubes(Table &t) {
  t.add("v_cubeid_f32", vector<[](float x, float y, float z) -> float {
          unsigned axis = majorAxis(x, y, z);
          float main = axis == 2 ? z : axis == 1 ? y : x;
          return float(2 * axis) + (main < 0 ? 1.0f : 0.0f);
        }>());
  t.add("v_cubema_f32", vector<[](float x, float y, float z) -> float {
          unsigned axis = majorAxis(x, y, z);
          return 2.0f * (axis == 2 ? z : axis == 1 ? y : x);
        }>());
  t.add("v_cubesc_f32", vector<[](float x, float y, float z) -> float {
          unsigned axis = majorAxis(x, y, z);
          if (axis == 2)
            return z < 0 ? -x : x;
          return axis == 1 ? x : x < 0 ? z : -z;
        }>());
  t.add("v_cubetc_f32", vector<[](float x, float y, float z) -> float {
          if (majorAxis(x, y, z) != 1)
            return -y;
          return y < 0 ? -z : z;
        }>());
}
} // namespace

void kiln::amd::sim::addVectorBytes(Table &t) {
  t.add("v_sad_u8", fitting<u32, [](u32 x, u32 y, u32 z) -> i64 {
          return sumOfBytes(x, y, z, false);
        }>());
  t.add("v_msad_u8", fitting<u32, [](u32 x, u32 y, u32 z) -> i64 {
          return sumOfBytes(x, y, z, true);
        }>());
  t.add("v_sad_hi_u8", fitting<u32, [](u32 x, u32 y, u32 z) -> i64 {
          return (sumOfBytes(x, y, 0, false) << 16) + z;
        }>());
  t.add("v_sad_u16", fitting<u32, [](u32 x, u32 y, u32 z) -> i64 {
          return i64(z) + distance(x & 0xffff, y & 0xffff) +
                 distance(x >> 16, y >> 16);
        }>());
  t.add("v_sad_u32", fitting<u32, [](u32 x, u32 y, u32 z) -> i64 {
          return i64(distance(x, y)) + z;
        }>());
  t.add("v_lerp_u8",
        vector<[](u32 x, u32 y, u32 z) -> u32 { return mean(x, y, z); }>());
  Entry entry;
  entry.types[1] = Type::B64;
  entry.types[3] = Type::B64;
  entry.run = runFourSums<false>;
  t.add("v_qsad_pk_u16_u8", entry);
  entry.run = runFourSums<true>;
  t.add("v_mqsad_pk_u16_u8", entry);
  entry.types[3] = Type::B32;
  entry.run = runFourWords;
  t.add("v_mqsad_u32_u8", entry);
  addCubes(t);
}
