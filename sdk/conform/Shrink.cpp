// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making random programs that fail smaller.
#include "Shrink.h"
#include "Children.h"
#include "kiln/Runtime/Process.h"
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
    std::string text, least;
    if (!fails({}, text))
      return "";
    least = text;
    std::vector<unsigned> dropped;
    for (unsigned step = 0; step < kSteps; ++step) {
      dropped.push_back(step);
      if (fails(dropped, text))
        least = text;
      else
        dropped.pop_back();
    }
    return "// " + std::to_string(kSteps - dropped.size()) + " of " +
           std::to_string(kSteps) + " steps\n" + least;
  }

private:
  /// Whether the program fails without these steps; its text.
  bool fails(const std::vector<unsigned> &dropped, std::string &text) {
    std::string drop;
    for (unsigned step : dropped)
      drop += (drop.empty() ? "" : "+") + std::to_string(step);
    Expected<std::string> answer = compiler.ask(
        {"suite", "--random=" + std::to_string(number + 1),
         "--first-random=" + std::to_string(number),
         "--seed=" + std::to_string(options.prepare.seed), "--drop=" + drop});
    if (!answer)
      return false;
    Expected<Suite> suite = suiteFromJson(*answer);
    if (!suite || suite->modules.size() != 1)
      return false;
    Module &module = suite->modules.front();
    module.name = "shrink" + std::to_string(number);
    text = module.text;
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
};

} // namespace

std::string kiln::conform::shrink(const Compiler &compiler, unsigned number,
                                  const ShrinkOptions &options) {
  return Shrinking(compiler, number, options).run();
}
