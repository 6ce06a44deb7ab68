//===- Kernels.h - Lowering and placing kernels -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_KERNELS_H
#define KILN_LIB_DRIVER_KERNELS_H

#include "Diagnostics.h"
#include "kiln/Runtime/Program.h"
#include "kiln/System/Progress.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace kiln::driver {

/// Kernels as bytes, with the device that each runs on.
struct CompiledKernels {
  struct Entry {
    target::CompiledKernel code;
    unsigned module = 0;
    int device = 0;
    /// Why it is not on the target that was asked for; empty: it is.
    std::string fallback;
  };
  std::vector<runtime::DeviceRef> devices;
  std::vector<std::string> modules;
  llvm::StringMap<Entry> kernels;
  /// One target has the whole module as its code: all devices that the program
  /// names are that target's.
  bool isWhole = false;
};

/// Called with each module that a pipeline has lowered: for --save-temps and
/// the --emit kinds that end there.
using LoweredHook = std::function<mlir::LogicalResult(
    mlir::ModuleOp, const target::BoundTarget &)>;

/// What targets made of kernels whose blocks are good, while those of others
/// are chosen again.
struct KeptKernels {
  /// Of each target.
  std::vector<std::vector<target::Executable>> results;
  /// The text of each kernel, by the number of its target and its name.
  std::map<std::pair<size_t, std::string>, std::string> texts;
};

/// How kernels are lowered.
struct LoweringPlan {
  unsigned jobs = 1; ///< threads
  /// All kernels of a target as one module, as it is printed.
  bool oneModule = false;
  LoweredHook lowered; ///< may be empty; with it one thread does everything
  /// What no named target takes is an error, and not the host's.
  bool noFallback = false;
  /// The first module of a target from elsewhere is serialised twice.
  bool serialiseTwice = false;
  /// Asked when a target has declined kernels and before another one that was
  /// named gets them: with the number of the latter, and of the target that
  /// each kernel has come to. If it returns true, nothing more is lowered, and
  /// the result is empty: the blocks of these kernels will be chosen again.
  std::function<bool(size_t, const llvm::StringMap<size_t> &)> chooseAgain;
  /// Has what such an attempt made, for the next one; may be null.
  KeptKernels *kept = nullptr;
  /// How the number of kernels that are done is shown.
  runtime::ProgressStyle progress = runtime::ProgressStyle::Quiet;
};

/// Whether a target takes a kernel or a function; `reason` says why not.
/// Failure: it threw, or gave no reason.
mlir::FailureOr<bool> accepts(mlir::Operation *op,
                              const target::BoundTarget &bound,
                              std::string &reason);

/// The target that may take what `targets` decline; empty where there is none,
/// where it is among them, or where it may not.
mlir::FailureOr<target::BoundTarget>
fallbackHost(llvm::ArrayRef<target::BoundTarget> targets,
             mlir::MLIRContext *context, bool noFallback);

/// An error about what no target takes, with the declines as notes.
mlir::LogicalResult refuse(mlir::Operation *op,
                           llvm::ArrayRef<target::BoundTarget> targets,
                           bool noFallback);

/// Says in one line how many kernels run elsewhere and why: `reasons` has one
/// entry for each of them.
void noteFallbacks(DiagnosticPrinter &printer,
                   llvm::ArrayRef<target::BoundTarget> targets,
                   const target::BoundTarget &host,
                   llvm::ArrayRef<std::string> reasons, size_t numKernels);

/// The declines of an operation as one line.
std::string chainOf(mlir::Operation *op);

/// Runs a pass manager; a failure without a diagnostic gets one. `stage` names
/// it for --print-ir-tree-dir.
mlir::LogicalResult runPasses(mlir::PassManager &pm, mlir::ModuleOp module,
                              DiagnosticPrinter &printer,
                              mlir::TimingScope &timing, llvm::StringRef stage);

/// Tells the report which function launches each kernel (`kiln.reported`).
void nameOrigins(mlir::ModuleOp module);

/// Lowers and serialises all kernels of `module`, each for the first of
/// `targets` that takes it, or else, whole, for the host target. The first that
/// gets a kernel with `kiln.spec` is the one that it names. Kernels that
/// end up on another device than the first get the attribute `device`,
/// which `program-place-launches` reads.
mlir::LogicalResult compileKernels(mlir::ModuleOp module,
                                   llvm::ArrayRef<target::BoundTarget> targets,
                                   DiagnosticPrinter &printer,
                                   mlir::TimingScope &timing,
                                   const LoweringPlan &plan,
                                   CompiledKernels &result);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_KERNELS_H
