//===- Registry.cpp - Targets and what extends them -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegistryImpl.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Contribution.h"
#include "kiln/Target/CoreOptions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::target;

Target::~Target() = default;

LogicalResult Target::serialize(ModuleOp module, const TargetOptions &options,
                                Executable &result) const {
  return module.emitError()
         << "unsupported: target '" << name() << "' has no serialiser";
}

LogicalResult Target::emit(ModuleOp module, EmitKind kind,
                           const TargetOptions &options,
                           llvm::raw_ostream &os) const {
  return module.emitError()
         << "unsupported: target '" << name() << "' prints no "
         << (kind == EmitKind::LLVM ? "LLVM IR" : "assembly");
}

TargetRegistry::TargetRegistry() : state(std::make_unique<Impl>()) {
  state->begin("");
}
TargetRegistry::~TargetRegistry() = default;

TargetRegistry &TargetRegistry::get() {
  // Never destroyed: plug-ins stay loaded until the process ends.
  static TargetRegistry *registry = new TargetRegistry;
  return *registry;
}

void TargetRegistry::Impl::begin(StringRef plugin) {
  current = plugin.str();
  complaint.clear();
  contributions = 0;
}

void kiln::target::noteContribution() {
  ++TargetRegistry::get().impl().contributions;
}

void TargetRegistry::Impl::complain(const Twine &what) {
  if (complaint.empty())
    complaint = what.str();
}

//===----------------------------------------------------------------------===//
// What plug-ins call
//===----------------------------------------------------------------------===//

void TargetRegistry::addTarget(std::unique_ptr<Target> target) {
  ++state->contributions;
  if (!target)
    return state->complain("registers a null target");
  if (const Target *old = find(target->name())) {
    std::string plugin = pluginOf(*old);
    return state->complain("target '" + target->name() +
                           "' is already registered by " +
                           (plugin.empty() ? "the core" : plugin));
  }
  state->targets.push_back({std::move(target), state->current});
}

namespace {
/// A target that is nothing but a description; its family generates the code.
class DescribedTarget : public Target {
public:
  DescribedTarget(std::string name, std::string chip, std::string family,
                  std::string text)
      : targetName(std::move(name)), chip(std::move(chip)),
        family(std::move(family)), text(std::move(text)) {}

  StringRef name() const override { return targetName; }
  StringRef help() const override { return "loaded from a description"; }
  std::vector<ChipInfo> chips() const override { return {{chip, ""}}; }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &) const override {
    return parseDescription(text, context, targetName);
  }
  /// Layouts of matrix instructions are attributes of code generators.
  void registerDialects(DialectRegistry &registry) const override {
    for (const auto &fn : TargetRegistry::get().impl().dialects)
      fn(registry);
  }
  bool hasPipeline() const override { return code() && code()->buildPipeline; }
  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    if (hasPipeline())
      code()->buildPipeline(pm, options);
  }
  std::vector<ExtensionPoint> extensionPoints() const override {
    std::vector<ExtensionPoint> all;
    if (code())
      all = code()->points;
    for (ExtensionPoint &point : all)
      point.name = targetName + "." + point.name;
    return all;
  }
  LogicalResult serialize(ModuleOp module, const TargetOptions &options,
                          Executable &result) const override {
    if (code() && code()->serialize)
      return code()->serialize(module, options, result);
    return Target::serialize(module, options, result);
  }

private:
  const Family *code() const {
    return family.empty() ? nullptr : TargetRegistry::get().findFamily(family);
  }
  std::string targetName, chip, family, text;
};
} // namespace

void TargetRegistry::addDescribedTarget(std::string text) {
  ++state->contributions;
  DialectRegistry dialects; // as the target registers them
  for (const auto &fn : state->dialects)
    fn(dialects);
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  std::string reason;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    if (reason.empty())
      reason = diag.str();
    return success();
  });
  TargetAttr description = parseDescription(text, &context);
  if (!description)
    return state->complain(reason);
  addTarget(std::make_unique<DescribedTarget>(
      description.getName().str(), description.getChip().str(),
      description.getTriple().empty() ? "" : description.getFamily().str(),
      std::move(text)));
}

void TargetRegistry::addLowering(Lowering lowering) {
  ++state->contributions;
  if (!lowering.lower || lowering.name.empty() || lowering.target.empty() ||
      !StringRef(lowering.op).contains('.'))
    return state->complain("lowering '" + lowering.name +
                           "' lacks a function, a target or an operation");
  lowering.plugin = state->current;
  LoweringRegistry::get().add(std::move(lowering));
}

