// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of kiln-run.
#include "Options.h"
#include "kiln-c/Runtime.h"
#include "kiln/Runtime/Spec.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>

using namespace kiln::run;

namespace {

int usage(const std::string &message) {
  std::fprintf(stderr, "kiln-run: error: %s\n", message.c_str());
  return 2;
}

/// Digits only; nothing when the text is no number.
std::optional<int64_t> parseNumber(const std::string &text) {
  if (text.empty() || text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoll(text);
}

bool parseNumbers(const std::string &text, std::vector<int64_t> &numbers) {
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::optional<int64_t> number =
        parseNumber(text.substr(begin, end - begin));
    if (!number)
      return false;
    numbers.push_back(*number);
    begin = end + 1;
  }
  return true;
}

/// "5,6" or "NAME=5".
bool parseDim(const std::string &text, Options &options) {
  size_t equals = text.rfind('=');
  if (equals == std::string::npos)
    return parseNumbers(text, options.dims);
  std::optional<int64_t> size = parseNumber(text.substr(equals + 1));
  if (!size || equals == 0)
    return false;
  options.namedDims.emplace_back(text.substr(0, equals), *size);
  return true;
}

/// Whether every text is "K:FILE" or "NAME:FILE".
bool haveFiles(const std::vector<std::string> &texts) {
  return std::all_of(texts.begin(), texts.end(), [](const std::string &text) {
    size_t colon = text.find(':');
    return colon != std::string::npos && colon > 0 && text.back() != ':';
  });
}

/// A number that is not negative; nothing for any other text.
std::optional<double> parsePositive(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  bool good = end != text.c_str() && !*end && std::isfinite(value) &&
              !std::signbit(value);
  return good ? std::optional<double>(value) : std::nullopt;
}

/// What is given as text and read after CLI11 is done.
struct RawOptions {
  std::vector<std::string> dims;
  std::string grid, block, sharedBytes, bench, warmUps, explain, saveTemps,
      rtol, atol, timeLimit;
  std::string timeout;
  std::string elided, inputs;
  std::string schedule;
  bool allowTf32 = false, timing = false;
};

/// Declares an option with one value, which the help calls `form`.
void add(CLI::App &app, const char *name, std::string &value, const char *form,
         const char *help) {
  app.add_option(name, value, help)->option_text(form);
}

/// Declares an option that may be repeated, with one value each time, so that
/// INPUT may follow it.
void addList(CLI::App &app, const char *name, std::vector<std::string> &values,
             const char *form, const char *help) {
  app.add_option(name, values, help)
      ->option_text(form)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// What runs, and on what.
void declareCall(CLI::App &app, Options &options, RawOptions &raw) {
  app.option_defaults()->group("What runs, and where");
  app.add_option("INPUT", options.input,
                 "a package, or any input of kiln-compile; '-' reads the "
                 "standard input")
      ->option_text(" ");
  addList(
      app, "--target", options.targets, "SPEC",
      "name[:chip][,key=value...], such as cpu or nvidia:sm_90a; repeat for "
      "alternatives; keys behind an empty item (name,,key=value) are for "
      "the device driver");
  addList(app, "--load-target", options.loadTargets, "LIB",
          "load a plug-in library");
  add(app, "--entry", options.entry, "NAME", "function or kernel to call");
  add(app, "--grid", raw.grid, "X[,Y[,Z]]",
      "number of program instances of a kernel in each dimension");
  app.add_flag("--no-fallback", options.noFallback,
               "refuse kernels that the target does not run itself");
  addList(app, "--require-signature", options.requiredKeys, "KEY",
          "refuse a package that is not signed with this key (PEM file of an "
          "Ed25519 public key); repeat for alternatives");
  app.add_flag("--inspect", options.inspect,
               "print the package, execute nothing");
  add(app, "--code-object", options.codeObject, "FILE",
      "in place of INPUT: launch the kernel --entry of a code object of "
      "any compiler");
  add(app, "--block", raw.block, "X[,Y[,Z]]",
      "with --code-object: threads of a block (default: the number that its "
      "code requires)");
  add(app, "--shared-memory", raw.sharedBytes, "BYTES",
      "with --code-object: dynamic shared memory of a block");
}

/// The arguments of the call, and files for its results.
void declareArguments(CLI::App &app, Options &options, RawOptions &raw) {
  app.option_defaults()->group(
      "Arguments and results (K is a number or a name; arguments that are not "
      "given are random)");
  addList(app, "--arg", options.args, "VALUE",
          "the next argument, or NAME=VALUE for the one of that name. VALUE "
          "is one of FILE.npy[+N], TYPE:VALUE, random:SEED[:DTYPE:SHAPE], "
          "hurt:SEED[:DTYPE:SHAPE], zeros[:DTYPE:SHAPE], desc:ARRAY");
  addList(
      app, "--dim", raw.dims, "N",
      "sizes of the dynamic dimensions (?) of arguments that are not given, "
      "in order; NAME=N or ARGUMENT.D=N for one");
  add(app, "--inputs", raw.inputs, "KIND",
      "values of float arguments that are not given: random, or hurt (with "
      "some NaN, infinities, signed zeros, subnormals, extremes)");
  addList(app, "--result", options.results, "K:FILE.npy", "write result K");
  addList(app, "--save", options.saves, "K:FILE.npy",
          "write the storage of argument K after the call");
}

/// What is compared and limited.
void declareChecks(CLI::App &app, Options &options, RawOptions &raw) {
  app.option_defaults()->group("Checks");
  app.add_flag("--check", options.check,
               "compare each kernel and result with target 'reference'");
  addList(app, "--expect", options.expects, "K:FILE.npy",
          "compare result K with a file");
  add(app, "--rtol", raw.rtol, "X",
      "relative tolerance of comparisons (default: the bounds of operations)");
  add(app, "--atol", raw.atol, "X", "absolute tolerance of comparisons");
  add(app, "--time-limit", raw.timeLimit, "SECONDS",
      "exit with an error if a call takes longer");
  add(app, "--timeout", raw.timeout, "SECONDS",
      "exit with an error if a kernel, or a function of a driver, does not "
      "return for that long (600; 0: never)");
}

/// What is measured.
void declareMeasurement(CLI::App &app, Options &options, RawOptions &raw) {
  app.option_defaults()->group("Measurements");
  add(app, "--bench", raw.bench, "[=N]",
      "measure N calls (default: as many as a second allows)");
  add(app, "--warmup", raw.warmUps, "N",
      "calls before those that --bench counts (2)");
  add(app, "--bench-json", options.benchJson, "FILE",
      "write the measurements of --bench");
  add(app, "--against", options.against, "SPEC|PACKAGE",
      "with --bench: measure in turns with INPUT compiled for this SPEC, or "
      "with this package, and compare results");
  app.add_flag(
      "--no-ceiling", options.noCeiling,
      "with --bench or --trace: do not measure the bandwidth and the peak "
      "speed of the machine, to which times are compared");
  app.add_flag("--profile", options.profile, "print the time of each kernel");
  add(app, "--trace", options.trace, "FILE",
      "write when each kernel ran, as a trace of events");
  add(app, "--tune", options.tune, "FILE",
      "measure candidates for the block sizes of kernels and add the best to "
      "FILE; a later compilation reads it by --target=SPEC,tiling_cache=FILE");
}

/// How many ranks run.
void declareRanks(CLI::App &app, Options &options) {
  app.option_defaults()->group("Several ranks");
  app.add_option("--ranks", options.ranks,
                 "run the program on N ranks at once; {rank} in other "
                 "arguments is the number of each")
      ->option_text("N")
      ->check(CLI::Range(1, 65535));
  app.add_option("--rank", options.rank,
                 "with --ranks: run this rank only, and start no other process")
      ->option_text("R")
      ->check(CLI::NonNegativeNumber);
  add(app, "--rendezvous", options.rendezvous, "PLACE",
      "where ranks meet: file:FOLDER or tcp:HOST:PORT");
}

/// Options for the compiler, and what is printed.
void declareCompiler(CLI::App &app, Options &options, RawOptions &raw) {
  app.option_defaults()->group("Compilation and output");
  add(app, "--explain", raw.explain, "[=FILE]",
      "report the target, code and block sizes of each operation and kernel, "
      "as kiln-compile does");
  add(app, "--save-temps", raw.saveTemps, "DIR",
      "folder for the compiler's intermediate files");
  app.add_flag("--timing", raw.timing, "time the compiler's passes");
  app.add_flag("--allow-tf32", raw.allowTf32,
               "matmuls may read f32 operands as tf32");
  add(app, "--elided", raw.elided, "KIND",
      "zeros or random: values of constants that the file leaves out");
  add(app, "--schedule", raw.schedule, "FILE",
      "compile with this schedule script; --against=SPEC compares with a "
      "compilation without it");
  addList(app, "-X,--compile-option", options.compileArgs, "OPTION",
          "another option of kiln-compile");
  app.add_flag("-v,--verbose", options.verbose,
               "also print devices, summaries of checks, memory and the time "
               "of compilation");
  app.add_flag("--quiet", options.quiet, "show no progress bar on a terminal");
}

void declare(CLI::App &app, Options &options, RawOptions &raw) {
  declareCall(app, options, raw);
  declareArguments(app, options, raw);
  declareChecks(app, options, raw);
  declareMeasurement(app, options, raw);
  declareRanks(app, options);
  declareCompiler(app, options, raw);
}

/// The numbers among them.
std::string finishNumbers(const RawOptions &raw, Options &options) {
  for (auto [flag, text, value] :
       {std::tuple("--rtol", &raw.rtol, &options.rtol),
        std::tuple("--atol", &raw.atol, &options.atol)}) {
    if (text->empty())
      continue;
    *value = parsePositive(*text);
    if (!*value)
      return std::string(flag) + "=" + *text +
             ": expected a number that is not negative";
  }
  if (!raw.timeLimit.empty()) {
    options.timeLimit = parsePositive(raw.timeLimit).value_or(0);
    if (options.timeLimit <= 0)
      return "--time-limit=" + raw.timeLimit +
             ": expected a number of seconds above 0";
  }
  if (!raw.timeout.empty()) {
    std::optional<double> seconds = parsePositive(raw.timeout);
    if (!seconds)
      return "--timeout=" + raw.timeout +
             ": expected a number of seconds that is not negative";
    options.timeout = *seconds;
  }
  if (!raw.bench.empty()) {
    std::optional<int64_t> count = parseNumber(raw.bench);
    if (!count || *count > 1000000)
      return "--bench=" + raw.bench + ": expected a number of calls";
    options.bench = true;
    options.benchCount = int(*count);
  }
  if (!raw.warmUps.empty()) {
    std::optional<int64_t> count = parseNumber(raw.warmUps);
    if (!count || *count > 1000000)
      return "--warmup=" + raw.warmUps + ": expected a number of calls";
    options.warmUps = int(*count);
  }
  for (auto [flag, isGiven] :
       {std::pair("--warmup", !raw.warmUps.empty()),
        std::pair("--bench-json", !options.benchJson.empty()),
        std::pair("--against", !options.against.empty())})
    if (isGiven && !options.bench)
      return std::string(flag) + " needs --bench";
  if (options.check && !options.trace.empty())
    return "--trace and --check exclude each other: a check changes the times "
           "of "
           "kernels";
  return "";
}

/// Completes -target=SPEC, as LLVM's tools take it, to --target=SPEC.
std::string completeFlag(const CLI::App &app, const std::string &word) {
  if (word.size() < 3 || word[0] != '-' || word[1] == '-')
    return word;
  std::string name = "-" + word.substr(0, word.find('='));
  return app.get_option_no_throw(name) ? "-" + word : word;
}

/// The first flag among the words that no option took; empty if all of them
/// are inputs.
std::string unknownFlag(const CLI::App &app) {
  for (const std::string &word : app.remaining())
    if (word.size() > 1 && word[0] == '-')
      return word;
  return "";
}

/// Adds the script of --schedule to the SPECs, before what is for the driver.
/// Returns the message of a mistake.
std::string addSchedule(const std::string &file, Options &options) {
  if (file.empty())
    return "";
  if (file.find_first_of(",+") != std::string::npos)
    return "--schedule=" + file + ": expected a name without ',' and '+'";
  for (std::string &target : options.targets) {
    auto [own, forDriver] = kiln::runtime::splitDriverOptions(target);
    if (own.find('+') != std::string::npos)
      return "--schedule: expected one target, found '" + own + "'";
    target = own + ",schedule_file=" + file +
             (forDriver.empty() ? "" : ",," + forDriver);
  }
  if (options.targets.empty())
    return "--schedule needs --target=SPEC, which compiles the input";
  return "";
}

/// What is for a code object alone, or not for one.
std::string finishCodeObject(const RawOptions &raw, Options &options) {
  bool isGiven = !options.codeObject.empty();
  if (isGiven == !options.input.empty())
    return isGiven ? "expected INPUT or --code-object=FILE, found both"
                   : "expected INPUT or --code-object=FILE";
  for (auto [flag, text] : {std::pair("--block", &raw.block),
                            std::pair("--shared-memory", &raw.sharedBytes)})
    if (!isGiven && !text->empty())
      return std::string(flag) + " needs --code-object";
  if (!raw.sharedBytes.empty()) {
    std::optional<int64_t> bytes = parseNumber(raw.sharedBytes);
    if (!bytes || *bytes > INT32_MAX)
      return "--shared-memory=" + raw.sharedBytes +
             ": expected a number of bytes";
    options.sharedBytes = *bytes;
  }
  for (auto [flag, isUsed] : {std::pair("--check", options.check),
                              std::pair("--tune", !options.tune.empty()),
                              std::pair("--schedule", !raw.schedule.empty()),
                              std::pair("--against", !options.against.empty())})
    if (isGiven && isUsed)
      return std::string(flag) + " needs a program, found a code object";
  return "";
}

/// Reads what CLI11 left as text; the message of a mistake.
std::string finish(const RawOptions &raw, Options &options) {
  for (const std::string &text : raw.dims)
    if (!parseDim(text, options))
      return "--dim=" + text + ": expected sizes N[,N...] or NAME=N";
  for (auto [flag, text, extents] :
       {std::tuple("--grid", &raw.grid, &options.grid),
        std::tuple("--block", &raw.block, &options.block)}) {
    if (text->empty())
      continue;
    std::vector<int64_t> numbers;
    if (!parseNumbers(*text, numbers) || numbers.size() > 3)
      return std::string(flag) + "=" + *text + ": expected X[,Y[,Z]]";
    numbers.resize(3, 1);
    *extents = {numbers[0], numbers[1], numbers[2]};
  }
  if (std::string mistake = finishCodeObject(raw, options); !mistake.empty())
    return mistake;
  for (auto [flag, texts] : {std::pair("--result", &options.results),
                             std::pair("--save", &options.saves),
                             std::pair("--expect", &options.expects)})
    if (!haveFiles(*texts))
      return std::string(flag) + ": expected K:FILE.npy or NAME:FILE.npy";
  if (!raw.inputs.empty() && raw.inputs != "random" && raw.inputs != "hurt")
    return "--inputs=" + raw.inputs + ": expected random or hurt";
  options.hurt = raw.inputs == "hurt";
  if (const char *text = std::getenv("KILN_NO_FALLBACK"))
    options.noFallback |= *text == '1';
  if (!options.ranks && (options.rank >= 0 || !options.rendezvous.empty()))
    return std::string(options.rank >= 0 ? "--rank" : "--rendezvous") +
           " needs --ranks";
  std::string mistake = finishNumbers(raw, options);
  if (mistake.empty())
    mistake = addSchedule(raw.schedule, options);
  if (!mistake.empty())
    return mistake;
  if (!raw.explain.empty())
    options.compileArgs.push_back(
        raw.explain == "-" ? "--explain" : "--explain=" + raw.explain);
  if (!raw.saveTemps.empty())
    options.compileArgs.push_back("--save-temps=" + raw.saveTemps);
  if (raw.timing)
    options.compileArgs.push_back("--timing");
  if (!raw.elided.empty())
    options.compileArgs.push_back("--elided=" + raw.elided);
  if (raw.allowTf32)
    options.compileArgs.push_back("--allow-tf32");
  return "";
}

} // namespace

std::optional<int> kiln::run::parseOptions(int argc, char **argv,
                                           Options &options) {
  CLI::App app("Runs a Kiln package, or compiles and runs a program.",
               "kiln-run");
  app.set_version_flag("--version",
                       std::string("kiln-run ") + kilnRuntimeVersion());
  app.footer("Flags of several letters may have one dash.\nExit status: 0 "
             "done, 1 the input or a check failed, 2 wrong "
             "usage.");
  RawOptions raw;
  declare(app, options, raw);
  // Options with an optional value must not take the next word for it.
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    std::string word = completeFlag(app, argv[i]);
    words.push_back(word == "--bench"     ? "--bench=0"
                    : word == "--explain" ? "--explain=-"
                                          : word);
  }
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp &help) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion &version) {
    std::printf("%s\n", version.what());
    return 0;
  } catch (const CLI::ExtrasError &) {
    std::string flag = unknownFlag(app);
    return usage(flag.empty() ? "expected one INPUT, found several"
                              : "unknown flag '" + flag +
                                    "' (kiln-run --help lists the flags; -X "
                                    "takes those of kiln-compile)");
  } catch (const CLI::ParseError &error) {
    return usage(error.what());
  }
  std::string mistake = finish(raw, options);
  if (!mistake.empty())
    return usage(mistake);
  return std::nullopt;
}
