//===- Assemble.cpp - The suite from recipes and definitions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assemble.h"
#include "Beginnings.h"
#include "Random.h"
#include "Registry.h"
#include "kiln/Eval/Evaluator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <optional>
#include <regex>
#include <set>

using namespace mlir;
using namespace kiln::conform;
using llvm::json::Array;
using llvm::json::Object;

/// Programs that are compiled together.
static constexpr size_t kProgramsPerModule = 48;

static Array numbers(ArrayRef<int64_t> values) {
  Array array;
  for (int64_t value : values)
    array.push_back(value);
  return array;
}

static Object callJson(const Call &call) {
  Object object{{"name", call.name}};
  if (call.grid != std::array<int64_t, 3>{1, 1, 1})
    object["grid"] = numbers(call.grid);
  Array args;
  for (const CallArgument &arg : call.args) {
    Object value{{"shape", numbers(arg.shape)}};
    if (!arg.strides.empty())
      value["strides"] = numbers(arg.strides);
    if (arg.fill.low <= arg.fill.high)
      value["fill"] = Array{arg.fill.kind, arg.fill.low, arg.fill.high};
    else
      value["fill"] = arg.fill.kind;
    args.push_back(std::move(value));
  }
  object["args"] = std::move(args);
  return object;
}

Object kiln::conform::programJson(const Entry &entry, StringRef level,
                                  StringRef symbol) {
  Object object{{"id", level.str() + "/" + entry.op + "/" + entry.type + "/" +
                           entry.form},
                {"entry", symbol.str()},
                {"op", entry.op},
                {"type", entry.type},
                {"form", entry.form},
                {"level", level.str()}};
  for (auto [name, flag] : {std::pair("kernel", entry.isKernel),
                            {"bitwise", entry.isBitwise},
                            {"free_zeros", entry.hasFreeZeros},
                            {"chained", entry.isChained}})
    if (flag)
      object[name] = true;
  if (entry.variant != "-")
    object["variant"] = entry.variant;
  Array profiles, params, calls;
  for (const std::string &profile :
       std::set<std::string>(entry.profiles.begin(), entry.profiles.end()))
    profiles.push_back(profile);
  for (const Param &param : entry.params) {
    Object value{{"dtype", param.dtype}};
    if (param.isScalar)
      value["scalar"] = true;
    if (param.isWritten)
      value["written"] = true;
    if (param.isPointer)
      value["pointer"] = true;
    params.push_back(std::move(value));
  }
  for (const Call &call : entry.calls)
    calls.push_back(callJson(call));
  object["profiles"] = std::move(profiles);
  object["params"] = std::move(params);
  object["calls"] = std::move(calls);
  return object;
}

std::string kiln::conform::textAs(const Entry &entry, StringRef symbol) {
  std::string text = entry.text;
  constexpr StringLiteral name = "@entry";
  for (size_t at = 0; (at = text.find(name.str(), at)) != std::string::npos;
       at += symbol.size() + 1)
    text.replace(at, name.size(), "@" + symbol.str());
  return text;
}

bool kiln::conform::isValid(const Entry &entry, MLIRContext &context,
                            std::string &why) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (why.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      why = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(entry.text, &context);
  return bool(module);
}

namespace {

/// Which cases are wanted, by their names.
struct Filter {
  explicit Filter(const std::string &text)
      : expression(text), beginnings(text) {}

  std::regex expression;
  Beginnings beginnings;
};

/// Cuts one level into modules.
class Assembly {
public:
  Assembly(MLIRContext &context, StringRef level, const Filter *filter,
           const SuiteOptions &options, Array &modules,
           std::set<std::string> &covered, std::string &error)
      : context(context), level(level), filter(filter), options(options),
        modules(modules), covered(covered), error(error) {}

