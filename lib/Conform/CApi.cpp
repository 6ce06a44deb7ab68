//===- CApi.cpp - The compiler half of kiln-conform -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assemble.h"
#include "Protocol.h"
#include "Registry.h"
#include "WireCases.h"
#include "kiln-c/Conform.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Isolated/IsolatedTarget.h"
#include "kiln/Target/Target.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

const llvm::StringSet<> &kiln::conform::pluginDialects() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> core, result;
    mlir::DialectRegistry known, all;
    kiln::frontend::registerUpstreamDialects(known);
    for (StringRef name : {"chlo", "cpu", "kiln", "prim", "program",
                           "stablehlo", "stage", "tile", "tt", "vhlo"})
      core.insert(name);
    kiln::target::TargetRegistry::get().registerDialects(all);
    for (StringRef name : known.getDialectNames())
      core.insert(name);
    for (StringRef name : all.getDialectNames())
      if (!core.contains(name))
        result.insert(name);
    return result;
  }();
  return names;
}

namespace {

/// One question.
struct Question {
  StringRef kind;
  std::vector<std::string> loadTargets;
  std::vector<std::pair<StringRef, StringRef>> values;

  StringRef get(StringRef key) const {
    for (auto [name, value] : values)
      if (name == key)
        return value;
    return "";
  }
};

bool parse(llvm::ArrayRef<const char *> args, Question &question,
           std::string &error) {
  if (args.empty()) {
    error = "error: expected suite or target";
    return false;
  }
  question.kind = args.front();
  for (const char *arg : args.drop_front()) {
    auto [key, value] = StringRef(arg).split('=');
    if (!key.consume_front("--") || !StringRef(arg).contains('=')) {
      error = "error: expected --KEY=VALUE, found '" + std::string(arg) + "'";
      return false;
    }
    if (key == "load-target")
      question.loadTargets.push_back(value.str());
    else
      question.values.push_back({key, value});
  }
  return true;
}

int answerSuite(const Question &question, Object &answer, std::string &error) {
  SuiteOptions options;
  options.level = question.get("level").str();
  options.filter = question.get("filter").str();
  auto number = [&](StringRef key, auto &to) {
    StringRef text = question.get(key);
    if (!text.empty() && text.getAsInteger(10, to))
      error = "error: expected a number for " + key.str() + ", found '" +
              text.str() + "'";
  };
  number("seed", options.seed);
  number("first-random", options.firstRandom);
  number("random", options.lastRandom);
  llvm::SmallVector<StringRef> drops;
  question.get("drop").split(drops, '+', -1, /*KeepEmpty=*/false);
  for (StringRef drop : drops) {
    unsigned step = 0;
    if (!drop.getAsInteger(10, step))
      options.simpler.dropped.insert(step);
  }
  auto [rows, columns] = question.get("tile").split('x');
  std::array<int64_t, 2> &tile = options.simpler.tile;
  if (!question.get("tile").empty() &&
      (rows.getAsInteger(10, tile[0]) || columns.getAsInteger(10, tile[1]) ||
       tile[0] < 0 || tile[1] < 0))
    error = "error: expected two sizes for tile, found '" +
            question.get("tile").str() + "'";
  llvm::SmallVector<StringRef> ways;
  question.get("simpler").split(ways, '+', -1, /*KeepEmpty=*/false);
  for (StringRef way : ways)
    options.simpler.ways.insert(way.str());
  if (!error.empty())
    return 2;
  if (!options.level.empty() && options.level != "prim" &&
      options.level != "tile") {
    error =
        "error: expected prim or tile as level, found '" + options.level + "'";
    return 2;
  }
  mlir::DialectRegistry registry;
  kiln::driver::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  for (StringRef name : registry.getDialectNames())
    if (name == "arith" || name == "math" || name == "scf" || name == "func" ||
        name == "prim" || name == "tile" || pluginDialects().contains(name))
      context.getOrLoadDialect(name);
  bool isDone = question.kind == "wire-cases"
                    ? answerWireCases(context, options, answer, error)
                    : assembleSuite(context, options, answer, error);
  return isDone ? 0 : 1;
}

int answerTarget(const Question &question, Object &answer, std::string &error) {
  mlir::DialectRegistry registry;
  kiln::driver::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    error += "error: " + d.str();
    return mlir::success();
  });
  auto bound = kiln::target::TargetRegistry::get().bind(question.get("target"),
                                                        &context);
  if (!bound)
    return 1;
  Array deviations;
  if (bound.description)
    for (mlir::StringAttr text : bound.description.getDeviations())
      deviations.push_back(text.getValue().str());
  answer["name"] = bound.options.name;
  answer["device"] = bound.target->deviceName();
  answer["deviations"] = std::move(deviations);
  return 0;
}

/// What became of conversations with a target's program.
int answerProtocol(const Question &question, Object &answer,
                   std::string &error) {
  ProtocolOptions options;
  options.program = question.get("program").str();
  if (!question.get("conversations").empty() &&
      question.get("conversations").getAsInteger(10, options.conversations))
    error = "error: expected a number of conversations";
  if (!question.get("seed").empty() &&
      question.get("seed").getAsInteger(10, options.seed))
    error = "error: expected a number as seed";
  if (kiln::isolated::targetOfProgram(options.program).empty())
    error = "error: expected a program named kiln-target-NAME, found '" +
            options.program + "'";
  if (!error.empty())
    return 2;
  mlir::DialectRegistry registry;
  kiln::driver::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (const auto &[name, tally] : checkProtocol(options, context)) {
    Array problems;
    for (const std::string &problem : tally.problems)
      problems.push_back(problem);
    answer[name] = Object{{"passed", tally.passed},
                          {"failed", tally.failed},
                          {"problems", std::move(problems)}};
  }
  return 0;
}

/// The table of the wire form of kernels.
int answerWire(Object &answer) {
  mlir::DialectRegistry registry;
  kiln::driver::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  answer = std::move(*kiln::isolated::describeWire(&context).getAsObject());
  return 0;
}

} // namespace

extern "C" int kilnConform(size_t numArgs, const char *const *args,
                           KilnTextHandler take, void *user,
                           KilnDiagnosticHandler diag, void *diagUser) {
  Question question;
  std::string error;
  int status = 2;
  Object answer;
  if (parse({args, numArgs}, question, error)) {
    kiln::driver::initializeCore();
    bool isLoaded = kiln::driver::initialize(
        question.loadTargets, [&](StringRef line) { error += line.str(); });
    if (!isLoaded)
      status = 1;
    else if (question.kind == "suite" || question.kind == "wire-cases")
      status = answerSuite(question, answer, error);
    else if (question.kind == "target")
      status = answerTarget(question, answer, error);
    else if (question.kind == "protocol")
      status = answerProtocol(question, answer, error);
    else if (question.kind == "wire")
      status = answerWire(answer);
    else
      error = "error: expected suite, target, protocol, wire or wire-cases, "
              "found '" +
              question.kind.str() + "'";
  }
  if (status) {
    diag(error.c_str(), diagUser);
    return status;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(answer));
  take(text.data(), text.size(), user);
  return 0;
}
