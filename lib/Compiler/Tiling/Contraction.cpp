//===- Contraction.cpp - Block sizes of products --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DescribedModel.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

/// The dimension with a role, or -1.
static int dimOf(const TilingProblem &p, TilingRole role) {
  for (auto [i, dim] : llvm::enumerate(p.dims))
    if (dim.role == role)
      return i;
  return -1;
}

static int64_t known(int64_t size, int64_t otherwise) {
  return ShapedType::isDynamic(size) ? otherwise : size;
}

double DescribedModel::costOf(const TilingProblem &p,
                              ArrayRef<int64_t> blocks) const {
  // What is not known is taken to be large.
  constexpr int64_t kLarge = 1024;
  double instances = p.instances, steps = 1, bytes = 0;
  for (auto [dim, block] : llvm::zip(p.dims, blocks)) {
    double count = dim.role == TilingRole::Part
                       ? block
                       : llvm::divideCeil(known(dim.size, kLarge), block);
    (dim.role == TilingRole::Depth ? steps : instances) *= count;
  }
  for (const TilingTile &tile : p.tiles) {
    double size = double(tile.bits) / 8;
    bool isStepped = false;
    for (unsigned dim : tile.dims) {
      size *= blocks[dim];
      isStepped |= p.dims[dim].role == TilingRole::Depth;
    }
    bytes += size * (isStepped ? steps : 1);
  }
  // Starting an instance and a step costs about as much as moving this much.
  constexpr double kInstance = 4096, kStep = 512;
  double cost = instances * (bytes + kInstance + kStep * steps);
  // Cores without an instance wait for the others.
  double rounds = std::ceil(instances / double(cores));
  return cost * (rounds * double(cores) / instances);
}

/// What few rows leave room for, where tiles come from caches: columns so wide
/// that rows of the right factor are read in long pieces, or, where it lies
/// along the depth, long pieces of a few columns.
ContractionTile DescribedModel::sizesFor(const TilingProblem &p,
                                         ContractionTile wanted) const {
  constexpr int64_t kSums = 1 << 14, kLongest = 1 << 12, kFewest = 16,
                    kPiece = 64;
  int row = dimOf(p, TilingRole::Row), column = dimOf(p, TilingRole::Column),
      depth = dimOf(p, TilingRole::Depth);
  if (!packs || row < 0 || column < 0 || depth < 0)
    return wanted;
  const TilingDim &rows = p.dims[row];
  int64_t few = ShapedType::isDynamic(rows.size) ? rows.most : rows.size;
  for (const TilingTile &tile : p.tiles) {
    if (tile.along < 0 || !llvm::is_contained(tile.dims, unsigned(column)) ||
        !llvm::is_contained(tile.dims, unsigned(depth)) ||
        ShapedType::isDynamic(few))
      continue;
    if (tile.along == depth) {
      int64_t deep = std::max<int64_t>(known(p.dims[depth].size, kLongest), 1),
              pieces = llvm::divideCeil(deep, kLongest),
              piece = llvm::alignTo(llvm::divideCeil(deep, pieces), kPiece);
      // Short columns are more, or instances would do next to nothing.
      int64_t across = llvm::alignDown(kFewest * kLongest / piece, kFewest);
      return {wanted.m, std::min(across, wanted.n), piece};
    }
    wanted.n = std::max(wanted.n,
                        std::min(kSums / std::max<int64_t>(few, 1), kLongest));
  }
  return wanted;
}

/// Whether a problem is one matmul: it has one tile along its depth and its
/// columns. Attention has two, keys and values.
static bool isMatmul(const TilingProblem &p) {
  int column = dimOf(p, TilingRole::Column),
      depth = dimOf(p, TilingRole::Depth);
  return llvm::count_if(p.tiles, [&](const TilingTile &tile) {
           return llvm::is_contained(tile.dims, unsigned(column)) &&
                  llvm::is_contained(tile.dims, unsigned(depth));
         }) == 1;
}

/// Rows of blocks where each instance packs the right factor for itself: more
/// of them beside few columns, and no short block at the end, for which all of
/// it would be packed, too. Rows of blocks that are whole are read where they
/// lie.
static int64_t evenRows(const TilingProblem &p, int64_t rows,
                        ContractionTile wanted) {
  constexpr int64_t kMostTimes = 4;
  int64_t columns = p.dims[dimOf(p, TilingRole::Column)].size;
  int64_t most = wanted.m;
  if (!ShapedType::isDynamic(columns))
    most *= std::clamp<int64_t>(wanted.n / std::max<int64_t>(columns, 1), 1,
                                kMostTimes);
  if (rows <= most)
    return most;
  int64_t parts = llvm::divideCeil(rows, most);
  // A fourth more blocks at most, each of which packs. Among many blocks a
  // short one at the end is little.
  constexpr int64_t kMostTried = 64;
  int64_t last = parts + std::min(parts / 4, kMostTried);
  for (int64_t more = parts; more <= last; ++more)
    if (rows % more == 0)
      return rows / more;
  return llvm::divideCeil(rows, parts);
}

