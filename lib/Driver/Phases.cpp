//===- Phases.cpp - The phases of the input and of the package ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Phases.h"
#include "FrontendChoice.h"
#include "Input.h"
#include "LaunchCosts.h"
#include "kiln-c/Runtime.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

bool kiln::driver::hasPrim(ModuleOp module) {
  return !module.getOps<func::FuncOp>().empty();
}

bool kiln::driver::hasTile(ModuleOp module) {
  return llvm::any_of(*module.getBody(), [](Operation &op) {
    return isa<tile::Kernel, program::FuncOp>(op);
  });
}

Outcome kiln::driver::runPhases(ArrayRef<Phase> phases, Session &session,
                                Program &program) {
  for (const Phase &phase : phases)
    if (Outcome outcome = phase.run(session, program);
        outcome != Outcome::Continue)
      return outcome;
  return Outcome::Continue;
}

/// Reads the key before anything is compiled for it.
static Outcome readKey(Session &session, Program &) {
  if (session.options.sign.empty())
    return Outcome::Continue;
  auto key = runtime::readSecretKey(session.options.sign);
  if (!key)
    return toOutcome(session.fail("--sign: " + key.message()));
  session.signingKey = *key;
  return Outcome::Continue;
}

static Outcome parseInput(Session &session, Program &program) {
  TimingScope scope = session.timing.nest("parse");
  program.module = readInput(session.input, &session.context, session.printer,
                             session.options.trustInput);
  scope.stop();
  if (!program.module || failed(session.save(*program.module, "input")))
    return Outcome::Failed;
  if (session.explanation)
    session.explanation->begin(*program.module, session.input);
  collectNames(*program.module, session.input, session.names);
  return Outcome::Continue;
}

/// Leaves the entries that are wanted.
static Outcome selectEntries(Session &session, Program &program) {
  return toOutcome(session.run(*program.module,
                               inputStage(session.options.entries), {},
                               /*always=*/true));
}

/// Lets the frontends whose input this is bring it to prim or tile.
static Outcome convertFrontends(Session &session, Program &program) {
  ModuleOp module = *program.module;
  std::optional<FrontendChoice> choice =
      chooseFrontend(session.options, session.printer);
  if (!choice)
    return Outcome::Failed;
  auto frontends =
      frontend::FrontendRegistry::get().recognise(module, choice->frontend);
  if (failed(frontends))
    return Outcome::Failed;
  auto optionsOf = [&](const frontend::Frontend &one) {
    return optionsFor(one, *choice, session.options);
  };
  if (failed(session.run(module, frontendStage(*frontends, optionsOf), {},
                         /*always=*/true)))
    return Outcome::Failed;
  session.improvements =
      frontend::FrontendRegistry::improvementsOf(*frontends, optionsOf);
  return toOutcome(checkLevels(module, *frontends));
}

static Outcome emitPrim(Session &session, Program &program) {
  if (!session.stopsAt(Emit::Prim))
    return Outcome::Continue;
  if (failed(session.run(*program.module, raiseStage())))
    return Outcome::Failed;
  if (session.options.printPipeline)
    session.printPipeline();
  else
    session.print(*program.module);
  return Outcome::Done;
}

static Outcome checkContents(Session &session, Program &program) {
  if (session.stopsAt(Emit::Package) && program.module->getBody()->empty())
    return toOutcome(
        session.fail("expected a function or a kernel, found an empty module"));
  // Kernels that were functions of Triton may have other arguments now.
  collectNames(*program.module, session.input, session.names);
  return Outcome::Continue;
}

/// What inputs may hold, and how far results may differ.
static Outcome inferDomains(Session &session, Program &program) {
  if (failed(session.run(*program.module, {"domains", {{"kiln-infer-domains"}}},
                         {},
                         /*always=*/true)))
    return Outcome::Failed;
  session.tolerances = computeTolerances(*program.module);
  return Outcome::Continue;
}

ArrayRef<Phase> kiln::driver::inputPhases() {
  static constexpr Phase kPhases[] = {
      {"key", readKey},           {"parse", parseInput},
      {"entries", selectEntries}, {"frontends", convertFrontends},
      {"emit-prim", emitPrim},    {"contents", checkContents},
      {"domains", inferDomains},
  };
  return kPhases;
}

/// The flags that change what programs compute, for `kiln-run --check` and for
/// readers of the package.
static std::vector<std::string> compileArgs(const CompileOptions &options) {
  std::vector<std::string> args;
  args.reserve(options.numerics.size() + options.entries.size() + 2);
  for (const std::string &mode : options.numerics)
    args.push_back("--numerics=" + mode);
  if (options.allowTf32)
    args.push_back("--allow-tf32");
  if (!options.elided.empty())
    args.push_back("--elided=" + options.elided);
  for (const std::string &entry : options.entries)
    args.push_back("--entry=" + entry);
  return args;
}

/// What launches compute and move, in the report.
static void reportLaunches(const runtime::Package &package, Report &report) {
  for (const LaunchCost &cost : launchCosts(package)) {
    ReportRow row;
    row.stage = "launch";
    row.function = cost.function;
    row.kernel = cost.kernel;
    row.subject = "program.launch";
    row.chosen = cost.device;
    row.detail = costText(cost);
    row.count = cost.launches;
    report.add(std::move(row));
  }
}

static Outcome writePackage(Session &session, Program &) {
  if (!session.stopsAt(Emit::Package) || session.options.printPipeline)
    return Outcome::Done;
  TimingScope scope = session.timing.nest("package");
  runtime::Package &package = session.package;
  package.producer = std::string("kiln ") + kilnRuntimeVersion();
  package.sourceName = session.input.getBufferIdentifier().str();
  if (!session.options.strip)
    package.source = runtime::Blob::borrow(session.input.getBufferStart(),
                                           session.input.getBufferSize());
  package.compileArgs = compileArgs(session.options);
  package.constants = session.pool.take();
  if (session.options.explain)
    reportLaunches(package, session.report);
  if (session.explanation)
    session.explanation->measure(package);
  auto bytes = runtime::writePackage(
      package, session.signingKey ? &*session.signingKey : nullptr);
  if (!bytes)
    return toOutcome(
        session.fail("the package is not valid: " + bytes.message()));
  session.result.assign(bytes->begin(), bytes->end());
  return Outcome::Continue;
}

/// Runs what was compiled and compares it with the evaluation.
static Outcome compareDevice(Session &session, Program &) {
  if (session.semantics)
    session.semantics->compareDevice(session.result,
                                     session.options.targets.front());
  return Outcome::Continue;
}

ArrayRef<Phase> kiln::driver::packagePhases() {
  static constexpr Phase kPhases[] = {
      {"package", writePackage},
      {"device", compareDevice},
  };
  return kPhases;
}
