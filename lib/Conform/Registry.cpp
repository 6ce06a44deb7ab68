//===- Registry.cpp - What is registered for the suite --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"
#include <mutex>

using namespace kiln::conform;
using llvm::StringRef;

Registry &Registry::get() {
  static Registry registry;
  return registry;
}

Entry &Plan::add(StringRef op, StringRef type, const llvm::Twine &form) {
  Entry &entry = entries.emplace_back();
  entry.op = op.str();
  entry.type = type.str();
  entry.form = form.str();
  return entry;
}

void kiln::conform::addRecipe(StringRef op, Recipe recipe) {
  Registry::get().recipes[op.str()] = std::move(recipe);
}

void kiln::conform::exempt(StringRef op, StringRef reason) {
  Registry::get().exemptions[op.str()] = reason.str();
}

void kiln::conform::restrict(StringRef op, Restriction restriction) {
  Registry::get().restrictions[op.str()].push_back(std::move(restriction));
}

Fill kiln::conform::fillFor(StringRef op, unsigned index, StringRef dtype,
                            const Fill &wanted) {
  auto found = Registry::get().restrictions.find(op.str());
  if (found != Registry::get().restrictions.end())
    for (const Restriction &restriction : found->second)
      if (restriction.index == index)
        return restriction.fill(dtype, wanted);
  return wanted;
}

/// What results would be poison, or unspecified, for other operands.
void kiln::conform::addRestrictions() {
  auto widthOf = [](StringRef dtype) {
    int width = 64;
    if (dtype.consume_front("i"))
      (void)dtype.getAsInteger(10, width);
    return width;
  };
  auto isInteger = [](StringRef dtype) { return dtype.starts_with("i"); };
  // Divisors are not 0, and not -1 beside the smallest number.
  for (const char *op :
       {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui", "prim.div",
        "prim.remainder", "prim.fmod"})
    restrict(op, {1, [=](StringRef dtype, const Fill &wanted) {
                    if (!isInteger(dtype))
                      return wanted;
                    return dtype == "i1"            ? Fill(1, 1)
                           : wanted.kind == "plain" ? Fill(-100, -2)
                                                    : Fill(1, 120);
                  }});
  for (const char *op : {"arith.shli", "arith.shrsi", "arith.shrui"})
    restrict(op, {1, [=](StringRef dtype, const Fill &) {
                    return Fill(0, widthOf(dtype) - 1);
                  }});
  for (const char *op : {"prim.shift_left", "prim.shift_right_arithmetic",
                         "prim.shift_right_logical"})
    restrict(op, {1, [=](StringRef dtype, const Fill &wanted) {
                    return wanted.kind == "plain"
                               ? Fill(-2, std::min(widthOf(dtype) + 2, 100))
                               : wanted;
                  }});
  // A base that is 0 has no negative powers.
  restrict("math.ipowi", {1, [](StringRef, const Fill &wanted) {
                            return wanted.kind == "plain" ? Fill(0, 9)
                                                          : Fill(0, 100);
                          }});
  // Limits in order, none of them NaN.
  restrict("math.clampf",
           {1, [](StringRef, const Fill &) { return Fill(-4, -0.5); }});
  restrict("math.clampf",
           {2, [](StringRef, const Fill &) { return Fill(0.5, 4); }});
  // Any bits are signaling NaN, too, of which powers have no rule.
  for (const char *op : {"math.fpowi", "math.powf", "prim.pow"})
    restrict(op, {0, [](StringRef dtype, const Fill &wanted) {
                    bool isAny = wanted.kind == "bits" && isFloatText(dtype);
                    return isAny ? Fill("finite") : wanted;
                  }});
  // Terms of both signs may cancel after what has overflowed, and NaN is all
  // that formats of 8 bits say of that.
  restrict("prim.polygamma", {1, [](StringRef dtype, const Fill &wanted) {
                                return isSmallFloatText(dtype) ? Fill(0.25, 8)
                                                               : wanted;
                              }});
  restrict("math.fpowi",
           {1, [](StringRef, const Fill &) { return Fill(-20, 20); }});
}

void kiln::conform::registerCoreRecipes() {
  static std::once_flag once;
  std::call_once(once, [] {
    addRestrictions();
    addTileMemory();
    addTileShape();
    addTileReductions();
    addTileProducts();
    addTilePointers();
    addTileAtomics();
    addTileExtern();
    addTileControl();
    addConversions();
    addPrimMovement();
    addPrimReductions();
    addPrimProducts();
    addPrimWindows();
    addPrimOthers();
    addPrimPlaces();
  });
}
