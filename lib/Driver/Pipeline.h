//===- Pipeline.h - The stages of a compilation -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_PIPELINE_H
#define KILN_LIB_DRIVER_PIPELINE_H

#include "Kernels.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::driver {

/// One step of a stage: a textual pipeline, or an extension point.
struct Step {
  std::string text;
  bool isPoint = false;
};

/// The passes that bring a frontend's module to prim: the functions that
/// `entries` names, or all of them. `elided` stands for elements of constants
/// that the file leaves out.
std::vector<Step> frontendSteps(llvm::ArrayRef<std::string> entries = {},
                                const std::string &elided = {});
/// The passes on prim that every target shares.
std::vector<Step> primSteps();
/// The passes from prim to tile and program.
std::vector<Step> tileSteps();
/// What follows from the numerics mode of each kernel.
std::vector<Step> numericsSteps();

/// Adds steps to a pass manager, with the passes of their extension points for
/// the target of `options`.
mlir::LogicalResult addSteps(mlir::OpPassManager &pm,
                             const std::vector<Step> &steps,
                             const target::TargetOptions &options,
                             llvm::raw_ostream &errors);

/// Declares the core's extension points.
void registerExtensionPoints(target::TargetRegistry &registry);

/// Adds the stages as named pipelines.
void registerPipelines();

/// Runs the steps on `module` under one name in the timing report.
mlir::LogicalResult runSteps(mlir::ModuleOp module, llvm::StringRef name,
                             const std::vector<Step> &steps,
                             const target::TargetOptions &options,
                             DiagnosticPrinter &printer,
                             mlir::TimingScope &timing);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_PIPELINE_H
