//===- Arguments.cpp - What is said of arguments of functions -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers and passes describe arguments and results of functions to those who
// call them. Attributes of the dialect on them have the form of their names.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace kiln::target;

/// What the value of an attribute should be; empty where it is that, or where
/// the name is another.
static StringRef expectedForm(NamedAttribute fact) {
  Attribute value = fact.getValue();
  if (fact.getName() == kArgumentNameAttr && !isa<StringAttr>(value))
    return "a string";
  if (fact.getName() == kDimensionNamesAttr) {
    auto names = dyn_cast<ArrayAttr>(value);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return "a list of strings";
  }
  if (fact.getName() == kUnsignedAttr && !isa<UnitAttr>(value))
    return "a unit attribute";
  if (fact.getName() == kDomainAttr) {
    auto domain = dyn_cast<StringAttr>(value);
    if (!domain || !llvm::is_contained({"nonzero", "nonnegative", "positive"},
                                       domain.getValue()))
      return "\"nonzero\", \"nonnegative\" or \"positive\"";
  }
  if (fact.getName() == kRangeAttr) {
    auto range = dyn_cast<DenseI64ArrayAttr>(value);
    if (!range || range.size() != 2)
      return "two integers";
  }
  return "";
}

static LogicalResult verifyFact(Operation *op, const char *what,
                                unsigned number, NamedAttribute fact) {
  StringRef form = expectedForm(fact);
  if (form.empty())
    return success();
  return op->emitOpError() << "expected '" << fact.getName().getValue()
                           << "' of " << what << " " << number << " to be "
                           << form << ", found " << fact.getValue();
}

LogicalResult KilnDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute fact) {
  return verifyFact(op, "argument", argument, fact);
}

LogicalResult KilnDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned result,
                                                       NamedAttribute fact) {
  return verifyFact(op, "result", result, fact);
}
