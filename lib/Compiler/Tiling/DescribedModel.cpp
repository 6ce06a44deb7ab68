//===- DescribedModel.cpp - Block sizes from a description ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preferences first (the description's `tiles`), then what must hold: granules
// of matrix instructions, limits, memories that programs fill themselves; then
// a share for every core.
//
//===----------------------------------------------------------------------===//

#include "DescribedModel.h"
#include "Lines.h"
#include "kiln/Staging/PanelBoxes.h"
#include "kiln/Target/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

/// min(size, cap), or cap where the size is not known.
static int64_t blockFor(const TilingDim &dim, int64_t cap) {
  cap = std::max<int64_t>(cap, 1);
  if (!ShapedType::isDynamic(dim.most))
    cap = std::min(cap, dim.most);
  return ShapedType::isDynamic(dim.size)
             ? cap
             : std::clamp<int64_t>(dim.size, 1, cap);
}

DescribedModel::DescribedModel(TargetAttr description,
                               const TargetOptions &options, TileSizes sizes,
                               bool packs)
    : description(description), sizes(std::move(sizes)), packs(packs) {
  retiles = options.getBool("retile", true);
  if (!description)
    return;
  cores = std::clamp<int64_t>(
      options.getInt("threads", target::countCores(description)), 1, 1024);
  mostElements = description.getLimit("max_tile_elements", 0);
  for (MemoryAttr memory : description.getMemories())
    if (memory.getKind() == MemoryKind::Explicit && memory.getSize() > 0 &&
        memory.getScope() <= MemoryScope::Cluster) {
      capacity = memory.getSize();
      break;
    }
  if (description.getUnitOfKind(UnitKind::DMA))
    copiesAhead = true;
}

SmallVector<int64_t> DescribedModel::granules(const TilingProblem &p) const {
  SmallVector<int64_t> result(p.dims.size(), 1);
  MatrixInstructionAttr row = instructionFor(p);
  if (!row)
    return result;
  // Any multiple of the smallest size can be put together.
  for (auto [i, dim] : llvm::enumerate(p.dims))
    if (dim.role != TilingRole::Part)
      result[i] = (dim.role == TilingRole::Row      ? row.getM()
                   : dim.role == TilingRole::Column ? row.getN()
                                                    : row.getK())
                      .getMin();
  return result;
}

