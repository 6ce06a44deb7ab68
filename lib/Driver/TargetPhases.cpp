//===- TargetPhases.cpp - The phases of each target -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Phases.h"
#include "Specs.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Activity.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Program/Passes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

/// Whether --emit names what the target prints: `assembly` in the `extra` of
/// its description.
static LogicalResult checkEmitted(Session &session, const BoundTarget &bound) {
  const std::string &wanted = session.options.emitText;
  if (wanted.empty())
    return success();
  StringAttr own;
  if (DictionaryAttr extra = bound.description.getExtra())
    own = extra.getAs<StringAttr>("assembly");
  if (own && own == wanted)
    return success();
  return session.fail(
      "expected --emit=package, prim, program, tile, target, llvm, " +
      (own ? "asm, binary or " + own.str() : "asm or binary") + " for '" +
      bound.options.name + "', found '" + wanted + "'");
}

/// Reads the schedule script of a target, and checks it as text: no pass has to
/// do so then, and none needs the stack for what is nested too deeply.
static LogicalResult checkScript(Session &session, const BoundTarget &bound) {
  std::optional<StringRef> path = bound.options.get("schedule_file");
  if (!path)
    return success();
  std::string error;
  auto file = llvm::MemoryBuffer::getFile(*path);
  if (!file)
    error = "1:1: error: the schedule script cannot be read: " +
            file.getError().message();
  else
    error = scanText((*file)->getBuffer()).value_or("");
  if (error.empty())
    return success();
  session.printer.raw((*path + ":" + error).str());
  return failure();
}

/// Binds the parts of the target specification, and the module to the first.
static Outcome bindTargets(Session &session, Program &program) {
  SmallVector<StringRef> parts;
  if (!program.spec.empty())
    parts = splitSpecs(program.spec);
  for (StringRef part : parts) {
    BoundTarget bound = TargetRegistry::get().bind(part, &session.context);
    if (!bound)
      return Outcome::Failed;
    program.targets.push_back(bound);
    if (std::string why = tiling::checkOptions(bound.options); !why.empty())
      return toOutcome(session.fail(why));
    if (failed(checkScript(session, bound)) ||
        failed(checkEmitted(session, bound)))
      return Outcome::Failed;
    if (parts.size() > 1 && bound.target->inputLevel() == InputLevel::Prim)
      return toOutcome(session.fail("target '" + bound.options.name +
                                    "' takes whole programs, so it cannot "
                                    "share one"));
  }
  program.hadKernels = hasTile(*program.module);
  if (program.targets.empty())
    return Outcome::Continue;
  return toOutcome(session.run(*program.module,
                               bindStage(program.bound().options.str()), {},
                               /*always=*/true));
}

/// Why a target that takes programs in prim declines this one: a reason for
/// each function and kernel, and their number in `count`.
static FailureOr<std::vector<std::string>>
declinesOf(Session &session, Program &program, bool hasHost, size_t &count) {
  BoundTarget bound = program.bound();
  std::vector<std::string> reasons;
  bool isRefused = false;
  for (Operation &op : *program.module->getBody()) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || function.isExternal() ||
        (!isa<tile::KernelOp>(op) && !function.isPublic()))
      continue;
    ++count;
    std::string reason;
    FailureOr<bool> taken = accepts(&op, bound, reason);
    if (failed(taken))
      return failure();
    if (*taken)
      continue;
    session.report.declined(&op, bound.options.name, reason);
    reasons.push_back(chainOf(&op));
    if (!hasHost)
      isRefused |=
          failed(refuse(&op, program.targets, session.options.noFallback));
  }
  if (isRefused)
    return failure();
  return reasons;
}

