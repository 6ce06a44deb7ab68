// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS instructions: loads, stores and atomics of LDS.
#include "Atomics.h"
#include "LdsLanes.h"
#include "NarrowLoads.h"
#include <algorithm>

using namespace kiln::amd::sim;

namespace {
void countAccess(Wave &wave, const uint32_t *addresses, uint64_t lanes,
                 unsigned bytes) {
  wave.machine->counters.ldsBytes +=
      uint64_t(bytes) * unsigned(__builtin_popcountll(lanes));
  countBanks(wave, addresses, lanes, bytes);
}

/// Reads whole words of lanes of a mask into registers.
template <unsigned words>
void readWords(const uint8_t *bytes, const uint32_t *at, uint64_t lanes,
               Register *to) {
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t value[words];
    std::memcpy(value, bytes + at[lane], sizeof value);
    for (unsigned i = 0; i < words; ++i)
      to[i].lane[lane] = value[i];
  }
}

/// Writes them from registers.
template <unsigned words>
void writeWords(uint8_t *bytes, const uint32_t *at, uint64_t lanes,
                const Register *from) {
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t value[words];
    for (unsigned i = 0; i < words; ++i)
      value[i] = from[i].lane[lane];
    std::memcpy(bytes + at[lane], value, sizeof value);
  }
}

/// Reads the words of lanes into registers from `reg` on.
void readLanes(Wave &wave, const Inst &inst, const uint32_t *at, unsigned reg) {
  const uint8_t *bytes = wave.group->lds.bytes.data();
  Register *to = &wave.v[reg];
  uint64_t exec = wave.exec();
  switch (inst.bytes) {
  case 4:
    return readWords<1>(bytes, at, exec, to);
  case 8:
    return readWords<2>(bytes, at, exec, to);
  case 12:
    return readWords<3>(bytes, at, exec, to);
  case 16:
    return readWords<4>(bytes, at, exec, to);
  default:
    break;
  }
  bool isHigh = inst.isHigh || inst.ops[0].isHigh;
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t word = 0, &value = to->lane[lane];
    std::memcpy(&word, bytes + at[lane], inst.bytes);
    value = loadedRegister(inst, isHigh, inst.bytes, word, value);
  }
}

/// ds_read dst, address. In two parts (ds_read2): `stride` is what the offsets
/// count.
void runRead(Wave &wave, const Inst &inst) {
  alignas(64) uint32_t addresses[kMaxLanes];
  loadAddresses(wave, inst, 1, addresses);
  unsigned parts = inst.stride ? 2 : 1;
  const Operand &to = inst.ops[0];
  unsigned words = std::max(1, inst.bytes / 4);
  for (unsigned i = 0; i < words * parts; ++i)
    wave.touchLoaded(to.reg + i, Counter::Lds);
  uint64_t exec = wave.exec();
  for (unsigned part = 0; part < parts; ++part) {
    uint32_t offset =
        inst.stride ? uint32_t(part ? inst.offset1 : inst.offset) * inst.stride
                    : uint32_t(inst.offset);
    alignas(64) uint32_t at[kMaxLanes];
    for (unsigned l = 0; l < kMaxLanes; ++l)
      at[l] = addresses[l] + offset;
    checkLdsLanes(wave, at, exec, inst.bytes, LdsAccess::Read);
    readLanes(wave, inst, at, to.reg + part * words);
    countAccess(wave, at, exec, inst.bytes);
  }
  uint32_t mark = wave.issue(Counter::Lds);
  for (unsigned i = 0; i < words * parts; ++i) {
    wave.defined[to.reg + i] |= exec;
    wave.pendingV[to.reg + i] = mark;
  }
}

/// Writes the words of lanes from registers.
void writeLanes(Wave &wave, const Inst &inst, const uint32_t *at,
                const Operand &data) {
  uint8_t *bytes = wave.group->lds.bytes.data();
  const Register *from = &wave.v[data.reg];
  uint64_t exec = wave.exec();
  switch (inst.bytes) {
  case 4:
    return writeWords<1>(bytes, at, exec, from);
  case 8:
    return writeWords<2>(bytes, at, exec, from);
  case 12:
    return writeWords<3>(bytes, at, exec, from);
  case 16:
    return writeWords<4>(bytes, at, exec, from);
  default:
    break;
  }
  unsigned shift = inst.isHigh || data.isHigh ? 16 : 0;
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t value = from->lane[lane] >> shift;
    std::memcpy(bytes + at[lane], &value, inst.bytes);
  }
}

