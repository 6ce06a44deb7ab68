//===- MatrixRows.cpp - What the matrix instructions of x86 compute -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixInstructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kiln;
using llvm::StringRef;

namespace {
struct Row {
  StringRef name;
  StringRef features; ///< of which one, or all joined by '&', are needed
  StringRef lhs, rhs, acc;
  int64_t accBits, k;
  int64_t temporaries;
  bool flushes;
};

/// Instructions on vector registers. Intel 64 and IA-32 Architectures Software
/// Developer's Manual, volume 2; VDPBF16PS and TDPBF16PS take subnormal numbers
/// for zero and give zero for subnormal sums, whatever MXCSR says.
const Row kVectorRows[] = {
    {"fma.f32", "fma", "f32", "f32", "f32", 32, 1, 0, false},
    {"fma.f64", "fma", "f64", "f64", "f64", 64, 1, 0, false},
    {"vdpbf16ps", "avx512bf16", "bf16", "bf16", "f32", 32, 2, 0, true},
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
} // namespace

cpu_target::MatrixRows
cpu_target::matrixRows(int64_t bits, llvm::function_ref<bool(StringRef)> has) {
  MatrixRows result;
  auto hasAny = [&](StringRef features) {
    llvm::SmallVector<StringRef> names;
    features.split(names, '|');
    return llvm::any_of(names, has);
  };
  auto add = [&](const Row &row, StringRef unit, int64_t m, int64_t n,
                 int64_t k, StringRef home, int64_t lhsGroup) {
    result.rows += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "{1}", unit = "{2}", m = <{3}>, n = <{4}>, k = <{5}>,
      lhs = <types = [{6}], home = "{7}", layout = #kiln.interleave<{8}>>,
      rhs = <types = [{9}], home = "{10}", layout = #kiln.interleave<{11}>>,
      acc = <types = [{12}], home = "{10}">{13}{14}>)",
        result.rows.empty() ? "" : ",", row.name, unit, m, n, k, row.lhs,
        m == 1 ? "l1" : home, lhsGroup, row.rhs, home, row.k, row.acc,
        row.temporaries
            ? (llvm::Twine(", temporaries = ") + llvm::Twine(row.temporaries))
                  .str()
            : std::string(),
        row.flushes ? ", flushes_subnormals = true" : "");
  };
  if (has("amx-tile")) {
    result.memories = R"(
    #kiln.memory<name = "tiles", scope = thread, kind = register, size = 8192>,)";
    result.units = R"(,
    #kiln.unit<name = "tiles", kind = matrix, registers = 8, rate = 512,
      types = [bf16, i8], homes = ["tiles", "l1"]>)";
    for (const Row &row : kTileRows)
      if (hasAny(row.features))
        add(row, "tiles", 16, 16, 16 * row.k, "tiles", 16 * row.k);
  }
  for (const Row &row : kVectorRows) {
    if (bits < 256 || !hasAny(row.features))
      continue;
    // Of wide registers only those that have the instruction.
    if (bits == 512 && row.features.contains("avx512vnni") &&
        !has("avx512vnni"))
      continue;
    add(row, "simd", 1, bits / row.accBits, row.k, "vectors", row.k);
  }
  return result;
}
