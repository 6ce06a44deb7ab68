// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs all checks of lib/Support.
#include "Check.h"
#include <cstdio>

static int failures = 0;

void check(bool holds, const char *what, int line, const std::string &more) {
  if (holds || ++failures > 20)
    return;
  std::printf("line %d: %s %s\n", line, what, more.c_str());
}

int main() {
  checkIntegers();
  checkRanges();
  checkExprs();
  checkMath();
  checkBuilder();
  checkAnalysis();
  checkTile();
  checkDiagnostics();
  checkKernels();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
