// The command line of kiln-run.
#include "Options.h"
#include <CLI/CLI.hpp>
#include <cstdio>

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

bool parseNumbered(const std::vector<std::string> &texts,
                   std::vector<NumberedFile> &files) {
  for (const std::string &text : texts) {
    size_t colon = text.find(':');
    std::optional<int64_t> number = parseNumber(text.substr(0, colon));
    if (colon == std::string::npos || !number || colon + 1 == text.size())
      return false;
    files.emplace_back(size_t(*number), text.substr(colon + 1));
  }
  return true;
}

/// What is given as text and read after CLI11 is done.
struct RawOptions {
  std::vector<std::string> dims, results, saves, expects;
  std::string grid, bench, explain, saveTemps;
  bool allowTf32 = false, timing = false;
  double rtol = -1, atol = -1;
};

void declare(CLI::App &app, Options &options, RawOptions &raw) {
  app.add_option("INPUT", options.input,
                 "a package, or anything that kiln-compile takes; '-' reads "
                 "the standard input")
      ->required();
  // One value each, so that a positional may follow.
  auto list = [&app](const char *name, std::vector<std::string> &values,
                     const char *help) {
    app.add_option(name, values, help)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  list("--target", options.targets,
       "name[:chip][,key=value...]; repeat for alternatives");
  list("--load-target", options.loadTargets, "load a plug-in library");
  app.add_option("--entry", options.entry, "function or kernel to call");
  list("--arg", options.args,
       "next argument: FILE.npy[+N] | TYPE:VALUE | "
       "random:SEED[:DTYPE:SHAPE] | zeros[:DTYPE:SHAPE] | desc:ARRAY");
  list("--dim", raw.dims, "sizes of dynamic dimensions, in order");
  app.add_option("--grid", raw.grid, "X[,Y[,Z]], for kernels");
  list("--result", raw.results, "K:FILE.npy, write result K");
  list("--save", raw.saves,
       "K:FILE.npy, write the storage of argument K after the call");
  list("--expect", raw.expects, "K:FILE.npy, compare result K with a file");
  app.add_flag("--check", options.check, "compare with target 'reference'");
  app.add_option("--rtol", raw.rtol, "relative tolerance of comparisons");
  app.add_option("--atol", raw.atol, "absolute tolerance of comparisons");
  app.add_option("--bench", raw.bench, "measure; =N: that many calls");
  app.add_flag("--no-ceiling", options.noCeiling,
               "do not measure the machine with --bench");
  app.add_flag("--profile", options.profile, "print the time of each kernel");
  list("--require-signature", options.requiredKeys,
       "refuse a package that is not signed with this key (PEM file of an "
       "Ed25519 public key); repeat for alternatives");
  app.add_flag("--inspect", options.inspect,
               "print the package, execute nothing");
  app.add_flag("-v,--verbose", options.verbose, "say more");
  app.add_option("--explain", raw.explain,
                 "the compiler's report of what was lowered where; =FILE");
  app.add_option("--save-temps", raw.saveTemps,
                 "folder for the compiler's intermediate files");
  app.add_flag("--timing", raw.timing, "time the compiler's passes");
  app.add_flag("--allow-tf32", raw.allowTf32,
               "let matrix products round their inputs");
  list("-X,--compile-option", options.compileArgs,
       "an option for the compiler");
}

/// Reads what CLI11 left as text; the message of a mistake.
std::string finish(const RawOptions &raw, Options &options) {
  for (const std::string &text : raw.dims)
    if (!parseNumbers(text, options.dims))
      return "--dim=" + text + ": expected sizes N[,N...]";
  if (!raw.grid.empty()) {
    std::vector<int64_t> grid;
    if (!parseNumbers(raw.grid, grid) || grid.size() > 3)
      return "--grid=" + raw.grid + ": expected X[,Y[,Z]]";
    grid.resize(3, 1);
    options.grid = {grid[0], grid[1], grid[2]};
  }
  if (!parseNumbered(raw.results, options.results))
    return "--result: expected K:FILE.npy";
  if (!parseNumbered(raw.saves, options.saves))
    return "--save: expected K:FILE.npy";
  if (!parseNumbered(raw.expects, options.expects))
    return "--expect: expected K:FILE.npy";
  if (raw.rtol >= 0)
    options.rtol = raw.rtol;
  if (raw.atol >= 0)
    options.atol = raw.atol;
  if (!raw.bench.empty()) {
    std::optional<int64_t> count = parseNumber(raw.bench);
    if (!count || *count > 1000000)
      return "--bench=" + raw.bench + ": expected a number of calls";
    options.bench = true;
    options.benchCount = int(*count);
  }
  if (!raw.explain.empty())
    options.compileArgs.push_back(
        raw.explain == "-" ? "--explain" : "--explain=" + raw.explain);
  if (!raw.saveTemps.empty())
    options.compileArgs.push_back("--save-temps=" + raw.saveTemps);
  if (raw.timing)
    options.compileArgs.push_back("--timing");
  if (raw.allowTf32)
    options.compileArgs.push_back("--allow-tf32");
  return "";
}

} // namespace

std::optional<int> kiln::run::parseOptions(int argc, char **argv,
                                           Options &options) {
  CLI::App app("Runs a Kiln package, or compiles and runs a program.",
               "kiln-run");
  app.footer("Exit status: 0 done, 1 the input or a check failed, 2 wrong "
             "usage.");
  RawOptions raw;
  declare(app, options, raw);
  // Options with an optional value must not take the next word for it.
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    std::string word = argv[i];
    words.push_back(word == "--bench"     ? "--bench=0"
                    : word == "--explain" ? "--explain=-"
                                          : word);
  }
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp &help) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError &error) {
    return usage(error.what());
  }
  std::string mistake = finish(raw, options);
  if (!mistake.empty())
    return usage(mistake);
  return std::nullopt;
}
