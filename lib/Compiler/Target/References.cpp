//===- References.cpp - Names that plug-ins refer to ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plug-in adds to somebody else's target, operation or pipeline, it adds
// by name. Once everything is loaded each name must be one that somebody
// registers.
//
//===----------------------------------------------------------------------===//

#include "RegistryImpl.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/Names.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>

using namespace mlir;
using namespace kiln::target;

namespace {
/// Checks the references of one plug-in.
class References {
public:
  References(const TargetRegistry &registry, StringRef plugin,
             bool checksDescriptions)
      : registry(registry), plugin(plugin),
        checksDescriptions(checksDescriptions) {}

  std::string check() {
    for (const auto &entry : registry.impl().targets)
      if (entry.plugin == plugin && checksDescriptions)
        checkFamily(*entry.target);
    LoweringRegistry &lowerings = LoweringRegistry::get();
    std::set<std::tuple<StringRef, StringRef, StringRef, StringRef>> seen;
    for (const Lowering *lowering : lowerings.lowerings(""))
      if (lowering->plugin == plugin) {
        std::string who = "lowering '" + lowering->name + "'";
        if (!seen.insert({lowering->name, lowering->target, lowering->op,
                          lowering->form})
                 .second)
          fail(who + " is registered twice for '" + lowering->op + "' of '" +
               lowering->target + "'");
        checkOwner(who, lowering->target);
        checkOperation(who, lowering->op);
      }
    for (const Schedule *schedule : lowerings.schedules(""))
      if (schedule->plugin == plugin) {
        std::string who = "schedule '" + schedule->name + "'";
        if (!schedule->target.empty())
          checkOwner(who, schedule->target);
        checkKind(who, schedule->kind);
      }
    for (const PrimClaim *claim : lowerings.claims(""))
      if (claim->plugin == plugin)
        checkOwner("claim '" + claim->name + "'", claim->target, false);
    for (const auto &option : registry.impl().options)
      if (option.plugin == plugin) {
        checkOwner("option '" + option.info.key + "'", option.target, false);
        checkOption(option.target, option.info.key);
      }
    for (const auto &entry : registry.impl().targets)
      if (entry.plugin == plugin)
        for (const OptionInfo &option : entry.target->options())
          checkOption(entry.target->name(), option.key, /*isOwn=*/true);
    for (const ExtensionPass &pass : registry.impl().passes)
      if (pass.plugin == plugin)
        checkPoint(pass);
    return error;
  }

private:
  void fail(const Twine &message) {
    if (error.empty())
      error = message.str();
  }

  template <typename Range> static std::string join(const Range &names) {
    std::string list;
    for (const auto &name : names)
      list += (list.empty() ? "" : ", ") + StringRef(name).str();
    return list.empty() ? "none" : list;
  }

  std::vector<std::string> targetNames() const {
    std::vector<std::string> names;
    for (const Target *target : registry.targets())
      names.push_back(target->name().str());
    return names;
  }

  void checkOwner(const std::string &who, StringRef owner,
                  bool mayBeFamily = true) {
    if (registry.find(owner) || (mayBeFamily && registry.findFamily(owner)))
      return;
    std::vector<std::string> families;
    for (const Family &family : registry.impl().families)
      families.push_back(family.name);
    fail(who + " is for '" + owner + "', which is no target" +
         (mayBeFamily ? " and no family" : "") + "; there are the targets " +
         join(targetNames()) +
         (mayBeFamily ? " and the families " + join(families) : ""));
  }

  /// A key means one thing: the target's own, the core's or a plug-in's.
  /// The plug-in that adds one to a target is wrong, not the target.
  void checkOption(StringRef target, StringRef key, bool isOwn = false) {
    const Target *owner = registry.find(target);
    if (!owner)
      return;
    auto count = llvm::count_if(
        registry.optionsOf(*owner),
        [&](const OptionInfo &option) { return option.key == key; });
    if (isOwn)
      count -= llvm::count_if(registry.impl().options, [&](const auto &added) {
        return added.target == target && added.info.key == key;
      });
    if (count < 2)
      return;
    fail("option '" + key + "' of target '" + target +
         "' is there already; --describe=" + target + " lists all");
  }

  /// The context knows the dialects of everybody who is loaded.
  void checkOperation(const std::string &who, StringRef name) {
    if (!registry.impl().coreDialects ||
        llvm::is_contained(kiln::interfaceNames(), name))
      return;
    if (name.starts_with("interface."))
      return fail(who + " is for operation '" + name +
                  "', which is no interface, expected one of: " +
                  join(kiln::interfaceNames()));
    if (!context) {
      DialectRegistry dialects;
      registry.impl().coreDialects(dialects);
      kiln::frontend::FrontendRegistry::get().registerDialects(dialects);
      registry.registerDialects(dialects);
      context = std::make_unique<MLIRContext>(dialects,
                                              MLIRContext::Threading::DISABLED);
    }
    StringRef dialect = name.split('.').first;
    if (!context->getOrLoadDialect(dialect))
      return fail(who + " is for operation '" + name + "', whose dialect '" +
                  dialect + "' is not registered (addDialects registers it)");
    if (!RegisteredOperationName::lookup(name, context.get()))
      fail(who + " is for operation '" + name + "', which dialect '" + dialect +
           "' does not have");
  }

  /// Where a triple says that its code is generated, by the family.
  void checkFamily(const Target &target) {
    MLIRContext own(MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler quiet(&own, [](Diagnostic &) {});
    TargetOptions options;
    options.name = target.name().str();
    if (std::vector<ChipInfo> chips = target.chips(); !chips.empty())
      options.chip = chips.front().name;
    TargetAttr description = target.description(&own, options);
    if (description && !description.getTriple().empty() &&
        !description.getFamily().empty() &&
        !registry.findFamily(description.getFamily()))
      fail("the description of target '" + target.name() + "' names family '" +
           description.getFamily() + "', which is not registered");
  }

  void checkKind(const std::string &who, StringRef kind) {
    const std::deque<std::string> &known = registry.impl().groupKinds;
    if (!kind.starts_with("claim.") && !llvm::is_contained(known, kind))
      fail(who + " is for groups of kind '" + kind +
           "', expected claim.NAME, " + join(known));
  }

  void checkPoint(const ExtensionPass &pass) {
    StringRef owner = StringRef(pass.point).split('.').first;
    auto points = registry.pointsOf(owner);
    if (llvm::any_of(points, [&](const ExtensionPoint &point) {
          return point.name == pass.point;
        }))
      return;
    std::vector<std::string> names;
    for (const ExtensionPoint &point : points)
      names.push_back(point.name);
    if (owner != "core" && !registry.find(owner))
      return fail("pass '" + pass.name + "' is added at '" + pass.point +
                  "', but there is no target '" + owner +
                  "'; there are the targets " + join(targetNames()));
    fail("pass '" + pass.name + "' is added at '" + pass.point +
         "', which is no extension point, expected one of: " + join(names));
  }

  const TargetRegistry &registry;
  StringRef plugin;
  bool checksDescriptions;
  std::string error;
  std::unique_ptr<MLIRContext> context;
};
} // namespace

std::string kiln::target::checkReferences(const TargetRegistry &registry,
                                          StringRef plugin,
                                          bool checksDescriptions) {
  // What evaluates loads plug-ins for their operations alone, and has nothing
  // of the compiler that they could refer to.
  if (!registry.impl().coreDialects)
    return "";
  return References(registry, plugin, checksDescriptions).check();
}
