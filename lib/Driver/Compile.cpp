//===- Compile.cpp - From an input to a package ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Domains.h"
#include "Dump.h"
#include "HostProgram.h"
#include "Input.h"
#include "Pipeline.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/Activity.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
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
  LogicalResult compileFor(ModuleOp source, StringRef spec,
                           std::string &result);
  LogicalResult toTile(ModuleOp module, const BoundTarget &bound,
                       const InputKind &kind);
  LoweringPlan planLowering(std::string &result);
  LogicalResult emitLowered(ModuleOp module, const BoundTarget &bound,
                            std::string &result);
  LogicalResult finish(std::string &result);
  LogicalResult applyNumerics(ModuleOp module, const BoundTarget &bound);
  LogicalResult claimProgram(ModuleOp module, const BoundTarget &bound);
  FailureOr<bool> takesWhole(ModuleOp module,
                             SmallVector<BoundTarget> &targets);
  void setNumerics(ModuleOp module);
  void skipUnknown(std::vector<std::string> &specs);
  LogicalResult save(ModuleOp module, const Twine &name);
  void print(ModuleOp module, std::string &result);
  bool stopsAt(Emit emit) const { return options.emit == emit; }

  const CompileOptions &options;
  llvm::MemoryBufferRef input;
  MLIRContext &context;
  DiagnosticPrinter printer;
  DefaultTimingManager timingManager;
  TimingScope timing;
  Tolerances tolerances;
  Names names;
  ConstantPool pool;
  runtime::Package package;
  std::optional<runtime::SecretKey> signingKey;
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

/// Gives kernels that state no numerics mode the one of the command line.
void Compilation::setNumerics(ModuleOp module) {
  if (options.numerics.empty() && !options.allowTf32)
    return;
  auto has = [&](StringRef name) {
    return llvm::is_contained(options.numerics, name);
  };
  auto mode = tile::NumericsAttr::get(&context, has("contract"), has("approx"),
                                      has("ftz"), has("reassoc"));
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    if (!kernel.getNumericsAttr() && !options.numerics.empty())
      kernel.setNumericsAttr(mode);
    if (!options.allowTf32)
      continue;
    kernel.walk([&](MatrixProductOpInterface product) {
      Type type = product.getLhsOperand().get().getType();
      if (getElementTypeOrSelf(type).isF32() &&
          product.getProductPrecision() == ProductPrecision::IEEE)
        (void)product.setProductPrecision(ProductPrecision::TF32);
    });
  }
}

/// Gives kernels their numerics modes, and rewrites them as those allow.
LogicalResult Compilation::applyNumerics(ModuleOp module,
                                         const BoundTarget &bound) {
  setNumerics(module);
  return runSteps(module, "numerics", numericsSteps(), bound.options, printer,
                  timing);
}

/// Brings a module to tile and program.
LogicalResult Compilation::toTile(ModuleOp module, const BoundTarget &bound,
                                  const InputKind &kind) {
  if (kind.functions || kind.frontend) {
    if (failed(runSteps(module, "prim", primSteps(), bound.options, printer,
                        timing)) ||
        failed(save(module, "prim")) ||
        failed(runSteps(module, "tile", tileSteps(), bound.options, printer,
                        timing)))
      return failure();
  } else if (kind.tile) {
    if (failed(runSteps(module, "tile",
                        {{"verify-tile-form"},
                         {"core.tile", true},
                         {"program-merge-kernels"},
                         {"program.func(program-plan-memory)"}},
                        bound.options, printer, timing)))
      return failure();
  }
  if (failed(applyNumerics(module, bound)))
    return failure();
  if (bound && failed(runSteps(module, "tile", {{"tile-choose-blocks"}},
                               bound.options, printer, timing)))
    return failure();
  if (bound && failed(claimProgram(module, bound)))
    return failure();
  return save(module, "tile");
}

/// Lets the target rewrite the program level.
LogicalResult Compilation::claimProgram(ModuleOp module,
                                        const BoundTarget &bound) {
  std::string owner =
      TargetRegistry::get().describe(*bound.target, "'claimProgram' of");
  unsigned before = printer.numErrors();
  if (succeeded(runGuardedActivity(owner, module, [&] {
        return bound.target->claimProgram(module, bound.options);
      })))
    return success();
  if (printer.numErrors() == before)
    printer.error(owner + " failed without saying why");
  return failure();
}

/// What --emit=target, llvm and asm print of one lowered module.
LogicalResult Compilation::emitLowered(ModuleOp module,
                                       const BoundTarget &bound,
                                       std::string &result) {
  if (failed(save(module, "target-" + bound.options.name)))
    return failure();
  if (stopsAt(Emit::Target))
    print(module, result);
  if (!stopsAt(Emit::LLVM) && !stopsAt(Emit::Asm))
    return success();
  llvm::raw_string_ostream os(result);
  return bound.target->emit(
      module, stopsAt(Emit::LLVM) ? EmitKind::LLVM : EmitKind::Assembly,
      bound.options, os);
}

/// Says how kernels are lowered, and where what is asked for of them goes.
LoweringPlan Compilation::planLowering(std::string &result) {
  LoweringPlan plan;
  plan.jobs = options.jobs ? options.jobs : std::thread::hardware_concurrency();
  plan.oneModule = !stopsAt(Emit::Package);
  plan.noFallback = options.noFallback;
  if (plan.oneModule || !options.saveTemps.empty())
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
  setTarget(module, *host);
  return false;
}

