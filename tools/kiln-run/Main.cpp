// kiln-run: runs a package, or compiles and runs a program.
#include "Bench.h"
#include "Compare.h"
#include "Faults.h"
#include "Inputs.h"
#include "Inspect.h"
#include "Load.h"
#include "Options.h"
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/StandardStreams.h"
#include <algorithm>
#include <cstdio>
#include <exception>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

int fail(const std::string &message, int status = 1) {
  printError(message);
  return status;
}

std::vector<Tensor> tensorsOf(const std::vector<Input> &inputs) {
  std::vector<Tensor> tensors;
  for (const Input &input : inputs)
    tensors.push_back(input.tensor);
  return tensors;
}

/// What a call leaves behind: its results, and the arguments it may write.
struct Outcome {
  std::vector<Tensor> results;
  CallReport report;
};

/// One run of the program, from opened devices to written files.
class Runner {
public:
  explicit Runner(const Options &options) : options(options) {}

  int run() {
    for (const std::string &library : options.loadTargets) {
      // Descriptions of targets are text, and the compiler's business.
      Expected<Blob> file = mapRegularFile(library);
      if (!file)
        return fail(file.message());
      if (file->str().substr(0, 4) != "\x7f"
                                      "ELF")
        continue;
      Expected<bool> added = addDeviceLibrary(library);
      if (!added)
        return fail(added.message());
    }
    Loaded loaded = loadInput(options);
    if (!loaded.package)
      return loaded.status;
    package = loaded.package;
    if (options.verbose)
      std::printf("%s in %.3f s\n", loaded.wasCompiled ? "compiled" : "read",
                  loaded.seconds);
    if (options.inspect) {
      inspect(*package, options);
      return 0;
    }
    if (int status = open())
      return status;
    if (int status = chooseEntry())
      return status;
    if (auto error = makeInputs(*function, options, inputs))
      return fail(error->message, error->status);
    return callAndReport();
  }

private:
  int open() {
    Expected<Session> opened = Error("no target");
    if (options.targets.empty()) {
      opened = Session::create(package);
    } else {
      // The first that can be used; the last one's problem otherwise.
      for (const std::string &target : options.targets) {
        opened = Session::create(package, target);
        if (opened)
          break;
      }
    }
    if (!opened)
      return fail(opened.message());
    session = std::make_unique<Session>(std::move(*opened));
    if (options.verbose)
      for (const std::string &name : session->deviceNames())
        std::printf("device: %s\n", name.c_str());
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
      return fail(entry.message());
    function = *entry;
    bool isKernel = function->kind == Function::Kind::kernel;
    if (isKernel && !options.grid)
      return fail("'" + function->name + "' is a kernel: --grid is needed", 2);
    if (!isKernel && options.grid)
      return fail("'" + function->name + "' is no kernel: --grid is not for it",
                  2);
    for (const auto &[k, file] : options.results)
      if (k >= function->results.size())
        return fail(noSuch("result", k, function->results.size()), 2);
    for (const auto &[k, file] : options.expects)
      if (k >= function->results.size())
        return fail(noSuch("result", k, function->results.size()), 2);
    for (const auto &[k, file] : options.saves)
      if (k >= function->args.size())
        return fail(noSuch("argument", k, function->args.size()), 2);
    return 0;
  }

  std::string listEntries() const {
    std::string list;
    for (const Function &f : session->target().program.functions)
      if (f.isPublic)
        list += (list.empty() ? "" : ", ") + f.name;
    return list.empty() ? "none" : list;
  }

  std::string noSuch(const char *what, size_t index, size_t count) const {
    return "'" + function->name + "' has no " + what + " " +
           std::to_string(index) + ", it has " + std::to_string(count);
  }

  CallOptions callOptions() const {
    CallOptions call;
    if (options.grid)
      call.grid = *options.grid;
    call.time = options.profile;
    call.onLaunch = noteKernel;
    return call;
  }

