// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the suite.
#include "Suite.h"
#include <nlohmann/json.hpp>

using namespace kiln::conform;
using namespace kiln::runtime;
using nlohmann::json;

namespace {

Fill readFill(const json &from) {
  Fill fill;
  if (from.is_string()) {
    fill.kind = from.get<std::string>();
    return fill;
  }
  fill.kind = from.at(0).get<std::string>();
  fill.low = from.at(1).get<double>();
  fill.high = from.at(2).get<double>();
  return fill;
}

Call readCall(const json &from) {
  Call call;
  call.name = from.at("name").get<std::string>();
  if (from.contains("grid"))
    call.grid = from["grid"].get<std::array<int64_t, 3>>();
  call.seed = from.value("seed", uint64_t(0));
  for (const json &value : from.at("args")) {
    CallArgument arg;
    arg.shape = value.at("shape").get<std::vector<int64_t>>();
    if (value.contains("strides"))
      arg.strides = value["strides"].get<std::vector<int64_t>>();
    arg.fill = readFill(value.at("fill"));
    call.args.push_back(std::move(arg));
  }
  return call;
}

Program readProgram(const json &from) {
  Program program;
  for (auto [key, to] : {std::pair{"id", &program.id},
                         {"entry", &program.entry},
                         {"op", &program.op},
                         {"type", &program.type},
                         {"form", &program.form},
                         {"level", &program.level}})
    *to = from.at(key).get<std::string>();
  program.variant = from.value("variant", "-");
  program.profiles = from.at("profiles").get<std::vector<std::string>>();
  program.isKernel = from.value("kernel", false);
  program.isBitwise = from.value("bitwise", false);
  program.hasFreeZeros = from.value("free_zeros", false);
  program.isChained = from.value("chained", false);
  for (const json &value : from.at("params")) {
    Param param;
    param.dtype = parseDType(value.at("dtype").get<std::string>());
    param.isScalar = value.value("scalar", false);
    param.isWritten = value.value("written", false);
    param.isPointer = value.value("pointer", false);
    program.params.push_back(param);
  }
  for (const json &value : from.at("calls"))
    program.calls.push_back(readCall(value));
  return program;
}

} // namespace

Expected<Suite> kiln::conform::suiteFromJson(std::string_view text) {
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return Error("the suite is not JSON");
  try {
    Suite suite;
    for (const json &value : parsed.at("modules")) {
      Module module;
      module.name = value.at("name").get<std::string>();
      module.level = value.at("level").get<std::string>();
      module.text = value.value("text", "");
      for (const json &program : value.at("programs"))
        module.programs.push_back(readProgram(program));
      suite.modules.push_back(std::move(module));
    }
    for (const json &value : parsed.at("exempt"))
      suite.exempt.push_back({value.at("op").get<std::string>(),
                              value.at("reason").get<std::string>()});
    suite.uncovered = parsed.at("uncovered").get<std::vector<std::string>>();
    return suite;
  } catch (const json::exception &error) {
    return Error(std::string("the suite is malformed: ") + error.what());
  }
}
