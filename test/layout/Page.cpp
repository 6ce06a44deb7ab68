// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of docs/layouts.md, made into checks by page.py, with the words
// that they use.
#include "Check.h"
#include "kiln/Layout/Address.h"
#include "kiln/Layout/Distribution.h"

using namespace llvm;
using namespace kiln::layout;

using Sizes = SmallVector<int64_t>;

static const StringRef kLevels[] = {"register", "lane", "warp"};

static LinearLayout parse(StringRef text) { return read(text); }

static Conversion convert(StringRef from, StringRef to) {
  return *getConversion(parse(from), parse(to), kLevels);
}
static ShufflePlan plan(StringRef from, StringRef to) {
  return getShufflePlan(convert(from, to), kLevels);
}
static SharedPlan swizzle(const LinearLayout &from, const LinearLayout &to) {
  return getSharedPlan(from, to, kLevels, 16, usualBanks());
}
static SharedAccess access(const LinearLayout &layout,
                           const LinearLayout &memory) {
  return *getSharedAccess(layout, memory, kLevels, 16, usualBanks());
}
static AddressPlan address(const LinearLayout &layout,
                           const LinearLayout &memory) {
  return getAddressPlan(*layout.invertAndCompose(memory), "register", 1);
}

void checkPage() {
  LinearLayout fragment =
      parse("register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
            "warp = [[16, 0], [32, 0]]");
  LinearLayout rows =
      parse("register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], "
            "lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], "
            "warp = [[4, 0], [8, 0]]");
  LinearLayout rowMajor =
      LinearLayout::identity(4096, "offset", "dim0").reshapeOutputs({64, 64});
#include "page.inc"
}
