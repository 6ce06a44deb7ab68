//===- Chips.cpp - NVIDIA's GPUs as descriptions --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes per compute capability are those of the CUDA C++ Programming Guide
// ("Compute Capabilities"), rates those of its table of arithmetic
// instructions; processors, caches and bandwidths are those of one board, which
// `board` names. Matrix rates are multiply-adds of f16 with sums in f32 that
// boards reach at their best, with whatever instruction.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;

namespace {
struct Chip {
  StringRef name, board;
  unsigned compute; ///< 90 for 9.0
  unsigned ptx;     ///< the oldest version that knows it
  int64_t cores;
  int64_t sharedKiB, coreSharedKiB; ///< an instance's, a core's
  int64_t warps, instances;         ///< of a core
  int64_t l2MiB, gigabytes;         ///< second: of device memory, per second
  int64_t megahertz;
  int64_t singles, doubles, tensors; ///< multiply-adds of a core per cycle
};
} // namespace

constexpr int64_t kLanes = 32, kParts = 4, kThreads = 1024, kCluster = 8;

static const Chip kChips[] = {
    {"sm_90a", "H100 and H200", 90, 80, 132, 227, 228, 64, 32, 60, 4800, 1980,
     128, 64, 2048},
    {"sm_90", "H100", 90, 78, 132, 227, 228, 64, 32, 50, 3350, 1980, 128, 64,
     2048},
    {"sm_75", "T4", 75, 63, 40, 64, 64, 32, 16, 4, 320, 1590, 64, 2, 512},
    {"sm_80", "A100", 80, 70, 108, 163, 164, 64, 32, 40, 2039, 1410, 64, 32,
     1024},
    {"sm_86", "A10", 86, 71, 72, 99, 100, 48, 16, 6, 600, 1695, 128, 2, 512},
    {"sm_89", "L40S", 89, 78, 142, 99, 100, 48, 24, 96, 864, 2520, 128, 2, 512},
    {"sm_100", "B200", 100, 86, 148, 227, 228, 64, 32, 126, 8000, 1965, 128, 64,
     4096},
    {"sm_100a", "B200", 100, 86, 148, 227, 228, 64, 32, 126, 8000, 1965, 128,
     64, 4096},
    {"sm_103a", "B300", 103, 88, 148, 227, 228, 64, 32, 126, 8000, 1965, 128, 2,
     4096},
    {"sm_120", "RTX PRO 6000", 120, 87, 188, 99, 100, 48, 24, 128, 1792, 2600,
     128, 2, 512},
    {"sm_120a", "RTX PRO 6000", 120, 87, 188, 99, 100, 48, 24, 128, 1792, 2600,
     128, 2, 512},
};

static const Chip *findChip(StringRef name) {
  const Chip *found = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(kChips) ? nullptr : found;
}

std::vector<target::ChipInfo> nvidia::listedChips() {
  std::vector<target::ChipInfo> list;
  for (const Chip &chip : kChips)
    list.push_back(
        {chip.name.str(),
         llvm::formatv("compute capability {0}.{1}{2}, such as {3}",
                       chip.compute / 10, chip.compute % 10,
                       chip.name.ends_with("a") ? ", with its own instructions"
                                                : "",
                       chip.board)
             .str()});
  return list;
}

unsigned nvidia::oldestPtx(StringRef chip) {
  const Chip *known = findChip(chip);
  return known ? known->ptx : 0;
}

/// What moves data beside the threads.
static std::string copyUnits(unsigned compute) {
  std::string text;
  if (compute >= 80)
    text += R"(,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>)";
  if (compute >= 90)
    text += R"(,
    #kiln.unit<name = "tensor_copy", kind = dma, homes = ["global", "shared"]>)";
  return text;
}

