//===- Decided.cpp - What passes decide about operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Interfaces/Entries.h"

using namespace mlir;
using namespace kiln;

Attribute simt::getDecided(Operation *op, StringRef entry) {
  return entryOf(op, kDecidedAttr, entry);
}

void simt::setDecided(Operation *op, StringRef entry, Attribute value) {
  setEntry(op, kDecidedAttr, entry, value);
}

void simt::removeDecided(Operation *op, StringRef entry) {
  eraseEntries(op, kDecidedAttr, entry);
}

/// What the value of an entry should be; empty where it is that.
static StringRef expectedForm(StringRef entry, Attribute value) {
  if (entry == simt::kRowEntry || entry == simt::kCopierEntry)
    return isa<StringAttr>(value) ? "" : "a string";
  if (entry == simt::kScratchEntry) {
    auto places = dyn_cast<DenseI64ArrayAttr>(value);
    bool isRight = places && places.size() % 2 == 0 &&
                   llvm::all_of(places.asArrayRef(),
                                [](int64_t number) { return number >= 0; });
    return isRight ? "" : "pairs of numbers that are not negative";
  }
  if (entry == simt::kEmittersEntry)
    return isa<ArrayAttr>(value) ? "" : "a list";
  if (entry == simt::kColumnsEntry) {
    auto columns = dyn_cast<IntegerAttr>(value);
    return columns && columns.getInt() > 0 ? "" : "a positive number";
  }
  if (entry == simt::kSharedCopyEntry) {
    auto blocks = dyn_cast<IntegerAttr>(value);
    return blocks && blocks.getInt() > 1 ? "" : "a number of at least 2";
  }
  if (entry == simt::kCooperativeEntry || entry == simt::kExchangedEntry ||
      entry == simt::kPaddedEntry || entry == simt::kByColumnsEntry ||
      entry == simt::kFirstThreadEntry)
    return isa<UnitAttr>(value) ? "" : "a unit attribute";
  if (entry == simt::kRecipesEntry) {
    auto recipes = dyn_cast<ArrayAttr>(value);
    auto isRecipe = [](Attribute recipe) {
      if (auto texts = dyn_cast<ArrayAttr>(recipe))
        return !texts.empty() && llvm::all_of(texts, llvm::IsaPred<StringAttr>);
      auto words = dyn_cast<DenseI64ArrayAttr>(recipe);
      return words && !words.empty();
    };
    return recipes && llvm::all_of(recipes, isRecipe)
               ? ""
               : "a list of arrays of numbers, or of expressions";
  }
  return "an entry that passes know";
}

LogicalResult simt::verifyDecided(Operation *op, Attribute value) {
  FailureOr<DictionaryAttr> entries = verifiedEntries(op, kDecidedAttr, value);
  if (failed(entries))
    return failure();
  for (NamedAttribute entry : *entries) {
    StringRef form = expectedForm(entry.getName(), entry.getValue());
    if (!form.empty())
      return op->emitOpError() << "expected '" << entry.getName().getValue()
                               << "' of '" << kDecidedAttr << "' to be " << form
                               << ", found " << entry.getValue();
  }
  return success();
}
