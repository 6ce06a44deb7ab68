// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts by their definition, their algebra, and text.
#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace kiln::layout;

void checkLayouts() {
  LinearLayout tile = read("register = [[0, 1], [8, 0]], "
                           "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]");
  CHECK(tile.getOutputSizes() == SmallVector<int64_t>({16, 8}));
  CHECK(tile.getInputSize("lane") == 32 && tile.getInputBits("warp") == 0);
  CHECK(tile.isBijective() && tile.getTotalInputBits() == 7);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t reg = 0; reg < 4; ++reg) {
      SmallVector<int64_t> expected = {lane / 4 + reg / 2 * 8,
                                       lane % 4 * 2 + reg % 2};
      CHECK(tile.apply({{"lane", lane}, {"register", reg}}) == expected);
      // Registers and columns vary fastest.
      CHECK(tile.applyFlat(uint64_t(lane * 4 + reg)) ==
            uint64_t(expected[0] * 8 + expected[1]));
    }
  CHECK(LinearLayout::identity(8, "in", "out").isIdentityOn("in") == false);
  CHECK(LinearLayout::identity(8, "a", "a").isIdentityOn("a"));
  CHECK(LinearLayout::strided(4, 2, "in", "dim0") == read("in = [[2], [4]]"));
  CHECK(LinearLayout::zeros(4, "in", "dim0") == read("in = [[0], [0]]"));
  CHECK(LinearLayout::strided(4, 2, "in", "dim0").isInjective());
  CHECK(!LinearLayout::strided(4, 2, "in", "dim0").isSurjective());

  // What is free is not needed, by brute force.
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout({{"a", 3}, {"b", 3}}, {4, 8});
    std::set<SmallVector<int64_t>> all, kept;
    unsigned needed = 0;
    for (int64_t a = 0; a < 8; ++a)
      for (int64_t b = 0; b < 8; ++b) {
        auto at = layout.apply({{"a", a}, {"b", b}});
        all.insert(at);
        if (a & layout.getFreeMask("a") || b & layout.getFreeMask("b"))
          continue;
        kept.insert(at);
        ++needed;
        CHECK(layout.unflatten(layout.flatten(at)) == at);
      }
    CHECK(all == kept && kept.size() == needed);
    CHECK(all.size() == size_t(1) << layout.getRank());
  }
}

void checkAlgebra() {
  for (int round = 0; round < 300; ++round) {
    LinearLayout a = randomLayout({{"x", 2}, {"y", 1}}, {8, 4});
    LinearLayout b = randomLayout({{"x", 1}, {"y", 2}}, {4, 8});
    LinearLayout product = a * b;
    CHECK(product.divideLeft(a) == b);
    CHECK(product.divideRight(b) == a);
    CHECK(product.getOutputSizes() == SmallVector<int64_t>({32, 32}));
    for (int64_t x = 0; x < 8; ++x)
      for (int64_t y = 0; y < 8; ++y) {
        auto low = a.apply({{"x", x % 4}, {"y", y % 2}});
        auto high = b.apply({{"x", x / 4}, {"y", y / 2}});
        auto both = product.apply({{"x", x}, {"y", y}});
        CHECK(both[0] == low[0] + high[0] * 8);
        CHECK(both[1] == low[1] + high[1] * 4);
      }

    LinearLayout outer =
        randomLayout({{"dim1", 6}, {"dim0", 5}, {"more", 2}}, {16, 2});
    LinearLayout composed = product.compose(outer);
    uint64_t place = pick(0, 63);
    auto inner = product.unflatten(product.applyFlat(place));
    CHECK(outer.apply({{"dim0", inner[0]}, {"dim1", inner[1]}}) ==
          composed.unflatten(composed.applyFlat(place)));

    LinearLayout one =
        randomDistribution({{"r", 2}, {"l", 3}, {"w", 2}}, {8, 16});
    CHECK(one.invert().invert() == one);
    CHECK(one.compose(one.invert()).applyFlat(place) == place);
    LinearLayout wide =
        randomDistribution({{"r", 3}, {"l", 5}, {"w", 2}}, {8, 16});
    LinearLayout section = wide.pseudoInvert().compose(wide);
    for (uint64_t i = 0; i < 128; ++i)
      CHECK(section.applyFlat(i) == i);
  }
  // A divisor that does not divide.
  LinearLayout a = read("x = [[1, 0], [2, 1]]");
  CHECK(!a.divideLeft(read("x = [[2, 0]] -> [dim0 = 4, dim1 = 1]")));
  CHECK(!a.divideLeft(read("x = [[1, 0]] -> [dim0 = 4, dim1 = 1]")));
  CHECK(!a.divideRight(read("x = [[1, 0]]")));
  LinearLayout c = read("x = [[1, 0], [2, 0]], y = [[0, 1]] "
                        "-> [x = 4, out = 2]");
  CHECK(c.quotient({"x"}) == read("y = [[1]] -> [out = 2]"));
  CHECK(!c.quotient({"y"}));
}

/// outer(x(place)) is this(place), wherever that can be.
static void checkInvertAndCompose(const LinearLayout &to,
                                  const LinearLayout &from) {
  std::optional<LinearLayout> map = to.invertAndCompose(from);
  std::set<uint64_t> reached;
  for (uint64_t i = 0; i < uint64_t(1) << from.getTotalInputBits(); ++i)
    reached.insert(from.applyFlat(i));
  bool can = true;
  for (uint64_t column : to.getColumns())
    can &= reached.count(column) != 0;
  CHECK(map.has_value() == can);
  if (map)
    CHECK(map->compose(from) == to);
}

