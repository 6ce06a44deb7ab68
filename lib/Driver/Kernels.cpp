//===- Kernels.cpp - Lowering kernels, each by one target or the host -----===//

#include "Kernels.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
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
  // Nothing here launches them, but they are what is wanted.
  for (Operation *kernel : kernels)
    SymbolTable::setSymbolVisibility(builder.clone(*kernel),
                                     SymbolTable::Visibility::Public);
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
  std::vector<std::string> &needed =
      result.devices[size_t(device)].requirements;
  needed.insert(needed.end(), blobs.requirements.begin(),
                blobs.requirements.end());
  llvm::sort(needed);
  needed.erase(llvm::unique(needed), needed.end());
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

namespace {
/// Assigns every kernel to the first of several targets that can lower it.
class Placer {
public:
  Placer(ModuleOp module, ArrayRef<BoundTarget> candidates,
         DiagnosticPrinter &printer, TimingScope &timing,
         const LoweredHook &lowered)
      : module(module), candidates(candidates), printer(printer),
        timing(timing), lowered(lowered),
        report(Report::of(module.getContext())), results(candidates.size()) {}

  LogicalResult run() {
    SmallVector<Operation *> todo;
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      index[kernel.getSymName()] = 0;
      todo.push_back(kernel);
    }
    while (!todo.empty()) {
      for (size_t i = 0; i < candidates.size(); ++i)
        if (failed(tryCandidate(i, todo)))
          return failure();
      todo = unifyVariants();
    }
    return success();
  }

  /// Index of the target that took a kernel.
  llvm::StringMap<size_t> index;

  /// Moves what was lowered into `result`; kernels that moved on are left out.
  void finish(CompiledKernels &result, SmallVectorImpl<size_t> &deviceOf) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      bool used = llvm::any_of(
          index, [&](const auto &entry) { return entry.second == i; });
      if (!used && !(index.empty() && i == 0))
        continue;
      deviceOf[i] = result.devices.size();
      result.devices.push_back({candidates[i].target->deviceName(),
                                deviceOptions(candidates[i].options),
                                {}});
      for (KernelBlobs &blobs : results[i]) {
        llvm::erase_if(blobs.kernels, [&](const KernelBlob &kernel) {
          auto it = index.find(kernel.name);
          return it == index.end() || it->second != i;
        });
        addKernels(blobs, deviceOf[i], result);
      }
    }
  }

private:
  /// Offers the kernels of `todo` that have come to candidate `i` to it. Those
  /// it does not take go on to the next.
  LogicalResult tryCandidate(size_t i, ArrayRef<Operation *> todo) {
    const BoundTarget &bound = candidates[i];
    bool isLast = i + 1 == candidates.size();
    SmallVector<Operation *> kernels;
    for (Operation *kernel : todo) {
      size_t &at = index[SymbolTable::getSymbolName(kernel)];
      if (at != i)
        continue;
      std::string reason;
      if (!bound.target->hasPipeline())
        reason = "the target has no code generator";
      else if (!bound.target->accepts(kernel, bound.description, bound.options,
                                      reason) &&
               reason.empty())
        reason = "gave no reason";
      if (reason.empty()) {
        kernels.push_back(kernel);
        continue;
      }
      report.declined(kernel, bound.options.name, reason);
      if (isLast)
        return emitUnsupported(kernel, "no target takes this kernel");
      at = i + 1;
    }
    if (kernels.empty())
      return success();
    KernelBlobs blobs;
    if (isLast) {
      // Nobody is left: what goes wrong is an error.
      OwningOpRef<ModuleOp> part = extract(module, kernels, bound);
      if (failed(lower(*part, bound, printer, timing, lowered, blobs)))
        return failure();
      results[i].push_back(std::move(blobs));
      return success();
    }
    {
      Attempt attempt(module.getContext());
      OwningOpRef<ModuleOp> part = extract(module, kernels, bound);
      if (succeeded(
              lower(*part, bound, attempt.printer, timing, lowered, blobs))) {
        for (const std::string &line : attempt.lines)
          printer.note(line);
        results[i].push_back(std::move(blobs));
        return success();
      }
    }
    // One by one, to tell apart what the target cannot do.
    for (Operation *kernel : kernels) {
      Attempt attempt(module.getContext());
      KernelBlobs one;
      OwningOpRef<ModuleOp> part = extract(module, {kernel}, bound);
      if (succeeded(
              lower(*part, bound, attempt.printer, timing, lowered, one))) {
        results[i].push_back(std::move(one));
        continue;
      }
      report.declined(kernel, bound.options.name, attempt.reason());
      index[SymbolTable::getSymbolName(kernel)] = i + 1;
    }
    return success();
  }

  /// All variants of a launch run on one device: moves them to the last one
  /// that any of them needs. Returns what has to be lowered again.
  SmallVector<Operation *> unifyVariants() {
    llvm::SetVector<Operation *> moved;
    bool changed = true;
    while (changed) {
      changed = false;
      module.walk([&](program::LaunchOp launch) {
        size_t last = 0;
        auto names = launch.getKernels().getAsRange<FlatSymbolRefAttr>();
        for (FlatSymbolRefAttr name : names)
          last = std::max(last, index.lookup(name.getValue()));
        for (FlatSymbolRefAttr name : names) {
          auto it = index.find(name.getValue());
          if (it == index.end() || it->second == last)
            continue;
          Operation *kernel = module.lookupSymbol(name.getValue());
          report.declined(kernel, candidates[it->second].options.name,
                          "another variant of its launch runs elsewhere");
          it->second = last;
          moved.insert(kernel);
          changed = true;
        }
      });
    }
    return moved.takeVector();
  }

  ModuleOp module;
  ArrayRef<BoundTarget> candidates;
  DiagnosticPrinter &printer;
  TimingScope &timing;
  const LoweredHook &lowered;
  Report &report;
  std::vector<std::vector<KernelBlobs>> results;
};
} // namespace

