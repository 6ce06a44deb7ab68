// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as JSON.
#include "Report.h"
#include <nlohmann/json.hpp>

using namespace kiln::conform;
using nlohmann::json;

static json countsToJson(const Counts &counts) {
  return {
      {"passed", counts.passed},          {"failed", counts.failed},
      {"declared", counts.declared},      {"unexpected", counts.unexpected},
      {"declined", counts.declined},      {"unsupported", counts.unsupported},
      {"invalid", counts.invalid},        {"not_run", counts.notRun},
      {"worst_error", counts.worstError}, {"worst_bound", counts.worstBound},
      {"worst_share", counts.worstShare}};
}

std::string kiln::conform::toJson(const Results &results) {
  json cases = json::array(), operations = json::array(),
       exempt = json::array(), declarations = json::array(),
       broken = json::array();
  forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                           const Verdict &verdict) {
    const Program &program = module.module.programs[one.program];
    json value = {{"name", caseName(program, program.calls[one.call])},
                  {"operation", program.op},
                  {"type", program.type},
                  {"level", program.level},
                  {"profiles", program.profiles},
                  {"status", statusName(verdict.status)},
                  {"seconds", verdict.seconds}};
    if (uint64_t seed = program.calls[one.call].seed)
      value["seed"] = seed;
    if (!verdict.message.empty())
      value["message"] = verdict.message;
    if (!verdict.declaration.empty())
      value["declaration"] = verdict.declaration;
    if (verdict.status == Verdict::passed ||
        verdict.status == Verdict::failed) {
      value["error"] = verdict.error;
      value["bound"] = verdict.bound;
      value["share"] = verdict.share;
    }
    cases.push_back(std::move(value));
  });
  for (const auto &[op, types] : matrixOf(results))
    for (const auto &[type, counts] : types) {
      json value = countsToJson(counts);
      value["operation"] = op;
      value["type"] = type;
      operations.push_back(std::move(value));
    }
  for (const Exemption &one : results.exempt)
    exempt.push_back({{"operation", one.op}, {"reason", one.reason}});
  for (const Declaration &one : results.declarations)
    declarations.push_back({{"pattern", one.pattern}, {"reason", one.reason}});
  for (const auto &[module, reason] : results.broken)
    broken.push_back({{"module", module}, {"reason", reason}});
  json report = {{"version", 1},
                 {"target", results.target},
                 {"seed", results.seed},
                 {"seeds", results.seeds},
                 {"prepare_seconds", results.prepareSeconds},
                 {"run_seconds", results.runSeconds},
                 {"counts", countsToJson(countAll(results))},
                 {"operations", std::move(operations)},
                 {"cases", std::move(cases)},
                 {"exempt", std::move(exempt)},
                 {"uncovered", results.uncovered},
                 {"declarations", std::move(declarations)},
                 {"broken", std::move(broken)}};
  return report.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}
