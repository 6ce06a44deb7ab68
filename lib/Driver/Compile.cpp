//===- Compile.cpp - From an input to a package ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump.h"
#include "Explanation.h"
#include "FrontendChoice.h"
#include "HostProgram.h"
#include "Input.h"
#include "LaunchCosts.h"
#include "Pipeline.h"
#include "Specs.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Driver/Semantics.h"
#include "kiln/Eval/Register.h"
#include "kiln/Target/Activity.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

namespace {
/// One run of the compiler.
class Compilation {
public:
  Compilation(const CompileOptions &options, llvm::MemoryBufferRef input,
              MLIRContext &context, const DiagnosticSink &diag)
      : options(options), input(input), context(context),
        printer(&context, diag, input.getBufferIdentifier()) {}

  LogicalResult run(std::string &result);

private:
  LogicalResult readFrontends(ModuleOp module);
  LogicalResult compileFor(ModuleOp source, StringRef spec,
                           std::string &result);
  LogicalResult toTile(ModuleOp module, const BoundTarget &bound);
  LogicalResult checkEmitted(const BoundTarget &bound);
  LoweringPlan planLowering(std::string &result);
  LogicalResult emitLowered(ModuleOp module, const BoundTarget &bound,
                            std::string &result);
  LogicalResult finish(std::string &result);
  LogicalResult run(ModuleOp module, const Stage &stage,
                    const BoundTarget &bound = {}, bool always = false);
  void printPipeline(std::string &result);
  FailureOr<bool> takesWhole(ModuleOp module,
                             SmallVector<BoundTarget> &targets);
  void skipUnknown(std::vector<std::string> &specs);
  LogicalResult save(ModuleOp module, const Twine &name);
  void print(ModuleOp module, std::string &result);
  bool stopsAt(Emit emit) const { return options.emit == emit; }

  const CompileOptions &options;
  llvm::MemoryBufferRef input;
  MLIRContext &context;
  DiagnosticPrinter printer;
  /// The passes so far, a text for each stage.
  std::vector<std::string> passes;
  DefaultTimingManager timingManager;
  TimingScope timing;
  Tolerances tolerances;
  Names names;
  ConstantPool pool;
  runtime::Package package;
  std::optional<runtime::SecretKey> signingKey;
  std::string improvements; ///< passes that the frontends add
  unsigned numSaved = 0;
  bool printedOne = false;
};
} // namespace

/// Prints one of several modules; separators keep the whole splittable.
void Compilation::print(ModuleOp module, std::string &result) {
  if (printedOne)
    result += "\n// -----\n\n";
  printedOne = true;
  llvm::raw_string_ostream os(result);
  module->print(os);
  os << "\n";
}

LogicalResult Compilation::save(ModuleOp module, const Twine &name) {
  if (options.saveTemps.empty())
    return success();
  std::string text, error;
  llvm::raw_string_ostream os(text);
  // Whole, constants too: every file is an input again.
  module->print(os, OpPrintingFlags().enableDebugInfo());
  std::string number = (numSaved < 10 ? "0" : "") + std::to_string(numSaved);
  ++numSaved;
  llvm::SmallString<128> path(options.saveTemps);
  llvm::sys::path::append(path, number + "-" + name + ".mlir");
  if (std::error_code code =
          llvm::sys::fs::create_directories(options.saveTemps)) {
    printer.error(options.saveTemps + ": cannot be created: " + code.message());
    return failure();
  }
  if (writeOutput(path, text + "\n", error))
    return success();
  printer.error(error);
  return failure();
}

/// Runs a stage, or only notes its passes where the pipeline is what is asked
/// for: then only what decides on later passes runs (`always`).
LogicalResult Compilation::run(ModuleOp module, const Stage &stage,
                               const BoundTarget &bound, bool always) {
  if (options.printPipeline) {
    if (std::string text = textOf(stage, bound); !text.empty())
      passes.push_back(text);
    if (!always)
      return success();
  }
  return runStage(module, stage, bound, printer, timing);
}