/// ds_write address, data [, data].
void runWrite(Wave &wave, const Inst &inst) {
  alignas(64) uint32_t addresses[kMaxLanes];
  loadAddresses(wave, inst, 0, addresses);
  unsigned parts = inst.stride ? 2 : 1;
  unsigned words = std::max(1, inst.bytes / 4);
  uint64_t exec = wave.exec();
  for (unsigned part = 0; part < parts; ++part) {
    const Operand &data = inst.ops[1 + part];
    for (unsigned i = 0; i < words; ++i)
      wave.touchVector(data.reg + i);
    uint32_t offset =
        inst.stride ? uint32_t(part ? inst.offset1 : inst.offset) * inst.stride
                    : uint32_t(inst.offset);
    alignas(64) uint32_t at[kMaxLanes];
    for (unsigned l = 0; l < kMaxLanes; ++l)
      at[l] = addresses[l] + offset;
    checkLdsLanes(wave, at, exec, inst.bytes, LdsAccess::Write);
    writeLanes(wave, inst, at, data);
    countAccess(wave, at, exec, inst.bytes);
  }
  settleLds(wave);
  wave.issue(Counter::Lds);
}

/// ds_OP [dst,] address, data [, data].
void runAtomic(Wave &wave, const Inst &inst) {
  unsigned count;
  const AtomicRow &row = atomicRows(count)[inst.stride];
  unsigned first = inst.returns ? 1 : 0;
  alignas(64) uint32_t addresses[kMaxLanes];
  loadAddresses(wave, inst, first, addresses);
  unsigned words = row.bytes / 4;
  for (unsigned n = 0; n < (row.compares ? 2u : 1u); ++n)
    for (unsigned i = 0; i < words; ++i)
      wave.touchVector(inst.ops[first + 1 + n].reg + i);
  uint64_t exec = wave.exec();
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t at = addresses[lane] + uint32_t(inst.offset);
    checkLds(wave, lane, at, row.bytes, LdsAccess::Atomic);
    uint8_t *place = wave.group->lds.bytes.data() + at;
    auto value = [&](unsigned n) {
      unsigned reg = inst.ops[first + 1 + n].reg;
      return wave.v[reg].lane[lane] |
             (words == 2 ? uint64_t(wave.v[reg + 1].lane[lane]) << 32 : 0);
    };
    uint64_t old = 0, operand = value(0), compare = 0;
    if (row.compares) {
      // Before gfx11 the value to compare with comes first.
      compare = value(1);
      if (inst.isSigned)
        std::swap(operand, compare);
    }
    std::memcpy(&old, place, row.bytes);
    uint64_t now = row.update(old, operand, compare);
    std::memcpy(place, &now, row.bytes);
    if (inst.returns)
      for (unsigned i = 0; i < words; ++i)
        wave.v[inst.ops[0].reg + i].lane[lane] = uint32_t(old >> (32 * i));
  }
  countAccess(wave, addresses, exec, row.bytes);
  uint32_t mark = wave.issue(Counter::Lds);
  if (!inst.returns)
    return;
  for (unsigned i = 0; i < words; ++i) {
    wave.defined[inst.ops[0].reg + i] |= exec;
    wave.pendingV[inst.ops[0].reg + i] = mark;
  }
}