void TargetRegistry::addSchedule(Schedule schedule) {
  ++state->contributions;
  if (!schedule.emit || schedule.name.empty() || schedule.kind.empty())
    return state->complain("schedule '" + schedule.name +
                           "' lacks a function or a kind");
  schedule.plugin = state->current;
  LoweringRegistry::get().add(std::move(schedule));
}

void TargetRegistry::addPrimClaim(PrimClaim claim) {
  ++state->contributions;
  if (!claim.claim || claim.name.empty() || claim.target.empty())
    return state->complain("claim '" + claim.name +
                           "' lacks a function or a target");
  claim.plugin = state->current;
  LoweringRegistry::get().add(std::move(claim));
}

void TargetRegistry::addExtensionPoint(ExtensionPoint point) {
  if (point.name.empty())
    return state->complain("an extension point has no name");
  if (findPoint(point.name))
    return state->complain("extension point '" + point.name +
                           "' is declared twice");
  state->points.push_back(std::move(point));
}

void TargetRegistry::addPass(
    std::string point, std::string name,
    std::function<void(OpPassManager &, const TargetOptions &)> build) {
  ++state->contributions;
  if (!build || name.empty())
    return state->complain("pass '" + name + "' at '" + point +
                           "' lacks a function or a name");
  state->passes.push_back(
      {std::move(point), std::move(name), std::move(build), state->current});
}

void TargetRegistry::addOption(std::string target, OptionInfo option) {
  ++state->contributions;
  if (option.key.empty())
    return state->complain("an option of '" + target + "' lacks its key");
  state->options.push_back(
      {std::move(target), std::move(option), state->current});
}

void TargetRegistry::addFamily(Family family) {
  ++state->contributions;
  if (family.name.empty() || findFamily(family.name))
    return state->complain("family '" + family.name +
                           "' has no name or is registered twice");
  state->families.push_back(std::move(family));
}

void TargetRegistry::addFrontend(frontend::Frontend frontend) {
  ++state->contributions;
  frontend.plugin = state->current;
  std::string problem =
      frontend::FrontendRegistry::get().add(std::move(frontend));
  if (!problem.empty())
    state->complain(problem);
}

void TargetRegistry::addDialects(std::function<void(DialectRegistry &)> fn) {
  ++state->contributions;
  if (!fn)
    return state->complain("registers a null function for dialects");
  state->dialects.push_back(std::move(fn));
}

void TargetRegistry::setCoreDialects(void (*fn)(DialectRegistry &)) {
  state->coreDialects = fn;
}

void TargetRegistry::setGroupKinds(ArrayRef<StringRef> kinds) {
  state->groupKinds.assign(kinds.begin(), kinds.end());
}

//===----------------------------------------------------------------------===//
// What the core asks
//===----------------------------------------------------------------------===//

const Target *TargetRegistry::find(StringRef name) const {
  for (const auto &entry : state->targets)
    if (entry.target->name() == name)
      return entry.target.get();
  return nullptr;
}

const Family *TargetRegistry::findFamily(StringRef name) const {
  for (const Family &family : state->families)
    if (family.name == name)
      return &family;
  return nullptr;
}

std::vector<const Target *> TargetRegistry::targets() const {
  std::vector<const Target *> all;
  for (const auto &entry : state->targets)
    all.push_back(entry.target.get());
  llvm::sort(all, [](const Target *a, const Target *b) {
    return a->name() < b->name();
  });
  return all;
}

const Target *kiln::target::findHostTarget() {
  const Target *best = nullptr;
  for (const Target *target : TargetRegistry::get().targets())
    if (target->fallbackPriority() > (best ? best->fallbackPriority() : 0))
      best = target;
  return best;
}

std::vector<OptionInfo> kiln::target::coreOptions() {
  return {
      {"description", "FILE",
       "use the #kiln.target of a file instead of the target's"},
      {"schedule", "NAME",
       "use this schedule for every group that it can take"},
      {"schedule_file", "FILE",
       "apply a schedule script, as --schedule=FILE does"},
      {"without", "NAME+NAME",
       "leave out these lowerings, schedules and claims"},
      {"retile", "on|off", "off: kernels of the input keep their block sizes"},
      {"blocks", "MxNxK", "block sizes of every matmul"},
      {"raster", "GROUPxAXIS",
       "grid swizzle of matmuls: bands of GROUP coordinates along AXIS "
       "(off: none)"},
      {"share_remainder", "on|off",
       "on: stream-K for the last round of instances of matmuls"},
      {"shift_edges", "on|off|deep",
       "whether the last blocks of a matmul begin earlier instead of reaching "
       "beyond its operands, and compute some elements twice (default: deep, "
       "where sums have 4096 bytes and a unit copies)"},
      {"pair_copies", "on|off|lines",
       "whether pairs of instances of a matmul copy the blocks that both read "
       "for each other, where a chip has clusters and each core gets one "
       "instance (default: lines, where many rows of both operands begin "
       "within lines of memory)"},
      {"candidate", "0..63",
       "take this candidate of the tiling model; 0: the best"},
      {"scatter", "ordered",
       "combine floats in a scatter in the same order in every call"},
      {"attention", "wide|decomposed",
       "wide: weights of attention stay in f32; decomposed: attention "
       "as two matmuls and a softmax"},
      {"tiling_cache", "FILE",
       "use block sizes that `kiln-run --tune` measured"}};
}

