// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of global, flat, scratch and buffer memory, and scalar
// loads.
#include "Addresses.h"
#include "NarrowLoads.h"
#include <algorithm>

using namespace kiln::amd::sim;

namespace {
/// Whether a counter of the chip counts stores by themselves.
Counter storeCounter(const Wave &wave) {
  return wave.machine->isa.major >= 10 ? Counter::Store : Counter::Load;
}

void runLoadToLds(Wave &wave, const Inst &inst, LaneAddresses &from) {
  uint32_t base = (wave.readScalar(kM0) & 0x3ffff) + uint32_t(inst.offset);
  Lds &lds = wave.group->lds;
  uint64_t lanes = from.mask;
  if (inst.bytes >= 4 && from.areInOne(inst.bytes, /*writes=*/false)) {
    alignas(64) uint32_t to[kMaxLanes];
    for (unsigned l = 0; l < kMaxLanes; ++l)
      to[l] = base + l * inst.bytes;
    checkLdsLanes(wave, to, lanes, inst.bytes, LdsAccess::Write,
                  /*isOneTile=*/false, Counter::Load);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      auto lane = unsigned(__builtin_ctzll(rest));
      uint8_t *place = lds.bytes.data() + to[lane];
      if ((from.mask >> lane) & 1)
        std::memcpy(place, from.of(lane), inst.bytes);
      else
        std::memset(place, 0, inst.bytes);
    }
    settleLds(wave);
    wave.issue(Counter::Load);
    return;
  }
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    unsigned bytes = inst.bytes < 4 ? 4 : inst.bytes;
    uint32_t to = base + lane * bytes;
    uint32_t words[4] = {};
    for (unsigned at = 0; at < inst.bytes; at += 4) {
      unsigned part = std::min<unsigned>(4, inst.bytes);
      if (const uint8_t *source = from.at(lane, at, part, false))
        std::memcpy(&words[at / 4], source, part);
    }
    checkLds(wave, lane, to, bytes, LdsAccess::Write, Counter::Load);
    std::memcpy(lds.bytes.data() + to, words, bytes);
  }
  settleLds(wave);
  wave.issue(Counter::Load);
}

/// Moves whole words of lanes of a mask from memory to registers.
template <unsigned words>
void loadWords(const LaneAddresses &from, Register *to) {
  for (uint64_t rest = from.mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t value[words];
    std::memcpy(value, from.of(lane), sizeof value);
    for (unsigned i = 0; i < words; ++i)
      to[i].lane[lane] = value[i];
  }
}

/// The same in the other direction.
template <unsigned words>
void storeWords(const LaneAddresses &to, const Register *from) {
  for (uint64_t rest = to.mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t value[words];
    for (unsigned i = 0; i < words; ++i)
      value[i] = from[i].lane[lane];
    std::memcpy(to.of(lane), value, sizeof value);
  }
}

/// Loads words of lanes that are in one allocation. Those of other lanes are 0.
void loadWords(const LaneAddresses &from, Register *to, unsigned words,
               uint64_t exec) {
  for (uint64_t rest = exec & ~from.mask; rest; rest &= rest - 1)
    for (unsigned i = 0; i < words; ++i)
      to[i].lane[__builtin_ctzll(rest)] = 0;
  switch (words) {
  case 1:
    return loadWords<1>(from, to);
  case 2:
    return loadWords<2>(from, to);
  case 3:
    return loadWords<3>(from, to);
  default:
    return loadWords<4>(from, to);
  }
}

void storeWords(const LaneAddresses &to, const Register *from, unsigned words) {
  switch (words) {
  case 1:
    return storeWords<1>(to, from);
  case 2:
    return storeWords<2>(to, from);
  case 3:
    return storeWords<3>(to, from);
  default:
    return storeWords<4>(to, from);
  }
}

/// Marks registers that a load fills.
void finishLoad(Wave &wave, unsigned reg, unsigned count, uint64_t exec) {
  uint32_t mark = wave.issue(Counter::Load);
  for (unsigned i = 0; i < count; ++i) {
    wave.defined[reg + i] |= exec;
    wave.pendingV[reg + i] = mark;
  }
}

