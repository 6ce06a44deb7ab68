//===- ProductChoice.h - Matrix instructions of products --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_PRODUCTCHOICE_H
#define KILN_LIB_GPU_PRODUCTCHOICE_H

#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Stage/ProductOps.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::simt {

/// Whether matrix instructions may sum a product, whose factors are floats of 8
/// bits, with fewer bits than f32 has.
bool sumsWithFewerBits(MatrixProductOpInterface op);
bool sumsWithFewerBits(stage::ProductOp op);
/// Whether that holds for some terms at a time: their sums are added in f32.
bool sumsInParts(MatrixProductOpInterface op);
bool sumsInParts(stage::ProductOp op);
/// Why such sums of one instruction are more than the product allows; empty
/// where they are not.
std::string whyImprecise(MatrixProductOpInterface op,
                         target::MatrixInstructionAttr row);

/// Returns why a row of the description does not compute a product of `warps`
/// warps; empty where it does.
std::string whyRefused(MatrixProductOpInterface op,
                       target::MatrixInstructionAttr row,
                       target::TargetAttr description, int64_t warps);

/// The row of the description that takes a product's types and sizes in the
/// least time, the first one where rows do not say their cycles; null if none
/// does. Instructions for floats of 8 bits may sum with fewer bits than f32
/// has, so they need a product that allows as many imprecise terms. Those that
/// read operands from workgroup memory are found for `warps` alone.
target::MatrixInstructionAttr findInstruction(MatrixProductOpInterface op,
                                              target::TargetAttr description,
                                              int64_t warps = 0);

/// Returns why a product cannot be computed by the instruction that a schedule
/// script asks for; empty where it can.
std::string whyNotAsked(MatrixProductOpInterface op, const target::Asked &asked,
                        target::TargetAttr description, int64_t warps);

/// Why there is no such row.
std::string whyNoInstruction(MatrixProductOpInterface op,
                             target::TargetAttr description);

/// How a product is computed by a matrix instruction of warps.
struct ProductChoice {
  target::MatrixInstructionAttr row;
  LayoutAttr lhs, rhs, acc;      ///< of a factor null: it is read from memory
  LayoutAttr lhsScale, rhsScale; ///< of the operands that have scales
  bool isExchanged = false;      ///< `RowFit`
};
/// The best row of the description that takes the product, if there is one;
/// `warps` share out its rows and columns. With `inRegisters` only rows are
/// looked at whose operands are in registers.
std::optional<ProductChoice> chooseProduct(MatrixProductOpInterface op,
                                           target::TargetAttr description,
                                           int64_t warps,
                                           bool inRegisters = false);

/// Whether one product's result goes into the left factor of another one, as
/// scores do into what weighs rows.
bool isChained(MatrixProductOpInterface op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_PRODUCTCHOICE_H
