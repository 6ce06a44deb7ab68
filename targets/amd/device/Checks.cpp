// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated device finds: accesses outside of allocations, registers
// that are used before their load was waited for, and races in LDS.
#include "CodeObject.h"
#include "Values.h"
#include <algorithm>

using namespace kiln::amd::sim;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void AddressMap::add(const void *begin, uint64_t bytes, const char *what,
                     bool isReadOnly) {
  auto address = reinterpret_cast<uint64_t>(begin);
  all[address] = {address, bytes, what, isReadOnly};
  last = nullptr;
}
void AddressMap::remove(const void *begin) {
  all.erase(reinterpret_cast<uint64_t>(begin));
  last = nullptr;
}
const Allocation *AddressMap::nearest(uint64_t address) const {
  auto behind = all.upper_bound(address);
  return behind == all.begin() ? nullptr : &std::prev(behind)->second;
}
const Allocation *AddressMap::search(uint64_t address, uint64_t bytes) {
  const Allocation *found = nearest(address);
  if (!found || address - found->begin >= found->bytes ||
      bytes > found->bytes - (address - found->begin))
    return nullptr;
  last = found;
  return found;
}

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

uint8_t *kiln::amd::sim::globalAddress(Wave &wave, unsigned lane,
                                       uint64_t address, unsigned bytes,
                                       bool writes) {
  const Allocation *found = wave.machine->memory->find(address, bytes);
  if (!found) {
    std::string text = "lane " + std::to_string(lane) +
                       (writes ? " writes " : " reads ") +
                       std::to_string(bytes) + " bytes at " + hex(address) +
                       ", which is in no allocation";
    const Allocation *near = wave.machine->memory->nearest(address);
    constexpr uint64_t kFar = uint64_t(1) << 20;
    if (near && address - near->begin < near->bytes + kFar)
      text += ": " + std::to_string(address - near->begin) +
              " bytes behind the beginning of a " + near->what + " of " +
              std::to_string(near->bytes) + " bytes";
    constexpr uint64_t kNull = 4096;
    if (address < kNull && !wave.machine->nullArguments.empty())
      text +=
          ": behind a null pointer. Null are also the hidden arguments " +
          wave.machine->nullArguments +
          ": unsupported: printf, assert, malloc and enqueue in the code of "
          "kernels";
    wave.fail(text);
  }
  if (writes && found->isReadOnly)
    wave.fail("lane " + std::to_string(lane) + " writes to a read-only " +
              found->what);
  // Addresses of the device are those of the host.
  return reinterpret_cast<uint8_t *>(address);
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

/// Reports byte `i` of LDS, which another wave used since the last barrier.
[[noreturn]] static void failRace(Wave &wave, uint32_t i, bool writes,
                                  bool otherWrote, uint32_t other) {
  constexpr uint32_t kSeveral = 255;
  std::string who = other == kSeveral ? "several" : std::to_string(other - 1);
  wave.fail("byte " + std::to_string(i) + " of LDS is " +
            (writes ? "written" : "read") + " while another wave (" + who +
            ") " + (otherWrote ? "wrote" : "read") +
            " it, with no barrier between");
}

/// Forgets accesses that their wave has waited for.
static void dropEnded(Wave &wave) {
  auto hasEnded = [&](const Wave::LdsUse &use) {
    return use.issue <= wave.ended[unsigned(use.counter)];
  };
  wave.ldsUses.erase(
      std::remove_if(wave.ldsUses.begin(), wave.ldsUses.end(), hasEnded),
      wave.ldsUses.end());
}

/// Notes an access that runs beyond a barrier, unless it is waited for. The
/// instruction is counted when all its lanes are done.
static void noteUse(Wave &wave, uint32_t address, unsigned bytes, bool writes,
                    Counter counter) {
  uint32_t issue = wave.issued[unsigned(counter)] + 1;
  if (!wave.ldsUses.empty()) {
    Wave::LdsUse &last = wave.ldsUses.back();
    if (last.at + last.bytes == address && last.issue == issue &&
        last.counter == counter && last.writes == writes) {
      last.bytes += bytes;
      return;
    }
  }
  if (wave.ldsUses.size() == wave.ldsUses.capacity())
    dropEnded(wave);
  wave.ldsUses.push_back({address, bytes, issue, counter, writes});
}

/// Whether a byte was written, by a store or by an atomic operation.
static bool wasWritten(const Lds &lds, uint32_t i) {
  return lds.writers[i] || lds.isWritten[i];
}

/// Whether a byte that was never written may be the padding of a structure,
/// which code of other compilers copies whole: a byte behind those of a member,
/// before the next multiple of the largest alignment of a scalar type. Kiln's
/// code has no structures in LDS.
static bool isPadding(const Wave &wave, uint32_t byte) {
  constexpr uint32_t kAlignment = 16;
  const Lds &lds = wave.group->lds;
  if (wave.machine->findsOld)
    return false;
  for (uint32_t i = byte / kAlignment * kAlignment; i < byte; ++i)
    if (wasWritten(lds, i))
      return true;
  return false;
}

/// An entry of `writers` or `readers` of the epoch of `mine` that is another
/// wave's, as 1; else 0. Without branches, for many bytes at once.
static uint32_t isOthers(uint32_t entry, uint32_t mine) {
  constexpr uint32_t kWaves = 255;
  return uint32_t((entry ^ mine) - 1 < kWaves) &
         uint32_t((entry & kWaves) != 0);
}

/// Notes a read or a write of bytes that no other wave has used since the last
/// barrier, and that were written before if they are read: most accesses.
/// Returns false, and notes nothing, if one of them is to be looked at.
template <unsigned bytes>
static bool noteUsual(Lds &lds, uint32_t address, uint32_t mine, bool writes) {
  uint32_t *writers = lds.writers.data() + address;
  uint32_t *readers = lds.readers.data() + address;
  uint32_t others = 0, unwritten = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    others |= isOthers(writers[i], mine);
    others |= writes ? isOthers(readers[i], mine) : 0;
    unwritten |= writers[i] == 0;
  }
  if (others || (!writes && unwritten))
    return false;
  constexpr uint32_t kSeveral = 255;
  for (unsigned i = 0; i < bytes; ++i)
    if (writes)
      writers[i] = mine;
    else
      readers[i] = isOthers(readers[i], mine) ? mine | kSeveral : mine;
  return true;
}

