//===- MatrixRows.cpp - What the matrix instructions compute ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace kiln;
using namespace kiln::cpu_target;
using llvm::StringRef;

namespace {
struct Row {
  StringRef name;
  StringRef features; ///< of which one, or all joined by '&', are needed
  StringRef lhs, rhs, acc;
  int64_t accBits, k;
  int64_t temporaries;
  bool flushes;
  int64_t down = 1; ///< rows, and columns, of a square of sums
};

/// Instructions on vector registers. Intel 64 and IA-32 Architectures Software
/// Developer's Manual, volume 2; VDPBF16PS and TDPBF16PS take subnormal numbers
/// for zero and give zero for subnormal sums, whatever MXCSR says.
const Row kX86Rows[] = {
    {"fma.f32", "fma", "f32", "f32", "f32", 32, 1, 0, false},
    {"fma.f64", "fma", "f64", "f64", "f64", 64, 1, 0, false},
    {"vdpbf16ps", "avx512bf16", "bf16", "bf16", "f32", 32, 2, 0, true},
    // Both factors signed, or neither: no factor needs an offset.
    {"vpdpbssd", "avxvnniint8|avx10.2", "si8", "si8", "i32", 32, 4, 0, false},
    {"vpdpbuud", "avxvnniint8|avx10.2", "ui8", "ui8", "i32", 32, 4, 0, false},
    {"vpdpbusd", "avx512vnni|avxvnni", "ui8", "si8", "i32", 32, 4, 0, false},
    // The same with its factors exchanged.
    {"vpdpbusd.swapped", "avx512vnni|avxvnni", "si8", "ui8", "i32", 32, 4, 0,
     false},
    {"vpdpwssd", "avx512vnni|avxvnni", "si16", "si16", "i32", 32, 2, 0, false},
    // The product is added by a second instruction.
    {"vpmaddwd", "avx2", "si16", "si16", "i32", 32, 2, 1, false},
    // Sums of two products saturate at 16 bits, which those of one factor of 7
    // bits do not reach; vpmaddwd adds two of them, and a third instruction
    // the result.
    {"vpmaddubsw", "avx2", "ui8", "si7", "i32", 32, 4, 2, false},
    {"vpmaddubsw.lhs7", "avx2", "ui7", "si8", "i32", 32, 4, 2, false},
    {"vpmaddubsw.swapped", "avx2", "si7", "ui8", "i32", 32, 4, 2, false},
    {"vpmaddubsw.swapped.rhs7", "avx2", "si8", "ui7", "i32", 32, 4, 2, false},
};

/// Instructions on tiles of 16 rows of 64 bytes.
const Row kTileRows[] = {
    {"tdpbf16ps", "amx-bf16", "bf16", "bf16", "f32", 32, 2, 0, true},
    {"tdpbssd", "amx-int8", "si8", "si8", "i32", 32, 4, 0, false},
    {"tdpbsud", "amx-int8", "si8", "ui8", "i32", 32, 4, 0, false},
    {"tdpbusd", "amx-int8", "ui8", "si8", "i32", 32, 4, 0, false},
    {"tdpbuud", "amx-int8", "ui8", "ui8", "i32", 32, 4, 0, false},
};

/// On vector registers of AArch64. Arm Architecture Reference Manual, C7.2 and
/// C8.2; without FEAT_EBF16, BFDOT and BFMMLA take subnormal numbers for zero.
const Row kArmRows[] = {
    {"fma.f32", "neon", "f32", "f32", "f32", 32, 1, 0, false},
    {"fma.f64", "neon", "f64", "f64", "f64", 64, 1, 0, false},
    {"sdot", "dotprod|sve", "si8", "si8", "i32", 32, 4, 0, false},
    {"udot", "dotprod|sve", "ui8", "ui8", "i32", 32, 4, 0, false},
    {"usdot", "i8mm", "ui8", "si8", "i32", 32, 4, 0, false},
    // The same with its factors exchanged.
    {"usdot.swapped", "i8mm", "si8", "ui8", "i32", 32, 4, 0, false},
    {"bfdot", "bf16", "bf16", "bf16", "f32", 32, 2, 0, true},
    // Squares of 2 x 2 sums.
    {"smmla", "i8mm", "si8", "si8", "i32", 32, 8, 0, false, 2},
    {"ummla", "i8mm", "ui8", "ui8", "i32", 32, 8, 0, false, 2},
    {"usmmla", "i8mm", "ui8", "si8", "i32", 32, 8, 0, false, 2},
    {"bfmmla", "bf16", "bf16", "bf16", "f32", 32, 4, 0, true, 2},
};

/// On squares of sums, in AArch64's streaming mode. Arm Architecture Reference
/// Manual, C9.2; without FEAT_EBF16, BFMOPA takes subnormal numbers for zero.
const Row kOuterRows[] = {
    {"fmopa.f32", "sme", "f32", "f32", "f32", 32, 1, 0, false},
    {"fmopa.f64", "sme-f64f64", "f64", "f64", "f64", 64, 1, 0, false},
    {"fmopa.f16", "sme", "f16", "f16", "f32", 32, 2, 0, false},
    {"bfmopa", "sme", "bf16", "bf16", "f32", 32, 2, 0, true},
    {"smopa", "sme", "si8", "si8", "i32", 32, 4, 0, false},
    {"umopa", "sme", "ui8", "ui8", "i32", 32, 4, 0, false},
    {"usmopa", "sme", "ui8", "si8", "i32", 32, 4, 0, false},
    {"sumopa", "sme", "si8", "ui8", "i32", 32, 4, 0, false},
};

/// On groups of vector registers of RISC-V, with a scalar register as the left
/// factor. RISC-V Unprivileged ISA, "V", "Zvfh" and "Zvfbfwma".
const Row kRiscvRows[] = {
    {"fma.f32", "zve64d", "f32", "f32", "f32", 32, 1, 0, false},
    {"fma.f64", "zve64d", "f64", "f64", "f64", 64, 1, 0, false},
    {"vfwmacc", "zvfh", "f16", "f16", "f32", 32, 1, 0, false},
    {"vfwmaccbf16", "zvfbfwma", "bf16", "bf16", "f32", 32, 1, 0, false},
};

/// Writes the rows of a processor.
class RowWriter {
public:
  explicit RowWriter(const Processor &processor) : processor(processor) {}

