// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of matrix instructions against their closed forms, blocked layouts
// and repeated atoms.
#include "Check.h"
#include "kiln/Layout/Distribution.h"
#include "kiln/Layout/Shared.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace kiln::layout;

namespace {
/// A fragment: rows x depth, what is in each lane, and what its instruction's
/// manual says of register i in lane l.
struct Row {
  const char *name;
  Fragment shape;
  const char *text;
  std::pair<int64_t, int64_t> (*form)(int64_t i, int64_t l);
};
} // namespace

/// Row and position along the depth for fragments of 32-bit words that four
/// lanes hold next to each other.
template <int64_t perWord>
static std::pair<int64_t, int64_t> words(int64_t i, int64_t l) {
  return {l / 4 + i / perWord % 2 * 8,
          l % 4 * perWord + i % perWord + i / (2 * perWord) * 4 * perWord};
}
/// The same with eight rows.
static std::pair<int64_t, int64_t> wordsOfEight(int64_t i, int64_t l) {
  return {l / 4, l % 4 * 2 + i % 2 + i / 2 * 8};
}
/// Lanes that have a row each, and `perLane` elements of its depth.
template <int64_t rows, int64_t perLane>
static std::pair<int64_t, int64_t> rowsOfLanes(int64_t i, int64_t l) {
  return {l % rows, i % perLane + l / rows * perLane +
                        i / perLane * perLane * (64 / rows)};
}

static const Row kRows[] = {
    {"16x16, words of 2",
     {16, 16, 2, 4, 8, false, 32},
     "register = [[0, 1], [8, 0], [0, 8]], "
     "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]",
     words<2>},
    {"8x16, words of 2",
     {8, 16, 2, 4, 8, false, 32},
     "register = [[0, 1], [0, 8]], "
     "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]",
     wordsOfEight},
    {"16x8 result",
     {16, 8, 2, 4, 8, false, 32},
     "register = [[0, 1], [8, 0]], "
     "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]",
     words<2>},
    {"16x32, words of 4",
     {16, 32, 4, 4, 8, false, 32},
     "register = [[0, 1], [0, 2], [8, 0], [0, 16]], "
     "lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]",
     words<4>},
    {"16x8, words of 1",
     {16, 8, 1, 4, 8, false, 32},
     "register = [[8, 0], [0, 4]], "
     "lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]",
     words<1>},
    {"16x64 result",
     {16, 64, 2, 4, 8, false, 32},
     "register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], "
     "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]",
     words<2>},
    {"16x64, words of 4",
     {16, 64, 4, 4, 8, false, 32},
     "register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], "
     "lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]",
     words<4>},
    // Results of these have their columns as rows.
    {"32x32 result, 64 lanes",
     {32, 32, 4, 2, 32, true, 64},
     "register = [[0, 1], [0, 2], [0, 8], [0, 16]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]]",
     rowsOfLanes<32, 4>},
    {"32x8, 64 lanes",
     {32, 8, 4, 2, 32, true, 64},
     "register = [[0, 1], [0, 2]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]]",
     rowsOfLanes<32, 4>},
    {"16x16, 64 lanes, operand and result",
     {16, 16, 4, 4, 16, true, 64},
     "register = [[0, 1], [0, 2]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]]",
     rowsOfLanes<16, 4>},
    {"16x32, 64 lanes",
     {16, 32, 8, 4, 16, true, 64},
     "register = [[0, 1], [0, 2], [0, 4]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]]",
     rowsOfLanes<16, 8>},
    {"32x16, 64 lanes",
     {32, 16, 8, 2, 32, true, 64},
     "register = [[0, 1], [0, 2], [0, 4]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]]",
     rowsOfLanes<32, 8>},
    {"16x16 result, 32 lanes, rows in turn",
     {16, 16, 1, 2, 16, true, 32},
     "register = [[0, 2], [0, 4], [0, 8]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]]",
     [](int64_t i, int64_t l) { return std::pair(l % 16, 2 * i + l / 16); }},
    {"16x16, 32 lanes, twice",
     {16, 16, 16, 1, 16, true, 32},
     "register = [[0, 1], [0, 2], [0, 4], [0, 8]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]]",
     [](int64_t i, int64_t l) { return std::pair(l % 16, i); }},
    {"16x16, 32 lanes, operand and result",
     {16, 16, 8, 2, 16, true, 32},
     "register = [[0, 1], [0, 2], [0, 4]], "
     "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]]",
     [](int64_t i, int64_t l) { return std::pair(l % 16, i + l / 16 * 8); }},
};

