//===- Arguments.cpp - What is said of arguments of functions -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers and passes describe arguments and results of functions to those who
// call them: in one dictionary for each, whose entries are read, written and
// verified here.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/Entries.h"
#include "kiln/Interfaces/Signature.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

static constexpr StringLiteral kEntries[] = {
    kNameEntry,   kDimensionNamesEntry, kUnsignedEntry,
    kDomainEntry, kRangeEntry,          kDonatedEntry};

Attribute kiln::target::getArgumentEntry(FunctionOpInterface function,
                                         unsigned argument, StringRef entry) {
  return entryOf(function.getArgAttr(argument, kArgumentAttr), entry);
}

Attribute kiln::target::getResultEntry(FunctionOpInterface function,
                                       unsigned result, StringRef entry) {
  return entryOf(function.getResultAttr(result, kArgumentAttr), entry);
}

void kiln::target::setArgumentEntry(FunctionOpInterface function,
                                    unsigned argument, StringRef entry,
                                    Attribute value) {
  Attribute said = function.getArgAttr(argument, kArgumentAttr);
  function.setArgAttr(argument, kArgumentAttr, withEntry(said, entry, value));
}

void kiln::target::setResultEntry(FunctionOpInterface function, unsigned result,
                                  StringRef entry, Attribute value) {
  Attribute said = function.getResultAttr(result, kArgumentAttr);
  function.setResultAttr(result, kArgumentAttr, withEntry(said, entry, value));
}

bool kiln::target::isArgumentWritten(FunctionOpInterface function,
                                     unsigned argument) {
  auto state = getArgumentEntry<StringAttr>(function, argument, kDonatedEntry);
  return state && state.getValue() == kWritten;
}

LogicalResult kiln::target::joinArgumentEntries(Operation *top) {
  top->walk([](FunctionOpInterface function) {
    if (!hasSignature(function))
      return;
    for (StringRef entry : kEntries) {
      std::string name = ("kiln." + entry).str();
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        if (Attribute value = function.removeArgAttr(i, name))
          setArgumentEntry(function, i, entry, value);
      for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
        if (Attribute value = function.removeResultAttr(
                i, StringAttr::get(function.getContext(), name)))
          setResultEntry(function, i, entry, value);
    }
  });
  return success();
}

/// What the value of an entry should be; empty where it is that.
static StringRef expectedForm(NamedAttribute entry) {
  Attribute value = entry.getValue();
  if (entry.getName() == kNameEntry && !isa<StringAttr>(value))
    return "a string";
  if (entry.getName() == kDimensionNamesEntry) {
    auto names = dyn_cast<ArrayAttr>(value);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return "a list of strings";
  }
  if (entry.getName() == kUnsignedEntry && !isa<UnitAttr>(value))
    return "a unit attribute";
  if (entry.getName() == kDomainEntry) {
    auto domain = dyn_cast<StringAttr>(value);
    if (!domain || !llvm::is_contained({"nonzero", "nonnegative", "positive"},
                                       domain.getValue()))
      return "\"nonzero\", \"nonnegative\" or \"positive\"";
  }
  if (entry.getName() == kRangeEntry) {
    auto range = dyn_cast<DenseI64ArrayAttr>(value);
    if (!range || range.size() != 2)
      return "two integers";
  }
  if (entry.getName() == kDonatedEntry && !isa<UnitAttr>(value)) {
    auto state = dyn_cast<StringAttr>(value);
    if (!state || state.getValue() != kWritten)
      return "a unit attribute or \"written\"";
  }
  return "";
}

/// Checks what is said of an argument or a result.
static LogicalResult verifyEntries(Operation *op, const char *what,
                                   unsigned number, NamedAttribute said) {
  if (said.getName() != kArgumentAttr)
    return op->emitOpError()
           << "expected of dialect 'kiln' the attribute '" << kArgumentAttr
           << "' on " << what << " " << number << ", found '"
           << said.getName().getValue() << "'";
  auto entries = dyn_cast<DictionaryAttr>(said.getValue());
  if (!entries)
    return op->emitOpError()
           << "expected '" << kArgumentAttr << "' of " << what << " " << number
           << " to be a dictionary, found " << said.getValue();
  for (NamedAttribute entry : entries) {
    if (!llvm::is_contained(kEntries, entry.getName().getValue())) {
      auto error = op->emitOpError()
                   << "expected entries of '" << kArgumentAttr << "' of "
                   << what << " " << number << " to be among ";
      llvm::interleaveComma(kEntries, error);
      return error << ", found '" << entry.getName().getValue() << "'";
    }
    StringRef form = expectedForm(entry);
    if (!form.empty())
      return op->emitOpError() << "expected '" << entry.getName().getValue()
                               << "' of " << what << " " << number << " to be "
                               << form << ", found " << entry.getValue();
  }
  return success();
}

LogicalResult KilnDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute said) {
  return verifyEntries(op, "argument", argument, said);
}

LogicalResult KilnDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned result,
                                                       NamedAttribute said) {
  return verifyEntries(op, "result", result, said);
}
