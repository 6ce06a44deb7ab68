//===- LibraryCalls.h - Functions of AMD's device library -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_LIBRARYCALLS_H
#define KILN_TARGETS_AMD_LIBRARYCALLS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::amd {

/// Calls the library's function `name` of f32 or f64, and repairs results that
/// differ from C's function of that name. Declares the function in `module`.
mlir::Value callLibrary(mlir::ModuleOp module, llvm::StringRef name,
                        mlir::ValueRange x, mlir::Type type, mlir::Location loc,
                        mlir::OpBuilder &b);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_LIBRARYCALLS_H