/// ds_wrxchg2_rtn dst, address, data, data: two words at two offsets.
void runSwapTwo(Wave &wave, const Inst &inst) {
  alignas(64) uint32_t addresses[kMaxLanes];
  loadAddresses(wave, inst, 1, addresses);
  unsigned words = inst.bytes / 4, to = inst.ops[0].reg;
  for (unsigned part = 0; part < 2; ++part)
    for (unsigned i = 0; i < words; ++i) {
      wave.touchVector(inst.ops[2 + part].reg + i);
      wave.touchVector(to + part * words + i);
    }
  uint64_t exec = wave.exec();
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t old[4], now[4];
    for (unsigned part = 0; part < 2; ++part) {
      uint32_t at = addresses[lane] +
                    uint32_t(part ? inst.offset1 : inst.offset) * inst.stride;
      checkLds(wave, lane, at, inst.bytes, LdsAccess::Atomic);
      std::memcpy(&old[part * words], wave.group->lds.bytes.data() + at,
                  inst.bytes);
      for (unsigned i = 0; i < words; ++i)
        now[i] = wave.v[inst.ops[2 + part].reg + i].lane[lane];
      std::memcpy(wave.group->lds.bytes.data() + at, now, inst.bytes);
    }
    for (unsigned i = 0; i < 2 * words; ++i)
      wave.v[to + i].lane[lane] = old[i];
  }
  uint32_t mark = wave.issue(Counter::Lds);
  for (unsigned i = 0; i < 2 * words; ++i) {
    wave.defined[to + i] |= exec;
    wave.pendingV[to + i] = mark;
  }
}

/// ds_read_addtid dst and ds_write_addtid data: a word for each lane, from M0
/// on.
template <bool writes> void runByLane(Wave &wave, const Inst &inst) {
  uint32_t base = (wave.readScalar(kM0) & 0xffff) + uint32_t(inst.offset);
  unsigned reg = inst.ops[0].reg;
  wave.touchVector(reg);
  uint64_t exec = wave.exec();
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    uint32_t at = base + 4 * lane;
    checkLds(wave, lane, at, 4, writes ? LdsAccess::Write : LdsAccess::Read,
             Counter::Lds);
    uint8_t *place = wave.group->lds.bytes.data() + at;
    if (writes)
      std::memcpy(place, &wave.v[reg].lane[lane], 4);
    else
      std::memcpy(&wave.v[reg].lane[lane], place, 4);
  }
  settleLds(wave);
  uint32_t mark = wave.issue(Counter::Lds);
  if (writes)
    return;
  wave.defined[reg] |= exec;
  wave.pendingV[reg] = mark;
}

/// ds_append dst and ds_consume dst: the number of active lanes is added to, or
/// taken from, a word of LDS that M0 and the offset name. All lanes get what it
/// was.
template <bool adds> void runCount(Wave &wave, const Inst &inst) {
  uint32_t at = wave.readScalar(kM0) + uint32_t(inst.offset);
  unsigned to = inst.ops[0].reg;
  wave.touchVector(to);
  uint64_t exec = wave.exec();
  alignas(64) uint32_t result[kMaxLanes] = {};
  if (exec) {
    checkLds(wave, unsigned(__builtin_ctzll(exec)), at, 4, LdsAccess::Atomic);
    uint8_t *place = wave.group->lds.bytes.data() + at;
    uint32_t old, count = unsigned(__builtin_popcountll(exec));
    std::memcpy(&old, place, 4);
    std::fill_n(result, kMaxLanes, old);
    uint32_t now = adds ? old + count : old - count;
    std::memcpy(place, &now, 4);
  }
  finishExchange(wave, inst, result, ~uint64_t(0));
}

/// Gives each of 16 lanes a column of the elements of 8 or 16 bits that fill
/// the first 8 bytes of their rows: two words.
template <unsigned size>
void transposeBytes(const uint8_t (&rows)[16][16], uint32_t *first,
                    uint32_t *second) {
  uint8_t flat[128];
  for (unsigned l = 0; l < 16; ++l)
    std::memcpy(flat + 8 * l, rows[l], 8);
  for (unsigned column = 0; column < 16; ++column) {
    uint8_t place[8];
    for (unsigned at = 0; at < 8; at += size)
      std::memcpy(place + at, flat + 16 * at + column * size, size);
    std::memcpy(first + column, place, 4);
    std::memcpy(second + column, place + 4, 4);
  }
}