/// What --print-pipeline prints, a line for each pipeline.
void Compilation::printPipeline(std::string &result) {
  result += "builtin.module(" + llvm::join(passes, ",") + ")\n";
}

/// Whether functions of prim, or kernels and host programs, are there.
static bool hasPrim(ModuleOp module) {
  return !module.getOps<func::FuncOp>().empty();
}
static bool hasTile(ModuleOp module) {
  return llvm::any_of(*module.getBody(), [](Operation &op) {
    return isa<tile::KernelOp, program::FuncOp>(op);
  });
}

/// Lets the frontends whose input this is bring it to prim or tile.
LogicalResult Compilation::readFrontends(ModuleOp module) {
  std::optional<FrontendChoice> choice = chooseFrontend(options, printer);
  if (!choice)
    return failure();
  auto frontends =
      frontend::FrontendRegistry::get().recognise(module, choice->frontend);
  if (failed(frontends))
    return failure();
  auto optionsOf = [&](const frontend::Frontend &one) {
    return optionsFor(one, *choice, options);
  };
  if (failed(run(module, frontendStage(*frontends, optionsOf), {},
                 /*always=*/true)))
    return failure();
  improvements =
      frontend::FrontendRegistry::improvementsOf(*frontends, optionsOf);
  return checkLevels(module, *frontends);
}

/// Brings a module to tile and program.
LogicalResult Compilation::toTile(ModuleOp module, const BoundTarget &bound) {
  if (failed(run(module, improveStage(improvements), bound)))
    return failure();
  if (hasPrim(module)) {
    if (failed(run(module, primStage(), bound)) ||
        failed(save(module, "prim")) ||
        failed(run(module, tileStage(&options), bound)))
      return failure();
  } else if (hasTile(module)) {
    if (failed(run(module, kernelStage(), bound)))
      return failure();
  }
  if (failed(run(module, numericsStage(options), bound)))
    return failure();
  if (bound && failed(run(module, claimStage(), bound)))
    return failure();
  return save(module, "tile");
}

/// What --emit=target, llvm and asm print of one lowered module.
LogicalResult Compilation::emitLowered(ModuleOp module,
                                       const BoundTarget &bound,
                                       std::string &result) {
  if (failed(save(module, "target-" + bound.options.name)))
    return failure();
  if (Explanation *explanation = Explanation::of(&context))
    explanation->assembly(module, bound);
  if (stopsAt(Emit::Target))
    print(module, result);
  if (!stopsAt(Emit::LLVM) && !stopsAt(Emit::Asm))
    return success();
  llvm::raw_string_ostream os(result);
  return bound.target->emit(
      module, stopsAt(Emit::LLVM) ? EmitKind::LLVM : EmitKind::Assembly,
      bound.options, os);
}

/// Whether --emit names what the target prints: `assembly` in the `extra` of
/// its description.
LogicalResult Compilation::checkEmitted(const BoundTarget &bound) {
  if (options.emitText.empty())
    return success();
  StringAttr own;
  if (DictionaryAttr extra = bound.description.getExtra())
    own = extra.getAs<StringAttr>("assembly");
  if (own && own == options.emitText)
    return success();
  printer.error("expected --emit=package, prim, program, tile, target, llvm, " +
                (own ? "asm, binary or " + own.str() : "asm or binary") +
                " for '" + bound.options.name + "', found '" +
                options.emitText + "'");
  return failure();
}

/// Says how kernels are lowered, and where what is asked for of them goes.
LoweringPlan Compilation::planLowering(std::string &result) {
  LoweringPlan plan;
  plan.jobs = options.verifySemantics ? 1
              : options.jobs          ? options.jobs
                                      : std::thread::hardware_concurrency();
  plan.oneModule = !stopsAt(Emit::Package);
  plan.noFallback = options.noFallback;
  plan.serialiseTwice = options.serialiseTwice || options.verifySemantics;
  if (plan.oneModule || !options.saveTemps.empty() || Explanation::of(&context))
    plan.lowered = [this, &result](ModuleOp lowered, const BoundTarget &of) {
      return emitLowered(lowered, of, result);
    };
  return plan;
}

