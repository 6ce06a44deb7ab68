// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic instructions of global memory, and what atomic updates compute. One
// host thread runs all waves: an update is a read and a write.
#include "Atomics.h"
#include "Addresses.h"
#include "FloatExtremes.h"
#include <algorithm>

using namespace kiln::amd::sim;

namespace {
using u64 = uint64_t;
using u32 = uint32_t;

template <auto F> u64 words(u64 x, u64 y, u64) { return F(u32(x), u32(y)); }
template <auto F> u64 doubleWords(u64 x, u64 y, u64) { return F(x, y); }
template <auto F> u64 singles(u64 x, u64 y, u64) {
  return std::bit_cast<u32>(
      float(F(std::bit_cast<float>(u32(x)), std::bit_cast<float>(u32(y)))));
}
template <auto F> u64 doubles(u64 x, u64 y, u64) {
  return std::bit_cast<u64>(
      double(F(std::bit_cast<double>(x), std::bit_cast<double>(y))));
}
u64 addHalves(u64 x, u64 y, u64) {
  u32 result = 0;
  for (unsigned at = 0; at < 32; at += 16) {
    Half sum = std::bit_cast<Half>(uint16_t(x >> at)) +
               std::bit_cast<Half>(uint16_t(y >> at));
    result |= u32(std::bit_cast<uint16_t>(sum)) << at;
  }
  return result;
}
u64 addBf16(u64 x, u64 y, u64) {
  u32 result = 0;
  for (unsigned at = 0; at < 32; at += 16) {
    float sum =
        toFloat(Bf16{uint16_t(x >> at)}) + toFloat(Bf16{uint16_t(y >> at)});
    result |= u32(toBf16(sum).bits) << at;
  }
  return result;
}
template <typename T> T increment(T x, T y) { return x >= y ? 0 : x + 1; }
template <typename T> T decrement(T x, T y) {
  return x == 0 || x > y ? y : x - 1;
}

u64 subtractClamped(u64 x, u64 y, u64) {
  return u32(x) < u32(y) ? 0 : u32(x) - u32(y);
}
/// Compared as numbers.
u64 swapSingle(u64 x, u64 y, u64 c) {
  return std::bit_cast<float>(u32(x)) == std::bit_cast<float>(u32(c)) ? u32(y)
                                                                      : u32(x);
}
u64 swapDouble(u64 x, u64 y, u64 c) {
  return std::bit_cast<double>(x) == std::bit_cast<double>(c) ? y : x;
}

using S32 = int32_t;
using S64 = int64_t;
const AtomicRow kRows[] = {
    {{"add", "add_u32", "add_u32"},
     words<[](u32 x, u32 y) { return x + y; }>,
     4,
     false},
    {{"sub", "sub_u32", "sub_u32"},
     words<[](u32 x, u32 y) { return x - y; }>,
     4,
     false},
    {{"smin", "min_i32", "min_i32"},
     words<[](u32 x, u32 y) { return u32(std::min(S32(x), S32(y))); }>,
     4,
     false},
    {{"umin", "min_u32", "min_u32"},
     words<[](u32 x, u32 y) { return std::min(x, y); }>,
     4,
     false},
    {{"smax", "max_i32", "max_i32"},
     words<[](u32 x, u32 y) { return u32(std::max(S32(x), S32(y))); }>,
     4,
     false},
    {{"umax", "max_u32", "max_u32"},
     words<[](u32 x, u32 y) { return std::max(x, y); }>,
     4,
     false},
    {{"and", "and_b32", "and_b32"},
     words<[](u32 x, u32 y) { return x & y; }>,
     4,
     false},
    {{"or", "or_b32", "or_b32"},
     words<[](u32 x, u32 y) { return x | y; }>,
     4,
     false},
    {{"xor", "xor_b32", "xor_b32"},
     words<[](u32 x, u32 y) { return x ^ y; }>,
     4,
     false},
    {{"inc", "inc_u32", "inc_u32"},
     words<[](u32 x, u32 y) { return increment(x, y); }>,
     4,
     false},
    {{"dec", "dec_u32", "dec_u32"},
     words<[](u32 x, u32 y) { return decrement(x, y); }>,
     4,
     false},
    {{"swap", "swap_b32", "wrxchg_b32"},
     words<[](u32, u32 y) { return y; }>,
     4,
     false},
    {{nullptr, nullptr, "storexchg_b32"},
     words<[](u32, u32 y) { return y; }>,
     4,
     false},
    {{"add_x2", "add_u64", "add_u64"},
     doubleWords<[](u64 x, u64 y) { return x + y; }>,
     8,
     false},
    {{"sub_x2", "sub_u64", "sub_u64"},
     doubleWords<[](u64 x, u64 y) { return x - y; }>,
     8,
     false},
    {{"smin_x2", "min_i64", "min_i64"},
     doubleWords<[](u64 x, u64 y) { return u64(std::min(S64(x), S64(y))); }>,
     8,
     false},
    {{"umin_x2", "min_u64", "min_u64"},
     doubleWords<[](u64 x, u64 y) { return std::min(x, y); }>,
     8,
     false},
    {{"smax_x2", "max_i64", "max_i64"},
     doubleWords<[](u64 x, u64 y) { return u64(std::max(S64(x), S64(y))); }>,
     8,
     false},
    {{"umax_x2", "max_u64", "max_u64"},
     doubleWords<[](u64 x, u64 y) { return std::max(x, y); }>,
     8,
     false},
    {{"and_x2", "and_b64", "and_b64"},
     doubleWords<[](u64 x, u64 y) { return x & y; }>,
     8,
     false},
    {{"or_x2", "or_b64", "or_b64"},
     doubleWords<[](u64 x, u64 y) { return x | y; }>,
     8,
     false},
    {{"xor_x2", "xor_b64", "xor_b64"},
     doubleWords<[](u64 x, u64 y) { return x ^ y; }>,
     8,
     false},
    {{"inc_x2", "inc_u64", "inc_u64"},
     doubleWords<[](u64 x, u64 y) { return increment(x, y); }>,
     8,
     false},
    {{"dec_x2", "dec_u64", "dec_u64"},
     doubleWords<[](u64 x, u64 y) { return decrement(x, y); }>,
     8,
     false},
    {{"swap_x2", "swap_b64", "wrxchg_b64"},
     doubleWords<[](u64, u64 y) { return y; }>,
     8,
     false},
    {{"cmpswap", "cmpswap_b32", "cmpst_b32"},
     [](u64 x, u64 y, u64 c) -> u64 {
       return u32(x) == u32(c) ? u32(y) : u32(x);
     },
     4,
     true},
    {{nullptr, nullptr, "cmpstore_b32"},
     [](u64 x, u64 y, u64 c) -> u64 {
       return u32(x) == u32(c) ? u32(y) : u32(x);
     },
     4,
     true},
    {{"cmpswap_x2", "cmpswap_b64", "cmpst_b64"},
     [](u64 x, u64 y, u64 c) -> u64 { return x == c ? y : x; },
     8,
     true},
    {{nullptr, nullptr, "cmpstore_b64"},
     [](u64 x, u64 y, u64 c) -> u64 { return x == c ? y : x; },
     8,
     true},
    {{"add_f32", nullptr, "add_f32"},
     singles<[](float x, float y) { return x + y; }>,
     4,
     false},
    {{"min_f32", "min_num_f32", "min_f32"},
     singles<[](float x, float y) { return minNumber(x, y); }>,
     4,
     false},
    {{"max_f32", "max_num_f32", "max_f32"},
     singles<[](float x, float y) { return maxNumber(x, y); }>,
     4,
     false},
    {{"fmin", nullptr, "min_num_f32"},
     singles<[](float x, float y) { return minNumber(x, y); }>,
     4,
     false},
    {{"fmax", nullptr, "max_num_f32"},
     singles<[](float x, float y) { return maxNumber(x, y); }>,
     4,
     false},
    {{"add_f64", nullptr, "add_f64"},
     doubles<[](double x, double y) { return x + y; }>,
     8,
     false},
    {{"min_f64", nullptr, "min_f64"},
     doubles<[](double x, double y) { return minNumber(x, y); }>,
     8,
     false},
    {{"max_f64", nullptr, "max_f64"},
     doubles<[](double x, double y) { return maxNumber(x, y); }>,
     8,
     false},
    {{nullptr, "cmpswap_f32", "cmpst_f32"}, swapSingle, 4, true},
    {{nullptr, nullptr, "cmpstore_f32"}, swapSingle, 4, true},
    {{nullptr, nullptr, "cmpst_f64"}, swapDouble, 8, true},
    {{nullptr, nullptr, "cmpstore_f64"}, swapDouble, 8, true},
    {{nullptr, nullptr, "min_num_f64"},
     doubles<[](double x, double y) { return minNumber(x, y); }>,
     8,
     false},
    {{nullptr, nullptr, "max_num_f64"},
     doubles<[](double x, double y) { return maxNumber(x, y); }>,
     8,
     false},
    {{nullptr, nullptr, "rsub_u32"},
     words<[](u32 x, u32 y) { return y - x; }>,
     4,
     false},
    {{nullptr, nullptr, "rsub_u64"},
     doubleWords<[](u64 x, u64 y) { return y - x; }>,
     8,
     false},
    {{nullptr, nullptr, "storexchg_b64"},
     doubleWords<[](u64, u64 y) { return y; }>,
     8,
     false},
    // The bits of a mask become those of another word.
    {{nullptr, nullptr, "mskor_b32"},
     [](u64 x, u64 y, u64 z) -> u64 { return u32((x & ~y) | z); },
     4,
     true},
    {{nullptr, nullptr, "mskor_b64"},
     [](u64 x, u64 y, u64 z) -> u64 { return (x & ~y) | z; },
     8,
     true},
    {{nullptr, nullptr, "wrap_b32"},
     [](u64 x, u64 y, u64 z) -> u64 {
       return u32(u32(x) >= u32(y) ? x - y : x + z);
     },
     4,
     true},
    {{"csub", "csub_u32", nullptr}, subtractClamped, 4, false},
    {{nullptr, "sub_clamp_u32", "sub_clamp_u32"}, subtractClamped, 4, false},
    {{nullptr, "cond_sub_u32", "cond_sub_u32"},
     words<[](u32 x, u32 y) { return x >= y ? x - y : x; }>,
     4,
     false},
    // Each word that has its highest bit set is stored without it.
    {{nullptr, nullptr, "condxchg32_b64"},
     [](u64 x, u64 y, u64) -> u64 {
       u32 low = u32(y) >> 31 ? u32(y) & 0x7fffffff : u32(x);
       u32 high = y >> 63 ? u32(y >> 32) & 0x7fffffff : u32(x >> 32);
       return low | u64(high) << 32;
     },
     8,
     false},
    {{"pk_add_f16", nullptr, "pk_add_f16"}, addHalves, 4, false},
    {{"pk_add_bf16", nullptr, "pk_add_bf16"}, addBf16, 4, false},
};

/// [dst,] address, data, scalar address; buffers: data, address, ...
void runAtomic(Wave &wave, const Inst &inst) {
  const AtomicRow &row = kRows[inst.stride];
  bool isBuffer = inst.aux == kBufferSpace;
  unsigned first = inst.returns && !isBuffer ? 1 : 0;
  LaneAddresses to(wave, inst, first, 1);
  const Operand &data = inst.ops[isBuffer ? 0 : first + 1];
  unsigned words = row.bytes / 4;
  unsigned dataWords = words * (row.compares ? 2 : 1);
  for (unsigned i = 0; i < dataWords; ++i)
    wave.touchVector(data.reg + i);
  unsigned result = inst.ops[0].reg;
  if (inst.returns)
    for (unsigned i = 0; i < words; ++i)
      wave.touchVector(result + i);
  for (uint64_t rest = to.mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint8_t *place = to.at(lane, 0, row.bytes, true, true);
    uint64_t old = 0, operand = 0, compare = 0;
    auto word = [&](unsigned i) {
      return uint64_t(wave.v[data.reg + i].lane[lane]);
    };
    operand = word(0) | (words == 2 ? word(1) << 32 : 0);
    // The new value stands before the one to compare with.
    if (row.compares)
      compare = word(words) | (words == 2 ? word(3) << 32 : 0);
    if (place) {
      std::memcpy(&old, place, row.bytes);
      uint64_t now = row.update(old, operand, compare);
      std::memcpy(place, &now, row.bytes);
    }
    if (inst.returns)
      for (unsigned i = 0; i < words; ++i)
        wave.v[result + i].lane[lane] = uint32_t(old >> (32 * i));
  }
  wave.machine->counters.globalBytes +=
      uint64_t(row.bytes) * unsigned(__builtin_popcountll(to.mask));
  bool isStore = !inst.returns && wave.machine->isa.major >= 10;
  uint32_t mark = wave.issue(isStore ? Counter::Store : Counter::Load);
  if (!inst.returns)
    return;
  for (unsigned i = 0; i < words; ++i) {
    wave.defined[result + i] |= to.mask;
    wave.pendingV[result + i] = mark;
  }
}
} // namespace

const AtomicRow *kiln::amd::sim::atomicRows(unsigned &count) {
  count = std::size(kRows);
  return kRows;
}

void kiln::amd::sim::addAtomics(Table &t) {
  const std::pair<const char *, Space> spaces[] = {
      {"global_atomic_", kGlobalSpace},
      {"flat_atomic_", kFlatSpace},
      {"buffer_atomic_", kBufferSpace}};
  for (auto [prefix, space] : spaces)
    for (unsigned i = 0; i < std::size(kRows); ++i) {
      Entry entry;
      entry.kind = Class::Global;
      entry.aux = space;
      entry.bytes = kRows[i].bytes;
      entry.run = runAtomic;
      entry.row = uint8_t(i);
      for (unsigned n = 0; n < 2; ++n)
        if (kRows[i].names[n])
          t.add(prefix + std::string(kRows[i].names[n]), entry);
    }
}