/// ds_read_b64_tr_b16 dst, address and its like (CDNA4 manual, "LDS Transpose
/// Reads"): 16 lanes read a matrix of 16 columns, of which each lane gets one.
/// `aux` has the bits of an element.
void runReadTransposed(Wave &wave, const Inst &inst) {
  alignas(64) uint32_t addresses[kMaxLanes];
  loadAddresses(wave, inst, 1, addresses);
  unsigned to = inst.ops[0].reg, words = inst.bytes / 4, bits = inst.aux;
  unsigned count = inst.bytes * 8 / bits;
  for (unsigned i = 0; i < words; ++i)
    wave.touchLoaded(to + i, Counter::Lds);
  if (wave.exec() != ~uint64_t(0))
    wave.fail("reads transposed elements while lanes are inactive");
  for (uint32_t &at : addresses)
    at += uint32_t(inst.offset);
  checkLdsLanes(wave, addresses, wave.exec(), inst.bytes, LdsAccess::Read,
                /*isOneTile=*/true);
  const uint8_t *bytes = wave.group->lds.bytes.data();
  alignas(64) uint32_t out[3][kMaxLanes] = {};
  for (unsigned first = 0; first < kMaxLanes; first += 16) {
    // Element c of row r comes from lane (16 r + c) / count.
    uint8_t rows[16][16];
    for (unsigned l = 0; l < 16; ++l)
      std::memcpy(rows[l], bytes + addresses[first + l], inst.bytes);
    if (bits == 16) {
      transposeBytes<2>(rows, &out[0][first], &out[1][first]);
      continue;
    }
    if (bits == 8) {
      transposeBytes<1>(rows, &out[0][first], &out[1][first]);
      continue;
    }
    for (unsigned column = 0; column < 16; ++column)
      for (unsigned r = 0; r < count; ++r) {
        unsigned element = 16 * r + column, bit = element % count * bits;
        const uint8_t *row = rows[element / count];
        uint32_t pair =
            row[bit / 8] |
            (bit / 8 + 1 < inst.bytes ? uint32_t(row[bit / 8 + 1]) << 8 : 0);
        uint32_t value = (pair >> bit % 8) & ((1u << bits) - 1);
        unsigned at = r * bits;
        uint64_t placed = uint64_t(value) << at % 32;
        out[at / 32][first + column] |= uint32_t(placed);
        if (placed >> 32)
          out[at / 32 + 1][first + column] |= uint32_t(placed >> 32);
      }
  }
  countAccess(wave, addresses, wave.exec(), inst.bytes);
  wave.sourceMask = ~uint64_t(0);
  uint32_t mark = wave.issue(Counter::Lds);
  for (unsigned i = 0; i < words; ++i) {
    writeWord(wave, to + i, out[i], ~uint64_t(0));
    wave.pendingV[to + i] = mark;
  }
}

