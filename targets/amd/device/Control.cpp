// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, EXEC, waits and barriers: SOPP, and SOP1 instructions that are
// about control flow.
#include "Values.h"

using namespace kiln::amd::sim;

namespace {
using u64 = uint64_t;

u64 maskSource(Wave &wave, const Operand &op) {
  return op.kind == Operand::Kind::Constant
             ? op.value
             : scalarValue(wave, op, wave.lanes == 64 ? 2 : 1);
}
void jump(Wave &wave, const Inst &inst) { wave.next = inst.target; }
u64 vcc(const Wave &wave) { return wave.mask(kVcc); }

/// dst = EXEC; EXEC = F(source, EXEC); SCC: whether a lane is left.
template <auto F> void runSaveExec(Wave &wave, const Inst &inst) {
  u64 x = maskSource(wave, inst.ops[1]), old = wave.exec();
  u64 now = F(x, old);
  wave.writeMask(inst.ops[0].reg, old);
  if (wave.lanes == 64)
    wave.setExec(now);
  else
    wave.s[kExec] = uint32_t(now);
  wave.scc = wave.exec() != 0;
}
/// EXEC = dst = F(source, EXEC).
template <auto F> void runWriteExec(Wave &wave, const Inst &inst) {
  u64 now = F(maskSource(wave, inst.ops[1]), wave.exec());
  if (wave.lanes == 64)
    wave.setExec(now);
  else
    wave.s[kExec] = uint32_t(now);
  wave.writeMask(inst.ops[0].reg, wave.exec());
  wave.scc = wave.exec() != 0;
}

void addSaveExec(Table &t) {
  auto add = [&](const char *stem, Run run) {
    Entry entry;
    entry.kind = Class::Control;
    entry.types.fill(Type::I64);
    entry.run = run;
    t.add({std::string(stem) + "_saveexec_b64",
           std::string(stem) + "_saveexec_b32"},
          entry);
  };
  add("s_and", runSaveExec<[](u64 x, u64 e) { return x & e; }>);
  add("s_or", runSaveExec<[](u64 x, u64 e) { return x | e; }>);
  add("s_xor", runSaveExec<[](u64 x, u64 e) { return x ^ e; }>);
  add("s_nand", runSaveExec<[](u64 x, u64 e) { return ~(x & e); }>);
  add("s_nor", runSaveExec<[](u64 x, u64 e) { return ~(x | e); }>);
  add("s_xnor", runSaveExec<[](u64 x, u64 e) { return ~(x ^ e); }>);
  add("s_andn2", runSaveExec<[](u64 x, u64 e) { return x & ~e; }>);
  add("s_and_not1", runSaveExec<[](u64 x, u64 e) { return x & ~e; }>);
  add("s_andn1", runSaveExec<[](u64 x, u64 e) { return ~x & e; }>);
  add("s_and_not0", runSaveExec<[](u64 x, u64 e) { return ~x & e; }>);
  add("s_orn1", runSaveExec<[](u64 x, u64 e) { return ~x | e; }>);
  add("s_or_not0", runSaveExec<[](u64 x, u64 e) { return ~x | e; }>);
  add("s_orn2", runSaveExec<[](u64 x, u64 e) { return x | ~e; }>);
  add("s_or_not1", runSaveExec<[](u64 x, u64 e) { return x | ~e; }>);
  Entry write;
  write.kind = Class::Control;
  write.types.fill(Type::I64);
  write.run = runWriteExec<[](u64 x, u64 e) { return ~x & e; }>;
  t.add(
      {"s_andn1_wrexec_b64", "s_and_not0_wrexec_b64", "s_and_not0_wrexec_b32"},
      write);
  write.run = runWriteExec<[](u64 x, u64 e) { return x & ~e; }>;
  t.add(
      {"s_andn2_wrexec_b64", "s_and_not1_wrexec_b64", "s_and_not1_wrexec_b32"},
      write);
}

template <auto F> void runBranch(Wave &wave, const Inst &inst) {
  if (F(wave))
    jump(wave, inst);
}

void runBarrier(Wave &wave, const Inst &) { wave.state = Wave::State::Barrier; }
/// The first half of a split barrier: the wave goes on until it waits.
void runSignal(Wave &wave, const Inst &) { wave.hasSignalled = true; }
void runBarrierWait(Wave &wave, const Inst &) {
  if (!wave.hasSignalled)
    wave.fail("the wave waits at a barrier that it has not signalled");
  wave.hasSignalled = false;
  wave.state = Wave::State::Barrier;
}
/// The same; SCC says whether no wave of the workgroup did so before.
void runSignalFirst(Wave &wave, const Inst &) {
  bool isFirst = true;
  for (const auto &other : wave.group->waves)
    isFirst &= !other->hasSignalled && other->state != Wave::State::Barrier;
  wave.hasSignalled = true;
  wave.scc = isFirst;
}
void runEnd(Wave &wave, const Inst &) { wave.state = Wave::State::Ended; }
void runNothing(Wave &, const Inst &) {}
/// A breakpoint of a debugger does nothing where there is none.
void runTrap(Wave &wave, const Inst &inst) {
  constexpr uint64_t kBreakpoint = 3;
  if (inst.ops[0].value != kBreakpoint)
    wave.fail("runs into a trap");
}
void runSleep(Wave &wave, const Inst &) { wave.yields = true; }
void runPriority(Wave &wave, const Inst &inst) {
  wave.priority = unsigned(inst.ops[0].value) & 3;
}
void runWait(Wave &wave, const Inst &inst) { wave.wait(inst.waits); }

/// Fields of hardware registers: the text is `NAME, offset, bits`. `aux` is the
/// number of the register, `offset` and `stride` the field.
void runGetRegister(Wave &wave, const Inst &inst) {
  uint64_t clock = wave.machine->counters.total();
  uint32_t field = 0;
  switch (inst.aux) {
  case kModeRegister:
    field = wave.mode;
    break;
  case kClockRegister:
    field = uint32_t(clock);
    break;
  case kClockHighRegister:
    field = uint32_t(clock >> 32);
    break;
  case kPlaceRegister:
    break;
  default:
    wave.fail("reads a hardware register that is not simulated");
  }
  field >>= inst.offset;
  if (inst.stride < 32)
    field &= (1u << inst.stride) - 1;
  wave.writeScalar(inst.ops[0].reg, field);
}
void runSetRegister(Wave &wave, const Inst &inst) {
  if (inst.aux != kModeRegister)
    wave.fail("writes a hardware register that is not simulated");
  const Operand &from = inst.ops[inst.numOps - 1];
  auto value = uint32_t(scalarValue(wave, from, 1));
  uint32_t ones = inst.stride < 32 ? (1u << inst.stride) - 1 : ~0u;
  wave.mode = (wave.mode & ~(ones << inst.offset)) | (value & ones)
                                                         << inst.offset;
  applyMode(wave);
}
} // namespace

