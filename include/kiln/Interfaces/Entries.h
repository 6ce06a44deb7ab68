//===- Entries.h - Entries of attributes that are dictionaries -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several dialects keep what belongs together in one dictionary, under one name
// of an attribute. Such an attribute may be absent (null).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_ENTRIES_H
#define KILN_INTERFACES_ENTRIES_H

#include "mlir/IR/OperationSupport.h"

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

} // namespace kiln

#endif // KILN_INTERFACES_ENTRIES_H
