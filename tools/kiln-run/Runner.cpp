// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of the program, from opened devices to written files.
#include "Runner.h"
#include "Bench.h"
#include "Compare.h"
#include "Faults.h"
#include "Inspect.h"
#include "KernelCheck.h"
#include "Trace.h"
#include "Tune.h"
#include "Watch.h"
#include "Written.h"
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Results.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

int fail(const std::string &message, int status = 1) {
  printError(message);
  return status;
}

int fail(const InputError &error) { return fail(error.message, error.status); }

class Runner {
public:
  explicit Runner(const Options &options) : options(options) {}

  int load() {
    reportFaults();
    if (int status = loadDrivers())
      return status;
    Loaded loaded = loadInput(options);
    package = loaded.package;
    wasCompiled = loaded.wasCompiled;
    seconds = loaded.seconds;
    return package ? 0 : loaded.status;
  }

  int run() {
    if (int status = load())
      return status;
    if (options.verbose)
      std::printf("%s in %.3f s\n", wasCompiled ? "compiled" : "read", seconds);
    if (options.inspect) {
      if (auto error = inspect(*package, options))
        return fail(*error);
      return 0;
    }
    if (int status = open())
      return status;
    if (int status = chooseEntry())
      return status;
    if (int status = resolveOptions())
      return status;
    if (auto error = makeInputs(*function, options, inputs))
      return fail(*error);
    return callAndReport();
  }

  Prepared prepare() {
    Prepared prepared;
    prepared.status = load();
    if (!prepared.status)
      prepared.status = open();
    if (!prepared.status)
      prepared.status = chooseEntry();
    if (!prepared.status)
      if (auto error = makeInputs(*function, options, prepared.inputs))
        prepared.status = fail(*error);
    prepared.session = std::move(session);
    prepared.function = function;
    return prepared;
  }

private:
  int loadDrivers() {
    std::string plugins;
    for (const std::string &library : options.loadTargets) {
      // Descriptions of targets are text, and the compiler's business.
      Expected<Blob> file = mapRegularFile(library);
      if (!file)
        return fail(file.message());
      // A program's driver lies beside it.
      std::string name = library.substr(library.rfind('/') + 1);
      if (file->str().substr(0, 4) != "\x7f"
                                      "ELF" &&
          name.rfind("kiln-target-", 0) != 0)
        continue;
      Expected<bool> added = addDeviceLibrary(library);
      if (!added)
        return fail(added.message());
      Expected<bool> isTarget = definesSymbol(library, "kilnGetTargetPlugin");
      if (isTarget && *isTarget)
        plugins += (plugins.empty() ? "" : ":") + library;
    }
    // For the device that evaluates, whose modules may hold their dialects.
    if (!plugins.empty())
      setenv("KILN_LOAD_TARGETS", plugins.c_str(), /*replace=*/1);
    return 0;
  }

  int open() {
    // The first that can be used; what cannot is said.
    std::vector<std::string> targets = options.targets;
    if (targets.empty())
      targets.push_back("");
    std::vector<std::string> reasons;
    for (const std::string &target : targets) {
      // Of what the compiler left out it has said why.
      if (wasCompiled && targets.size() > 1 &&
          !matchingTargets(*package, target))
        continue;
      Expected<Session> opened = Session::create(package, target);
      if (opened) {
        session = std::make_unique<Session>(std::move(*opened));
        break;
      }
      reasons.push_back(targets.size() == 1 ? opened.message()
                                            : target + ": " + opened.message());
    }
    if (!session) {
      std::string list;
      for (const std::string &reason : reasons)
        list += (list.empty() ? "" : "; ") + reason;
      return fail(
          (options.codeObject.empty() ? "" : options.codeObject + ": ") + list);
    }
    for (const std::string &reason : session->passedOver())
      reasons.push_back(reason);
    for (const std::string &reason : reasons)
      std::fprintf(stderr, "kiln-run: note: passed over %s\n", reason.c_str());
    if (!reasons.empty())
      std::fprintf(stderr, "kiln-run: note: target %s is used\n",
                   session->target().spec.c_str());
    if (options.verbose)
      for (const std::string &name : session->deviceNames())
        std::printf("device: %s\n", name.c_str());
    return checkFallback();
  }

  /// Kernels of a package that are not on the target that it is for.
  int checkFallback() {
    const TargetProgram &target = session->target();
    size_t count = 0;
    std::string first;
    for (const KernelInfo &kernel : target.program.kernels) {
      auto reason = kernel.notes.find("fallback");
      if (reason == kernel.notes.end())
        continue;
      auto place = kernel.notes.find("location");
      if (!count++)
        first =
            "kernel '" + kernel.name + "'" +
            (place == kernel.notes.end() ? "" : " (" + place->second + ")") +
            ": " + reason->second;
    }
    if (!count)
      return 0;
    std::string text = std::to_string(count) + " of " +
                       std::to_string(target.program.kernels.size()) +
                       " kernels fell back from target '" + target.spec +
                       "': " + first;
    if (options.noFallback)
      return fail(text);
    // The compiler has said so.
    if (!wasCompiled)
      std::fprintf(stderr, "kiln-run: note: %s\n", text.c_str());
    return 0;
  }

