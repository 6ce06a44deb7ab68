//===- Dump.cpp - The IR around passes ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump.h"
#include "Pipeline.h"
#include "Specs.h"
#include "kiln/Dialect/Kiln/Suggest.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::driver;
using namespace kiln::target;

namespace {
/// The dumps that live, by context.
struct Living {
  std::mutex mutex;
  llvm::DenseMap<MLIRContext *, IRDump *> dumps;
};

Living &living() {
  static Living all;
  return all;
}

/// What the flags call a pass.
StringRef nameOf(Pass *pass) {
  StringRef argument = pass->getArgument();
  return argument.empty() ? pass->getName() : argument;
}

/// A part of a file name that any file system takes.
std::string filePart(StringRef text) {
  std::string part = text.take_front(80).str();
  for (char &c : part)
    if (!llvm::isAlnum(c) && c != '-' && c != '_' && c != '.')
      c = '_';
  return part;
}

/// Adds the names of passes in a textual pipeline.
void addNames(const OpPassManager &pm, llvm::StringSet<> &names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  std::string name;
  unsigned depth = 0;
  for (char c : text + ",") {
    if (c != '{' && c != '}' && c != ',' && c != '(' && c != ')') {
      if (depth == 0)
        name += c;
      continue;
    }
    // What has parentheses behind it is an operation.
    if (depth == 0 && c != '(' && !name.empty())
      names.insert(name);
    name.clear();
    depth += c == '{';
    depth -= c == '}' && depth > 0;
  }
}

/// The names of the passes that compiling for these targets can run.
llvm::StringSet<> passNames(const CompileOptions &options,
                            MLIRContext *context) {
  llvm::StringSet<> names;
  auto add = [&](const BoundTarget &bound) {
    std::vector<Stage> stages = {inputStage(), primStage(&options),
                                 tileStage(&options), kernelStage(),
                                 numericsStage(options)};
    using kiln::frontend::FrontendRegistry;
    for (const kiln::frontend::Frontend *one :
         FrontendRegistry::get().frontends())
      for (const Stage &stage :
           {frontendStage({one}),
            improveStage(FrontendRegistry::improvementsOf({one}, {}))})
        stages.push_back(stage);
    for (const Stage &stage : stages) {
      PassManager pm(context);
      if (succeeded(addSteps(pm, stage.steps, bound, llvm::nulls())))
        addNames(pm, names);
    }
    if (!bound || !bound.target->hasPipeline())
      return;
    PassManager pm(context);
    bound.target->buildPipeline(pm, bound.options);
    addNames(pm, names);
  };
  // What is wrong with a SPEC is said when it is compiled for.
  DiagnosticPrinter silent(context, [](StringRef) {});
  TargetRegistry &registry = TargetRegistry::get();
  add({});
  for (StringRef spec : options.targets)
    for (StringRef part : splitSpecs(spec))
      add(registry.bind(part, context));
  if (const Target *host = findHostTarget())
    add(registry.bind(host->name(), context));
  return names;
}
} // namespace

bool IRDumpOptions::parse(StringRef flag, std::optional<StringRef> value,
                          std::string &error) {
  auto name = flag;
  name.consume_front("mlir-");
  name.consume_front("print-ir-");
  bool *on = llvm::StringSwitch<bool *>(name)
                 .Case("before-all", &beforeAll)
                 .Case("after-all", &afterAll)
                 .Case("after-change", &afterChange)
                 .Case("after-failure", &afterFailure)
                 .Case("module-scope", &moduleScope)
                 .Default(nullptr);
  if (on) {
    if (value)
      error = "expected --" + flag.str() + " without a value, found '" +
              value->str() + "'";
    *on = true;
    return error.empty();
  }
  if (name == "tree-dir") {
    if (value && !value->empty())
      treeDir = value->str();
    else
      error = "expected --" + flag.str() + "=DIR";
    return error.empty();
  }
  auto *list = llvm::StringSwitch<std::vector<std::string> *>(name)
                   .Case("before", &before)
                   .Case("after", &after)
                   .Default(nullptr);
  if (!list) {
    error = "unknown flag '--" + flag.str() + "'";
    return false;
  }
  for (StringRef pass : llvm::split(value.value_or(""), ','))
    if (!pass.empty())
      list->push_back(pass.str());
  if (list->empty())
    error = "expected --" + flag.str() + "=PASS[,PASS...]";
  return error.empty();
}

bool IRDumpOptions::printsAfterAll() const {
  if (afterAll || !after.empty())
    return afterAll;
  bool names = beforeAll || !before.empty();
  return afterChange || afterFailure ||
         (!names && (moduleScope || !treeDir.empty()));
}

