//===- ThreadedProducts.cpp - Blocks of products for many threads ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadedModel.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

/// How many instances may share out the depth; 1 is the first. Their steps are
/// lines of memory, whichever way factors lie, or as much as a step may have,
/// and each has two of them.
static SmallVector<int64_t> partsOf(const TilingProblem &p,
                                    ArrayRef<int64_t> blocks, int64_t most,
                                    int64_t line) {
  SmallVector<int64_t> result = {1};
  int depth = findRole(p, TilingRole::Depth);
  if (depth < 0 || ShapedType::isDynamic(p.dims[depth].size))
    return result;
  auto bitsOf = [](Type type) -> int64_t {
    return isa<FloatTF32Type>(type) ? 32 : type.getIntOrFloatBitWidth();
  };
  int64_t longest = p.dims[depth].most;
  bool isLongest = !ShapedType::isDynamic(longest) && longest > 1 &&
                   blocks[depth] * 2 > longest;
  if (!isLongest &&
      blocks[depth] * std::min(bitsOf(p.lhs), bitsOf(p.rhs)) < line * 8)
    return result;
  int64_t steps = llvm::divideCeil(p.dims[depth].size, blocks[depth]);
  if (!ShapedType::isDynamic(most))
    most = std::min(most, steps / 2);
  else
    most = steps / 2;
  // The last one has something to do, too.
  for (int64_t power = 2; power <= most; power *= 2)
    for (int64_t parts : {power, power + power / 2})
      if (parts <= most && int64_t(llvm::divideCeil(
                               steps, llvm::divideCeil(steps, parts))) == parts)
        result.push_back(parts);
  return result;
}

bool ThreadedModel::readsMemory(const TilingProblem &p,
                                ArrayRef<int64_t> blocks) const {
  // As for `simt-assign-layouts`: smaller tiles go by fragments.
  constexpr int64_t kLeast = 64 * 64, kSide = 64;
  MatrixInstructionAttr row = instructionFor(p, /*fromMemory=*/true);
  if (!row)
    return false;
  int64_t m = 1, n = 1, k = 1;
  for (auto [dim, block] : llvm::zip(p.dims, blocks))
    (dim.role == TilingRole::Row      ? m
     : dim.role == TilingRole::Column ? n
                                      : k) *=
        dim.role == TilingRole::Part ? 1 : block;
  if (m < std::max(kSide, row.getM().getMin()) || n < kSide || m * n < kLeast ||
      k < row.getK().getMin())
    return false;
  int depth = findRole(p, TilingRole::Depth);
  return !readsAlongSum(p) ||
         llvm::all_of(p.tiles, [&](const TilingTile &tile) {
           return !llvm::is_contained(tile.dims, unsigned(depth)) ||
                  tile.along == depth;
         });
}

/// Factors of 16 bits alone are read across rows.
bool ThreadedModel::readsAlongSum(const TilingProblem &p) const {
  return instructionFor(p, /*fromMemory=*/true) &&
         (isa<FloatTF32Type>(p.lhs) || p.lhs.getIntOrFloatBitWidth() != 16);
}

/// Whether threads multiply a single row with a factor that lies along the sum:
/// that takes as long as reading the factor.
static bool isRowAlongSum(const TilingProblem &p) {
  int row = findRole(p, TilingRole::Row),
      depth = findRole(p, TilingRole::Depth);
  return row >= 0 && depth >= 0 && p.dims[row].size == 1 &&
         llvm::any_of(p.tiles, [&](const TilingTile &tile) {
           return tile.dims.size() > 1 && tile.along == depth;
         });
}