  /// Whether the processor has one of the features that stand between bars.
  bool hasAny(StringRef features) const {
    llvm::SmallVector<StringRef> names;
    features.split(names, '|');
    return llvm::any_of(names,
                        [&](StringRef name) { return processor.has(name); });
  }

  void add(const Row &row, StringRef unit, std::array<int64_t, 3> sizes,
           StringRef lhsHome, StringRef rhsHome, StringRef home,
           int64_t lhsGroup) {
    result.rows += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "{1}", unit = "{2}", m = <{3}>, n = <{4}>, k = <{5}>,
      lhs = <types = [{6}], home = "{7}", layout = #kiln.interleave<{8}>>,
      rhs = <types = [{9}], home = "{10}", layout = #kiln.interleave<{11}>>,
      acc = <types = [{12}], home = "{15}">{13}{14}>)",
        result.rows.empty() ? "" : ",", row.name, unit, sizes[0], sizes[1],
        sizes[2], row.lhs, lhsHome, lhsGroup, row.rhs, rhsHome, row.k, row.acc,
        row.temporaries
            ? (llvm::Twine(", temporaries = ") + llvm::Twine(row.temporaries))
                  .str()
            : std::string(),
        row.flushes ? ", flushes_subnormals = true" : "", home);
  }

  /// A row on registers of `bits` bits.
  void addVector(const Row &row, StringRef unit, int64_t bits,
                 StringRef lhsHome) {
    add(row, unit, {row.down, bits / row.accBits / row.down, row.k}, lhsHome,
        "vectors", "vectors", row.k);
  }

  void writeX86(int64_t bits) {
    if (processor.has("amx-tile"))
      writeTiles();
    for (const Row &row : kX86Rows) {
      if (bits < 256 || !hasAny(row.features))
        continue;
      // Of wide registers only those that have the instruction.
      if (bits == 512 && row.features.contains("avx512vnni") &&
          !processor.has("avx512vnni"))
        continue;
      if (bits == 512 && row.features.contains("avxvnniint8") &&
          !processor.has("avx10.2"))
        continue;
      addVector(row, "simd", bits, "l1");
    }
  }

  void writeArm(int64_t bits) {
    for (const Row &row : kArmRows) {
      // Short registers are those of NEON, which has fewer instructions.
      bool isShort = bits == 128 && row.features.starts_with("dotprod");
      if (isShort ? processor.has("dotprod") : hasAny(row.features))
        addVector(row, "simd", bits, "l1");
    }
    if (processor.streamingBits)
      writeOuter();
  }

  void writeRiscv(int64_t bits) {
    int64_t group = processor.group;
    if (processor.has("zve64d"))
      result.memories = R"(
    #kiln.memory<name = "scalars", scope = thread, kind = register, size = 256>,)";
    if (group > 1)
      result.units = llvm::formatv(R"(,
    #kiln.unit<name = "groups", kind = vector, bits = {0}, registers = {1}, count = {2},
      types = [f32, f64, f16, bf16], homes = ["vectors", "scalars"]>)",
                                   bits * group, 32 / group, processor.pipes)
                         .str();
    for (Row row : kRiscvRows) {
      // LLVM copies a group where all of them are taken.
      if (group > 1)
        row.temporaries = 1;
      if (hasAny(row.features))
        addVector(row, group > 1 ? "groups" : "simd", bits * group, "scalars");
    }
  }

  MatrixRows result;

