//===- LowerOutput.h - Output, ends of threads, text of PTX -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWEROUTPUT_H
#define KILN_TARGETS_NVIDIA_LOWEROUTPUT_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::nvidia {

/// Put operations of llvm in front of one of simt and let them have its uses;
/// whoever calls them erases it. They report what they cannot do.
mlir::LogicalResult lowerOutput(simt::OutputOp op, mlir::OpBuilder &b);
mlir::LogicalResult lowerStop(simt::StopOp op, mlir::OpBuilder &b);
mlir::LogicalResult lowerInlineAsm(simt::InlineAsmOp op, mlir::OpBuilder &b);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWEROUTPUT_H
