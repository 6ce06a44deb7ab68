//===- ExtraCounts.h - Dictionaries in `extra` ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_EXTRACOUNTS_H
#define KILN_DIALECT_KILN_EXTRACOUNTS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <optional>

namespace kiln::target {

/// Declares a dictionary in `extra` of descriptions of one family, whose
/// entries are integers of at least 1. The code that reads the dictionary has
/// one as a global constant: a description with an entry of another name, or
/// with a wrong value, is then an error where it is read. Several may declare
/// one dictionary: it then has the entries of all.
struct ExtraCounts {
  ExtraCounts(llvm::StringLiteral family, llvm::StringLiteral dictionary,
              std::initializer_list<llvm::StringLiteral> entries);

  llvm::StringLiteral family, dictionary;
  llvm::SmallVector<llvm::StringLiteral, 5> entries;
};

/// Returns the value of an integer without a sign of up to 64 bits that is no
/// boolean, or of an index; nothing for anything else.
std::optional<int64_t> wholeNumber(mlir::Attribute value);

/// Requires that the dictionaries in `extra` that a family reads by the names
/// of their entries have no others, and entries of the right kinds.
llvm::LogicalResult
checkExtra(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           llvm::StringRef family, mlir::DictionaryAttr extra,
           llvm::ArrayRef<MatrixInstructionAttr> instructions);

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_EXTRACOUNTS_H
