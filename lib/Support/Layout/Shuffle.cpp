//===- Shuffle.cpp - Exchange of values among lanes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion.h derives the form of the plan; names here are those used there.
// Vectors are bits of numbers, matrices lists of their columns.
//
//===----------------------------------------------------------------------===//

#include "kiln/Layout/Conversion.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace kiln::layout;

namespace {

using Matrix = SmallVector<uint64_t>;

uint64_t times(ArrayRef<uint64_t> matrix, uint64_t vector) {
  uint64_t result = 0;
  for (; vector != 0; vector &= vector - 1)
    result ^= matrix[countr_zero(vector)];
  return result;
}

/// Columns of the two rows of blocks of X: registers and lanes.
struct Part {
  Matrix registers, lanes;
  size_t size() const { return lanes.size(); }
  void add(uint64_t toRegisters, uint64_t toLanes) {
    registers.push_back(toRegisters);
    lanes.push_back(toLanes);
  }
};

class Planner {
public:
  Planner(const LinearLayout &map, Levels levels) : map(map), levels(levels) {
    numRegisterBits = Log2_64(map.getOutputSize(levels[0]));
    numLaneBits = map.getInputBits(levels[1]);
    results = getPart(levels[0]);
    lanes = getPart(levels[1]);
    for (StringRef level : levels.drop_front(2)) {
      Part part = getPart(level);
      append_range(others.registers, part.registers);
      append_range(others.lanes, part.lanes);
    }
    chooseSteps();
    if (!chooseOwnLanes())
      chooseLanes();
    chooseOthers();
  }

  ShufflePlan get() {
    ShufflePlan plan;
    plan.numSources = 1u << numRegisterBits;
    plan.numAlikeBits = numAlikeBits;
    plan.isIndexed = isIndexed;

    Matrix atSender = getSenderMatrix(); // F
    Matrix select;                       // by lane and others
    append_range(select, atSender);
    for (size_t k = 0; k < others.size(); ++k)
      select.push_back(times(atSender, crossedByOthers[k]) ^
                       times(steps.registers, stepOfOther[k]) ^
                       others.registers[k]);
    plan.before = getSwaps(select);
    for (uint64_t step = 0; step < uint64_t(1) << steps.size(); ++step)
      plan.gather.push_back(times(steps.registers, step) ^
                            times(atSender, times(steps.lanes, step)));

    plan.source = getSource();
    Matrix after = stepOfLane;
    append_range(after, stepOfOther);
    plan.after = getSwaps(after);
    for (uint64_t i = 0; i < uint64_t(1) << results.size(); ++i)
      plan.results.push_back(times(stepOfResult, i));
    return plan;
  }

private:
  Part getPart(StringRef level) const {
    Part part;
    unsigned toRegisters = map.getOutputIndex(levels[0]);
    unsigned toLanes = map.getOutputIndex(levels[1]);
    for (const LinearLayout::Basis &basis : map.getBases(level))
      part.add(basis[toRegisters], basis[toLanes]);
    return part;
  }

  /// Both rows of a column as one vector.
  uint64_t both(const Part &part, size_t i) const {
    return part.registers[i] | part.lanes[i] << numRegisterBits;
  }

  /// Chooses a basis of the steps: the results, but for those that are copies
  /// of others; first those that read from the same lane.
  void chooseSteps() {
    Span crossing;         // C, on results that are independent
    Matrix crossingResult; // which those are, by number in `crossing`
    Span staying;
    SmallVector<uint64_t> stayingSources; // results whose sum stays
    stepOfResult.assign(results.size(), 0);
    Matrix moving, sums(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      std::optional<uint64_t> sources = crossing.solve(results.lanes[i]);
      crossing.add(results.lanes[i]);
      if (!sources) {
        moving.push_back(i);
        continue;
      }
      // This result with others stays in its lane.
      sums[i] = *sources | uint64_t(1) << i;
      uint64_t image = times(results.registers, sums[i]);
      if (staying.add(image))
        steps.add(image, 0);
    }
    numAlikeBits = steps.size();
    for (auto [k, i] : enumerate(moving)) {
      stepOfResult[i] = uint64_t(1) << (numAlikeBits + k);
      steps.add(results.registers[i], results.lanes[i]);
    }
    Span kept(ArrayRef<uint64_t>(steps.registers).take_front(numAlikeBits));
    for (size_t i = 0; i < results.size(); ++i)
      if (sums[i] != 0) {
        uint64_t sources = sums[i] & ~(uint64_t(1) << i);
        stepOfResult[i] = *kept.solve(times(results.registers, sums[i])) ^
                          times(stepOfResult, sources);
      }
  }

