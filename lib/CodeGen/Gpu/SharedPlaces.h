//===- SharedPlaces.h - Accesses to a block's memory -------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SHAREDPLACES_H
#define KILN_LIB_GPU_SHAREDPLACES_H

#include "mlir/IR/Operation.h"

namespace kiln::simt {

/// Whether a value points into the memory that a block shares.
bool isShared(mlir::Value pointer);

/// The address in shared memory that an operation reaches, if it
/// reaches any; of a product the first one.
mlir::Value sharedPlace(mlir::Operation *op);

/// Whether each thread does an operation; null: all of them.
mlir::Value maskOf(mlir::Operation *op);

/// The bytes that a load or a store of a type reaches.
int64_t bytesOf(mlir::Type type);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SHAREDPLACES_H
