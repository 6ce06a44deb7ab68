//===- Work.h - What the operations of prim count ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_PRIM_WORK_H
#define KILN_DIALECTS_PRIM_WORK_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace kiln::prim {

/// Gives the operations of prim that count otherwise than elementwise ones
/// their models of WorkOpInterface.
void attachWorkModels(mlir::MLIRContext *context);

} // namespace kiln::prim

#endif // KILN_DIALECTS_PRIM_WORK_H