void runLoad(Wave &wave, const Inst &inst) {
  bool hasNoResult = inst.toLds;
  LaneAddresses from(wave, inst, inst.aux == kBufferSpace ? 0 : 1 - hasNoResult,
                     inst.aux == kBufferSpace && !hasNoResult ? 1 : 0);
  wave.machine->counters.globalBytes +=
      uint64_t(inst.bytes) * unsigned(__builtin_popcountll(from.mask));
  if (hasNoResult)
    return runLoadToLds(wave, inst, from);
  const Operand &to = inst.ops[0];
  unsigned count = inst.bytes < 4 ? 1 : inst.bytes / 4;
  for (unsigned i = 0; i < count; ++i)
    wave.touchLoaded(to.reg + i, Counter::Load);
  uint64_t exec = wave.exec();
  bool isInOne = from.areInOne(inst.bytes, /*writes=*/false);
  if (isInOne && inst.bytes >= 4) {
    loadWords(from, &wave.v[to.reg], count, exec);
    finishLoad(wave, to.reg, count, exec);
    return;
  }
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    bool takesPart = (from.mask >> lane) & 1;
    for (unsigned i = 0; i < count; ++i) {
      unsigned bytes = inst.bytes < 4 ? inst.bytes : 4;
      const uint8_t *source = !takesPart ? nullptr
                              : isInOne  ? from.of(lane)
                                         : from.at(lane, 4 * i, bytes, false);
      uint32_t word = 0;
      if (source)
        std::memcpy(&word, source, bytes);
      uint32_t &value = wave.v[to.reg + i].lane[lane];
      value =
          loadedRegister(inst, inst.isHigh || to.isHigh, bytes, word, value);
    }
  }
  finishLoad(wave, to.reg, count, exec);
}

/// global_load_tr_b128 dst, address, base, of elements of 16 bits, and b64 of 8
/// bits (RDNA4 manual, "Transpose Loads"): each of eight lanes reads eight
/// elements, and gets one of each lane. `stride` has the bytes of an element.
void runLoadTransposed(Wave &wave, const Inst &inst) {
  constexpr unsigned kSide = 8;
  LaneAddresses from(wave, inst, 1, 0);
  unsigned lanes = wave.lanes, words = inst.bytes / 4, to = inst.ops[0].reg;
  wave.machine->counters.globalBytes += uint64_t(inst.bytes) * lanes;
  for (unsigned i = 0; i < words; ++i)
    wave.touchLoaded(to + i, Counter::Load);
  if (lanes < kMaxLanes ? wave.exec() != (uint64_t(1) << lanes) - 1
                        : wave.exec() != ~uint64_t(0))
    wave.fail("reads transposed elements while lanes are inactive");
  unsigned each = inst.stride;
  uint8_t rows[kMaxLanes][16] = {}, columns[kMaxLanes][16] = {};
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned i = 0; i < words; ++i)
      if (const uint8_t *source = from.at(lane, 4 * i, 4, false))
        std::memcpy(rows[lane] + 4 * i, source, 4);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned e = 0; e < kSide; ++e)
      std::memcpy(columns[lane] + e * each,
                  rows[lane / kSide * kSide + e] + lane % kSide * each, each);
  uint32_t mark = wave.issue(Counter::Load);
  for (unsigned i = 0; i < words; ++i) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      std::memcpy(&wave.v[to + i].lane[lane], columns[lane] + 4 * i, 4);
    wave.defined[to + i] = ~uint64_t(0);
    wave.pendingV[to + i] = mark;
  }
}

