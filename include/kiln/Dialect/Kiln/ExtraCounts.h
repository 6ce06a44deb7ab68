//===- ExtraCounts.h - Dictionaries in `extra` ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_EXTRACOUNTS_H
#define KILN_DIALECT_KILN_EXTRACOUNTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>

namespace kiln::target {

/// Declares a dictionary in `extra` of descriptions of one family, whose
/// entries are integers of at least 1. The code that reads the dictionary has
/// one as a global constant: a description with an entry of another name, or
/// with a wrong value, is then an error where it is read.
struct ExtraCounts {
  ExtraCounts(llvm::StringLiteral family, llvm::StringLiteral dictionary,
              std::initializer_list<llvm::StringLiteral> entries);

  llvm::StringLiteral family, dictionary;
  llvm::SmallVector<llvm::StringLiteral, 5> entries;
};

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_EXTRACOUNTS_H
