//===- ExtensionPoint.h - Named places for more passes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines declare named points. Any plug-in may add passes there, also to
// another vendor's target. After the added passes the point's form pass checks
// that the module still is what the rest of the pipeline expects.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_EXTENSIONPOINT_H
#define KILN_TARGET_EXTENSIONPOINT_H

#include "kiln/Target/TargetOptions.h"
#include "mlir/Pass/PassManager.h"
#include <functional>
#include <string>
#include <vector>

namespace kiln::target {

/// A named place in a pipeline.
struct ExtensionPoint {
  std::string name;     ///< "TARGET.WHERE", or "core.WHERE"
  std::string formPass; ///< textual pipeline that verifies; may be empty
  std::string help;
};

/// Passes that a plug-in adds at a point. `build` gets a pass manager anchored
/// on builtin.module and the parsed SPEC, with the plug-in's own keys in it.
struct ExtensionPass {
  std::string point;
  std::string name; ///< for --describe and --explain
  std::function<void(mlir::OpPassManager &, const TargetOptions &)> build;
  std::string plugin; ///< filled in by the registry
};

/// Adds what plug-ins registered for `point` to `pm`, in the order they were
/// loaded, then the point's form pass if anything was added.
void runExtensionPoint(mlir::OpPassManager &pm, const TargetOptions &options,
                       llvm::StringRef point);

} // namespace kiln::target

#endif // KILN_TARGET_EXTENSIONPOINT_H