/// Blocks of a single row: pieces of the factor of which every thread has
/// several accesses in flight, as long as that leaves instances for all cores.
static SmallVector<Tiling> rowProducts(const TilingProblem &p, int64_t cores) {
  constexpr int64_t kThreads = 128, kAccessBits = 128, kAccesses = 8,
                    kInstances = 4;
  int depth = findRole(p, TilingRole::Depth),
      column = findRole(p, TilingRole::Column);
  auto powerOf = [](int64_t size, int64_t most) {
    return ShapedType::isDynamic(size)
               ? most
               : std::min<int64_t>(most, llvm::PowerOf2Ceil(size));
  };
  auto bitsOf = [](Type type) -> int64_t {
    return isa<FloatTF32Type>(type)
               ? 32
               : std::max<int64_t>(type.getIntOrFloatBitWidth(), 8);
  };
  Tiling tiling;
  tiling.blocks.assign(p.dims.size(), 1);
  int64_t most = kThreads * kAccessBits / bitsOf(p.rhs);
  int64_t &deep = tiling.blocks[depth], &wide = tiling.blocks[column];
  deep = powerOf(p.dims[depth].size, most);
  int64_t columns = p.dims[column].size;
  wide = powerOf(columns, most * kAccesses / deep);
  while (wide > 1 && !ShapedType::isDynamic(columns) &&
         columns / wide * p.instances < cores * kInstances)
    wide /= 2;
  tiling.cost = 1;
  SmallVector<Tiling> result = {tiling};
  if (wide > 1) {
    wide /= 2;
    result.push_back(tiling);
  }
  return result;
}

/// Whether a block has several pieces along a dimension.
static bool hasPieces(const TilingProblem &p, ArrayRef<int64_t> blocks) {
  return llvm::any_of(llvm::zip(p.dims, blocks), [](auto pair) {
    auto [dim, block] = pair;
    return dim.takesPieces && !llvm::isPowerOf2_64(block);
  });
}

bool ThreadedModel::suitsPieces(const TilingProblem &p,
                                ArrayRef<int64_t> blocks) const {
  // Pieces pay where products read them from memory, and each group of warps
  // has rows of its own. Those of more rows than two groups have were not
  // measured.
  constexpr int64_t kRowsOfGroup = 64, kWarpsOfGroup = 4, kMostRows = 128;
  int down = findRole(p, TilingRole::Row),
      across = findRole(p, TilingRole::Column);
  if (down < 0 || across < 0)
    return false;
  // Copies of rows along a piece of 32 columns are short: 384 rows by 3072 x
  // 1536 took 15.9 us in blocks of 64x160x64, 9.7 in those of 64x192x64.
  int64_t piece = blocks[across] & -blocks[across];
  bool isAlong = llvm::any_of(p.tiles, [&](const TilingTile &tile) {
    return tile.along == across &&
           llvm::is_contained(tile.dims,
                              unsigned(findRole(p, TilingRole::Depth)));
  });
  if (isAlong && piece * p.rhs.getIntOrFloatBitWidth() < line * 8)
    return false;
  // 256 rows by 4096 x 14336 of 8-bit floats took 89 us in blocks of
  // 64x160x128, 27 in those of 64x128x128.
  constexpr int64_t kLeastOfBytes = 64;
  if (p.rhs.getIntOrFloatBitWidth() == 8 && piece < kLeastOfBytes)
    return false;
  int64_t groups = warpsOf(blocks[down], blocks[across]) / kWarpsOfGroup;
  return blocks[down] >= kRowsOfGroup * groups && blocks[down] <= kMostRows &&
         readsMemory(p, blocks);
}

/// The depth that a step has at most. Of few rows a step reads little but one
/// operand: long pieces of few of its rows come faster than short pieces of
/// many. 16 rows by 5120 x 5120 took 16.1 us in blocks of 16x64x256, 24.9 in
/// those of 16x256x64 whose parts a second kernel adds up. This was measured
/// where a unit copies; others have the usual depth.
static int64_t mostDepth(const ThreadMachine &machine, const TilingProblem &p,
                         ArrayRef<int64_t> blocks) {
  constexpr int64_t kMost = 128, kMostOfFew = 256, kLeastColumns = 32,
                    kMostColumns = 64;
  int down = findRole(p, TilingRole::Row),
      across = findRole(p, TilingRole::Column);
  bool isFew = machine.copies && down >= 0 && across >= 0 &&
               ThreadMachine::hasFewRows(p.dims[down].size) &&
               blocks[across] >= kLeastColumns &&
               blocks[across] <= kMostColumns && !p.lhs.isInteger();
  return isFew ? kMostOfFew : kMost;
}

/// By how much estimates have to be better for several instances to share out
/// the depth. Those of products that read memory are the better estimates, and
/// so are those of few rows, which wait for memory.
static double doubtOfParts(bool isKnown) {
  constexpr double kDoubt = 1.3, kDoubtOfMemory = 1.1;
  return isKnown ? kDoubtOfMemory : kDoubt;
}

