// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an instruction's text to what runs it.
#include "CodeObject.h"
#include "Relative.h"
#include "Table.h"
#include "Text.h"
#include <algorithm>
#include <cstdlib>

using namespace kiln::amd::sim;

namespace {
/// Numbers of a list such as `[0,1,1]`.
std::vector<unsigned> listOf(const std::string &text) {
  std::vector<unsigned> numbers;
  for (const char *at = text.c_str(); *at;) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    char *end = nullptr;
    numbers.push_back(unsigned(std::strtoul(at, &end, 0)));
    at = end;
  }
  return numbers;
}
uint8_t bitsOf(const std::vector<unsigned> &list) {
  unsigned bits = 0;
  for (size_t i = 0; i < list.size(); ++i)
    bits |= (list[i] & 1) << i;
  return uint8_t(bits);
}
long numberOf(const std::string &text) {
  return std::strtol(text.c_str(), nullptr, 0);
}
bool startsWith(const std::string &text, const char *prefix) {
  return text.rfind(prefix, 0) == 0;
}

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

/// The lane that each lane reads from, by one control; -1 for none. Returns
/// false for a control that is not known.
bool setControl(const std::string &key, const std::string &value, Dpp &dpp) {
  auto n = int(numberOf(value));
  std::vector<unsigned> list = listOf(value);
  if ((key == "quad_perm" && list.size() != 4) ||
      (key == "dpp8" && list.size() != 8))
    return false;
  for (int l = 0; l < int(kMaxLanes); ++l) {
    int row = l & ~15, in = l & 15, from = -1;
    if (key == "quad_perm")
      from = (l & ~3) + int(list[unsigned(l) & 3] & 3);
    else if (key == "dpp8")
      from = (l & ~7) + int(list[unsigned(l) & 7] & 7);
    else if (key == "row_shl")
      from = in + n < 16 ? l + n : -1;
    else if (key == "row_shr")
      from = in - n >= 0 ? l - n : -1;
    else if (key == "row_ror")
      from = row + ((in - n) & 15);
    else if (key == "wave_shl")
      from = l + 1 < int(kMaxLanes) ? l + 1 : -1;
    else if (key == "wave_shr")
      from = l - 1;
    else if (key == "wave_rol")
      from = (l + 1) % int(kMaxLanes);
    else if (key == "wave_ror")
      from = (l + int(kMaxLanes) - 1) % int(kMaxLanes);
    else if (key == "row_mirror")
      from = row + 15 - in;
    else if (key == "row_half_mirror")
      from = (l & ~7) + 7 - (l & 7);
    else if (key == "row_bcast" && n == 15)
      from = row ? row - 1 : -1;
    else if (key == "row_bcast" && n == 31)
      from = l >= 32 ? 31 : -1;
    else if (key == "row_newbcast" || key == "row_share")
      from = row + n;
    else if (key == "row_xmask")
      from = row + (in ^ n);
    else
      return false;
    dpp.from[l] = int8_t(from);
  }
  return true;
}

std::string readDpp(const ParsedText &text, Inst &inst) {
  auto dpp = std::make_unique<Dpp>();
  bool isKnown = false;
  unsigned rows = 15, banks = 15;
  for (const auto &[key, value] : text.modifiers) {
    if (key == "row_mask")
      rows = unsigned(numberOf(value));
    else if (key == "bank_mask")
      banks = unsigned(numberOf(value));
    else if (key == "bound_ctrl")
      dpp->zeroes = true;
    else if (key == "fi")
      dpp->fetchesInactive = numberOf(value) != 0;
    else
      isKnown |= setControl(key, value, *dpp);
  }
  if (!isKnown)
    return "with a DPP control that is not simulated";
  dpp->writes = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l)
    if ((rows >> (l / 16)) & 1 && (banks >> (l % 16 / 4)) & 1)
      dpp->writes |= uint64_t(1) << l;
  inst.dpp = std::move(dpp);
  return "";
}

//===----------------------------------------------------------------------===//
// SDWA
//===----------------------------------------------------------------------===//

Part partOf(const std::string &select) {
  Part part;
  if (startsWith(select, "BYTE_")) {
    part.bits = 8;
    part.shift = uint8_t(8 * numberOf(select.substr(5)));
  } else if (startsWith(select, "WORD_")) {
    part.bits = 16;
    part.shift = uint8_t(16 * numberOf(select.substr(5)));
  }
  return part;
}