  void run() {
    Plan plan(context);
    if (options.lastRandom) {
      if (level == "tile")
        addRandomPrograms(plan, options.seed, options.firstRandom,
                          options.lastRandom, options.simpler);
      write(plan);
      return;
    }
    auto mayBeWanted = [&](StringRef op) {
      return !filter ||
             filter->beginnings.allow((level + "/" + op + "/").str());
    };
    addElementwise(plan, level, mayBeWanted, covered);
    for (const auto &[op, recipe] : Registry::get().recipes)
      if (StringRef(op).starts_with("prim.") == (level == "prim"))
        recipe(plan);
    write(plan);
  }

private:
  void write(const Plan &plan) {
    std::set<std::string> ids;
    for (const Entry &entry : plan.entries) {
      std::string why, id = entry.op + "/" + entry.type + "/" + entry.form;
      covered.insert(entry.op);
      if (!isWanted(entry, id))
        continue;
      if (!isValid(entry, context, why)) {
        if (!entry.isProposal)
          error += "the program " + level.str() + "/" + id +
                   " is not valid: " + why + "\n" + entry.text;
        continue;
      }
      if (!ids.insert(id).second) {
        error += "two programs are called " + level.str() + "/" + id + "\n";
        continue;
      }
      for (const Call &call : entry.calls)
        if (call.args.size() != entry.params.size())
          error += "call '" + call.name + "' of " + level.str() + "/" + id +
                   " has " + std::to_string(call.args.size()) +
                   " arguments for " + std::to_string(entry.params.size()) +
                   " parameters\n";
      add(entry);
    }
    close();
  }

  bool isWanted(const Entry &entry, const std::string &id) const {
    if (!filter)
      return true;
    std::string program = level.str() + "/" + id + "/";
    return filter->beginnings.allow(program) &&
           llvm::any_of(entry.calls, [&](const Call &call) {
             return std::regex_search(program + call.name, filter->expression);
           });
  }

  void add(const Entry &entry) {
    std::string symbol = level.substr(0, 1).str() + std::to_string(symbols++);
    programs.push_back(programJson(entry, level, symbol));
    text += textAs(entry, symbol);
    if (programs.size() == kProgramsPerModule)
      close();
  }

  void close() {
    if (programs.empty())
      return;
    std::string name = level.str() + std::to_string(count++);
    modules.push_back(Object{{"name", name},
                             {"level", level.str()},
                             {"text", std::move(text)},
                             {"programs", std::move(programs)}});
    programs = Array();
    text.clear();
  }

  MLIRContext &context;
  StringRef level;
  const Filter *filter;
  const SuiteOptions &options;
  Array &modules;
  std::set<std::string> &covered;
  std::string &error;
  Array programs;
  std::string text;
  size_t count = 0, symbols = 0;
};

} // namespace

bool kiln::conform::assembleSuite(MLIRContext &context,
                                  const SuiteOptions &options, Object &suite,
                                  std::string &error) {
  registerCoreRecipes();
  Array modules, exempt, uncovered;
  std::optional<Filter> filter;
  try {
    if (!options.filter.empty())
      filter.emplace(options.filter);
  } catch (const std::regex_error &wrong) {
    error =
        std::string("--filter is not a regular expression: ") + wrong.what();
    return false;
  }
  std::set<std::string> covered;
  for (StringRef level : {"tile", "prim"})
    if (options.level.empty() || options.level == level)
      Assembly(context, level, filter ? &*filter : nullptr, options, modules,
               covered, error)
          .run();
  for (const auto &[op, reason] : Registry::get().exemptions)
    exempt.push_back(Object{{"op", op}, {"reason", reason}});
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    std::string op = name.getStringRef().str();
    StringRef dialect = name.getDialectNamespace();
    bool isPrim = dialect == "prim";
    // Of a plug-in's operations those that have a meaning before its pipeline;
    // instructions of its machine have none.
    auto hasMeaning = [&] {
      return pluginDialects().contains(dialect) &&
             name.getDialect()
                 .getRegisteredInterface<eval::EvaluationInterface>();
    };
    bool isOurs = !options.lastRandom &&
                  (isPrim || dialect == "tile" || dialect == "arith" ||
                   dialect == "math" || hasMeaning());
    if (isOurs &&
        (options.level.empty() || (options.level == "prim") == isPrim))
      if (!covered.count(op) && !Registry::get().exemptions.count(op))
        uncovered.push_back(op);
  }
  suite["modules"] = std::move(modules);
  suite["exempt"] = std::move(exempt);
  suite["uncovered"] = std::move(uncovered);
  return error.empty();
}