void checkForms() {
  for (int round = 0; round < 300; ++round) {
    checkInvertAndCompose(randomLayout({{"r", 2}, {"l", 3}}, {4, 8}),
                          randomLayout({{"r", 3}, {"l", 4}}, {4, 8}));
    checkInvertAndCompose(
        randomDistribution({{"r", 3}, {"l", 4}, {"w", 2}}, {8, 16}),
        randomDistribution({{"r", 4}, {"l", 4}, {"w", 1}}, {8, 16}));
    LinearLayout layout = randomLayout({{"r", 2}, {"l", 3}}, {4, 8, 2});
    uint64_t place = pick(0, 31);
    uint64_t at = layout.applyFlat(place);
    CHECK(layout.flattenInputs("in").flattenOutputs().apply(
              {{"in", int64_t(place)}})[0] == int64_t(at));
    CHECK(layout.reshapeOutputs({2, 32}).applyFlat(place) == at);
    CHECK(layout.reshapeInputs({{"a", 8}, {"b", 4}}).applyFlat(place) == at);
    auto was = layout.unflatten(at);
    LinearLayout turned = layout.transposeOutputs({2, 0, 1});
    CHECK(turned.getOutputSizes() == SmallVector<int64_t>({2, 4, 8}));
    CHECK(turned.unflatten(turned.applyFlat(place)) ==
          SmallVector<int64_t>({was[2], was[0], was[1]}));
    CHECK(layout.insertOutput(1, 4).dropOutput(1) == layout);
    CHECK(layout.insertOutput(0).getOutputSizes() ==
          SmallVector<int64_t>({1, 4, 8, 2}));
    CHECK(layout.dropOutput(0).reorderInputs({"l", "r"}) ==
          layout.reorderInputs({"l", "r"}).dropOutput(0));
    CHECK(read(layout.str()) == layout);
  }
  // What is the same in both stays where it is.
  LinearLayout copies = read("register = [[1]], lane = [[2], [0]]");
  CHECK(copies.invertAndCompose(copies) ==
        read("register = [[0, 1]], lane = [[1, 0], [2, 0]] "
             "-> [lane = 4, register = 2]"));
  // Order of the bits of registers.
  LinearLayout layout = read("r = [[1], [2], [4]]");
  LinearLayout turned = layout.permuteInput("r", {2, 0, 1});
  SmallVector<unsigned> old = getPermutedNumbers({2, 0, 1});
  for (int64_t i = 0; i < 8; ++i)
    CHECK(turned.apply({{"r", i}}) == layout.apply({{"r", old[i]}}));
  CHECK(read("r = [[0], [1]], l = [[0]]").removeZeroBases("r") ==
        read("r = [[1]], l = [[0]]"));
}

void checkText() {
  for (StringRef text : {"-> []", "r = []", "r = [[]]", "a = [[1]], b = []",
                         "a = [[0, 0]] -> [row = 2, column = 1]",
                         "-> [dim0 = 4]", "r = [] -> [dim0 = 1]"})
    CHECK(read(text).str() == text);
  std::pair<StringRef, StringRef> wrong[] = {
      {"", "0: expected the name of an input, found the end"},
      {"a [[1]]", "2: expected '=', found '['"},
      {"a = [[1, x]]", "9: expected a number from 0, found 'x'"},
      {"a = [[1] [2]]", "9: expected ',' or ']', found '['"},
      {"a = [[1]];", "9: expected ',', '->' or the end, found ';'"},
      {"a = [[1]] -> [b = 2],", "20: expected the end, found ','"},
      {"a = [[1], [1, 2]]", "5: expected a basis of 2 coordinates, found 1"},
      {"a = [[1]], a = []",
       "11: expected inputs of different names, found 'a' a second time"},
      {"a = [[3]] -> [x = 2]",
       "5: expected a coordinate from 0 to 1 in output 'x', found 3"},
      {"a = [[1]] -> [x = 3]",
       "14: expected a power of two as the size of output 'x', found 3"},
      {"a = [[1, 1]] -> [x = 2, x = 2]",
       "24: expected outputs of different names, found 'x' a second time"},
      {"a = [[99999999999999999999]]",
       "6: expected a number of 64 bits with a sign, found "
       "99999999999999999999"}};
  for (const auto &[text, message] : wrong) {
    LinearLayout::TextError error;
    CHECK(!LinearLayout::parse(text, error));
    std::string found = std::to_string(error.offset) + ": " + error.message;
    CHECK_THAT(found == message, found);
  }
  // Nothing that is cut off or damaged crashes.
  std::string whole = "a = [[1, 2], [3, 4]], b = [] -> [x = 4, y = 8]";
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole.substr(0, pick(0, whole.size()));
    if (!text.empty())
      text[pick(0, text.size() - 1)] = "[]=,->9a0 "[pick(0, 9)];
    LinearLayout::TextError error;
    if (std::optional<LinearLayout> layout = LinearLayout::parse(text, error))
      CHECK(read(layout->str()) == *layout);
    else
      CHECK(!error.message.empty() && error.offset <= text.size());
  }
}
