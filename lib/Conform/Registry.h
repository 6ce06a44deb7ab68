//===- Registry.h - What is registered for the suite ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_REGISTRY_H
#define KILN_LIB_CONFORM_REGISTRY_H

#include "kiln/Conform/Recipes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace kiln::conform {

struct Registry {
  std::map<std::string, Recipe> recipes;
  std::map<std::string, std::string> exemptions;
  std::map<std::string, std::vector<Restriction>> restrictions;

  static Registry &get();
};

/// Registers what the core brings, once: one function for each family.
void registerCoreRecipes();
void addRestrictions();
void addTileMemory();
void addTileShape();
void addTileReductions();
void addTileProducts();
/// Adds loops of products whose operands may be loaded ahead to `plan`.
void addPipelinedProducts(Plan &plan);
void addTilePointers();
void addTileAtomics();
void addTileExtern();
void addTileControl();
void addConversions();
void addPrimMovement();
void addPrimReductions();
void addPrimProducts();
void addPrimWindows();
void addPrimOthers();
void addPrimPlaces();

/// Adds the programs of operations whose operands have one shape, from their
/// definitions: `level` is "tile" (arith, math, tile) or "prim". Operations of
/// which no program may be wanted are only noted in `covered`, if they have
/// any.
void addElementwise(Plan &plan, llvm::StringRef level,
                    llvm::function_ref<bool(llvm::StringRef op)> mayBeWanted,
                    std::set<std::string> &covered);

/// The dialects that plug-ins bring.
const llvm::StringSet<> &pluginDialects();

/// The values that operand `index` of an operation gets.
Fill fillFor(llvm::StringRef op, unsigned index, llvm::StringRef dtype,
             const Fill &wanted);

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_REGISTRY_H
