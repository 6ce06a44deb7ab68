//===- ScaledProductChoice.h - Layouts of products with scales --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SCALEDPRODUCTCHOICE_H
#define KILN_LIB_GPU_SCALEDPRODUCTCHOICE_H

#include "ProductChoice.h"

namespace kiln::simt {

/// The part that a lane has of the scales of one operand of an instruction (0:
/// lhs, 1: rhs), as a layout of that operand with one element for each block:
/// the lanes that divide the depth have a block each.
LayoutAttr scaleAtomOf(target::MatrixInstructionAttr row, int operand);
/// The layout of an operand of an instruction whose elements `packed` share a
/// byte along the depth, as a layout of bytes.
LayoutAttr packedAtomOf(target::MatrixInstructionAttr row, int operand,
                        int64_t packed);

/// The layouts of a product with scales that a row of the description computes.
/// Those of the scales of its rhs are n x blocks.
ProductChoice chooseScaledProduct(MatrixProductOpInterface op,
                                  target::MatrixInstructionAttr row,
                                  target::TargetAttr description,
                                  int64_t warps);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SCALEDPRODUCTCHOICE_H