  int chooseEntry() {
    Expected<const Function *> entry = session->defaultEntry();
    if (!options.entry.empty()) {
      const Function *named = session->lookup(options.entry);
      entry = named ? Expected<const Function *>(named)
                    : Error("there is no entry '" + options.entry +
                            "'; there are " + listEntries());
    }
    if (!entry)
      return fail(entry.message() +
                  (options.entry.empty() && !listEntries().empty()
                       ? " (--entry=NAME)"
                       : ""));
    function = *entry;
    bool isKernel = function->kind == Function::Kind::kernel;
    if (isKernel && !options.grid)
      return fail("'" + function->name + "' is a kernel: --grid is needed",
                  kWrongUsage);
    if (!isKernel && options.grid)
      return fail("'" + function->name + "' is no kernel: --grid is not for it",
                  kWrongUsage);
    return 0;
  }

  /// Names in the options, and whether what they name can be written.
  int resolveOptions() {
    if (auto error =
            resolveFiles(options.results, "result", *function, results))
      return fail(*error);
    if (auto error =
            resolveFiles(options.expects, "result", *function, expects))
      return fail(*error);
    if (auto error = resolveFiles(options.saves, "argument", *function, saves))
      return fail(*error);
    for (const std::vector<NumberedFile> *files : {&results, &saves})
      for (const auto &[k, file] : *files)
        if (Error error = checkWritable(file))
          return fail(error.message());
    for (const std::string *file : {&options.benchJson, &options.trace})
      if (!file->empty())
        if (Error error = checkWritable(*file))
          return fail(error.message());
    return 0;
  }

  std::string listEntries() const {
    std::vector<std::string> names;
    for (const Function &f : session->target().program.functions)
      if (f.isPublic)
        names.push_back(f.name);
    return listNames(names);
  }

  int callAndReport() {
    // The reference needs what the arguments held before the call.
    std::vector<Input> untouched = inputs;
    bool writes = std::any_of(function->args.begin(), function->args.end(),
                              [](const Argument &arg) { return arg.writable; });
    if (options.check && writes) {
      Expected<std::vector<Input>> copies = copyInputs(inputs);
      if (!copies)
        return fail(copies.message());
      untouched = std::move(*copies);
    }
    // Nothing that was said so far is lost when a kernel faults.
    std::fflush(stdout);
    // The reference first: it names an access that would end this process.
    Expectation expected;
    std::unique_ptr<Judge> judge;
    std::unique_ptr<KernelCheck> kernels;
    if (options.check) {
      expected.given = untouched;
      if (writes) {
        Expected<std::vector<Input>> copies = copyInputs(untouched);
        if (!copies)
          return fail(copies.message());
        untouched = std::move(*copies);
      }
      auto called = callReference(options, package, *function, untouched,
                                  expected.package);
      if (!called)
        return 1;
      expected.outcome = std::move(*called);
      expected.inputs = untouched;
      judge = findJudge(expected.package);
      if (judge && function->kind == Function::Kind::function)
        kernels = std::make_unique<KernelCheck>(*judge, options);
    }
    bool isSummarized = !options.check || options.verbose;
    WrittenArguments written(*function, inputs, isSummarized);
    std::fflush(stdout);
    if (!options.trace.empty())
      if (Error error = warmUpForTrace(*session, *function, inputs, options))
        return fail(error.message());
    Expected<Outcome> outcome = callOnce(*session, *function, inputs, options,
                                         /*onReference=*/false, kernels.get());
    if (!outcome)
      return fail(outcome.message());
    if (isSummarized)
      for (size_t k = 0; k < outcome->results.size(); ++k)
        summarize(labelOf("result", k, function->results[k].name),
                  outcome->results[k]);
    written.summarize();
    if (options.verbose)
      std::printf("memory: %s\n", memoryText(outcome->report).c_str());
    if (int status = writeFiles(*outcome))
      return status;
    bool fits = true;
    for (const auto &[k, file] : expects)
      fits &= compareWithFile(k, file, *outcome);
    if (kernels)
      fits &= kernels->finish();
    if (!unchecked.empty()) {
      std::printf("kernels: NOT CHECKED: %s\n", unchecked.c_str());
      fits = false;
    }
    if (options.check)
      fits &= compareCalls(*function, *outcome, inputs, expected, judge.get(),
                           options);
    if (options.profile && !options.bench)
      printKernels(outcome->report.launches, Ceiling());
    if (!options.trace.empty())
      if (Error error = writeTrace(options, *session, outcome->report))
        return fail(error.message());
    if (options.bench)
      if (Error error = bench(*session, *function, tensorsOf(inputs), options))
        return fail(error.message());
    if (!options.against.empty())
      if (int status = measureAgainst(*session, *function, inputs, options))
        return status;
    return fits ? 0 : 1;
  }

