// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DS instructions that exchange between lanes, through the crossbar of LDS.
#include "LdsLanes.h"

using namespace kiln::amd::sim;

namespace {
/// The lane that an address of an exchange names. Waves of 64 lanes of RDNA3
/// exchange within each half.
unsigned exchanged(const Wave &wave, const Inst &inst, unsigned lane,
                   uint32_t address) {
  constexpr unsigned kHalf = 32;
  unsigned named = (address + uint32_t(inst.offset)) / 4;
  if (wave.machine->isa.major == 11)
    return (lane & ~(kHalf - 1)) | (named & (kHalf - 1));
  return named & (wave.lanes - 1);
}

/// ds_bpermute dst, address, data: lanes read; inactive ones give 0 (`aux` 0).
void runPull(Wave &wave, const Inst &inst) {
  alignas(64) uint32_t addresses[kMaxLanes], result[kMaxLanes];
  loadAddresses(wave, inst, 1, addresses);
  unsigned reg = inst.ops[2].reg;
  wave.touchVector(reg);
  uint64_t exec = wave.exec(), known = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    unsigned from = exchanged(wave, inst, l, addresses[l]);
    bool isActive = inst.aux || (exec >> from) & 1;
    result[l] = isActive ? wave.v[reg].lane[from] : 0;
    known |= (isActive ? (wave.defined[reg] >> from) & 1 : 1) << l;
  }
  finishExchange(wave, inst, result, known);
}

/// ds_permute: lanes write; the last one to a place wins.
void runPush(Wave &wave, const Inst &inst) {
  alignas(64) uint32_t addresses[kMaxLanes], result[kMaxLanes] = {};
  loadAddresses(wave, inst, 1, addresses);
  unsigned reg = inst.ops[2].reg;
  wave.touchVector(reg);
  for (uint64_t rest = wave.exec(); rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    unsigned to = exchanged(wave, inst, lane, addresses[lane]);
    result[to] = wave.v[reg].lane[lane];
  }
  finishExchange(wave, inst, result, ~uint64_t(0));
}

/// The lane from which lane `l` takes by the pattern of ds_swizzle (manuals,
/// "DS_SWIZZLE_B32"): the order of a Fourier transform, a rotation, quads, or
/// masks within 32 lanes.
unsigned swizzled(unsigned l, uint32_t pattern) {
  constexpr uint32_t kFourier = 0xe000, kRotation = 0xc000, kQuads = 0x8000;
  unsigned mask = pattern & 31, half = l & 32, in = l & 31;
  if (pattern >= kFourier) {
    if (mask == 31)
      return l;
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 5; ++bit)
      reversed |= ((in >> bit) & 1) << (4 - bit);
    return half | reversed >> __builtin_popcount(mask) | (in & mask);
  }
  if (pattern >= kRotation) {
    unsigned by = (pattern >> 5) & 31;
    unsigned turned = pattern & 0x400 ? in - by : in + by;
    return half | (in & mask) | (turned & ~mask & 31);
  }
  if (pattern & kQuads)
    return (l & ~3u) | ((pattern >> (2 * (l & 3))) & 3);
  return half |
         (((in & mask) | ((pattern >> 5) & 31)) ^ ((pattern >> 10) & 31));
}

/// ds_swizzle dst, data by the pattern in `offset`.
void runSwizzle(Wave &wave, const Inst &inst) {
  unsigned reg = inst.ops[1].reg;
  wave.touchVector(reg);
  auto pattern = uint32_t(inst.offset);
  alignas(64) uint32_t result[kMaxLanes];
  uint64_t exec = wave.exec(), known = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    unsigned from = swizzled(l, pattern);
    bool isActive = (exec >> from) & 1;
    result[l] = isActive ? wave.v[reg].lane[from] : 0;
    known |= (isActive ? (wave.defined[reg] >> from) & 1 : 1) << l;
  }
  finishExchange(wave, inst, result, known);
}

} // namespace

void kiln::amd::sim::addLdsExchanges(Table &t) {
  Entry entry;
  entry.kind = Class::Lds;
  entry.run = runPull;
  t.add("ds_bpermute_b32", entry);
  entry.aux = 1;
  t.add("ds_bpermute_fi_b32", entry);
  entry.aux = 0;
  entry.run = runPush;
  t.add("ds_permute_b32", entry);
  entry.run = runSwizzle;
  t.add("ds_swizzle_b32", entry);
}