/// What copies of operands cost (docs/tiling.md), fitted to 500 measured
/// choices of blocks for 110 problems on an H200. Of the choices that were
/// measured for a problem, the one with the least estimate takes 2.5% longer
/// than the fastest one in the mean. 25088 rows by 256 x 512 took 29 us with
/// rows of 32 bytes, 18 with rows of 128. For `lines` and `within`, bf16, with
/// copies of both operands, of the lhs, of the rhs, and of none: 4104 cubed
/// (NT) takes 239, 272, 270 and 311 us; 8200 x 1032 x 4104 (TT) 138, 154, 111
/// and 148; 16168 x 568 x 1176 (TT) 58, 67, 39 and 53.
static constexpr char kOperandCopies[] =
    "{threads = 32, step = 48, whole = 66, together = 50, memory = 14, "
    "line = 128, loss = 0.75, rows = 36, ends = 0.5, rest = 0.4, "
    "lines = 41.3, within = 0.8, few = {whole = 48, together = 46, memory = "
    "19, "
    "line = 512, loss = 0.25}}";

/// What matmuls cost beside copies (docs/tiling.md), in cycles of an H200.
/// `one_step` was fitted to 18 matmuls of 1568 to 401408 rows by 16 to 2048
/// columns, with up to 22 choices of blocks each: the blocks that the model
/// chooses take 3% longer than the best ones in the geometric mean, and up to
/// 30%. `steps.begin`: 512 rows by 4096 x 14336 in blocks of 128x128x128, which
/// leave three slots, took 1.3 times as long as in those of 128x128x64, which
/// leave four. `steps.seen`: 256 rows by 4096 x 4096 took 17.6 us in blocks of
/// 128 rows and 64 columns, 15.8 us in those of 64 rows and 128 columns.
static constexpr char kMatmulCosts[] =
    "{fragments = 0.5, memory = 0.85, threads = 0.3, widened_rows = 5, "
    "widened_share = 1.2, stored = {share = 0.9, warps = 8, operations = 2, "
    "access = 128, alike = 2, seen = 0.4}, one_step = {store = 64, memory = "
    "16, begin = 800, launch = 1500, alone = 2, overlap = 3}, steps = {launch "
    "= 2000, ends = 2500, way = 1000, read = 128, barrier = 60, part = 35, "
    "next = 30, begin = 250, seen = 0.06, few = 120, first = 200, chain = 100, "
    "hidden = 8}}";

