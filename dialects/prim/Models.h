//===- Models.h - Interfaces of the operations of prim ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_PRIM_MODELS_H
#define KILN_DIALECTS_PRIM_MODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace kiln::prim {

/// Attaches the interfaces of kiln/Interfaces/Movement.td and
/// TensorInterfaces.td to the operations of the dialect, which are registered.
void attachTensorModels(mlir::MLIRContext *context);

} // namespace kiln::prim

#endif // KILN_DIALECTS_PRIM_MODELS_H
