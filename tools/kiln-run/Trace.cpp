// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trace.h"
#include "Bench.h"
#include "Runner.h"
#include <nlohmann/json.hpp>

using namespace kiln::run;
using namespace kiln::runtime;
using Json = nlohmann::ordered_json;

Error kiln::run::warmUpForTrace(Session &session, const Function &function,
                                const std::vector<Input> &inputs,
                                const Options &options) {
  if (session.target().spec.compare(0, 9, "reference") == 0)
    return Error::success();
  Expected<std::vector<Input>> copies = copyInputs(inputs);
  if (!copies)
    return copies.takeError();
  Expected<Outcome> outcome =
      callOnce(session, function, *copies, options, /*onReference=*/false);
  return outcome ? Error::success() : outcome.takeError();
}

Error kiln::run::writeTrace(const Options &options, const Session &session,
                            const CallReport &report) {
  Json events = Json::array();
  std::vector<std::string> devices = session.deviceNames();
  for (size_t i = 0; i < devices.size(); ++i)
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", i},
                      {"tid", 0},
                      {"args", {{"name", devices[i]}}}});
  for (const LaunchRecord &launch : report.launches)
    events.push_back({{"ph", "X"},
                      {"name", launch.name},
                      {"cat", "kernel"},
                      {"pid", launch.kernel->device},
                      {"tid", 0},
                      {"ts", launch.begin * 1e6},
                      {"dur", launch.seconds * 1e6},
                      {"args",
                       {{"kernel", launch.kernel->name},
                        {"grid", launch.grid},
                        {"flops", launch.flops},
                        {"bytes", launch.bytes}}}});
  Json all = {{"traceEvents", events},
              {"displayTimeUnit", "ms"},
              {"otherData",
               {{"target", session.target().spec},
                {"clock", report.usedDeviceClock ? "device" : "host"}}}};
  if (session.runsOnHost() && !options.noCeiling) {
    Ceiling ceiling = measureCeiling(session.numCores());
    all["otherData"]["ceiling"] = {
        {"bytes_per_second", ceiling.bytesPerSecond},
        {"flops_per_second", ceiling.flopsPerSecond}};
  }
  std::string text =
      all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return writeFile(options.trace, text.data(), text.size());
}
