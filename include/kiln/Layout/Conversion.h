//===- Conversion.h - Moving a tile to another layout -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to bring the elements of a tile from the places of one layout
// to those of another, as data that an emitter executes. Inputs of both layouts
// are *levels*, named by the caller from the innermost: values of one thread
// ("registers"), threads that can read each other's values by a shuffle
// ("lanes"), and any further ones, between which values move through memory.
//
// A shuffle plan has one form, whatever the layouts:
//
//   1. `before`: swaps among the values of a lane, under conditions on its
//      number; the lane puts what it is to send where the others expect it.
//   2. `gather`: values are chosen and renamed, which costs nothing.
//   3. Each value is read from another lane.
//   4. `after`: swaps as in 1, on what arrived.
//   5. `results`: values are renamed.
//
// Derivation. Let (r, l) = X(r', l') say in which source register and lane the
// element of a result is: r = A r' + B l', l = C r' + D l'. Step t serves in
// lane l' the result t + P l', from lane C t + Q l' with Q = D + C P. All lanes
// can be served at once if lanes that read from one lane read the same value,
// that is, if (P l', l') is in the kernel of X wherever Q l' = 0. Such a P
// always exists, with steps to spare where C has too small a rank. The lane s
// then sends register A t + F (s + C t) with F Q = A P + B. If Q can be made
// the identity, steps t with C t = 0 need no shuffle: m exchanged pairs of
// register and lane bits move all values but one of 2^m.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_CONVERSION_H
#define KILN_LAYOUT_CONVERSION_H

#include "kiln/Layout/LinearLayout.h"

namespace kiln::layout {

/// Names of levels from the innermost: registers, lanes, others.
using Levels = llvm::ArrayRef<llvm::StringRef>;

/// What moves, from what costs nothing to what costs most.
enum class ConversionKind {
  None,      ///< every element is where it shall be
  Registers, ///< values are renamed
  Select,    ///< a lane chooses among its own values
  Lanes,     ///< values cross lanes
  Memory,    ///< values cross further levels
};

/// How the elements of a tile move from one layout to another.
struct Conversion {
  /// From places of the result to those of the source.
  LinearLayout map;
  ConversionKind kind = ConversionKind::None;
  /// The outermost level that an element crosses; 0 where none is.
  unsigned level = 0;
};

/// How `from` becomes `to`; none if `from` lacks an element. Of several copies
/// of an element the nearest is read.
std::optional<Conversion> getConversion(const LinearLayout &from,
                                        const LinearLayout &to, Levels levels);

/// How lanes exchange values.
struct ShufflePlan {
  /// Bits of the place (lane and others) whose parity decides.
  struct Condition {
    llvm::SmallVector<std::pair<std::string, int64_t>> masks;
    bool holds(LinearLayout::Place place) const;
  };
  /// Value i becomes what value i ^ distance was where the condition holds, for
  /// all i at once.
  struct Swap {
    Condition when;
    unsigned distance = 0;
  };

  unsigned numSources = 0; ///< values that there are at first
  llvm::SmallVector<Swap> before;
  llvm::SmallVector<unsigned> gather; ///< value i was value gather[i]
  /// (value, levels from lanes on) -> lane: where each value is read.
  LinearLayout source;
  /// Values whose numbers differ in the lowest of these many bits only are read
  /// from the same lane: those that fit one word can travel in it.
  unsigned numAlikeBits = 0;
  /// False: value i is read from lane ^ getLaneXor(i), at no cost if that is 0.
  /// True: every value is read from a lane that has to be computed.
  bool isIndexed = false;
  llvm::SmallVector<Swap> after;
  llvm::SmallVector<unsigned> results; ///< register i is value results[i]

  unsigned getNumValues() const { return gather.size(); }
  /// The part of the lane to read that is the number of the value's doing.
  int64_t getLaneXor(unsigned value) const;
  /// Whether a value travels.
  bool isShuffled(unsigned value) const {
    return isIndexed || getLaneXor(value) != 0;
  }
  static constexpr llvm::StringLiteral kValue = "value";
};

/// The plan of a conversion that is not of kind Memory.
ShufflePlan getShufflePlan(const Conversion &conversion, Levels levels);

/// What instructions cost, in cycles of the unit that executes them for all
/// lanes of a warp. The caller's machine says so; here all cost the same.
struct ConversionCosts {
  double shuffle = 1;     ///< of one word from the lane at an XOR distance
  double indexed = 1;     ///< of one word from a lane that is computed
  double select = 1;      ///< of one word
  double pack = 1;        ///< parts into a word or out of it, each
  double wavefront = 1;   ///< one access to all banks of shared memory
  double barrier = 1;     ///< until all that share memory have arrived
  double warpBarrier = 1; ///< until the lanes of a warp have
  /// Bits of the lane, and the cost of a shuffle whose distance is within them
  /// alone: the first that has them counts.
  llvm::SmallVector<std::pair<uint64_t, double>, 2> exchanges;
  unsigned wordBits = 32;

  /// The cost of a shuffle at an XOR distance of lanes.
  double getShuffle(int64_t distance) const {
    for (const auto &[bits, cost] : exchanges)
      if ((uint64_t(distance) & ~bits) == 0)
        return cost;
    return shuffle;
  }
};

/// Instructions of a plan for elements of a number of bits.
struct ShuffleCount {
  unsigned shuffles = 0, selects = 0, packs = 0;
  /// The shuffles by XOR distance, 0 for those from a lane that is computed.
  llvm::SmallVector<std::pair<int64_t, unsigned>, 4> distances;
  double getCost(const ConversionCosts &costs) const;
};
ShuffleCount countShuffles(const ShufflePlan &plan, unsigned elementBits,
                           unsigned wordBits = 32);

/// The cost of a way through memory for one warp: wavefronts of all its stores
/// and loads, and a barrier before and between for every round.
double getMemoryCost(unsigned wavefronts, unsigned rounds,
                     const ConversionCosts &costs);

} // namespace kiln::layout

#endif // KILN_LAYOUT_CONVERSION_H
