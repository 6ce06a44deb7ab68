//===- Check.cpp - Checking what a plug-in registered ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs in the child process in which plug-ins are tried, so it may call
// everything that the plug-in supplies.
//
//===----------------------------------------------------------------------===//

#include "RegistryImpl.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::target;

/// Whether `text` can stand in a SPEC.
static bool isSpecWord(StringRef text) {
  return !text.empty() && text.size() < 128 &&
         llvm::all_of(
             text,
             [](char c) {
               return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.';
             });
}

/// A name that is there twice; empty: none is.
static std::string findTwice(std::vector<std::string> names) {
  llvm::sort(names);
  auto found = std::adjacent_find(names.begin(), names.end());
  return found == names.end() ? "" : *found;
}

/// Checks the tables of one target.
static std::string checkTarget(const TargetRegistry &registry,
                               const Target &target) {
  std::string name = target.name().str();
  if (!isSpecWord(name) || StringRef(name).contains('.'))
    return "expected a target name of letters, digits, '_' and '-', found '" +
           name.substr(0, 64) + "'";
  std::string prefix = "target '" + name + "': ";
  for (const ChipInfo &chip : target.chips())
    if (chip.name != "*" && !isSpecWord(chip.name))
      return prefix +
             "expected a chip name of letters, digits, '_', '-' and "
             "'.', found '" +
             chip.name.substr(0, 64) + "'";
  for (const OptionInfo &option : target.options()) {
    if (!isSpecWord(option.key))
      return prefix +
             "expected an option key of letters, digits, '_', '-' "
             "and '.', found '" +
             option.key.substr(0, 64) + "'";
    auto [low, high] = StringRef(option.value).split("..");
    int64_t least, most;
    if (!low.getAsInteger(10, least) && !high.getAsInteger(10, most) &&
        least > most)
      return prefix +
             "expected an option of a range that begins where it ends or "
             "before, found '" +
             option.key + "' of " + option.value;
  }
  std::vector<std::string> keys, points, names;
  for (const OptionInfo &option : target.options())
    keys.push_back(option.key);
  for (const ExtensionPoint &point : target.extensionPoints())
    points.push_back(point.name);
  for (const ChipInfo &chip : target.chips())
    names.push_back(chip.name);
  for (auto [what, all] :
       {std::pair("option", &keys), std::pair("extension point", &points),
        std::pair("chip", &names)})
    if (std::string twice = findTwice(*all); !twice.empty())
      return prefix + "expected each " + what + " once, found '" + twice +
             "' twice";
  for (const ExtensionPoint &point : target.extensionPoints())
    if (!StringRef(point.name).starts_with(name + "."))
      return prefix + "expected its extension points to be named " + name +
             ".WHERE, found '" + point.name + "'";

  DialectRegistry dialects;
  target.registerDialects(dialects);
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  context.loadDialect<KilnDialect>();
  std::string reason;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    if (reason.empty())
      reason = diag.str();
    return success();
  });
  TargetOptions options;
  options.name = name;
  std::vector<ChipInfo> chips = target.chips();
  if (!chips.empty())
    options.chip = chips.front().name;
  TargetAttr description = target.description(&context, options);
  if (!description)
    return prefix + "has no description: " +
           (reason.empty() ? std::string("no reason given") : reason);
  if (description.getName() != name)
    return prefix + "expected its description to be named so, found '" +
           description.getName().str() + "'";
  if (!options.chip.empty() && options.chip != "*" &&
      description.getChip() != options.chip)
    return prefix + "expected a description of its chip '" + options.chip +
           "', found '" + description.getChip().str() + "'";
  TileSizes sizes = target.tileSizes(description, options);
  if (sizes.elementwiseRows < 1 || sizes.elementwiseCols < 1 ||
      sizes.reductionElements < 1 || sizes.reductionRows < 1)
    return prefix + "expected positive tile sizes";
  for (const auto &[type, tile] : sizes.contraction)
    if (tile.m < 1 || tile.n < 1 || tile.k < 1)
      return prefix + "expected positive tile sizes for contractions";
  return "";
}

std::string kiln::target::checkContributions(const TargetRegistry &registry,
                                             StringRef plugin) {
  for (const auto &entry : registry.impl().targets)
    if (entry.plugin == plugin)
      if (std::string error = checkTarget(registry, *entry.target);
          !error.empty())
        return error;
  return "";
}
