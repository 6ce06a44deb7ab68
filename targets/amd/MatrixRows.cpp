//===- MatrixRows.cpp - MFMA and WMMA for descriptions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane holds which element is stated by the instruction set manuals:
// "AMD Instinct MI300" (CDNA3), chapter "Matrix Arithmetic Instructions", and
// "RDNA3" and "RDNA4", section "Wave Matrix Multiply Accumulate".
//
// Lanes of an operand run over its 16 or 32 rows (or columns) first. What is
// left of them divides the summed dimension into blocks, in each of which the
// elements of one lane are consecutive.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::amd;

namespace {
/// Families as a set.
enum : unsigned {
  kCdna2 = 1u << unsigned(Family::CDNA2),
  kCdna3 = 1u << unsigned(Family::CDNA3),
  kCdna4 = 1u << unsigned(Family::CDNA4),
  kRdna3 = 1u << unsigned(Family::RDNA3),
  kRdna4 = 1u << unsigned(Family::RDNA4),
};

/// A product of `size` x `size` elements.
struct Row {
  unsigned families;
  llvm::StringRef name; ///< of the intrinsic
  unsigned size, k;
  /// Of both operands; empty: each pair of `kScaled`.
  llvm::StringRef types;
  llvm::StringRef acc;
};

/// A format of the operands of instructions with scales.
struct ScaledFormat {
  llvm::StringRef name, type;
  unsigned bits;
};
constexpr ScaledFormat kScaled[] = {
    {"e4m3", "f8E4M3FN", 8}, {"e5m2", "f8E5M2", 8}, {"e2m1", "f4E2M1FN", 4}};

/// Bases as text: pairs.
class Bases {
public:
  Bases &along(unsigned dim, unsigned first, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      unsigned n = first << i;
      text += llvm::formatv("{0}[{1}, {2}]", text.empty() ? "" : ", ",
                            dim == 0 ? n : 0, dim == 1 ? n : 0);
    }
    return *this;
  }
  std::string text;
};
} // namespace

constexpr unsigned kMfma = kCdna2 | kCdna3 | kCdna4;

/// Elements of a lane that have one scale.
constexpr unsigned kScaledElements = 32;

/// Of each type the deepest first. Rows of 32 x 32 results read half as much of
/// their operands for a multiply-add, and take warps with as many results.
static const Row kRows[] = {
    {kCdna4, "mfma.f32.32x32x16.f16", 32, 16, "f16", "f32"},
    {kCdna4, "mfma.f32.16x16x32.f16", 16, 32, "f16", "f32"},
    {kMfma, "mfma.f32.32x32x8f16", 32, 8, "f16", "f32"},
    {kMfma, "mfma.f32.16x16x16f16", 16, 16, "f16", "f32"},
    {kCdna4, "mfma.f32.32x32x16.bf16", 32, 16, "bf16", "f32"},
    {kCdna4, "mfma.f32.16x16x32.bf16", 16, 32, "bf16", "f32"},
    {kMfma, "mfma.f32.32x32x8bf16.1k", 32, 8, "bf16", "f32"},
    {kMfma, "mfma.f32.16x16x16bf16.1k", 16, 16, "bf16", "f32"},
    {kCdna3, "mfma.f32.32x32x16.f8", 32, 16, "f8E4M3FNUZ, f8E5M2FNUZ", "f32"},
    {kCdna3, "mfma.f32.16x16x32.f8", 16, 32, "f8E4M3FNUZ, f8E5M2FNUZ", "f32"},
    {kCdna4, "mfma.f32.32x32x16.f8", 32, 16, "f8E4M3FN, f8E5M2", "f32"},
    {kCdna4, "mfma.f32.16x16x32.f8", 16, 32, "f8E4M3FN, f8E5M2", "f32"},
    {kCdna4, "mfma.scale.f32.32x32x64", 32, 64, "", "f32"},
    {kCdna4, "mfma.scale.f32.16x16x128", 16, 128, "", "f32"},
    {kCdna4, "mfma.i32.32x32x32.i8", 32, 32, "i8", "i32"},
    {kCdna4, "mfma.i32.16x16x64.i8", 16, 64, "i8", "i32"},
    {kCdna3 | kCdna4, "mfma.i32.32x32x16.i8", 32, 16, "i8", "i32"},
    {kCdna3 | kCdna4, "mfma.i32.16x16x32.i8", 16, 32, "i8", "i32"},
    {kCdna2, "mfma.i32.32x32x8i8", 32, 8, "i8", "i32"},
    {kCdna2, "mfma.i32.16x16x16i8", 16, 16, "i8", "i32"},
    {kCdna3, "mfma.f32.32x32x4.xf32", 32, 4, "tf32", "f32"},
    {kCdna3, "mfma.f32.16x16x8.xf32", 16, 8, "tf32", "f32"},
    {kMfma, "mfma.f32.32x32x2f32", 32, 2, "f32", "f32"},
    {kMfma, "mfma.f32.16x16x4f32", 16, 4, "f32", "f32"},
    {kMfma, "mfma.f64.16x16x4f64", 16, 4, "f64", "f64"},
    {kRdna3 | kRdna4, "wmma.f32.16x16x16.f16", 16, 16, "f16", "f32"},
    {kRdna3 | kRdna4, "wmma.f32.16x16x16.bf16", 16, 16, "bf16", "f32"},
    {kRdna4, "wmma.f32.16x16x16.f8", 16, 16, "f8E4M3FN, f8E5M2", "f32"},
    {kRdna3 | kRdna4, "wmma.i32.16x16x16.iu8", 16, 16, "i8", "i32"},
};

