//===- UpstreamDialects.h - Whose a dialect is ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_FRONTEND_UPSTREAMDIALECTS_H
#define KILN_LIB_FRONTEND_UPSTREAMDIALECTS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::frontend {

/// Whether a dialect comes with MLIR, rather than with Kiln or a plug-in.
bool isUpstreamDialect(llvm::StringRef dialect);

} // namespace kiln::frontend

#endif // KILN_LIB_FRONTEND_UPSTREAMDIALECTS_H
