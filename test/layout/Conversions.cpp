// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions: their class, and plans executed on numbers.
#include "Check.h"
#include "kiln/Layout/Simulate.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace kiln::layout;

static const StringRef kLevels[] = {"register", "lane", "warp"};

/// Which element of the tile every register of every lane of a warp holds.
static SmallVector<LaneValues> getElements(const LinearLayout &layout,
                                           unsigned laneBits, int64_t warp) {
  SmallVector<LaneValues> values;
  for (int64_t lane = 0; lane < int64_t(1) << laneBits; ++lane) {
    LaneValues &own = values.emplace_back();
    for (int64_t i = 0; i < layout.getInputSize("register"); ++i)
      own.push_back(layout.flatten(
          layout.apply({{"register", i}, {"lane", lane}, {"warp", warp}})));
  }
  return values;
}

/// A plan brings every element where it shall be.
static void checkPlan(const LinearLayout &from, const LinearLayout &to) {
  std::optional<Conversion> conversion = getConversion(from, to, kLevels);
  std::string text = from.str() + "  to  " + to.str();
  CHECK_THAT(conversion, text);
  if (!conversion)
    return;
  CHECK_THAT(conversion->map.compose(from).sublayout(to.getInputNames(),
                                                     to.getOutputNames()) == to,
             text);
  if (conversion->kind == ConversionKind::Memory)
    return;
  ShufflePlan plan = getShufflePlan(*conversion, kLevels);
  unsigned laneBits =
      std::max(from.getInputBits("lane"), to.getInputBits("lane"));
  unsigned warpBits =
      std::max(from.getInputBits("warp"), to.getInputBits("warp"));
  for (int64_t warp = 0; warp < int64_t(1) << warpBits; ++warp)
    CHECK_THAT(execute(plan, kLevels, getElements(from, laneBits, warp),
                       {{"warp", warp}}) == getElements(to, laneBits, warp),
               text);
  ShuffleCount count = countShuffles(plan, 32);
  if (conversion->kind <= ConversionKind::Select)
    CHECK_THAT(count.shuffles == 0, text);
  if (conversion->kind <= ConversionKind::Registers)
    CHECK_THAT(count.selects == 0, text);
  // Values that are said to go alike do.
  for (unsigned value = 0; value < plan.getNumValues(); ++value)
    CHECK(plan.getLaneXor(value) ==
          plan.getLaneXor(value >> plan.numAlikeBits << plan.numAlikeBits));
}

static Conversion convert(StringRef from, StringRef to) {
  checkPlan(read(from), read(to));
  return getConversion(read(from), read(to), kLevels).value_or(Conversion());
}

static void checkClasses() {
  StringRef tile = "register = [[1], [2]], lane = [[4], [8]], warp = [[16]]";
  CHECK(convert(tile, tile).kind == ConversionKind::None);
  Conversion swapped =
      convert(tile, "register = [[2], [1]], lane = [[4], [8]], warp = [[16]]");
  CHECK(swapped.kind == ConversionKind::Registers && swapped.level == 0);
  Conversion crossed =
      convert(tile, "register = [[1], [4]], lane = [[2], [8]], warp = [[16]]");
  CHECK(crossed.kind == ConversionKind::Lanes && crossed.level == 1);
  Conversion far =
      convert(tile, "register = [[1], [2]], lane = [[4], [16]], warp = [[8]]");
  CHECK(far.kind == ConversionKind::Memory && far.level == 2);
  // Copies: a lane chooses among what it has, and nothing is fetched.
  CHECK(convert("register = [[1], [2]], lane = [[0], [4]]",
                "register = [[2]], lane = [[1], [4]]")
            .kind == ConversionKind::Select);
  CHECK(convert("register = [[1], [2]], lane = [[4]], warp = [[0]]",
                "register = [[1]], lane = [[4]], warp = [[2]]")
            .kind == ConversionKind::Select);
  CHECK(convert("register = [[1]], lane = [[2]], warp = [[0]]",
                "register = [[1], [0]], lane = [[2]], warp = [[0]]")
            .kind == ConversionKind::Registers);
  CHECK(convert("register = [[1]], lane = [[2], [4]]",
                "register = [[1], [4]], lane = [[2], [0]]")
            .kind == ConversionKind::Lanes);
  // What is not there cannot be brought.
  CHECK(!getConversion(read("lane = [[1]] -> [dim0 = 4]"), read("lane = [[2]]"),
                       kLevels));
}

