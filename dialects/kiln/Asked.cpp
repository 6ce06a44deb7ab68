//===- Asked.cpp - What a schedule script asks of the compiler ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Interfaces/Entries.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

/// Of a kernel: the decisions about operations in it. Each of these operations
/// has the place of its decision in that list as the third entry of its own.
static constexpr llvm::StringLiteral kInside = "inside";

static DictionaryAttr dictionaryOf(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(kAskedAttr);
}

/// The place of a decision about `op` in the list of its kernel; none if
/// nothing decided it before.
static std::optional<int64_t> placeInside(Operation *op, StringRef decision) {
  DictionaryAttr known = dictionaryOf(op);
  auto entry = known ? known.getAs<ArrayAttr>(decision) : ArrayAttr();
  auto place =
      entry && entry.size() == 3 ? dyn_cast<IntegerAttr>(entry[2]) : nullptr;
  return place ? std::optional<int64_t>(place.getInt()) : std::nullopt;
}

void kiln::target::ask(Operation *op, StringRef decision, Attribute value,
                       Location at) {
  MLIRContext *context = op->getContext();
  Attribute where = LocationAttr(at);
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  if (!kernel) {
    setEntry(op, kAskedAttr, decision, ArrayAttr::get(context, {value, where}));
    return;
  }
  SmallVector<Attribute> inside;
  if (DictionaryAttr known = dictionaryOf(kernel))
    if (auto list = known.getAs<ArrayAttr>(kInside))
      inside.append(list.begin(), list.end());
  Attribute entry =
      ArrayAttr::get(context, {StringAttr::get(context, decision), where});
  std::optional<int64_t> place = placeInside(op, decision);
  if (place && *place >= 0 && *place < int64_t(inside.size())) {
    inside[*place] = entry;
  } else {
    place = inside.size();
    inside.push_back(entry);
  }
  Attribute number = IntegerAttr::get(IntegerType::get(context, 64), *place);
  setEntry(op, kAskedAttr, decision,
           ArrayAttr::get(context, {value, where, number}));
  setEntry(kernel, kAskedAttr, kInside, ArrayAttr::get(context, inside));
}

std::optional<Asked> kiln::target::findAsked(Operation *op,
                                             StringRef decision) {
  DictionaryAttr known = dictionaryOf(op);
  auto pair = known ? known.getAs<ArrayAttr>(decision) : ArrayAttr();
  if (!pair || pair.size() < 2 || pair.size() > 3 || decision == kInside)
    return std::nullopt;
  auto at = dyn_cast<LocationAttr>(pair[1]);
  if (!at)
    return std::nullopt;
  return Asked{pair[0], Location(at)};
}

std::optional<Asked> kiln::target::findAnyAsked(Operation *kernel) {
  DictionaryAttr known = dictionaryOf(kernel);
  if (!known)
    return std::nullopt;
  for (NamedAttribute entry : known)
    if (std::optional<Asked> asked = findAsked(kernel, entry.getName()))
      return asked;
  if (auto inside = known.getAs<ArrayAttr>(kInside))
    for (auto entry : inside.getAsRange<ArrayAttr>())
      if (entry.size() == 2)
        if (auto at = dyn_cast<LocationAttr>(entry[1]))
          return Asked{entry[0], Location(at)};
  return std::nullopt;
}

LogicalResult kiln::target::emitUnmet(const Asked &asked, const Twine &why) {
  return emitError(asked.at) << "unsupported: " << why;
}

LogicalResult kiln::target::verifyAsked(Operation *kernel, StringRef decision) {
  DictionaryAttr known = dictionaryOf(kernel);
  auto inside = known ? known.getAs<ArrayAttr>(kInside) : ArrayAttr();
  if (!inside)
    return success();
  DenseSet<int64_t> found;
  kernel->walk([&](Operation *op) {
    if (std::optional<int64_t> place = placeInside(op, decision))
      found.insert(*place);
  });
  for (auto [place, attribute] : llvm::enumerate(inside)) {
    auto entry = dyn_cast<ArrayAttr>(attribute);
    if (!entry || entry.size() != 2 || !isa<LocationAttr>(entry[1]) ||
        entry[0] != StringAttr::get(kernel->getContext(), decision) ||
        found.contains(int64_t(place)))
      continue;
    return emitUnmet({entry[0], Location(cast<LocationAttr>(entry[1]))},
                     "a pass replaced the operation before its '" + decision +
                         "' was decided");
  }
  return success();
}
