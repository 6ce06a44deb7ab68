// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated device finds in LDS: accesses outside of it, races, reads
// of bytes that were never written, and of old values.
#include "LdsWords.h"
#include <algorithm>
#include <tuple>
#include <vector>

using namespace kiln::amd::sim;

namespace {
/// Reports byte `i` of LDS, which another wave used since the last barrier.
[[noreturn]] void failRace(Wave &wave, uint32_t i, bool writes, bool otherWrote,
                           uint32_t other) {
  std::string who = other == kSeveral ? "several" : std::to_string(other - 1);
  wave.fail("byte " + std::to_string(i) + " of LDS is " +
            (writes ? "written" : "read") + " while another wave (" + who +
            ") " + (otherWrote ? "wrote" : "read") +
            " it, with no barrier between");
}

/// The entry of a wave that uses LDS now.
uint32_t entryOf(const Wave &wave) {
  return wave.group->lds.epoch << 8 | (wave.number + 1);
}

//===----------------------------------------------------------------------===//
// Accesses in flight
//===----------------------------------------------------------------------===//

/// Forgets accesses that their wave has waited for.
void dropEnded(Wave &wave) {
  auto hasEnded = [&](const Wave::LdsUse &use) {
    return use.issue <= wave.ended[unsigned(use.counter)];
  };
  wave.ldsUses.erase(
      std::remove_if(wave.ldsUses.begin(), wave.ldsUses.end(), hasEnded),
      wave.ldsUses.end());
}

/// An order of accesses in which the same ones, of any instructions, are
/// neighbours.
int compare(const Wave::LdsUse &a, const Wave::LdsUse &b) {
  auto keyOf = [](const Wave::LdsUse &use) {
    return std::tuple(use.counter, use.writes, use.bytes, use.lanes);
  };
  if (keyOf(a) != keyOf(b))
    return keyOf(a) < keyOf(b) ? -1 : 1;
  for (uint64_t rest = a.lanes; rest; rest &= rest - 1) {
    int lane = __builtin_ctzll(rest);
    if (a.at[lane] != b.at[lane])
      return a.at[lane] < b.at[lane] ? -1 : 1;
  }
  return 0;
}

/// Keeps the last of accesses that are the same, as those of a loop are: it is
/// the one that ends last.
void mergeSame(std::vector<Wave::LdsUse> &uses) {
  std::sort(uses.begin(), uses.end(),
            [](const Wave::LdsUse &a, const Wave::LdsUse &b) {
              int order = compare(a, b);
              return order ? order < 0 : a.issue > b.issue;
            });
  auto isSame = [](const Wave::LdsUse &a, const Wave::LdsUse &b) {
    return compare(a, b) == 0;
  };
  uses.erase(std::unique(uses.begin(), uses.end(), isSame), uses.end());
}

/// Makes room for more accesses: a loop without waits does not need more and
/// more of it.
void makeRoom(Wave &wave) {
  dropEnded(wave);
  size_t most = wave.ldsUses.capacity();
  if (wave.ldsUses.size() > most / 2)
    mergeSame(wave.ldsUses);
  if (wave.ldsUses.size() > most / 2)
    wave.ldsUses.reserve(2 * most);
}

/// Notes accesses that run beyond a barrier, unless they are waited for. The
/// instruction is counted when all its lanes are done.
Wave::LdsUse &noteUse(Wave &wave, unsigned bytes, bool writes,
                      Counter counter) {
  if (wave.ldsUses.size() == wave.ldsUses.capacity())
    makeRoom(wave);
  Wave::LdsUse &use = wave.ldsUses.emplace_back();
  use.issue = wave.issued[unsigned(counter)] + 1;
  use.counter = counter;
  use.writes = writes;
  use.bytes = bytes;
  use.lanes = 0;
  return use;
}

/// The same of a lane.
void noteUse(Wave &wave, unsigned lane, uint32_t address, unsigned bytes,
             bool writes, Counter counter) {
  uint64_t bit = uint64_t(1) << lane;
  Wave::LdsUse *use = wave.ldsUses.empty() ? nullptr : &wave.ldsUses.back();
  if (!use || use->issue != wave.issued[unsigned(counter)] + 1 ||
      use->counter != counter || use->writes != writes || use->bytes != bytes ||
      use->lanes & bit)
    use = &noteUse(wave, bytes, writes, counter);
  use->lanes |= bit;
  use->at[lane] = address;
}

/// Moves an access in flight behind a barrier. `now` is the epoch there.
void carry(uint32_t &writer, uint32_t &reader, bool writes, uint32_t mine,
           uint32_t now) {
  uint32_t last = now - (kSeveral + 1);
  if (writes) {
    if (writer == (last | mine))
      writer = now | mine;
  } else if ((reader & ~kSeveral) == last) {
    reader = now | mine;
  } else if (reader != (now | mine)) {
    reader = now | kSeveral;
  }
}

/// The same of all bytes that a lane accesses.
void carry(Lds &lds, const Wave::LdsUse &use, uint32_t at, uint32_t mine) {
  uint32_t now = lds.epoch << 8, last = at + use.bytes;
  for (uint32_t i = at; i < last;) {
    uint32_t word = i / 4;
    if (i % 4 == 0 && last - i >= 4 && lds.writer(word) != Lds::kSplit) {
      LdsBlock &block = lds.blocks[word / LdsBlock::kWords];
      carry(lds.writer(word), block.readers[word % LdsBlock::kWords],
            use.writes, mine, now);
      i += 4;
      continue;
    }
    LdsState &state = lds.byte(i++);
    carry(state.writer, state.reader, use.writes, mine, now);
  }
  lds.merge(at, use.bytes);
}

//===----------------------------------------------------------------------===//
// Whole instructions
//===----------------------------------------------------------------------===//

template <unsigned words>
bool noteWords(Wave &wave, const uint32_t *addresses, uint64_t lanes,
               bool writes, bool isOneTile) {
  Lds &lds = wave.group->lds;
  uint32_t mine = entryOf(wave);
  if (wave.machine->findsOld)
    return writes
               ? noteWrites<words, true>(lds, addresses, lanes, mine)
               : noteReads<words, true>(lds, addresses, lanes, mine, isOneTile);
  return writes
             ? noteWrites<words, false>(lds, addresses, lanes, mine)
             : noteReads<words, false>(lds, addresses, lanes, mine, isOneTile);
}

bool noteWords(Wave &wave, const uint32_t *addresses, uint64_t lanes,
               unsigned bytes, bool writes, bool isOneTile) {
  switch (bytes) {
  case 4:
    return noteWords<1>(wave, addresses, lanes, writes, isOneTile);
  case 8:
    return noteWords<2>(wave, addresses, lanes, writes, isOneTile);
  case 12:
    return noteWords<3>(wave, addresses, lanes, writes, isOneTile);
  case 16:
    return noteWords<4>(wave, addresses, lanes, writes, isOneTile);
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Single bytes
//===----------------------------------------------------------------------===//

/// Whether a byte that was never written may be the padding of a structure,
/// which code of other compilers copies whole: a byte behind those of a member,
/// before the next multiple of the largest alignment of a scalar type. Kiln's
/// code has no structures in LDS.
bool isPadding(const Wave &wave, uint32_t byte) {
  constexpr uint32_t kAlignment = 16;
  Lds &lds = wave.group->lds;
  if (wave.machine->findsOld)
    return false;
  for (uint32_t i = byte / kAlignment * kAlignment; i < byte; ++i)
    if (lds.wasWritten(i))
      return true;
  return false;
}

/// Notes a read or a write of bytes, with their race or fault if there is one.
void noteBytes(Wave &wave, unsigned lane, uint32_t address, unsigned bytes,
               bool writes) {
  Lds &lds = wave.group->lds;
  uint32_t mine = entryOf(wave), epoch = mine & ~kSeveral;
  for (uint32_t i = address; i < address + bytes; ++i) {
    LdsState &state = lds.byte(i);
    bool otherWrote = isOthers(state.writer, mine),
         otherRead = isOthers(state.reader, mine);
    if (writes) {
      if (otherRead)
        failRace(wave, i, true, false, state.reader & kSeveral);
      if (otherWrote)
        lds.suspects.push_back(
            {i, lds.bytes[i], uint8_t(state.writer & kSeveral)});
      state.writer = mine;
      continue;
    }
    if (otherWrote)
      failRace(wave, i, false, true, state.writer & kSeveral);
    if (!state.writer && !lds.wasWritten(i) && !isPadding(wave, i))
      wave.fail("lane " + std::to_string(lane) + " reads byte " +
                std::to_string(i) + " of LDS, which was never written");
    state.reader = otherRead ? epoch | kSeveral : mine;
  }
}

/// Notes that bytes have new values.
void noteMade(Lds &lds, uint32_t address, unsigned bytes) {
  for (uint32_t i = address; i < address + bytes; ++i) {
    LdsState &state = lds.byte(i);
    state.made = lds.epoch + 1;
    state.used = 0;
  }
}

/// Notes an update by an atomic operation. Those of several waves are no race
/// with each other.
void noteUpdate(Wave &wave, uint32_t address, unsigned bytes) {
  Lds &lds = wave.group->lds;
  for (uint32_t i = address; i < address + bytes; ++i)
    lds.isUpdated[i] = true;
  if (!wave.machine->findsOld)
    return;
  noteMade(lds, address, bytes);
  lds.merge(address, bytes);
}

void checkRange(Wave &wave, unsigned lane, uint32_t address, unsigned bytes) {
  size_t size = wave.group->lds.bytes.size();
  if (address > size || bytes > size - address)
    wave.fail("lane " + std::to_string(lane) + " accesses bytes " +
              std::to_string(address) + " to " +
              std::to_string(uint64_t(address) + bytes) +
              " of LDS, the workgroup has " + std::to_string(size));
}

/// What one instruction reads of LDS in one of the words of its lanes.
class OldValues {
public:
  explicit OldValues(Wave &wave) : wave(wave) {}

  /// A lane reads a word, or the first bytes of one.
  void read(unsigned lane, uint32_t address, unsigned bytes) {
    Lds &lds = wave.group->lds;
    for (uint32_t i = address; i < address + bytes; ++i) {
      LdsState &state = lds.byte(i);
      newest = std::max(newest, state.made);
      if (!state.used) {
        state.used = lds.epoch + 1;
      } else if (state.used < oldest && state.used <= lds.epoch) {
        oldest = state.used;
        at = i;
        who = lane;
      }
    }
  }

  /// All lanes have.
  void finish() {
    if (oldest < newest)
      wave.fail("lane " + std::to_string(who) + " reads byte " +
                std::to_string(at) +
                " of LDS, which holds an old value: it was read behind an "
                "earlier barrier, and others that are read with it were "
                "written since");
  }

private:
  Wave &wave;
  uint32_t newest = 0, oldest = ~uint32_t(0), at = 0;
  unsigned who = 0;
};
} // namespace

void Lds::reset(size_t size, bool checks) {
  bytes.assign(size, 0xcd);
  if (!checks)
    return;
  constexpr size_t kBytes = 4 * LdsBlock::kWords;
  isUpdated.assign(size, false);
  blocks.assign((size + kBytes - 1) / kBytes, LdsBlock());
}

LdsState &Lds::byte(uint32_t address) {
  uint32_t word = address / 4, &entry = writer(word);
  if (entry != kSplit) {
    ofBytes.resize(blocks.size() * LdsBlock::kWords * 4);
    const LdsBlock &block = blocks[word / LdsBlock::kWords];
    unsigned at = word % LdsBlock::kWords;
    std::fill_n(
        ofBytes.begin() + word * 4, 4,
        LdsState{entry, block.readers[at], block.made[at], block.used[at]});
    entry = kSplit;
  }
  return ofBytes[address];
}

void Lds::merge(uint32_t address, unsigned size) {
  if (!size)
    return;
  for (uint32_t word = address / 4; word <= (address + size - 1) / 4; ++word) {
    if (writer(word) != kSplit)
      continue;
    const LdsState *states = &ofBytes[word * 4], &first = *states;
    if (first != states[1] || first != states[2] || first != states[3])
      continue;
    LdsBlock &block = blocks[word / LdsBlock::kWords];
    unsigned at = word % LdsBlock::kWords;
    block.writers[at] = first.writer;
    block.readers[at] = first.reader;
    block.made[at] = first.made;
    block.used[at] = first.used;
  }
}

void kiln::amd::sim::checkLds(Wave &wave, unsigned lane, uint32_t address,
                              unsigned bytes, LdsAccess access,
                              Counter counter) {
  checkRange(wave, lane, address, bytes);
  if (!wave.machine->checks)
    return;
  bool writes = access != LdsAccess::Read;
  if (access == LdsAccess::Atomic) {
    noteUpdate(wave, address, bytes);
  } else {
    Lds &lds = wave.group->lds;
    noteBytes(wave, lane, address, bytes, writes);
    if (writes && wave.machine->findsOld)
      noteMade(lds, address, bytes);
    lds.merge(address, bytes);
  }
  if (counter != Counter::Count)
    noteUse(wave, lane, address, bytes, writes, counter);
}

void kiln::amd::sim::checkLdsLanes(Wave &wave, const uint32_t *addresses,
                                   uint64_t lanes, unsigned bytes,
                                   LdsAccess access, bool isOneTile,
                                   Counter counter) {
  uint32_t most = 0, low = 0;
  auto take = [&](uint32_t at) {
    most = std::max(most, at);
    low |= at;
  };
  if (!~lanes)
    for (unsigned l = 0; l < kMaxLanes; ++l)
      take(addresses[l]);
  else
    for (unsigned l = 0; l < kMaxLanes; ++l)
      take((lanes >> l) & 1 ? addresses[l] : 0);
  Lds &lds = wave.group->lds;
  if (uint64_t(most) + bytes > lds.bytes.size())
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
      checkRange(wave, unsigned(__builtin_ctzll(rest)),
                 addresses[__builtin_ctzll(rest)], bytes);
  if (!wave.machine->checks || !lanes)
    return;
  bool writes = access == LdsAccess::Write;
  if (low % 4 || !noteWords(wave, addresses, lanes, bytes, writes, isOneTile)) {
    // Words of one lane may have been put together from several tiles.
    OldValues old[4] = {OldValues(wave), OldValues(wave), OldValues(wave),
                        OldValues(wave)};
    bool findsOld = wave.machine->findsOld;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      auto lane = unsigned(__builtin_ctzll(rest));
      uint32_t at = addresses[lane];
      noteBytes(wave, lane, at, bytes, writes);
      if (findsOld && writes)
        noteMade(lds, at, bytes);
      for (unsigned i = 0; findsOld && !writes && i < bytes; i += 4)
        old[isOneTile ? 0 : i / 4].read(lane, at + i, std::min(4u, bytes - i));
      lds.merge(at, bytes);
    }
    for (OldValues &one : old)
      one.finish();
  }
  Wave::LdsUse &use = noteUse(wave, bytes, writes, counter);
  use.lanes = lanes;
  std::memcpy(use.at, addresses, sizeof use.at);
}

void kiln::amd::sim::passBarrier(Workgroup &group) {
  Lds &lds = group.lds;
  ++lds.epoch;
  for (auto &wave : group.waves) {
    dropEnded(*wave);
    for (const Wave::LdsUse &use : wave->ldsUses)
      for (uint64_t rest = use.lanes; rest; rest &= rest - 1)
        carry(lds, use, use.at[__builtin_ctzll(rest)], wave->number + 1);
  }
}

void kiln::amd::sim::settleLds(Wave &wave) {
  Lds &lds = wave.group->lds;
  if (lds.suspects.empty())
    return;
  // Waves that hold copies may all write them.
  for (const Lds::Suspect &suspect : lds.suspects)
    if (lds.bytes[suspect.at] != suspect.value)
      failRace(wave, suspect.at, true, true, suspect.wave);
  lds.suspects.clear();
}
