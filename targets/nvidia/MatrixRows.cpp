//===- MatrixRows.cpp - The matrix instructions of warps ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Warp-level matrix instructions": mma.sync.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llvm/Support/FormatVariadic.h"

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

std::string nvidia::matrixRows(unsigned compute) {
  std::string text;
  for (const Row &row : kRows) {
    if (compute < row.since || compute > row.until)
      continue;
    // Here belong the layouts of the fragments that a warp holds.
    text += llvm::formatv(
        R"({0}
    #kiln.matrix_instruction<name = "mma.m{1}n{2}k{3}.{4}.{5}", unit = "tensor", m = <{1}>, n = <{2}>, k = <{3}>,
      lhs = <types = [{6}], home = "registers">, rhs = <types = [{6}], home = "registers">,
      acc = <types = [{4}], home = "registers">>)",
        text.empty() ? "" : ",", row.m, row.n, row.k, row.acc, row.name,
        row.types);
  }
  return text;
}
