// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checks of lib/Support share.
#ifndef KILN_TEST_INDEX_CHECK_H
#define KILN_TEST_INDEX_CHECK_H

#include <cstdint>
#include <limits>
#include <random>
#include <string>

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Counts and prints what does not hold.
void check(bool holds, const char *what, int line,
           const std::string &more = "");
#define CHECK(X) check(bool(X), #X, __LINE__)
#define CHECK_THAT(X, MORE) check(bool(X), #X, __LINE__, MORE)

/// The same numbers in every run.
inline std::mt19937_64 &generator() {
  static std::mt19937_64 engine(7);
  return engine;
}
inline int64_t pick(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(generator());
}

void checkIntegers();
void checkRanges();
void checkExprs();
void checkMath();
void checkBuilder();
void checkAnalysis();
void checkTile();
void checkDiagnostics();
void checkKernels();

#endif