  /// Who evaluates the kernels that this target runs: those that were given,
  /// or those that the compiler makes of the program. Null where it does not
  /// make any.
  std::unique_ptr<Judge> findJudge(const PackagePtr &reference) {
    const std::string &spec = session->target().spec;
    PackagePtr kernels = reference;
    if (spec.compare(0, 9, "reference") == 0)
      return nullptr;
    if (function->kind == Function::Kind::function) {
      if (!package->source.size)
        return nullptr;
      Loaded loaded = loadReferenceKernels(options, package, spec);
      if (!loaded.package) {
        unchecked = "the compiler has nothing to compare them with, see above";
        return nullptr;
      }
      kernels = loaded.package;
    }
    Expected<std::unique_ptr<Judge>> judge = Judge::create(kernels);
    if (judge)
      return std::move(*judge);
    // A target that takes whole programs has no kernels.
    bool hasKernels = std::any_of(
        kernels->targets.begin(), kernels->targets.end(),
        [](const TargetProgram &target) { return target.spec == "reference"; });
    if (hasKernels)
      unchecked = judge.message();
    else
      std::fprintf(stderr, "kiln-run: note: kernels are not compared: %s\n",
                   judge.message().c_str());
    return nullptr;
  }

  int writeFiles(const Outcome &outcome) {
    for (const auto &[k, file] : results)
      if (Error error = writeNpyFile(file, outcome.results[k]))
        return fail(error.message());
    for (const auto &[k, file] : saves) {
      Tensor saved = inputs[k].base;
      if (inputs[k].fileType != DType::none)
        saved.dtype = inputs[k].fileType;
      if (Error error = writeNpyFile(file, saved))
        return fail(error.message());
    }
    return 0;
  }

  bool compareWithFile(size_t k, const std::string &file,
                       const Outcome &outcome) {
    const Result &declared = function->results[k];
    Expected<Tensor> expected = readNpyFile(file);
    if (expected) {
      expected = npyAs(*expected, outcome.results[k].dtype);
      if (!expected)
        expected = Error(file + ": " + expected.message());
    }
    if (!expected) {
      printError(expected.message());
      return false;
    }
    return compare(labelOf("result", k, declared.name), outcome.results[k],
                   *expected, declared.tolerance,
                   outcome.report.accumulation[k], options);
  }

  const Options &options;
  PackagePtr package;
  bool wasCompiled = false;
  double seconds = 0; ///< reading or compiling
  std::unique_ptr<Session> session;
  const Function *function = nullptr;
  std::vector<Input> inputs;
  std::vector<NumberedFile> results, saves, expects;
  std::string unchecked; ///< why --check does not say that kernels are right
};

} // namespace

std::vector<Tensor> kiln::run::tensorsOf(const std::vector<Input> &inputs) {
  std::vector<Tensor> tensors;
  for (const Input &input : inputs)
    tensors.push_back(input.tensor);
  return tensors;
}

CallOptions kiln::run::callOptions(const Options &options) {
  CallOptions call;
  if (options.grid)
    call.grid = *options.grid;
  call.time = options.profile || !options.trace.empty();
  call.onLaunch = noteKernel;
  return call;
}

Expected<Outcome> kiln::run::callOnce(Session &session,
                                      const Function &function,
                                      const std::vector<Input> &inputs,
                                      const Options &options, bool onReference,
                                      LaunchObserver *observer) {
  Outcome outcome;
  CallWatch watch(onReference);
  CallOptions call = callOptions(options);
  call.observer = observer;
  Expected<std::vector<Tensor>> results =
      session.call(function, tensorsOf(inputs), call, &outcome.report);
  if (!results)
    return results.takeError();
  outcome.results = std::move(*results);
  nameUnsigned(function, outcome.results);
  return outcome;
}

Prepared kiln::run::prepareProgram(const Options &options) {
  return Runner(options).prepare();
}

Trial kiln::run::tryProgram(const Options &options) {
  Prepared prepared = prepareProgram(options);
  Trial trial;
  trial.status = prepared.status;
  if (trial.status)
    return trial;
  const Function &function = *prepared.function;
  Expected<Outcome> outcome =
      callOnce(*prepared.session, function, prepared.inputs, options);
  if (!outcome) {
    trial.status = fail(outcome.message());
    return trial;
  }
  trial.outcome = std::move(*outcome);
  Expected<Measured> measured =
      measure(*prepared.session, function, tensorsOf(prepared.inputs), options);
  if (!measured) {
    trial.status = fail(measured.message());
    return trial;
  }
  trial.measured = std::move(*measured);
  trial.session = std::move(prepared.session);
  trial.function = &function;
  return trial;
}

int kiln::run::runProgram(const Options &options) {
  return options.tune.empty() ? Runner(options).run() : tune(options);
}
