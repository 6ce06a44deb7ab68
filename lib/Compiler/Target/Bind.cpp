//===- Bind.cpp - From a SPEC to a target, its options and description ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegistryImpl.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace kiln::target;

/// Whether the target knows the chip; reports what it knows instead.
static LogicalResult checkChip(const Target &target, StringRef chip,
                               Location loc) {
  std::vector<ChipInfo> chips = target.chips();
  if (chip.empty() || chips.empty() ||
      llvm::any_of(chips, [&](const ChipInfo &info) {
        return info.name == "*" || info.name == chip;
      }))
    return success();
  auto diag = emitError(loc)
              << "target '" << target.name() << "' has no chip '" << chip
              << "', expected " << (chips.size() > 1 ? "one of: " : "");
  llvm::interleaveComma(chips, diag,
                        [&](const ChipInfo &info) { diag << info.name; });
  return diag;
}

/// Whether there are the schedules, lowerings and claims that options name.
static LogicalResult checkNames(const TargetOptions &options, Location loc) {
  const LoweringRegistry &registry = LoweringRegistry::get();
  auto schedules = registry.schedules("");
  auto has = [](const auto &entries, StringRef name) {
    return llvm::any_of(entries,
                        [&](const auto *entry) { return entry->name == name; });
  };
  if (auto name = options.get("schedule"); name && !has(schedules, *name)) {
    auto diag = emitError(loc)
                << "no schedule '" << *name << "', expected one of: ";
    llvm::interleaveComma(schedules, diag, [&](const Schedule *schedule) {
      diag << schedule->name;
    });
    return diag;
  }
  SmallVector<StringRef> names;
  options.get("without", "").split(names, '+', -1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    if (!has(schedules, name) && !has(registry.lowerings(""), name) &&
        !has(registry.claims(""), name))
      return emitError(loc) << "without=" << name
                            << ": there is no lowering, schedule or claim of "
                               "this name; --describe="
                            << options.name << " lists them";
  return success();
}

/// Whether the description is one of the chip that was asked for, and of a
/// family that there is.
static LogicalResult checkDescription(const TargetRegistry &registry,
                                      const Target &target, StringRef chip,
                                      TargetAttr description, Location loc) {
  if (!chip.empty() && target.chips().empty() && description.getChip() != chip)
    return emitError(loc) << "target '" << target.name() << "' has no chip '"
                          << chip << "', expected " << description.getChip();
  StringRef family = description.getFamily();
  if (!family.empty() && !description.getTriple().empty() &&
      !registry.findFamily(family))
    return emitError(loc) << "the description of target '" << target.name()
                          << "' names family '" << family
                          << "', which is not registered";
  return success();
}

/// What a target says of a chip; reports why it says nothing.
static TargetAttr describe(const Target &target, const TargetOptions &options,
                           Location loc) {
  MLIRContext *context = loc.getContext();
  OwningOpRef<ModuleOp> place = ModuleOp::create(loc);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    errors += diag.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // the handler of the caller prints them
  });
  TargetAttr description;
  std::string owner = describeTarget(target, "description of");
  (void)runGuardedActivity(owner, *place, [&] {
    description = target.description(context, options);
    if (!description && !errors)
      emitError(loc) << owner << " is null, without a reason";
    return success();
  });
  return description;
}

/// Whether a description from a file is one of the family whose code the
/// target generates. Those of other families describe machines of which that
/// code's passes know nothing, such as memories without caches. Where no family
/// is stated, the triple still tells GPUs from other machines.
static LogicalResult checkFamily(const Target &target,
                                 const TargetOptions &options,
                                 TargetAttr description, Location loc) {
  TargetAttr own;
  { // A target need not say anything where a file does.
    kiln::OwnDiagnostics quiet(loc.getContext(),
                               [](Diagnostic &) { return success(); });
    own = describe(target, options, loc);
  }
  if (!own || own.getFamily().empty() ||
      own.getFamily() == description.getFamily())
    return success();
  if (description.getFamily().empty()) {
    StringRef triple = description.getTriple();
    if (triple.empty() ||
        llvm::Triple(triple).isGPU() == llvm::Triple(own.getTriple()).isGPU())
      return success();
    return emitError(loc) << "expected a description of family '"
                          << own.getFamily() << "', as target '"
                          << target.name()
                          << "' has, found one without a family for '" << triple
                          << "'";
  }
  return emitError(loc) << "expected a description of family '"
                        << own.getFamily() << "', as target '" << target.name()
                        << "' has, found one of family '"
                        << description.getFamily() << "'";
}

