//===- Swizzle.cpp - The memory that suits a writer and a reader ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared.h says what is chosen and why. Elements are flattened coordinates
// here.
//
//===----------------------------------------------------------------------===//

#include "kiln/Layout/Shared.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace kiln::layout;

using Vectors = SmallVector<uint64_t>;

namespace {

/// A writer or a reader of memory.
struct Side {
  const LinearLayout &layout;
  const InstructionTile *tile;
  Vectors registers, lanes, others;
  /// Lanes (for a tile: rows) that are served together.
  Vectors together;

  Side(const LinearLayout &layout, const InstructionTile *tile, Levels levels)
      : layout(layout), tile(tile) {
    registers = layout.getColumns(levels[0]);
    lanes = layout.getColumns(levels[1]);
    for (StringRef level : levels.drop_front(2))
      append_range(others, layout.getColumns(level));
  }

  /// How many of the first elements of a vector are this side's own.
  unsigned countOwn(ArrayRef<uint64_t> vector) const {
    unsigned own = 0;
    while (own < vector.size() && is_contained(registers, vector[own]))
      ++own;
    return own;
  }

  void findTogether(ArrayRef<uint64_t> vector, unsigned elementBits,
                    const Banks &banks) {
    together.clear();
    if (tile) {
      // Registers of rows are any that are left.
      Vectors left;
      for (uint64_t column : registers)
        if (column != 0 && !is_contained(vector, column))
          left.push_back(column);
      for (int slot : tile->rows) {
        if (slot != InstructionTile::kRegister) {
          if (unsigned(slot) < lanes.size())
            together.push_back(lanes[slot]);
        } else if (!left.empty()) {
          together.push_back(left.front());
          left.erase(left.begin());
        }
      }
      return;
    }
    unsigned bytes = std::max(1u, (elementBits << countOwn(vector)) / 8);
    uint64_t active = banks.getActiveLanes(bytes, lanes.size());
    for (auto [bit, column] : enumerate(lanes))
      if ((active >> bit) & 1)
        together.push_back(column);
  }

  /// The vectors of a row of the tile, for every choice of registers.
  SmallVector<Vectors> getRows() const {
    SmallVector<Vectors> rows = {{}};
    for (int slot : tile->row) {
      SmallVector<Vectors> longer;
      for (const Vectors &row : rows) {
        auto extend = [&](uint64_t column) {
          if (column == 0 || is_contained(row, column))
            return;
          longer.push_back(row);
          longer.back().push_back(column);
        };
        if (slot == InstructionTile::kRegister)
          for_each(registers, extend);
        else if (unsigned(slot) < lanes.size())
          extend(lanes[slot]);
      }
      rows = std::move(longer);
    }
    return rows;
  }
};

/// Makes memory layouts for a writer and a reader.
class Swizzler {
public:
  Swizzler(Side &from, Side &to, unsigned elementBits, const Banks &banks)
      : from(from), to(to), elementBits(elementBits), banks(banks),
        totalBits(from.layout.getTotalOutputBits()) {}

  /// All vectors that are worth a try.
  SmallVector<Vectors> getVectors() const {
    if (!from.tile && !to.tile)
      return {getCommonVector(nullptr), getCommonVector(&from),
              getCommonVector(&to), getOwnVector(from), getOwnVector(to)};
    // Rows of a tile are what they are: the other side has to have as much of
    // them as lies at one address.
    SmallVector<Vectors> fitting;
    const Side &given = from.tile ? from : to;
    const Side &other = from.tile ? to : from;
    SmallVector<Vectors> otherRows;
    if (other.tile)
      otherRows = other.getRows();
    for (const Vectors &row : given.getRows())
      if (other.tile ? is_contained(otherRows, row)
                     : other.countOwn(row) >= getAddressBits(*given.tile))
        if (Span(row).getRank() == row.size())
          fitting.push_back(row);
    return fitting;
  }

