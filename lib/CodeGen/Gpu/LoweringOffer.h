//===- LoweringOffer.h - Operations offered to plug-ins ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_LOWERINGOFFER_H
#define KILN_LIB_GPU_LOWERINGOFFER_H

#include "kiln/Gpu/Lowering.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace kiln::simt {

/// Whether an operation has a lowering of tiles in registers, so that lowerings
/// of tiles may leave it.
bool hasRegisterLowering(mlir::Operation *op, mlir::RewriterBase &rewriter,
                         const target::TargetOptions &options,
                         target::TargetAttr description); // Lowerings.cpp

/// Adds the passes that express what threads lack in terms of what they have.
void addTileExpansions(mlir::OpPassManager &kernels,
                       const target::TargetOptions &options); // Pipeline.cpp

/// Offers the operations of a kernel, or of a function of one thread, to the
/// lowerings that are registered for its target or the family.
class LoweringOffer {
public:
  LoweringOffer(mlir::Operation *root, GpuLoweringContext::Level level,
                const target::TargetOptions &options,
                target::TargetAttr description, bool isEarly, bool keepsCopies);

  /// Fails where a lowering did something wrong, which was reported, or where
  /// no lowering takes an operation that the family does not know.
  mlir::LogicalResult run();
  /// Whether a lowering took something.
  bool hasTaken() const { return taken; }

private:
  bool isOffered(mlir::Operation *op) const;
  mlir::LogicalResult offerRegions(mlir::Operation *op);
  /// Offers what stands from `first` to before `end`.
  mlir::LogicalResult offerRange(mlir::Operation *first, mlir::Operation *end);
  mlir::LogicalResult offer(mlir::Operation *op);
  /// Asks the lowerings before the family's own, or those behind them.
  bool ask(mlir::Operation *op, bool isBehindOwn);
  mlir::LogicalResult checkTaken(mlir::Operation *op, mlir::Location loc,
                                 bool hasResults, mlir::Operation *front,
                                 mlir::Operation *back);

  struct Changes : mlir::RewriterBase::Listener {
    void notifyOperationModified(mlir::Operation *op) override {
      modified = op;
    }
    mlir::Operation *modified = nullptr;
  };

  mlir::Operation *root;
  mlir::IRRewriter rewriter;
  Changes changes;
  const GpuLoweringContext::Level level;
  const target::TargetOptions &options;
  target::TargetAttr description;
  std::vector<const target::Lowering *> all; ///< of the target and the family
  /// Whose operations are offered: it is not asked to lower what it emitted.
  llvm::SmallVector<std::string> emitters;
  std::string owner;      ///< of the lowering that took something last
  const bool isEarly;     ///< the family has yet to see what it can take
  const bool keepsCopies; ///< what starts copies is not offered
  bool taken = false;
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LOWERINGOFFER_H
