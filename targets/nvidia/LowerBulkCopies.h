//===- LowerBulkCopies.h - cp.async.bulk.tensor and mbarrier ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWERBULKCOPIES_H
#define KILN_TARGETS_NVIDIA_LOWERBULKCOPIES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace kiln::nvidia {

/// Copies of a copy unit, and the barriers of their slots, as PTX.
class BulkCopies {
public:
  /// Whether an operation is one of them.
  static bool isOne(mlir::Operation *op);
  /// Puts PTX in place of an operation, which stays.
  mlir::LogicalResult lower(mlir::Operation *op, mlir::OpBuilder &b);
  /// Notes the recipes of tensor maps (device/TensorMap.h) on functions whose
  /// copies were lowered.
  void finish(mlir::OpBuilder &b);

private:
  /// A copy by one block, or by `blocks` of a cluster for each other.
  template <typename CopyOp>
  mlir::LogicalResult copy(CopyOp op, mlir::OpBuilder &b, int64_t blocks);
  /// The parameter that holds a tensor map, made where there is none yet.
  mlir::Value tensorMap(mlir::LLVM::LLVMFuncOp function, mlir::OpBuilder &b,
                        mlir::Attribute recipe);

  /// By function: recipes, in the order of the parameters.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Attribute>> maps;
};

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWERBULKCOPIES_H