  /// The first registers of one side, whatever the other one has: what both
  /// have beside them remains for rounds.
  Vectors getOwnVector(const Side &side) const {
    unsigned most =
        Log2_32(std::max(1u, banks.maxVectorBytes * 8 / elementBits));
    Vectors vector;
    Span span;
    for (uint64_t column : side.registers)
      if (vector.size() < most && span.add(column))
        vector.push_back(column);
    return vector;
  }

  /// The memory for vectors, and how many of its last bits are rounds.
  LinearLayout getMemory(const Vectors &vector, unsigned &roundBits) {
    from.findTogether(vector, elementBits, banks);
    to.findTogether(vector, elementBits, banks);
    unsigned slotBits =
        Log2_32(banks.count * banks.bytes * 8) - Log2_32(elementBits);
    unsigned inBanks = std::min<unsigned>(
        totalBits, std::max<unsigned>(vector.size(), slotBits));
    Vectors segment = chooseSegment(vector, totalBits - inBanks);
    roundBits = sortRounds(segment);

    // What remains are the banks.
    Span taken(vector);
    for (uint64_t column : segment)
      taken.add(column);
    Vectors columns = vector;
    for (uint64_t column : getCandidates())
      if (taken.add(column))
        columns.push_back(column);
    append_range(columns, segment);
    LinearLayout memory({}, from.layout.getOutputs());
    SmallVector<LinearLayout::Basis> bases;
    for (uint64_t column : columns)
      bases.push_back(memory.unflatten(column));
    memory.setBases(kOffset, bases);
    return memory;
  }

private:
  /// log2 of the elements of a row that one address is for.
  static unsigned getAddressBits(const InstructionTile &tile) {
    auto bits = unsigned(tile.row.size());
    for (auto [isRow, bit] : tile.address)
      if (!isRow)
        bits = std::min(bits, unsigned(bit));
    return bits;
  }

  /// Registers of both; then those of one side, if it is to be the wider one;
  /// then, to fill a word, registers of one that no lane of the other has, and
  /// what neither has in lanes or registers.
  Vectors getCommonVector(const Side *wider) const {
    unsigned most =
        Log2_32(std::max(1u, banks.maxVectorBytes * 8 / elementBits));
    unsigned word = Log2_32(std::max(1u, banks.bytes * 8 / elementBits));
    Vectors vector;
    Span span;
    auto extend = [&](uint64_t column, unsigned limit) {
      if (vector.size() < limit && span.add(column))
        vector.push_back(column);
    };
    for (uint64_t column : from.registers)
      if (is_contained(to.registers, column))
        extend(column, most);
    if (wider)
      for (uint64_t column : wider->registers)
        extend(column, most);
    for (uint64_t column : from.registers)
      if (is_contained(to.others, column))
        extend(column, word);
    for (uint64_t column : to.registers)
      if (is_contained(from.others, column))
        extend(column, word);
    for (uint64_t column : from.others)
      if (is_contained(to.others, column))
        extend(column, word);
    return vector;
  }

  /// Units of the coordinates after what the sides consist of: bases that are
  /// theirs make addresses that are cheap to compute.
  Vectors getCandidates() const {
    Vectors candidates;
    for (const Side *side : {&from, &to})
      for (const Vectors *part :
           {&side->together, &side->registers, &side->lanes, &side->others})
        append_range(candidates, *part);
    for (unsigned bit = 0; bit < totalBits; ++bit)
      candidates.push_back(uint64_t(1) << bit);
    return candidates;
  }

  bool isRound(uint64_t column) const {
    return is_contained(from.registers, column) &&
           is_contained(to.registers, column);
  }

  /// A basis of what `a` spans with `base` beyond what `base` spans with `b`.
  static Vectors getBeyond(ArrayRef<uint64_t> base, ArrayRef<uint64_t> a,
                           ArrayRef<uint64_t> b) {
    // Vectors of `a` that differ from each other and from all of b.
    Span span(base);
    for (uint64_t column : b)
      span.add(column);
    Vectors beyond;
    for (uint64_t column : a)
      if (span.add(column))
        beyond.push_back(column);
    return beyond;
  }

