//===- Chips.cpp - AMD's GPUs as descriptions -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of registers, LDS and waves are those of LLVM's "User Guide for AMDGPU
// Backend" and of the instruction set manuals ("AMD Instinct MI200", "MI300"
// and "CDNA4", "RDNA3" and "RDNA4"). Compute units, caches, clocks and
// bandwidths are those that AMD publishes for one board, which `board` names.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

static const Chip kChips[] = {
    {"gfx942", "MI300X", Family::CDNA3, 64, 9402, 304, 64, 32, 512, 4096, 5300,
     2100, 1024},
    {"gfx90a", "MI210", Family::CDNA2, 64, 9010, 104, 64, 32, 512, 8192, 1638,
     1700, 512},
    {"gfx950", "MI355X", Family::CDNA4, 64, 9500, 256, 160, 32, 512, 4096, 8000,
     2400, 2048},
    {"gfx1100", "RX 7900 XTX", Family::RDNA3, 32, 11000, 96, 64, 32, 256, 6144,
     960, 2500, 256},
    {"gfx1151", "Radeon 8060S", Family::RDNA3, 32, 11501, 40, 64, 32, 256, 2048,
     256, 2900, 256},
    {"gfx1200", "RX 9060 XT", Family::RDNA4, 32, 12000, 32, 64, 32, 256, 4096,
     320, 3130, 512},
    {"gfx1201", "RX 9070 XT", Family::RDNA4, 32, 12001, 64, 64, 32, 256, 8192,
     640, 2970, 512},
};

const Chip *amd::findChip(StringRef name) {
  if (name.empty())
    return kChips;
  const Chip *found = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(kChips) ? nullptr : found;
}

const Chip *amd::chipOf(ModuleOp module) {
  target::TargetAttr description = target::getDescription(module);
  const Chip *chip = description ? findChip(description.getCpu()) : nullptr;
  if (!chip)
    module.emitError("expected a module with the description of an AMD chip "
                     "(kiln.target)");
  return chip;
}

std::vector<target::ChipInfo> amd::listedChips() {
  std::vector<target::ChipInfo> list;
  for (const Chip &chip : kChips)
    list.push_back(
        {chip.name.str(),
         llvm::formatv("waves of {0} lanes, {1}, such as {2}", chip.lanes,
                       chip.isCdna() ? "MFMA" : "WMMA", chip.board)
             .str()});
  return list;
}

/// The lanes that LDS serves together: of accesses of 16 bytes as many as all
/// banks have words for, which are not neighbours.
static StringRef lanePhases(const Chip &chip) {
  return chip.family == Family::CDNA4
             ? "#kiln.lane_phase<bytes = 16, lane_bits = [0, 1, 3, 4]>"
             : "#kiln.lane_phase<bytes = 16, lane_bits = [0, 1, 4]>";
}

/// In tenths of the time of a vector instruction. LDS serves all SIMDs of a
/// compute unit, and a wave's access to all its banks takes as long as such an
/// instruction where each of them has one; exchanges through its crossbar are
/// accesses of as many words. Exchanges in rows of 16 are one or two
/// instructions, on CDNA4 others are three.
static StringRef costs(const Chip &chip) {
  switch (chip.family) {
  case Family::CDNA2:
  case Family::CDNA3:
    return "<shuffle = 40, indexed = 50, select = 10, pack = 10, wavefront = "
           "10, barrier = 200, warp_barrier = 40, exchanges = ["
           "#kiln.exchange_cost<lane_bits = [0, 1], cost = 10>, "
           "#kiln.exchange_cost<lane_bits = [0, 1, 2, 3], cost = 20>, "
           "#kiln.exchange_cost<lane_bits = [0, 1, 2, 3, 4], cost = 30>]>";
  case Family::CDNA4:
    return "<shuffle = 60, indexed = 50, select = 10, pack = 10, wavefront = "
           "10, barrier = 200, warp_barrier = 40, exchanges = ["
           "#kiln.exchange_cost<lane_bits = [0, 1], cost = 10>, "
           "#kiln.exchange_cost<lane_bits = [0, 1, 2, 3], cost = 20>, "
           "#kiln.exchange_cost<lane_bits = [4], cost = 30>, "
           "#kiln.exchange_cost<lane_bits = [5], cost = 30>]>";
  case Family::RDNA3:
  case Family::RDNA4:
    return "<shuffle = 20, indexed = 40, select = 10, pack = 10, wavefront = "
           "10, barrier = 200, warp_barrier = 40, exchanges = ["
           "#kiln.exchange_cost<lane_bits = [0, 1, 2, 3], cost = 10>, "
           "#kiln.exchange_cost<lane_bits = [0, 1, 2, 3, 4], cost = 20>]>";
  }
  llvm_unreachable("unknown family");
}

/// What copies of operands cost (docs/tiling.md). Those of few rows were
/// measured on another vendor's chip, in its cycles.
static constexpr char kOperandCopies[] =
    "{threads = 32, "
    "few = {whole = 48, together = 46, memory = 19, line = 512, loss = 0.25}}";

