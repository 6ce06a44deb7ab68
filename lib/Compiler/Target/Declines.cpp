//===- Declines.cpp - Reasons that stay with an operation -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Declines.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kiln;

void target::keepDeclines(Operation *op) {
  Report &report = Report::of(op->getContext());
  std::vector<Decline> declines = report.pendingDeclines(op);
  if (declines.empty())
    return;
  // A row without a stage takes them, and is not added.
  report.chose(op, /*stage=*/"", "", "");
  Builder b(op->getContext());
  SmallVector<Attribute> list;
  if (auto known = dyn_cast_or_null<ArrayAttr>(getReported(op, kDeclinedEntry)))
    llvm::append_range(list, known);
  for (const Decline &decline : declines)
    list.push_back(b.getStrArrayAttr({decline.name, decline.reason}));
  setReported(op, kDeclinedEntry, b.getArrayAttr(list));
}

/// Calls `visit` for each decline that the operation carries.
static void forEach(Operation *op,
                    llvm::function_ref<void(StringRef, StringRef)> visit) {
  auto list = dyn_cast_or_null<ArrayAttr>(
      target::getReported(op, target::kDeclinedEntry));
  if (!list)
    return;
  for (Attribute entry : list) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    if (!pair || pair.size() != 2)
      continue;
    auto name = dyn_cast<StringAttr>(pair[0]);
    auto reason = dyn_cast<StringAttr>(pair[1]);
    if (name && reason)
      visit(name.getValue(), reason.getValue());
  }
}

void target::restoreDeclines(Operation *op) {
  Report &report = Report::of(op->getContext());
  forEach(op, [&](StringRef name, StringRef reason) {
    report.declined(op, name, reason);
  });
}

bool target::hasDeclined(Operation *op, StringRef name) {
  bool found = false;
  forEach(op, [&](StringRef other, StringRef) { found |= other == name; });
  return found;
}
