//===- Kernels.cpp - Lowering kernels, each by one target or the host -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump.h"
#include "Explanation.h"
#include "PassHooks.h"
#include "Shards.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Driver/Semantics.h"
#include "kiln/Target/Activity.h"
#include "kiln/Transforms/Program/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

LogicalResult kiln::driver::runPasses(PassManager &pm, ModuleOp module,
                                      DiagnosticPrinter &printer,
                                      TimingScope &timing, StringRef stage) {
  unsigned before = printer.numErrors();
  if (IRDump *dump = IRDump::of(module.getContext()))
    dump->attach(pm, stage);
  if (Explanation *explanation = Explanation::of(module.getContext()))
    explanation->attach(pm);
  if (SemanticsCheck *check = SemanticsCheck::of(module.getContext()))
    check->attach(pm);
  pm.enableTiming(timing);
  auto owned = std::make_unique<PassHooks>(&printer);
  PassHooks *hooks = owned.get();
  pm.addInstrumentation(std::move(owned));
  std::string owner = "pipeline '" + stage.str() + "'";
  // A pass that reports an error and goes on has failed.
  if (succeeded(
          runGuardedActivity(owner, module, [&] { return pm.run(module); })) &&
      printer.numErrors() == before)
    return success();
  hooks->explain(printer, before, module.getContext());
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

/// Adds the kernels of one serialised module.
void addKernels(Executable &blobs, int device, CompiledKernels &result) {
  std::vector<std::string> &needed =
      result.devices[size_t(device)].requirements;
  needed.insert(needed.end(), blobs.requirements.begin(),
                blobs.requirements.end());
  llvm::sort(needed);
  needed.erase(llvm::unique(needed), needed.end());
  unsigned base = result.modules.size();
  for (std::string &blob : blobs.blobs)
    result.modules.push_back(std::move(blob));
  for (CompiledKernel &kernel : blobs.kernels) {
    std::string name = kernel.name;
    if (kernel.symbol.empty())
      kernel.symbol = name;
    unsigned module = base + kernel.blob;
    result.kernels[name] = {std::move(kernel), module, device, ""};
  }
}
} // namespace

static size_t countKernels(ModuleOp module) {
  return size_t(
      llvm::count_if(*module.getBody(), llvm::IsaPred<tile::KernelOp>));
}

namespace {
/// Assigns every kernel to the first of several targets that can lower it.
class Placer {
public:
  Placer(ModuleOp module, ArrayRef<BoundTarget> candidates,
         DiagnosticPrinter &printer, TimingScope &timing,
         const LoweringPlan &plan, size_t numNamed)
      : module(module), candidates(candidates), numNamed(numNamed),
        printer(printer), timing(timing), plan(plan),
        progress("kernels", countKernels(module), plan.progress),
        report(Report::of(module.getContext())) {
    if (plan.kept)
      results = std::move(plan.kept->results);
    results.resize(candidates.size());
  }

  LogicalResult run() {
    SmallVector<Operation *> todo;
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      order[kernel.getSymName()] = index.size();
      FailureOr<size_t> first = firstOf(kernel);
      if (failed(first))
        return failure();
      index[kernel.getSymName()] = *first;
      todo.push_back(kernel);
    }
    while (!todo.empty()) {
      for (size_t i = 0; i < candidates.size(); ++i) {
        if (i > 0 && i < numNamed && plan.chooseAgain &&
            plan.chooseAgain(i, index)) {
          isStopped = true;
          if (plan.kept)
            plan.kept->results = std::move(results);
          return success();
        }
        if (failed(tryCandidate(i, todo)))
          return failure();
      }
      todo = unifyVariants();
    }
    return success();
  }

  /// Whether blocks of kernels are to be chosen again.
  bool isStopped = false;

  /// Index of the target that took a kernel.
  llvm::StringMap<size_t> index;
  /// Number of each kernel in the module.
  llvm::StringMap<size_t> order;

