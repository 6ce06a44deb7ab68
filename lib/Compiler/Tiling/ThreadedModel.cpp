//===- ThreadedModel.cpp - Block sizes for cores of many threads ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadedModel.h"
#include "Lines.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

/// Elements of 32 bits of a thread that stay in registers at most.
static constexpr int64_t kOfLane = 32;
/// What is not known is taken to be long.
static constexpr int64_t kLong = 1 << 20;
/// Instances of so many groups of threads that run in step are usual.
static constexpr int64_t kUsualWarps = 4;

bool ThreadedModel::suits(TargetAttr description) {
  constexpr int64_t kMany = 64;
  return description && description.getTopology() &&
         description.getTopology().getThreads() >= kMany;
}

ThreadedModel::ThreadedModel(TargetAttr description,
                             const TargetOptions &options, TileSizes sizes,
                             bool packs)
    : DescribedModel(description, options, std::move(sizes), packs) {
  threads = description.getTopology().getThreads();
  inRegisters = true;
  if (int64_t lanes = description.getTopology().getLanes())
    usualThreads = kUsualWarps * lanes;
  if (int64_t most = description.getTopology().getThreadsPerBlock())
    longestRow = kOfLane * most;
  machine = ThreadMachine::of(description);
  stages = options.getInt("stages", stages);
  for (MemoryAttr memory : description.getMemories()) {
    if (memory.getKind() == MemoryKind::Cached && memory.getLine() > 0)
      line = memory.getLine();
    // The last one is the farthest.
    if (memory.getScope() == MemoryScope::Device &&
        llvm::isPowerOf2_64(memory.getAlign()))
      access = memory.getAlign();
  }
}

/// The least power of two that holds a dimension, `cap` at most.
static int64_t powerFor(const TilingDim &dim, int64_t cap) {
  if (!ShapedType::isDynamic(dim.most))
    cap = std::min(cap, dim.most);
  cap = llvm::bit_floor<uint64_t>(std::max<int64_t>(cap, 1));
  return ShapedType::isDynamic(dim.size)
             ? cap
             : std::min<int64_t>(
                   cap, llvm::PowerOf2Ceil(std::max<int64_t>(dim.size, 1)));
}

int kiln::tiling::findRole(const TilingProblem &p, TilingRole role) {
  for (auto [i, dim] : llvm::enumerate(p.dims))
    if (dim.role == role)
      return i;
  return -1;
}

static int64_t volume(ArrayRef<int64_t> blocks) {
  int64_t elements = 1;
  for (int64_t block : blocks)
    elements *= block;
  return elements;
}

int64_t ThreadedModel::widthOf(const TilingProblem &p, int dim,
                               int64_t lines) const {
  int64_t bits = 0;
  for (const TilingTile &tile : p.tiles)
    if (llvm::is_contained(tile.dims, unsigned(dim)) && tile.dims.size() > 1)
      bits = bits ? std::min(bits, tile.bits) : tile.bits;
  return std::max<int64_t>(lines * line * 8 / (bits ? bits : 32), 1);
}

int64_t ThreadedModel::countInstances(const TilingProblem &p,
                                      ArrayRef<int64_t> blocks) const {
  int64_t count = p.instances;
  for (auto [dim, block] : llvm::zip(p.dims, blocks)) {
    if (dim.role == TilingRole::Part)
      count *= block;
    else if (dim.role != TilingRole::Depth)
      count *= llvm::divideCeil(
          ShapedType::isDynamic(dim.size) ? kLong : dim.size, block);
  }
  return count;
}

void ThreadedModel::fillCores(const TilingProblem &p,
                              SmallVectorImpl<int64_t> &blocks,
                              ArrayRef<int> order, int64_t least) const {
  while (countInstances(p, blocks) < cores && volume(blocks) > least) {
    int longest = -1;
    for (int dim : order)
      if (blocks[dim] > 1 && (longest < 0 || blocks[dim] > blocks[longest]))
        longest = dim;
    if (longest < 0)
      return;
    blocks[longest] /= 2;
  }
}

double ThreadedModel::trafficOf(const TilingProblem &p,
                                ArrayRef<int64_t> blocks) const {
  double instances = countInstances(p, blocks), bytes = 0;
  for (const TilingTile &tile : p.tiles) {
    double size = double(tile.bits) / 8;
    for (unsigned dim : tile.dims)
      size *= p.dims[dim].role == TilingRole::Depth &&
                      !ShapedType::isDynamic(p.dims[dim].size)
                  ? p.dims[dim].size
                  : blocks[dim];
    bytes += size;
  }
  // Starting an instance costs about as much as moving this.
  constexpr double kInstance = 1024;
  double rounds = std::ceil(instances / double(cores));
  return rounds * double(cores) * (bytes + kInstance);
}

/// Elements along `dim` that an instance keeps between reductions, of `longest`
/// words: fewer of wide types, and where several tiles come from memory.
static int64_t longestOf(const TilingProblem &p, int dim, int64_t longest) {
  int64_t bits = 32, tiles = 0;
  for (const TilingTile &tile : ArrayRef(p.tiles).drop_back())
    if (llvm::is_contained(tile.dims, unsigned(dim))) {
      bits = std::max(bits, tile.bits);
      tiles += tile.dims.size() > 1;
    }
  return longest * 32 / bits / (tiles > 1 ? 2 : 1);
}

