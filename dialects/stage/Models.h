//===- Models.h - Interfaces of the operations of stage ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_STAGE_MODELS_H
#define KILN_DIALECTS_STAGE_MODELS_H

#include "mlir/IR/MLIRContext.h"

namespace kiln::stage {

/// Attaches the interfaces of StorageInterfaces.td to the operations of the
/// dialect, which are registered.
void attachStorageModels(mlir::MLIRContext *context);

} // namespace kiln::stage

#endif // KILN_DIALECTS_STAGE_MODELS_H