static bool noteUsual(Lds &lds, uint32_t address, unsigned bytes, uint32_t mine,
                      bool writes) {
  switch (bytes) {
  case 2:
    return noteUsual<2>(lds, address, mine, writes);
  case 4:
    return noteUsual<4>(lds, address, mine, writes);
  case 8:
    return noteUsual<8>(lds, address, mine, writes);
  case 16:
    return noteUsual<16>(lds, address, mine, writes);
  default:
    return false;
  }
}

/// The same of each byte, with its race or fault if it is one.
static void noteBytes(Wave &wave, unsigned lane, uint32_t address,
                      unsigned bytes, LdsAccess access, uint32_t mine) {
  Lds &lds = wave.group->lds;
  constexpr uint32_t kSeveral = 255;
  uint32_t epoch = mine & ~kSeveral;
  for (uint32_t i = address; i < address + bytes; ++i) {
    uint32_t writer = lds.writers[i], reader = lds.readers[i];
    bool otherWrote = isOthers(writer, mine),
         otherRead = isOthers(reader, mine);
    switch (access) {
    case LdsAccess::Atomic:
      // Updates of several waves are no race with each other.
      lds.isWritten[i] = true;
      break;
    case LdsAccess::Read:
      if (otherWrote)
        failRace(wave, i, false, true, writer & kSeveral);
      if (!wasWritten(lds, i) && !isPadding(wave, i))
        wave.fail("lane " + std::to_string(lane) + " reads byte " +
                  std::to_string(i) + " of LDS, which was never written");
      lds.readers[i] = otherRead ? epoch | kSeveral : mine;
      break;
    case LdsAccess::Write:
      if (otherRead)
        failRace(wave, i, true, false, reader & kSeveral);
      if (otherWrote)
        lds.suspects.push_back({i, lds.bytes[i], uint8_t(writer & kSeveral)});
      lds.writers[i] = mine;
      break;
    }
  }
}

void kiln::amd::sim::checkLds(Wave &wave, unsigned lane, uint32_t address,
                              unsigned bytes, LdsAccess access,
                              Counter counter) {
  Lds &lds = wave.group->lds;
  if (address > lds.bytes.size() || bytes > lds.bytes.size() - address)
    wave.fail("lane " + std::to_string(lane) + " accesses bytes " +
              std::to_string(address) + " to " +
              std::to_string(uint64_t(address) + bytes) +
              " of LDS, the workgroup has " + std::to_string(lds.bytes.size()));
  if (!wave.machine->checks)
    return;
  uint32_t mine = lds.epoch << 8 | (wave.number + 1);
  if (access == LdsAccess::Atomic ||
      !noteUsual(lds, address, bytes, mine, access == LdsAccess::Write))
    noteBytes(wave, lane, address, bytes, access, mine);
  if (wave.machine->findsOld && access != LdsAccess::Read) {
    std::fill_n(lds.made.begin() + address, bytes, lds.epoch + 1);
    std::fill_n(lds.used.begin() + address, bytes, 0u);
  }
  if (counter != Counter::Count)
    noteUse(wave, address, bytes, access != LdsAccess::Read, counter);
}

void kiln::amd::sim::passBarrier(Workgroup &group) {
  Lds &lds = group.lds;
  constexpr uint32_t kSeveral = 255;
  uint32_t last = lds.epoch++ << 8, now = lds.epoch << 8;
  for (auto &wave : group.waves) {
    dropEnded(*wave);
    for (const Wave::LdsUse &use : wave->ldsUses) {
      uint32_t mine = wave->number + 1;
      for (uint32_t i = use.at; i < use.at + use.bytes; ++i) {
        if (use.writes) {
          if (lds.writers[i] == (last | mine))
            lds.writers[i] = now | mine;
          continue;
        }
        uint32_t &reader = lds.readers[i];
        if ((reader & ~kSeveral) == last)
          reader = now | mine;
        else if (reader != (now | mine))
          reader = now | kSeveral;
      }
    }
  }
}