target::TargetAttr nvidia::describeChip(MLIRContext *context, StringRef name,
                                        bool partClusters) {
  const Chip *chip = name.empty() ? kChips : findChip(name);
  if (!chip) {
    std::string names;
    for (const Chip &known : kChips)
      names += (names.empty() ? "" : ", ") + known.name.str();
    emitError(UnknownLoc::get(context))
        << "target 'nvidia' has no chip '" << name
        << "', expected one of: " << names;
    return {};
  }
  bool isWide = chip->sharedKiB >= 227;
  bool isLarge = chip->compute == 80 || isWide;
  bool hasClusters = chip->compute >= 90;
  // Their products go on while the next step is copied: four short steps fit.
  bool hasWarpgroups = chip->compute == 90 && chip->name.ends_with("a");
  // Tiles of 16-bit floats are as wide as the registers of eight warps hold, or
  // as four warps keep busy. Two steps of them fit into the memory of a core.
  std::string text = llvm::formatv(
      R"(#kiln.target<name = "nvidia", chip = "{0}", family = "gpu",
  triple = "nvptx64-nvidia-cuda", cpu = "{0}", features = "+ptx88",
  topology = <cores = {1}, threads = {2}, frequency = {3}, lanes = {15}, threads_per_block = {22}>,
  memories = [
    #kiln.memory<name = "registers", scope = thread, kind = register, size = 1020, align = 4>,
    #kiln.memory<name = "register_file", scope = core, kind = register, size = 262144, align = 4>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = {4}, align = 16, line = 128, banks = 32, bank_bytes = 4>,
    #kiln.memory<name = "l2", scope = device, kind = cached, size = {5}, align = 32, line = 128>,
    #kiln.memory<name = "global", scope = device, kind = cached, align = 16, line = 128, bandwidth = {6}>],
  units = [
    #kiln.unit<name = "simd", kind = vector, bits = 1024, registers = 255, count = {7}, rate = {8},
      types = [f32, i32, i1, i8, i16, i64, f16, bf16], homes = ["registers"]>,
    #kiln.unit<name = "doubles", kind = vector, bits = 2048, registers = 127, rate = {9},
      types = [f64], homes = ["registers"]>,
    #kiln.unit<name = "functions", kind = vector, bits = 1024, count = {7}, rate = 4,
      types = [f32], homes = ["registers"]>,
    #kiln.unit<name = "tensor", kind = matrix, count = {7}, rate = {10}, homes = ["registers", "shared"]>{11}],
  matrix_instructions = [{12}],
  tiles = <elementwise_rows = 2, elementwise_cols = 1024, reduction_elements = 8192, reduction_rows = 1, contraction = [
    #kiln.contraction_tile<type = f64, m = 64, n = 64, k = 16>,
    #kiln.contraction_tile<type = bf16, m = 128, n = {13}, k = {14}>,
    #kiln.contraction_tile<type = f16, m = 128, n = {13}, k = {14}>,
    #kiln.contraction_tile<type = i8, m = 128, n = {13}, k = {24}>,
    #kiln.contraction_tile<type = f8E4M3FN, m = 128, n = {13}, k = {24}>,
    #kiln.contraction_tile<type = f8E5M2, m = 128, n = {13}, k = {24}>,
    #kiln.contraction_tile<m = 64, n = 64, k = 32>]>,
  tile_moves = [{23}],
  costs = <shuffle = 20, select = 5, pack = 5, wavefront = 10, barrier = 200, warp_barrier = 100>,
  extra = {{compute = {16}, warps_per_core = {17}, instances_per_core = {18},
    registers_per_core = 65536, shared_per_core = {19}, shared_reserved = {20}, cluster = {21},
    converted = [f8E4M3FN, f8E5M2], assembly = "ptx", operand_copies = {28}, matmul_costs = {29}{25}{26}{27}},
  deviations = ["conform ^tile/tile\\.store(_scatter)?/f32/combine-add/hurt$: atom.add.f32 and red.add.f32 flush subnormal numbers in global memory, says the PTX ISA",
    "conform sometimes ^tile/tile\\.(atomic_rmw/f32/fadd|store(_scatter)?/f32/combine-add/finite): atom.add.f32 and red.add.f32 flush subnormal numbers in global memory, says the PTX ISA"]>)",
      chip->name, chip->cores, chip->warps * kLanes, chip->megahertz * 1000000,
      chip->sharedKiB << 10, chip->l2MiB << 20, chip->gigabytes * 1000000000,
      kParts, chip->singles / kParts, chip->doubles, chip->tensors / kParts,
      copyUnits(chip->compute),
      nvidia::matrixRows(chip->compute, chip->name.ends_with("a"),
                         chip->tensors / kParts),
      isWide    ? 256
      : isLarge ? 128
                : 64,
      isWide    ? (hasWarpgroups ? 64 : 128)
      : isLarge ? 64
                : 32,
      kLanes, chip->compute, chip->warps, chip->instances,
      chip->coreSharedKiB << 10, chip->compute >= 80 ? 1024 : 0,
      hasClusters ? kCluster : 1, kThreads, nvidia::tileMoves(chip->compute),
      isWide ? 128 : 64,
      chip->compute >= 90
          ? ", split_barriers, added_bytes = 16 : i64, bulk_copies = {rank = "
            "5, extent = 256, align = 16, row = 128, chunk = 16}"
          : "",
      hasWarpgroups
          ? ", producer = {warps = 4, registers = 24, granule = 8, most = "
            "240}, pair_lines = 13000, pair_products = 2500"
          : "",
      partClusters && hasClusters
          ? (", part_cluster = " + Twine(kCluster)).str()
          : "",
      kOperandCopies, kMatmulCosts);
  return target::parseDescription(text, context, "description of nvidia");
}
