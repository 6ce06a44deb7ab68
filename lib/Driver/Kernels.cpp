//===- Kernels.cpp - Lowering kernels, each by one target or the host -----===//

#include "Kernels.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace kiln::driver;
using namespace kiln::target;

LogicalResult kiln::driver::runPasses(PassManager &pm, ModuleOp module,
                                      DiagnosticPrinter &printer,
                                      TimingScope &timing) {
  unsigned before = printer.numErrors();
  pm.enableTiming(timing);
  if (succeeded(pm.run(module)))
    return success();
  if (printer.numErrors() == before) {
    std::string passes;
    llvm::raw_string_ostream os(passes);
    pm.printAsTextualPipeline(os);
    printer.error("one of these passes failed without saying why: " + passes);
  }
  return failure();
}

namespace {
/// The options of a device driver: the SPEC without its name.
std::string deviceOptions(const TargetOptions &options) {
  std::string text = options.chip;
  for (const auto &[key, value] : options.values)
    text +=
        (text.empty() ? "" : ",") + key + (value.empty() ? "" : "=" + value);
  return text;
}

/// A module of its own with copies of `kernels`, bound to a target.
OwningOpRef<ModuleOp> extract(ModuleOp module, ArrayRef<Operation *> kernels,
                              const BoundTarget &bound) {
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  result.get()->setAttrs(module->getAttrDictionary());
  setTarget(*result, bound);
  OpBuilder builder(result->getBodyRegion());
  builder.setInsertionPointToStart(result->getBody());
  for (Operation *kernel : kernels)
    builder.clone(*kernel);
  return result;
}

/// Runs the target's pipeline and serialiser over one module.
LogicalResult lower(ModuleOp module, const BoundTarget &bound,
                    DiagnosticPrinter &printer, TimingScope &timing,
                    const LoweredHook &lowered, KernelBlobs &blobs) {
  PassManager pm(module.getContext());
  bound.target->buildPipeline(pm, bound.options);
  TimingScope passes = timing.nest("lower kernels");
  if (failed(runPasses(pm, module, printer, passes)))
    return failure();
  passes.stop();
  if (lowered && failed(lowered(module, bound)))
    return failure();
  TimingScope serialising = timing.nest("serialise kernels");
  unsigned before = printer.numErrors();
  bool ok = false;
  std::string thrown;
  try {
    ok = succeeded(bound.target->serialize(module, bound.options, blobs));
  } catch (const std::exception &e) {
    thrown = std::string(": ") + e.what();
  }
  if (!ok && printer.numErrors() == before)
    printer.error("target '" + bound.options.name +
                  "' cannot serialise its kernels" + thrown);
  if (!ok)
    return failure();
  for (const KernelBlob &kernel : blobs.kernels)
    if (kernel.blob >= blobs.blobs.size() || kernel.name.empty() ||
        kernel.scratchBytes < 0) {
      printer.error("target '" + bound.options.name + "' returned a kernel '" +
                    kernel.name + "' with bytes or scratch that make no sense");
      return failure();
    }
  return success();
}

/// Adds the kernels of one serialised module.
void addKernels(KernelBlobs &blobs, int device, CompiledKernels &result) {
  unsigned base = result.modules.size();
  for (std::string &blob : blobs.blobs)
    result.modules.push_back(std::move(blob));
  for (KernelBlob &kernel : blobs.kernels)
    result.kernels[kernel.name] = {
        kernel.symbol.empty() ? kernel.name : kernel.symbol, base + kernel.blob,
        device, kernel.scratchBytes, std::move(kernel.metadata)};
}

/// The diagnostics of an attempt, kept back.
struct Attempt {
  explicit Attempt(MLIRContext *context)
      : printer(context,
                [this](StringRef line) { lines.push_back(line.str()); }) {}
  std::vector<std::string> lines;
  DiagnosticPrinter printer;

  /// The first error without its location.
  std::string reason() const {
    for (StringRef line : lines) {
      auto [place, message] = line.split("error: ");
      if (!message.empty())
        return message.str();
    }
    return "failed without saying why";
  }
};
} // namespace