  Expected<Outcome> call(Session &on, const Function &entry,
                         const std::vector<Input> &arguments) {
    Outcome outcome;
    Expected<std::vector<Tensor>> results =
        on.call(entry, tensorsOf(arguments), callOptions(), &outcome.report);
    if (!results)
      return results.takeError();
    outcome.results = std::move(*results);
    return outcome;
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
    reportFaults();
    // The reference first: it names an access that would end this process.
    std::optional<Outcome> expected;
    if (options.check) {
      expected = callReference(untouched);
      if (!expected)
        return 1;
    }
    Expected<Outcome> outcome = call(*session, *function, inputs);
    if (!outcome)
      return fail(outcome.message());
    for (size_t k = 0; k < outcome->results.size(); ++k)
      if (!options.check || options.verbose)
        summarize("result " + std::to_string(k), outcome->results[k]);
    if (options.verbose)
      std::printf("memory: %s\n", memoryText(outcome->report).c_str());
    if (int status = writeFiles(*outcome))
      return status;
    bool fits = true;
    for (const auto &[k, file] : options.expects)
      fits &= compareWithFile(k, file, *outcome);
    if (options.check)
      fits &= compareWithReference(untouched, *expected, *outcome);
    if (options.profile && !options.bench)
      printKernels(outcome->report.launches, Ceiling());
    if (options.bench)
      if (Error error = bench(*session, *function, tensorsOf(inputs),
                              callOptions(), options))
        return fail(error.message());
    return fits ? 0 : 1;
  }

  int writeFiles(const Outcome &outcome) {
    for (const auto &[k, file] : options.results)
      if (Error error = writeNpyFile(file, outcome.results[k]))
        return fail(error.message());
    for (const auto &[k, file] : options.saves) {
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
      expected = npyAs(*expected, declared.dtype);
      if (!expected)
        expected = Error(file + ": " + expected.message());
    }
    if (!expected) {
      printError(expected.message());
      return false;
    }
    return compare("result " + std::to_string(k), outcome.results[k], *expected,
                   declared.tolerance, outcome.report.accumulation[k], options);
  }

  /// Calls the reference; nothing after an error, which is reported.
  std::optional<Outcome> callReference(const std::vector<Input> &arguments) {
    Loaded loaded = loadReference(options, package);
    if (!loaded.package)
      return std::nullopt;
    Expected<Session> reference = Session::create(loaded.package, "reference");
    if (!reference) {
      printError(reference.message());
      return std::nullopt;
    }
    const Function *same = reference->lookup(function->name);
    if (!same || same->args.size() != function->args.size() ||
        same->results.size() != function->results.size()) {
      printError("target 'reference' has no '" + function->name +
                 "' of the same type");
      return std::nullopt;
    }
    Expected<Outcome> expected = call(*reference, *same, arguments);
    if (!expected) {
      printError("reference: " + expected.message());
      return std::nullopt;
    }
    return std::move(*expected);
  }

  bool compareWithReference(const std::vector<Input> &arguments,
                            const Outcome &expected, const Outcome &outcome) {
    bool fits = true;
    for (size_t k = 0; k < outcome.results.size(); ++k) {
      // Either program may know more about the sums than the other.
      int64_t sum = std::max(outcome.report.accumulation[k],
                             expected.report.accumulation[k]);
      fits &= compare("result " + std::to_string(k), outcome.results[k],
                      expected.results[k], function->results[k].tolerance, sum,
                      options);
    }
    for (size_t k = 0; k < inputs.size(); ++k)
      if (function->args[k].writable && !function->args[k].isScalar)
        fits &= compareArgument(k, arguments[k].base);
    return fits;
  }

  /// What a kernel wrote to an argument: anywhere in its storage, as a pointer
  /// tells nothing about what it points to.
  bool compareArgument(size_t k, const Tensor &expected) {
    Expected<Tensor> found = inputs[k].base.contiguous();
    Expected<Tensor> wanted = expected.contiguous();
    if (!found || !wanted) {
      printError(found ? wanted.message() : found.message());
      return false;
    }
    Tolerance tolerance;
    tolerance.accumulation = 1024; // a kernel says nothing about its sums
    return compare("argument " + std::to_string(k), *found, *wanted, tolerance,
                   tolerance.accumulation, options);
  }

  const Options &options;
  PackagePtr package;
  std::unique_ptr<Session> session;
  const Function *function = nullptr;
  std::vector<Input> inputs;
};

} // namespace

int main(int argc, char **argv) {
  occupyStandardStreams();
  Options options;
  try {
    if (std::optional<int> status = parseOptions(argc, argv, options))
      return *status;
    return Runner(options).run();
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}
