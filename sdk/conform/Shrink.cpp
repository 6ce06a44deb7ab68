// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making random programs that fail smaller.
#include "Shrink.h"
#include "Children.h"
#include "kiln/System/Process.h"
#include <algorithm>

using namespace kiln::conform;
using namespace kiln::runtime;

namespace {

/// Steps of a random program, as the compiler half has them.
constexpr unsigned kSteps = 10;

class Shrinking {
public:
  Shrinking(const Compiler &compiler, unsigned number,
            const ShrinkOptions &options)
      : compiler(compiler), number(number), options(options) {}

  std::string run() {
    if (!fails(least))
      return "";
    for (unsigned step = 0; step < kSteps; ++step)
      attempt([&](Form &form) { form.dropped.push_back(step); });
    for (const Way &way : kWays)
      if (attempt([&](Form &form) { form.ways.push_back(&way); }) &&
          way.name == std::string("ones"))
        break;
    for (size_t dim : {0, 1})
      for (int64_t size : {1, 2, 3, 5, 8, 16})
        if (attempt([&](Form &form) { form.tile[dim] = size; }))
          break;
    // What one of these needed may be left out now.
    for (unsigned step = 0; step < kSteps; ++step)
      if (!std::count(least.dropped.begin(), least.dropped.end(), step))
        attempt([&](Form &form) { form.dropped.push_back(step); });
    std::string text = "// " + std::to_string(kSteps - least.dropped.size()) +
                       " of " + std::to_string(kSteps) + " steps";
    for (const Way *way : least.ways)
      text += std::string(", ") + way->text;
    return text + "\n" + least.text;
  }

private:
  /// A way in which programs are simpler, from ones on the values.
  struct Way {
    const char *name, *text;
  };
  static constexpr Way kWays[] = {{"block", "one instance"},
                                  {"rows", "views without gaps"},
                                  {"type", "f32 or i32"},
                                  {"ones", "all values 1"},
                                  {"plain", "plain values"}};

  /// One simpler form of the program.
  struct Form {
    std::vector<unsigned> dropped;
    std::vector<const Way *> ways;
    int64_t tile[2] = {0, 0};
    std::string text;
  };

  /// Keeps a change with which the program still fails.
  template <typename T> bool attempt(T change) {
    Form form = least;
    change(form);
    if (!fails(form))
      return false;
    least = std::move(form);
    return true;
  }

  /// Whether the program fails in this form; fills in its text.
  bool fails(Form &form) {
    std::string drop, ways;
    for (unsigned step : form.dropped)
      drop += (drop.empty() ? "" : "+") + std::to_string(step);
    for (const Way *way : form.ways)
      ways += (ways.empty() ? "" : "+") + std::string(way->name);
    Expected<std::string> answer = compiler.ask(
        {"suite", "--random=" + std::to_string(number + 1),
         "--first-random=" + std::to_string(number),
         "--seed=" + std::to_string(options.prepare.seed), "--drop=" + drop,
         "--tile=" + std::to_string(form.tile[0]) + "x" +
             std::to_string(form.tile[1]),
         "--simpler=" + ways});
    if (!answer)
      return false;
    Expected<Suite> suite = suiteFromJson(*answer);
    if (!suite || suite->modules.size() != 1)
      return false;
    Module &module = suite->modules.front();
    module.name = "shrink" + std::to_string(number);
    form.text = module.text;
    bool isPrepared = false, isStarted = false;
    auto next = [&](Work &work) {
      if (isStarted)
        return false;
      isStarted = true;
      work.body = [&](int) {
        return prepareModule(compiler, module, options.prepare) ? 1 : 0;
      };
      return true;
    };
    runChildren(1, 600, next,
                [&](const Ended &ended) { isPrepared = ended.reason.empty(); });
    if (!isPrepared)
      return false;
    Expected<ReadyModule> ready =
        readReady(options.prepare.folder, module.name);
    if (!ready)
      return false;
    std::vector<ReadyModule> modules;
    modules.push_back(std::move(*ready));
    std::vector<std::vector<Verdict>> verdicts =
        execute(modules, options.execute);
    return std::any_of(verdicts.front().begin(), verdicts.front().end(),
                       [](const Verdict &verdict) {
                         return verdict.status == Verdict::failed;
                       });
  }

  const Compiler &compiler;
  unsigned number;
  const ShrinkOptions &options;
  Form least;
};

} // namespace

std::string kiln::conform::shrink(const Compiler &compiler, unsigned number,
                                  const ShrinkOptions &options) {
  return Shrinking(compiler, number, options).run();
}
