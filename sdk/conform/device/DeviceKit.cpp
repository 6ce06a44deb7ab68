// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs each check in a process of its own, and reports.
#include "DeviceKit.h"
#include "Context.h"
#include "kiln/Runtime/Package.h"
#include "kiln/System/Process.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <unistd.h>

using namespace kiln;
using namespace kiln::conform;
using runtime::Expected;

namespace {

struct Verdict {
  enum Kind { Passed, Failed, Skipped } kind = Failed;
  std::string text;
  double seconds = 0;
  bool isOpened = true; ///< else no other check would say more
};

const char *nameOf(Verdict::Kind kind) {
  return kind == Verdict::Passed    ? "passed"
         : kind == Verdict::Skipped ? "skipped"
                                    : "FAILED";
}

std::vector<const Check *> allChecks() {
  std::vector<const Check *> all;
  for (auto list :
       {propertyChecks, memoryChecks, copyChecks, sharedMemoryChecks,
        queueChecks, recordingChecks, moduleChecks, deviceChecks})
    for (const Check &check : list())
      all.push_back(&check);
  return all;
}

/// In the child: the verdict as one letter and the text; `!` for a driver that
/// cannot be loaded or opens no device.
std::string runHere(const Check &check, const DeviceKitOptions &options) {
  std::string path;
  Expected<const KilnDeviceDriver *> table = loadDriver(options.driver, &path);
  if (!table)
    return "!" + table.message();
  Context context{**table, options, path};
  try {
    check.run(context);
    return "+";
  } catch (const CheckSkipped &skipped) {
    return std::string("?") + skipped.what();
  } catch (const OpenFailed &failed) {
    return std::string("!") + failed.what();
  } catch (const CheckFailed &failed) {
    return std::string("-") + failed.what();
  } catch (const std::exception &e) {
    return std::string("-the driver throws: ") + e.what();
  } catch (...) {
    return "-the driver throws something that is no std::exception";
  }
}

Verdict runInChild(const Check &check, const DeviceKitOptions &options) {
  using Clock = std::chrono::steady_clock;
  Verdict verdict;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    verdict.text = "no pipe for the check";
    return verdict;
  }
  auto begin = Clock::now();
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string said = runHere(check, options);
    // Neither its destructors nor its threads have a say.
    _exit(runtime::writeFully(ends[1], said.data(), said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  bool isInTime =
      child > 0 && runtime::readUntilEnd(ends[0], options.seconds,
                                         [&](const char *bytes, size_t size) {
                                           said.append(bytes, size);
                                           return said.size() < 65536;
                                         });
  close(ends[0]);
  if (child > 0 && !isInTime)
    kill(child, SIGKILL);
  runtime::Ending ending;
  if (child > 0)
    ending = runtime::awaitEnd(child);
  verdict.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (child < 0)
    verdict.text = "no process for the check";
  else if (!isInTime)
    verdict.text = "does not come to an end within " +
                   std::to_string(int(options.seconds)) + " s";
  else if (ending.signal || said.empty())
    verdict.text = "ends the process: " + ending.describe();
  else {
    verdict.kind = said[0] == '+'   ? Verdict::Passed
                   : said[0] == '?' ? Verdict::Skipped
                                    : Verdict::Failed;
    verdict.isOpened = said[0] != '!';
    verdict.text = said.substr(1);
  }
  return verdict;
}

/// The command that runs one check.
std::string againText(const Check &check, const DeviceKitOptions &options) {
  std::string text = "kiln-conform --device=" + options.driver;
  if (!options.options.empty())
    text += " --device-options=" + options.options;
  if (!options.package.empty())
    text += " --package=" + options.package;
  return text + " --filter='^" + check.name + "$'";
}

bool writeReport(const DeviceKitOptions &options,
                 const nlohmann::ordered_json &checks, const size_t *counts) {
  nlohmann::ordered_json report;
  report["driver"] = options.driver;
  report["options"] = options.options;
  report["passed"] = counts[Verdict::Passed];
  report["failed"] = counts[Verdict::Failed];
  report["skipped"] = counts[Verdict::Skipped];
  report["checks"] = checks;
  std::string text =
      report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n";
  if (runtime::Error error =
          runtime::writeFile(options.json, text.data(), text.size())) {
    std::fprintf(stderr, "error: %s\n", error.message().c_str());
    return false;
  }
  return true;
}

} // namespace

int conform::runDeviceKit(const DeviceKitOptions &options) {
  std::regex filter;
  try {
    filter = std::regex(options.filter);
  } catch (const std::regex_error &e) {
    std::fprintf(stderr, "error: --filter: %s\n", e.what());
    return 2;
  }
  std::vector<const Check *> chosen;
  for (const Check *check : allChecks())
    if (std::regex_search(check->name, filter))
      chosen.push_back(check);
  if (chosen.empty()) {
    std::fprintf(stderr,
                 "error: --filter=%s fits no check; --list prints "
                 "their names\n",
                 options.filter.c_str());
    return 2;
  }
  if (options.list) {
    for (const Check *check : chosen)
      std::printf("%-28s %s\n", check->name, check->asks);
    return 0;
  }
  nlohmann::ordered_json report = nlohmann::json::array();
  size_t counts[3] = {};
  for (const Check *check : chosen) {
    Verdict verdict = runInChild(*check, options);
    ++counts[verdict.kind];
    std::printf("%-8s%-28s%s\n", nameOf(verdict.kind), check->name,
                verdict.text.c_str());
    if (verdict.kind == Verdict::Failed)
      std::printf("        again: %s\n", againText(*check, options).c_str());
    std::fflush(stdout);
    report.push_back(
        {{"name", check->name},
         {"verdict",
          verdict.kind == Verdict::Failed ? "failed" : nameOf(verdict.kind)},
         {"text", verdict.text},
         {"seconds", verdict.seconds}});
    if (!verdict.isOpened) {
      std::printf("the driver cannot be used: no other check was run\n");
      break;
    }
  }
  std::printf("%zu passed, %zu failed, %zu skipped\n", counts[Verdict::Passed],
              counts[Verdict::Failed], counts[Verdict::Skipped]);
  if (!options.json.empty() && !writeReport(options, report, counts))
    return 1;
  return counts[Verdict::Failed] ? 1 : 0;
}
