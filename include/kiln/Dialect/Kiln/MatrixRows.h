//===- MatrixRows.h - Products and rows of a description --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all code generators ask of a matrix instruction of a description before
// they compute a product by it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_KILN_MATRIXROWS_H
#define KILN_DIALECT_KILN_MATRIXROWS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include <string>

namespace kiln::target {

/// Returns whether a row takes the elements of a product as they are: both
/// operands with their signs, where the row lists signed or unsigned integers,
/// and sums, which wrap, of any sign.
bool takesTypes(MatrixInstructionAttr row, MatrixProductOpInterface product);

/// The same for its sums alone.
bool takesSums(MatrixInstructionAttr row, MatrixProductOpInterface product);

/// "it takes si8 * si8 + i32, found ui8 * si8 + i32", for a report.
std::string whyTypesDiffer(MatrixInstructionAttr row,
                           MatrixProductOpInterface product);

/// Returns why a code generator that adds to sums, and keeps no operand in the
/// unit, cannot use a row; empty where it can.
std::string whyFormDiffers(MatrixInstructionAttr row);

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_MATRIXROWS_H