  /// The step, of those that read from other lanes, that crosses by a vector.
  std::optional<uint64_t> findCrossing(uint64_t vector) const {
    return Span(steps.lanes).solve(vector);
  }

  /// Chooses P so that Q is the identity, if that can be.
  bool chooseOwnLanes() {
    Matrix chosen;
    for (unsigned j = 0; j < numLaneBits; ++j) {
      uint64_t unit = uint64_t(1) << j;
      std::optional<uint64_t> step = findCrossing(lanes.lanes[j] ^ unit);
      if (!step)
        return false;
      chosen.push_back(*step);
      readLane.push_back(unit);
    }
    stepOfLane = chosen;
    return true;
  }

  /// Chooses P so that lanes that read from one lane read one value.
  void chooseLanes() {
    isIndexed = true;
    readLane.clear();
    // Lanes that some step serves with value 0 of lane 0: with that step they
    // may read what lane 0 does.
    Matrix images;
    for (size_t i = 0; i < steps.size(); ++i)
      images.push_back(both(steps, i));
    Span reached(images);
    Matrix basis, stepOfBasis;
    Span rests, apart;
    SmallVector<unsigned> independent;
    for (unsigned j = 0; j < numLaneBits; ++j) {
      uint64_t rest = reached.remainder(both(lanes, j));
      std::optional<uint64_t> sources = rests.solve(rest);
      rests.add(rest);
      if (!sources) {
        independent.push_back(j);
        continue;
      }
      uint64_t vector = *sources | uint64_t(1) << j;
      uint64_t image = 0;
      for (uint64_t left = vector; left != 0; left &= left - 1)
        image ^= both(lanes, countr_zero(left));
      basis.push_back(vector);
      stepOfBasis.push_back(*reached.solve(image));
    }
    // Of the others, those that read from lanes of their own with P = 0, and
    // those that must be told apart by steps.
    Span crossed(steps.lanes);
    SmallVector<uint64_t> conflicting;
    Matrix asAdded; // vector of each number in `apart`
    for (unsigned j : independent) {
      uint64_t rest = crossed.remainder(lanes.lanes[j]);
      std::optional<uint64_t> sources = apart.solve(rest);
      apart.add(rest);
      uint64_t unit = uint64_t(1) << j;
      asAdded.push_back(unit);
      if (sources) {
        conflicting.push_back(unit ^ times(asAdded, *sources));
        continue;
      }
      basis.push_back(unit);
      stepOfBasis.push_back(0);
    }
    addSteps(conflicting.size());
    for (auto [i, vector] : enumerate(conflicting)) {
      basis.push_back(vector);
      stepOfBasis.push_back(*findCrossing(times(lanes.lanes, vector)) ^
                            uint64_t(1) << (numAlikeBits + i));
    }
    Span all(basis);
    for (unsigned j = 0; j < numLaneBits; ++j) {
      uint64_t step = times(stepOfBasis, *all.solve(uint64_t(1) << j));
      stepOfLane.push_back(step);
      readLane.push_back(lanes.lanes[j] ^ times(steps.lanes, step));
    }
  }

  /// Makes steps until at least `count` bits of them cross lanes, by lanes that
  /// nothing else reads.
  void addSteps(size_t count) {
    Span read(steps.lanes);
    for (uint64_t vector : lanes.lanes)
      read.add(vector);
    for (unsigned j = 0; steps.size() - numAlikeBits < count; ++j) {
      assert(j < numLaneBits && "more lanes read than there are");
      if (read.add(uint64_t(1) << j))
        steps.add(0, uint64_t(1) << j);
    }
  }

