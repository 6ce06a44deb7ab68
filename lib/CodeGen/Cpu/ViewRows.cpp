//===- ViewRows.cpp - Where rows of an operand lie in a view --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ViewRows.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

bool cpu::canReadApart(int64_t stride, int64_t elementBytes, int64_t granule) {
  constexpr int64_t kMostApart = 65536, kPage = 4096;
  return stride > granule && stride % granule == 0 && stride <= kMostApart &&
         stride * elementBytes % kPage != 0;
}

int64_t ViewRows::numSteps() const {
  int64_t count = 1;
  for (const Level &level : steps)
    count *= level.count;
  return count;
}

/// Splits levels so that the inner ones are those of `depth` elements; the
/// outer ones are dropped.
SmallVector<Level> ViewRows::levelsOf(int64_t depth) const {
  SmallVector<Level> found;
  for (const Level &level : llvm::reverse(steps)) {
    int64_t count = std::min(level.count, depth);
    if (level.count % count || depth % count)
      return {};
    found.insert(found.begin(), {count, level.stride});
    depth /= count;
    if (depth == 1)
      return found;
  }
  return {};
}

int64_t ViewRows::depthUpTo(int64_t most, int64_t granule) const {
  int64_t inner = 1, best = 0;
  for (const Level &level : llvm::reverse(steps)) {
    int64_t end = std::min(level.count, most / inner);
    for (int64_t count = 1; count <= end; ++count)
      if (level.count % count == 0 && inner * count % granule == 0)
        best = std::max(best, inner * count);
    if (level.count > end)
      break;
    inner *= level.count;
    if (inner % granule)
      break;
  }
  return best;
}

/// The levels of a loaded tile's dimensions; none if any is reached in another
/// way.
static SmallVector<Level> levelsOf(ViewAccessOpInterface load,
                                   tile::ViewType view) {
  ArrayRef<int64_t> shape = load.getAccessedType().getShape();
  SmallVector<Level> levels(shape.size(), {0, 0});
  for (auto [d, axis] : llvm::enumerate(load.getAxes())) {
    int64_t stride = view.getStaticStride(d);
    if (axis.isIndirect() || axis.step != 1)
      return {};
    if (axis.tileDim < 0)
      continue;
    Level &level = levels[size_t(axis.tileDim)];
    if (level.count || stride < 0 || ShapedType::isDynamic(stride))
      return {};
    level = {shape[size_t(axis.tileDim)], stride};
  }
  if (llvm::any_of(levels, [](const Level &level) { return !level.count; }))
    return {};
  return levels;
}

/// Takes levels of `count` elements from the inner end, those that follow each
/// other as one; false if a level is only a part of them.
static bool takeInner(SmallVector<Level> &levels, int64_t count,
                      SmallVector<Level> &taken) {
  while (count > 1) {
    if (levels.empty())
      return false;
    Level level = levels.pop_back_val();
    if (level.count == 1)
      continue;
    if (count % level.count)
      return false;
    count /= level.count;
    if (!taken.empty() &&
        level.stride == taken.front().stride * taken.front().count)
      taken.front().count *= level.count;
    else
      taken.insert(taken.begin(), level);
  }
  return true;
}

std::optional<ViewRows> cpu::findViewRows(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getRank() != 2)
    return std::nullopt;
  Operation *op = tile.getDefiningOp();
  while (op && isa<ReshapeOpInterface>(op) && op->hasOneUse())
    op = op->getOperand(0).getDefiningOp();
  auto load = dyn_cast_or_null<ViewAccessOpInterface>(op);
  if (!load || !load.isRead() || load.isVolatileAccess() ||
      load->getDialect() !=
          load->getContext()->getLoadedDialect<tile::TileDialect>())
    return std::nullopt;
  auto view = dyn_cast<tile::ViewType>(load.getAccessedView().getType());
  auto argument = dyn_cast<BlockArgument>(load.getAccessedView());
  auto kernel = load->getParentOfType<tile::Kernel>();
  if (!view || !argument || !kernel ||
      argument.getOwner()->getParentOp() != kernel ||
      !tile::getFact(kernel, argument.getArgNumber(), tile::kReadonlyFact) ||
      view.getElementType() != type.getElementType() ||
      load.getAccessedType().getElementType() != type.getElementType())
    return std::nullopt;
  SmallVector<Level> levels = levelsOf(load, view);
  ViewRows found{load, {}, {}};
  if (levels.empty() || !takeInner(levels, type.getDimSize(1), found.steps) ||
      !takeInner(levels, type.getDimSize(0), found.rows) ||
      found.rows.empty() || found.steps.empty() ||
      found.steps.back().stride != 1)
    return std::nullopt;
  return found;
}
