// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_TEST_GPU_OUTSIDE_H
#define KILN_TEST_GPU_OUTSIDE_H

#include "kiln/Target/Target.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace outside {

/// Asynchronous copies to loads and stores.
std::unique_ptr<mlir::Pass> createLowerCopiesPass();
/// Threads as the family leaves them to the llvm dialect.
std::unique_ptr<mlir::Pass> createLowerPass();

void registerTranslations(mlir::DialectRegistry &registry);
/// LLVM IR, text of the back end, or a shared object.
mlir::LogicalResult generate(mlir::ModuleOp module, llvm::StringRef form,
                             llvm::raw_ostream &os);

} // namespace outside

#endif