void runStore(Wave &wave, const Inst &inst) {
  bool isDataFirst = inst.aux == kBufferSpace || inst.aux == kLaneSpace;
  LaneAddresses to(wave, inst, 0, 1);
  const Operand &data = inst.ops[isDataFirst ? 0 : 1];
  unsigned count = inst.bytes < 4 ? 1 : inst.bytes / 4;
  wave.machine->counters.globalBytes +=
      uint64_t(inst.bytes) * unsigned(__builtin_popcountll(to.mask));
  for (unsigned i = 0; i < count; ++i)
    wave.touchVector(data.reg + i);
  bool isInOne = to.areInOne(inst.bytes, /*writes=*/true);
  if (isInOne && inst.bytes >= 4) {
    storeWords(to, &wave.v[data.reg], count);
    wave.issue(storeCounter(wave));
    return;
  }
  for (uint64_t rest = to.mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    for (unsigned i = 0; i < count; ++i) {
      unsigned bytes = inst.bytes < 4 ? inst.bytes : 4;
      uint32_t word = wave.v[data.reg + i].lane[lane];
      if (inst.isHigh || data.isHigh)
        word >>= 16;
      uint8_t *place = isInOne ? to.of(lane) : to.at(lane, 4 * i, bytes, true);
      if (place)
        std::memcpy(place, &word, bytes);
    }
  }
  settleLds(wave);
  wave.issue(storeCounter(wave));
}

/// s_load dst, base, offset.
void runScalarLoad(Wave &wave, const Inst &inst) {
  const Operand &base = inst.ops[1];
  unsigned words = inst.bytes < 4 ? 1 : inst.bytes / 4;
  uint64_t offset = uint64_t(int64_t(inst.offset));
  if (inst.numOps > 2) {
    const Operand &op = inst.ops[2];
    offset += op.kind == Operand::Kind::Constant
                  ? uint64_t(int64_t(int32_t(op.value)))
                  : scalarValue(wave, op, 1);
  }
  uint64_t address, range = ~uint64_t(0);
  if (inst.isBuffered) {
    address = wave.readScalar(base.reg) |
              uint64_t(wave.readScalar(base.reg + 1) & 0xffff) << 32;
    uint32_t stride = (wave.readScalar(base.reg + 1) >> 16) & 0x3fff;
    uint64_t records = wave.readScalar(base.reg + 2);
    range = stride ? records * stride : records;
  } else {
    address = scalarValue(wave, base, 2);
  }
  unsigned to = inst.ops[0].reg;
  for (unsigned i = 0; i < words; ++i) {
    unsigned bytes = inst.bytes < 4 ? inst.bytes : 4;
    uint32_t word = 0;
    if (offset + 4 * i + bytes <= range)
      std::memcpy(
          &word, globalAddress(wave, 0, address + offset + 4 * i, bytes, false),
          bytes);
    if (inst.isSigned)
      word = bytes == 1 ? uint32_t(int8_t(word)) : uint32_t(int16_t(word));
    wave.writeScalar(to + i, word);
  }
  wave.machine->counters.globalBytes += inst.bytes;
  uint32_t mark = wave.issueScalar();
  for (unsigned i = 0; i < words; ++i)
    wave.pendingS[to + i] = mark;
}

struct Access {
  const char *names[2];
  uint8_t bytes;
  bool isSigned, keepsHalf, isHigh;
};
/// Names before gfx11, and since.
constexpr Access kLoads[] = {
    {{"ubyte", "u8"}, 1, false, false, false},
    {{"sbyte", "i8"}, 1, true, false, false},
    {{"ushort", "u16"}, 2, false, false, false},
    {{"sshort", "i16"}, 2, true, false, false},
    {{"dword", "b32"}, 4, false, false, false},
    {{"dwordx2", "b64"}, 8, false, false, false},
    {{"dwordx3", "b96"}, 12, false, false, false},
    {{"dwordx4", "b128"}, 16, false, false, false},
    {{"ubyte_d16", "d16_u8"}, 1, false, true, false},
    {{"ubyte_d16_hi", "d16_hi_u8"}, 1, false, true, true},
    {{"sbyte_d16", "d16_i8"}, 1, true, true, false},
    {{"sbyte_d16_hi", "d16_hi_i8"}, 1, true, true, true},
    {{"short_d16", "d16_b16"}, 2, false, true, false},
    {{"short_d16_hi", "d16_hi_b16"}, 2, false, true, true},
};
constexpr Access kStores[] = {
    {{"byte", "b8"}, 1, false, false, false},
    {{"short", "b16"}, 2, false, false, false},
    {{"dword", "b32"}, 4, false, false, false},
    {{"dwordx2", "b64"}, 8, false, false, false},
    {{"dwordx3", "b96"}, 12, false, false, false},
    {{"dwordx4", "b128"}, 16, false, false, false},
    {{"byte_d16_hi", "d16_hi_b8"}, 1, false, false, true},
    {{"short_d16_hi", "d16_hi_b16"}, 2, false, false, true},
};

