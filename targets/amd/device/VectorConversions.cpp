// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between types in every lane (manuals, V_CVT_*).
#include "Approximate.h"
#include "Values.h"
#include <algorithm>
#include <limits>

using namespace kiln::amd::sim;

namespace {
/// Towards zero, at most the ends of the type; NaN gives 0.
template <typename To, typename From> To toInteger(From x) {
  if (x != x)
    return 0;
  constexpr double low = double(std::numeric_limits<To>::min());
  constexpr double high = double(std::numeric_limits<To>::max());
  double y = std::trunc(double(x));
  return y <= low    ? std::numeric_limits<To>::min()
         : y >= high ? std::numeric_limits<To>::max()
                     : To(y);
}

/// Numbers without a sign. Hosts convert them by a difference, which makes -0
/// of 0 where the mode rounds down.
float singleOf(uint32_t x) {
  auto half = float(int32_t(x >> 1 | (x & 1)));
  return int32_t(x) < 0 ? half + half : float(int32_t(x));
}
double doubleOf(uint32_t x) {
  auto whole = double(int32_t(x));
  return int32_t(x) < 0 ? whole + 4294967296.0 : whole;
}

uint32_t pack(uint16_t low, uint16_t high) {
  return low | uint32_t(high) << 16;
}
uint32_t packHalves(Half low, Half high) {
  return pack(std::bit_cast<uint16_t>(low), std::bit_cast<uint16_t>(high));
}
/// Two f32 as halves of a word, which output modifiers change.
template <auto F> void runHalves(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> result;
  Lanes<Half> parts[2];
  for (unsigned n = 0; n < 2; ++n) {
    Lanes<float> x;
    load(wave, inst, n + 1, x.v, n == 0);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      parts[n].v[l] = F(x.v[l]);
    modify(inst, parts[n].v);
  }
  for (unsigned l = 0; l < kMaxLanes; ++l)
    result.v[l] = packHalves(parts[0].v[l], parts[1].v[l]);
  store(wave, inst, inst.ops[0], result.v);
}
template <auto F> Entry halves() {
  Entry entry;
  entry.run = runHalves<F>;
  entry.types.fill(Type::F32);
  return entry;
}
uint16_t normalized(float x, float scale, bool isSigned) {
  float low = isSigned ? -1.0f : 0.0f;
  float y = x != x ? 0.0f : std::min(std::max(x, low), 1.0f);
  return uint16_t(int32_t(std::nearbyint(y * scale)));
}

uint32_t saturatedByte(int32_t x, int32_t low, int32_t high) {
  return uint32_t(std::min(std::max(x, low), high)) & 0xff;
}

void addPairs(Table &t) {
  t.add({"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"}, halves<roundedDown>());
  t.add("v_cvt_pk_f16_f32", halves<[](float x) -> Half { return Half(x); }>());
  t.add("v_cvt_pk_bf16_f32", vector<[](float x, float y) -> uint32_t {
          return pack(toBf16(x).bits, toBf16(y).bits);
        }>());
  t.add("v_pack_b32_f16",
        vector<[](Half x, Half y) -> uint32_t { return packHalves(x, y); }>());
  t.add("v_cvt_pk_u16_u32", vector<[](uint32_t x, uint32_t y) -> uint32_t {
          return pack(uint16_t(std::min(x, 0xffffu)),
                      uint16_t(std::min(y, 0xffffu)));
        }>());
  t.add("v_cvt_pk_i16_i32", vector<[](int32_t x, int32_t y) -> uint32_t {
          auto cut = [](int32_t v) {
            return uint16_t(std::min(std::max(v, -32768), 32767));
          };
          return pack(cut(x), cut(y));
        }>());
  t.add("v_cvt_pk_i16_f32", vector<[](float x, float y) -> uint32_t {
          return pack(uint16_t(toInteger<int16_t>(x)),
                      uint16_t(toInteger<int16_t>(y)));
        }>());
  t.add("v_cvt_pk_u16_f32", vector<[](float x, float y) -> uint32_t {
          return pack(toInteger<uint16_t>(x), toInteger<uint16_t>(y));
        }>());
  t.add({"v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"},
        vector<[](Half x, Half y) -> uint32_t {
          return pack(normalized(float(x), 32767.0f, true),
                      normalized(float(y), 32767.0f, true));
        }>());
  t.add({"v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"},
        vector<[](Half x, Half y) -> uint32_t {
          return pack(normalized(float(x), 65535.0f, false),
                      normalized(float(y), 65535.0f, false));
        }>());
  t.add("v_cvt_norm_i16_f16", vector<[](Half x) -> uint16_t {
          return normalized(float(x), 32767.0f, true);
        }>());
  t.add("v_cvt_norm_u16_f16", vector<[](Half x) -> uint16_t {
          return normalized(float(x), 65535.0f, false);
        }>());
  // Byte y of z becomes x.
  t.add("v_cvt_pk_u8_f32",
        vector<[](float x, uint32_t y, uint32_t z) -> uint32_t {
          uint32_t at = (y & 3) * 8;
          return (z & ~(0xffu << at)) | uint32_t(toInteger<uint8_t>(x)) << at;
        }>());
  t.add("v_cvt_pkaccum_u8_f32",
        accumulate<[](float x, uint32_t y, uint32_t z) -> uint32_t {
          uint32_t at = (y & 3) * 8;
          return (z & ~(0xffu << at)) | uint32_t(toInteger<uint8_t>(x)) << at;
        }>());
  t.add("v_sat_pk_u8_i16", vector<[](uint32_t x) -> uint16_t {
          auto cut = [](uint32_t half) {
            return uint16_t(std::min(std::max(int(int16_t(half)), 0), 255));
          };
          return uint16_t(cut(x) | cut(x >> 16) << 8);
        }>());
  // Sixteenths, from -8 to 7.
  t.add("v_cvt_off_f32_i4", vector<[](uint32_t x) -> float {
          return float(int32_t(x << 28) >> 28) / 16.0f;
        }>());
  t.add("v_ashr_pk_i8_i32",
        vector<[](int32_t x, int32_t y, uint32_t n) -> uint16_t {
          return uint16_t(saturatedByte(x >> (n & 31), -128, 127) |
                          saturatedByte(y >> (n & 31), -128, 127) << 8);
        }>());
  t.add("v_ashr_pk_u8_i32",
        vector<[](int32_t x, int32_t y, uint32_t n) -> uint16_t {
          return uint16_t(saturatedByte(x >> (n & 31), 0, 255) |
                          saturatedByte(y >> (n & 31), 0, 255) << 8);
        }>());
  t.add("v_prng_b32", vector<[](uint32_t x) -> uint32_t {
          return x << 1 ^ (x >> 31 ? 197u : 0u);
        }>());
  t.add({"v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"},
        vector<[](float x, float y) -> uint32_t {
          return pack(normalized(x, 32767.0f, true),
                      normalized(y, 32767.0f, true));
        }>());
  t.add({"v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"},
        vector<[](float x, float y) -> uint32_t {
          return pack(normalized(x, 65535.0f, false),
                      normalized(y, 65535.0f, false));
        }>());
}
} // namespace

