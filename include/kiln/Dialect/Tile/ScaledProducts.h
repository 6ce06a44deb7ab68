//===- ScaledProducts.h - Instructions that take scales ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_SCALEDPRODUCTS_H
#define KILN_DIALECT_TILE_SCALEDPRODUCTS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::tile {

/// The entry of a description's `extra` that names its matrix instructions with
/// scales, each with the number of elements along the depth that have one.
inline constexpr llvm::StringLiteral kScaledEntry = "scaled";

/// Returns the elements along the depth that share a scale of a matrix
/// instruction; 0 if it takes no scales.
int64_t scaledBlockOf(target::MatrixInstructionAttr row,
                      target::TargetAttr description);

class DotScaledOp;

/// Returns a product as one that states the formats of its operands; null if it
/// does not.
DotScaledOp findFormats(MatrixProductOpInterface op);

/// Returns whether a product states the formats of its operands.
bool hasFormats(MatrixProductOpInterface op);

/// Returns the elements along the depth of a product that share a byte in an
/// operand (0: lhs, 1: rhs).
int64_t packedOf(MatrixProductOpInterface op, int operand);

/// Returns the number of elements that a product sums.
int64_t depthOf(MatrixProductOpInterface op);

/// Returns whether a matrix instruction takes the operands and the scales of a
/// product as they are: their formats, elements packed along the depth, scales
/// that are powers of two for its blocks, and sizes that are powers of two.
bool takesScales(target::MatrixInstructionAttr row, MatrixProductOpInterface op,
                 target::TargetAttr description);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_SCALEDPRODUCTS_H
