//===- FrontendChoice.h - What the command line says of frontends -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_FRONTENDCHOICE_H
#define KILN_LIB_DRIVER_FRONTENDCHOICE_H

#include "Diagnostics.h"
#include "kiln/Frontend/Frontend.h"

namespace kiln::driver {

/// --frontend=NAME[,KEY=VALUE...], looked up.
struct FrontendChoice {
  const frontend::Frontend *frontend = nullptr; ///< null: none was named
  std::vector<std::pair<std::string, std::string>> values;
};

/// Checks the name, the keys and their values; nothing after an error.
std::optional<FrontendChoice> chooseFrontend(const CompileOptions &options,
                                             DiagnosticPrinter &printer);

/// What one frontend gets of the command line: of flags that stand for keys
/// those which it declares.
frontend::Options optionsFor(const frontend::Frontend &frontend,
                             const FrontendChoice &choice,
                             const CompileOptions &options);

/// Reports operations of a frontend's own dialects that its passes have left.
mlir::LogicalResult
checkLevels(mlir::ModuleOp module,
            llvm::ArrayRef<const frontend::Frontend *> frontends);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_FRONTENDCHOICE_H