void addScalarLoads(Table &t) {
  Entry entry;
  entry.kind = Class::ScalarMemory;
  entry.run = runScalarLoad;
  for (const char *stem : {"s_load_", "s_buffer_load_"}) {
    auto add = [&](const char *name, unsigned bytes, bool isSigned = false) {
      entry.bytes = uint8_t(bytes);
      entry.isSigned = isSigned;
      t.add(std::string(stem) + name, entry);
    };
    for (auto [name, bytes] : {std::pair("dword", 4u),
                               {"dwordx2", 8u},
                               {"dwordx3", 12u},
                               {"dwordx4", 16u},
                               {"dwordx8", 32u},
                               {"dwordx16", 64u},
                               {"b32", 4u},
                               {"b64", 8u},
                               {"b96", 12u},
                               {"b128", 16u},
                               {"b256", 32u},
                               {"b512", 64u},
                               {"u8", 1u},
                               {"u16", 2u}})
      add(name, bytes);
    add("i8", 1, true);
    add("i16", 2, true);
  }
}
} // namespace

void kiln::amd::sim::addMemory(Table &t) {
  const std::pair<const char *, Space> spaces[] = {{"global_", kGlobalSpace},
                                                   {"flat_", kFlatSpace},
                                                   {"scratch_", kScratchSpace},
                                                   {"buffer_", kBufferSpace}};
  for (auto [prefix, space] : spaces) {
    Entry entry;
    entry.kind = Class::Global;
    entry.aux = space;
    auto add = [&](const char *verb, const Access &access) {
      entry.bytes = access.bytes;
      entry.isSigned = access.isSigned;
      entry.keepsHalf = access.keepsHalf;
      entry.isHigh = access.isHigh;
      for (const char *name : access.names)
        t.add(std::string(prefix) + verb + name, entry);
    };
    entry.run = runLoad;
    for (const Access &access : kLoads) {
      add("load_", access);
      add("load_lds_", access);
    }
    entry.run = runStore;
    for (const Access &access : kStores)
      add("store_", access);
  }
  Entry byLane;
  byLane.kind = Class::Global;
  byLane.aux = kLaneSpace;
  byLane.bytes = 4;
  byLane.run = runLoad;
  t.add("global_load_addtid_b32", byLane);
  byLane.run = runStore;
  t.add("global_store_addtid_b32", byLane);
  Entry transposed;
  transposed.kind = Class::Global;
  transposed.aux = kGlobalSpace;
  transposed.run = runLoadTransposed;
  for (auto [name, bytes, each] : {std::tuple("global_load_tr_b128", 16, 2),
                                   {"global_load_tr_b64", 8, 1}}) {
    transposed.bytes = uint8_t(bytes);
    transposed.stride = uint16_t(each);
    t.add(name, transposed);
  }
  addScalarLoads(t);
  Entry nothing;
  nothing.kind = Class::Control;
  nothing.run = [](Wave &, const Inst &) {};
  t.add({"buffer_inv", "buffer_wbl2", "buffer_wbinvl1", "buffer_wbinvl1_vol",
         "buffer_gl0_inv", "buffer_gl1_inv", "global_inv", "global_wb",
         "global_wbinv", "buffer_invl2", "global_prefetch_b8"},
        nothing);
}