std::vector<OptionInfo> TargetRegistry::optionsOf(const Target &target) const {
  std::vector<OptionInfo> all = target.options();
  for (const Impl::Option &option : state->options)
    if (option.target == target.name())
      all.push_back(option.info);
  for (OptionInfo &option : coreOptions())
    all.push_back(std::move(option));
  return all;
}

/// The family that the description of a target's first chip names.
static std::string familyOf(const Target &target) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  TargetOptions options;
  options.name = target.name().str();
  if (std::vector<ChipInfo> chips = target.chips(); !chips.empty())
    options.chip = chips.front().name;
  TargetAttr description = target.description(&context, options);
  return description ? description.getFamily().str() : "";
}

std::vector<ExtensionPoint> TargetRegistry::pointsOf(StringRef target) const {
  std::vector<ExtensionPoint> all;
  const Target *found = find(target);
  if (found)
    all = found->extensionPoints();
  // The pipeline of its family has some, which it need not list.
  if (found && found->hasPipeline() && !state->families.empty()) {
    std::lock_guard<std::mutex> lock(state->familyMutex);
    auto [known, isNew] = state->familyOfTarget.try_emplace(found);
    if (isNew)
      known->second = familyOf(*found);
    if (const Family *family = findFamily(known->second))
      for (ExtensionPoint point : family->points) {
        point.name = (target + "." + point.name).str();
        if (llvm::none_of(all, [&](const ExtensionPoint &own) {
              return own.name == point.name;
            }))
          all.push_back(std::move(point));
      }
  }
  for (const ExtensionPoint &point : state->points)
    if (StringRef(point.name).split('.').first == target)
      all.push_back(point);
  return all;
}

std::vector<const ExtensionPass *>
TargetRegistry::passesAt(StringRef point) const {
  std::vector<const ExtensionPass *> all;
  for (const ExtensionPass &pass : state->passes)
    if (pass.point == point)
      all.push_back(&pass);
  return all;
}

const ExtensionPoint *TargetRegistry::findPoint(StringRef name) const {
  for (const ExtensionPoint &point : state->points)
    if (point.name == name)
      return &point;
  return nullptr;
}

std::vector<PluginInfo> TargetRegistry::plugins() const {
  return state->plugins;
}

std::string kiln::target::pluginOf(const Target &target) {
  for (const auto &entry : TargetRegistry::get().impl().targets)
    if (entry.target.get() == &target)
      return entry.plugin;
  return "";
}

std::string kiln::target::describeTarget(const Target &target, StringRef what) {
  std::string kind = what.empty() ? "target" : (what + " target").str();
  return describeOwner(kind, target.name(), pluginOf(target));
}

BoundTarget TargetRegistry::boundTarget(Operation *op) const {
  for (; op; op = op->getParentOp()) {
    auto spec = op->getAttrOfType<StringAttr>(kSpecAttr);
    if (!spec)
      continue;
    BoundTarget bound;
    std::string error;
    auto options = TargetOptions::parse(spec.getValue(), error);
    if (!options)
      return {};
    bound.target = find(options->name);
    bound.options = std::move(*options);
    bound.description = kiln::target::getDescription(op);
    return bound;
  }
  return {};
}

void TargetRegistry::registerDialects(DialectRegistry &registry) const {
  registry.insert<KilnDialect>();
  for (const auto &entry : state->targets) {
    Activity activity(describeTarget(*entry.target, "dialects of"), nullptr);
    entry.target->registerDialects(registry);
  }
  for (const auto &fn : state->dialects)
    fn(registry);
  for (const frontend::Frontend *one :
       frontend::FrontendRegistry::get().frontends()) {
    Activity activity(
        describeOwner("dialects of frontend", one->name, one->plugin), nullptr);
    if (one->registerDialects)
      one->registerDialects(registry);
  }
}

void kiln::target::setTarget(ModuleOp module, const BoundTarget &target) {
  MLIRContext *context = module.getContext();
  module->setAttr(kSpecAttr, StringAttr::get(context, target.options.str()));
  module->setAttr(kTargetAttr, target.description);
}
