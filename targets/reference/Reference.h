// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device that evaluates modules. Private to this folder.
#ifndef KILN_TARGETS_REFERENCE_REFERENCE_H
#define KILN_TARGETS_REFERENCE_REFERENCE_H

#include "kiln-c/Device.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Runtime/HostDriver.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>
#include <string>

namespace kiln::reference {

inline int fail(KilnError *error, const std::string &message) {
  return runtime::failDriver(error, message);
}

/// What the runtime offers, from the entry point on.
extern KilnDeviceHost runtimeHost;

} // namespace kiln::reference

/// Memory whose bytes know whether they were written.
struct KilnBuffer {
  std::shared_ptr<kiln::eval::Buffer> buffer;
};

/// A function or a tile kernel of a module.
struct KilnKernel {
  KilnModule *module = nullptr;
  mlir::FunctionOpInterface function;
  bool onlySizes = false; ///< computes the dynamic sizes of the results
};

/// A module of IR and its evaluator.
struct KilnModule {
  KilnModule();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> ir;
  std::optional<kiln::eval::Evaluator> evaluator;
  std::vector<std::unique_ptr<KilnKernel>> kernels;
  /// Not 0: results err as far as their contracts let them, those of -N in the
  /// opposite direction of those of N.
  int64_t perturbation = 0;

  /// What a call that asked for the sizes has computed, for the call that
  /// fetches the results right after it.
  KilnKernel *computed = nullptr;
  mlir::FunctionOpInterface computedFor;
  llvm::SmallVector<kiln::eval::Value> results;

  int load(llvm::StringRef bytes, KilnError *error);
  int execute(KilnKernel &kernel, const KilnLaunch &launch, KilnError *error);

private:
  mlir::LogicalResult runFunction(KilnKernel &kernel, const KilnLaunch &launch);
  mlir::LogicalResult runKernel(KilnKernel &kernel, const KilnLaunch &launch);
};

/// One device; the properties are constant.
struct KilnDevice {
  // What was not written is told from what was: memory is not lent twice.
  KilnMemoryKind memory = {"host", KILN_MEMORY_NO_REUSE, 64, 0};
  KilnDeviceProperties properties = {sizeof(KilnDeviceProperties),
                                     "reference evaluator",
                                     1,
                                     1,
                                     &memory,
                                     0,
                                     0,
                                     nullptr};
  bool racesAreErrors = false;
  uint64_t seed = 0;
  int64_t perturbation = 0;
};

#endif // KILN_TARGETS_REFERENCE_REFERENCE_H
