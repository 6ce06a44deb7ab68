//===- Entries.h - Entries of attributes that are dictionaries -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several dialects keep what belongs together in one dictionary, under one name
// of an attribute. Such an attribute may be absent (null).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_ENTRIES_H
#define KILN_INTERFACES_ENTRIES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace kiln {

/// An entry of a dictionary; null where it has none, or is none.
inline mlir::Attribute entryOf(mlir::Attribute dictionary,
                               llvm::StringRef name) {
  auto entries = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(dictionary);
  return entries ? entries.get(name) : mlir::Attribute();
}

/// The dictionary with an entry, in place of one of that name.
inline mlir::DictionaryAttr withEntry(mlir::Attribute dictionary,
                                      llvm::StringRef name,
                                      mlir::Attribute value) {
  mlir::NamedAttrList entries;
  if (auto known = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(dictionary))
    entries.append(known.getValue());
  entries.set(name, value);
  return entries.getDictionary(value.getContext());
}

/// The dictionary without entries of some names; null where it is none, and
/// where none is left.
inline mlir::DictionaryAttr
withoutEntries(mlir::Attribute dictionary,
               llvm::ArrayRef<llvm::StringRef> names) {
  auto known = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(dictionary);
  if (!known)
    return {};
  mlir::NamedAttrList entries(known.getValue());
  for (llvm::StringRef name : names)
    entries.erase(name);
  return entries.empty() ? mlir::DictionaryAttr()
                         : entries.getDictionary(known.getContext());
}

/// An entry of an operation's discardable dictionary; null if there is none.
inline mlir::Attribute entryOf(mlir::Operation *op, llvm::StringRef dictionary,
                               llvm::StringRef name) {
  return entryOf(op->getDiscardableAttr(dictionary), name);
}

/// Adds an entry to it, in place of one of that name.
inline void setEntry(mlir::Operation *op, llvm::StringRef dictionary,
                     llvm::StringRef name, mlir::Attribute value) {
  mlir::Attribute known = op->getDiscardableAttr(dictionary);
  op->setDiscardableAttr(dictionary, withEntry(known, name, value));
}

/// Removes entries from it; the last ones remove the dictionary.
inline void eraseEntries(mlir::Operation *op, llvm::StringRef dictionary,
                         llvm::ArrayRef<llvm::StringRef> names) {
  mlir::Attribute known = op->getDiscardableAttr(dictionary);
  if (mlir::DictionaryAttr left = withoutEntries(known, names))
    op->setDiscardableAttr(dictionary, left);
  else if (known)
    op->removeDiscardableAttr(dictionary);
}

/// The entries that `value` has as the dictionary of an operation, in whose
/// verifier this is; an error where it is something else.
inline llvm::FailureOr<mlir::DictionaryAttr>
verifiedEntries(mlir::Operation *op, llvm::StringRef dictionary,
                mlir::Attribute value) {
  if (auto entries = llvm::dyn_cast<mlir::DictionaryAttr>(value))
    return entries;
  return op->emitOpError() << "expected '" << dictionary
                           << "' to be a dictionary, found " << value;
}

} // namespace kiln

#endif // KILN_INTERFACES_ENTRIES_H