SmallVector<Tiling> ThreadedModel::products(const TilingProblem &p) const {
  if (isRowAlongSum(p))
    return rowProducts(p, cores);
  constexpr int64_t kMost[] = {256, 256};
  constexpr size_t kCandidates = 24;
  SmallVector<int64_t> granule = granules(p);
  std::multimap<double, Tiling> byCost;
  std::set<std::vector<int64_t>> seen;
  SmallVector<int64_t> blocks(p.dims.size(), 1);
  MatrixInstructionAttr fragmentRow = instructionFor(p);
  bool hasMemoryRow = instructionFor(p, /*fromMemory=*/true) != nullptr;
  bool isOpen = llvm::any_of(p.dims, [](const TilingDim &dim) {
    return dim.role != TilingRole::Part && ShapedType::isDynamic(dim.size);
  });
  auto add = [&] {
    int part = findRole(p, TilingRole::Part),
        down = findRole(p, TilingRole::Row);
    // A single row goes to the matrix unit in parts alone.
    if (down >= 0 && p.dims[down].size == 1 && part >= 0 && blocks[part] == 1 &&
        blocks[down] > 1)
      return;
    if (hasPieces(p, blocks) &&
        ((part >= 0 && blocks[part] > 1) || !suitsPieces(p, blocks)))
      return;
    if (!seen.emplace(blocks.begin(), blocks.end()).second || !fits(p, blocks))
      return;
    bool isWhole = true;
    for (auto [block, unit] : llvm::zip(blocks, granule))
      isWhole &= block % unit == 0;
    using By = ThreadMachine::By;
    By by = isWhole && fragmentRow ? By::Fragments : By::Threads;
    if (by == By::Fragments && readsMemory(p, blocks))
      by = By::Memory;
    // What is not known is taken to be of a middling size, and where large
    // tiles pay, to be large as well.
    constexpr int64_t kMiddling = 1024, kLarge = 4096;
    MatrixInstructionAttr row =
        by == By::Fragments ? fragmentRow : MatrixInstructionAttr();
    double cycles = machine->cyclesOf(p, blocks, by, row, stages, kMiddling);
    if (isOpen && hasMemoryRow)
      cycles = std::sqrt(cycles *
                         machine->cyclesOf(p, blocks, by, row, stages, kLarge));
    if (part >= 0 && blocks[part] > 1)
      cycles *=
          doubtOfParts(by == By::Memory || machine->waitsForMemory(p, by));
    if (cycles > 0)
      byCost.emplace(cycles, Tiling{blocks, cycles});
  };
  // Every combination of powers of two up to what covers the dimension, and of
  // pieces: 160, 192, 224 and 320 columns. 288 columns took 1.1 times as long
  // as 192 where both fill the rounds, 96 as long as 128.
  constexpr int64_t kPiece = 64, kSmallPiece = 32;
  auto choose = [&](auto &&self, size_t dim) -> void {
    if (dim == p.dims.size())
      return add();
    const TilingDim &described = p.dims[dim];
    if (described.role == TilingRole::Part) {
      for (int64_t parts : partsOf(p, blocks, described.most, line)) {
        blocks[dim] = parts;
        self(self, dim + 1);
      }
      return;
    }
    int64_t most = described.role == TilingRole::Row ? kMost[0]
                   : described.role == TilingRole::Column
                       ? kMost[1]
                       : mostDepth(*machine, p, blocks);
    if (!ShapedType::isDynamic(described.size))
      most = std::min<int64_t>(
          most,
          std::max<int64_t>(llvm::PowerOf2Ceil(described.size), granule[dim]));
    if (!ShapedType::isDynamic(described.most))
      most = std::min<int64_t>(most, llvm::bit_floor<uint64_t>(described.most));
    int64_t least =
        std::min(most, std::max<int64_t>({granule[dim], 8, described.least}));
    for (int64_t block = most; block >= least; block /= 2) {
      blocks[dim] = block;
      self(self, dim + 1);
      if (!described.takesPieces || described.size <= block)
        continue;
      for (int64_t more : {kSmallPiece, kPiece, kPiece + kSmallPiece}) {
        if (block <= kPiece || (more != kPiece && block > 2 * kPiece))
          continue;
        blocks[dim] = block + more;
        self(self, dim + 1);
      }
    }
  };
  choose(choose, 0);
  SmallVector<Tiling> result;
  for (auto &[cost, tiling] : byCost)
    if (result.size() < kCandidates)
      result.push_back(std::move(tiling));
  return result;
}