/// Whether the target takes the program as it is in prim. Where it declines,
/// the host takes its place, as nothing smaller can move.
FailureOr<bool> Compilation::takesWhole(ModuleOp module,
                                        SmallVector<BoundTarget> &targets) {
  BoundTarget bound = targets.front();
  if (bound.target->inputLevel() != InputLevel::Prim)
    return false;
  FailureOr<BoundTarget> host =
      fallbackHost(targets, &context, options.noFallback);
  if (failed(host))
    return failure();
  std::vector<std::string> reasons;
  size_t count = 0;
  bool refused = false;
  for (Operation &op : *module.getBody()) {
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
    Report::of(&context).declined(&op, bound.options.name, reason);
    reasons.push_back(chainOf(&op));
    if (!*host)
      refused |= failed(refuse(&op, targets, options.noFallback));
  }
  if (refused)
    return failure();
  if (reasons.empty())
    return true;
  noteFallbacks(printer, targets, *host, reasons, count);
  targets = {*host};
  if (failed(run(module, bindStage(host->options.str()), {}, /*always=*/true)))
    return failure();
  return false;
}

LogicalResult Compilation::compileFor(ModuleOp source, StringRef spec,
                                      std::string &result) {
  // A+B: one program on both, each kernel on the first that takes it.
  SmallVector<BoundTarget> targets;
  SmallVector<StringRef> parts;
  if (!spec.empty())
    parts = splitSpecs(spec);
  for (StringRef part : parts) {
    targets.push_back(TargetRegistry::get().bind(part, &context));
    if (!targets.back())
      return failure();
    if (std::string why = tiling::checkOptions(targets.back().options);
        !why.empty()) {
      printer.error(why);
      return failure();
    }
    if (failed(checkEmitted(targets.back())))
      return failure();
    if (parts.size() > 1 &&
        targets.back().target->inputLevel() == InputLevel::Prim) {
      printer.error("target '" + targets.back().options.name +
                    "' takes whole programs, so it cannot share one");
      return failure();
    }
  }
  BoundTarget bound = targets.empty() ? BoundTarget() : targets.front();
  OwningOpRef<ModuleOp> module = source.clone();
  bool isTile = hasTile(*module);
  if (bound && failed(run(*module, bindStage(bound.options.str()), {},
                          /*always=*/true)))
    return failure();
  bool takesPrim = false;
  if (bound && !stopsAt(Emit::Tile) && !stopsAt(Emit::Program)) {
    FailureOr<bool> taken = takesWhole(*module, targets);
    if (failed(taken))
      return failure();
    takesPrim = *taken;
    bound = targets.front();
  }
  // A target that takes prim takes kernels as they are given; the one that
  // judges the others, before anything that they share.
  if (takesPrim && bound.target->name() != "reference" &&
      failed(run(*module, improveStage(improvements), bound)))
    return failure();
  if (failed(takesPrim ? run(*module, numericsStage(options), bound)
                       : toTile(*module, bound)))
    return failure();
  if (stopsAt(Emit::Tile) && failed(run(*module, isolateStage(), bound)))
    return failure();
  bool isPrinted = stopsAt(Emit::Program) || stopsAt(Emit::Tile);
  if (options.printPipeline) {
    size_t shared = passes.size();
    for (const BoundTarget &target :
         isPrinted ? ArrayRef(bound) : ArrayRef(targets)) {
      if (!isPrinted && failed(run(*module, targetStage(takesPrim), target)))
        return failure();
      printPipeline(result);
      passes.resize(shared);
    }
    return success();
  }
  if (isPrinted) {
    print(*module, result);
    return success();
  }

  if (options.referenceKernels && !takesPrim) {
    targets = {TargetRegistry::get().bind("reference", &context)};
    if (!targets.front())
      return failure();
    for (auto kernel : module->getOps<tile::KernelOp>())
      SymbolTable::setSymbolVisibility(kernel, SymbolTable::Visibility::Public);
  }
  CompiledKernels kernels;
  if (failed(compileKernels(*module, targets, printer, timing,
                            planLowering(result), kernels)))
    return failure();
  if (stopsAt(Emit::Target) || stopsAt(Emit::LLVM) || stopsAt(Emit::Asm))
    return success();
  if (stopsAt(Emit::Binary)) {
    if (kernels.modules.size() != 1) {
      printer.error("expected one binary, found " +
                    Twine(kernels.modules.size()));
      return failure();
    }
    result += kernels.modules.front();
    return success();
  }

  TimingScope scope = timing.nest("package");
  runtime::TargetProgram program;
  program.spec = options.referenceKernels ? "reference" : spec.str();
  bool kernelEntries = isTile || options.referenceKernels;
  if (failed(buildHostProgram(*module, kernels, tolerances, names,
                              kernelEntries, pool, program.program)))
    return failure();
  for (const std::string &bytes : kernels.modules)
    program.modules.push_back(runtime::Blob::copy(bytes));
  package.targets.push_back(std::move(program));
  return success();
}