void kiln::amd::sim::addVectorConversions(Table &t) {
  t.add("v_cvt_f32_i32", vector<[](int32_t x) -> float { return float(x); }>());
  t.add("v_cvt_f32_u32",
        vector<[](uint32_t x) -> float { return singleOf(x); }>());
  t.add("v_cvt_u32_f32",
        vector<[](float x) -> uint32_t { return toInteger<uint32_t>(x); }>());
  t.add("v_cvt_i32_f32",
        vector<[](float x) -> int32_t { return toInteger<int32_t>(x); }>());
  t.add({"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
        vector<[](float x) -> int32_t {
          return toInteger<int32_t>(std::floor(x + 0.5f));
        }>());
  t.add({"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"},
        vector<[](float x) -> int32_t {
          return toInteger<int32_t>(std::floor(x));
        }>());
  t.add("v_cvt_f64_i32", vector<[](int32_t x) -> double { return x; }>());
  t.add("v_cvt_f64_u32",
        vector<[](uint32_t x) -> double { return doubleOf(x); }>());
  t.add("v_cvt_i32_f64",
        vector<[](double x) -> int32_t { return toInteger<int32_t>(x); }>());
  t.add("v_cvt_u32_f64",
        vector<[](double x) -> uint32_t { return toInteger<uint32_t>(x); }>());
  t.add("v_cvt_f32_f64", vector<[](double x) -> float { return float(x); }>());
  t.add("v_cvt_f64_f32", vector<[](float x) -> double { return x; }>());
  t.add("v_cvt_f16_f32", vector<[](float x) -> Half { return Half(x); }>());
  t.add("v_cvt_f32_f16", vector<[](Half x) -> float { return float(x); }>());
  t.add("v_cvt_f32_bf16", vector<[](Bf16 x) -> float { return toFloat(x); }>());
  t.add("v_cvt_f16_u16",
        vector<[](uint16_t x) -> Half { return Half(float(x)); }>());
  t.add("v_cvt_f16_i16",
        vector<[](int16_t x) -> Half { return Half(float(x)); }>());
  t.add("v_cvt_u16_f16", vector<[](Half x) -> uint16_t {
          return toInteger<uint16_t>(float(x));
        }>());
  t.add(
      "v_cvt_i16_f16",
      vector<[](Half x) -> int16_t { return toInteger<int16_t>(float(x)); }>());
  t.add("v_cvt_i32_i16", vector<[](int16_t x) -> int32_t { return x; }>());
  t.add("v_cvt_u32_u16", vector<[](uint16_t x) -> uint32_t { return x; }>());
  t.add("v_cvt_f32_ubyte0",
        vector<[](uint32_t x) -> float { return float(x & 0xff); }>());
  t.add("v_cvt_f32_ubyte1",
        vector<[](uint32_t x) -> float { return float((x >> 8) & 0xff); }>());
  t.add("v_cvt_f32_ubyte2",
        vector<[](uint32_t x) -> float { return float((x >> 16) & 0xff); }>());
  t.add("v_cvt_f32_ubyte3",
        vector<[](uint32_t x) -> float { return float(x >> 24); }>());
  addPairs(t);
}
