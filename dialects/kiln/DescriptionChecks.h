//===- DescriptionChecks.h - Checks shared by descriptions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_KILN_DESCRIPTIONCHECKS_H
#define KILN_DIALECTS_KILN_DESCRIPTIONCHECKS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::target {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Requires a number of at least `least`.
inline llvm::LogicalResult checkAtLeast(EmitError emitError,
                                        llvm::StringRef what, int64_t value,
                                        int64_t least) {
  if (value >= least)
    return llvm::success();
  return emitError() << "expected " << what << " to be at least " << least
                     << ", found " << value;
}

/// Requires a name that a SPEC, or another field, can refer to.
inline llvm::LogicalResult checkName(EmitError emitError, llvm::StringRef what,
                                     llvm::StringRef name) {
  auto legal = [](char c) {
    return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
           c == '.';
  };
  if (!name.empty() && llvm::all_of(name, legal))
    return llvm::success();
  return emitError() << "expected " << what
                     << " of letters, digits, '_', '-' and '.', found '" << name
                     << "'";
}

} // namespace kiln::target

#endif // KILN_DIALECTS_KILN_DESCRIPTIONCHECKS_H