void readSdwa(const ParsedText &text, Inst &inst) {
  auto sdwa = std::make_unique<Sdwa>();
  if (const std::string *value = text.modifier("dst_sel"))
    sdwa->result = partOf(*value);
  if (const std::string *value = text.modifier("dst_unused")) {
    sdwa->preserves = *value == "UNUSED_PRESERVE";
    sdwa->extends = *value == "UNUSED_SEXT";
  }
  const char *keys[] = {"src0_sel", "src1_sel"};
  // A carry stands between the result and the sources.
  unsigned first = inst.name.find("_co_") != std::string::npos ? 2 : 1;
  for (unsigned n = 0; n < 2; ++n) {
    if (const std::string *value = text.modifier(keys[n]))
      sdwa->sources[n] = partOf(*value);
    if (n + first < text.operands.size())
      sdwa->sources[n].isSigned = text.operands[n + first].text == "sext";
  }
  // The sources become operands 1 and 2, which the parts are of.
  if (first > 1)
    std::rotate(&inst.ops[1], &inst.ops[first], &inst.ops[first + 2]);
  inst.sdwa = std::move(sdwa);
}

//===----------------------------------------------------------------------===//
// Other modifiers
//===----------------------------------------------------------------------===//

/// `swizzle(MODE, ...)` as the number it stands for, or a number.
long offsetOf(const std::string &value) {
  if (!startsWith(value, "swizzle("))
    return numberOf(value);
  std::vector<unsigned> list = listOf(value);
  if (value.find("QUAD_PERM") != std::string::npos && list.size() == 4)
    return long(0x8000 | list[0] | list[1] << 2 | list[2] << 4 | list[3] << 6);
  if (value.find("BITMASK_PERM") != std::string::npos) {
    // One letter for each bit of the lane: 0, 1, p (keep), i (invert).
    size_t quote = value.find('"');
    unsigned ands = 0, ors = 0, xors = 0;
    for (unsigned i = 0; i < 5 && quote + 1 + i < value.size(); ++i) {
      unsigned bit = 1u << (4 - i);
      char c = value[quote + 1 + i];
      ands |= c == 'p' || c == 'i' ? bit : 0;
      ors |= c == '1' ? bit : 0;
      xors |= c == 'i' ? bit : 0;
    }
    return long(ands | ors << 5 | xors << 10);
  }
  if (list.empty())
    return 0;
  unsigned last = list.back();
  if (value.find("FFT") != std::string::npos)
    return long(0xe000 | last);
  if (value.find("ROTATE") != std::string::npos && list.size() == 2)
    return long(0xc000 | list[0] << 10 | last << 5);
  if (value.find("SWAP") != std::string::npos)
    return long(0x1f | last << 10);
  if (value.find("REVERSE") != std::string::npos)
    return long(0x1f | (last - 1) << 10);
  if (value.find("BROADCAST") != std::string::npos && list.size() == 2)
    return long((0x1f & ~(list[0] - 1)) | last << 5);
  return 0;
}

constexpr unsigned kLoad = unsigned(Counter::Load),
                   kStore = unsigned(Counter::Store),
                   kLds = unsigned(Counter::Lds),
                   kScalar = unsigned(Counter::Scalar);

void readWaits(const ParsedText &text, Inst &inst) {
  const std::string &name = inst.name;
  auto set = [&](unsigned counter, uint32_t most) {
    inst.waits[counter] = std::min(inst.waits[counter], most);
  };
  for (const auto &[key, value] : text.modifiers) {
    auto most = uint32_t(numberOf(value));
    if (key == "vmcnt")
      set(kLoad, most);
    else if (key == "lgkmcnt")
      set(kLds, most);
  }
  if (name == "s_wait_idle")
    for (unsigned c = 0; c < unsigned(Counter::Count); ++c)
      set(c, 0);
  if (inst.numOps == 0)
    return;
  auto most = uint32_t(inst.ops[inst.numOps - 1].value);
  constexpr uint32_t field = 0x3f;
  if (name == "s_waitcnt_vscnt" || name == "s_wait_storecnt")
    set(kStore, most);
  else if (name == "s_waitcnt_vmcnt" || name == "s_wait_loadcnt")
    set(kLoad, most);
  else if (name == "s_waitcnt_lgkmcnt" || name == "s_wait_dscnt")
    set(kLds, most);
  else if (name == "s_wait_kmcnt")
    set(kScalar, most);
  else if (name == "s_wait_loadcnt_dscnt" || name == "s_wait_storecnt_dscnt") {
    set(name == "s_wait_loadcnt_dscnt" ? kLoad : kStore, (most >> 8) & field);
    set(kLds, most & field);
  }
}