void addAccesses(Table &t) {
  struct Row {
    const char *names[2];
    uint8_t bytes;
    bool isSigned, keepsHalf, isHigh;
  };
  const Row reads[] = {
      {{"read_b32", "load_b32"}, 4, false, false, false},
      {{"read_b64", "load_b64"}, 8, false, false, false},
      {{"read_b96", "load_b96"}, 12, false, false, false},
      {{"read_b128", "load_b128"}, 16, false, false, false},
      {{"read_u8", "load_u8"}, 1, false, false, false},
      {{"read_i8", "load_i8"}, 1, true, false, false},
      {{"read_u16", "load_u16"}, 2, false, false, false},
      {{"read_i16", "load_i16"}, 2, true, false, false},
      {{"read_u8_d16", "load_u8_d16"}, 1, false, true, false},
      {{"read_u8_d16_hi", "load_u8_d16_hi"}, 1, false, true, true},
      {{"read_i8_d16", "load_i8_d16"}, 1, true, true, false},
      {{"read_i8_d16_hi", "load_i8_d16_hi"}, 1, true, true, true},
      {{"read_u16_d16", "load_u16_d16"}, 2, false, true, false},
      {{"read_u16_d16_hi", "load_u16_d16_hi"}, 2, false, true, true}};
  const Row writes[] = {
      {{"write_b8", "store_b8"}, 1, false, false, false},
      {{"write_b16", "store_b16"}, 2, false, false, false},
      {{"write_b32", "store_b32"}, 4, false, false, false},
      {{"write_b64", "store_b64"}, 8, false, false, false},
      {{"write_b96", "store_b96"}, 12, false, false, false},
      {{"write_b128", "store_b128"}, 16, false, false, false},
      {{"write_b8_d16_hi", "store_b8_d16_hi"}, 1, false, false, true},
      {{"write_b16_d16_hi", "store_b16_d16_hi"}, 2, false, false, true}};
  Entry entry;
  entry.kind = Class::Lds;
  auto add = [&](const Row &row, Run run) {
    entry.run = run;
    entry.bytes = row.bytes;
    entry.isSigned = row.isSigned;
    entry.keepsHalf = row.keepsHalf;
    entry.isHigh = row.isHigh;
    for (const char *name : row.names)
      t.add(std::string("ds_") + name, entry);
  };
  for (const Row &row : reads)
    add(row, runRead);
  for (const Row &row : writes)
    add(row, runWrite);
  entry = Entry();
  entry.kind = Class::Lds;
  entry.run = runReadTransposed;
  for (auto [name, bytes, bits] : {std::tuple("ds_read_b64_tr_b16", 8, 16),
                                   {"ds_read_b64_tr_b8", 8, 8},
                                   {"ds_read_b64_tr_b4", 8, 4},
                                   {"ds_read_b96_tr_b6", 12, 6}}) {
    entry.bytes = uint8_t(bytes);
    entry.aux = uint8_t(bits);
    t.add(name, entry);
  }
  entry.aux = 0;
  entry.run = runByLane<false>;
  t.add({"ds_read_addtid_b32", "ds_load_addtid_b32"}, entry);
  entry.run = runByLane<true>;
  t.add({"ds_write_addtid_b32", "ds_store_addtid_b32"}, entry);
  entry.run = runCount<true>;
  t.add("ds_append", entry);
  entry.run = runCount<false>;
  t.add("ds_consume", entry);
  // In two parts, at offsets that count elements, or 64 of them.
  entry = Entry();
  entry.kind = Class::Lds;
  for (unsigned bytes : {4u, 8u})
    for (unsigned many : {1u, 64u}) {
      entry.bytes = uint8_t(bytes);
      entry.stride = uint16_t(bytes * many);
      std::string rest = std::string(many == 64 ? "st64" : "") +
                         (bytes == 4 ? "_b32" : "_b64");
      std::string both = many == 64 ? "2addr_stride64" : "2addr";
      std::string type = bytes == 4 ? "_b32" : "_b64";
      entry.run = runRead;
      t.add({"ds_read2" + rest, "ds_load_" + both + type}, entry);
      entry.run = runWrite;
      t.add({"ds_write2" + rest, "ds_store_" + both + type}, entry);
      entry.run = runSwapTwo;
      t.add(
          {"ds_wrxchg2" + std::string(many == 64 ? "st64" : "") + "_rtn" + type,
           "ds_storexchg_" + both + "_rtn" + type},
          entry);
    }
}
} // namespace

void kiln::amd::sim::addLds(Table &t) {
  addAccesses(t);
  unsigned count;
  const AtomicRow *rows = atomicRows(count);
  for (unsigned i = 0; i < count; ++i) {
    Entry entry;
    entry.kind = Class::Lds;
    entry.run = runAtomic;
    entry.bytes = rows[i].bytes;
    entry.row = uint8_t(i);
    std::string name = rows[i].names[2] ? rows[i].names[2] : "";
    if (name.empty())
      continue;
    entry.isSigned = name.rfind("cmpst_", 0) == 0;
    entry.returns = false;
    t.add("ds_" + name, entry);
    // The form that gives the old value has its name before the type.
    entry.returns = true;
    size_t at = name.rfind('_');
    t.add("ds_" + name.substr(0, at) + "_rtn" + name.substr(at), entry);
  }
  Entry entry;
  entry.kind = Class::Lds;
  entry.run = [](Wave &, const Inst &) {};
  t.add("ds_nop", entry);
}
