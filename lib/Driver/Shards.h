//===- Shards.h - Lowering kernels on all cores -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of one target are cut into shards, each a module of its own, that
// are lowered and serialised side by side. How they are cut depends on their
// number alone, and what comes of them is kept in their order: the same program
// gives the same bytes on any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_SHARDS_H
#define KILN_LIB_DRIVER_SHARDS_H

#include "Kernels.h"

namespace kiln::driver {

/// Kernels that are lowered together, and what became of them.
struct Shard {
  llvm::SmallVector<mlir::Operation *> kernels;
  target::Executable blobs;
  std::vector<std::string> lines; ///< diagnostics, printed
  bool succeeded = false;
  /// What the passes made, where the plan wants to see it.
  mlir::OwningOpRef<mlir::ModuleOp> lowered;

  /// Whether it failed because something is not supported: its first error
  /// says so. Any other error is one of the program or of somebody's code.
  bool isDeclined() const;
  /// The first error without its location, and the notes that belong to it.
  std::string reason() const;
};

/// Cuts `kernels` into shards, in order: few large ones, but none so large that
/// its code does not fit memory beside others, and none so small that starting
/// a linker for it counts.
std::vector<Shard> cutShards(llvm::ArrayRef<mlir::Operation *> kernels,
                             const LoweringPlan &plan);

/// Runs the target's pipeline and serialiser over each shard. The kernels are
/// copied out of `module`; its other attributes come along. The plan's hook is
/// not called. `progress` counts the kernels that are done; null: nothing does.
void lowerShards(mlir::ModuleOp module, const target::BoundTarget &bound,
                 const DiagnosticPrinter &printer, mlir::TimingScope &timing,
                 const LoweringPlan &plan, std::vector<Shard> &shards,
                 runtime::Progress *progress = nullptr);

/// Runs the target's pipeline and serialiser over a module of its own; `see`
/// gets the module between the two. With `twice` the serialiser has to give the
/// same a second time.
mlir::LogicalResult
lowerModule(mlir::ModuleOp module, const target::BoundTarget &bound,
            DiagnosticPrinter &printer, mlir::TimingScope &timing,
            llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> see,
            bool twice, target::Executable &blobs);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_SHARDS_H
