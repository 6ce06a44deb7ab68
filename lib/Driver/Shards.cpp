//===- Shards.cpp - Lowering kernels on all cores -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shards.h"
#include "Guard.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

/// Shards that a program of many kernels is cut into at least, so that many
/// cores find work.
static constexpr size_t kWantedShards = 16;
static constexpr size_t kFewestKernels = 4;
static constexpr size_t kMostKernels = 64;

std::string Shard::reason() const {
  for (StringRef line : lines) {
    auto [place, message] = line.split("error: ");
    if (!message.empty())
      return message.str();
  }
  return "failed without saying why";
}

std::vector<Shard> kiln::driver::cutShards(ArrayRef<Operation *> kernels,
                                           const LoweringPlan &plan) {
  size_t size =
      plan.oneModule
          ? kernels.size()
          : std::clamp(llvm::divideCeil(kernels.size(), kWantedShards),
                       kFewestKernels, kMostKernels);
  std::vector<Shard> shards;
  for (; !kernels.empty();
       kernels = kernels.drop_front(shards.back().kernels.size()))
    shards.emplace_back().kernels.assign(kernels.take_front(size).begin(),
                                         kernels.take_front(size).end());
  return shards;
}

/// Plug-ins are promised that pipelines are built one after the other.
static void buildPipeline(PassManager &pm, const BoundTarget &bound) {
  static std::mutex building;
  std::lock_guard<std::mutex> lock(building);
  bound.target->buildPipeline(pm, bound.options);
}

LogicalResult
kiln::driver::lowerModule(ModuleOp module, const BoundTarget &bound,
                          DiagnosticPrinter &printer, TimingScope &timing,
                          const LoweringPlan &plan, Executable &blobs) {
  PassManager pm(module.getContext());
  buildPipeline(pm, bound);
  TimingScope passes = timing.nest("lower kernels");
  if (failed(runPasses(pm, module, printer, passes,
                       "target-" + bound.options.name)))
    return failure();
  passes.stop();
  if (plan.lowered && failed(plan.lowered(module, bound)))
    return failure();
  TimingScope serialising = timing.nest("serialise kernels");
  unsigned before = printer.numErrors();
  bool ok = false;
  std::string thrown;
  try {
    ok = succeeded(bound.target->serialize(module, bound.options, blobs));
  } catch (const std::bad_alloc &) {
    throw; // not the target's fault
  } catch (const std::exception &e) {
    thrown = std::string(": ") + e.what();
  }
  if (!ok && printer.numErrors() == before)
    printer.error("target '" + bound.options.name +
                  "' cannot serialise its kernels" + thrown);
  if (!ok)
    return failure();
  for (const CompiledKernel &kernel : blobs.kernels)
    if (kernel.blob >= blobs.blobs.size() || kernel.name.empty() ||
        kernel.scratchBytes < 0) {
      printer.error("target '" + bound.options.name + "' returned a kernel '" +
                    kernel.name + "' with bytes or scratch that make no sense");
      return failure();
    }
  return success();
}

/// A module of its own with copies of `kernels`, bound to a target.
static OwningOpRef<ModuleOp> extract(ModuleOp module,
                                     ArrayRef<Operation *> kernels,
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

/// Loads what the pipeline's passes will ask for: a context cannot get more
/// dialects while several threads use it.
static void loadDialects(MLIRContext *context, const BoundTarget &bound) {
  PassManager pm(context);
  buildPipeline(pm, bound);
  DialectRegistry registry;
  pm.getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

/// Calls `body` with every number below `count`, on up to `jobs` threads. What
/// one of them throws is thrown here.
static void forEach(size_t count, unsigned jobs,
                    const std::function<void(size_t)> &body) {
  std::atomic<size_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  auto work = [&] {
    try {
      for (size_t i; (i = next++) < count;)
        body(i);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      thrown = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  try {
    for (size_t i = 0; jobs > 1 && i < std::min<size_t>(jobs, count); ++i)
      threads.emplace_back([&] {
        // Code generators recurse along chains of operations.
        runDeep([&] { return work(), int(kDone); });
      });
  } catch (const std::system_error &) {
    // The threads that there are have to do.
  }
  for (std::thread &thread : threads)
    thread.join();
  work();
  if (thrown)
    std::rethrow_exception(thrown);
}

void kiln::driver::lowerShards(ModuleOp module, const BoundTarget &bound,
                               const DiagnosticPrinter &printer,
                               TimingScope &timing, const LoweringPlan &plan,
                               std::vector<Shard> &shards) {
  bool alone = shards.size() < 2 || plan.jobs < 2 || plan.lowered ||
               !module.getContext()->isMultithreadingEnabled() ||
               !bound.target->lowersInParallel();
  if (!alone)
    loadDialects(module.getContext(), bound);
  forEach(shards.size(), alone ? 1 : plan.jobs, [&](size_t i) {
    Shard &shard = shards[i];
    DiagnosticPrinter collector(printer, [&shard](StringRef line) {
      shard.lines.push_back(line.str());
    });
    OwningOpRef<ModuleOp> part = extract(module, shard.kernels, bound);
    shard.succeeded = succeeded(
        lowerModule(*part, bound, collector, timing, plan, shard.blobs));
  });
}
