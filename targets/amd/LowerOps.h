//===- LowerOps.h - Lowerings of single simt operations ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_LOWEROPS_H
#define KILN_TARGETS_AMD_LOWEROPS_H

#include "Chips.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::amd {

// Each puts operations before `op` and replaces its results; the caller erases
// `op`. Those that can fail report why.

/// MFMA or WMMA by the name of the operation's row.
mlir::LogicalResult lowerMma(simt::MmaOp op, const Chip &chip,
                             mlir::OpBuilder &b);
/// Takes space of the module's output variable.
void lowerOutput(simt::OutputOp op, mlir::OpBuilder &b);
/// Ends the wave.
void lowerStop(simt::StopOp op, mlir::OpBuilder &b);
/// A transposing read of LDS by the name of its row.
mlir::LogicalResult lowerLoadMatrix(simt::LoadMatrixOp op, mlir::OpBuilder &b);
mlir::LogicalResult lowerInlineAsm(simt::InlineAsmOp op, mlir::OpBuilder &b);

/// A call of LLVM's intrinsic `llvm.amdgcn.NAME`, or of `llvm.NAME` where the
/// name says so.
mlir::Value callIntrinsic(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Type type, llvm::StringRef name,
                          mlir::ValueRange operands);

/// The value of the lane whose number differs by the bits of `mask`, of a type
/// of 32 bits, by the cheapest instruction of the chip: DPP (VALU), permlane,
/// ds_swizzle, else ds_bpermute. All lanes of the wave must be active.
mlir::Value exchangeByMask(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value word, unsigned mask, const Chip &chip);
/// Where lanes reduce with those of another row, by operations whose operands
/// may be exchanged, gfx950 gives both lanes the values of both: none chooses.
void shareReducedRows(mlir::ModuleOp module, const Chip &chip);
/// The value of the lane `index` (i32), 32 bits, by ds_bpermute.
mlir::Value readLane(mlir::OpBuilder &b, mlir::Location loc, mlir::Value word,
                     mlir::Value index);
/// The number of the lane in its wave (i32).
mlir::Value laneId(mlir::OpBuilder &b, mlir::Location loc, const Chip &chip);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_LOWEROPS_H
