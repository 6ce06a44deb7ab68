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
                 "check a target's program instead, kiln-target-NAME: what it "
                 "answers, and what it and the compiler do when the other side "
                 "goes wrong");
  app.add_option("--conversations", options.conversations,
                 "with --protocol: how many of each side go wrong (5000)")
      ->check(CLI::Range(0u, 10000000u))
      ->needs("--protocol");
  app.add_option("--wire-cases", options.wireCases,
                 "write the kernels of the cases of level tile in the form "
                 "that programs get into this folder, a file each that is "
                 "named as its cases; so many as --cases says");
  app.add_flag("--print-wire-form", options.printsWireForm,
               "print the operations, attributes and types that kernels are "
               "sent to programs in, as JSON");
}

static void addOptions(CLI::App &app, Options &options,
                       DeviceKitOptions &device) {
  app.add_option("--target", options.target,
                 "SPEC: the target whose results are judged");
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
      "of all values and samples (1); random: another one in each run, or that "
      "of the variable KILN_CONFORM_SEED");
  app.add_option("--seeds", options.seeds,
                 "so many seeds from that one on; programs are compiled once")
      ->check(CLI::Range(1u, 1000u));
  app.add_option("--budget", options.budget,
                 "seconds: a sample of the cases that fits in, by the seed");
  app.add_option("--cases", options.cases,
                 "a sample of so many cases, by the seed")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 32));
  app.add_option("--random", options.random,
                 "so many random programs in place of the cases; the steps of "
                 "those that fail are taken away as long as they fail");
  app.add_option("--jobs", options.jobs, "processes (one per core)");
  app.add_option("--together", options.together,
                 "modules that a process runs one after the other (1): more of "
                 "them for an emulator, which translates what they share once")
      ->check(CLI::Range(1u, 1000000u));
  app.add_option("--case-limit", options.caseSeconds,
                 "seconds after which a case hangs (60)");
  app.add_option("--json", options.json, "write the report to this file");
  app.add_option("--html", options.html, "write a page to this file");
  app.add_option("--prepare", options.prepare,
                 "only compile and evaluate, into this folder");
  app.add_option("--run", options.run,
                 "only run what this folder holds; needs no compiler");
  app.add_option("--keep", options.keep,
                 "leave packages and expected results in this folder");
  app.add_option("--device", device.driver,
                 "check a device driver instead: its library, or the name of "
                 "the device");
  app.add_option("--device-options", device.options,
                 "with --device: what follows the name in a SPEC")
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
  CLI::App app("Judges a target by cases that are generated from the "
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