  Vectors chooseSegment(const Vectors &vector, unsigned count) const {
    Vectors segment;
    auto take = [&](uint64_t column) {
      if (segment.size() < count)
        segment.push_back(column);
    };
    // What neither side's lanes have, rounds first: those save memory.
    Span spanned(vector);
    for (const Side *side : {&from, &to})
      for (uint64_t column : side->together)
        spanned.add(column);
    Vectors candidates = getCandidates();
    for (bool wantsRound : {true, false})
      for (uint64_t column : candidates)
        if (isRound(column) == wantsRound && segment.size() < count &&
            spanned.add(column))
          take(column);
    // Sums of what one side has and what the other has.
    Vectors onlyFrom = getBeyond(vector, from.together, to.together);
    Vectors onlyTo = getBeyond(vector, to.together, from.together);
    sort(onlyFrom);
    sort(onlyTo);
    size_t pairs = std::min(onlyFrom.size(), onlyTo.size());
    for (size_t i = 0; i < pairs; ++i)
      take(onlyFrom[i] ^ onlyTo[i]);
    // From here on somebody waits.
    for (size_t i = pairs; i < onlyFrom.size(); ++i)
      take(onlyFrom[i]);
    for (size_t i = pairs; i < onlyTo.size(); ++i)
      take(onlyTo[i]);
    Span all(vector);
    for (uint64_t column : segment)
      all.add(column);
    for (uint64_t column : candidates)
      if (segment.size() < count && all.add(column))
        take(column);
    return segment;
  }

  /// Puts rounds last; returns their number.
  unsigned sortRounds(Vectors &segment) const {
    Vectors rounds, others;
    for (uint64_t column : segment)
      (isRound(column) ? rounds : others).push_back(column);
    segment = others;
    append_range(segment, rounds);
    return rounds.size();
  }

  Side &from, &to;
  unsigned elementBits;
  const Banks &banks;
  unsigned totalBits;
};

} // namespace

SharedPlan kiln::layout::getSharedPlan(const LinearLayout &from,
                                       const LinearLayout &to, Levels levels,
                                       unsigned elementBits, const Banks &banks,
                                       ArrayRef<InstructionTile> storeTiles,
                                       ArrayRef<InstructionTile> loadTiles,
                                       unsigned roundBits) {
  LinearLayout reader = to.reorderOutputs(from.getOutputNames());
  std::optional<SharedPlan> best;
  auto tryTiles = [&](int storeTile, int loadTile) {
    const InstructionTile *storing =
        storeTile < 0 ? nullptr : &storeTiles[storeTile];
    const InstructionTile *loading =
        loadTile < 0 ? nullptr : &loadTiles[loadTile];
    Side source(from, storing, levels), target(reader, loading, levels);
    Swizzler swizzler(source, target, elementBits, banks);
    for (const Vectors &vector : swizzler.getVectors()) {
      SharedPlan plan;
      plan.memory = swizzler.getMemory(vector, plan.roundBits);
      auto store = getSharedAccess(from, plan.memory, levels, elementBits,
                                   banks, storing);
      auto load = getSharedAccess(reader, plan.memory, levels, elementBits,
                                  banks, loading);
      if (!store || !load)
        continue;
      plan.store = *store;
      plan.load = *load;
      plan.storeTile = storeTile;
      plan.loadTile = loadTile;
      auto rank = [&](const SharedPlan &plan) {
        return std::make_tuple(plan.roundBits < roundBits, plan.getWavefronts(),
                               plan.store.instructions +
                                   plan.load.instructions);
      };
      if (!best || rank(plan) < rank(*best))
        best = plan;
    }
  };
  for (int store = -1; store < int(storeTiles.size()); ++store)
    for (int load = -1; load < int(loadTiles.size()); ++load)
      tryTiles(store, load);
  return *best;
}
