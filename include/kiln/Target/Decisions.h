//===- Decisions.h - Decisions that a schedule script may make --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_DECISIONS_H
#define KILN_TARGET_DECISIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace kiln::target {

/// Announces that the passes of a code generator obey these decisions of a
/// schedule script (kiln/Dialect/Kiln/Asked.h), by name: `stages`, `warps`,
/// `instruction`, `layout`, `storage`. Safe in threads.
void addDecisions(llvm::StringRef family,
                  llvm::ArrayRef<llvm::StringRef> names);

/// Returns what a code generator announced, sorted.
std::vector<llvm::StringRef> decisionsOf(llvm::StringRef family);

} // namespace kiln::target

#endif // KILN_TARGET_DECISIONS_H
