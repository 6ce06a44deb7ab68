// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact arithmetic and ranges, against 128-bit numbers.
#include "Check.h"
#include "kiln/Index/Facts.h"
#include <vector>

using namespace kiln::index;

namespace {

using Wide = __int128;

Integer fit(Wide n) {
  return n < kLeast || n > kMost ? Integer() : Integer(int64_t(n));
}
Wide floorOf(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Small numbers and both ends of what fits.
std::vector<int64_t> interesting() {
  std::vector<int64_t> result;
  for (int64_t n = -9; n <= 9; ++n)
    result.push_back(n);
  for (int64_t n : {int64_t(1) << 31, int64_t(1) << 32, int64_t(1) << 62,
                    kMost - 1, kMost, kLeast, kLeast + 1, -(int64_t(1) << 62)})
    result.push_back(n);
  return result;
}

template <typename OpT> void checkOp(OpT op, bool isDivision) {
  // All ranges of a few numbers, with every pair out of them.
  std::vector<Interval> ranges;
  for (int64_t low = -4; low <= 4; ++low)
    for (int64_t high = low; high <= 4; ++high)
      ranges.push_back(Interval::between(low, high));
  for (const Interval &a : ranges)
    for (const Interval &b : ranges) {
      Interval result = op(a, b);
      for (int64_t x = *a.low; x <= *a.high; ++x)
        for (int64_t y = *b.low; y <= *b.high; ++y) {
          if (isDivision && y == 0)
            continue;
          Interval single = op(Interval::exactly(x), Interval::exactly(y));
          bool exact = !isDivision || y > 0;
          CHECK(!exact || (single.low && single.low == single.high));
          CHECK(!exact || result.contains(*single.low));
        }
    }
}

/// Whether `range` holds the number, were it to fit.
bool holds(const Interval &range, Wide n) {
  return (!range.low || Wide(*range.low) <= n) &&
         (!range.high || n <= Wide(*range.high));
}

void checkFacts() {
  using Op = Facts (*)(const Facts &, const Facts &);
  using Exact = Wide (*)(Wide, Wide);
  struct Case {
    Op op;
    Exact exact;
    bool isDivision;
  } cases[] = {
      {add, [](Wide a, Wide b) { return a + b; }, false},
      {sub, [](Wide a, Wide b) { return a - b; }, false},
      {mul, [](Wide a, Wide b) { return a * b; }, false},
      {floorDiv, floorOf, true},
      {ceilDiv, [](Wide a, Wide b) { return -floorOf(-a, b); }, true},
      {truncDiv, [](Wide a, Wide b) { return a / b; }, true},
      {truncRem, [](Wide a, Wide b) { return a % b; }, true},
      {floorMod, [](Wide a, Wide b) { return a - b * floorOf(a, b); }, true},
      {min, [](Wide a, Wide b) { return std::min(a, b); }, false},
      {max, [](Wide a, Wide b) { return std::max(a, b); }, false},
  };
  std::vector<int64_t> numbers = interesting();
  auto any = [&] { return numbers[pick(0, numbers.size() - 1)]; };
  for (int round = 0; round < 200000; ++round) {
    const Case &c = cases[pick(0, 9)];
    Facts facts[2];
    int64_t values[2];
    for (int i : {0, 1}) {
      int64_t x = any(), y = any();
      facts[i].range = Interval::between(std::min(x, y), std::max(x, y));
      if (pick(0, 5) == 0)
        facts[i].range.low.reset();
      if (pick(0, 5) == 0)
        facts[i].range.high.reset();
      values[i] = pick(0, 1) ? x : y;
      int64_t divisor = pick(1, 6);
      if (values[i] % divisor == 0)
        facts[i].divisor = divisor;
      if (pick(0, 9) == 0)
        facts[i] = Facts::exactly(values[i]);
    }
    if (c.isDivision && values[1] == 0)
      continue;
    Facts result = c.op(facts[0], facts[1]);
    Wide exact = c.exact(values[0], values[1]);
    std::string text = "case " + std::to_string(&c - cases) + ": " +
                       std::to_string(values[0]) + ", " +
                       std::to_string(values[1]);
    CHECK_THAT(holds(result.range, exact), text);
    CHECK_THAT(result.divisor == 0 ? exact == 0 : exact % result.divisor == 0,
               text);
    Facts either = join(facts[0], facts[1]);
    CHECK(holds(either.range, values[0]) && holds(either.range, values[1]));
    if (values[0] == values[1])
      CHECK(holds(meet(facts[0], facts[1]).range, values[0]));
  }
}

} // namespace

void checkIntegers() {
  for (int64_t a : interesting())
    for (int64_t b : interesting()) {
      CHECK(add(a, b) == fit(Wide(a) + b));
      CHECK(sub(a, b) == fit(Wide(a) - b));
      CHECK(mul(a, b) == fit(Wide(a) * b));
      if (b == 0) {
        CHECK(!floorDiv(a, b) && !ceilDiv(a, b) && !floorMod(a, b));
        continue;
      }
      CHECK(floorDiv(a, b) == fit(floorOf(a, b)));
      CHECK(ceilDiv(a, b) == fit(-floorOf(-Wide(a), b)));
      if (divides(a, b))
        CHECK(floorMod(a, b) == fit(a - b * floorOf(a, b)));
    }
}

void checkRanges() {
  using Op = Interval (*)(const Interval &, const Interval &);
  for (Op op : {Op(add), Op(sub), Op(mul), Op(min), Op(max)})
    checkOp(op, false);
  for (Op op : {Op(floorDiv), Op(ceilDiv), Op(truncDiv)})
    checkOp(op, true);
  checkFacts();
  CHECK(add(Interval::atLeast(kMost), Interval::atLeast(1)) ==
        Interval::atLeast(kMost));
  CHECK(mul(Interval::atLeast(0), Interval::atLeast(2)) ==
        Interval::atLeast(0));
  CHECK(floorMod(Interval::all(), Interval::between(1, 8)) ==
        Interval::between(0, 7));
  CHECK(Facts::exactly(kLeast).isMultipleOf(1024));
  CHECK(mul(Facts{Interval::all(), 6}, Facts::exactly(4)).divisor == 24);
  CHECK(floorDiv(Facts{Interval::all(), 24}, Facts::exactly(4)).divisor == 6);
}
