//===- MatrixRows.cpp - The matrix instructions of warps ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Warp-level matrix instructions": mma.sync, and "Asynchronous
// warpgroup-level matrix instructions": wgmma.mma_async.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace kiln;

namespace {
struct Row {
  unsigned since, until; ///< compute capabilities, both included
  unsigned m, n, k;
  llvm::StringRef name;  ///< of the types of factors
  llvm::StringRef types; ///< of both factors
  llvm::StringRef acc;
};
} // namespace

constexpr unsigned kLast = 999;

/// Of each type the deepest first. Factors of 8-bit integers are signed or
/// unsigned and those of 8-bit floats e4m3 or e5m2, each factor by itself.
static const Row kRows[] = {
    {80, kLast, 16, 8, 16, "f16", "f16", "f32"},
    {75, kLast, 16, 8, 8, "f16", "f16", "f32"},
    {80, kLast, 16, 8, 16, "f16", "f16", "f16"},
    {75, kLast, 16, 8, 8, "f16", "f16", "f16"},
    {80, kLast, 16, 8, 16, "bf16", "bf16", "f32"},
    {80, kLast, 16, 8, 8, "bf16", "bf16", "f32"},
    {80, kLast, 16, 8, 8, "tf32", "tf32", "f32"},
    {80, kLast, 16, 8, 4, "tf32", "tf32", "f32"},
    {90, kLast, 16, 8, 16, "f64", "f64", "f64"},
    {90, kLast, 16, 8, 8, "f64", "f64", "f64"},
    {90, kLast, 16, 8, 4, "f64", "f64", "f64"},
    {80, kLast, 8, 8, 4, "f64", "f64", "f64"},
    {80, kLast, 16, 8, 32, "i8", "i8", "i32"},
    {80, kLast, 16, 8, 16, "i8", "i8", "i32"},
    {75, 79, 8, 8, 16, "i8", "i8", "i32"},
    {89, kLast, 16, 8, 32, "f8", "f8E4M3FN, f8E5M2", "f32"},
};

namespace {
/// Bases as text: pairs that begin with a number each, doubled `count` times.
class Bases {
public:
  Bases &along(unsigned dim, unsigned first, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      if (!text.empty())
        text += ", ";
      unsigned n = first << i;
      text += llvm::formatv("[{0}, {1}]", dim == 0 ? n : 0, dim == 1 ? n : 0);
    }
    return *this;
  }
  std::string text;
};

std::string layoutText(const Bases &registers, const Bases &lanes) {
  return llvm::formatv("#simt.layout<rank = 2, register = [{0}], lane = "
                       "[{1}], warp = []>",
                       registers.text, lanes.text);
}

unsigned bitsOf(llvm::StringRef name) {
  return name == "f64"                  ? 64
         : name == "tf32"               ? 32
         : name == "i8" || name == "f8" ? 8
                                        : 16;
}

/// Of a factor: a lane has a word of 32 bits (or one element of 64) along the
/// summed dimension, four lanes follow each other along it, and eight along
/// the other one; then come the second half of the rows, and what else there
/// is of the sum.
std::string factorLayout(const Row &row, bool isLhs) {
  unsigned k = isLhs ? 1 : 0, other = 1 - k;
  unsigned word = std::max(1u, 32 / bitsOf(row.name));
  Bases registers, lanes;
  registers.along(k, 1, llvm::Log2_32(word));
  if (isLhs && row.m == 16)
    registers.along(other, 8, 1);
  registers.along(k, 4 * word, llvm::Log2_32(row.k / (4 * word)));
  lanes.along(k, word, 2).along(other, 1, 3);
  return layoutText(registers, lanes);
}

std::string accLayout(const Row &row) {
  Bases registers, lanes;
  registers.along(1, 1, 1);
  if (row.m == 16)
    registers.along(0, 8, 1);
  lanes.along(1, 2, 2).along(0, 1, 3);
  return layoutText(registers, lanes);
}
} // namespace

/// Of four warps, the first ones: what else takes these types comes behind.
/// They are of one compute capability alone.
static std::string warpgroupRows() {
  std::pair<unsigned, llvm::StringRef> kinds[] = {
      {16, "f16"}, {16, "bf16"}, {8, "tf32"}};
  std::string text;
  for (auto [depth, type] : kinds)
    text += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "wgmma.m64k{1}.f32.{2}", unit = "tensor", m = <64>, n = <8 to 256 by 8>, k = <{1}>,
      lhs = <types = [{2}], home = "shared">, rhs = <types = [{2}], home = "shared">,
      acc = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [[0, 1], [8, 0]],
        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>>)",
        text.empty() ? "" : ",", depth, type);
  return text;
}

std::string nvidia::matrixRows(unsigned compute, bool hasOwn) {
  std::string text;
  if (compute == 90 && hasOwn)
    text = warpgroupRows();
  for (const Row &row : kRows) {
    if (compute < row.since || compute > row.until)
      continue;
    text += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "mma.m{1}n{2}k{3}.{4}.{5}", unit = "tensor", m = <{1}>, n = <{2}>, k = <{3}>,
      lhs = <types = [{6}], home = "registers", layout = {7}>,
      rhs = <types = [{6}], home = "registers", layout = {8}>,
      acc = <types = [{4}], home = "registers", layout = {9}>>)",
        text.empty() ? "" : ",", row.m, row.n, row.k, row.acc, row.name,
        row.types, factorLayout(row, true), factorLayout(row, false),
        accLayout(row));
  }
  return text;
}
