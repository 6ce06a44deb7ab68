//===- PassHooks.cpp - Whose passes run and fail --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PassHooks.h"
#include "kiln/Driver/PassActivities.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln::driver;
using namespace kiln::target;

/// Runs other passes, on other threads maybe.
static bool isAdaptor(Pass *pass) {
  return pass->getName().ends_with("OpToOpPassAdaptor");
}

const std::string &PassHooks::ownerOf(Pass *pass) {
  auto [entry, isNew] = owners.try_emplace(pass);
  if (isNew) {
    // Where its table of virtual functions is, its code is.
    const void *code = *reinterpret_cast<void **>(pass);
    std::string plugin = pluginOfCode(code);
    StringRef name =
        pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    entry->second = describeOwner("pass", name, plugin);
    if (!plugin.empty())
      foreign.insert(pass);
  }
  return entry->second;
}

void PassHooks::runBeforePass(Pass *pass, Operation *op) {
  if (isAdaptor(pass))
    return;
  if (printer)
    known = printer->numErrors();
  Activity::begin(ownerOf(pass), op);
}

void PassHooks::runAfterPass(Pass *pass, Operation *op) {
  if (isAdaptor(pass))
    return;
  Activity::end();
  if (printer && printer->numErrors() > known)
    keepFailed(pass, op);
}

void PassHooks::runAfterPassFailed(Pass *pass, Operation *op) {
  if (isAdaptor(pass))
    return;
  Activity::end();
  keepFailed(pass, op);
}

void PassHooks::keepFailed(Pass *pass, Operation *op) {
  if (failed)
    return;
  failed = pass;
  place = placeOf(op);
  kernels = describeKernels(op);
}

/// Whose of a plug-in's lowerings went wrong, or else took something, in the
/// order of the report.
static std::vector<std::string> foreignLowerings(MLIRContext *context) {
  llvm::StringMap<std::string> plugins;
  LoweringRegistry &registry = LoweringRegistry::get();
  for (const Lowering *lowering : registry.lowerings(""))
    plugins[lowering->name] = lowering->plugin;
  std::vector<std::string> owners;
  for (std::string &owner : Report::of(context).brokenOwners())
    if (StringRef(owner).contains(" of plug-in "))
      return {std::move(owner)};
  auto add = [&](std::string owner) {
    if (!llvm::is_contained(owners, owner))
      owners.push_back(std::move(owner));
  };
  for (const ReportRow &row : Report::of(context).rows())
    if (auto plugin = plugins.find(row.chosen); row.stage == "lowering" &&
                                                plugin != plugins.end() &&
                                                !plugin->second.empty())
      add(describeOwner("lowering", row.chosen, plugin->second));
  return owners;
}

void PassHooks::explain(DiagnosticPrinter &printer, unsigned before,
                        MLIRContext *context) const {
  if (!failed)
    return;
  std::string prefix = place.empty() ? "" : place + ": ";
  std::string on = kernels.empty() ? "" : " on " + kernels;
  const std::string &owner = owners.lookup(failed);
  if (printer.numErrors() == before) {
    std::string message = owner + " failed without saying why" + on;
    if (prefix.empty())
      printer.error(message);
    else
      printer.raw(prefix + "error: " + message);
    return;
  }
  if (printer.namesPlugin())
    return;
  if (foreign.contains(failed)) {
    printer.note(prefix + "note: in " + owner + on);
    return;
  }
  // What came before may have left what this pass stumbled over.
  std::vector<std::string> suspects = foreignLowerings(context);
  if (Report::of(context).brokenOwners().empty())
    for (Pass *pass : foreign)
      suspects.push_back(owners.lookup(pass));
  if (suspects.empty())
    return;
  std::string list;
  for (const std::string &suspect : suspects)
    list += (list.empty() ? "" : ", ") + suspect;
  printer.note(prefix + "note: in " + owner + on + ", after " + list);
}

std::unique_ptr<PassInstrumentation> kiln::driver::makePassActivities() {
  return std::make_unique<PassHooks>();
}
