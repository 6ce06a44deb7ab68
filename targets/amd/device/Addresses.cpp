// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of lanes, and what is wrong with them.
#include "Addresses.h"

using namespace kiln::amd::sim;

namespace {
/// Reports lanes whose address was never computed.
void checkDefined(Wave &wave, uint64_t mask) {
  if (!wave.machine->checks || !(mask & ~wave.sourceMask))
    return;
  unsigned lane = unsigned(__builtin_ctzll(mask & ~wave.sourceMask));
  wave.fail("the address of lane " + std::to_string(lane) +
            " comes from a register that was never written");
}

void addBuffer(LaneAddresses &a, const Inst &inst, unsigned at) {
  Wave &wave = a.wave;
  const Operand &resource = inst.ops[at + 1];
  uint32_t parts[4];
  for (unsigned i = 0; i < 4; ++i)
    parts[i] = wave.readScalar(resource.reg + i);
  uint64_t base = parts[0] | uint64_t(parts[1] & 0xffff) << 32;
  uint32_t stride = (parts[1] >> 16) & 0x3fff, records = parts[2];
  auto scalar = uint32_t(scalarValue(wave, inst.ops[at + 2], 1));
  uint32_t fixed = uint32_t(inst.offset);
  // A descriptor of scratch memory, as gfx90a has it.
  if ((parts[1] & 0xffff) == kPrivateBuffer && !parts[0]) {
    a.isScratch = true;
    base = 0;
  }
  Lanes<uint32_t> first = {}, second = {};
  if (inst.offsetEnabled || inst.indexEnabled) {
    Operand op = inst.ops[at];
    alignas(64) uint32_t space[kMaxLanes];
    std::memcpy(first.v, words(wave, inst, op, 0, space, false),
                sizeof first.v);
    if (inst.offsetEnabled && inst.indexEnabled)
      std::memcpy(second.v, words(wave, inst, op, 1, space, false),
                  sizeof second.v);
  }
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    uint64_t index = inst.indexEnabled ? first.v[l] : 0;
    uint64_t offset = inst.indexEnabled ? (inst.offsetEnabled ? second.v[l] : 0)
                                        : (inst.offsetEnabled ? first.v[l] : 0);
    // The stack pointer counts the bytes of all lanes of a wave. Offsets in
    // scratch memory wrap around.
    uint64_t whole = a.isScratch ? scalar / kMaxLanes : scalar;
    uint64_t sum = base + index * stride + offset + fixed + whole;
    a.address[l] = a.isScratch ? uint32_t(sum) : sum;
    if (stride && inst.indexEnabled && index >= records)
      a.mask &= ~(uint64_t(1) << l);
  }
  if (!a.isScratch) {
    a.base = base;
    a.range = stride ? uint64_t(records) * stride : records;
  }
}
} // namespace

