//===- Describe.cpp - --list-targets and --describe -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagnostics.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln::driver;
using namespace kiln::target;
using llvm::StringRef;

/// Two columns, the second one may be empty.
static void row(llvm::raw_ostream &os, StringRef left, StringRef right) {
  os << "  " << left;
  if (!right.empty())
    os.indent(left.size() < 26 ? 26 - left.size() : 1) << right;
  os << "\n";
}

void kiln::driver::printTargets(llvm::raw_ostream &os) {
  TargetRegistry &registry = TargetRegistry::get();
  os << "targets:\n";
  for (const Target *target : registry.targets()) {
    std::string name = target->name().str();
    std::string chips;
    for (const ChipInfo &chip : target->chips())
      chips += (chips.empty() ? ":" : "|") + chip.name;
    row(os, name + chips, target->help());
  }
  os << "frontends:\n";
  for (const kiln::frontend::Frontend *one :
       kiln::frontend::FrontendRegistry::get().frontends())
    row(os, one->name, one->help);
  os << "plug-ins:\n";
  for (const PluginInfo &plugin : registry.plugins())
    row(os, plugin.name + " " + plugin.version, plugin.path);
}

bool kiln::driver::printDescribe(StringRef spec, llvm::raw_ostream &os,
                                 const DiagnosticSink &diag) {
  mlir::DialectRegistry dialects;
  registerDialects(dialects);
  mlir::MLIRContext context(dialects);
  DiagnosticPrinter printer(&context, diag);
  TargetRegistry &registry = TargetRegistry::get();
  BoundTarget bound = registry.bind(spec, &context);
  if (!bound)
    return false;
  const Target &target = *bound.target;
  os << "target " << target.name();
  if (!target.help().empty())
    os << ": " << target.help();
  os << "\nSPEC " << bound.options.str() << "\n";
  if (std::string plugin = pluginOf(target); !plugin.empty())
    os << "plug-in " << plugin << "\n";
  const Target *host = findHostTarget();
  os << "takes over at "
     << (target.inputLevel() == InputLevel::Prim ? "prim" : "tile");
  if (!target.hasPipeline() && target.inputLevel() == InputLevel::Tile)
    os << "; its kernels run on the host"
       << (host ? " through " + host->name().str() : std::string());
  os << "\n\nchips:\n";
  for (const ChipInfo &chip : target.chips())
    row(os, chip.name, chip.help);
  os << "\noptions:\n";
  for (const OptionInfo &option : registry.optionsOf(target))
    row(os, option.key + "=" + option.value, option.help);
  os << "\nextension points (passes that were added; form pass):\n";
  for (const ExtensionPoint &point : registry.pointsOf(target.name())) {
    row(os, point.name, point.help);
    for (const ExtensionPass *pass : registry.passesAt(point.name))
      os << "    pass " << pass->name << " from " << pass->plugin << "\n";
    if (!point.formPass.empty())
      os << "    form " << point.formPass << "\n";
  }
  LoweringRegistry &lowerings = LoweringRegistry::get();
  auto source = [](StringRef plugin) {
    return plugin.empty() ? std::string("core") : plugin.str();
  };
  std::vector<StringRef> owners{target.name()};
  if (bound.description.getFamily() != target.name())
    owners.push_back(bound.description.getFamily());
  os << "\nlowerings (operation, priority), best first:\n";
  for (StringRef owner : owners)
    if (!owner.empty())
      for (const Lowering *entry : lowerings.lowerings(owner))
        row(os, entry->name,
            llvm::formatv("{0}, {1}, from {2}", entry->op, entry->priority,
                          source(entry->plugin))
                .str());
  os << "\nschedules (kind of group, priority), best first:\n";
  for (const Schedule *entry : lowerings.schedules(""))
    if (entry->target.empty() || llvm::is_contained(owners, entry->target))
      row(os, entry->name,
          llvm::formatv("{0}, {1}, from {2}", entry->kind, entry->priority,
                        source(entry->plugin))
              .str());
  os << "\nclaims at prim level:\n";
  for (const PrimClaim *entry : lowerings.claims(target.name()))
    row(os, entry->name, "from " + source(entry->plugin));
  os << "\ndescription:\n";
  printDescription(bound.description, os);
  return true;
}
