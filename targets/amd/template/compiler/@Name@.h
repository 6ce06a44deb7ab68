// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef @NAME@_@NAME@_H
#define @NAME@_@NAME@_H

#include "kiln/Target/Target.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace @name@ {

/// Asynchronous copies to loads and stores.
std::unique_ptr<mlir::Pass> createLowerCopiesPass();
/// Maxima and minima with zeros in the order of their signs.
std::unique_ptr<mlir::Pass> createLowerExtremesPass();
/// Threads as the family leaves them to the llvm dialect.
std::unique_ptr<mlir::Pass> createLowerPass();

void registerTranslations(mlir::DialectRegistry &registry);
/// LLVM IR, text of the back end, or a shared object.
mlir::LogicalResult generate(mlir::ModuleOp module, llvm::StringRef form,
                             llvm::raw_ostream &os);

} // namespace @name@

#endif
