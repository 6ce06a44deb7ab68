//===- BufferInterfaces.h - Operations that give buffers --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_PROGRAM_BUFFERINTERFACES_H
#define KILN_DIALECT_PROGRAM_BUFFERINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Dialect/Program/BufferInterfaces.h.inc"

namespace kiln::program {

/// Returns the buffer that the result of an operation is a view of; null if it
/// is none.
inline mlir::Value getViewedBuffer(mlir::Operation *op) {
  auto buffer = llvm::dyn_cast_if_present<BufferOpInterface>(op);
  return buffer ? buffer.getViewedBuffer() : mlir::Value();
}

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_BUFFERINTERFACES_H