/// Offers the program in prim to a target that takes such. Where it declines,
/// the host takes its place, as nothing smaller can move.
static Outcome offerWhole(Session &session, Program &program) {
  if (!program.bound() || session.printsProgram() ||
      program.bound().target->inputLevel() != InputLevel::Prim)
    return Outcome::Continue;
  FailureOr<BoundTarget> host = fallbackHost(program.targets, &session.context,
                                             session.options.noFallback);
  if (failed(host))
    return Outcome::Failed;
  size_t count = 0;
  auto reasons = declinesOf(session, program, bool(*host), count);
  if (failed(reasons))
    return Outcome::Failed;
  if (reasons->empty()) {
    program.isTakenWhole = true;
    return Outcome::Continue;
  }
  noteFallbacks(session.printer, program.targets, *host, *reasons, count);
  program.targets = {*host};
  return toOutcome(session.run(*program.module, bindStage(host->options.str()),
                               {},
                               /*always=*/true));
}

/// The passes that frontends add. The target that judges the others gets the
/// program before anything that they share.
static Outcome improve(Session &session, Program &program) {
  if (program.isTakenWhole && program.bound().target->name() == "reference")
    return Outcome::Continue;
  return toOutcome(session.run(
      *program.module, improveStage(session.improvements), program.bound()));
}

/// Brings functions to kernels and host programs.
static Outcome convertToTile(Session &session, Program &program) {
  if (program.isTakenWhole)
    return Outcome::Continue;
  ModuleOp module = *program.module;
  BoundTarget bound = program.bound();
  if (program.targets.size() > 1 && !program.before) {
    program.before = module.clone();
    program.numRows = session.report.rows().size();
  }
  if (!hasPrim(module))
    return hasTile(module)
               ? toOutcome(session.run(module, kernelStage(), bound))
               : Outcome::Continue;
  if (failed(session.run(module, primStage(&session.options), bound)) ||
      failed(session.save(module, "prim")))
    return Outcome::Failed;
  return toOutcome(session.run(module, tileStage(&session.options), bound));
}

static Outcome setNumerics(Session &session, Program &program) {
  return toOutcome(session.run(*program.module, numericsStage(session.options),
                               program.bound()));
}

/// Block sizes, and rewrites of the program level that are the target's.
static Outcome claim(Session &session, Program &program) {
  if (program.isTakenWhole)
    return Outcome::Continue;
  BoundTarget bound = program.bound();
  if (bound && failed(session.run(*program.module, claimStage(), bound)))
    return Outcome::Failed;
  return toOutcome(session.save(*program.module, "tile"));
}

/// Prints the program, or the passes that would lower it.
static Outcome emitProgram(Session &session, Program &program) {
  ModuleOp module = *program.module;
  if (session.stopsAt(Emit::Tile) &&
      failed(session.run(module, isolateStage(), program.bound())))
    return Outcome::Failed;
  if (!session.options.printPipeline) {
    if (!session.printsProgram())
      return Outcome::Continue;
    session.print(module);
    return Outcome::Done;
  }
  size_t shared = session.passes.size();
  SmallVector<BoundTarget> none = {program.bound()};
  for (const BoundTarget &target :
       session.printsProgram() ? none : program.targets) {
    if (!session.printsProgram() &&
        failed(session.run(module, targetStage(program.isTakenWhole), target)))
      return Outcome::Failed;
    session.printPipeline();
    session.passes.resize(shared);
  }
  return Outcome::Done;
}

/// What --emit=target, llvm and asm print of one lowered module.
static LogicalResult emitLowered(Session &session, ModuleOp module,
                                 const BoundTarget &bound) {
  if (failed(session.save(module, "target-" + bound.options.name)))
    return failure();
  if (session.explanation)
    session.explanation->assembly(module, bound);
  if (session.stopsAt(Emit::Target))
    session.print(module);
  if (!session.stopsAt(Emit::LLVM) && !session.stopsAt(Emit::Asm))
    return success();
  llvm::raw_string_ostream os(session.result);
  EmitKind kind =
      session.stopsAt(Emit::LLVM) ? EmitKind::LLVM : EmitKind::Assembly;
  return runGuardedActivity(
      describeTarget(*bound.target, "text of"), module,
      [&] { return bound.target->emit(module, kind, bound.options, os); });
}