static void checkCounts() {
  auto count = [](StringRef from, StringRef to, unsigned elementBits = 32) {
    return countShuffles(getShufflePlan(convert(from, to), kLevels),
                         elementBits);
  };
  // One exchanged pair of bits moves half of the values, two three quarters.
  StringRef rows = "register = [[1], [2], [4]], lane = [[8], [16], [32]]";
  CHECK(count(rows, "register = [[8], [2], [4]], lane = [[1], [16], [32]]")
            .shuffles == 4);
  CHECK(count(rows, "register = [[8], [16], [4]], lane = [[1], [2], [32]]")
            .shuffles == 6);
  CHECK(count(rows, "register = [[8], [16], [32]], lane = [[1], [2], [4]]")
            .shuffles == 7);
  // A permutation of lanes moves all.
  CHECK(count(rows, "register = [[1], [2], [4]], lane = [[16], [8], [32]]")
            .shuffles == 8);
  // Two and four values share a word.
  StringRef one = "register = [[8], [2], [4]], lane = [[1], [16], [32]]";
  CHECK(count(rows, one, 16).shuffles == 2);
  CHECK(count(rows, one, 8).shuffles == 1);
  CHECK(count(rows, one, 64).shuffles == 8);
  // The worked example of a fragment that becomes rows of two lanes: one cycle
  // of bits through one register bit.
  ShuffleCount cycle = count("register = [[0, 1], [8, 0]], "
                             "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]",
                             "register = [[0, 1], [0, 2]], "
                             "lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]");
  CHECK(cycle.shuffles == 4 && cycle.selects == 8);
  ConversionCosts costs;
  costs.shuffle = costs.indexed = 2;
  costs.select = 0.5;
  costs.barrier = 20;
  CHECK(cycle.getCost(costs) == 12);
  CHECK(cycle.getCost(costs) < getMemoryCost(2, 1, costs));
  // Exchanges within four lanes cost less than others.
  costs.exchanges.emplace_back(0b11, 1);
  CHECK(costs.getShuffle(3) == 1 && costs.getShuffle(4) == 2);
  ShuffleCount pair = count("register = [[1], [2], [4]], lane = [[8], [16]]",
                            "register = [[8], [2], [4]], lane = [[1], [16]]");
  double less = pair.getCost(costs);
  costs.exchanges.clear();
  CHECK(pair.shuffles == 4 && pair.getCost(costs) == less + 4);
}

/// A change of the bits of a layout that keeps further levels where they are.
static LinearLayout shuffled(const LinearLayout &layout) {
  LinearLayout inner =
      randomLayout(
          {{"register", layout.getInputBits("register")},
           {"lane", layout.getInputBits("lane")}},
          {layout.getInputSize("lane"), layout.getInputSize("register")})
          .renameOutputs({"lane", "register"});
  return inner.compose(layout);
}

void checkConversions() {
  checkClasses();
  checkCounts();
  for (int round = 0; round < 400; ++round) {
    unsigned registers = pick(2, 3), lanes = pick(2, 4), warps = pick(0, 1);
    SmallVector<int64_t> sizes = {
        4, int64_t(1) << (registers + lanes + warps - 2 - pick(0, 1))};
    auto make = [&] {
      return randomDistribution(
          {{"register", registers}, {"lane", lanes}, {"warp", warps}}, sizes);
    };
    LinearLayout from = make();
    checkPlan(from, make());
    // Any map of bits, with copies on either side.
    LinearLayout to = shuffled(from);
    to.setBases("warp", from.getBases("warp"));
    checkPlan(from, to);
    LinearLayout full =
        randomLayout({{"register", 3}, {"lane", 3}, {"warp", 1}}, {4, 8});
    if (full.isSurjective())
      checkPlan(full, randomLayout({{"register", 2}, {"lane", 3}, {"warp", 1}},
                                   {4, 8}));
  }
}