void OldValues::read(unsigned lane, uint32_t address, unsigned bytes) {
  Lds &lds = wave.group->lds;
  if (bytes == 4) { // mostly all of them were read before, and none is older
    const uint32_t *made = lds.made.data() + address;
    const uint32_t *used = lds.used.data() + address;
    uint32_t first = std::min({used[0], used[1], used[2], used[3]});
    if (first && (first >= oldest || first > lds.epoch)) {
      newest = std::max({newest, made[0], made[1], made[2], made[3]});
      return;
    }
  }
  for (uint32_t i = address; i < address + bytes; ++i) {
    newest = std::max(newest, lds.made[i]);
    uint32_t &used = lds.used[i];
    if (!used) {
      used = lds.epoch + 1;
    } else if (used < oldest && used <= lds.epoch) {
      oldest = used;
      at = i;
      who = lane;
    }
  }
}

void OldValues::finish() {
  if (oldest < newest)
    wave.fail("lane " + std::to_string(who) + " reads byte " +
              std::to_string(at) +
              " of LDS, which holds an old value: it was read behind an "
              "earlier barrier, and others that are read with it were written "
              "since");
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

void kiln::amd::sim::countBanks(Wave &wave, const uint32_t *addresses,
                                uint64_t lanes, unsigned bytes) {
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
      wave.machine->counters.ldsPhases += taken != 0;
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
    wave.machine->counters.ldsPhases += most > 0;
    wave.machine->counters.ldsConflicts += most > 1 ? most - 1u : 0u;
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Wave::fail(const std::string &what) { throw Fault{what}; }

bool Wave::hasOcpFloat8() {
  bool isOcp = machine->isa.hasOcpFloat8;
  if (machine->checks && machine->float8 != Float8Kind::Any &&
      isOcp != (machine->float8 == Float8Kind::Ocp))
    fail(std::string("the instruction takes ") + (isOcp ? "OCP" : "FNUZ") +
         " floats of 8 bits, the buffers hold " + (isOcp ? "FNUZ" : "OCP") +
         " ones");
  return isOcp;
}

void Wave::failRegister(unsigned reg) {
  fail("register v" + std::to_string(reg) + " does not exist");
}

void Wave::wait(const uint32_t (&most)[unsigned(Counter::Count)]) {
  for (unsigned c = 0; c < unsigned(Counter::Count); ++c) {
    if (most[c] >= issued[c] - ended[c])
      continue;
    // Scalar loads end in any order: nothing is sure before all have.
    bool isMixed = c == unsigned(Counter::Lds) && lastScalar > ended[c];
    if (most[c] && (isMixed || c == unsigned(Counter::Scalar)))
      continue;
    ended[c] = issued[c] - most[c];
  }
}

void Wave::settle(uint32_t &mark, bool isScalar, unsigned reg) {
  unsigned counter = (mark & 7) - 1;
  if ((mark >> 3) <= ended[counter] || !machine->checks) {
    mark = 0;
    return;
  }
  const char *names[] = {"vmcnt or loadcnt", "vscnt or storecnt",
                         "lgkmcnt or dscnt", "kmcnt"};
  fail(std::string("register ") +
       (isScalar           ? "s"
        : reg >= kFirstAcc ? "a"
                           : "v") +
       std::to_string(reg >= kFirstAcc && !isScalar ? reg - kFirstAcc : reg) +
       " is used before its load was waited for (" + names[counter] + ")");
}

uint64_t kiln::amd::sim::specialValue(Wave &wave, unsigned which) {
  switch (which) {
  case 0: // src_shared_base
  case 8:
    return uint64_t(kSharedAperture) << 32;
  case 2: // src_private_base
  case 9:
    return uint64_t(kPrivateAperture) << 32;
  case 4: // src_scc
  case 7:
    return wave.scc;
  case 5:
    return wave.mask(kVcc) == 0;
  case 6:
    return wave.exec() == 0;
  default:
    wave.fail("reads a special register that is not simulated");
  }
}

uint64_t kiln::amd::sim::textAddress(const Wave &wave) {
  return wave.machine->code->textAddress();
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  for (const auto &[name, entry] : entries)
    result.push_back(name);
  std::sort(result.begin(), result.end());
  return result;
}

const Table &Table::get() {
  static const Table table = [] {
    Table t;
    addScalar(t);
    addControl(t);
    addVectorFloats(t);
    addVectorIntegers(t);
    addVectorCompares(t);
    addVectorConversions(t);
    addVectorPacked(t);
    addVectorLanes(t);
    addMemory(t);
    addAtomics(t);
    addLds(t);
    addMatrix(t);
    addVectorBytes(t);
    addVectorTrig(t);
    addVectorFloat6(t);
    addVectorRandom(t);
    addVectorFloat8(t);
    addScaledConversions(t);
    addSparseMatrix(t);
    addRelative(t);
    return t;
  }();
  return table;
}
