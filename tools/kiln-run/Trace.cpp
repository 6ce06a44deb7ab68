// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trace.h"
#include <nlohmann/json.hpp>

using namespace kiln::run;
using namespace kiln::runtime;
using Json = nlohmann::ordered_json;

Error kiln::run::writeTrace(const std::string &file, const Session &session,
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
  std::string text =
      all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return writeFile(file, text.data(), text.size());
}
