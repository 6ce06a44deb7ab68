// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dialects can be evaluated.
#ifndef KILN_EVAL_REGISTER_H
#define KILN_EVAL_REGISTER_H

namespace llvm {
class StringRef;
} // namespace llvm
namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace kiln::eval {

/// Adds the dialects that `reference` evaluates, and how it does so.
void registerEvaluation(mlir::DialectRegistry &registry);

/// Makes registerEvaluation call `add` in this process from now on: how a
/// plug-in has `reference` evaluate its dialect, when it registers.
void addEvaluation(void (*add)(mlir::DialectRegistry &registry));

/// Each registers the evaluation of the operations of one dialect.
void registerArithEvaluation(mlir::DialectRegistry &registry);
void registerMathEvaluation(mlir::DialectRegistry &registry);
void registerControlEvaluation(mlir::DialectRegistry &registry);
void registerShapedEvaluation(mlir::DialectRegistry &registry);
void registerPrimEvaluation(mlir::DialectRegistry &registry);
void registerTileEvaluation(mlir::DialectRegistry &registry);
void registerAffineEvaluation(mlir::DialectRegistry &registry);
void registerStageEvaluation(mlir::DialectRegistry &registry);
void registerSimtEvaluation(mlir::DialectRegistry &registry);
void registerProgramEvaluation(mlir::DialectRegistry &registry);

/// In a child process: reads a module from bytes that may harm the reader, with
/// limits on time and memory, and exits with one of these two. Any
/// other status is that of a plug-in's code which ended it.
constexpr int kModuleRead = 10, kModuleRefused = 11;
[[noreturn]] void tryModule(llvm::StringRef bytes);

} // namespace kiln::eval

#endif // KILN_EVAL_REGISTER_H
