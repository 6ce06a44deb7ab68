//===- Reported.cpp - What the report says of operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Attributes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace kiln;

static DictionaryAttr entriesOf(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(target::kReportedAttr);
}

Attribute target::getReported(Operation *op, StringRef entry) {
  DictionaryAttr entries = entriesOf(op);
  return entries ? entries.get(entry) : Attribute();
}

void target::setReported(Operation *op, StringRef entry, Attribute value) {
  NamedAttrList entries;
  if (DictionaryAttr known = entriesOf(op))
    entries.append(known.getValue());
  entries.set(entry, value);
  op->setDiscardableAttr(kReportedAttr,
                         entries.getDictionary(op->getContext()));
}

static bool isDecline(Attribute attribute) {
  auto pair = dyn_cast<ArrayAttr>(attribute);
  return pair && pair.size() == 2 &&
         llvm::all_of(pair, llvm::IsaPred<StringAttr>);
}

LogicalResult target::verifyReported(Operation *op, Attribute value) {
  auto entries = dyn_cast<DictionaryAttr>(value);
  if (!entries)
    return op->emitOpError() << "expected '" << kReportedAttr
                             << "' to be a dictionary, found " << value;
  for (NamedAttribute entry : entries) {
    StringRef name = entry.getName();
    auto list = dyn_cast<ArrayAttr>(entry.getValue());
    bool isRight = name == kDeclinedEntry
                       ? list && llvm::all_of(list, isDecline)
                       : (name == kKernelEntry || name == kFunctionEntry) &&
                             isa<StringAttr>(entry.getValue());
    if (!isRight)
      return op->emitOpError()
             << "expected entries of '" << kReportedAttr
             << "' to be the strings 'kernel' and 'function' and pairs of "
                "strings in 'declined', found '"
             << name << "' = " << entry.getValue();
  }
  return success();
}