/// Lets `bound` lower its kernels: all at once, and where that fails each by
/// itself, so that what it cannot do is told apart.
static LogicalResult
lowerWithFallback(ModuleOp module, const BoundTarget &bound, bool canFallBack,
                  DiagnosticPrinter &printer, TimingScope &timing,
                  const LoweredHook &lowered, CompiledKernels &result,
                  SmallVector<Operation *> &kernels,
                  SmallVector<Operation *> &rest) {
  if (kernels.empty())
    return success();
  Report &report = Report::of(module.getContext());
  KernelBlobs blobs;
  if (!canFallBack) {
    OwningOpRef<ModuleOp> part = extract(module, kernels, bound);
    if (failed(lower(*part, bound, printer, timing, lowered, blobs)))
      return failure();
    addKernels(blobs, 0, result);
    return success();
  }
  {
    Attempt attempt(module.getContext());
    OwningOpRef<ModuleOp> part = extract(module, kernels, bound);
    if (succeeded(
            lower(*part, bound, attempt.printer, timing, lowered, blobs))) {
      for (const std::string &line : attempt.lines)
        printer.note(line);
      addKernels(blobs, 0, result);
      return success();
    }
  }
  SmallVector<Operation *> taken;
  for (Operation *kernel : kernels) {
    Attempt attempt(module.getContext());
    KernelBlobs one;
    OwningOpRef<ModuleOp> part = extract(module, {kernel}, bound);
    if (failed(lower(*part, bound, attempt.printer, timing, lowered, one))) {
      report.declined(kernel, bound.options.name, attempt.reason());
      rest.push_back(kernel);
      continue;
    }
    taken.push_back(kernel);
    addKernels(one, 0, result);
  }
  kernels = taken;
  return success();
}

LogicalResult kiln::driver::compileKernels(
    ModuleOp module, const BoundTarget &bound, DiagnosticPrinter &printer,
    TimingScope &timing, const LoweredHook &lowered, CompiledKernels &result) {
  const Target &target = *bound.target;
  Report &report = Report::of(module.getContext());
  auto device = [](const BoundTarget &of) {
    return runtime::DeviceRef{of.target->deviceName(),
                              deviceOptions(of.options)};
  };
  if (target.inputLevel() == InputLevel::Prim) {
    // The whole module is the code; every kernel and function has a symbol.
    KernelBlobs blobs;
    OwningOpRef<ModuleOp> copy = module.clone();
    if (failed(lower(*copy, bound, printer, timing, lowered, blobs)))
      return failure();
    result.devices.push_back(device(bound));
    addKernels(blobs, 0, result);
    return success();
  }

  // The host target takes over what this one cannot do.
  const Target *hostTarget = TargetRegistry::get().hostTarget();
  bool isHost = hostTarget == &target;
  SmallVector<Operation *> kernels, rest;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    std::string reason;
    if (!target.hasPipeline())
      reason = "the target has no code generator";
    else if (target.accepts(kernel, bound.description, bound.options, reason))
      reason.clear();
    else if (reason.empty())
      reason = "gave no reason";
    if (reason.empty()) {
      kernels.push_back(kernel);
      continue;
    }
    report.declined(kernel, target.name(), reason);
    rest.push_back(kernel);
  }
  bool canFallBack = !isHost && hostTarget;
  if (failed(lowerWithFallback(module, bound, canFallBack, printer, timing,
                               lowered, result, kernels, rest)))
    return failure();

  // All variants of one launch run on one device.
  llvm::StringSet<> onHost;
  for (Operation *kernel : rest)
    onHost.insert(SymbolTable::getSymbolName(kernel));
  bool changed = true;
  while (changed) {
    changed = false;
    module.walk([&](program::LaunchOp launch) {
      auto names = launch.getKernels().getAsRange<FlatSymbolRefAttr>();
      bool any = llvm::any_of(names, [&](FlatSymbolRefAttr name) {
        return onHost.contains(name.getValue());
      });
      if (!any)
        return;
      for (FlatSymbolRefAttr name : names)
        if (onHost.insert(name.getValue()).second)
          changed = true;
    });
  }
  SmallVector<Operation *> hostKernels;
  bool anyHere = false;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    if (!onHost.contains(kernel.getSymName())) {
      anyHere = true;
      report.chose(kernel, "placement", bound.options.name, "whole kernel");
      continue;
    }
    result.kernels.erase(kernel.getSymName());
    hostKernels.push_back(kernel);
  }
  if (hostKernels.empty()) {
    result.devices.push_back(device(bound));
    return success();
  }
  if (!canFallBack)
    return emitUnsupported(hostKernels.front(),
                           "target '" + target.name() +
                               "' does not take this kernel, and no host "
                               "target is loaded");
  BoundTarget host =
      TargetRegistry::get().bind(hostTarget->name(), module.getContext());
  if (!host)
    return failure();
  for (Operation *kernel : hostKernels)
    report.chose(kernel, "placement", host.options.name, "host");
  KernelBlobs blobs;
  OwningOpRef<ModuleOp> part = extract(module, hostKernels, host);
  if (failed(lower(*part, host, printer, timing, lowered, blobs)))
    return failure();
  if (anyHere)
    result.devices.push_back(device(bound));
  result.devices.push_back(device(host));
  addKernels(blobs, result.devices.size() - 1, result);
  return anyHere ? placeOnHost(module, onHost) : success();
}