MatrixInstructionAttr DescribedModel::instructionFor(const TilingProblem &p,
                                                     bool fromMemory) const {
  if (!description || packs || p.kind != TilingProblem::Kind::Contraction)
    return {};
  auto takes = [](OperandAttr operand, Type type) {
    return llvm::any_of(operand.getTypes(), [&](Type taken) {
      // A problem does not say which sign its integers have, so one of either
      // sign sets the sizes. What reads all bits may read fewer.
      return taken == type ||
             (type.isInteger() &&
              taken.isInteger(type.getIntOrFloatBitWidth())) ||
             (isa<FloatTF32Type>(type) && taken.isF32());
    });
  };
  for (MatrixInstructionAttr row : description.getMatrixInstructions()) {
    // What works on vectors takes any part of one.
    ExecutionUnitAttr unit;
    for (ExecutionUnitAttr candidate : description.getUnits())
      if (candidate.getName() == row.getUnit())
        unit = candidate;
    // Some read the right operand alone from there.
    auto isRead = [&](OperandAttr operand) {
      MemoryAttr home = description.getMemory(operand.getHome());
      return home && home.getKind() == MemoryKind::Explicit;
    };
    bool isInMemory = isRead(row.getLhs()) || isRead(row.getRhs());
    if (inRegisters && isInMemory != fromMemory)
      continue;
    if (unit && unit.getKind() == UnitKind::Matrix &&
        takes(row.getLhs(), p.lhs) && takes(row.getRhs(), p.rhs) &&
        takes(row.getAcc(), p.acc))
      return row;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// What must hold
//===----------------------------------------------------------------------===//

int64_t DescribedModel::bytesOf(const TilingProblem &p,
                                ArrayRef<int64_t> blocks) const {
  int64_t bytes = 0;
  for (const TilingTile &tile : p.tiles) {
    int64_t elements = 1;
    bool isStepped = false;
    for (unsigned dim : tile.dims) {
      elements *= blocks[dim];
      isStepped |= p.dims[dim].role == TilingRole::Depth &&
                   (ShapedType::isDynamic(p.dims[dim].size) ||
                    p.dims[dim].size > blocks[dim]);
    }
    // Of a product that is in registers only the factors are elsewhere.
    if (inRegisters && !isStepped)
      continue;
    bytes += llvm::divideCeil(elements * tile.bits, 8) *
             (isStepped && copiesAhead ? 2 : 1);
  }
  return bytes;
}

/// How many boxes fill a factor of a product in a scratchpad; 1 where it does
/// not lie in panels.
static int64_t panelBoxesOf(const TilingProblem &p, const TilingTile &tile,
                            ArrayRef<int64_t> blocks, MatrixInstructionAttr row,
                            TargetAttr description) {
  int64_t rows = 1, columns = 1, steps = 0;
  for (unsigned dim : tile.dims) {
    TilingRole role = p.dims[dim].role;
    if (role == TilingRole::Depth)
      steps = std::max<int64_t>(steps, 1) * blocks[dim];
    else
      (role == TilingRole::Row ? rows : columns) *= blocks[dim];
  }
  bool isRhs = llvm::any_of(tile.dims, [&](unsigned dim) {
    return p.dims[dim].role == TilingRole::Column;
  });
  OperandAttr operand = isRhs ? row.getRhs() : row.getLhs();
  auto panels = dyn_cast_or_null<InterleaveAttr>(operand.getLayout());
  MemoryAttr home = description.getMemory(operand.getHome());
  if (!steps || !panels || !home || home.getKind() != MemoryKind::Explicit)
    return 1;
  return isRhs ? rows * staging::countPanelBoxes(columns, row.getN().getMin(),
                                                 steps, panels.getGroup())
               : columns * staging::countPanelBoxes(rows, row.getM().getMin(),
                                                    steps, panels.getGroup());
}

const TilingTile *DescribedModel::tooLarge(const TilingProblem &p,
                                           ArrayRef<int64_t> blocks) const {
  for (const TilingTile &tile : p.tiles) {
    int64_t elements = 1;
    for (unsigned dim : tile.dims)
      elements *= blocks[dim];
    if (mostElements > 0 && elements > mostElements)
      return &tile;
  }
  if (MatrixInstructionAttr row = instructionFor(p)) {
    // Where the smallest blocks have more, there is nothing to gain.
    SmallVector<int64_t> smallest = granules(p);
    for (const TilingTile &tile : p.tiles)
      if (panelBoxesOf(p, tile, blocks, row, description) >
              staging::kMostPanelBoxes &&
          panelBoxesOf(p, tile, smallest, row, description) <=
              staging::kMostPanelBoxes)
        return &tile;
  }
  return nullptr;
}

bool DescribedModel::fits(const TilingProblem &p,
                          ArrayRef<int64_t> blocks) const {
  using Kind = TilingProblem::Kind;
  bool isFree = capacity <= 0 || (inRegisters && p.kind != Kind::Contraction);
  return !tooLarge(p, blocks) && (isFree || bytesOf(p, blocks) <= capacity);
}

void DescribedModel::shrink(const TilingProblem &p,
                            SmallVectorImpl<int64_t> &blocks) const {
  SmallVector<int64_t> granule = granules(p);
  while (!fits(p, blocks)) {
    const TilingTile *tile = tooLarge(p, blocks);
    // The longest dimension that can give; what is summed over gives first, as
    // that costs least.
    int best = -1;
    auto rank = [&](int dim) {
      bool isDepth = p.dims[dim].role == TilingRole::Depth &&
                     p.kind == TilingProblem::Kind::Contraction;
      return std::pair(isDepth && blocks[dim] >= 64, blocks[dim]);
    };
    for (int dim = 0, e = p.dims.size(); dim < e; ++dim)
      if (blocks[dim] > granule[dim] &&
          (!tile || llvm::is_contained(tile->dims, dim)) &&
          (best < 0 || rank(dim) > rank(best)))
        best = dim;
    if (best < 0)
      return;
    blocks[best] = std::max<int64_t>(
        llvm::alignDown(llvm::divideCeil(blocks[best], 2), granule[best]),
        granule[best]);
  }
}

//===----------------------------------------------------------------------===//
// A share for every core
//===----------------------------------------------------------------------===//

void DescribedModel::spread(const TilingProblem &p,
                            SmallVectorImpl<int64_t> &blocks,
                            ArrayRef<int> order, ArrayRef<int64_t> grain,
                            int64_t instances) const {
  // Starting an instance elsewhere costs about as much as this many steps.
  constexpr double kLeast = 1 << 21;
  int64_t wanted = std::min<double>(cores, p.work / kLeast);
  if (wanted <= 1)
    return;
  auto count = [&](int dim) {
    return llvm::divideCeil(p.dims[dim].size, blocks[dim]);
  };
  for (int dim : order)
    if (!ShapedType::isDynamic(p.dims[dim].size))
      instances *= count(dim);
  for (auto [dim, step] : llvm::zip(order, grain)) {
    // Many instances are even enough, whatever their number.
    if (instances >= 4 * wanted || instances % wanted == 0)
      return;
    int64_t size = p.dims[dim].size;
    if (ShapedType::isDynamic(size) || blocks[dim] <= step || instances == 0)
      continue;
    int64_t now = count(dim), others = instances / now;
    int64_t goal = llvm::divideCeil(wanted, others);
    while (goal < now || (others * goal) % wanted)
      ++goal;
    int64_t block = llvm::alignTo(llvm::divideCeil(size, goal), step);
    if (block >= blocks[dim])
      continue;
    blocks[dim] = block;
    instances = others * count(dim);
  }
}

//===----------------------------------------------------------------------===//
// Kinds of problems
//===----------------------------------------------------------------------===//

/// Blocks grow from the innermost dimension until a tile is full.
Tiling DescribedModel::elementwise(const TilingProblem &p) const {
  Tiling tiling;
  tiling.blocks.assign(p.dims.size(), 1);
  int64_t budget = sizes.elementwiseRows * sizes.elementwiseCols;
  SmallVector<int> lines = linesAcross(p);
  if (!lines.empty()) {
    // Lines of memory are used as wholes where they are read and where they are
    // written.
    lines.push_back(p.dims.size() - 1);
    int64_t side = llvm::bit_floor(uint64_t(
        std::max(std::pow(double(budget), 1.0 / double(lines.size())), 1.0)));
    for (int dim : lines) {
      tiling.blocks[dim] = blockFor(p.dims[dim], side);
      budget /= tiling.blocks[dim];
    }
  }
  bool isFirst = lines.empty();
  for (size_t i = p.dims.size(); i-- > 0;) {
    int64_t cap = isFirst && i > 0 ? sizes.elementwiseCols : budget;
    int64_t before = tiling.blocks[i];
    tiling.blocks[i] = blockFor(p.dims[i], std::min(cap, budget) * before);
    budget = budget * before / tiling.blocks[i];
    isFirst &= tiling.blocks[i] == 1;
  }
  shrink(p, tiling.blocks);
  return tiling;
}

/// A piece of a long row: equal pieces, in multiples of 64.
static int64_t pieceOf(int64_t size, int64_t cap) {
  if (ShapedType::isDynamic(size))
    return std::min<int64_t>(cap, 2048);
  int64_t piece = llvm::divideCeil(size, llvm::divideCeil(size, cap));
  return std::min<int64_t>(llvm::alignTo(piece, 64), cap);
}

/// Whole rows where they are short enough, several of them where they are very
/// short; columns as wide as an elementwise tile.
Tiling DescribedModel::reduction(const TilingProblem &p) const {
  Tiling tiling;
  tiling.blocks.assign(p.dims.size(), 1);
  int64_t limit = sizes.reductionElements, width = 1;
  SmallVector<int> order;
  SmallVector<int64_t> grain;
  bool isAlong = llvm::none_of(p.dims, [](const TilingDim &dim) {
    return dim.role == TilingRole::Column;
  });
  int64_t instances = p.instances;
  for (auto [i, dim] : llvm::enumerate(p.dims)) {
    // Beside columns, what is reduced goes by single rows.
    if (dim.role == TilingRole::Row || dim.role == TilingRole::Part ||
        (dim.role == TilingRole::Depth && !isAlong))
      continue;
    if (!isAlong)
      tiling.blocks[i] = blockFor(dim, sizes.elementwiseCols);
    else if (!ShapedType::isDynamic(dim.size) && dim.size <= limit)
      tiling.blocks[i] = blockFor(dim, limit);
    else
      tiling.blocks[i] = pieceOf(dim.size, limit);
    width = tiling.blocks[i];
  }
  int64_t budget =
      std::max<int64_t>(sizes.elementwiseRows * sizes.elementwiseCols, width);
  for (auto [i, dim] : llvm::enumerate(p.dims)) {
    if (dim.role == TilingRole::Row && isAlong)
      tiling.blocks[i] =
          blockFor(dim, std::max(sizes.reductionRows, budget / width));
    if (dim.role == TilingRole::Part)
      continue;
    if (dim.role != TilingRole::Depth && tiling.blocks[i] > 1) {
      order.push_back(i);
      // Lines of memory are written by one core.
      grain.push_back(dim.role == TilingRole::Column ? 64 : 1);
    } else if (dim.role != TilingRole::Depth &&
               !ShapedType::isDynamic(dim.size)) {
      instances *= dim.size;
    }
  }
  spread(p, tiling.blocks, order, grain, instances);
  shrink(p, tiling.blocks);
  return tiling;
}

SmallVector<Tiling> DescribedModel::candidates(const TilingProblem &p) const {
  SmallVector<Tiling> result;
  switch (p.kind) {
  case TilingProblem::Kind::Elementwise:
    result.push_back(elementwise(p));
    break;
  case TilingProblem::Kind::Reduction:
    result.push_back(reduction(p));
    break;
  case TilingProblem::Kind::Contraction:
    return contractions(p);
  }
  return result;
}

bool DescribedModel::allows(const TilingProblem &p,
                            ArrayRef<int64_t> blocks) const {
  for (auto [block, granule] : llvm::zip(blocks, granules(p)))
    if (block % granule)
      return false;
  return fits(p, blocks);
}

bool DescribedModel::changesKernels() const {
  return retiles && description &&
         (!sizes.contraction.empty() ||
          !description.getMatrixInstructions().empty() || capacity > 0 ||
          mostElements > 0);
}
