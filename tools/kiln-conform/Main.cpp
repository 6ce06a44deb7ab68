// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-conform: whether a target computes what the specification says, and
// whether a device driver keeps its contract.
#include "Conform.h"
#include "Protocol.h"
#include "device/DeviceKit.h"
#include "kiln/Runtime/StandardStreams.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>

using kiln::conform::DeviceKitOptions;
using kiln::conform::Options;

/// A number, or for `random` that of KILN_CONFORM_SEED, else a new one.
static uint64_t seedOf(std::string text) {
  const char *given = std::getenv("KILN_CONFORM_SEED");
  if (text == "random" && given && *given)
    text = given;
  else if (text == "random")
    return std::random_device()() % 1000000000 + 1;
  uint64_t seed = 0;
  if (!CLI::detail::lexical_cast(text, seed))
    throw CLI::ValidationError(
        "--seed", "expected a number or 'random', found '" + text + "'");
  return seed;
}

namespace {
/// What --protocol and --print-wire-form take.
struct ProtocolOptions {
  std::string program;
  unsigned conversations = 5000;
  bool printsWireForm = false;
  std::string wireCases; ///< a folder
};
} // namespace

static void addProtocolOptions(CLI::App &app, ProtocolOptions &options) {
  app.add_option("--protocol", options.program,
                 "check the program kiln-target-NAME of an isolated target "
                 "instead: its answers, and how it and the compiler react to "
                 "damaged messages");
  app.add_option(
         "--conversations", options.conversations,
         "with --protocol: conversations with damaged messages, for each "
         "side (5000)")
      ->check(CLI::Range(0u, 10000000u))
      ->needs("--protocol");
  app.add_option("--wire-cases", options.wireCases,
                 "write the kernels of level tile into this folder, in the "
                 "form that isolated targets get: one file for each, named "
                 "after its cases; with --cases=N, N of them");
  app.add_flag("--print-wire-form", options.printsWireForm,
               "print the operations, attributes and types of the form in "
               "which isolated targets get kernels, as JSON");
}

static void addOptions(CLI::App &app, Options &options,
                       DeviceKitOptions &device) {
  app.add_option("--target", options.target, "SPEC: the target that is tested");
  app.add_option("--level", options.level, "only cases of this level")
      ->check(CLI::IsMember({"prim", "tile"}));
  app.add_option("--profile", options.profile,
                 "only cases of this profile; --list names them");
  app.add_option("--filter", options.filter,
                 "only cases whose names match this regular expression");
  app.add_flag("--list", options.list, "print the names of the cases");
  app.add_flag("--quiet", options.quiet, "show no progress bar on a terminal");
  app.add_option("--load-target", options.loadTargets,
                 "load a plug-in; its operations are part of the suite");
  app.add_option("--declare", options.declarationFiles,
                 "a file with declared failures: PATTERN: REASON on each line");
  app.add_option_function<std::string>(
      "--seed", [&](const std::string &text) { options.seed = seedOf(text); },
      "seed of all values and samples (1); random: a new one in each run, or "
      "KILN_CONFORM_SEED");
  app.add_option("--seeds", options.seeds,
                 "run with N seeds, from --seed on; programs are compiled once")
      ->check(CLI::Range(1u, 1000u));
  app.add_option("--budget", options.budget,
                 "run a random sample of the cases for this number of seconds");
  app.add_option("--cases", options.cases, "run a random sample of N cases")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 32));
  app.add_option("--random", options.random,
                 "run N random programs instead of the cases; those that fail "
                 "are reduced to the steps that make them fail");
  app.add_option("--jobs", options.jobs, "number of processes (one per core)");
  app.add_option("--together", options.together,
                 "modules that one process runs (1); more save time on an "
                 "emulator, which translates shared code once")
      ->check(CLI::Range(1u, 1000000u));
  app.add_option("--case-limit", options.caseSeconds,
                 "seconds after which a case hangs (60)");
  app.add_option("--json", options.json, "write the report to this file");
  app.add_option("--html", options.html, "write a page to this file");
  app.add_option("--prepare", options.prepare,
                 "only compile the cases and their expected results, into this "
                 "folder");
  app.add_option(
      "--run", options.run,
      "only run the cases that --prepare put into this folder; needs no "
      "compiler");
  app.add_option("--keep", options.keep,
                 "leave packages and expected results in this folder");
  app.add_option("--device", device.driver,
                 "check a device driver instead: its library, or the name of "
                 "the device");
  app.add_option(
         "--device-options", device.options,
         "with --device: options of the driver, as in a SPEC behind the "
         "name")
      ->needs("--device");
  app.add_option("--package", device.package,
                 "with --device: a package with kernels for it")
      ->needs("--device");
  app.add_option("--time-limit", device.seconds,
                 "with --device: seconds for one check (60)")
      ->check(CLI::PositiveNumber)
      ->needs("--device");
}

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  CLI::App app("Tests a target by cases that are generated from the "
               "definitions of operations.",
               "kiln-conform");
  Options options;
  DeviceKitOptions device;
  ProtocolOptions protocol;
  addOptions(app, options, device);
  addProtocolOptions(app, protocol);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "kiln-conform: error: %s\n", error.what());
    return 2;
  }
  try {
    if (protocol.printsWireForm)
      return kiln::conform::printWireForm();
    if (!protocol.wireCases.empty())
      return kiln::conform::writeWireCases(protocol.wireCases, options.filter,
                                           options.cases, options.seed);
    if (!protocol.program.empty())
      return kiln::conform::checkProtocol(
          protocol.program, protocol.conversations, options.seed, options.json);
    if (device.driver.empty())
      return kiln::conform::conform(options);
    device.filter = options.filter;
    device.json = options.json;
    device.list = options.list;
    return kiln::conform::runDeviceKit(device);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kiln-conform: error: %s\n", error.what());
    return 1;
  }
}