void kiln::amd::sim::addControl(Table &t) {
  auto add = [&](std::initializer_list<std::string_view> names, Run run) {
    Entry entry;
    entry.kind = Class::Control;
    entry.run = run;
    t.add(names, entry);
  };
  addSaveExec(t);
  add({"s_branch"}, runBranch<[](const Wave &) { return true; }>);
  add({"s_cbranch_scc0"}, runBranch<[](const Wave &w) { return !w.scc; }>);
  add({"s_cbranch_scc1"}, runBranch<[](const Wave &w) { return w.scc; }>);
  add({"s_cbranch_vccz"}, runBranch<[](const Wave &w) { return !vcc(w); }>);
  add({"s_cbranch_vccnz"},
      runBranch<[](const Wave &w) { return vcc(w) != 0; }>);
  add({"s_cbranch_execz"}, runBranch<[](const Wave &w) { return !w.exec(); }>);
  add({"s_cbranch_execnz"},
      runBranch<[](const Wave &w) { return w.exec() != 0; }>);
  add({"s_barrier"}, runBarrier);
  add({"s_barrier_signal"}, runSignal);
  add({"s_barrier_wait"}, runBarrierWait);
  add({"s_barrier_signal_isfirst"}, runSignalFirst);
  add({"s_endpgm", "s_endpgm_saved"}, runEnd);
  add({"s_waitcnt", "s_waitcnt_vscnt", "s_waitcnt_vmcnt", "s_waitcnt_lgkmcnt",
       "s_waitcnt_expcnt", "s_wait_loadcnt", "s_wait_storecnt", "s_wait_dscnt",
       "s_wait_kmcnt", "s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt",
       "s_wait_samplecnt", "s_wait_bvhcnt", "s_wait_expcnt", "s_wait_idle"},
      runWait);
  // Scheduling and caches: nothing that values depend on.
  add({"s_nop",
       "s_delay_alu",
       "s_waitcnt_depctr",
       "s_clause",
       "s_inst_prefetch",
       "s_set_inst_prefetch_distance",
       "s_wait_alu",
       "s_code_end",
       "s_sethalt",
       "s_incperflevel",
       "s_decperflevel",
       "s_icache_inv",
       "s_dcache_inv",
       "s_dcache_wb",
       "s_ttracedata",
       "s_ttracedata_imm",
       "s_prefetch_inst",
       "s_prefetch_data",
       "s_wait_event",
       "s_version",
       "s_wakeup",
       "s_setkill",
       "s_gl1_inv",
       "s_prefetch_data_pc_rel",
       "s_prefetch_inst_pc_rel"},
      runNothing);
  // Of messages only the one that gives registers back (see Encode.cpp).
  add({"s_sendmsg"}, runNothing);
  add({"s_sleep", "s_sleep_var"}, runSleep);
  add({"s_setprio"}, runPriority);
  add({"s_trap"}, runTrap);
  add({"s_getpc_b64"}, [](Wave &wave, const Inst &inst) {
    wave.writeScalar64(inst.ops[0].reg, wave.next + textAddress(wave));
  });
  add({"s_setpc_b64"}, [](Wave &wave, const Inst &inst) {
    wave.next = scalarValue(wave, inst.ops[0], 2) - textAddress(wave);
  });
  add({"s_swappc_b64"}, [](Wave &wave, const Inst &inst) {
    u64 to = scalarValue(wave, inst.ops[1], 2) - textAddress(wave);
    wave.writeScalar64(inst.ops[0].reg, wave.next + textAddress(wave));
    wave.next = to;
  });
  add({"s_call_b64"}, [](Wave &wave, const Inst &inst) {
    wave.writeScalar64(inst.ops[0].reg, wave.next + textAddress(wave));
    jump(wave, inst);
  });
  // Fields of the mode: rounding in bits 0 to 3, subnormal numbers in 4 to 7.
  add({"s_round_mode"}, [](Wave &wave, const Inst &inst) {
    wave.mode = (wave.mode & ~0xfu) | (uint32_t(inst.ops[0].value) & 0xf);
    applyMode(wave);
  });
  add({"s_denorm_mode"}, [](Wave &wave, const Inst &inst) {
    wave.mode = (wave.mode & ~0xf0u) | (uint32_t(inst.ops[0].value) & 0xf) << 4;
    applyMode(wave);
  });
  // Of these messages only the one that asks for the time (see Encode.cpp).
  add({"s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64"},
      [](Wave &wave, const Inst &inst) {
        uint64_t time = wave.machine->counters.total();
        wave.writeScalar(inst.ops[0].reg, uint32_t(time));
        if (inst.name == "s_sendmsg_rtn_b64")
          wave.writeScalar(inst.ops[0].reg + 1, uint32_t(time >> 32));
      });
  add({"s_getreg_b32"}, runGetRegister);
  add({"s_setreg_b32", "s_setreg_imm32_b32"}, runSetRegister);
  add({"s_memtime", "s_memrealtime"}, [](Wave &wave, const Inst &inst) {
    wave.writeScalar64(inst.ops[0].reg, wave.machine->counters.total());
  });
}
