//===- Conversion.cpp - What moves between two layouts --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Conversion.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kiln::layout;

/// A layout whose inputs are the levels, each with at least so many bits.
static LinearLayout padded(const LinearLayout &layout,
                           ArrayRef<StringRef> outputs, Levels levels,
                           ArrayRef<unsigned> bits) {
  LinearLayout result = layout.sublayout(levels, outputs);
  for (auto [level, count] : zip_equal(levels, bits)) {
    SmallVector<LinearLayout::Basis> bases(result.getBases(level));
    while (bases.size() < count)
      bases.emplace_back(outputs.size(), 0);
    result.setBases(level, bases);
  }
  return result;
}

/// Which bits of the source sum up to `wanted` with the fewest levels crossed,
/// for a bit of level `level` that is number `own` there, if it is there.
/// `starts` says where the bits of each level begin in `columns`.
static std::optional<uint64_t> findNearest(uint64_t wanted, unsigned level,
                                           std::optional<unsigned> own,
                                           ArrayRef<uint64_t> columns,
                                           ArrayRef<unsigned> starts) {
  auto solve = [&](uint64_t vector, unsigned numLevels) {
    return Span(columns.take_front(starts[numLevels])).solve(vector);
  };
  // A thread takes what it has itself, or what it can choose from levels
  // further in; a register is taken as it is.
  for (unsigned inner = 0; own && inner <= level; ++inner)
    if (std::optional<uint64_t> others = solve(wanted ^ columns[*own], inner))
      return *others | uint64_t(1) << *own;
  for (unsigned outer = 1; outer < starts.size(); ++outer)
    if (std::optional<uint64_t> sources = solve(wanted, outer))
      return sources;
  return std::nullopt;
}

/// The outermost level of which some place is not its own; 0 if there is none.
static unsigned getCrossedLevel(const LinearLayout &map, Levels levels) {
  for (unsigned level = levels.size(); level-- > 1;) {
    unsigned index = map.getOutputIndex(levels[level]);
    for (const LinearLayout::Input &input : map.getInputs())
      for (auto [bit, basis] : enumerate(input.bases))
        if (basis[index] !=
            (input.name == levels[level] ? int64_t(1) << bit : 0))
          return level;
  }
  return 0;
}

static ConversionKind classify(const LinearLayout &map, unsigned level,
                               Levels levels) {
  if (level > 0)
    return level > 1 ? ConversionKind::Memory : ConversionKind::Lanes;
  if (!map.isZero(levels.drop_front(), levels.take_front()))
    return ConversionKind::Select;
  return map.isIdentityOn(levels[0]) ? ConversionKind::None
                                     : ConversionKind::Registers;
}

std::optional<Conversion> kiln::layout::getConversion(const LinearLayout &from,
                                                      const LinearLayout &to,
                                                      Levels levels) {
  SmallVector<unsigned> fromBits, toBits;
  for (auto [i, level] : enumerate(levels)) {
    fromBits.push_back(from.getInputBits(level));
    toBits.push_back(to.getInputBits(level));
    // There are as many threads for both.
    if (i > 0)
      fromBits[i] = toBits[i] = std::max(fromBits[i], toBits[i]);
  }
  SmallVector<StringRef> outputs = from.getOutputNames();
  LinearLayout source = padded(from, outputs, levels, fromBits);
  LinearLayout result = padded(to, outputs, levels, toBits);
  SmallVector<int64_t> sizes;
  for (auto [a, b] : zip_equal(source.getOutputs(), result.getOutputs()))
    sizes.push_back(std::max(a.second, b.second));
  source = source.resizeOutputs(sizes);
  result = result.resizeOutputs(sizes);

  SmallVector<uint64_t> columns = source.getColumns();
  SmallVector<unsigned> starts = {0};
  for (unsigned bits : fromBits)
    starts.push_back(starts.back() + bits);

  SmallVector<LinearLayout::Output> places;
  for (auto [level, bits] : reverse(zip_equal(levels, fromBits)))
    places.emplace_back(level.str(), int64_t(1) << bits);
  Conversion conversion;
  conversion.map = LinearLayout({}, places);
  for (auto [i, level] : enumerate(levels)) {
    SmallVector<LinearLayout::Basis> bases;
    for (auto [bit, basis] : enumerate(result.getBases(level))) {
      uint64_t wanted = result.flatten(basis);
      std::optional<unsigned> own;
      if (bit < fromBits[i])
        own = starts[i] + bit;
      std::optional<uint64_t> sources =
          findNearest(wanted, i, own, columns, starts);
      if (!sources)
        return std::nullopt;
      bases.push_back(conversion.map.unflatten(*sources));
    }
    conversion.map.setBases(level, bases);
  }
  conversion.level = getCrossedLevel(conversion.map, levels);
  conversion.kind = classify(conversion.map, conversion.level, levels);
  return conversion;
}