LoweringPlan kiln::driver::planLowering(Session &session) {
  const CompileOptions &options = session.options;
  LoweringPlan plan;
  plan.jobs = options.verifySemantics ? 1
              : options.jobs          ? options.jobs
                                      : std::thread::hardware_concurrency();
  plan.oneModule = !session.stopsAt(Emit::Package);
  plan.noFallback = options.noFallback;
  plan.progress = options.progress == "bar"     ? runtime::ProgressStyle::Bar
                  : options.progress == "lines" ? runtime::ProgressStyle::Lines
                                                : runtime::ProgressStyle::Quiet;
  plan.serialiseTwice = options.serialiseTwice || options.verifySemantics;
  if (plan.oneModule || !options.saveTemps.empty() || session.explanation)
    plan.lowered = [&session](ModuleOp lowered, const BoundTarget &of) {
      return emitLowered(session, lowered, of);
    };
  return plan;
}

/// With --reference-kernels the reference target gets the kernels.
static Outcome chooseReference(Session &session, Program &program) {
  if (!session.options.referenceKernels || program.isTakenWhole)
    return Outcome::Continue;
  program.targets = {TargetRegistry::get().bind("reference", &session.context)};
  if (!program.targets.front())
    return Outcome::Failed;
  for (auto kernel : program.module->getOps<tile::KernelOp>()) {
    SymbolTable::setSymbolVisibility(kernel, SymbolTable::Visibility::Public);
    kernel->removeAttr(kSpecAttr);
    kernel->removeAttr(kTargetAttr);
  }
  return Outcome::Continue;
}

static Outcome lowerKernels(Session &session, Program &program) {
  if (program.isLowered)
    return Outcome::Continue;
  if (failed(compileKernels(*program.module, program.targets, session.printer,
                            session.timing, planLowering(session),
                            program.kernels)))
    return Outcome::Failed;
  if (session.stopsAt(Emit::Package))
    return Outcome::Continue;
  if (!session.stopsAt(Emit::Binary))
    return Outcome::Done;
  if (program.kernels.modules.size() != 1)
    return toOutcome(session.fail("expected one binary, found " +
                                  Twine(program.kernels.modules.size())));
  session.result += program.kernels.modules.front();
  return Outcome::Done;
}

/// Gives launches on other devices than the first their transfers.
static Outcome placeLaunches(Session &session, Program &program) {
  bool isElsewhere = llvm::any_of(
      program.module->getOps<tile::KernelOp>(),
      [](tile::KernelOp kernel) { return kernel.getDeviceAttr(); });
  return isElsewhere ? toOutcome(session.run(*program.module, placeStage(),
                                             program.bound()))
                     : Outcome::Continue;
}

static Outcome addToPackage(Session &session, Program &program) {
  TimingScope scope = session.timing.nest("package");
  runtime::TargetProgram part;
  bool isReference = session.options.referenceKernels;
  part.spec = isReference ? "reference" : program.spec;
  if (failed(buildHostProgram(
          *program.module, program.kernels, session.tolerances, session.names,
          program.hadKernels || isReference, session.pool, part.program)))
    return Outcome::Failed;
  for (const std::string &bytes : program.kernels.modules)
    part.modules.push_back(runtime::Blob::copy(bytes));
  session.package.targets.push_back(std::move(part));
  return Outcome::Continue;
}

ArrayRef<Phase> kiln::driver::targetPhases() {
  static constexpr Phase kPhases[] = {
      {"bind", bindTargets},
      {"offer-whole", offerWhole},
      {"improve", improve},
      {"tile", convertToTile},
      {"numerics", setNumerics},
      {"claim", claim},
      {"blocks", fitBlocks},
      {"emit-program", emitProgram},
      {"reference-kernels", chooseReference},
      {"kernels", lowerKernels},
      {"place", placeLaunches},
      {"host-program", addToPackage},
  };
  return kPhases;
}
