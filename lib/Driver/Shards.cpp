//===- Shards.cpp - Lowering kernels on all cores -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shards.h"
#include "Guard.h"
#include "SerialiseAgain.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Driver/Semantics.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Unverified.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
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

static constexpr StringLiteral kUnsupported = "unsupported: ";

/// The message of the first error, and where it is.
static StringRef firstError(ArrayRef<std::string> lines,
                            StringRef *where = nullptr) {
  for (StringRef line : lines)
    if (auto [place, message] = line.split("error: "); !message.empty()) {
      if (where)
        *where = place.rtrim(": ");
      return message;
    }
  return "";
}

bool Shard::isDeclined() const {
  StringRef error = firstError(lines);
  // What a schedule script decides is an experiment with this target.
  bool isScripted = llvm::any_of(
      kernels, [](Operation *kernel) { return kernel->hasAttr(kAskedAttr); });
  return !succeeded && !isScripted &&
         (error.starts_with(kUnsupported) || error.starts_with(kUnverified));
}

std::string Shard::reason() const {
  StringRef where, message = firstError(lines, &where);
  message.consume_front(kUnsupported);
  std::string text =
      message.empty() ? "failed without saying why" : message.str();
  // What is in a kernel has a place of its own.
  if (!where.empty() && llvm::none_of(kernels, [&](Operation *kernel) {
        return where == locationString(kernel->getLoc());
      }))
    text += " (at " + where.str() + ")";
  // Its notes say who declined before; those of later errors are theirs.
  unsigned errors = 0;
  for (StringRef line : lines) {
    errors += line.contains("error: ");
    auto [place, note] = line.split("note: ");
    if (errors == 1 && note.contains(" declined: "))
      text += "; " + note.str();
  }
  return text;
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
static LogicalResult buildPipeline(PassManager &pm, const BoundTarget &bound,
                                   ModuleOp module) {
  static std::mutex building;
  std::lock_guard<std::mutex> lock(building);
  return runGuardedActivity(
      describeTarget(*bound.target, "pipeline of"), module, [&] {
        TargetOptions options = bound.options;
        // What the SPEC says counts more.
        if (SemanticsCheck::of(module.getContext()) &&
            llvm::any_of(bound.target->options(), [](const OptionInfo &option) {
              return option.key == "verify";
            }))
          options.values.insert(options.values.begin(), {"verify", "1"});
        bound.target->buildPipeline(pm, options);
        // Reaches every pass: one that is null ends here, where its owner is
        // known.
        DialectRegistry dialects;
        pm.getDependentDialects(dialects);
        return success();
      });
}

namespace {
/// Checks what a serialiser returns.
class BlobCheck {
public:
  BlobCheck(ModuleOp module, const BoundTarget &bound)
      : owner(describeTarget(*bound.target, "serialiser of")),
        whole(module.getLoc()),
        isComplete(bound.target->inputLevel() == InputLevel::Tile) {
    for (auto kernel : module.getOps<tile::KernelOp>())
      places.insert({kernel.getSymName(), kernel.getLoc()});
  }

  LogicalResult check(const Executable &blobs) {
    llvm::StringSet<> seen;
    for (const CompiledKernel &kernel : blobs.kernels) {
      auto place = places.find(kernel.name);
      Location loc = place == places.end() ? whole : place->second;
      auto fail = [&](const Twine &what) {
        return emitError(loc)
               << owner << " returned kernel '" << kernel.name << "' " << what;
      };
      if (place != places.end() && !isText(kernel.name))
        return emitError(loc)
               << "expected a kernel's name in printable UTF-8, found '"
               << kernel.name << "'";
      if (kernel.name.empty() || (isComplete && place == places.end()))
        return fail("which it was not given");
      if (!seen.insert(kernel.name).second)
        return fail("twice");
      if (kernel.blob >= blobs.blobs.size())
        return fail("in blob " + Twine(kernel.blob) + ", of " +
                    Twine(blobs.blobs.size()));
      if (blobs.blobs[kernel.blob].empty())
        return fail("in a blob without bytes");
      if (kernel.scratchBytes < 0 || kernel.scratchBytes > kMostScratch)
        return fail("with " + Twine(kernel.scratchBytes) +
                    " bytes of scratch memory");
      if (kernel.symbol.empty())
        return fail("without a symbol");
      if (!isText(kernel.symbol))
        return fail("with a symbol that cannot be printed");
      for (const auto &[name, text] : kernel.notes)
        if (!isText(name) || !llvm::json::isUTF8(text))
          return fail("with a note that cannot be printed");
    }
    for (const std::string &name : blobs.requirements)
      if (name.empty() || !llvm::all_of(name, [](char c) {
            return llvm::isAlnum(c) || StringRef("._-").contains(c);
          }))
        return emitError(whole)
               << owner << " returned a requirement that is no name of "
               << "letters, digits, '.', '-' and '_'";
    if (isComplete)
      for (const auto &place : places)
        if (!seen.contains(place.first()))
          return emitError(place.second)
                 << owner << " returned no kernel '" << place.first() << "'";
    return success();
  }

private:
  static constexpr int64_t kMostScratch = int64_t(1) << 40;
  static bool isText(StringRef name) {
    return llvm::json::isUTF8(name) && llvm::none_of(name, [](char c) {
             return llvm::isASCII(c) && !llvm::isPrint(c);
           });
  }

  std::string owner;
  Location whole;
  bool isComplete; ///< kernels are all that there is
  llvm::StringMap<Location> places;
};
} // namespace

LogicalResult
kiln::driver::lowerModule(ModuleOp module, const BoundTarget &bound,
                          DiagnosticPrinter &printer, TimingScope &timing,
                          llvm::function_ref<LogicalResult(ModuleOp)> see,
                          bool twice, Executable &blobs) {
  PassManager pm(module.getContext());
  BlobCheck check(module, bound);
  Location loc = module.getLoc();
  if (auto kernels = module.getOps<tile::KernelOp>(); !kernels.empty())
    loc = (*kernels.begin()).getLoc();
  std::string kernels = describeKernels(module), place = placeOf(module);
  if (!kernels.empty())
    kernels = " on " + kernels;
  if (failed(buildPipeline(pm, bound, module)))
    return failure();
  TimingScope passes = timing.nest("lower kernels");
  if (failed(runPasses(pm, module, printer, passes,
                       "target-" + bound.options.name)))
    return failure();
  passes.stop();
  if (failed(see(module)))
    return failure();
  TimingScope serialising = timing.nest("serialise kernels");
  // A serialiser may change the module that it gets.
  OwningOpRef<ModuleOp> copy = twice ? module.clone() : ModuleOp();
  unsigned before = printer.numErrors();
  std::string owner = describeTarget(*bound.target, "serialiser of");
  LogicalResult serialised = runGuardedActivity(owner, module, [&] {
    return bound.target->serialize(module, bound.options, blobs);
  });
  // One that reports an error and goes on has failed.
  if (failed(serialised) || printer.numErrors() != before) {
    if (!place.empty())
      place += ": ";
    if (printer.numErrors() == before)
      printer.raw(place + "error: " + owner + " failed without saying why" +
                  kernels);
    else if (!printer.namesPlugin())
      printer.note(place + "note: in " + owner + kernels);
    return failure();
  }
  if (failed(check.check(blobs)))
    return failure();
  return copy ? serialiseAgain(*copy, loc, bound, blobs) : success();
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
  // What goes wrong is said when a shard gets its pipeline.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
  OwningOpRef<ModuleOp> place = ModuleOp::create(UnknownLoc::get(context));
  (void)buildPipeline(pm, bound, *place);
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

namespace {
/// Lowers one shard. Kernels whose asynchronous code does not pass its verifier
/// are lowered once more: those that are persistent as one instance for each
/// point, others without asynchronous copies.
class ShardLowering {
public:
  ShardLowering(ModuleOp module, const BoundTarget &bound,
                const DiagnosticPrinter &printer, TimingScope &timing,
                const LoweringPlan &plan, Shard &shard, bool serialisesTwice)
      : module(module), bound(bound), printer(printer), timing(timing),
        plan(plan), shard(shard), serialisesTwice(serialisesTwice) {}

  void run() {
    std::vector<std::string> warnings;
    while (true) {
      attempt();
      size_t known = synchronous.size();
      if (shard.succeeded || !findUnverified())
        break;
      if (synchronous.size() > known)
        warn(warnings);
      shard.lines.clear();
      shard.blobs = Executable();
    }
    shard.lines.insert(shard.lines.begin(), warnings.begin(), warnings.end());
  }

private:
  void attempt() {
    DiagnosticPrinter collector(
        printer, [&](StringRef line) { shard.lines.push_back(line.str()); });
    part = extract(module, shard.kernels, bound);
    for (auto kernel : part->getOps<tile::KernelOp>())
      if (synchronous.contains(kernel.getSymName()))
        limitStages(kernel);
      else if (single.contains(kernel.getSymName()))
        tile::keepSingle(kernel);
    auto see = [&](ModuleOp lowered) {
      if (plan.lowered)
        shard.lowered = lowered.clone();
      return success();
    };
    shard.succeeded = succeeded(lowerModule(*part, bound, collector, timing,
                                            see, serialisesTwice, shard.blobs));
  }

  /// Loops of one stage, whatever their hints say.
  static void limitStages(tile::KernelOp kernel) {
    kernel.walk([](Operation *op) {
      if (!isa<scf::ForOp, scf::WhileOp>(op))
        return;
      auto hints = op->getAttrOfType<tile::LoopHintsAttr>(tile::kHintsAttr);
      op->setAttr(tile::kHintsAttr, tile::LoopHintsAttr::get(
                                        op->getContext(), /*stages=*/1,
                                        hints ? hints.getUnroll() : 0,
                                        hints && hints.getFlatten(),
                                        hints && hints.getSpecialize(),
                                        hints && hints.getSingleAccumulator(),
                                        hints && hints.getIndependent()));
    });
  }

  /// Whether the attempt failed at a kernel that may have had copies in flight.
  bool findUnverified() {
    bool isNew = false;
    for (Operation &op : *part->getBody()) {
      if (!Report::of(op.getContext()).takeRefusedAsync(&op) ||
          op.hasAttr(kAskedAttr))
        continue;
      StringRef name = SymbolTable::getSymbolName(&op);
      auto kernel = dyn_cast<tile::KernelOp>(op);
      bool isPersistent = simt::isPersistentFunction(&op) ||
                          (kernel && tile::isPersistent(kernel));
      isNew |= (isPersistent && single.insert(name).second) ||
               synchronous.insert(name).second;
    }
    return isNew;
  }

  void warn(std::vector<std::string> &warnings) {
    for (StringRef line : shard.lines) {
      auto [place, message] = line.split("error: ");
      warnings.push_back(message.empty()
                             ? line.str()
                             : (place + "warning: " + message +
                                "; the kernel is compiled without asynchronous "
                                "copies")
                                   .str());
    }
  }

  ModuleOp module;
  const BoundTarget &bound;
  const DiagnosticPrinter &printer;
  TimingScope &timing;
  const LoweringPlan &plan;
  Shard &shard;
  bool serialisesTwice; ///< to compare the bytes
  OwningOpRef<ModuleOp> part;
  llvm::StringSet<> single;      ///< kernels that are not to be persistent
  llvm::StringSet<> synchronous; ///< kernels to lower with one stage
};
} // namespace

void kiln::driver::lowerShards(ModuleOp module, const BoundTarget &bound,
                               const DiagnosticPrinter &printer,
                               TimingScope &timing, const LoweringPlan &plan,
                               std::vector<Shard> &shards,
                               runtime::Progress *progress) {
  bool alone = shards.size() < 2 || plan.jobs < 2 || plan.lowered ||
               !module.getContext()->isMultithreadingEnabled() ||
               !bound.target->lowersInParallel();
  if (!alone)
    loadDialects(module.getContext(), bound);
  forEach(shards.size(), alone ? 1 : plan.jobs, [&](size_t i) {
    ShardLowering(module, bound, printer, timing, plan, shards[i],
                  plan.serialiseTwice && i == 0)
        .run();
    if (progress && shards[i].succeeded)
      progress->step(shards[i].kernels.size());
  });
}
