//===- Wire.h - Kernels as text that outlives releases ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wire form of kernels: MLIR's generic text, of operations, types and
// attributes that a table lists with the version that they came with. What has
// its default is left out. A target says which version it reads; what came
// later is rewritten to what was there before, or declined by name.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISOLATED_WIRE_H
#define KILN_ISOLATED_WIRE_H

#include "kiln/Isolated/Vocabulary.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include <memory>
#include <string>

namespace mlir {
class Pass;
}

namespace kiln::isolated {

/// What a reader of kernels takes.
struct WireReader {
  unsigned version = kWireVersion;
  llvm::StringSet<> operations; ///< empty: all of the version
  llvm::StringSet<> types;      ///< empty: all of the version
};

/// Why an operation within a kernel has no form that the reader takes.
struct WireProblem {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// Finds what of a kernel has no form that the reader takes, if anything.
std::optional<WireProblem> findWireProblem(mlir::Operation *kernel,
                                           const WireReader &reader);

/// Brings the kernels of a module to what the reader takes: downgrades, leaves
/// out what only Kiln reads. Reports `unsupported: ` at what has no such form.
llvm::LogicalResult toWire(mlir::ModuleOp module, const WireReader &reader);

/// Reads what `printWire` writes.
mlir::OwningOpRef<mlir::ModuleOp> readWire(llvm::StringRef text,
                                           mlir::MLIRContext *context);

/// The text of a module that `toWire` has left, without defaults.
std::string printWire(mlir::ModuleOp module);

/// The same of a module that is used no more: takes the defaults off it, which
/// accessors of operations count on.
std::string printOwnWire(mlir::ModuleOp module);

/// A module with a copy of one kernel.
mlir::OwningOpRef<mlir::ModuleOp> isolateKernel(mlir::Operation *kernel);

/// The operation number `number` of a kernel, in the order of the text; the
/// kernel itself is 0. Null where there is none.
mlir::Operation *findNumbered(mlir::Operation *kernel, int64_t number);

/// The pass `tile-to-wire{version=N operations=NAME,... types=NAME,...}`, which
/// does what `toWire` does.
std::unique_ptr<mlir::Pass> createToWirePass(const WireReader &reader);

/// Registers the passes of this folder.
void registerIsolatedPasses();

} // namespace kiln::isolated

#endif // KILN_ISOLATED_WIRE_H
