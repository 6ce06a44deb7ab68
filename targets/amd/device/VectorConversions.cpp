// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between types in every lane (manuals, V_CVT_*).
#include "Float8.h"
#include "Values.h"
#include <algorithm>

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

/// Rounded towards zero.
Half toHalfDown(float x) {
  Half near = Half(x);
  if (x == x && std::fabs(float(near)) > std::fabs(x))
    near = std::bit_cast<Half>(uint16_t(std::bit_cast<uint16_t>(near) - 1));
  return near;
}
uint32_t pack(uint16_t low, uint16_t high) {
  return low | uint32_t(high) << 16;
}
uint32_t packHalves(Half low, Half high) {
  return pack(std::bit_cast<uint16_t>(low), std::bit_cast<uint16_t>(high));
}
uint16_t normalized(float x, float scale, bool isSigned) {
  float low = isSigned ? -1.0f : 0.0f;
  float y = x != x ? 0.0f : std::min(std::max(x, low), 1.0f);
  return uint16_t(int32_t(std::nearbyint(y * scale)));
}

Float8Format formatOf(const Wave &wave, bool isBf8) {
  bool isOcp = wave.machine->isa.hasOcpFloat8;
  return isBf8 ? (isOcp ? kE5M2 : kE5M2Fnuz) : (isOcp ? kE4M3 : kE4M3Fnuz);
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
    Lanes<uint32_t> result;
    for (unsigned l = 0; l < kMaxLanes; ++l)
      result.v[l] = std::bit_cast<uint32_t>(
          widen(uint8_t(x.v[l] >> (shift + 8 * word)), format));
    writeWord(wave, inst.ops[0].reg + word, result.v, writtenLanes(wave, inst));
  }
}
/// v_cvt_pk_fp8_f32 dst, x, y: a half of the result, the other one stays.
template <bool isBf8> void runToBytes(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<float> x, y;
  load(wave, inst, 1, x.v, true);
  load(wave, inst, 2, y.v, false);
  Float8Format format = formatOf(wave, isBf8);
  alignas(64) uint16_t both[kMaxLanes];
  for (unsigned l = 0; l < kMaxLanes; ++l)
    both[l] = uint16_t(narrow(x.v[l], format, inst.clamp) |
                       narrow(y.v[l], format, inst.clamp) << 8);
  bool isHigh =
      inst.ops[0].isHigh || (inst.opSel >> 3) & 1 || (inst.opSel >> 2) & 1;
  writeHalf(wave, inst, inst.ops[0], both, isHigh);
}

void addFloat8(Table &t) {
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
}

void addPairs(Table &t) {
  t.add({"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"},
        vector<[](float x, float y) -> uint32_t {
          return packHalves(toHalfDown(x), toHalfDown(y));
        }>());
  t.add("v_cvt_pk_f16_f32", vector<[](float x, float y) -> uint32_t {
          return packHalves(Half(x), Half(y));
        }>());
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
        vector<[](uint32_t x) -> float { return float(x); }>());
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
  t.add("v_cvt_f64_u32", vector<[](uint32_t x) -> double { return x; }>());
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
  addFloat8(t);
}
