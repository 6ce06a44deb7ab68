//===- RowUse.h - How a matrix instruction computes a product ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_CPU_ROWUSE_H
#define KILN_DIALECT_CPU_ROWUSE_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include <optional>
#include <string>
#include <utility>

namespace kiln::cpu {

/// Attribute of a micro-kernel whose left operand keeps rows that lie in
/// several levels: pairs of a number of steps and their distance in elements,
/// outermost first. The last distance is 1, and all steps together are `depth`.
inline constexpr llvm::StringLiteral kRuns = "cpu.runs";

/// How a row computes a product.
struct RowUse {
  int64_t m, n, k; ///< sizes of one instruction
  /// What panels hold. Integers have signs.
  mlir::Type lhs, rhs;
  int64_t lhsGroup = 1, rhsGroup = 1;
  int64_t lhsOffset = 0; ///< added to signed operands packed unsigned
  /// Bits that the operands' values must fit in, where that is less than their
  /// types have; else 0.
  int64_t lhsBits = 0, rhsBits = 0;
};

/// The types of a product's operands, with the signs of integers.
std::pair<mlir::Type, mlir::Type> factorTypes(MatrixProductOpInterface product);

/// How `row` computes `product`; nothing where it cannot, and then `reason` is
/// why, if it is given. With `isBounded` its operands may have fewer bits than
/// those of the product.
std::optional<RowUse> useOfRow(target::MatrixInstructionAttr row,
                               MatrixProductOpInterface product,
                               bool isBounded = false,
                               std::string *reason = nullptr);

} // namespace kiln::cpu

#endif // KILN_DIALECT_CPU_ROWUSE_H