static std::string layoutText(const Bases &registers, const Bases &lanes) {
  return llvm::formatv("#simt.layout<rank = 2, register = [{0}], lane = "
                       "[{1}], warp = []>",
                       registers.text, lanes.text);
}

/// Consecutive rows of a result in a lane of CDNA.
constexpr unsigned kResultRows = 4;

/// Of an operand. On RDNA3 the second half of the lanes holds copies, so that a
/// lane has all of its row: four bases. Where elements are interleaved a lane
/// has four after each other, as it has of results, and skips those of the
/// other lanes. The sum is the same, as both operands have that order.
static std::string operandLayout(const Row &row, const Chip &chip, bool isLhs,
                                 bool isInterleaved) {
  unsigned depth = isLhs ? 1 : 0, other = 1 - depth;
  unsigned blocks =
      chip.family == Family::RDNA3 ? 1 : unsigned(chip.lanes) / row.size;
  unsigned each = row.k / blocks;
  unsigned together = isInterleaved ? kResultRows : each;
  Bases registers, lanes;
  registers.along(depth, 1, llvm::Log2_32(together))
      .along(depth, together * blocks, llvm::Log2_32(each / together));
  lanes.along(other, 1, llvm::Log2_32(row.size))
      .along(depth, together, llvm::Log2_32(blocks));
  return layoutText(registers, lanes);
}

/// Of the accumulator of the instruction: lanes run over the columns, blocks of
/// them over rows. A block has four consecutive rows, and of 32 every eighth
/// ones; for f64, and on RDNA3, rows of the blocks alternate.
static std::string accLayout(const Row &row, const Chip &chip) {
  unsigned blocks = unsigned(chip.lanes) / row.size;
  unsigned all = row.size / blocks;
  bool alternates = row.acc == "f64" || chip.family == Family::RDNA3;
  unsigned each = alternates || !chip.isCdna() ? all : kResultRows;
  unsigned down = chip.isTransposed() ? 1 : 0, across = 1 - down;
  Bases registers, lanes;
  registers.along(down, alternates ? blocks : 1, llvm::Log2_32(each))
      .along(down, each * blocks, llvm::Log2_32(all / each));
  lanes.along(across, 1, llvm::Log2_32(row.size))
      .along(down, alternates ? 1 : each, llvm::Log2_32(blocks));
  return layoutText(registers, lanes);
}

/// Of an operand of an instruction with scales ("CDNA4" manual, "Dense Matrix
/// Layout for F8F6F4"). A lane has 32 elements: bytes are two rows of 16, with
/// half of the depth between them.
static std::string scaledLayout(const Row &row, const Chip &chip, bool isLhs,
                                unsigned bits) {
  unsigned depth = isLhs ? 1 : 0, other = 1 - depth;
  unsigned blocks = unsigned(chip.lanes) / row.size;
  unsigned together = bits == 8 ? kScaledElements / 2 : kScaledElements;
  Bases registers, lanes;
  registers.along(depth, 1, llvm::Log2_32(together));
  if (together < kScaledElements)
    registers.along(depth, row.k / 2, 1);
  lanes.along(other, 1, llvm::Log2_32(row.size))
      .along(depth, together, llvm::Log2_32(blocks));
  return layoutText(registers, lanes);
}

/// Cycles of one instruction: its multiply-adds over those that the matrix core
/// of a SIMD starts in a cycle, by the manuals' numbers of passes (of four
/// cycles). CDNA4 doubles the rate of its deeper rows alone.
static unsigned cyclesOf(const Row &row, const Chip &chip) {
  if (!chip.isCdna())
    return 16;
  // Those of CDNA4 that read as many elements as two rows of CDNA3.
  bool isDeep = chip.family == Family::CDNA4 &&
                row.size * row.k >= (row.types == "i8" ? 1024 : 512);
  unsigned halves = chip.family == Family::CDNA2 ? 128 : 256, rate = halves;
  if (row.types == "f32" || row.types == "f64")
    rate = 32;
  else if (row.types == "tf32")
    rate = halves / 2;
  else if (row.types == "i8")
    rate = chip.family == Family::CDNA2 ? halves : isDeep ? 1024 : 512;
  else if (isDeep)
    rate = 512;
  return row.size * row.size * row.k / rate;
}