LaneAddresses::LaneAddresses(Wave &wave, const Inst &inst, unsigned first,
                             unsigned skip)
    : wave(wave), inst(inst), mask(wave.exec()) {
  wave.sourceMask = ~uint64_t(0);
  auto space = Space(inst.aux);
  if (space == kBufferSpace) {
    addBuffer(*this, inst, first + skip);
    checkDefined(wave, mask);
    return;
  }
  if (space == kLaneSpace) {
    const Operand &scalar = inst.ops[1];
    uint64_t base = uint64_t(int64_t(inst.offset));
    if (scalar.kind == Operand::Kind::Scalar)
      base += scalarValue(wave, scalar, 2);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      address[l] = base + 4 * l;
    checkDefined(wave, mask);
    return;
  }
  const Operand &vector = inst.ops[first];
  const Operand &scalar = inst.ops[first + 1 + skip];
  bool hasScalar = space != kFlatSpace && first + 1 + skip < inst.numOps &&
                   (scalar.kind == Operand::Kind::Scalar ||
                    scalar.kind == Operand::Kind::Constant);
  alignas(64) uint32_t low[kMaxLanes], high[kMaxLanes];
  if (space == kScratchSpace) {
    isScratch = true;
    uint64_t base = uint64_t(int64_t(inst.offset));
    if (hasScalar)
      base += scalarValue(wave, scalar, 1);
    bool hasVector = vector.kind == Operand::Kind::Vector;
    const uint32_t *lanes =
        hasVector ? words(wave, inst, vector, 0, low, false) : nullptr;
    // gfx12 adds the register as a signed number.
    bool isSigned = wave.machine->isa.major >= 12;
    for (unsigned l = 0; lanes && l < kMaxLanes; ++l)
      address[l] = base + (isSigned ? uint64_t(int64_t(int32_t(lanes[l])))
                                    : uint64_t(lanes[l]));
    for (unsigned l = 0; !lanes && l < kMaxLanes; ++l)
      address[l] = base;
  } else if (hasScalar) {
    uint64_t base =
        scalarValue(wave, scalar, 2) + uint64_t(int64_t(inst.offset));
    const uint32_t *lanes = words(wave, inst, vector, 0, low, false);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      address[l] = base + lanes[l];
  } else {
    const uint32_t *x = words(wave, inst, vector, 0, low, false);
    const uint32_t *y = words(wave, inst, vector, 1, high, false);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      address[l] =
          (x[l] | uint64_t(y[l]) << 32) + uint64_t(int64_t(inst.offset));
  }
  checkDefined(wave, mask);
}

bool LaneAddresses::areInOne(unsigned bytes, bool writes) {
  if (isScratch)
    return false;
  if (!mask)
    return true;
  uint64_t begin = inst.aux == kBufferSpace ? base : 0;
  auto distances = [&](uint64_t lanes, uint64_t &least, uint64_t &most) {
    uint64_t first = address[__builtin_ctzll(lanes)] - begin;
    least = most = first;
    for (unsigned l = 0; l < kMaxLanes; ++l) {
      uint64_t at = (lanes >> l) & 1 ? address[l] - begin : first;
      least = at < least ? at : least;
      most = at > most ? at : most;
    }
  };
  uint64_t least, most, inside = mask;
  distances(mask, least, most);
  if (inst.aux == kBufferSpace && (most >= range || bytes > range - most)) {
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
      auto lane = unsigned(__builtin_ctzll(rest));
      if (address[lane] < base)
        return false;
      uint64_t at = address[lane] - base;
      if (at >= range)
        inside &= ~(uint64_t(1) << lane);
      else if (bytes > range - at)
        return false;
    }
    if (inside)
      distances(inside, least, most);
  }
  if (inside) {
    const Allocation *found =
        wave.machine->memory->find(begin + least, most - least + bytes);
    if (!found || (writes && found->isReadOnly))
      return false;
  }
  mask = inside;
  return true;
}

uint8_t *LaneAddresses::at(unsigned lane, unsigned offset, unsigned bytes,
                           bool writes, bool isAtomic) const {
  uint64_t where = address[lane] + offset;
  if (isScratch || where >> 32 == kPrivateAperture) {
    uint64_t begin = isScratch ? where : where & 0xffffffff;
    if (begin > wave.scratchBytes || bytes > wave.scratchBytes - begin)
      wave.fail("lane " + std::to_string(lane) + " accesses bytes " +
                std::to_string(begin) + " to " + std::to_string(begin + bytes) +
                " of scratch memory, it has " +
                std::to_string(wave.scratchBytes));
    return wave.scratch.data() + size_t(lane) * wave.scratchBytes + begin;
  }
  if (where >> 32 == kSharedAperture && inst.aux == kFlatSpace) {
    checkLds(wave, lane, uint32_t(where), bytes,
             isAtomic ? LdsAccess::Atomic
             : writes ? LdsAccess::Write
                      : LdsAccess::Read);
    return wave.group->lds.bytes.data() + uint32_t(where);
  }
  if (inst.aux == kBufferSpace) {
    // Beyond the range reads give 0, and writes do nothing.
    if (where < base || where - base >= range || bytes > range - (where - base))
      return nullptr;
  }
  return globalAddress(wave, lane, where, bytes, writes);
}