  /// Other levels choose the step, where they can, or the lane to read.
  void chooseOthers() {
    for (uint64_t crossed : others.lanes) {
      std::optional<uint64_t> step;
      if (!isIndexed || crossed == 0)
        step = findCrossing(crossed);
      stepOfOther.push_back(step.value_or(0));
      crossedByOthers.push_back(step ? 0 : crossed);
      isIndexed |= !step;
    }
  }

  /// F: what the number of a sender adds to the register that it sends.
  Matrix getSenderMatrix() const {
    Span senders(readLane);
    Matrix sent;
    for (unsigned j = 0; j < numLaneBits; ++j)
      sent.push_back(times(steps.registers, stepOfLane[j]) ^
                     lanes.registers[j]);
    // Lanes that nothing reads send anything.
    for (unsigned j = 0; j < numLaneBits; ++j) {
      senders.add(uint64_t(1) << j);
      sent.push_back(0);
    }
    Matrix result;
    for (unsigned j = 0; j < numLaneBits; ++j)
      result.push_back(times(sent, *senders.solve(uint64_t(1) << j)));
    return result;
  }

  /// Swaps that together move value i to i ^ (matrix * place).
  SmallVector<ShufflePlan::Swap> getSwaps(ArrayRef<uint64_t> matrix) const {
    Span distances;
    Matrix sourcesOfBit;
    SmallVector<ShufflePlan::Swap> swaps;
    SmallVector<int> swapOfBit;
    for (uint64_t column : matrix) {
      std::optional<uint64_t> sources = distances.solve(column);
      distances.add(column);
      swapOfBit.push_back(-1);
      if (!sources) {
        sources = uint64_t(1) << sourcesOfBit.size();
        swapOfBit.back() = swaps.size();
        swaps.emplace_back().distance = column;
      }
      sourcesOfBit.push_back(*sources);
    }
    unsigned bit = 0;
    for (StringRef level : levels.drop_front())
      for (unsigned own = 0; own < map.getInputBits(level); ++own, ++bit)
        for (uint64_t left = sourcesOfBit[bit]; left != 0; left &= left - 1)
          addTo(swaps[swapOfBit[countr_zero(left)]].when, level, own);
    return swaps;
  }

  static void addTo(ShufflePlan::Condition &condition, StringRef level,
                    unsigned bit) {
    for (auto &[name, mask] : condition.masks)
      if (name == level) {
        mask |= int64_t(1) << bit;
        return;
      }
    condition.masks.emplace_back(level.str(), int64_t(1) << bit);
  }

  LinearLayout getSource() const {
    auto asBases = [](ArrayRef<uint64_t> columns) {
      SmallVector<LinearLayout::Basis> bases;
      for (uint64_t column : columns)
        bases.push_back({int64_t(column)});
      return bases;
    };
    LinearLayout source({}, {{levels[1].str(), int64_t(1) << numLaneBits}});
    source.setBases(ShufflePlan::kValue, asBases(steps.lanes));
    source.setBases(levels[1], asBases(readLane));
    size_t taken = 0;
    for (StringRef level : levels.drop_front(2)) {
      size_t bits = map.getInputBits(level);
      source.setBases(
          level,
          asBases(ArrayRef<uint64_t>(crossedByOthers).slice(taken, bits)));
      taken += bits;
    }
    return source;
  }

  const LinearLayout &map;
  Levels levels;
  unsigned numRegisterBits, numLaneBits;
  Part results, lanes, others; ///< X, by inputs
  Part steps;                  ///< A and C for steps t
  unsigned numAlikeBits = 0;   ///< steps, the first ones, that do not cross
  Matrix stepOfResult;         ///< the step of a result in lane 0
  Matrix stepOfLane;           ///< P
  Matrix stepOfOther;          ///< the same for other levels
  Matrix readLane;             ///< Q
  Matrix crossedByOthers;      ///< what other levels add to the lane read
  bool isIndexed = false;
};

} // namespace

ShufflePlan kiln::layout::getShufflePlan(const Conversion &conversion,
                                         Levels levels) {
  assert(conversion.kind != ConversionKind::Memory && "more than lanes move");
  return Planner(conversion.map, levels).get();
}