/// Files of the search path that are almost the program of a target, and what
/// they lack.
static void noteAlmostPrograms(StringRef name, InFlightDiagnostic &diag) {
  std::string program = ("kiln-target-" + name).str();
  for (const std::string &folder : pluginSearchPath()) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error)) {
      StringRef file = llvm::sys::path::filename(it->path());
      if (file == program && !llvm::sys::fs::can_execute(it->path()))
        diag << "; " << it->path() << " was found and is not executable";
      else if (file.starts_with(program + "."))
        diag << "; " << it->path()
             << " was found, but the name of a program has no extension";
    }
  }
}

BoundTarget TargetRegistry::bind(StringRef spec, MLIRContext *context) const {
  context->getOrLoadDialect<KilnDialect>();
  Location loc = UnknownLoc::get(context);
  std::string error;
  std::optional<TargetOptions> options = TargetOptions::parse(spec, error);
  if (!options) {
    emitError(loc) << error;
    return {};
  }
  const Target *target = find(options->name);
  if (!target) {
    auto diag = emitError(loc) << "unknown target '" << options->name
                               << "', expected one of: ";
    llvm::interleaveComma(targets(), diag,
                          [&](const Target *t) { diag << t->name(); });
    std::string library = "libkiln-target-" + options->name + ".so";
    std::string program = "kiln-target-" + options->name;
    for (const std::string &path : refusedPlugins())
      if (StringRef file = llvm::sys::path::filename(path);
          file == library || file == program)
        diag << "; " << path << " was found and could not be loaded, see above";
    noteAlmostPrograms(options->name, diag);
    return {};
  }
  if (std::string why = whyUnusable(*this, *target); !why.empty()) {
    emitError(loc) << why;
    return {};
  }
  std::vector<OptionInfo> keys = optionsOf(*target);
  for (const auto &[key, value] : options->values) {
    auto known = llvm::find_if(
        keys, [&key = key](const OptionInfo &info) { return info.key == key; });
    if (known != keys.end()) {
      // Alternatives such as on|off and ranges are all that there is.
      StringRef choices = known->value;
      auto [low, high] = choices.split("..");
      int64_t least, most, number;
      bool isRange =
          !low.getAsInteger(10, least) && !high.getAsInteger(10, most);
      if (isRange ? !StringRef(value).getAsInteger(10, number) &&
                        number >= least && number <= most
                  : !choices.contains('|') ||
                        llvm::is_contained(llvm::split(choices, '|'),
                                           StringRef(value)))
        continue;
      emitError(loc) << "option '" << key << "' of target '" << options->name
                     << "': expected " << choices << ", found '" << value
                     << "'";
      return {};
    }
    auto diag = emitError(loc)
                << "target '" << options->name << "' has no option '" << key
                << "', expected one of: ";
    llvm::interleaveComma(keys, diag,
                          [&](const OptionInfo &info) { diag << info.key; });
    return {};
  }
  if (failed(checkNames(*options, loc)))
    return {};
  if (failed(checkChip(*target, options->chip, loc)))
    return {};
  std::string chip = options->chip;
  std::vector<ChipInfo> chips = target->chips();
  if (options->chip.empty() && !chips.empty())
    options->chip = chips.front().name;
  BoundTarget bound;
  auto path = options->get("description");
  bound.description =
      path ? loadDescription(*path, context) : describe(*target, *options, loc);
  if (path && bound.description &&
      failed(checkFamily(*target, *options, bound.description,
                         FileLineColLoc::get(context, *path, 1, 1))))
    return {};
  if (!bound.description ||
      failed(checkDescription(*this, *target, path ? "" : chip,
                              bound.description, loc)))
    return {};
  bound.target = target;
  bound.options = std::move(*options);
  return bound;
}
