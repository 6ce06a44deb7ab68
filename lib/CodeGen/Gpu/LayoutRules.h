//===- LayoutRules.h - Rules of the family's operations ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_LAYOUTRULES_H
#define KILN_LIB_GPU_LAYOUTRULES_H

#include "kiln/Gpu/LayoutRule.h"

namespace kiln::simt {

/// The rule of an operation: by its interface, else by what it does.
LayoutRule layoutRuleOf(mlir::Operation *op, const LayoutQuery &query);

/// The dimension of its tiles that an operation reduces; -1: it reduces none.
int reducedAxis(mlir::Operation *op);

/// The dimension of its tiles along which an operation has every prefix; -1:
/// there is none.
int scannedAxis(mlir::Operation *op);

/// Whether a tile is only taken apart along its last dimension, of a power of
/// two of elements, all of it.
bool isSplitWhole(mlir::Value tile);

/// Gives tiles of a range one layout.
void assignAll(mlir::ValueRange values, LayoutAttr layout,
               llvm::MutableArrayRef<LayoutAttr> into);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LAYOUTRULES_H