Tiling DescribedModel::contraction(const TilingProblem &p,
                                   ContractionTile wanted, bool spreads) const {
  Tiling tiling;
  SmallVector<int64_t> granule = granules(p);
  int row = dimOf(p, TilingRole::Row), column = dimOf(p, TilingRole::Column);
  wanted = sizesFor(p, wanted);
  if (packs && row >= 0 && column >= 0 && isMatmul(p) &&
      !ShapedType::isDynamic(p.dims[row].size))
    wanted.m = evenRows(p, p.dims[row].size, wanted);
  for (auto [i, dim] : llvm::enumerate(p.dims)) {
    int64_t cap = dim.role == TilingRole::Row      ? wanted.m
                  : dim.role == TilingRole::Column ? wanted.n
                  : dim.role == TilingRole::Depth  ? wanted.k
                                                   : 1;
    if (!ShapedType::isDynamic(dim.most))
      cap = std::min(cap, dim.most);
    int64_t unit = granule[i];
    cap = std::max<int64_t>(llvm::alignDown(std::max<int64_t>(cap, 1), unit),
                            unit);
    if (!ShapedType::isDynamic(dim.most) && dim.most < unit)
      cap = unit = dim.most;
    // Edges are padded to what the instruction takes.
    tiling.blocks.push_back(std::min<int64_t>(
        cap, llvm::alignTo(std::max<int64_t>(known(dim.size, cap), 1), unit)));
  }
  if (spreads && p.work > 0 && row >= 0 && column >= 0) {
    // Two lines of memory across, what hides the latency of sums down.
    constexpr int64_t kLines = 128, kRows = 8;
    int64_t bits = p.acc ? p.acc.getIntOrFloatBitWidth() : 32;
    int64_t down = llvm::alignTo(kRows, granule[row]);
    int64_t across =
        llvm::alignTo(kLines * 8 / std::max<int64_t>(bits, 8), granule[column]);
    // Rows of a square: what each instance repeats for itself is then the right
    // operand, which takes less to rearrange.
    bool isWide = known(p.dims[column].size, tiling.blocks[column]) >
                  known(p.dims[row].size, tiling.blocks[row]);
    if (isWide)
      spread(p, tiling.blocks, {column, row}, {across, down}, p.instances);
    else
      spread(p, tiling.blocks, {row, column}, {down, across}, p.instances);
  }
  shrink(p, tiling.blocks);
  tiling.cost = costOf(p, tiling.blocks);
  return tiling;
}

SmallVector<Tiling> DescribedModel::contractions(const TilingProblem &p) const {
  SmallVector<Tiling> result;
  std::set<std::vector<int64_t>> seen;
  auto add = [&](ContractionTile sizes, bool spreads) {
    Tiling tiling = contraction(p, sizes, spreads);
    if (seen.emplace(tiling.blocks.begin(), tiling.blocks.end()).second)
      result.push_back(std::move(tiling));
  };
  ContractionTile wanted = sizes.contractionFor(p.lhs);
  bool isPreferred = llvm::any_of(sizes.contraction, [&](const auto &entry) {
    return !entry.first || entry.first == p.lhs ||
           (isa<FloatTF32Type>(p.lhs) && entry.first.isF32());
  });
  if (!isPreferred && capacity > 0) {
    // What moves fewest bytes of what fits.
    double least = 0;
    for (int64_t m = 16; m <= 512; m *= 2)
      for (int64_t n = 16; n <= 512; n *= 2)
        for (int64_t k = 16; k <= 256; k *= 2) {
          Tiling tiling = contraction(p, {m, n, k}, true);
          if (least == 0 || tiling.cost < least) {
            least = tiling.cost;
            wanted = {m, n, k};
          }
        }
  }
  add(wanted, true);
  // Its neighbours, the cheaper ones first.
  std::vector<Tiling> others;
  for (auto [m, n, k] : {std::tuple(1, 0, 0),
                         {0, 1, 0},
                         {0, 0, 1},
                         {-1, 0, 0},
                         {0, -1, 0},
                         {0, 0, -1},
                         {1, -1, 0},
                         {-1, 1, 0},
                         {-1, -1, 1}}) {
    auto scaled = [](int64_t size, int by) {
      return by > 0 ? size * 2 : by < 0 ? std::max<int64_t>(size / 2, 1) : size;
    };
    Tiling tiling = contraction(
        p, {scaled(wanted.m, m), scaled(wanted.n, n), scaled(wanted.k, k)},
        true);
    if (seen.emplace(tiling.blocks.begin(), tiling.blocks.end()).second)
      others.push_back(std::move(tiling));
  }
  std::multimap<double, Tiling> byCost;
  for (Tiling &tiling : others)
    byCost.emplace(tiling.cost, std::move(tiling));
  for (auto &[cost, tiling] : byCost)
    result.push_back(std::move(tiling));
  return result;
}
