//===- KnownAttributes.h - Attributes that a dialect has --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect lists the attributes with its prefix that operations may have
// beside those of their definitions. Any other is an error at the operation:
// a hint with a mistake in its name would be one that nothing follows, and a
// decision that nothing reads would be lost.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_KNOWNATTRIBUTES_H
#define KILN_INTERFACES_KNOWNATTRIBUTES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"

namespace kiln {

/// Where an attribute comes from.
enum class AttributeRole {
  Hint,     ///< an author's, documented in docs/hints.md
  Decision, ///< from one pass to another, documented where it is declared
};

/// A discardable attribute that a dialect lists.
struct KnownAttribute {
  llvm::StringLiteral name;
  AttributeRole role;
};

/// Requires one of the attributes that a dialect lists.
inline llvm::LogicalResult
verifyKnownAttribute(mlir::Operation *op, mlir::NamedAttribute attribute,
                     llvm::ArrayRef<KnownAttribute> known) {
  llvm::StringRef name = attribute.getName();
  if (llvm::any_of(known,
                   [&](const KnownAttribute &one) { return one.name == name; }))
    return llvm::success();
  llvm::SmallVector<llvm::StringRef> hints;
  for (const KnownAttribute &one : known)
    if (one.role == AttributeRole::Hint)
      hints.push_back(one.name);
  auto error = op->emitOpError()
               << "expected an attribute that dialect '"
               << attribute.getNameDialect()->getNamespace() << "' has";
  if (!hints.empty())
    error << " (hints are " << llvm::join(hints, ", ") << ")";
  return error << ", found '" << name << "'";
}

/// Refuses an attribute on an argument or a result of a function, of a dialect
/// that says nothing there.
inline llvm::LogicalResult refuseAttribute(mlir::Operation *op,
                                           llvm::StringRef what,
                                           unsigned number,
                                           mlir::NamedAttribute attribute) {
  return op->emitOpError() << "expected no attribute of dialect '"
                           << attribute.getNameDialect()->getNamespace()
                           << "' on " << what << " " << number << ", found '"
                           << attribute.getName().strref() << "'";
}

} // namespace kiln

#endif // KILN_INTERFACES_KNOWNATTRIBUTES_H