/// Names before gfx12, and since.
constexpr std::pair<const char *, HardwareRegister> kHardwareRegisters[] = {
    {"HW_REG_MODE", kModeRegister},
    {"HW_REG_WAVE_MODE", kModeRegister},
    {"HW_REG_SHADER_CYCLES", kClockRegister},
    {"HW_REG_SHADER_CYCLES_LO", kClockRegister},
    {"HW_REG_SHADER_CYCLES_HI", kClockHighRegister},
    {"HW_REG_HW_ID", kPlaceRegister},
    {"HW_REG_HW_ID1", kPlaceRegister},
    {"HW_REG_HW_ID2", kPlaceRegister},
    {"HW_REG_WAVE_HW_ID1", kPlaceRegister},
    {"HW_REG_WAVE_HW_ID2", kPlaceRegister},
    {"HW_REG_XCC_ID", kPlaceRegister}};

/// `hwreg(NAME, offset, bits)`.
void readHardwareRegister(const ParsedText &text, Inst &inst) {
  for (const TextOperand &operand : text.operands) {
    if (!startsWith(operand.text, "hwreg("))
      continue;
    size_t comma = operand.text.find(',');
    constexpr size_t kName = sizeof "hwreg(" - 1;
    std::string name = operand.text.substr(
        kName, std::min(comma, operand.text.find(')')) - kName);
    inst.aux = kUnknownRegister;
    for (auto [known, number] : kHardwareRegisters)
      if (name == known)
        inst.aux = number;
    std::vector<unsigned> list;
    if (comma != std::string::npos)
      list = listOf(operand.text.substr(comma));
    inst.offset = list.empty() ? 0 : int32_t(list[0]);
    inst.stride = uint16_t(list.size() < 2 ? 32 : list[1]);
  }
}

bool isPacked(const std::string &name) {
  return startsWith(name, "v_pk_") ||
         (startsWith(name, "v_dot") && name != "v_dot2_f16_f16" &&
          name != "v_dot2_bf16_bf16") ||
         name.find("_mix") != std::string::npos || startsWith(name, "v_wmma") ||
         startsWith(name, "v_permlane");
}

void readModifiers(const ParsedText &text, Inst &inst) {
  bool isMix = inst.name.find("_mix") != std::string::npos;
  inst.opSelHi = isMix ? 0 : 7;
  for (const auto &[key, value] : text.modifiers) {
    if (key == "offset")
      inst.offset = int32_t(offsetOf(value));
    else if (key == "offset0")
      inst.offset = int32_t(numberOf(value));
    else if (key == "offset1")
      inst.offset1 = int32_t(numberOf(value));
    else if (key == "byte_sel" || key == "bitop3")
      inst.offset1 = int32_t(numberOf(value));
    else if (key == "clamp")
      inst.clamp = true;
    else if (key == "mul")
      inst.scale = value == "4" ? 2 : 1;
    else if (key == "div")
      inst.scale = 3;
    else if (key == "op_sel_hi")
      inst.opSelHi = bitsOf(listOf(value));
    else if (key == "neg_lo")
      inst.negLo = bitsOf(listOf(value));
    else if (key == "neg_hi")
      inst.negHi = bitsOf(listOf(value));
    else if (key == "offen")
      inst.offsetEnabled = true;
    else if (key == "idxen")
      inst.indexEnabled = true;
    else if (key == "lds")
      inst.toLds = true;
    else if (key == "sc0" || key == "glc" ||
             (key == "th" && value.find("RETURN") != std::string::npos))
      inst.returns = true;
    else if (key == "cbsz" || key == "index_key")
      inst.flags |= uint32_t(numberOf(value));
    else if (key == "abid")
      inst.flags |= uint32_t(numberOf(value)) << 8;
    else if (key == "blgp")
      inst.flags |= uint32_t(numberOf(value)) << 16;
    else if (key == "gpr_idx")
      inst.flags = indexModeOf(value);
    else if (key == "neg")
      inst.negLo = bitsOf(listOf(value));
    else if (key == "op_sel") {
      std::vector<unsigned> list = listOf(value);
      inst.opSel = bitsOf(list);
      // The last one of a full list is the result's.
      if (!isPacked(inst.name) && list.size() == inst.numOps) {
        unsigned last = unsigned(list.size()) - 1;
        inst.opSel =
            uint8_t((inst.opSel & ~(1u << last)) | (list[last] & 1) << 3);
      }
    }
  }
}

/// Whether the text of an operand was understood. Those that are no register
/// and no constant are read by their instructions, or say how caches behave.
bool isOperandKnown(const TextOperand &operand) {
  if (operand.operand.kind != Operand::Kind::None)
    return true;
  for (const char *known : {"off", "sc0", "sc1", "nt", "glc", "slc", "dlc"})
    if (operand.text == known)
      return true;
  return startsWith(operand.text, "hwreg(") ||
         startsWith(operand.text, "scope:") || startsWith(operand.text, "th:");
}