bool IRDumpOptions::any() const {
  return beforeAll || printsAfterAll() || !before.empty() || !after.empty();
}

/// Asks the dump what to print.
class IRDump::Config : public PassManager::IRPrinterConfig {
public:
  Config(IRDump &dump, std::string stage)
      : IRPrinterConfig(dump.options.moduleScope, dump.options.afterChange,
                        dump.options.afterFailure,
                        OpPrintingFlags()
                            .elideLargeElementsAttrs(64)
                            .elideLargeResourceString(64)),
        dump(dump), stage(std::move(stage)) {}

  void printBeforeIfEnabled(Pass *pass, Operation *op,
                            PrintCallbackFn callback) override {
    dump.seen.insert(nameOf(pass));
    if ((dump.options.beforeAll && hasName(pass)) ||
        llvm::is_contained(dump.options.before, nameOf(pass)))
      dump.print(pass, op, /*isBefore=*/true, stage, callback);
  }

  void printAfterIfEnabled(Pass *pass, Operation *op,
                           PrintCallbackFn callback) override {
    bool isOneOfAll = dump.options.printsAfterAll() &&
                      (hasName(pass) || !dump.options.afterAll);
    if (isOneOfAll || llvm::is_contained(dump.options.after, nameOf(pass)))
      dump.print(pass, op, /*isBefore=*/false, stage, callback);
  }

private:
  /// Whether the pass has a name that pipelines use. Those that check what
  /// passes of plug-ins leave alone have none, and change nothing.
  static bool hasName(Pass *pass) { return !pass->getArgument().empty(); }

  IRDump &dump;
  std::string stage;
};

IRDump::IRDump(const IRDumpOptions &options, MLIRContext *context)
    : options(options), context(context),
      wasThreaded(context->isMultithreadingEnabled()) {
  if (!options.any())
    return;
  context->disableMultithreading();
  std::lock_guard<std::mutex> lock(living().mutex);
  living().dumps[context] = this;
}

IRDump::~IRDump() {
  if (!options.any())
    return;
  context->disableMultithreading(!wasThreaded);
  std::lock_guard<std::mutex> lock(living().mutex);
  living().dumps.erase(context);
}

IRDump *IRDump::of(MLIRContext *context) {
  std::lock_guard<std::mutex> lock(living().mutex);
  return living().dumps.lookup(context);
}

void IRDump::attach(PassManager &pm, StringRef stage) {
  std::string folder =
      llvm::formatv("{0,0+2}-{1}", numStages++, filePart(stage)).str();
  pm.enableIRPrinting(std::make_unique<Config>(*this, std::move(folder)));
}

void IRDump::print(Pass *pass, Operation *op, bool isBefore, StringRef stage,
                   PassManager::IRPrinterConfig::PrintCallbackFn callback) {
  if (options.treeDir.empty()) {
    callback(llvm::errs());
    llvm::errs() << "\n";
    llvm::errs().flush();
    return;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  callback(os);
  llvm::SmallString<128> path(options.treeDir);
  llvm::sys::path::append(path, stage);
  if (std::error_code code = llvm::sys::fs::create_directories(path)) {
    error = path.str().str() + ": cannot be created: " + code.message();
    return;
  }
  std::string file =
      llvm::formatv("{0,0+4}-{1}{2}", numFiles++, isBefore ? "before-" : "",
                    filePart(nameOf(pass)));
  if (auto symbol =
          op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    file += "." + filePart(symbol.getValue());
  llvm::sys::path::append(path, file + ".mlir");
  writeOutput(path, text, error);
}

bool IRDump::checkNames(const CompileOptions &all, std::string &error) const {
  llvm::StringSet<> known;
  for (const auto *list : {&options.before, &options.after})
    for (StringRef name : *list) {
      if (PassInfo::lookup(name))
        continue;
      if (known.empty())
        known = passNames(all, context);
      if (known.contains(name))
        continue;
      error = "no pass is named '" + name.str() + "'";
      SmallVector<StringRef> names(known.keys().begin(), known.keys().end());
      std::string near = kiln::suggestNames(name, names);
      error += near.empty()
                   ? "; --print-ir-after-all shows the names of all that run"
                   : near;
      return false;
    }
  return true;
}

LogicalResult IRDump::finish(DiagnosticPrinter &printer) {
  if (!options.any())
    return success();
  for (const auto *list : {&options.before, &options.after})
    for (StringRef name : *list)
      if (!seen.contains(name))
        printer.note("warning: the pass '" + name.str() + "' of --print-ir-" +
                     (list == &options.before ? "before" : "after") +
                     " did not run");
  if (error.empty())
    return success();
  printer.error(error);
  return failure();
}
