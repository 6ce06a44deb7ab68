//===- KernelEmitter.h - Kernels of the stage level as functions -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the body of a kernel in program order: storage becomes an address, a
// region one nest over vector registers, a product a micro-kernel.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_KERNELEMITTER_H
#define KILN_LIB_CPU_KERNELEMITTER_H

#include "NestBuilder.h"
#include "ViewRows.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::cpu {

/// Sums that micro-kernels store to a view where all of it is inside.
struct DirectSum {
  Value inside;       ///< whether all of it is in bounds
  Value base, stride; ///< of the view's memory, in elements
};

/// Rows of an lhs that micro-kernels read from a view where all of a tile is
/// inside, from step `step` of the tile on.
struct DirectRows {
  Value inside; ///< whether it is; null: always
  Value base;   ///< of the tile in the view's memory
  Value step;
  SmallVector<Level> rows, steps; ///< where rows and steps lie
};

/// The walk, and what the lowerings of operations (OwnLowerings.h) share.
class KernelEmitter : public NestBuilder {
public:
  KernelEmitter(tile::KernelOp kernel, mlir::RewriterBase &rewriter,
                const CpuConfig &config, const target::TargetOptions &options,
                target::TargetAttr description);

  /// Emits the function of the kernel before it, and the constant that says how
  /// much scratch memory it needs (scratchSymbol).
  mlir::LogicalResult run();

  /// Emits the operations of a block in order.
  mlir::LogicalResult emitBlock(mlir::Block *block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  /// Emits an operation by the first registered lowering that takes it.
  mlir::LogicalResult emitRoot(mlir::Operation *root);
  /// Whether a plug-in, or the family, has a lowering for an operation that
  /// this code generator would compute inline.
  bool isCustom(mlir::Operation *op);
  /// The generated type of a scalar of the kernel.
  Type scalarType(Type type);
  /// Leaves the current operation to other lowerings, and says why.
  mlir::LogicalResult decline(const llvm::Twine &reason) {
    declined = reason.str();
    return mlir::failure();
  }

  // --- What kernels tell the host (Output.cpp) -----------------------------
  /// Address of a constant in the module.
  Value constantText(llvm::StringRef text);
  Value constantWords(ArrayRef<int64_t> words);
  /// Calls the entry of KilnKernelRuntime at byte `field`, where the runtime
  /// has it, and emits `use` of what it returns.
  void callRuntime(size_t field, Type result, ValueRange args,
                   llvm::function_ref<void(Value)> use = nullptr);
  /// The kernel returns from here.
  void leave();

  const target::TargetOptions &options;
  target::TargetAttr description;
  llvm::DenseMap<Value, DirectSum> directSums;  ///< of storage
  llvm::DenseMap<Value, DirectRows> directRows; ///< of storage in panels
  /// Regions that store such sums, or pack such rows, where the condition
  /// (null: true) does not hold.
  llvm::DenseMap<mlir::Operation *, Value> skipped;
  bool streams = false;  ///< some store may be non-temporal
  bool acquired = false; ///< the unit of the products is prepared
  SmallVector<Value, 3> programIds, programCounts;
  std::string declined;

private:
  mlir::LogicalResult checkOps();
  /// Finds out how much scratch memory storage takes.
  mlir::LogicalResult measureStorage();
  mlir::LogicalResult emitFunction(llvm::StringRef name);
  void bindParameters(mlir::Value words);
  mlir::LogicalResult offerLowering(mlir::Operation *op);
  /// Whether the lowering that took an operation did its work.
  mlir::LogicalResult checkTaken(mlir::Operation *op);

  /// Which lowering took something last, and how many operations it made.
  struct {
    std::string owner;
    unsigned inserted = 0;
  } taken;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_KERNELEMITTER_H
