//===- ContractionBlocks.cpp - The blocks of a product --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of the blocks of rows, columns and depth, in how many parts
// instances share out the depth, and which of them copy blocks for each other.
//
//===----------------------------------------------------------------------===//

#include "AlignRows.h"
#include "ContractBuilder.h"
#include "FewRows.h"
#include "PartSums.h"
#include "WindowInput.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Target/Clusters.h"
#include "kiln/Target/Limits.h"
#include "kiln/Tiling/Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

bool ContractBuilder::canSplit() const {
  const tiling::Chooser &tiling = group.ctx.tiling;
  return (tiling.model().sharesTiles() || tiling.forcesParts()) &&
         !isSingleRow && along != tileK && hasDot() &&
         llvm::all_of(kernel.dims,
                      [](const KernelDim &dim) { return dim.size.isStatic(); });
}

/// Whether what is chosen for a problem, or what the model would choose, has
/// several instances for the last dimension.
static bool hasParts(tiling::Chooser &tiling, const TilingProblem &problem) {
  return tiling.choose(problem).blocks.back() > 1 ||
         tiling.model().candidates(problem).front().blocks.back() > 1;
}

/// Says which factors lie along the sum, and which along what they keep.
void ContractBuilder::findRows(TilingProblem &problem) {
  constexpr unsigned kDepth = 2;
  for (unsigned side : {0, 1}) {
    FailureOr<Buffer> memory = memoryOf(group, factor(side));
    if (failed(memory))
      continue;
    const AccessMap &map = anchor.operandMaps[operandOf[side]];
    for (TilingTile &tile : problem.tiles)
      if (ArrayRef<unsigned>(tile.dims) == ArrayRef<unsigned>{side, kDepth})
        for (auto [dim, at] :
             {std::pair(tileK, kDepth), std::pair(side ? tileN : tileM, side)})
          if (group.strideOf(*memory, map, dim).is(1))
            tile.along = at;
  }
}

void ContractBuilder::chooseBlocks() {
  SmallVector<std::pair<int, TilingRole>> tiled = {{tileM, TilingRole::Row},
                                                   {tileN, TilingRole::Column},
                                                   {tileK, TilingRole::Depth}};
  TilingProblem problem =
      group.problemFor(kernel, TilingProblem::Kind::Contraction, tiled);
  auto element = [](Value value) { return getElementTypeOrSelf(value); };
  problem.lhs = multipliedType(element(factor(0)), dot.getPrecision());
  problem.rhs = multipliedType(element(factor(1)), dot.getPrecision());
  problem.acc = accumulator();
  // What is stored may be the sum itself.
  if (group.root != dot.getResult() || element(group.root) != problem.acc)
    problem.tiles.push_back({{0, 1}, problem.acc.getIntOrFloatBitWidth()});
  if (isSingleRow)
    problem.dims[0].size = 1;
  // Threads multiply a row as fast exactly.
  if (hasDot() && (dot.getPrecision() != prim::Precision::tf32 ||
                   group.ctx.tiling.model().sharesTiles()))
    along = alongFactor(group, kernel, isSingleRow ? Extent(1) : rows(), tileN,
                        tileK);
  if (group.ctx.tiling.model().readsAlongSum(problem))
    findRows(problem);
  else if (takesPieces() && liesAlongColumns())
    for (TilingTile &tile : problem.tiles)
      if (ArrayRef<unsigned>(tile.dims) == ArrayRef<unsigned>{1, 2})
        tile.along = 1;
  for (TilingTile &tile : problem.tiles)
    if (along >= 0 && ArrayRef<unsigned>(tile.dims) == ArrayRef<unsigned>{1, 2})
      tile.along = along == tileN ? 1 : 2;
  if (!hasDot())
    problem.dims[2].most = 1;
  problem.dims[1].takesPieces = takesPieces();
  // Every instance reads a whole operand again along what it does not split.
  auto known = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : 1;
  };
  // What is not known has one block.
  double rows = known(tileM), columns = known(tileN), depth = known(tileK);
  Tiling blocks = group.ctx.tiling.model().candidates(problem).front();
  auto orBlock = [&](double size, int dim, int i) {
    return kernel.dims[dim].size.isStatic() ? size : double(blocks.blocks[i]);
  };
  rows = orBlock(rows, tileM, 0);
  columns = orBlock(columns, tileN, 1);
  depth = orBlock(depth, tileK, 2);
  // What has few rows waits for memory.
  problem.work =
      std::max(rows * columns * depth, 8 * (rows * depth + depth * columns));
  for (SmallVector<int> *list : {&dims.batch, &dims.m, &dims.n})
    for (int dim : *list) {
      problem.instances *= known(dim);
      problem.work *= known(dim);
    }
  for (int dim : dims.k)
    problem.work *= known(dim);
  if (canSplit()) {
    // What the second kernel adds up in one tile.
    constexpr int64_t kMostParts = 64;
    problem.dims.push_back(
        {TilingRole::Part, ShapedType::kDynamic, kMostParts});
    int64_t most = problem.dims[0].most;
    if (singleRow >= 0)
      problem.dims[0].most = ShapedType::kDynamic;
    if (hasParts(group.ctx.tiling, problem)) {
      tiled.push_back({-1, TilingRole::Part});
    } else {
      problem.dims.pop_back();
      problem.dims[0].most = most;
    }
  }
  SmallVector<int64_t> chosen = group.chooseBlocks(kernel, problem, tiled);
  if (tiled.back().second == TilingRole::Part)
    parts = chosen.back();
}

