// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From options to an exit status.
#include "Conform.h"
#include "Children.h"
#include "Folder.h"
#include "Select.h"
#include "Shrink.h"
#include "kiln/Runtime/Package.h"
#include "kiln/System/Process.h"
#include "kiln/System/Progress.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

using namespace kiln::conform;
using namespace kiln::runtime;
using nlohmann::json;

namespace {

int fail(const std::string &message, int status = 1) {
  std::fflush(stdout);
  std::fprintf(stderr, "kiln-conform: error: %s\n", message.c_str());
  return status;
}

/// One run of the program.
class Conformance {
public:
  explicit Conformance(const Options &options)
      : options(options), begin(now()),
        jobs(options.jobs ? options.jobs
                          : std::max(1u, std::thread::hardware_concurrency())) {
    results.target = options.target;
    results.seed = options.seed;
    results.seeds = options.seeds;
  }

  int run() {
    if (!options.run.empty()) {
      Expected<Index> index = readIndex(options.run);
      if (!index)
        return fail(index.message());
      return runFolder(options.run, *index);
    }
    Expected<Compiler> loaded = Compiler::load();
    if (!loaded)
      return fail(loaded.message());
    compiler = &*loaded;
    Expected<Suite> suite = chosenSuite();
    if (!suite)
      return fail(suite.message());
    if (options.list)
      return list(*suite);
    if (options.target.empty())
      return fail("--target=SPEC is needed", 2);
    if (suite->modules.empty())
      return fail("no case matches", 2);
    Expected<std::string> folder = openFolder();
    if (!folder)
      return fail(folder.message());
    int status = prepareAndRun(*suite, *folder);
    if (isTemporary)
      removeFolder(*folder);
    return status;
  }

private:
  std::vector<std::string> libraries() const {
    std::vector<std::string> args;
    for (const std::string &library : options.loadTargets)
      args.push_back("--load-target=" + library);
    return args;
  }

  Expected<Suite> chosenSuite() {
    std::vector<std::string> args = {"suite"};
    if (options.random) {
      args.push_back("--random=" + std::to_string(options.random));
      args.push_back("--seed=" + std::to_string(options.seed));
    }
    if (!options.level.empty())
      args.push_back("--level=" + options.level);
    if (!options.filter.empty())
      args.push_back("--filter=" + options.filter);
    for (const std::string &library : libraries())
      args.push_back(library);
    Expected<std::string> text = compiler->ask(args);
    if (!text)
      return text.takeError();
    Expected<Suite> suite = suiteFromJson(*text);
    if (!suite)
      return suite;
    Selection selection;
    selection.level = options.level;
    selection.profile = options.profile;
    selection.filter = options.filter;
    selection.isShuffled = options.budget > 0;
    selection.cases = options.cases;
    selection.seed = options.seed;
    Expected<Suite> chosen =
        select(*suite, selection, options.budget > 0 ? 24 : 48);
    if (chosen && options.seeds > 1)
      repeat(*chosen);
    return chosen;
  }

  /// Makes a call of every case for each seed: programs are compiled once.
  void repeat(Suite &suite) const {
    for (Module &module : suite.modules)
      for (Program &program : module.programs) {
        std::vector<Call> calls;
        for (const Call &call : program.calls)
          for (unsigned k = 0; k < options.seeds; ++k) {
            calls.push_back(call);
            calls.back().seed = options.seed + k;
          }
        program.calls = std::move(calls);
      }
  }

  int list(const Suite &suite) {
    size_t count = 0;
    for (const Module &module : suite.modules)
      for (const Program &program : module.programs)
        for (const Call &call : program.calls) {
          std::printf("%s\n", caseName(program, call).c_str());
          ++count;
        }
    std::fprintf(stderr, "%zu cases\n", count);
    for (const auto &[profile, cases] : profilesOf(suite))
      std::fprintf(stderr, "profile %s: %zu\n", profile.c_str(), cases);
    for (const Exemption &one : suite.exempt)
      std::fprintf(stderr, "no case of %s: %s\n", one.op.c_str(),
                   one.reason.c_str());
    for (const std::string &op : suite.uncovered)
      std::fprintf(stderr, "not covered: %s\n", op.c_str());
    return 0;
  }

  Expected<std::string> openFolder() {
    std::string wanted =
        options.prepare.empty() ? options.keep : options.prepare;
    isTemporary = wanted.empty();
    return isTemporary ? makeTemporaryFolder() : makeFolder(wanted);
  }

  ProgressStyle style() const {
    return options.quiet ? ProgressStyle::Quiet : ProgressStyle::Bar;
  }

  double deadline(double share) const {
    return options.budget > 0 ? begin + share * options.budget : 0;
  }

  /// Compiles and evaluates every module in a child of its own.
  Error prepare(const Suite &suite, const PrepareOptions &how, Index &index) {
    size_t started = 0;
    Progress progress("modules compiled", suite.modules.size(), style());
    auto next = [&](Work &work) {
      // However slow the machine is, something is judged.
      bool isOver = options.budget > 0 && started > 0 && now() > deadline(0.7);
      if (started == suite.modules.size() || isOver)
        return false;
      work.number = started++;
      const Module &module = suite.modules[work.number];
      work.body = [&](int out) {
        Error error = prepareModule(*compiler, module, how);
        if (!error)
          return 0;
        writeFully(out, error.message().data(), error.message().size());
        return 1;
      };
      return true;
    };
    auto done = [&](const Ended &ended) {
      const Module &module = suite.modules[ended.number];
      progress.step();
      if (ended.reason.empty())
        index.modules.push_back(module.name);
      else
        index.broken.push_back(
            {module.name + " (" + module.programs.front().id + " ...)",
             ended.said.empty() ? ended.reason : ended.said});
    };
    runChildren(jobs, /*silence=*/1200, next, done);
    std::sort(index.modules.begin(), index.modules.end());
    return writeIndex(how.folder, index);
  }

