// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moves values between lanes, and between lanes and scalar registers.
#include "Values.h"

using namespace kiln::amd::sim;

void kiln::amd::sim::permuteDpp(Wave &wave, const Dpp &dpp,
                                const uint32_t *from, uint32_t *to) {
  uint64_t exec = wave.exec();
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    int source = dpp.from[l];
    bool isThere =
        source >= 0 && (dpp.fetchesInactive || ((exec >> source) & 1));
    to[l] = isThere ? from[source] : 0;
  }
}

uint64_t kiln::amd::sim::dppLanes(const Wave &wave, const Dpp &dpp) {
  if (dpp.zeroes)
    return dpp.writes;
  uint64_t exec = wave.exec(), lanes = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    int source = dpp.from[l];
    bool isThere =
        source >= 0 && (dpp.fetchesInactive || ((exec >> source) & 1));
    lanes |= uint64_t(isThere) << l;
  }
  return lanes & dpp.writes;
}

namespace {
uint32_t laneOf(Wave &wave, const Operand &op) {
  return uint32_t(scalarValue(wave, op, 1)) & (wave.lanes - 1);
}

/// v_readlane_b32 sdst, v, lane. EXEC does not matter.
void runReadLane(Wave &wave, const Inst &inst) {
  wave.touchVector(inst.ops[1].reg);
  unsigned lane = laneOf(wave, inst.ops[2]);
  wave.writeScalar(inst.ops[0].reg, wave.v[inst.ops[1].reg].lane[lane]);
}
void runReadFirstLane(Wave &wave, const Inst &inst) {
  const Operand &from = inst.ops[1];
  uint32_t value;
  if (from.kind == Operand::Kind::Vector) {
    wave.touchVector(from.reg);
    uint64_t exec = wave.exec();
    value = wave.v[from.reg].lane[exec ? __builtin_ctzll(exec) : 0];
  } else {
    value = uint32_t(scalarValue(wave, from, 1));
  }
  wave.writeScalar(inst.ops[0].reg, value);
}
void runWriteLane(Wave &wave, const Inst &inst) {
  unsigned reg = inst.ops[0].reg;
  wave.touchVector(reg);
  unsigned lane = laneOf(wave, inst.ops[2]);
  wave.v[reg].lane[lane] = uint32_t(scalarValue(wave, inst.ops[1], 1));
  wave.defined[reg] |= uint64_t(1) << lane;
}

/// v_mbcnt dst, mask, sum: how many lanes of the mask come before each.
/// `aux`: the upper 32 lanes.
void runCountBefore(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> mask, sum;
  load(wave, inst, 1, mask.v, true);
  load(wave, inst, 2, sum.v, false);
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    uint32_t before;
    if (inst.aux)
      before = l < 32 ? 0 : (uint32_t(1) << (l - 32)) - 1;
    else
      before = l >= 32 ? ~0u : (uint32_t(1) << l) - 1;
    sum.v[l] += uint32_t(__builtin_popcount(mask.v[l] & before));
  }
  store(wave, inst, inst.ops[0], sum.v);
}

/// v_cndmask dst, x, y, mask: y where the mask is set. Operands are floats
/// where they have modifiers; bits stay what they are without.
template <typename T> void runChoose(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<T> x, y;
  load(wave, inst, 1, x.v, true);
  uint64_t ofX = wave.sourceMask;
  wave.sourceMask = ~uint64_t(0);
  load(wave, inst, 2, y.v, false);
  uint64_t mask = inst.numOps > 3    ? maskOperand(wave, inst.ops[3])
                  : wave.lanes == 64 ? wave.scalar64(kVcc)
                                     : wave.s[kVcc];
  wave.sourceMask = (wave.sourceMask & mask) | (ofX & ~mask);
  for (unsigned l = 0; l < kMaxLanes; ++l)
    x.v[l] = (mask >> l) & 1 ? y.v[l] : x.v[l];
  store(wave, inst, inst.ops[0], x.v);
}

/// v_permlane16 and v_permlanex16: each row of 16 reads its own row or the
/// other one of its pair, by numbers of 4 bits in two scalars.
template <bool isOther> void runPermuteRows(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  const Operand &from = inst.ops[1];
  wave.touchVector(from.reg);
  const uint32_t *lanes = wave.v[from.reg].lane;
  uint64_t select = scalarValue(wave, inst.ops[2], 1) & 0xffffffff;
  select |= scalarValue(wave, inst.ops[3], 1) << 32;
  uint64_t exec = wave.exec(), known = wave.defined[from.reg];
  bool fetchesInactive = inst.opSel & 1, zeroes = inst.opSel & 2;
  wave.touchVector(inst.ops[0].reg);
  Lanes<uint32_t> result;
  std::memcpy(result.v, wave.v[inst.ops[0].reg].lane, sizeof result.v);
  uint64_t defined = wave.defined[inst.ops[0].reg];
  for (unsigned l = 0; l < wave.lanes; ++l) {
    unsigned source = unsigned(select >> (4 * (l & 15))) & 15;
    source += (l & ~15u) ^ (isOther ? 16 : 0);
    uint64_t bit = uint64_t(1) << l;
    if (fetchesInactive || (exec >> source) & 1) {
      result.v[l] = lanes[source];
      defined = (defined & ~bit) | ((known >> source) & 1) << l;
    } else if (zeroes) {
      result.v[l] = 0;
      defined |= bit;
    }
  }
  wave.sourceMask = defined;
  writeWord(wave, inst.ops[0].reg, result.v, exec);
}

