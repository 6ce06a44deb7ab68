//===- KeepEntries.cpp - Leaving out what is not wanted -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UpstreamDialects.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Frontend/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::frontend {
#define GEN_PASS_DEF_KEEPENTRIES
#include "kiln/Frontend/Passes.h.inc"
} // namespace kiln::frontend

using namespace mlir;
using namespace kiln::frontend;

/// A function or a kernel with a body. Scripts for other tools (transform,
/// pdl_interp) are functions by their form only.
static FunctionOpInterface asProgram(Operation *op) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(op);
  StringRef dialect = op ? op->getName().getDialectNamespace() : "";
  if (!function || function.isExternal() || dialect == "transform" ||
      dialect == "pdl_interp")
    return {};
  return function;
}

/// Whether a module holds functions or kernels itself.
static bool hasPrograms(ModuleOp module) {
  return llvm::any_of(*module.getBody(),
                      [](Operation &op) { return bool(asProgram(&op)); });
}

/// A file may hold its functions in a module beside others, such as one with a
/// transform script: that module takes the place of the whole.
static LogicalResult unwrap(ModuleOp module) {
  while (!hasPrograms(module)) {
    ModuleOp found;
    for (auto inner : module.getOps<ModuleOp>()) {
      bool holds =
          hasPrograms(inner) || (llvm::hasSingleElement(*module.getBody()) &&
                                 !inner.getBody()->empty());
      if (!holds)
        continue;
      if (found)
        return inner.emitError("unsupported: functions in several modules of "
                               "one file");
      found = inner;
    }
    if (!found)
      return success();
    found->remove();
    module.getBody()->clear();
    module->setAttrs(found->getAttrDictionary());
    module.getBody()->getOperations().splice(module.getBody()->end(),
                                             found.getBody()->getOperations());
    found->erase();
  }
  return success();
}

/// The error for an entry that is not there, with those that are.
static LogicalResult noSuchEntry(ModuleOp module, StringRef name) {
  auto diag = module.emitError("no function '") << name << "' with a body";
  StringRef separator = ", expected one of: ";
  for (Operation &op : *module.getBody())
    if (auto function = asProgram(&op)) {
      diag << separator << function.getName();
      separator = ", ";
    }
  return diag;
}

/// The functions that are compiled for their own sake.
static LogicalResult findRoots(ModuleOp module, ArrayRef<std::string> entries,
                               llvm::SetVector<Operation *> &roots) {
  for (const std::string &name : entries) {
    auto function = asProgram(module.lookupSymbol(name));
    if (!function)
      return noSuchEntry(module, name);
    roots.insert(function);
  }
  SmallVector<Operation *> all;
  for (Operation &op : *module.getBody())
    if (auto function = asProgram(&op)) {
      all.push_back(&op);
      if (entries.empty() && function.isPublic())
        roots.insert(&op);
    }
  if (roots.empty()) // all of them are private: none is a helper
    roots.insert(all.begin(), all.end());
  if (!roots.empty() || module.getBody()->empty())
    return success();
  Operation &first = module.getBody()->front();
  return first.emitError("expected a function or a kernel with a body, found "
                         "no more than '")
         << first.getName() << "'";
}

/// Reports a root in a form of function that no frontend reads.
static LogicalResult checkForm(Operation *root, bool isOnlyOne) {
  StringRef name = root->getName().getStringRef();
  for (const Frontend *frontend : FrontendRegistry::get().frontends())
    if (llvm::is_contained(frontend->functions, name))
      return success();
  auto diag = root->emitError("unsupported: function '")
              << cast<FunctionOpInterface>(root).getName()
              << "' is defined by '" << name << "', expected 'func.func'";
  if (!isOnlyOne)
    diag.attachNote() << "--entry=NAME compiles one function and what it needs";
  diag.attachNote() << "input is read by the frontends " << listFrontends();
  return diag;
}

/// Adds the variables that operations of TOSA name by a text, which is no
/// reference to a symbol.
static void addNamedVariables(Operation *root, SymbolTable &symbols,
                              llvm::SetVector<Operation *> &needed) {
  root->walk([&](Operation *op) {
    auto name = op->getAttrOfType<StringAttr>("name");
    if (name && op->getName().getStringRef().starts_with("tosa.variable_"))
      if (Operation *variable = symbols.lookup(name))
        needed.insert(variable);
  });
}

/// Removes everything that no function or kernel of a name in `entries` needs.
static LogicalResult keepNeeded(ModuleOp module,
                                ArrayRef<std::string> entries) {
  llvm::SetVector<Operation *> needed;
  if (failed(unwrap(module)) || failed(findRoots(module, entries, needed)))
    return failure();
  size_t numRoots = needed.size();
  for (Operation *root : needed)
    if (failed(checkForm(root, !entries.empty() || numRoots == 1)))
      return failure();
  SymbolTable symbols(module);
  for (size_t i = 0; i < needed.size(); ++i) {
    addNamedVariables(needed[i], symbols, needed);
    auto uses = SymbolTable::getSymbolUses(needed[i]);
    if (!uses)
      continue;
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *symbol =
              symbols.lookup(use.getSymbolRef().getRootReference()))
        needed.insert(symbol);
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*module.getBody())))
    if (!needed.contains(&op)) {
      op.dropAllUses();
      op.erase();
    }
  if (!entries.empty())
    for (auto [number, op] : llvm::enumerate(needed))
      if (isa<FunctionOpInterface>(op))
        SymbolTable::setSymbolVisibility(
            op, number < numRoots ? SymbolTable::Visibility::Public
                                  : SymbolTable::Visibility::Private);
  // What a module says to other tools says nothing to Kiln.
  SmallVector<NamedAttribute> attributes(module->getDiscardableAttrs());
  for (NamedAttribute attribute : attributes) {
    auto [dialect, rest] = attribute.getName().getValue().split('.');
    if (rest.empty() || isUpstreamDialect(dialect))
      module->removeDiscardableAttr(attribute.getName());
  }
  return success();
}

namespace {
struct KeepEntriesPass
    : public kiln::frontend::impl::KeepEntriesBase<KeepEntriesPass> {
  using KeepEntriesBase::KeepEntriesBase;
  void runOnOperation() override {
    if (failed(keepNeeded(getOperation(), entries)))
      signalPassFailure();
  }
};
} // namespace
