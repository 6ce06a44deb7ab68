//===- Reported.cpp - What the report says of operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Interfaces/Entries.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace kiln;

Attribute target::getReported(Operation *op, StringRef entry) {
  return entryOf(op, kReportedAttr, entry);
}

void target::setReported(Operation *op, StringRef entry, Attribute value) {
  setEntry(op, kReportedAttr, entry, value);
}

static bool isDecline(Attribute attribute) {
  auto pair = dyn_cast<ArrayAttr>(attribute);
  return pair && pair.size() == 2 &&
         llvm::all_of(pair, llvm::IsaPred<StringAttr>);
}

LogicalResult target::verifyReported(Operation *op, Attribute value) {
  FailureOr<DictionaryAttr> entries = verifiedEntries(op, kReportedAttr, value);
  if (failed(entries))
    return failure();
  for (NamedAttribute entry : *entries) {
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