/// v_permlane16_var and v_permlanex16_var: the same by lane numbers in a
/// register.
template <bool isOther> void runPermuteByLanes(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> select, result;
  load(wave, inst, 2, select.v, false);
  const Operand &from = inst.ops[1];
  wave.touchVector(from.reg);
  unsigned to = inst.ops[0].reg;
  wave.touchVector(to);
  std::memcpy(result.v, wave.v[to].lane, sizeof result.v);
  uint64_t exec = wave.exec(), known = wave.defined[from.reg];
  uint64_t defined = wave.defined[to];
  bool fetchesInactive = inst.opSel & 1, zeroes = inst.opSel & 2;
  for (unsigned l = 0; l < wave.lanes; ++l) {
    unsigned source = (select.v[l] & 15) + ((l & ~15u) ^ (isOther ? 16 : 0));
    uint64_t bit = uint64_t(1) << l;
    if (fetchesInactive || (exec >> source) & 1) {
      result.v[l] = wave.v[from.reg].lane[source];
      defined = (defined & ~bit) | ((known >> source) & 1) << l;
    } else if (zeroes) {
      result.v[l] = 0;
      defined |= bit;
    }
  }
  wave.sourceMask &= defined;
  writeWord(wave, to, result.v, exec);
}

/// v_permlane64 exchanges the halves of waves of 64 lanes, and does nothing in
/// those of 32.
void runSwapHalves(Wave &wave, const Inst &inst) {
  if (wave.lanes == 32)
    return;
  wave.sourceMask = ~uint64_t(0);
  Lanes<uint32_t> x, result;
  load(wave, inst, 1, x.v, false);
  for (unsigned l = 0; l < kMaxLanes; ++l)
    result.v[l] = x.v[l ^ 32];
  store(wave, inst, inst.ops[0], result.v);
}

/// v_permlane32_swap and v_permlane16_swap exchange halves, or odd rows of the
/// first register with even rows of the second.
template <unsigned distance> void runSwapRows(Wave &wave, const Inst &inst) {
  unsigned x = inst.ops[0].reg, y = inst.ops[1].reg;
  wave.touchVector(x);
  wave.touchVector(y);
  for (unsigned l = 0; l < wave.lanes; ++l)
    if (!(l & distance))
      std::swap(wave.v[x].lane[l + distance], wave.v[y].lane[l]);
}

/// v_swap_b32 and v_swap_b16.
template <typename T> void runSwap(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<T> x, y;
  load(wave, inst, 0, x.v, false);
  load(wave, inst, 1, y.v, false);
  store(wave, inst, inst.ops[0], y.v);
  store(wave, inst, inst.ops[1], x.v);
}

/// v_mov_b32 and others under DPP whose missing lanes keep the result.
void runNothing(Wave &, const Inst &) {}
} // namespace

void kiln::amd::sim::addVectorLanes(Table &t) {
  auto add = [&](std::initializer_list<std::string_view> names, Run run,
                 uint8_t aux = 0) {
    Entry entry;
    entry.run = run;
    entry.aux = aux;
    t.add(names, entry);
  };
  add({"v_readlane_b32"}, runReadLane);
  add({"v_readfirstlane_b32"}, runReadFirstLane);
  add({"v_writelane_b32"}, runWriteLane);
  add({"v_mbcnt_lo_u32_b32"}, runCountBefore, 0);
  add({"v_mbcnt_hi_u32_b32"}, runCountBefore, 1);
  add({"v_permlane16_b32"}, runPermuteRows<false>);
  add({"v_permlanex16_b32"}, runPermuteRows<true>);
  add({"v_permlane32_swap_b32"}, runSwapRows<32>);
  add({"v_permlane16_swap_b32"}, runSwapRows<16>);
  add({"v_permlane16_var_b32"}, runPermuteByLanes<false>);
  add({"v_permlanex16_var_b32"}, runPermuteByLanes<true>);
  add({"v_permlane64_b32"}, runSwapHalves);
  add({"v_swap_b32"}, runSwap<uint32_t>);
  add({"v_swap_b16"}, runSwap<uint16_t>);
  add({"v_nop"}, runNothing);
  Entry choose;
  choose.types.fill(Type::F32);
  choose.run = runChoose<float>;
  t.add("v_cndmask_b32", choose);
  choose.types.fill(Type::F16);
  choose.run = runChoose<Half>;
  t.add("v_cndmask_b16", choose);
}