  /// Moves what was lowered into `result`; kernels that moved on are left out.
  void finish(CompiledKernels &result, SmallVectorImpl<size_t> &deviceOf) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      bool used = llvm::any_of(
          index, [&](const auto &entry) { return entry.second == i; });
      if (!used && !(index.empty() && i == 0))
        continue;
      // Launches and buffers name a device by its driver: targets that have one
      // driver share their device, and no buffer moves between their kernels.
      std::string name = candidates[i].target->deviceName();
      auto known = llvm::find_if(result.devices, [&](const auto &device) {
        return device.name == name;
      });
      deviceOf[i] = size_t(known - result.devices.begin());
      if (known == result.devices.end())
        result.devices.push_back(
            {std::move(name), deviceOptions(candidates[i].options), {}});
      for (Executable &blobs : results[i]) {
        llvm::erase_if(blobs.kernels, [&](const CompiledKernel &kernel) {
          auto it = index.find(kernel.name);
          return it == index.end() || it->second != i;
        });
        addKernels(blobs, deviceOf[i], result);
      }
    }
  }

private:
  /// The number of the target that a kernel names, or else of the first one.
  /// The kernel no longer names it then: no target knows the attributes.
  FailureOr<size_t> firstOf(tile::KernelOp kernel) {
    auto spec = dyn_cast_or_null<StringAttr>(kernel->removeAttr(kSpecAttr));
    kernel->removeAttr(kTargetAttr);
    if (!spec)
      return size_t(0);
    for (size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].options.str() == spec.getValue())
        return i;
    return kernel.emitError() << "expected '" << kSpecAttr
                              << "' of the kernel to be one of the targets, "
                                 "found '"
                              << spec.getValue() << "'";
  }

  /// Offers the kernels of `todo` that have come to candidate `i` to it. Those
  /// it does not take go on to the next.
  LogicalResult tryCandidate(size_t i, ArrayRef<Operation *> todo) {
    const BoundTarget &bound = candidates[i];
    SmallVector<Operation *> kernels;
    bool ok = true;
    for (Operation *kernel : todo) {
      if (index[SymbolTable::getSymbolName(kernel)] != i || isKept(i, kernel))
        continue;
      std::string reason;
      FailureOr<bool> taken = accepts(kernel, bound, reason);
      if (failed(taken))
        return failure();
      if (*taken)
        kernels.push_back(kernel);
      else
        ok &= succeeded(passOn(i, kernel, reason));
    }
    if (!ok || kernels.empty())
      return success(ok);
    std::vector<Shard> shards = cutShards(kernels, plan);
    lowerShards(module, bound, printer, timing, plan, shards, &progress);
    // Nobody is left behind the last one: what it says is the error.
    if (i + 1 == candidates.size() && !plan.noFallback)
      return keepLast(i, shards);
    std::vector<Shard> tried;
    for (Shard &shard : shards)
      split(bound, std::move(shard), tried);
    // What goes wrong for one kernel would be said of the next one, too.
    auto isBroken = [](const Shard &shard) {
      return !shard.succeeded && !shard.isDeclined();
    };
    auto broken = llvm::find_if(tried, isBroken);
    if (broken != tried.end()) {
      std::vector<Shard> first(1);
      first.front() = std::move(*broken);
      return keep(i, first);
    }
    for (const Shard &shard : tried)
      if (shard.isDeclined())
        ok &= succeeded(passOn(i, shard.kernels.front(), shard.reason()));
    llvm::erase_if(tried,
                   [](const Shard &shard) { return shard.isDeclined(); });
    return success(succeeded(keep(i, tried)) && ok);
  }

  /// Whether an earlier attempt has lowered the same kernel for candidate `i`.
  bool isKept(size_t i, Operation *kernel) {
    if (!plan.kept)
      return false;
    auto known = plan.kept->texts.find(
        {i, SymbolTable::getSymbolName(kernel).getValue().str()});
    return known != plan.kept->texts.end() && known->second == textOf(kernel);
  }
  static std::string textOf(Operation *kernel) {
    std::string text;
    llvm::raw_string_ostream os(text);
    kernel->print(os, OpPrintingFlags().enableDebugInfo().useLocalScope());
    return text;
  }

  /// A kernel that a candidate declines goes to the next one.
  LogicalResult passOn(size_t i, Operation *kernel, StringRef reason) {
    report.declined(kernel, candidates[i].options.name, reason);
    if (std::optional<Asked> asked = findAnyAsked(kernel))
      return emitUnmet(*asked, "target '" + candidates[i].options.name +
                                   "' declines kernel '" +
                                   SymbolTable::getSymbolName(kernel).str() +
                                   "', which this changes: " + reason);
    if (i + 1 == candidates.size()) {
      // Of a kernel and its variants once.
      if (!refused.insert(locationString(kernel->getLoc()) + reason.str())
               .second)
        return failure();
      return refuse(kernel, candidates, plan.noFallback);
    }
    index[SymbolTable::getSymbolName(kernel)] = i + 1;
    return success();
  }

  /// Tells apart what of a failed shard the target cannot do: those kernels
  /// become shards of their own, the others stay together.
  void split(const BoundTarget &bound, Shard shard, std::vector<Shard> &tried) {
    if (shard.succeeded || shard.kernels.size() == 1) {
      tried.push_back(std::move(shard));
      return;
    }
    std::vector<Shard> singles(shard.kernels.size()), rest(1);
    for (auto [single, kernel] : llvm::zip(singles, shard.kernels))
      single.kernels.push_back(kernel);
    lowerShards(module, bound, printer, timing, plan, singles);
    for (Shard &single : singles)
      if (single.succeeded)
        rest.front().kernels.push_back(single.kernels.front());
    // Wrong together and right alone: nothing can be left out.
    if (rest.front().kernels.size() == singles.size())
      rest.front() = std::move(shard);
    else if (rest.front().kernels.size() > 1)
      lowerShards(module, bound, printer, timing, plan, rest);
    bool isTogether = rest.front().kernels.size() > 1;
    for (Shard &single : singles)
      if (!single.succeeded || !isTogether)
        tried.push_back(std::move(single));
    if (isTogether)
      tried.push_back(std::move(rest.front()));
  }

  /// What the last candidate declines is an error, and so is whatever made the
  /// others decline it.
  LogicalResult keepLast(size_t i, std::vector<Shard> &shards) {
    LogicalResult kept = keep(i, shards);
    for (const Shard &shard : shards)
      if (!shard.succeeded)
        for (Operation *kernel : shard.kernels)
          for (const Decline &decline : report.pendingDeclines(kernel))
            printer.note(locationString(kernel->getLoc()) + ": note: kernel '" +
                         SymbolTable::getSymbolName(kernel).str() +
                         "' was declined by " + decline.name + ": " +
                         decline.reason);
    return kept;
  }

  /// Takes over what became of shards, in their order, and hands their
  /// diagnostics on, once each.
  LogicalResult keep(size_t i, std::vector<Shard> &shards) {
    bool ok = true;
    progress.clear();
    llvm::StringSet<> said;
    for (Shard &shard : shards) {
      ok &= shard.succeeded;
      for (const std::string &line : shard.lines)
        if (said.insert(line).second)
          StringRef(line).contains("error: ") ? printer.raw(line)
                                              : printer.note(line);
      if (shard.lowered && failed(plan.lowered(*shard.lowered, candidates[i])))
        ok = false;
      results[i].push_back(std::move(shard.blobs));
      if (plan.kept)
        for (Operation *kernel : shard.kernels)
          plan.kept->texts[{
              i, SymbolTable::getSymbolName(kernel).getValue().str()}] =
              textOf(kernel);
    }
    return success(ok);
  }

  /// The kernels one of which a launch runs.
  SmallVector<SmallVector<StringRef>> variantsOfLaunches() {
    SmallVector<SmallVector<StringRef>> all;
    auto add = [&](ArrayAttr names) -> SmallVector<StringRef> & {
      auto &list = all.emplace_back();
      for (auto name : names.getAsRange<FlatSymbolRefAttr>())
        list.push_back(name.getValue());
      return list;
    };
    module.walk(
        [&](program::LaunchOpInterface launch) { add(launch.getKernels()); });
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (auto names = kernel.getVariantsAttr())
        add(names).push_back(kernel.getSymName());
    return all;
  }

  /// All variants of a launch run on one device: moves them to the last one
  /// that any of them needs. Returns what has to be lowered again.
  SmallVector<Operation *> unifyVariants() {
    llvm::SetVector<Operation *> moved;
    SmallVector<SmallVector<StringRef>> launches = variantsOfLaunches();
    bool changed = true;
    while (changed) {
      changed = false;
      for (ArrayRef<StringRef> names : launches) {
        size_t last = 0;
        for (StringRef name : names)
          last = std::max(last, index.lookup(name));
        for (StringRef name : names) {
          auto it = index.find(name);
          if (it == index.end() || it->second == last)
            continue;
          Operation *kernel = module.lookupSymbol(name);
          report.declined(kernel, candidates[it->second].options.name,
                          "another variant of its launch runs elsewhere");
          it->second = last;
          moved.insert(kernel);
          changed = true;
        }
      }
    }
    return moved.takeVector();
  }

  ModuleOp module;
  ArrayRef<BoundTarget> candidates;
  size_t numNamed; ///< the candidates that are not the host by itself
  DiagnosticPrinter &printer;
  TimingScope &timing;
  const LoweringPlan &plan;
  runtime::Progress progress;
  Report &report;
  std::vector<std::vector<Executable>> results;
  llvm::StringSet<> refused; ///< places and reasons that were said
};
} // namespace

