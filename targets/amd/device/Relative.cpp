// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers whose number is computed: moves relative to M0 (RDNA and scalar
// ones), and the index mode of CDNA (manuals, "VGPR Indexing").
#include "Relative.h"
#include <utility>

using namespace kiln::amd::sim;

namespace {
/// Bits of the index mode, in bits 12 to 15 of M0: which operands it shifts.
enum IndexMode : unsigned {
  kSource0 = 1,
  kSource1 = 2,
  kSource2 = 4,
  kResult = 8
};

unsigned shiftedScalar(Wave &wave, const Operand &op, uint32_t by) {
  uint64_t reg = uint64_t(op.reg) + by;
  if (op.kind != Operand::Kind::Scalar || reg >= kVcc)
    wave.fail("moves from or to scalar register " + std::to_string(reg) +
              ", relative to m0");
  return unsigned(reg);
}

/// `aux`: 1 shifts the source, 2 the result, 4: by parts of M0 of their own.
constexpr uint8_t kShiftsSource = 1, kShiftsResult = 2, kHasParts = 4;

template <unsigned words> void runScalarMove(Wave &wave, const Inst &inst) {
  uint32_t m0 = wave.readScalar(kM0);
  Operand from = inst.ops[1], to = inst.ops[0];
  if (inst.aux & kShiftsSource)
    from.reg = uint16_t(
        shiftedScalar(wave, from, inst.aux & kHasParts ? m0 & 0x3ff : m0));
  if (inst.aux & kShiftsResult)
    to.reg = uint16_t(shiftedScalar(
        wave, to, inst.aux & kHasParts ? (m0 >> 16) & 0x3ff : m0));
  uint64_t value = scalarValue(wave, from, words);
  if (words == 2)
    wave.writeScalar64(to.reg, value);
  else
    wave.writeScalar(to.reg, uint32_t(value));
}

Operand shifted(const Operand &op, uint32_t by) {
  Operand result = op;
  if (op.kind == Operand::Kind::Vector)
    result.reg =
        uint16_t(std::min<uint64_t>(uint64_t(op.reg) + by, kVectorRegisters));
  return result;
}

/// v_movrels, v_movreld, v_movrelsd dst, src.
void runVectorMove(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  uint32_t m0 = wave.readScalar(kM0);
  bool hasParts = inst.aux & kHasParts;
  Operand from = inst.ops[1], to = inst.ops[0];
  if (inst.aux & kShiftsSource)
    from = shifted(from, hasParts ? m0 & 0x3ff : m0);
  if (inst.aux & kShiftsResult)
    to = shifted(to, hasParts ? (m0 >> 16) & 0x3ff : m0);
  alignas(64) uint32_t space[kMaxLanes], bits[kMaxLanes];
  std::memcpy(bits, words(wave, inst, from, 0, space, false), sizeof bits);
  writeWord(wave, to.reg, bits, writtenLanes(wave, inst));
}

/// v_swaprel_b32 x, y.
void runVectorSwap(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  uint32_t m0 = wave.readScalar(kM0);
  Operand y = shifted(inst.ops[1], m0 & 0x3ff),
          x = shifted(inst.ops[0], (m0 >> 16) & 0x3ff);
  alignas(64) uint32_t ofX[kMaxLanes], ofY[kMaxLanes], space[kMaxLanes];
  std::memcpy(ofX, words(wave, inst, x, 0, space, false), sizeof ofX);
  std::memcpy(ofY, words(wave, inst, y, 0, space, false), sizeof ofY);
  writeWord(wave, x.reg, ofY, wave.exec());
  writeWord(wave, y.reg, ofX, wave.exec());
}

void setIndex(Wave &wave, uint32_t mask, uint32_t bits) {
  wave.writeScalar(kM0, (wave.readScalar(kM0) & ~mask) | (bits & mask));
}
constexpr uint32_t kIndexBits = 0xff, kModeBits = 0xf000;

/// s_set_gpr_idx_on index, gpr_idx(SRC0, ...).
void runIndexOn(Wave &wave, const Inst &inst) {
  wave.hasIndexMode = true;
  setIndex(wave, kIndexBits | kModeBits,
           (uint32_t(scalarValue(wave, inst.ops[0], 1)) & kIndexBits) |
               inst.flags << 12);
}
} // namespace

uint32_t kiln::amd::sim::indexModeOf(const std::string &text) {
  uint32_t mode = 0;
  for (auto [name, bit] : {std::pair("SRC0", kSource0),
                           {"SRC1", kSource1},
                           {"SRC2", kSource2},
                           {"DST", kResult}})
    if (text.find(name) != std::string::npos)
      mode |= bit;
  return mode;
}

void kiln::amd::sim::runIndexed(Wave &wave, const Inst &inst) {
  if (inst.kind != Class::Vector) {
    inst.run(wave, inst);
    return;
  }
  uint32_t m0 = wave.readScalar(kM0), by = m0 & kIndexBits, mode = m0 >> 12;
  // One thread of the host runs a launch, so that the operands may be changed
  // while the instruction runs.
  auto &ops = const_cast<Inst &>(inst).ops;
  std::array<Operand, 8> old = ops;
  for (unsigned i = 0; i < inst.numOps; ++i)
    if (i == 0 ? (mode & kResult) != 0 : i < 4 && ((mode >> (i - 1)) & 1))
      ops[i] = shifted(ops[i], by);
  try {
    inst.run(wave, inst);
  } catch (...) {
    ops = old;
    throw;
  }
  ops = old;
}

void kiln::amd::sim::addRelative(Table &t) {
  auto add = [&](const char *name, Class kind, Run run, uint8_t aux = 0) {
    Entry entry;
    entry.kind = kind;
    entry.run = run;
    entry.aux = aux;
    t.add(name, entry);
  };
  add("s_movrels_b32", Class::Scalar, runScalarMove<1>, kShiftsSource);
  add("s_movrels_b64", Class::Scalar, runScalarMove<2>, kShiftsSource);
  add("s_movreld_b32", Class::Scalar, runScalarMove<1>, kShiftsResult);
  add("s_movreld_b64", Class::Scalar, runScalarMove<2>, kShiftsResult);
  constexpr uint8_t kBoth = kShiftsSource | kShiftsResult;
  add("s_movrelsd_2_b32", Class::Scalar, runScalarMove<1>, kBoth | kHasParts);
  add("v_movrels_b32", Class::Vector, runVectorMove, kShiftsSource);
  add("v_movreld_b32", Class::Vector, runVectorMove, kShiftsResult);
  add("v_movrelsd_b32", Class::Vector, runVectorMove, kBoth);
  add("v_movrelsd_2_b32", Class::Vector, runVectorMove, kBoth | kHasParts);
  add("v_swaprel_b32", Class::Vector, runVectorSwap);
  add("s_set_gpr_idx_on", Class::Control, runIndexOn);
  add("s_set_gpr_idx_off", Class::Control,
      [](Wave &wave, const Inst &) { wave.hasIndexMode = false; });
  add("s_set_gpr_idx_mode", Class::Control, [](Wave &wave, const Inst &inst) {
    setIndex(wave, kModeBits, inst.flags << 12);
  });
  add("s_set_gpr_idx_idx", Class::Control, [](Wave &wave, const Inst &inst) {
    setIndex(wave, kIndexBits, uint32_t(scalarValue(wave, inst.ops[0], 1)));
  });
}