/// Blocks grow from the innermost dimension until a tile is full. Where tiles
/// lie along different dimensions, all of these have lines.
Tiling ThreadedModel::elementwise(const TilingProblem &p,
                                  int64_t budget) const {
  Tiling tiling;
  tiling.blocks.assign(p.dims.size(), 1);
  SmallVector<int64_t> &blocks = tiling.blocks;
  int last = p.dims.size() - 1;
  SmallVector<int> lines = linesAcross(p);
  SmallVector<int> order;
  if (!lines.empty()) {
    lines.push_back(last);
    // Several lines on both sides: eight bytes for each element of the budget.
    budget = budget * widthOf(p, last, 1) * 8 / line;
    for (int dim : lines) {
      blocks[dim] = powerFor(p.dims[dim], widthOf(p, dim, 1));
      budget /= blocks[dim];
    }
    budget = std::max<int64_t>(budget, 1);
  }
  for (int dim = last; dim >= 0 && budget > 1; --dim) {
    int64_t before = blocks[dim];
    blocks[dim] = powerFor(p.dims[dim], before * budget);
    budget = std::max<int64_t>(budget * before / blocks[dim], 1);
  }
  for (int dim = 0; dim <= last; ++dim)
    if (!llvm::is_contained(lines, dim))
      order.push_back(dim);
  // Every thread has an access of full width.
  constexpr int64_t kAccessBits = 128;
  int64_t bits = kAccessBits;
  for (const TilingTile &tile : p.tiles)
    bits = std::min(bits, std::max<int64_t>(tile.bits, 8));
  fillCores(p, blocks, order, usualThreads * kAccessBits / bits);
  shrink(p, blocks);
  tiling.cost = trafficOf(p, blocks);
  return tiling;
}

/// Whole rows where something of their length is written, else pieces; beside
/// columns, rows of what is reduced; and several instances for what takes long.
Tiling ThreadedModel::reduction(const TilingProblem &p, int64_t budget) const {
  Tiling tiling;
  tiling.blocks.assign(p.dims.size(), 1);
  SmallVector<int64_t> &blocks = tiling.blocks;
  int depth = findRole(p, TilingRole::Depth);
  int column = findRole(p, TilingRole::Column);
  int row = findRole(p, TilingRole::Row), part = findRole(p, TilingRole::Part);
  // The last tile is the result.
  bool isKept = depth >= 0 && !p.tiles.empty() &&
                llvm::is_contained(p.tiles.back().dims, unsigned(depth));
  int64_t longest = isKept ? longestOf(p, depth, longestRow) : longestRow;
  if (column >= 0) {
    blocks[column] = powerFor(p.dims[column], widthOf(p, column, 2));
    // Columns that stay in registers as a whole are read once, in half a line
    // at least. They take half of a core's threads: another instance loads
    // while one stores.
    for (int64_t width = blocks[column],
                 least = std::min(width, widthOf(p, column, 1) / 2);
         isKept && least > 0 && width >= least; width /= 2)
      if (!ShapedType::isDynamic(p.dims[depth].size) &&
          p.dims[depth].size <= longest / 2 / width) {
        blocks[column] = width;
        break;
      }
  }
  if (depth >= 0) {
    int64_t width = column < 0 ? 1 : blocks[column];
    // A row goes through all lanes; columns have fewer, so that more instances
    // fit.
    int64_t piece = column < 0 ? budget : budget / 2;
    int64_t whole = powerFor(p.dims[depth], longest / width);
    bool fits = !ShapedType::isDynamic(p.dims[depth].size) &&
                p.dims[depth].size <= whole;
    blocks[depth] = fits && isKept
                        ? whole
                        : std::min(whole, std::max<int64_t>(piece / width, 1));
  }
  if (row >= 0 && column < 0) {
    int64_t length = depth < 0 ? 1 : blocks[depth];
    int64_t count = budget / 2 / length;
    // Rows that one warp can hold are reduced without an exchange between
    // warps, where each has one.
    if (isKept && length * kUsualWarps <= kOfLane * usualThreads)
      count = std::max(count, kUsualWarps);
    blocks[row] = powerFor(p.dims[row], count);
  }
  SmallVector<int> order;
  for (int dim : {row, column})
    if (dim >= 0)
      order.push_back(dim);
  // Lines stay whole, and so do columns of what can be shared out otherwise.
  if (part < 0 || column < 0)
    fillCores(p, blocks, order, column < 0 ? 512 : volume(blocks) / 2);
  shrink(p, blocks);
  // Instances of what is left to share out.
  constexpr double kLeast = 1 << 18;
  double work = p.instances;
  for (const TilingDim &dim : p.dims)
    if (dim.role != TilingRole::Part)
      work *= ShapedType::isDynamic(dim.size) ? kLong : dim.size;
  int64_t wanted = cores * std::max<int64_t>(threads / usualThreads / 2, 1);
  if (part >= 0 && std::max(p.work, work) >= kLeast) {
    int64_t instances = countInstances(p, blocks);
    if (instances < wanted / 2)
      blocks[part] =
          powerFor(p.dims[part], llvm::divideCeil(wanted, instances));
  }
  tiling.cost = trafficOf(p, blocks);
  return tiling;
}

SmallVector<Tiling> ThreadedModel::candidates(const TilingProblem &p) const {
  if (p.kind == TilingProblem::Kind::Contraction) {
    SmallVector<Tiling> found;
    if (machine)
      found = products(p);
    return found.empty() ? contractions(p) : found;
  }
  int64_t budget = llvm::bit_floor<uint64_t>(
      std::max<int64_t>(sizes.elementwiseRows * sizes.elementwiseCols, 32));
  SmallVector<Tiling> result;
  for (int64_t size : {budget, budget * 2, budget / 2}) {
    Tiling tiling = p.kind == TilingProblem::Kind::Elementwise
                        ? elementwise(p, size)
                        : reduction(p, 2 * size);
    if (llvm::none_of(result, [&](const Tiling &other) {
          return other.blocks == tiling.blocks;
        }))
      result.push_back(std::move(tiling));
  }
  return result;
}