void kiln::driver::nameOrigins(ModuleOp module) {
  for (auto func : module.getOps<program::FuncOp>())
    func.walk([&](program::LaunchOpInterface launch) {
      for (auto name : launch.getKernels().getAsRange<FlatSymbolRefAttr>())
        if (Operation *kernel = module.lookupSymbol(name.getValue()))
          target::setReported(kernel, target::kFunctionEntry,
                              func.getSymNameAttr());
    });
}

/// Launches by their kernels: equal kernels are one.
static llvm::StringMap<unsigned> countLaunches(ModuleOp module) {
  llvm::StringMap<unsigned> count;
  module.walk([&](program::LaunchOpInterface launch) {
    for (auto name : launch.getKernels().getAsRange<FlatSymbolRefAttr>())
      ++count[name.getValue()];
  });
  return count;
}

LogicalResult kiln::driver::compileKernels(
    ModuleOp module, ArrayRef<BoundTarget> targets, DiagnosticPrinter &printer,
    TimingScope &timing, const LoweringPlan &wanted, CompiledKernels &result) {
  const BoundTarget &first = targets.front();
  if (first.target->inputLevel() == InputLevel::Prim) {
    // The whole module is the code; every kernel and function has a symbol.
    Executable blobs;
    OwningOpRef<ModuleOp> copy = module.clone();
    auto see = [&](ModuleOp lowered) {
      return wanted.lowered ? wanted.lowered(lowered, first) : success();
    };
    if (failed(lowerModule(*copy, first, printer, timing, see,
                           wanted.serialiseTwice, blobs)))
      return failure();
    result.devices.push_back(
        {first.target->deviceName(), deviceOptions(first.options), {}});
    addKernels(blobs, 0, result);
    result.isWhole = true;
    return success();
  }

  // The host target takes over what nobody else can do.
  SmallVector<BoundTarget> candidates(targets);
  FailureOr<BoundTarget> host =
      fallbackHost(targets, module.getContext(), /*noFallback=*/false);
  if (failed(host))
    return failure();
  // Where nobody could take over, what the last target says is the error.
  LoweringPlan plan = wanted;
  plan.noFallback &= bool(*host);
  if (plan.noFallback)
    *host = BoundTarget();
  if (*host)
    candidates.push_back(*host);
  nameOrigins(module);
  Report &report = Report::of(module.getContext());
  size_t numRows = report.rows().size();
  Placer placer(module, candidates, printer, timing, plan, targets.size());
  LogicalResult placed = placer.run();
  report.orderByKernel(numRows, placer.order);
  if (failed(placed) || placer.isStopped)
    return placed;
  SmallVector<size_t> deviceOf(candidates.size(), 0);
  placer.finish(result, deviceOf);
  llvm::StringMap<unsigned> launches = countLaunches(module);
  std::vector<std::string> fallbacks;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    size_t at = placer.index[kernel.getSymName()];
    if (at == targets.size()) {
      fallbacks.push_back(chainOf(kernel));
      if (auto entry = result.kernels.find(kernel.getSymName());
          entry != result.kernels.end())
        entry->second.fallback = fallbacks.back();
    }
    StringRef name = candidates[at].options.name;
    std::string detail = at == 0 ? "" : "(fallback)";
    if (unsigned count = launches.lookup(kernel.getSymName()); count > 1)
      detail += (detail.empty() ? "for " : " for ") + std::to_string(count) +
                " launches";
    report.chose(kernel, "placement", name, name, detail);
    if (deviceOf[at] != 0)
      kernel.setDeviceAttr(StringAttr::get(module.getContext(),
                                           result.devices[deviceOf[at]].name));
  }
  if (!fallbacks.empty())
    noteFallbacks(printer, targets, *host, fallbacks, placer.order.size());
  return success();
}
