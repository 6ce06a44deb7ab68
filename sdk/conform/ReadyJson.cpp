// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prepared modules as JSON.
#include "ReadyJson.h"
#include "kiln/Runtime/Package.h"
#include <nlohmann/json.hpp>

using namespace kiln::conform;
using namespace kiln::runtime;
using nlohmann::json;

namespace {

json callToJson(const Call &call) {
  json args = json::array();
  for (const CallArgument &arg : call.args) {
    json value = {{"shape", arg.shape}};
    if (!arg.strides.empty())
      value["strides"] = arg.strides;
    if (arg.fill.low <= arg.fill.high)
      value["fill"] = {arg.fill.kind, arg.fill.low, arg.fill.high};
    else
      value["fill"] = arg.fill.kind;
    args.push_back(std::move(value));
  }
  json value = {{"name", call.name}, {"grid", call.grid}, {"args", args}};
  if (call.seed)
    value["seed"] = call.seed;
  return value;
}

json programToJson(const Program &program) {
  json params = json::array(), calls = json::array();
  for (const Param &param : program.params)
    params.push_back({{"dtype", dtypeName(param.dtype)},
                      {"scalar", param.isScalar},
                      {"written", param.isWritten},
                      {"pointer", param.isPointer}});
  for (const Call &call : program.calls)
    calls.push_back(callToJson(call));
  return {{"id", program.id},
          {"entry", program.entry},
          {"op", program.op},
          {"type", program.type},
          {"form", program.form},
          {"level", program.level},
          {"variant", program.variant},
          {"profiles", program.profiles},
          {"kernel", program.isKernel},
          {"bitwise", program.isBitwise},
          {"free_zeros", program.hasFreeZeros},
          {"chained", program.isChained},
          {"params", std::move(params)},
          {"calls", std::move(calls)}};
}

const char *const kKinds[] = {"target", "declined", "failed"};

Ready caseFromJson(const json &from) {
  Ready ready;
  ready.program = from.at("program").get<size_t>();
  ready.call = from.at("call").get<size_t>();
  ready.error = from.value("error", "");
  for (const json &value : from.at("outputs")) {
    Output output;
    output.dtype = parseDType(value.at("dtype").get<std::string>());
    output.shape = value.at("shape").get<std::vector<int64_t>>();
    output.offset = value.at("offset").get<int64_t>();
    output.hasRange = value.at("range").get<bool>();
    ready.outputs.push_back(std::move(output));
  }
  return ready;
}

} // namespace

std::string kiln::conform::readyToJson(const ReadyModule &ready) {
  json programs = json::array(), placed = json::array(), cases = json::array();
  for (const Program &program : ready.module.programs)
    programs.push_back(programToJson(program));
  for (const Placed &place : ready.placed)
    placed.push_back({{"on", kKinds[place.kind]},
                      {"reason", place.reason},
                      {"package", place.package}});
  for (const Ready &one : ready.cases) {
    json outputs = json::array();
    for (const Output &output : one.outputs)
      outputs.push_back({{"dtype", dtypeName(output.dtype)},
                         {"shape", output.shape},
                         {"offset", output.offset},
                         {"range", output.hasRange}});
    json value = {{"program", one.program},
                  {"call", one.call},
                  {"outputs", std::move(outputs)}};
    if (!one.error.empty())
      value["error"] = one.error;
    cases.push_back(std::move(value));
  }
  json module = {{"name", ready.module.name},
                 {"level", ready.module.level},
                 {"programs", std::move(programs)}};
  // As a suite of one module, so that one reader does for both.
  json all = {{"modules", json::array({std::move(module)})},
              {"exempt", json::array()},
              {"uncovered", json::array()},
              {"placed", std::move(placed)},
              {"cases", std::move(cases)}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

Expected<ReadyModule> kiln::conform::readReady(const std::string &folder,
                                               const std::string &name) {
  std::string path = folder + "/" + name + ".json";
  Expected<Blob> file = mapFile(path);
  if (!file)
    return file.takeError();
  std::string_view text(reinterpret_cast<const char *>(file->data), file->size);
  Expected<Suite> suite = suiteFromJson(text);
  if (!suite)
    return Error(path + ": " + suite.message());
  try {
    json parsed = json::parse(text);
    ReadyModule ready;
    if (suite->modules.size() != 1)
      return Error(path + ": expected one module");
    ready.module = std::move(suite->modules.front());
    for (const json &value : parsed.at("placed")) {
      Placed place;
      std::string on = value.at("on").get<std::string>();
      for (int kind = 0; kind < 3; ++kind)
        if (on == kKinds[kind])
          place.kind = Placed::Kind(kind);
      place.reason = value.at("reason").get<std::string>();
      place.package = value.at("package").get<int>();
      ready.placed.push_back(std::move(place));
    }
    for (const json &value : parsed.at("cases"))
      ready.cases.push_back(caseFromJson(value));
    for (const Ready &one : ready.cases)
      if (one.program >= ready.module.programs.size() ||
          one.call >= ready.module.programs[one.program].calls.size())
        return Error(path + ": a case of no program");
    if (ready.placed.size() != ready.module.programs.size())
      return Error(path + ": expected a place for each program");
    return ready;
  } catch (const json::exception &error) {
    return Error(path + ": " + error.what());
  }
}
