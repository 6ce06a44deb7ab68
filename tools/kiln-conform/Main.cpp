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

/// Declares an option with one value, which the help calls `form`.
template <typename T>
static CLI::Option *add(CLI::App &app, const char *name, T &value,
                        const char *form, const char *help) {
  return app.add_option(name, value, help)->option_text(form);
}

/// Which target is judged, and by which cases.
static void addCaseOptions(CLI::App &app, Options &options) {
  app.option_defaults()->group("What is tested");
  add(app, "--target", options.target, "SPEC",
      "the target to judge: name[:chip][,key=value...]");
  add(app, "--load-target", options.loadTargets, "LIB...",
      "load plug-ins; the suite covers their operations, too");
  add(app, "--level", options.level, "prim|tile", "only cases of this level")
      ->check(CLI::IsMember({"prim", "tile"}));
  add(app, "--profile", options.profile, "NAME",
      "only cases of this profile, such as elementwise; --list names all");
  add(app, "--filter", options.filter, "REGEX",
      "only cases whose names match, such as '^tile/math\\.exp/f32/'");
  app.add_flag("--list", options.list,
               "print the names of the cases, and run none");
  add(app, "--declare", options.declarationFiles, "FILE...",
      "cases that may fail: PATTERN: REASON on each line");
}

/// How many cases run, with which values, and for how long.
static void addRunOptions(CLI::App &app, Options &options) {
  app.option_defaults()->group("How much is run");
  app.add_option_function<std::string>(
         "--seed",
         [&](const std::string &text) { options.seed = seedOf(text); },
         "seed of all values and samples (1); random: a new seed in each run, "
         "or that in KILN_CONFORM_SEED")
      ->option_text("N|random");
  add(app, "--seeds", options.seeds, "N",
      "run N seeds, from --seed on; each program is compiled once (1)")
      ->check(CLI::Range(1u, 1000u));
  add(app, "--budget", options.budget, "SECONDS",
      "run a random sample of the cases, for this time");
  add(app, "--cases", options.cases, "N", "run a random sample of N cases")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 32));
  add(app, "--random", options.random, "N",
      "run N random programs instead of the cases; a program that fails is "
      "reduced to the steps that make it fail");
  add(app, "--jobs", options.jobs, "N", "number of processes (one per core)");
  add(app, "--together", options.together, "N",
      "modules that one process runs (1); more save time on an emulator, "
      "which translates shared code once")
      ->check(CLI::Range(1u, 1000000u));
  add(app, "--case-limit", options.caseSeconds, "SECONDS",
      "a case that takes longer counts as hanging (60)");
}

/// Reports, and compiling and running on two machines.
static void addOutputOptions(CLI::App &app, Options &options) {
  app.option_defaults()->group("Reports and folders");
  add(app, "--json", options.json, "FILE", "write the report as JSON");
  add(app, "--html", options.html, "FILE", "write the report as a page");
  add(app, "--prepare", options.prepare, "DIR",
      "only compile the cases and evaluate their expected results, into DIR");
  add(app, "--run", options.run, "DIR",
      "only run the cases that --prepare left in DIR; needs no compiler");
  add(app, "--keep", options.keep, "DIR",
      "leave packages and expected results in DIR");
  app.add_flag("--quiet", options.quiet, "show no progress bar on a terminal");
}

/// The contract of a device driver.
static void addDeviceOptions(CLI::App &app, DeviceKitOptions &device) {
  app.option_defaults()->group("Checking a device driver instead");
  add(app, "--device", device.driver, "LIB|NAME",
      "the driver's library, or the name of its device");
  add(app, "--device-options", device.options, "OPTIONS",
      "options of the driver, as in a SPEC behind the name")
      ->needs("--device");
  add(app, "--package", device.package, "FILE",
      "a package with kernels for the device")
      ->needs("--device");
  add(app, "--time-limit", device.seconds, "SECONDS",
      "time limit of one check (60)")
      ->check(CLI::PositiveNumber)
      ->needs("--device");
}

/// The protocol of isolated targets, and the form in which they get kernels.
static void addProtocolOptions(CLI::App &app, ProtocolOptions &options) {
  app.option_defaults()->group("Checking an isolated target's program instead");
  add(app, "--protocol", options.program, "PROGRAM",
      "the program kiln-target-NAME: its answers, and how it and the compiler "
      "react to damaged messages");
  add(app, "--conversations", options.conversations, "N",
      "conversations with damaged messages, for each side (5000)")
      ->check(CLI::Range(0u, 10000000u))
      ->needs("--protocol");
  add(app, "--wire-cases", options.wireCases, "DIR",
      "write the kernels of level tile into DIR, in the form that isolated "
      "targets get: one file for each, named after its cases; with --cases=N, "
      "N of them");
  app.add_flag("--print-wire-form", options.printsWireForm,
               "print the operations, attributes and types of that form, as "
               "JSON");
}

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  CLI::App app(
      "Judges a target by cases that it generates from the definitions "
      "of operations.",
      "kiln-conform");
  Options options;
  DeviceKitOptions device;
  ProtocolOptions protocol;
  addCaseOptions(app, options);
  addRunOptions(app, options);
  addOutputOptions(app, options);
  addDeviceOptions(app, device);
  addProtocolOptions(app, protocol);
  app.footer("Example: kiln-conform --target=cpu --profile=elementwise "
             "--budget=60\n"
             "Exit status: 0 all cases as expected, 1 failed, unexpected or "
             "invalid cases, 2 wrong usage.\n"
             "docs/conformance.md explains cases, outcomes and declarations.");
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
