// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs all checks of lib/Support/Layout, and makes the layouts that they work
// on.
#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdio>

using namespace llvm;
using namespace kiln::layout;

static int failures = 0;

void check(bool holds, const char *file, int line, const char *what,
           const std::string &more) {
  if (holds || ++failures > 20)
    return;
  std::printf("%s:%d: %s %s\n", file, line, what, more.c_str());
}

LinearLayout read(StringRef text) {
  LinearLayout::TextError error;
  std::optional<LinearLayout> layout = LinearLayout::parse(text, error);
  CHECK_THAT(layout, text.str() + ": " + error.message);
  return layout.value_or(LinearLayout());
}

LinearLayout randomLayout(Bits inputs, ArrayRef<int64_t> sizes) {
  SmallVector<LinearLayout::Input> parts;
  for (auto [name, bits] : inputs) {
    LinearLayout::Input &input = parts.emplace_back();
    input.name = name.str();
    for (unsigned bit = 0; bit < bits; ++bit) {
      LinearLayout::Basis &basis = input.bases.emplace_back();
      for (int64_t size : sizes)
        basis.push_back(pick(0, size - 1));
    }
  }
  return LinearLayout::withSizes(parts, sizes);
}

LinearLayout randomDistribution(Bits inputs, ArrayRef<int64_t> sizes) {
  LinearLayout result = randomLayout(inputs, sizes);
  SmallVector<LinearLayout::Basis> units;
  for (auto [i, size] : enumerate(sizes))
    for (int64_t bit = 1; bit < size; bit *= 2) {
      units.emplace_back(sizes.size(), 0);
      units.back()[i] = bit;
    }
  while (units.size() < result.getTotalInputBits())
    units.emplace_back(sizes.size(), 0);
  std::shuffle(units.begin(), units.end(), generator());
  size_t taken = 0;
  for (auto [name, bits] : inputs) {
    result.setBases(name,
                    ArrayRef<LinearLayout::Basis>(units).slice(taken, bits));
    taken += bits;
  }
  return result;
}

int main() {
  checkLayouts();
  checkAlgebra();
  checkForms();
  checkText();
  checkConversions();
  checkMemory();
  checkFragments();
  checkAddresses();
  checkPage();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