/// What launches compute and move, in the report.
static void reportLaunches(const runtime::Package &package,
                           MLIRContext *context) {
  for (const LaunchCost &cost : launchCosts(package)) {
    ReportRow row;
    row.stage = "launch";
    row.function = cost.function;
    row.kernel = cost.kernel;
    row.subject = "program.launch";
    row.chosen = cost.device;
    row.detail = costText(cost);
    row.count = cost.launches;
    Report::of(context).add(std::move(row));
  }
}

/// Writes the package.
LogicalResult Compilation::finish(std::string &result) {
  TimingScope scope = timing.nest("package");
  package.producer = "kiln 0.1.0";
  package.sourceName = input.getBufferIdentifier().str();
  if (!options.strip)
    package.source =
        runtime::Blob::borrow(input.getBufferStart(), input.getBufferSize());
  for (const std::string &mode : options.numerics)
    package.compileArgs.push_back("--numerics=" + mode);
  if (options.allowTf32)
    package.compileArgs.push_back("--allow-tf32");
  if (!options.elided.empty())
    package.compileArgs.push_back("--elided=" + options.elided);
  for (const std::string &entry : options.entries)
    package.compileArgs.push_back("--entry=" + entry);
  package.constants = pool.take();
  if (options.explain)
    reportLaunches(package, &context);
  if (Explanation *explanation = Explanation::of(&context))
    explanation->measure(package);
  auto bytes =
      runtime::writePackage(package, signingKey ? &*signingKey : nullptr);
  if (!bytes) {
    printer.error("the package is not valid: " + bytes.message());
    return failure();
  }
  result.assign(bytes->begin(), bytes->end());
  if (SemanticsCheck *check = SemanticsCheck::of(&context))
    check->compareDevice(result, options.targets.front());
  return success();
}

/// Leaves out what nobody registers, as long as something remains.
void Compilation::skipUnknown(std::vector<std::string> &specs) {
  auto isKnown = [](StringRef spec) {
    return llvm::all_of(splitSpecs(spec), [](StringRef part) {
      return TargetRegistry::get().find(
          part.take_until([](char c) { return c == ':' || c == ','; }));
    });
  };
  if (llvm::none_of(specs, isKnown))
    return;
  for (const std::string &spec : specs)
    if (!isKnown(spec))
      printer.note("note: passed over target '" + spec +
                   "', which no plug-in registers");
  llvm::erase_if(specs, [&](StringRef spec) { return !isKnown(spec); });
}