/// Tells the report which function launches each kernel.
static void nameOrigins(ModuleOp module) {
  for (auto func : module.getOps<program::FuncOp>())
    func.walk([&](program::LaunchOp launch) {
      for (auto name : launch.getKernels().getAsRange<FlatSymbolRefAttr>())
        if (Operation *kernel = module.lookupSymbol(name.getValue()))
          kernel->setAttr("kiln.function", func.getSymNameAttr());
    });
}

LogicalResult kiln::driver::compileKernels(
    ModuleOp module, ArrayRef<BoundTarget> targets, DiagnosticPrinter &printer,
    TimingScope &timing, const LoweredHook &lowered, CompiledKernels &result) {
  const BoundTarget &first = targets.front();
  if (first.target->inputLevel() == InputLevel::Prim) {
    // The whole module is the code; every kernel and function has a symbol.
    KernelBlobs blobs;
    OwningOpRef<ModuleOp> copy = module.clone();
    if (failed(lower(*copy, first, printer, timing, lowered, blobs)))
      return failure();
    result.devices.push_back(
        {first.target->deviceName(), deviceOptions(first.options), {}});
    addKernels(blobs, 0, result);
    return success();
  }

  // The host target takes over what nobody else can do.
  SmallVector<BoundTarget> candidates(targets);
  const Target *hostTarget = TargetRegistry::get().hostTarget();
  bool hasHost = llvm::any_of(candidates, [&](const BoundTarget &candidate) {
    return candidate.target == hostTarget;
  });
  if (hostTarget && !hasHost && hostTarget->inputLevel() == InputLevel::Tile) {
    BoundTarget host =
        TargetRegistry::get().bind(hostTarget->name(), module.getContext());
    if (!host)
      return failure();
    candidates.push_back(std::move(host));
  }
  nameOrigins(module);
  Placer placer(module, candidates, printer, timing, lowered);
  if (failed(placer.run()))
    return failure();
  SmallVector<size_t> deviceOf(candidates.size(), 0);
  placer.finish(result, deviceOf);
  llvm::StringMap<std::string> elsewhere;
  Report &report = Report::of(module.getContext());
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    size_t at = placer.index[kernel.getSymName()];
    StringRef name = candidates[at].options.name;
    report.chose(kernel, "placement", name, name, at == 0 ? "" : "(fallback)");
    if (deviceOf[at] != 0)
      elsewhere[kernel.getSymName()] = result.devices[deviceOf[at]].name;
  }
  return elsewhere.empty() ? success() : placeElsewhere(module, elsewhere);
}
