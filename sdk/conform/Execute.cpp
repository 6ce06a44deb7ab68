// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running prepared cases on a device.
#include "Execute.h"
#include "Children.h"
#include "kiln/Runtime/Session.h"
#include "kiln/System/Process.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

using namespace kiln::conform;
using namespace kiln::runtime;
using nlohmann::json;

namespace {

/// The cases of a module from `first` on. A child does some of these, one after
/// the other.
struct Task {
  size_t module = 0, first = 0;
};
using Tasks = std::vector<Task>;

/// Runs cases in the child; each is announced before and judged after, a line
/// each.
class Runner {
public:
  Runner(const ReadyModule &ready, size_t number, const ExecuteOptions &options,
         int out)
      : ready(ready), number(number), options(options), out(out) {}

  void run(size_t first) {
    Expected<Blob> file =
        mapFile(options.folder + "/" + ready.module.name + ".expected");
    if (file)
      expected = *file;
    bool isLate = false;
    for (size_t i = first; i < ready.cases.size(); ++i) {
      isLate = options.deadline > 0 && now() > options.deadline;
      if (isLate)
        break;
      const Ready &one = ready.cases[i];
      const Placed &place = ready.placed[one.program];
      if (!one.error.empty() || place.kind != Placed::onTarget)
        continue;
      say({{"module", number}, {"begin", i}});
      double begin = now();
      Verdict verdict = runCase(one, place.package);
      say({{"module", number},
           {"case", i},
           {"status", int(verdict.status)},
           {"message", verdict.message},
           {"error", finite(verdict.error)},
           {"bound", finite(verdict.bound)},
           {"share", finite(verdict.share)},
           {"seconds", now() - begin}});
    }
    // A driver that ends the process while it closes does so for this module.
    say({{"module", number}, {"closing", true}});
    sessions.clear();
    if (!isLate)
      say({{"module", number}, {"end", true}});
  }

private:
  static double finite(double value) {
    return value > 1e300 ? 1e300 : value == value ? value : 1e300;
  }

  void say(const json &line) {
    std::string text =
        line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    writeFully(out, text.data(), text.size());
  }

  Expected<Session *> session(int number) {
    auto [at, isNew] = sessions.try_emplace(number);
    if (isNew) {
      Expected<Package> package =
          readPackageFile(options.folder + "/" + ready.module.name + "-" +
                          std::to_string(number) + ".kiln");
      if (!package)
        return package.takeError();
      Expected<Session> opened =
          Session::create(std::make_shared<const Package>(std::move(*package)));
      if (!opened)
        return opened.takeError();
      at->second = std::make_unique<Session>(std::move(*opened));
    }
    if (!at->second)
      return Error("the package cannot be loaded");
    return at->second.get();
  }

  Verdict fail(std::string message) {
    Verdict verdict;
    verdict.status = Verdict::failed;
    verdict.message = std::move(message);
    verdict.share = 1e300;
    return verdict;
  }

  Verdict runCase(const Ready &one, int package) {
    const Program &program = ready.module.programs[one.program];
    const Call &call = program.calls[one.call];
    Expected<Session *> on = session(package);
    if (!on)
      return fail("cannot be loaded: " + on.message());
    const Function *function = (*on)->lookup(program.entry);
    if (!function)
      return fail("the package has no '" + program.entry + "'");
    Expected<std::vector<Tensor>> found = callAndCollect(
        program, call, options.seed, [&](const std::vector<Tensor> &args) {
          CallOptions how;
          how.grid = call.grid;
          return (*on)->call(*function, args, how);
        });
    if (!found)
      return fail("error: " + found.message());
    if (found->size() != one.outputs.size())
      return fail("expected " + std::to_string(one.outputs.size()) +
                  " results, found " + std::to_string(found->size()));
    Verdict verdict;
    verdict.status = Verdict::passed;
    for (size_t k = 0; k < found->size(); ++k) {
      std::optional<Wanted> wanted = read(one.outputs[k]);
      if (!wanted)
        return fail("the file of expected bytes is too short");
      Fit fit = compare((*found)[k], *wanted, program.isBitwise,
                        program.hasFreeZeros);
      if (fit.share >= verdict.share) {
        verdict.share = fit.share;
        verdict.error = fit.error;
        verdict.bound = fit.bound;
      }
      if (!fit.misfits)
        continue;
      if (verdict.status == Verdict::passed) {
        char text[96];
        std::snprintf(text, sizeof text,
                      ", error %.3g, bound %.3g; %lld of %lld elements",
                      fit.error, fit.bound, static_cast<long long>(fit.misfits),
                      static_cast<long long>((*found)[k].numElements()));
        verdict.message =
            (found->size() > 1 ? "output " + std::to_string(k) + " " : "") +
            fit.worst + text;
      }
      verdict.status = Verdict::failed;
    }
    return verdict;
  }

