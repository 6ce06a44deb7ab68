//===- Pipeline.h - The stages of a compilation -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_PIPELINE_H
#define KILN_LIB_DRIVER_PIPELINE_H

#include "Kernels.h"
#include "kiln/Frontend/Frontend.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::driver {

/// One step of a stage.
struct Step {
  enum Kind {
    Passes, ///< a textual pipeline
    Point,  ///< the passes at an extension point
    Target, ///< the pipeline of the target
  };
  std::string text;
  Kind kind = Passes;
};

/// Steps under one name in the timing report.
struct Stage {
  std::string name;
  std::vector<Step> steps;
};

/// What of the input is wanted: the functions that `entries` names, or all.
Stage inputStage(llvm::ArrayRef<std::string> entries = {});
/// What these frontends do; `options` may be null.
Stage frontendStage(
    llvm::ArrayRef<const frontend::Frontend *> frontends,
    llvm::function_ref<frontend::Options(const frontend::Frontend &)> options =
        {});
/// The passes that frontends add for targets that compile.
Stage improveStage(llvm::StringRef passes);
/// What --emit=prim shows: composites, raised.
Stage raiseStage();
/// What a program is bound to.
Stage bindStage(llvm::StringRef spec);
/// The passes on prim that every target shares.
/// `options`: whether floats may be regrouped, if it is known.
Stage primStage(const CompileOptions *options = nullptr);
/// The passes from prim to tile and program.
/// `options`: what products may do, if it is known.
Stage tileStage(const CompileOptions *options = nullptr);
/// The same for kernels and host programs that were given as such.
Stage kernelStage();
/// The numerics mode of each kernel, and what follows from it.
Stage numericsStage(const CompileOptions &options);
/// Rewrites of the program level that are the target's.
Stage claimStage();
/// Moves launches to the devices that their kernels were placed on.
Stage placeStage();
/// Isolates each kernel in its own module, bound to no target.
Stage isolateStage();
/// Kernels by themselves (a target that takes `whole` programs gets those)
/// through the target's own pipeline.
Stage targetStage(bool whole);

/// Adds steps to a pass manager, with the passes of extension points for
/// `bound` (may be empty).
mlir::LogicalResult addSteps(mlir::OpPassManager &pm,
                             llvm::ArrayRef<Step> steps,
                             const target::BoundTarget &bound,
                             llvm::raw_ostream &errors);

/// The passes of a stage as text that `kiln-opt --pass-pipeline` takes inside
/// of `builtin.module(...)`; may be empty. What a plug-in adds without having
/// registered it is named by the pass that runs it.
std::string textOf(const Stage &stage, const target::BoundTarget &bound);

/// Declares the core's extension points.
void registerExtensionPoints(target::TargetRegistry &registry);

/// Adds the stages as named pipelines.
void registerPipelines();

/// Runs a stage on `module`.
mlir::LogicalResult runStage(mlir::ModuleOp module, const Stage &stage,
                             const target::BoundTarget &bound,
                             DiagnosticPrinter &printer,
                             mlir::TimingScope &timing);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_PIPELINE_H
