// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of SystolicOps.td, and what the files of the compiler share.
#ifndef SYSTOLIC_DIALECT_H
#define SYSTOLIC_DIALECT_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

#include "SystolicOpsDialect.h.inc"
#define GET_OP_CLASSES
#include "SystolicOps.h.inc"

namespace systolic {

/// convert-stage-to-systolic
std::unique_ptr<mlir::Pass> createConvertStageToSystolic();
/// Appends a kernel to a module of the machine, see device/Isa.h; prints it.
mlir::LogicalResult writeKernel(kiln::tile::KernelOp kernel,
                                std::vector<uint64_t> &words,
                                llvm::raw_ostream &text = llvm::nulls());

} // namespace systolic

#endif
