// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ONNX files. Private to conversions.
#ifndef KILN_CONVERSIONS_ONNXFILE_IMPORT_H
#define KILN_CONVERSIONS_ONNXFILE_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace kiln::onnx_file {

/// Makes a function of `torch.operator` of the graph of a model, as
/// torch-mlir's importer does; operators of other domains than ONNX's own keep
/// the name of their domain. Local functions are expanded where they are
/// called. Null after an error at the node, or at the byte of the file.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::MemoryBufferRef file,
                                              mlir::MLIRContext *context);

} // namespace kiln::onnx_file

#endif // KILN_CONVERSIONS_ONNXFILE_IMPORT_H
