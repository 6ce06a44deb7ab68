// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts bank conflicts of LDS.
#include "Machine.h"
#include <algorithm>

using namespace kiln::amd::sim;

/// Counts them lane by lane.
static void countPhases(const Wave &wave, const uint32_t *addresses,
                        uint64_t lanes, unsigned bytes, unsigned &phases,
                        unsigned &conflicts) {
  // Lanes that are served at once: as many as all banks have words for. Of 16
  // bytes they are not neighbours: bits of the lane's number tell them apart.
  bool isWide = wave.machine->isa.chip == "gfx950";
  unsigned banks = isWide ? 64 : 32;
  unsigned words = std::max(1u, bytes / 4);
  unsigned phase = std::min(std::max(1u, banks / words), wave.lanes);
  uint64_t inPhase = phase - 1;
  if (words == 4)
    inPhase = isWide ? 0b11011 : 0b10011;
  for (unsigned first = 0; first < wave.lanes; ++first) {
    if (first & inPhase)
      continue;
    // Mostly each lane has banks of its own.
    uint64_t taken = 0, twice = 0;
    for (unsigned l = first; l < wave.lanes; ++l) {
      if ((l & ~inPhase) != first || !((lanes >> l) & 1))
        continue;
      uint64_t own = (uint64_t(1) << words) - 1,
               bank = addresses[l] / 4 % banks;
      own = banks == 64 ? own << bank | (bank ? own >> (64 - bank) : 0)
                        : (own << bank | own >> (32 - bank)) & 0xffffffff;
      twice |= taken & own;
      taken |= own;
    }
    if (!twice) {
      phases += taken != 0;
      continue;
    }
    // Words of the same bank that differ follow each other.
    uint32_t seen[64][8];
    uint8_t count[64] = {}, most = 0;
    for (unsigned l = first; l < wave.lanes; ++l) {
      if ((l & ~inPhase) != first || !((lanes >> l) & 1))
        continue;
      for (unsigned w = 0; w < words; ++w) {
        uint32_t word = addresses[l] / 4 + w;
        unsigned bank = word % banks;
        uint8_t &n = count[bank];
        if (std::find(seen[bank], seen[bank] + std::min<unsigned>(n, 8),
                      word) != seen[bank] + std::min<unsigned>(n, 8))
          continue;
        if (n < 8)
          seen[bank][n] = word;
        most = std::max(most, ++n);
      }
    }
    phases += most > 0;
    conflicts += most > 1 ? most - 1u : 0u;
  }
}

/// A number that differs for most distances. A kernel has few of them, which
/// its instructions and waves share.
static uint32_t placeOf(const uint32_t *distances) {
  constexpr uint32_t kMix = 0x9e3779b1, kStep = 0x85ebca6a;
  uint32_t sum = 0, factor = kMix;
  for (unsigned l = 0; l < kMaxLanes; ++l, factor += kStep)
    sum += distances[l] * factor;
  return sum >> 16;
}

void kiln::amd::sim::countBanks(Wave &wave, const uint32_t *addresses,
                                uint64_t lanes, unsigned bytes) {
  if (!lanes)
    return;
  Machine &machine = *wave.machine;
  uint32_t first = addresses[__builtin_ctzll(lanes)];
  alignas(64) uint32_t distances[kMaxLanes];
  if (!~lanes)
    for (unsigned l = 0; l < kMaxLanes; ++l)
      distances[l] = addresses[l] - first;
  else
    for (unsigned l = 0; l < kMaxLanes; ++l)
      distances[l] = (lanes >> l) & 1 ? addresses[l] - first : 0;
  BankPattern &pattern =
      machine.bankPatterns[placeOf(distances) % Machine::kBankPatterns];
  // Banks are in a circle: where the first lane's word is does not matter.
  if (pattern.offset != first % 4 || pattern.lanes != lanes ||
      pattern.bytes != bytes ||
      std::memcmp(pattern.distances, distances, sizeof distances) != 0) {
    pattern.offset = first % 4;
    pattern.lanes = lanes;
    pattern.bytes = bytes;
    std::memcpy(pattern.distances, distances, sizeof distances);
    pattern.phases = pattern.conflicts = 0;
    countPhases(wave, addresses, lanes, bytes, pattern.phases,
                pattern.conflicts);
  }
  machine.counters.ldsPhases += pattern.phases;
  machine.counters.ldsConflicts += pattern.conflicts;
}
