//===- OperandCopies.cpp - What a description says of copies --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Tiling/OperandCopies.h"
#include "kiln/Target/Limits.h"
#include "kiln/Target/Rates.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

void tiling::takeNumbers(
    DictionaryAttr given,
    std::initializer_list<std::pair<StringRef, double *>> numbers) {
  if (!given)
    return;
  for (auto [name, number] : numbers) {
    if (auto whole = given.getAs<IntegerAttr>(name))
      *number = whole.getValue().signedRoundToDouble();
    if (auto fraction = given.getAs<FloatAttr>(name))
      *number = fraction.getValueAsDouble();
  }
}

static void takeRates(DictionaryAttr given, OperandCopies::Rates &rates) {
  takeNumbers(given, {{"whole", &rates.whole},
                      {"together", &rates.together},
                      {"memory", &rates.memory},
                      {"line", &rates.line},
                      {"loss", &rates.loss}});
}

OperandCopies OperandCopies::of(TargetAttr description) {
  // Without figures of its own a cache brings a core some times what its share
  // of memory does, and what is shorter than a line takes as long as the line.
  constexpr double kThreads = 2, kWhole = 4, kTogether = 3, kMemory = 0.75;
  double memory = cycleBytesOfCore(description);
  OperandCopies copies;
  copies.threads = kThreads * memory;
  copies.step = kTogether * memory;
  copies.many.whole = kWhole * memory;
  copies.many.together = kTogether * memory;
  copies.many.memory = kMemory * memory;
  copies.many.line = double(transferBytes(description));
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto given =
      extra ? extra.getAs<DictionaryAttr>("operand_copies") : DictionaryAttr();
  if (given) {
    takeRates(given, copies.many);
    takeNumbers(given, {{"threads", &copies.threads},
                        {"step", &copies.step},
                        {"rows", &copies.rows},
                        {"ends", &copies.ends},
                        {"rest", &copies.rest},
                        {"within", &copies.within}});
  }
  copies.lines = copies.many.together;
  takeNumbers(given, {{"lines", &copies.lines}});
  copies.few = copies.many;
  if (given)
    takeRates(given.getAs<DictionaryAttr>("few"), copies.few);
  return copies;
}