bool ContractBuilder::takesPieces() const {
  return group.ctx.tiling.model().sharesTiles() && hasDot() && along < 0 &&
         kernel.dims[tileN].size.isStatic();
}

bool ContractBuilder::liesAlongColumns() const {
  FailureOr<Buffer> memory = memoryOf(group, factor(1));
  return succeeded(memory) &&
         group.strideOf(*memory, anchor.operandMaps[operandOf[1]], tileN).is(1);
}

std::array<int, 2> ContractBuilder::gridOrder() const {
  // Instances that share rows of the left operand follow each other. Where few
  // blocks cover all rows, those that share columns of the right operand do:
  // it is larger, and comes out of memory once where they read it at the same
  // time. 256 rows by 4096 x 4096 took 0.83 of the time, 160 rows 0.7.
  constexpr int64_t kFewBlocks = 4;
  if (paired >= 0)
    return {paired, paired == tileM ? tileN : tileM};
  Extent rows = kernel.dims[tileM].size, columns = kernel.dims[tileN].size;
  if (group.ctx.tiling.model().sharesTiles() && rows.isStatic() &&
      columns.isStatic() && rows.get() < columns.get() &&
      kernel.numBlocks(tileM).get() <= kFewBlocks)
    return {tileM, tileN};
  return {tileN, tileM};
}

std::string ContractBuilder::whyNoBlocks() const {
  if (!group.ctx.tiling.model().sharesTiles())
    return "";
  for (int dim : {tileM, tileN, tileK}) {
    const KernelDim &one = kernel.dims[dim];
    if (llvm::isPowerOf2_64(one.block) || (dim == tileN && takesPieces()))
      continue;
    return ("threads share out blocks of powers of two, found a block of " +
            Twine(one.block))
        .str();
  }
  return "";
}

