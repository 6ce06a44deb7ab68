//===- Suggest.h - Known names that are close to an unknown one -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_SUGGEST_H
#define KILN_DIALECT_KILN_SUGGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln {

/// What to add to a message about an unknown name: `, did you mean A, B`, with
/// up to three of the known names that are close to it; empty if none is.
std::string suggestNames(llvm::StringRef name,
                         llvm::ArrayRef<llvm::StringRef> known);

} // namespace kiln

#endif // KILN_DIALECT_KILN_SUGGEST_H