/// Two instructions in one: both read before either writes.
void runDual(Wave &wave, const Inst &inst) {
  unsigned x = inst.ops[0].reg;
  wave.touchVector(x);
  Register old = wave.v[x];
  uint64_t oldDefined = wave.defined[x];
  inst.half(wave, inst);
  Register now = wave.v[x];
  uint64_t nowDefined = wave.defined[x];
  wave.v[x] = old;
  wave.defined[x] = oldDefined;
  inst.second->run(wave, *inst.second);
  wave.v[x] = now;
  wave.defined[x] = nowDefined;
}

void takeEntry(const Entry &entry, Inst &inst) {
  inst.run = entry.run;
  inst.kind = entry.kind;
  inst.aux = entry.aux;
  inst.bytes = entry.bytes;
  inst.isSigned = entry.isSigned;
  inst.isHigh = entry.isHigh;
  inst.keepsHalf = entry.keepsHalf;
  inst.stride = entry.stride ? entry.stride : entry.row;
}
} // namespace

std::string kiln::amd::sim::makeInst(std::string_view text, const Isa &isa,
                                     uint64_t offset, uint32_t size,
                                     Inst &inst) {
  ParsedText parsed = parseText(text);
  std::string name = parsed.name;
  if (startsWith(name, "v_dual_"))
    name = "v_" + name.substr(7);
  const Entry *entry = Table::get().find(name);
  if (!entry)
    return "is not known";
  inst.name = name;
  inst.hasOtherMode = name.find("_f16") != std::string::npos ||
                      name.find("_f64") != std::string::npos;
  inst.size = size;
  takeEntry(*entry, inst);
  if (parsed.operands.size() > inst.ops.size())
    return "has too many operands";
  inst.numOps = uint8_t(parsed.operands.size());
  // Since gfx10 v_cmpx names no mask before its sources.
  unsigned skipped = startsWith(name, "v_cmpx_") && inst.numOps == 2 ? 1 : 0;
  for (unsigned i = 0; i < inst.numOps; ++i) {
    inst.ops[i] = parsed.operands[i].operand;
    if (!isOperandKnown(parsed.operands[i]))
      return "has the operand '" + parsed.operands[i].text +
             "', which the simulated device does not know";
    if (inst.ops[i].kind == Operand::Kind::Constant)
      inst.ops[i].value = constantBits(
          parsed.operands[i],
          entry->types[std::min<size_t>(i + skipped, entry->types.size() - 1)]);
  }
  readModifiers(parsed, inst);
  if (entry->returns)
    inst.returns = true;
  else if (inst.kind == Class::Lds)
    inst.returns = false;
  if (parsed.suffix == "_sdwa")
    readSdwa(parsed, inst);
  // Comparisons that write VCC or EXEC are printed without a suffix.
  if (parsed.suffix == "_dpp" || parsed.suffix == "_e64_dpp" ||
      parsed.suffix == "_dpp8" || parsed.modifier("row_mask") ||
      parsed.modifier("dpp8")) {
    std::string problem = readDpp(parsed, inst);
    if (!problem.empty())
      return problem;
  }
  if (name.find("_lds") != std::string::npos && inst.kind == Class::Global)
    inst.toLds = true;
  if (startsWith(name, "s_buffer_load"))
    inst.isBuffered = true;
  if (const std::string *message = parsed.modifier("sendmsg");
      startsWith(name, "s_sendmsg") &&
      (!message || *message != (name == "s_sendmsg" ? "MSG_DEALLOC_VGPRS"
                                                    : "MSG_RTN_GET_REALTIME")))
    return "has a message that is not simulated";
  if (startsWith(name, "s_wait"))
    readWaits(parsed, inst);
  if (name.find("reg_") != std::string::npos && startsWith(name, "s_"))
    readHardwareRegister(parsed, inst);
  if ((startsWith(name, "s_cbranch") || name == "s_branch" ||
       name == "s_call_b64") &&
      inst.numOps)
    inst.target =
        uint32_t(int64_t(offset) + size +
                 4 * int64_t(int16_t(inst.ops[inst.numOps - 1].value)));
  if (!parsed.second.empty()) {
    inst.second = std::make_unique<Inst>();
    std::string problem =
        makeInst(parsed.second, isa, offset, size, *inst.second);
    if (!problem.empty())
      return problem;
    inst.half = inst.run;
    inst.run = runDual;
  }
  return "";
}