  int prepareAndRun(const Suite &suite, const std::string &folder) {
    std::vector<std::string> args = {"target", "--target=" + options.target};
    for (const std::string &library : libraries())
      args.push_back(library);
    Expected<std::string> target = compiler->ask(args);
    if (!target)
      return fail(target.message());
    json described = json::parse(*target, nullptr, false);
    PrepareOptions how;
    how.target = options.target;
    how.device = described.value("device", "");
    how.loadTargets = options.loadTargets;
    how.folder = folder;
    how.seed = options.seed;
    how.independent = described.value("name", "") == "reference";
    Index index;
    index.target = options.target;
    index.seed = options.seed;
    index.seeds = options.seeds;
    index.exempt = suite.exempt;
    index.uncovered = suite.uncovered;
    for (const json &text : described.value("deviations", json::array()))
      if (std::optional<Declaration> one =
              parseDeclaration(text.get<std::string>()))
        index.declarations.push_back(*one);
    for (const std::string &path : options.declarationFiles)
      if (Error error = readDeclarations(path, index.declarations))
        return fail(error.message());
    if (Error error = prepare(suite, how, index))
      return fail(error.message());
    index.prepareSeconds = now() - begin;
    if (Error error = writeIndex(folder, index))
      return fail(error.message());
    if (options.prepare.empty()) {
      int status = runFolder(folder, index);
      if (options.random && status == 1)
        shrinkFailures(how);
      return status;
    }
    std::printf("prepared %zu modules in %s (%.1f s, %.1f MiB)\n",
                index.modules.size(), folder.c_str(), index.prepareSeconds,
                double(folderBytes(folder)) / (1 << 20));
    for (const auto &[module, reason] : index.broken)
      std::printf("BROKEN %s: %s\n", module.c_str(), reason.c_str());
    return index.broken.empty() ? 0 : 1;
  }

  /// Prints what is left of the random programs that fail.
  void shrinkFailures(const PrepareOptions &prepare) {
    constexpr size_t kMost = 5;
    ShrinkOptions how;
    how.prepare = prepare;
    how.execute.target = prepare.target;
    how.execute.folder = prepare.folder;
    how.execute.seed = prepare.seed;
    how.execute.caseSeconds = options.caseSeconds;
    std::vector<unsigned> numbers;
    forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                             const Verdict &verdict) {
      const std::string &form = module.module.programs[one.program].form;
      unsigned number =
          unsigned(std::atoi(form.c_str() + std::strlen("program")));
      if (verdict.status == Verdict::failed && numbers.size() < kMost &&
          (numbers.empty() || numbers.back() != number))
        numbers.push_back(number);
    });
    for (unsigned number : numbers)
      std::printf("program%u, shrunk: %s", number,
                  shrink(*compiler, number, how).c_str());
  }

  int runFolder(const std::string &folder, const Index &index) {
    double start = now();
    results.target = index.target;
    results.seed = index.seed;
    results.seeds = index.seeds;
    results.exempt = index.exempt;
    results.uncovered = index.uncovered;
    results.declarations = index.declarations;
    results.broken = index.broken;
    results.prepareSeconds = index.prepareSeconds;
    for (const std::string &name : index.modules) {
      Expected<ReadyModule> ready = readReady(folder, name);
      if (!ready)
        return fail(ready.message());
      results.modules.push_back(std::move(*ready));
    }
    ExecuteOptions how;
    how.target = index.target;
    how.folder = folder;
    how.seed = index.seed;
    how.caseSeconds = options.caseSeconds;
    how.jobs = jobs;
    how.together = options.together;
    how.progress = style();
    if (options.budget > 0)
      how.deadline = std::max(deadline(1), now() + 0.3 * options.budget);
    results.verdicts = execute(results.modules, how);
    results.runSeconds = now() - start;
    return report();
  }

  int report() {
    if (Error error = applyDeclarations(results))
      return fail(error.message());
    printText(results);
    if (Error error = write(options.json, toJson))
      return fail(error.message());
    if (Error error = write(options.html, toHtml))
      return fail(error.message());
    return isFailure(results) ? 1 : 0;
  }

  Error write(const std::string &path, std::string (*text)(const Results &)) {
    if (path.empty())
      return Error::success();
    std::string bytes = text(results);
    return writeFile(path, bytes.data(), bytes.size());
  }

  const Options &options;
  double begin;
  unsigned jobs;
  bool isTemporary = false;
  const Compiler *compiler = nullptr;
  Results results;
};

} // namespace

int kiln::conform::conform(const Options &options) {
  declareOwnProcess();
  // Nothing that falls back counts, and what declines is no error here.
  unsetenv("KILN_NO_FALLBACK");
  return Conformance(options).run();
}