  std::optional<Wanted> read(const Output &output) const {
    std::optional<int64_t> count = checkedCount(output.shape);
    if (!count)
      return std::nullopt;
    size_t bytes = size_t(*count) * size_t(dtypeBytes(output.dtype));
    size_t all = bytes * (output.hasRange ? 3 : 1);
    if (output.offset < 0 || size_t(output.offset) > expected.size ||
        all > expected.size - size_t(output.offset))
      return std::nullopt;
    const char *from =
        reinterpret_cast<const char *>(expected.data) + output.offset;
    Wanted wanted;
    wanted.dtype = output.dtype;
    wanted.shape = output.shape;
    wanted.exact.assign(from, from + bytes);
    if (output.hasRange) {
      wanted.low.assign(from + bytes, from + 2 * bytes);
      wanted.high.assign(from + 2 * bytes, from + 3 * bytes);
    }
    return wanted;
  }

  const ReadyModule &ready;
  size_t number; ///< of the module
  const ExecuteOptions &options;
  int out;
  Blob expected;
  std::map<int, std::unique_ptr<Session>> sessions;
};

/// What a child has said of its tasks.
struct Said {
  size_t ended = 0;           ///< tasks that came to their end
  std::optional<size_t> open; ///< the case of the next one that it was in
  bool isClosing = false;     ///< the next one has run its cases
};

/// Reads the lines of a child into verdicts.
Said readLines(const std::string &said,
               std::vector<std::vector<Verdict>> &verdicts) {
  Said result;
  size_t at = 0;
  for (size_t end; (end = said.find('\n', at)) != std::string::npos;
       at = end + 1) {
    json line = json::parse(said.begin() + long(at), said.begin() + long(end),
                            nullptr, false);
    if (line.is_discarded())
      continue;
    if (line.contains("begin")) {
      result.open = line["begin"].get<size_t>();
      continue;
    }
    result.open.reset();
    result.isClosing = line.contains("closing");
    if (result.isClosing)
      continue;
    if (line.contains("end")) {
      ++result.ended;
      continue;
    }
    Verdict &verdict = verdicts[line.at("module").get<size_t>()]
                               [line.at("case").get<size_t>()];
    verdict.status = Verdict::Status(line.at("status").get<int>());
    verdict.message = line.at("message").get<std::string>();
    verdict.error = line.at("error").get<double>();
    verdict.bound = line.at("bound").get<double>();
    verdict.share = line.at("share").get<double>();
    verdict.seconds = line.at("seconds").get<double>();
  }
  return result;
}

/// The driver has ended a module's process once its cases had run: the last one
/// that passed says so.
void failLast(std::vector<Verdict> &verdicts, const std::string &reason) {
  auto last =
      std::find_if(verdicts.rbegin(), verdicts.rend(), [](const Verdict &one) {
        return one.status == Verdict::passed;
      });
  if (last == verdicts.rend())
    return;
  last->status = Verdict::failed;
  last->message = "ends its process while the driver closes: " + reason;
  last->share = 1e300;
}

/// A child has ended before its tasks did: judges the case that it was in, and
/// returns what is left to do.
Tasks afterFault(const Tasks &tasks, const Said &said,
                 const std::string &reason,
                 std::vector<std::vector<Verdict>> &verdicts) {
  if (said.ended >= tasks.size())
    return {};
  const Task &task = tasks[said.ended];
  std::vector<Verdict> &all = verdicts[task.module];
  Tasks left;
  // The case that it was in ended it; the others get a new one. One that ends
  // before any case would do so again.
  if (said.open) {
    Verdict &verdict = all[*said.open];
    verdict.status = Verdict::failed;
    verdict.message = "ends its process: " + reason;
    verdict.share = 1e300;
    left.push_back({task.module, *said.open + 1});
  } else if (said.isClosing) {
    failLast(all, reason);
  } else {
    for (size_t i = task.first; i < all.size(); ++i)
      if (all[i].status == Verdict::notRun) {
        all[i].status = Verdict::failed;
        all[i].message = "its module ends the process: " + reason;
      }
  }
  left.insert(left.end(), tasks.begin() + long(said.ended) + 1, tasks.end());
  return left;
}

/// What is known without running anything.
std::vector<Verdict> beforehand(const ReadyModule &ready) {
  std::vector<Verdict> verdicts(ready.cases.size());
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const Placed &place = ready.placed[ready.cases[i].program];
    Verdict &verdict = verdicts[i];
    if (!ready.cases[i].error.empty()) {
      verdict.status = Verdict::invalid;
      verdict.message = "reference: " + ready.cases[i].error;
    } else if (place.kind == Placed::declined) {
      bool isLimit = place.reason.find("more than max_") != std::string::npos;
      verdict.status = isLimit ? Verdict::unsupported : Verdict::declined;
      verdict.message = place.reason;
    } else if (place.kind == Placed::failed) {
      verdict.status = Verdict::failed;
      verdict.message = "cannot be compiled: " + place.reason;
    }
  }
  return verdicts;
}

} // namespace

