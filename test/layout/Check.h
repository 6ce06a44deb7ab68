// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checks of lib/Support/Layout share.
#ifndef KILN_TEST_LAYOUT_CHECK_H
#define KILN_TEST_LAYOUT_CHECK_H

#include "kiln/Layout/LinearLayout.h"
#include "kiln/Layout/Shared.h"
#include <cstdint>
#include <random>
#include <string>

/// Counts and prints what does not hold.
void check(bool holds, const char *file, int line, const char *what,
           const std::string &more = "");
#define CHECK(X) check(bool(X), __FILE__, __LINE__, #X)
#define CHECK_THAT(X, MORE) check(bool(X), __FILE__, __LINE__, #X, MORE)

/// The same numbers in every run.
inline std::mt19937_64 &generator() {
  static std::mt19937_64 engine(7);
  return engine;
}
inline int64_t pick(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(generator());
}

/// The layout that a text says, or a failed check.
kiln::layout::LinearLayout read(llvm::StringRef text);

/// Memory of 32 banks of 4 bytes.
inline kiln::layout::Banks usualBanks() {
  kiln::layout::Banks banks;
  banks.count = 32;
  return banks;
}

/// Names of inputs and their numbers of bits, such as {{"lane", 5}}.
using Bits = llvm::ArrayRef<std::pair<llvm::StringRef, unsigned>>;
/// A layout of any kind: bases are arbitrary coordinates.
kiln::layout::LinearLayout randomLayout(Bits inputs,
                                        llvm::ArrayRef<int64_t> sizes);
/// A layout whose bases are the units of its outputs in some order and, where
/// there are more bits than units, zeros: what tiles in registers have.
kiln::layout::LinearLayout randomDistribution(Bits inputs,
                                              llvm::ArrayRef<int64_t> sizes);

void checkLayouts();
void checkAlgebra();
void checkForms();
void checkText();
void checkConversions();
void checkMemory();
void checkFragments();
void checkAddresses();
void checkPage();

#endif