void ContractBuilder::split() {
  int64_t steps = parts > 1 ? kernel.numBlocks(tileK).get() : 1;
  // Neighbours in memory stay with one instance, and none has nothing to do.
  parts = tiling::partsOfSteps(steps, parts);
  if (parts <= 1) {
    if (singleRow >= 0)
      kernel.dims[tileM].block = 1;
    return;
  }
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[part].size = parts;
  isCluster = addInCluster(kernel, part, tileM, tileN, group.ctx.description);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

// Two instances in one column of blocks read the same columns of the right
// factor in each step of the sum; two in one row the same rows of the left one.
// As a cluster each copies half of them for both (simt-share-copies), so that a
// block comes out of the chip's cache once.

bool ContractBuilder::isWorthPairing() const {
  target::TargetAttr chip = group.ctx.description;
  target::PairGain gain = target::pairGainOf(chip);
  Extent depth = kernel.numBlocks(tileK);
  // Whether sums of parts gain was not measured.
  if (!gain.lines || !depth.isStatic() || !dims.k.empty() || part >= 0)
    return false;
  // Of halves: matmuls of bytes gained nothing.
  constexpr int64_t kBits = 16, kBytes = kBits / 8;
  int64_t line = target::transferBytes(chip), fetched = 0, products = 1;
  for (int dim : {tileM, tileN, tileK})
    products *= kernel.dims[dim].block;
  for (unsigned side : {0, 1}) {
    FailureOr<Buffer> memory = memoryOf(group, factor(side));
    if (failed(memory) ||
        memory->elementType().getIntOrFloatBitWidth() != kBits)
      return false;
    int64_t alignment = rowAlignment(*memory, kBytes, line);
    if (!alignment || alignment % line == 0)
      return false;
    const AccessMap &map = anchor.operandMaps[operandOf[side]];
    int64_t across = kernel.dims[side ? tileN : tileM].block,
            row = kernel.dims[tileK].block;
    if (!group.strideOf(*memory, map, tileK).is(1))
      std::swap(across, row);
    // Each piece of a row is fetched by itself, and reaches into another line
    // unless it begins at the start of one.
    int64_t piece = std::min(row * kBytes, line);
    fetched +=
        across * (row * kBytes / piece) * (piece + line - alignment) / line;
  }
  return fetched * depth.get() >= gain.lines &&
         products <= gain.products * fetched;
}

void ContractBuilder::pairInstances() {
  target::TargetAttr chip = group.ctx.description;
  bool isAsked = group.ctx.options.getBool("pair_copies", false),
       isChosen = group.ctx.options.get("pair_copies", "lines") == "lines";
  if ((!isAsked && !isChosen) || isCluster || along >= 0 || isSingleRow ||
      !hasDot() || !group.ctx.tiling.model().sharesTiles() ||
      target::countClusterInstances(chip) < target::kPair[0] ||
      (!isAsked && !isWorthPairing()))
    return;
  int64_t others = std::max<int64_t>(parts, 1);
  for (ArrayRef<int> list : {dims.batch, dims.m, dims.n})
    for (int dim : list) {
      Extent size = kernel.dims[dim].size;
      if (!size.isStatic() || llvm::MulOverflow(others, size.get(), others))
        return;
    }
  Extent rows = kernel.numBlocks(tileM), columns = kernel.numBlocks(tileN);
  if (!rows.isStatic() || !columns.isStatic())
    return;
  // What is copied less often the larger its blocks are.
  struct Way {
    int dim;
    int64_t blocks, across, saved;
  } ways[] = {{tileM, rows.get(), columns.get(), kernel.dims[tileN].block},
              {tileN, columns.get(), rows.get(), kernel.dims[tileM].block}};
  if (ways[1].saved > ways[0].saved)
    std::swap(ways[0], ways[1]);
  // More instances than cores are persistent, which clusters are not. Where few
  // blocks cover all rows, the instances that read a column follow each other.
  // Pairs that share rows took 2.7 to 5.6 times as long with blocks of 160, 192
  // and 224 columns, and gained with powers of two; why is not known.
  constexpr int64_t kFewPairs = 8;
  int64_t most = target::countCores(chip);
  bool canShareRows = llvm::isPowerOf2_64(kernel.dims[tileN].block);
  bool isByRows = gridOrder()[0] == tileM;
  for (bool isEven : {true, false})
    for (const Way &way : ways) {
      int64_t all = llvm::alignTo(way.blocks, target::kPair[0]);
      if (paired >= 0 || way.blocks < target::kPair[0] ||
          (way.dim != tileM && (isByRows || !canShareRows)) ||
          (isEven && all != way.blocks) ||
          (!isAsked && all != way.blocks && all < kFewPairs) || others > most ||
          all > most / others / way.across)
        continue;
      paired = way.dim;
    }
}

void ContractBuilder::finish(Extent flops) {
  if (paired >= 0)
    tile::ClusterBarrierOp::create(kernel.b, kernel.loc, target::kPair);
  launch = kernel.finish("generic.contraction", flops);
  if (paired < 0)
    return;
  // The instance that is too many has a block behind the last one, of which
  // nothing is stored. With edges that begin earlier it computes the last block
  // once more, and stores the same.
  OpBuilder b(launch);
  Value count = arith::ConstantIndexOp::create(
      b, launch.getLoc(),
      llvm::alignTo(kernel.numBlocks(paired).get(), target::kPair[0]));
  launch.getGridMutable()[0].assign(count);
}