/// What matmuls cost beside copies. These were measured on another vendor's
/// chip, too.
static constexpr char kMatmulCosts[] =
    "{fragments = 0.5, memory = 0.85, threads = 0.3, widened_rows = 5, "
    "widened_share = 1.2, stored = {share = 0.9, warps = 8, operations = 2, "
    "alike = 2, seen = 0.4}, one_step = {store = 64, memory = 16, begin = 800, "
    "launch = 1500, alone = 2, overlap = 3}, steps = {launch = 2000, ends = "
    "2500, way = 1000, read = 128, barrier = 60, part = 35, next = 30, begin = "
    "250, seen = 0.06, few = 120, first = 200, chain = 100, hidden = 8}}";

target::TargetAttr amd::describeChip(MLIRContext *context, StringRef name,
                                     bool copies) {
  const Chip *chip = findChip(name);
  if (!chip) {
    std::string names;
    for (const Chip &known : kChips)
      names += (names.empty() ? "" : ", ") + known.name.str();
    emitError(UnknownLoc::get(context)) << "target 'amd' has no chip '" << name
                                        << "', expected one of: " << names;
    return {};
  }
  // SIMDs of a compute unit: four of 16 lanes, or two of 32.
  int64_t simds = chip->isCdna() ? 4 : 2;
  constexpr int64_t kSimdLanes = 64, kThreads = 1024;
  int64_t copyBytes = copies ? chip->copyBytes() : 0;
  std::string scaled = scaledRowNames(*chip);
  std::string text = llvm::formatv(
      R"(#kiln.target<name = "amd", chip = "{0}", family = "gpu",
  triple = "amdgcn-amd-amdhsa", cpu = "{0}",
  topology = <cores = {1}, threads = {2}, frequency = {3}, lanes = {17}, threads_per_block = {20}>,
  memories = [
    #kiln.memory<name = "registers", scope = thread, kind = register, size = {4}, align = 4>,
    #kiln.memory<name = "register_file", scope = core, kind = register, size = {5}, align = 4>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = {6}, align = 16, line = 128, banks = {7}, bank_bytes = 4, lane_phases = [{21}]>,
    #kiln.memory<name = "l2", scope = device, kind = cached, size = {8}, align = 64, line = 128>,
    #kiln.memory<name = "global", scope = device, kind = cached, align = 16, line = 128, bandwidth = {9}, bounded = true, barriers_order = false>],
  units = [
    #kiln.unit<name = "simd", kind = vector, bits = {10}, registers = {11}, count = {12}, rate = {13},
      types = [f32, i32, i1, i8, i16, i64, f16, bf16], homes = ["registers"]>,
    #kiln.unit<name = "doubles", kind = vector, bits = {14}, registers = {11}, rate = {13},
      types = [f64], homes = ["registers"]>,
    #kiln.unit<name = "matrix", kind = matrix, count = {12}, rate = {15}, homes = ["registers"]>{25}],
  matrix_instructions = [{16}],
  tile_moves = [{23}],
  tiles = <elementwise_rows = 2, elementwise_cols = 1024, reduction_elements = 8192, reduction_rows = 1, contraction = [
    #kiln.contraction_tile<type = f64, m = 64, n = 64, k = 16>,
    #kiln.contraction_tile<type = bf16, m = 128, n = 64, k = 32>,
    #kiln.contraction_tile<type = f16, m = 128, n = 64, k = 32>,
    #kiln.contraction_tile<type = i8, m = 128, n = 64, k = 64>,
    #kiln.contraction_tile<m = 64, n = 64, k = 32>]>,
  costs = {22},
  extra = {{warps_per_core = {18}, instances_per_core = {18},
    registers_per_core = {19}, shared_per_core = {6}, assembly = "amdgcn", few_warps, few_bytes, fenced_updates{30}, thread_elements = 512 : i64, most_extent = 2147483647, operand_copies = {28}, matmul_costs = {29}{24}{26}{27}}>)",
      chip->name, chip->cores, chip->waves * chip->lanes,
      chip->megahertz * 1000000, chip->registers * 4,
      chip->isCdna() ? 524288 : 393216, chip->ldsKiB << 10,
      chip->family == Family::CDNA4 ? 64 : 32, chip->l2KiB << 10,
      chip->gigabytes * 1000000000, chip->lanes * 32, chip->registers, simds,
      kSimdLanes / simds * (chip->isCdna() ? 1 : 2), chip->lanes * 64,
      chip->tensors / simds, matrixRows(*chip), chip->lanes, chip->waves,
      chip->isCdna() ? 131072 : 98304, kThreads, lanePhases(*chip),
      costs(*chip), tileMoves(*chip),
      chip->float8Types().empty()
          ? ""
          : llvm::formatv(", converted = [{0}]", chip->float8Types()).str(),
      copyBytes ? ", #kiln.unit<name = \"copy\", kind = dma, homes = "
                  "[\"global\", \"shared\"]>"
                : "",
      copyBytes ? llvm::formatv(", row_copies = {0} : i64", copyBytes).str()
                : "",
      scaled.empty() ? "" : ", scaled = {" + scaled + "}", kOperandCopies,
      kMatmulCosts,
      // On gfx90a a wave of 64 queries takes more registers than two leave.
      chip->isCdna() && chip->family != Family::CDNA2 ? ", tall_attention"
                                                      : "");
  return target::parseDescription(text, context, "description of amd");
}