static void checkTable() {
  for (const Row &row : kRows) {
    LinearLayout layout = getFragment(row.shape);
    CHECK_THAT(layout == read(row.text), row.name);
    CHECK_THAT(layout.isSurjective(), row.name);
    for (int64_t l = 0; l < layout.getInputSize("lane"); ++l)
      for (int64_t i = 0; i < layout.getInputSize("register"); ++i) {
        auto [r, k] = row.form(i, l);
        CHECK_THAT(layout.apply({{"register", i}, {"lane", l}}) ==
                       SmallVector<int64_t>({r, k}),
                   row.name);
      }
    // The other operand has the depth first.
    FragmentNames turned;
    turned.rows = "dim1";
    turned.depth = "dim0";
    turned.depthIsFirst = true;
    CHECK_THAT(getFragment(row.shape, turned) ==
                   layout.transposeOutputs({1, 0}),
               row.name);
  }
  // Warps side by side along the rows.
  CHECK(getFragment({16, 32, 2, 4, 8, false, 32}) *
            LinearLayout::identity(8, "warp", "dim0") ==
        read("register = [[0, 1], [8, 0], [0, 8], [0, 16]], "
             "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
             "warp = [[16, 0], [32, 0], [64, 0]]"));
  // Rows in memory of 128, 64 and 32 bytes, 2 bytes an element: bits of the
  // address change by others of it.
  struct {
    int64_t columns, rowsPerPhase, phases, from, mask;
  } modes[] = {{64, 1, 8, 7, 7}, {32, 2, 4, 7, 3}, {16, 4, 2, 7, 1}};
  for (auto [columns, rowsPerPhase, phases, from, mask] : modes) {
    LinearLayout memory = getSwizzledRows(64, columns, 8, rowsPerPhase, phases);
    CHECK(memory.isBijective());
    for (int64_t offset = 0; offset < 64 * columns; ++offset) {
      int64_t address = offset * 2;
      int64_t plain = (address ^ (address >> from & mask) << 4) / 2;
      CHECK(memory.apply({{kOffset, offset}}) ==
            SmallVector<int64_t>({plain / columns, plain % columns}));
    }
  }
  CHECK(getSwizzledRows(16, 64, 8, 1, 8) ==
        read("offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], "
             "[1, 8], [2, 16], [4, 32], [8, 0]]"));
}

static void checkBlocked() {
  std::pair<StringRef, int64_t> threads[] = {{"lane", 32}, {"warp", 4}};
  CHECK(getBlockedLayout({64, 64}, {1, 0}, 8, "register", threads) ==
        read("register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], "
             "lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], "
             "warp = [[4, 0], [8, 0]]"));
  // A tile that is smaller than its threads.
  CHECK(getBlockedLayout({64}, {0}, 4, "register", threads) ==
        read("register = [[1], [2]], "
             "lane = [[4], [8], [16], [32], [0]], warp = [[0], [0]]"));
  CHECK(getBlockedLayout({}, {}, 4, "register", threads).getNumOutputs() == 0);
}

static void checkRepeats() {
  LinearLayout atom = read("register = [[0, 1], [8, 0]], "
                           "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
                           "warp = [[16, 0], [32, 0]]");
  RepeatedLayout wide(atom, {2, 22});
  CHECK(wide.getSizes() == SmallVector<int64_t>({128, 176}));
  CHECK(wide.getNumCopies() == 44 && !wide.getLinear("register"));
  CHECK(wide.str() == atom.str() + " * [2, 22]");
  LinearLayout::TextError error;
  CHECK(RepeatedLayout::parse(wide.str(), error) == wide);
  CHECK(RepeatedLayout::parse(atom.str(), error) == RepeatedLayout(atom));
  for (const char *counts : {"[2]", "[0, 1]", "[1, 2", "[1, x]", "[]", ""})
    CHECK(!RepeatedLayout::parse(atom.str() + " * " + counts, error) &&
          error.offset >= atom.str().size() && !error.message.empty());

  // Every element has one value, and keeps it with larger atoms.
  auto elements = [](const RepeatedLayout &layout, int64_t lane) {
    SmallVector<SmallVector<int64_t>> all;
    for (int64_t i = 0;
         i < layout.getNumCopies() * layout.atom.getInputSize("register"); ++i)
      all.push_back(layout.apply("register", i, {{"lane", lane}, {"warp", 1}}));
    return all;
  };
  RepeatedLayout other(read("register = [[0, 1], [32, 0], [64, 0]], "
                            "lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], "
                            "warp = [[4, 0], [8, 0]]") *
                           LinearLayout::identity(1, "register", "dim0"),
                       {1, 11});
  other.atom = read("register = [[0, 1], [16, 0], [32, 0], [64, 0]], "
                    "lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], "
                    "warp = [[4, 0], [8, 0]]");
  CHECK(other.getSizes() == wide.getSizes());
  auto common = withCommonAtoms(wide, other, "register");
  CHECK(common && common->first.counts == SmallVector<int64_t>({1, 11}));
  CHECK(common->second == other);
  auto before = elements(wide, 5), after = elements(common->first, 5);
  auto old = common->first.getOldValues(wide, "register");
  CHECK(before.size() == after.size() && old.size() == after.size());
  for (auto [i, was] : enumerate(old))
    CHECK(after[i] == before[was]);
  CHECK(std::set(before.begin(), before.end()).size() == before.size());
  CHECK(!withCommonAtoms(RepeatedLayout(atom, {1, 3}),
                         RepeatedLayout(other.atom, {1, 3}), "register"));
  CHECK(RepeatedLayout(atom, {2, 4}).getLinear("register") ==
        atom * LinearLayout::identity(4, "register", "dim1") *
            LinearLayout::identity(2, "register", "dim0"));
}

void checkFragments() {
  checkTable();
  checkBlocked();
  checkRepeats();
}
