//===- MatrixRows.cpp - The matrix instructions of warps ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Warp-level matrix instructions": mma.sync, and "Asynchronous
// warpgroup-level matrix instructions": wgmma.mma_async; ldmatrix, stmatrix.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

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

/// Of each type the deepest first, which of equal times is taken. Factors of
/// 8-bit integers are signed or unsigned and those of 8-bit floats e4m3 or
/// e5m2, each factor by itself.
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

/// Cycles of a unit that starts `rate` multiply-adds of f16 per cycle, for so
/// many of elements of so many bits. Units start twice as many of half the
/// bits, and of f64 a sixteenth.
static int64_t cyclesOf(int64_t products, unsigned bits, int64_t rate) {
  int64_t sixteenths = bits == 64 ? 1 : 16 * 16 / bits;
  return std::max<int64_t>(1,
                           llvm::divideCeil(16 * products, rate * sixteenths));
}

/// Of four warps: each computes a quarter of the products. They are of one
/// compute capability alone.
static std::string warpgroupRows(int64_t rate) {
  struct Kind {
    unsigned depth;
    llvm::StringRef name, types, acc;
  };
  // Some versions of ptxas give a left factor that a loop holds and another one
  // the same registers, which loses_held_lhs says.
  // Of the columns that integers have, those above 32 are multiples of 16; each
  // power of two is one.
  static const Kind kinds[] = {
      {16, "f16", "f16", "f32"},  {16, "bf16", "bf16", "f32"},
      {8, "tf32", "tf32", "f32"}, {32, "f8", "f8E4M3FN, f8E5M2", "f32"},
      {32, "i8", "i8", "i32"},    {16, "f16", "f16", "f16"}};
  std::string text;
  for (const Kind &kind : kinds)
    text += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "wgmma.m64k{1}.{2}.{3}", unit = "tensor", m = <64>, n = <8 to 256 by 8>, k = <{1}>,
      lhs = <types = [{4}], home = "shared", layout = {5}>, rhs = <types = [{4}], home = "shared", layout = {5}>,
      acc = <types = [{2}], home = "registers", layout = #simt.layout<rank = 2, register = [[0, 1], [8, 0]],
        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>, cycles = {6},
      loses_held_lhs = true>)",
        text.empty() ? "" : ",", kind.depth, kind.acc, kind.name, kind.types,
        // Only numbers of 16 bits are read across rows.
        kind.depth == 16 ? "#simt.swizzle<row = 128, chunk = 16, align = 1024, "
                           "across = true>"
                         : "#simt.swizzle<row = 128, chunk = 16, align = 1024>",
        cyclesOf(64 * 8 * kind.depth / 4, 256 / kind.depth, rate));
  // Of the left factor a lane has two words of a row, and of that eight rows
  // later.
  for (auto [type, acc] : {std::pair("f16", "f32"), std::pair("bf16", "f32"),
                           std::pair("f16", "f16")})
    text += llvm::formatv(
        R"(,
    #kiln.matrix_instruction<name = "wgmma.m64k16.{2}.{0}.registers", unit = "tensor", m = <64>, n = <8 to 256 by 8>, k = <16>,
      lhs = <types = [{0}], home = "registers", layout = #simt.layout<rank = 2, register = [[0, 1], [8, 0], [0, 8]],
        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>,
      rhs = <types = [{0}], home = "shared", layout = #simt.swizzle<row = 128, chunk = 16, align = 1024, across = true>>,
      acc = <types = [{2}], home = "registers", layout = #simt.layout<rank = 2, register = [[0, 1], [8, 0]],
        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>, cycles = {1},
      loses_held_lhs = true>)",
        type, cyclesOf(64 * 8 * 16 / 4, 16, rate), acc);
  return text;
}

std::string nvidia::matrixRows(unsigned compute, bool hasOwn, int64_t rate) {
  std::string text;
  bool hasWarpgroups = compute == 90 && hasOwn;
  if (hasWarpgroups)
    text = warpgroupRows(rate);
  // Where there are instructions of four warps, those of one reach about five
  // eighths of the rate.
  if (hasWarpgroups)
    rate = rate * 5 / 8;
  for (const Row &row : kRows) {
    if (compute < row.since || compute > row.until)
      continue;
    text += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "mma.m{1}n{2}k{3}.{4}.{5}", unit = "tensor", m = <{1}>, n = <{2}>, k = <{3}>,
      lhs = <types = [{6}], home = "registers", layout = {7}>,
      rhs = <types = [{6}], home = "registers", layout = {8}>,
      acc = <types = [{4}], home = "registers", layout = {9}>, cycles = {10}>)",
        text.empty() ? "" : ",", row.m, row.n, row.k, row.acc, row.name,
        row.types, factorLayout(row, true), factorLayout(row, false),
        accLayout(row),
        cyclesOf(int64_t(row.m) * row.n * row.k, bitsOf(row.name), rate));
  }
  return text;
}

/// Eight rows of 16 bytes for each matrix, at the addresses of eight lanes; a
/// lane holds one word of a row, or two rows of a column.
std::string nvidia::tileMoves(unsigned compute) {
  std::string text;
  auto add = [&](llvm::StringRef name, llvm::StringRef kind, unsigned bits,
                 bool isTransposed) {
    unsigned word = 32 / bits;
    Bases registers, lanes, addresses;
    unsigned along = isTransposed ? 0 : 1;
    registers.along(along, 1, llvm::Log2_32(word));
    lanes.along(along, word, 2).along(1 - along, 1, 3);
    addresses.along(0, 1, 3);
    text += llvm::formatv(
        R"({0}
    #kiln.tile_move<name = "{1}.b{2}{3}", kind = {4}, home = "shared", bits = {2}, matrices = 4,
      held = {5}, addressed = {6}>)",
        text.empty() ? "" : ",", name, bits,
        isTransposed ? llvm::StringRef(kTransposedMove) : "", kind,
        layoutText(registers, lanes), layoutText(Bases(), addresses));
  };
  for (auto [name, kind, since] : {std::tuple("ldmatrix", "load", 75u),
                                   std::tuple("stmatrix", "store", 90u)}) {
    if (compute < since)
      continue;
    for (unsigned bits : {8, 16, 32})
      add(name, kind, bits, false);
    add(name, kind, 16, true);
  }
  return text;
}