/// MFMA of MI200 reads and writes subnormal numbers as zero where the operands
/// have 16 bits (MIOpen's documentation, "MI200 MFMA behavior specifics").
static bool flushes(const Row &row, const Chip &chip) {
  return chip.family == Family::CDNA2 &&
         (row.types == "f16" || row.types == "bf16");
}

/// The rows of an instruction with scales, one for each pair of formats. It
/// multiplies 1024 elements in a cycle, and twice as many of 4 bits.
static std::string scaledRows(const Row &row, const Chip &chip) {
  std::string text;
  for (const ScaledFormat &lhs : kScaled)
    for (const ScaledFormat &rhs : kScaled) {
      unsigned rate = lhs.bits == 4 && rhs.bits == 4 ? 2048 : 1024;
      text += llvm::formatv(
          R"(,
    #kiln.matrix_instruction<name = "{0}.{1}.{2}", unit = "matrix", m = <{3}>, n = <{3}>, k = <{4}>,
      lhs = <types = [{5}], home = "registers", layout = {6}>,
      rhs = <types = [{7}], home = "registers", layout = {8}>,
      acc = <types = [{9}], home = "registers", layout = {10}>, cycles = {11}>)",
          row.name, lhs.name, rhs.name, row.size, row.k, lhs.type,
          scaledLayout(row, chip, true, lhs.bits), rhs.type,
          scaledLayout(row, chip, false, rhs.bits), row.acc,
          accLayout(row, chip), row.size * row.size * row.k / rate);
    }
  return text;
}

std::string amd::scaledRowNames(const Chip &chip) {
  std::string text;
  for (const Row &row : kRows) {
    if (!row.types.empty() || !(row.families & (1u << unsigned(chip.family))))
      continue;
    for (const ScaledFormat &lhs : kScaled)
      for (const ScaledFormat &rhs : kScaled)
        text += llvm::formatv("{0}\"{1}.{2}.{3}\" = {4} : i64",
                              text.empty() ? "" : ", ", row.name, lhs.name,
                              rhs.name, kScaledElements);
  }
  return text;
}

/// The deep instructions of CDNA4 take twice as many elements from a lane as it
/// has of a result side by side.
static bool canInterleave(const Row &row) {
  return (row.types == "f16" || row.types == "bf16") && row.families == kCdna4;
}

static std::string rowText(const Row &row, const Chip &chip,
                           bool isInterleaved) {
  return llvm::formatv(
      R"(
    #kiln.matrix_instruction<name = "{0}{1}", unit = "matrix", m = <{2}>, n = <{2}>, k = <{3}>,
      lhs = <types = [{4}], home = "registers", layout = {5}>,
      rhs = <types = [{4}], home = "registers", layout = {6}>,
      acc = <types = [{7}], home = "registers", layout = {8}>, cycles = {9}{10}{11}>)",
      row.name, isInterleaved ? ".interleaved" : "", row.size, row.k, row.types,
      operandLayout(row, chip, true, isInterleaved),
      operandLayout(row, chip, false, isInterleaved), row.acc,
      accLayout(row, chip), cyclesOf(row, chip),
      flushes(row, chip) ? ", flushes_subnormals = true" : "",
      isInterleaved ? (", instruction = \"" + row.name + "\"").str() : "");
}

std::string amd::matrixRows(const Chip &chip) {
  std::string text;
  for (const Row &row : kRows) {
    if (!(row.families & (1u << unsigned(chip.family))))
      continue;
    if (row.types.empty()) {
      text += scaledRows(row, chip);
      continue;
    }
    text += (text.empty() ? "" : ",") + rowText(row, chip, false);
    if (canInterleave(row))
      text += "," + rowText(row, chip, true);
  }
  return text;
}

/// Reads of LDS that transpose ("CDNA4" manual, "LDS Transpose Reads"): 16
/// lanes give addresses of 8 bytes each, the rows of a matrix of 16 columns one
/// after the other, and each lane gets a column. Each 16 lanes have a matrix of
/// their own.
std::string amd::tileMoves(const Chip &chip) {
  std::string text;
  if (chip.family != Family::CDNA4)
    return text;
  constexpr unsigned kColumns = 16, kBits = 64;
  for (unsigned bits : {8u, 16u}) {
    unsigned rows = kBits / bits;
    Bases registers, lanes, addresses;
    registers.along(0, 1, llvm::Log2_32(rows));
    lanes.along(1, 1, llvm::Log2_32(kColumns));
    addresses.along(1, rows, llvm::Log2_32(kColumns / rows))
        .along(0, 1, llvm::Log2_32(rows));
    text += llvm::formatv(
        R"({0}
    #kiln.tile_move<name = "ds.read.tr{1}.b64", kind = load, home = "shared", bits = {1}, matrices = 1,
      held = {2}, addressed = {3}>)",
        text.empty() ? "" : ",", bits, layoutText(registers, lanes),
        layoutText(Bases(), addresses));
  }
  return text;
}