LogicalResult Compilation::run(std::string &result) {
  timingManager.setEnabled(options.timing);
  timing = timingManager.getRootScope();
  if (!options.sign.empty()) {
    auto key = runtime::readSecretKey(options.sign);
    if (!key) {
      printer.error("--sign: " + key.message());
      return failure();
    }
    signingKey = *key;
  }
  TimingScope parsing = timing.nest("parse");
  OwningOpRef<ModuleOp> module = readInput(input, &context, printer);
  parsing.stop();
  if (!module || failed(save(*module, "input")))
    return failure();

  if (Explanation *explanation = Explanation::of(&context))
    explanation->begin(*module, input);
  collectNames(*module, input, names);
  if (failed(run(*module, inputStage(options.entries), {}, /*always=*/true)) ||
      failed(readFrontends(*module)))
    return failure();
  if (stopsAt(Emit::Prim)) {
    if (failed(run(*module, raiseStage())))
      return failure();
    if (options.printPipeline)
      printPipeline(result);
    else
      print(*module, result);
    return success();
  }
  if (stopsAt(Emit::Package) && module->getBody()->empty()) {
    printer.error("expected a function or a kernel, found an empty module");
    return failure();
  }
  // Kernels that were functions of Triton may have other arguments now.
  collectNames(*module, input, names);
  if (failed(run(*module, {"domains", {{"kiln-infer-domains"}}}, {},
                 /*always=*/true)))
    return failure();
  tolerances = computeTolerances(*module);
  std::vector<std::string> specs = options.targets;
  if (options.skipUnknownTargets)
    skipUnknown(specs);
  if (specs.empty())
    specs.push_back("");
  size_t shared = passes.size();
  for (const std::string &spec : specs) {
    passes.resize(shared);
    if (failed(compileFor(*module, spec, result)))
      return failure();
  }
  return stopsAt(Emit::Package) && !options.printPipeline ? finish(result)
                                                          : success();
}

int kiln::driver::compile(const CompileOptions &options,
                          llvm::MemoryBufferRef input,
                          const DiagnosticSink &diag, std::string &result,
                          std::string &report) {
  registerPasses();
  limitSteps(options.stepSeconds.value_or(defaultStepSeconds()));
  DialectRegistry own, registry;
  registerDialects(own);
  registerInputDialects(registry);
  if (options.verifySemantics)
    eval::registerEvaluation(registry);
  MLIRContext context(registry);
  context.loadDialect<KilnDialect>();
  // Hooks of the report and of pass construction need these early; others are
  // loaded when the input names them.
  for (StringRef name : own.getDialectNames())
    context.getOrLoadDialect(name);
  LogicalResult ok = failure();
  std::optional<Explanation> explanation;
  if (options.explain && StringRef(*options.explain).ends_with(".html"))
    explanation.emplace(&context);
  {
    IRDump dump(options.dump, &context);
    std::string error;
    if (!dump.checkNames(options, error)) {
      diag("error: " + error);
      return kWrongUsage;
    }
    std::optional<SemanticsCheck> check;
    if (options.verifySemantics) {
      // Evaluation sees the whole module.
      context.disableMultithreading();
      check.emplace(SemanticsOptions{options.verifySeconds, options.verifyArgs,
                                     options.verifyGrid},
                    &context);
    }
    Compilation compilation(options, input, context, diag);
    ok = compilation.run(result);
    if (check) {
      diag(check->result().str());
      if (check->result().failed())
        ok = failure();
    }
    DiagnosticPrinter printer(&context, diag, input.getBufferIdentifier());
    if (failed(dump.finish(printer)))
      ok = failure();
  }
  llvm::raw_string_ostream os(report);
  if (explanation) {
    llvm::Expected<std::string> page = explanation->page(options.trace);
    if (!page) {
      diag("error: " + llvm::toString(page.takeError()));
      return kInputFailed;
    }
    os << *page;
  } else if (options.explain && StringRef(*options.explain).ends_with(".json"))
    Report::of(&context).printJson(os);
  else
    Report::of(&context).printText(os);
  return succeeded(ok) ? kDone : kInputFailed;
}