double kiln::conform::now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

const char *kiln::conform::statusName(Verdict::Status status) {
  switch (status) {
  case Verdict::passed:
    return "passed";
  case Verdict::failed:
    return "failed";
  case Verdict::declined:
    return "declined";
  case Verdict::unsupported:
    return "unsupported";
  case Verdict::invalid:
    return "invalid";
  case Verdict::notRun:
    return "not run";
  }
  return "";
}

std::vector<std::vector<Verdict>>
kiln::conform::execute(const std::vector<ReadyModule> &modules,
                       const ExecuteOptions &options) {
  std::vector<std::vector<Verdict>> verdicts;
  std::deque<Tasks> waiting;
  size_t count = 0;
  for (size_t m = 0; m < modules.size(); ++m) {
    verdicts.push_back(beforehand(modules[m]));
    auto isOpen = [](const Verdict &one) {
      return one.status == Verdict::notRun;
    };
    if (std::none_of(verdicts.back().begin(), verdicts.back().end(), isOpen))
      continue;
    if (count++ % std::max(1u, options.together) == 0)
      waiting.emplace_back();
    waiting.back().push_back({m, 0});
  }
  runtime::Progress progress("modules run", count, options.progress);
  std::vector<Tasks> started;
  auto next = [&](Work &work) {
    if (waiting.empty() || (options.deadline > 0 && now() > options.deadline))
      return false;
    work.number = started.size();
    started.push_back(std::move(waiting.front()));
    waiting.pop_front();
    work.body = [&, tasks = started.back()](int out) {
      for (const Task &task : tasks)
        Runner(modules[task.module], task.module, options, out).run(task.first);
      return 0;
    };
    return true;
  };
  auto done = [&](const Ended &ended) {
    const Tasks &tasks = started[ended.number];
    Said said = readLines(ended.said, verdicts);
    for (size_t i = 0; i < said.ended; ++i)
      progress.step();
    if (ended.reason.empty())
      return;
    Tasks left = afterFault(tasks, said, ended.reason, verdicts);
    if (!said.open && said.ended < tasks.size())
      progress.step();
    if (!left.empty())
      waiting.push_front(std::move(left));
  };
  runChildren(options.jobs, options.caseSeconds, next, done);
  return verdicts;
}