private:
  /// The array of sums is as many bytes wide and high as a register; a tile of
  /// it has a square of sums, and there are as many as a sum has bytes.
  void writeOuter() {
    int64_t bytes = processor.streamingBits / 8;
    result.memories = llvm::formatv(R"(
    #kiln.memory<name = "za", scope = thread, kind = register, size = {0}>,)",
                                    bytes * bytes)
                          .str();
    std::string before;
    for (const Row &row : kOuterRows) {
      if (!hasAny(row.features))
        continue;
      int64_t lanes = processor.streamingBits / row.accBits;
      int64_t bits = row.accBits / row.k;
      std::string unit = "za." + std::to_string(bits);
      if (unit != before)
        result.units +=
            llvm::formatv(R"(,
    #kiln.unit<name = "{0}", kind = matrix, registers = {1}, rate = {2},
      types = [{3}], homes = ["za", "vectors"]>)",
                          unit, row.accBits / 8, lanes * lanes * row.k,
                          bits == 16  ? "f16, bf16"
                          : bits == 8 ? "i8"
                                      : row.lhs)
                .str();
      before = unit;
      add(row, unit, {lanes, lanes, row.k}, "vectors", "vectors", "za", row.k);
    }
  }

  void writeTiles() {
    result.memories = R"(
    #kiln.memory<name = "tiles", scope = thread, kind = register, size = 8192>,)";
    result.units = R"(,
    #kiln.unit<name = "tiles", kind = matrix, registers = 8, rate = 512,
      types = [bf16, i8], homes = ["tiles", "l1"]>)";
    for (const Row &row : kTileRows)
      if (hasAny(row.features))
        add(row, "tiles", {16, 16, 16 * row.k}, "tiles", "tiles", "tiles",
            16 * row.k);
  }

  const Processor &processor;
};
} // namespace

MatrixRows cpu_target::matrixRows(const Processor &processor, int64_t bits) {
  RowWriter writer(processor);
  if (processor.triple.isX86())
    writer.writeX86(bits);
  else if (processor.triple.isAArch64())
    writer.writeArm(bits);
  else
    writer.writeRiscv(bits);
  return std::move(writer.result);
}