LogicalResult Compilation::compileFor(ModuleOp source, StringRef spec,
                                      std::string &result) {
  // A+B: one program on both, each kernel on the first that takes it.
  SmallVector<BoundTarget> targets;
  SmallVector<StringRef> parts;
  spec.split(parts, '+', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    targets.push_back(TargetRegistry::get().bind(part, &context));
    if (!targets.back())
      return failure();
    if (std::string why = tiling::checkOptions(targets.back().options);
        !why.empty()) {
      printer.error(why);
      return failure();
    }
    if (parts.size() > 1 &&
        targets.back().target->inputLevel() == InputLevel::Prim) {
      printer.error("target '" + targets.back().options.name +
                    "' takes whole programs, so it cannot share one");
      return failure();
    }
  }
  BoundTarget bound = targets.empty() ? BoundTarget() : targets.front();
  OwningOpRef<ModuleOp> module = source.clone();
  if (bound)
    setTarget(*module, bound);
  InputKind kind = detect(*module);
  bool takesPrim = false;
  if (bound && !stopsAt(Emit::Tile) && !stopsAt(Emit::Program)) {
    FailureOr<bool> taken = takesWhole(*module, targets);
    if (failed(taken))
      return failure();
    takesPrim = *taken;
    bound = targets.front();
  }
  // A target that takes prim takes kernels as they are given.
  if (failed(takesPrim ? applyNumerics(*module, bound)
                       : toTile(*module, bound, kind)))
    return failure();
  if (stopsAt(Emit::Program)) {
    print(*module, result);
    return success();
  }
  if (stopsAt(Emit::Tile)) {
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(module->getLoc());
    OpBuilder builder(kernels->getBodyRegion());
    builder.setInsertionPointToStart(kernels->getBody());
    // On their own they can only be called from outside.
    for (auto kernel : module->getOps<tile::KernelOp>())
      SymbolTable::setSymbolVisibility(builder.clone(*kernel),
                                       SymbolTable::Visibility::Public);
    print(*kernels, result);
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
  bool kernelEntries = kind.tile || options.referenceKernels;
  if (failed(buildHostProgram(*module, kernels, tolerances, names,
                              kernelEntries, pool, program.program)))
    return failure();
  for (const std::string &bytes : kernels.modules)
    program.modules.push_back(runtime::Blob::copy(bytes));
  package.targets.push_back(std::move(program));
  return success();
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
  auto bytes =
      runtime::writePackage(package, signingKey ? &*signingKey : nullptr);
  if (!bytes) {
    printer.error("the package is not valid: " + bytes.message());
    return failure();
  }
  result.assign(bytes->begin(), bytes->end());
  return success();
}

/// Leaves out what nobody registers, as long as something remains.
void Compilation::skipUnknown(std::vector<std::string> &specs) {
  auto isKnown = [](StringRef spec) {
    return llvm::all_of(llvm::split(spec, '+'), [](StringRef part) {
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

  collectNames(*module, input, names);
  if (failed(keepNeeded(*module, options.entries)) ||
      failed(checkSizes(*module)))
    return failure();
  InputKind kind = detect(*module);
  if (kind.triton) {
    // The command line's numerics mode takes the place of Triton's.
    std::string convert = options.numerics.empty()
                              ? "convert-triton-to-tile"
                              : "convert-triton-to-tile{numerics=strict}";
    std::vector<Step> steps = {{convert}, {"canonicalize"}, {"cse"}};
    if (!options.keepPointers)
      for (StringRef step :
           {"tile.kernel(tile-recover-views)", "canonicalize", "cse"})
        steps.push_back({step.str()});
    if (failed(runSteps(*module, "frontend", steps, TargetOptions(), printer,
                        timing)))
      return failure();
    kind = detect(*module);
  }
  // Globals that became constants are needed no more.
  if (kind.frontend &&
      (failed(runSteps(*module, "frontend",
                       frontendSteps(options.entries, options.elided),
                       TargetOptions(), printer, timing)) ||
       failed(keepNeeded(*module, {}))))
    return failure();
  if (stopsAt(Emit::Prim)) {
    if (failed(runSteps(*module, "prim", {{"func.func(prim-raise-composites)"}},
                        TargetOptions(), printer, timing)))
      return failure();
    print(*module, result);
    return success();
  }
  if (stopsAt(Emit::Package) && module->getBody()->empty()) {
    printer.error("expected a function or a kernel, found an empty module");
    return failure();
  }
  // Kernels that were functions of Triton may have other arguments now.
  collectNames(*module, input, names);
  inferDomains(*module);
  tolerances = computeTolerances(*module);
  std::vector<std::string> specs = options.targets;
  if (options.skipUnknownTargets)
    skipUnknown(specs);
  if (specs.empty())
    specs.push_back("");
  for (const std::string &spec : specs)
    if (failed(compileFor(*module, spec, result)))
      return failure();
  return stopsAt(Emit::Package) ? finish(result) : success();
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
  MLIRContext context(registry);
  context.loadDialect<KilnDialect>();
  // Hooks of the report and of pass construction need these early; others are
  // loaded when the input names them.
  for (StringRef name : own.getDialectNames())
    context.getOrLoadDialect(name);
  LogicalResult ok = failure();
  {
    IRDump dump(options.dump, &context);
    std::string error;
    if (!dump.checkNames(options, error)) {
      diag("error: " + error);
      return kWrongUsage;
    }
    Compilation compilation(options, input, context, diag);
    ok = compilation.run(result);
    DiagnosticPrinter printer(&context, diag, input.getBufferIdentifier());
    if (failed(dump.finish(printer)))
      ok = failure();
  }
  llvm::raw_string_ostream os(report);
  if (options.explain && StringRef(*options.explain).ends_with(".json"))
    Report::of(&context).printJson(os);
  else
    Report::of(&context).printText(os);
  return succeeded(ok) ? kDone : kInputFailed;
}
