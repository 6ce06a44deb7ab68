// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs for kiln/Runtime/SimulatedScratchpad.h, most of which are wrong.
#include "kiln/Runtime/SimulatedScratchpad.h"
#include <cstdio>

using kiln::runtime::ScratchpadCore;

static void run(const std::vector<int64_t> &words) {
  KilnLaunch launch = {};
  int64_t id[3] = {7, 0, 0};
  try {
    ScratchpadCore core(launch, id, 64);
    core.run(words, [&](int64_t code, const std::vector<int64_t> &x) {
      if (code != 0)
        throw std::runtime_error("an instruction that does not exist");
      std::printf("ran: %lld rows of %lld\n", (long long)core.number(x.at(0)),
                  (long long)core.number(x.at(1)));
    });
  } catch (const std::exception &problem) {
    std::printf("%s\n", problem.what());
  }
}

int main() {
  using Core = ScratchpadCore;
  // The number of the instance, 3, and the first instruction of the machine.
  run({2, Core::Pid, 2, 0, 0, Core::Const, 2, 1, 3, Core::kOwn, 2, 0, 1});
  // Functions of numbers: 7 ^ 0, the last 8 bits of 200 with a sign, 5 % 7 and
  // 255 of -1 without one.
  run({2, Core::Pid, 2, 0, 0, Core::Scalar, 4, 12, 1, 0, 1, Core::kOwn, 2, 0,
       1});
  run({3, Core::Const, 2, 1, 200, Core::Const, 2, 2, 8, Core::Scalar, 4, 21, 0,
       1, 2, Core::kOwn, 2, 0, 1});
  run({3, Core::Const, 2, 1, -1, Core::Const, 2, 2, 8, Core::Scalar,
       4, 22,          1, 1, 2,  Core::Const, 2, 0, 5, Core::Scalar,
       4, 19,          0, 0, 2,  Core::kOwn,  2, 0, 1});
  // Elements of two bytes at 5, and of one at 6.
  run({3,
       Core::Const,
       2,
       2,
       5,
       Core::Fill,
       4,
       2,
       2,
       2,
       0x201,
       Core::Element,
       3,
       0,
       2,
       2,
       Core::Const,
       2,
       2,
       6,
       Core::Element,
       3,
       1,
       2,
       1,
       Core::kOwn,
       2,
       0,
       1});
  // What the program did not write.
  run({2, Core::Const, 2, 0, 8, Core::Element, 3, 1, 0, 2, Core::kOwn, 2, 0,
       1});
  run({2, Core::Scalar, 4, 21, 0, 0, 1});
  run({2, Core::Parameter, 2, 0, 0});
  run({2, Core::Spread, 4, 0, 1, 4, 2});
  run({2, Core::Spread, 5, 0, 1, 4, 65, 0});
  run({2, Core::Pid, 9, 0});
  run({2, Core::kOwn + 1, 0});
  run({1, Core::Const, 2, 0, 60, Core::Fill, 4, 0, 2, 4, 0});
  run({2, Core::Scalar, 4, 7, 0, 0, 1});
  run({1, Core::DmaIn, 5, 0, 4, 0, 0, 1});
  run({1, Core::Dim, 3, 0, 0, 0});
}
