//===- LaunchWords.h - Numbers that a launch computes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LAUNCHWORDS_H
#define KILN_TARGETS_NVIDIA_LAUNCHWORDS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <optional>
#include <string>

namespace kiln::nvidia {

/// The text of an expression over a launch (kiln/Runtime/Expression.h) that is
/// what a scalar of a kernel's function is, as a signed number; nothing where a
/// launch does not know it.
std::optional<std::string> launchWord(mlir::Value scalar,
                                      mlir::LLVM::LLVMFuncOp function);

/// The number of the kernel's parameter that a parameter of its function is the
/// address or the value of.
std::optional<int64_t> parameterOf(mlir::BlockArgument argument,
                                   mlir::LLVM::LLVMFuncOp function);

/// Whether a parameter of a kernel is a pointer, not a view.
bool isPointer(int64_t parameter, mlir::LLVM::LLVMFuncOp function);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LAUNCHWORDS_H
