//===- Phases.h - What a compilation does, in order -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compilation is three lists of phases. The phases of the input run once, on
// the module that was read. The phases of a target run for each --target, on a
// copy of it. The phases of the package run once at the end. `runPhases` runs a
// list until a phase fails or has given what --emit asks for.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_PHASES_H
#define KILN_LIB_DRIVER_PHASES_H

#include "Session.h"

namespace kiln::driver {

/// How a phase ended.
enum class Outcome {
  Continue, ///< the next phase runs
  Done,     ///< what --emit asks for is there: the rest is skipped
  Failed,   ///< with a diagnostic
};

inline Outcome toOutcome(mlir::LogicalResult result) {
  return mlir::failed(result) ? Outcome::Failed : Outcome::Continue;
}

/// The program that phases work on.
struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The target specification that it is compiled for, A+B for several targets
  /// that share the program; empty for none.
  std::string spec;
  llvm::SmallVector<target::BoundTarget> targets; ///< the parts of `spec`
  bool hadKernels = false;   ///< kernels were given, not made from prim
  bool isTakenWhole = false; ///< the target's code is the program in prim
  /// Where several targets share the program: it before it became kernels, and
  /// the number of rows of the report then.
  mlir::OwningOpRef<mlir::ModuleOp> before;
  size_t numRows = 0;
  CompiledKernels kernels;
  bool isLowered = false; ///< `kernels` has what goes into the package

  /// The first target; empty for none.
  target::BoundTarget bound() const {
    return targets.empty() ? target::BoundTarget() : targets.front();
  }
};

/// One phase: a name for readers of this table, and what it does.
struct Phase {
  llvm::StringLiteral name;
  Outcome (*run)(Session &session, Program &program);
};

/// The phases of the input, of each target, and of the package.
llvm::ArrayRef<Phase> inputPhases();
llvm::ArrayRef<Phase> targetPhases();
llvm::ArrayRef<Phase> packagePhases();

/// Says how kernels are lowered, and where what is asked for of them goes.
LoweringPlan planLowering(Session &session);

/// Where several targets share a program, chooses the blocks of what the first
/// ones decline again, for the target that takes it.
Outcome fitBlocks(Session &session, Program &program);

/// Runs phases in order until one does not continue.
Outcome runPhases(llvm::ArrayRef<Phase> phases, Session &session,
                  Program &program);

/// Whether functions of prim, or kernels and host programs, are there.
bool hasPrim(mlir::ModuleOp module);
bool hasTile(mlir::ModuleOp module);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_PHASES_H
