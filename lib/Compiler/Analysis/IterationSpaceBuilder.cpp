//===- IterationSpaceBuilder.cpp - Dimensions and accesses ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IterationSpaceBuilder.h"
#include "Carried.h"
#include "kiln/Analysis/Raster.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

void IterationSpaceBuilder::run() {
  findGridDims();
  findLoops();
  linearizer = std::make_unique<Linearizer>(space.dims, *space.symbols);
  findAccesses();
  resolveClasses();
  checkReductions();
  checkUses();
  checkOrder();
  findExtents();
  for (IterationDim &dim : space.dims)
    if (dim.block == 0) { // moves through no view
      dim.block = 1;
      if (dim.pinned.empty())
        dim.pinned = "it moves through no view";
    }
}

void IterationSpaceBuilder::pin(unsigned dim, const Twine &reason) {
  std::string &pinned = space.dims[dim].pinned;
  if (pinned.empty())
    pinned = reason.str();
}

void IterationSpaceBuilder::pinAllIn(const index::Expr &form,
                                     const Twine &reason) {
  for (int dim : form.dims())
    pin(dim, reason);
}

void IterationSpaceBuilder::setUnstructured(Operation *op,
                                            const Twine &reason) {
  if (!space.reason.empty())
    return;
  space.reason = reason.str();
  if (auto loc = dyn_cast<FileLineColLoc>(op->getLoc()))
    space.reason += " (line " + std::to_string(loc.getLine()) + ")";
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

void IterationSpaceBuilder::findGridDims() {
  // Several tile.program_id may stand for one axis; the first one with uses
  // counts, others make the axis keep its blocks.
  DenseMap<int, unsigned> known;
  kernel.getBody().walk([&](ProgramIdOp op) {
    for (auto [axis, id] : llvm::enumerate(op.getIds())) {
      if (id.use_empty())
        continue;
      auto [it, inserted] = known.try_emplace(axis, space.dims.size());
      if (!inserted) {
        setUnstructured(op, "several tile.program_id read axis " + Twine(axis) +
                                " of the grid");
        continue;
      }
      IterationDim dim;
      dim.block = 0;
      dim.gridAxis = axis;
      if (std::optional<Raster> raster = matchRaster(id)) {
        dim.raster = true;
        rasterOperations.insert(raster->operations.begin(),
                                raster->operations.end());
        for (const RasterDigit &digit : raster->digits) {
          dim.index = digit.index;
          addDim(dim);
        }
        continue;
      }
      dim.index = id;
      addDim(dim);
    }
  });
  // Coordinates that follow from the number of the instance.
  kernel.getBody().walk([&](GridCoordinatesOp op) {
    bool isOwn = op.getNumber().getDefiningOp<InstanceIdOp>() != nullptr;
    for (auto [axis, id] : llvm::enumerate(op->getResults())) {
      if (id.use_empty())
        continue;
      if (!isOwn || !known.try_emplace(axis, space.dims.size()).second) {
        setUnstructured(op, "axis " + Twine(axis) +
                                " of the grid has several coordinates");
        continue;
      }
      IterationDim dim;
      dim.block = 0;
      dim.gridAxis = axis;
      dim.index = id;
      addDim(dim);
    }
  });
  kernel.getBody().walk([&](NumProgramsOp op) {
    for (auto [axis, count] : llvm::enumerate(op.getCounts()))
      for (auto [i, dim] : llvm::enumerate(space.dims))
        if (!count.use_empty() && dim.gridAxis == static_cast<int>(axis))
          pin(i, "the kernel uses the number of programs");
  });
}

void IterationSpaceBuilder::findLoops() {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::WhileOp>(op))
      setUnstructured(op, "scf.while has no known number of iterations");
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return;
    IterationDim dim;
    dim.block = 0;
    dim.loop = loop;
    dim.index = loop.getInductionVar();
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    dim.indexStep = step.value_or(0);
    if (!step || *step <= 0)
      dim.pinned = "the step of its loop is not a positive constant";
    else if (getConstantIntValue(loop.getLowerBound()) != 0)
      dim.pinned = "its loop does not start at 0";
    addDim(dim);
  });
  // What a loop carries, besides counters, makes it a reduction.
  Linearizer inductions(space.dims, *space.symbols);
  for (IterationDim &dim : space.dims)
    if (dim.isLoop())
      for (BlockArgument argument : dim.loop.getRegionIterArgs())
        if (!inductions.isInduction(argument))
          dim.kind = IterationDim::Reduction;
  for (IterationDim &dim : space.dims)
    if (dim.isLoop() && dim.pinned.empty())
      dim.pinned = whyBlocksMatter(dim.loop, inductions);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void IterationSpaceBuilder::findAccesses() {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    if (access && isa<ViewType>(access.getAccessedView().getType()))
      addAccess(access);
    else if (op->getNumRegions() == 0 && !isMemoryEffectFree(op))
      setUnstructured(op, "'" + op->getName().getStringRef() +
                              "' reaches memory without a view");
  });
}

/// The iteration dimension whose blocks tile the axis.
void IterationSpaceBuilder::chooseDim(AxisAccess &axis) {
  index::Integer distance = index::mul(axis.block, axis.step);
  if (!distance)
    return;
  for (int i : axis.offset.dims()) {
    int64_t step = space.dims[i].indexStep;
    if (step != 0 && index::mul(axis.offset.scale(i), step) == distance) {
      axis.dim = i;
      break;
    }
  }
  // Other dimensions shift the window: their step is part of the meaning.
  for (int i : axis.offset.dims())
    if (i != axis.dim)
      pin(i, "it moves a window by other than its block size");
}

/// Ties a dimension of a tile to what moves the axis of the view.
void IterationSpaceBuilder::tagTile(ViewAccess &access, TileRef tile,
                                    int64_t tileAxis, unsigned viewAxis) {
  AxisAccess &axis = access.axes[viewAxis];
  if (axis.dim >= 0) {
    IterationDim &dim = space.dims[axis.dim];
    if (dim.block == 0)
      dim.block = axis.block;
    else if (dim.block != axis.block)
      pin(axis.dim, "blocks of " + Twine(dim.block) + " and of " +
                        Twine(axis.block) + " move with it");
    if (tileAxis < 0)
      pin(axis.dim, "a tile has no dimension for it");
  }
  if (tileAxis >= 0)
    ties.push_back({tileDims.classOf(tile, tileAxis), axis.dim, axis.dim < 0});
}

/// The first element of an axis as a linear form, if it is one.
static std::optional<index::Expr> firstOf(const ViewAxis &axis,
                                          Linearizer &linearizer) {
  std::optional<index::Expr> form;
  if (std::optional<int64_t> number = getConstantIntValue(axis.offset))
    form = index::Expr(*number);
  else
    form = linearizer.get(cast<Value>(axis.offset));
  if (form && axis.countsBlocks)
    form = *form * axis.block;
  if (form && !form->isKnown())
    return std::nullopt;
  return form;
}

void IterationSpaceBuilder::addAccess(ViewAccessOpInterface op) {
  SmallVector<ViewAxis, 4> axes = op.getAxes();
  if (op.isWrite() && indirectAxis(axes) >= 0)
    return setUnstructured(op, "'" + op->getName().getStringRef() +
                                   "' writes where its indices say");
  ViewAccess access;
  access.op = op;
  access.view = op.getAccessedView();
  access.isWrite = op.isWrite();
  access.axes.resize(axes.size());
  OpOperand *written = op.getWrittenOperand();
  TileRef tile = written ? TileRef(*written) : TileRef(op.getAccessedTile());
  for (auto [d, from] : llvm::enumerate(axes)) {
    AxisAccess &axis = access.axes[d];
    if (from.isIndirect()) {
      axis.indirect = true;
      continue;
    }
    axis.block = from.block;
    axis.step = from.step;
    if (std::optional<index::Expr> form = firstOf(from, *linearizer)) {
      axis.offset = *form;
      chooseDim(axis);
    } else {
      axis.affine = false;
      setUnstructured(op, "coordinate " + Twine(d) + " of '" +
                              op->getName().getStringRef() +
                              "' is not affine in grid and loop indices");
    }
    tagTile(access, tile, from.tileDim, d);
  }
  space.accesses.push_back(std::move(access));
}

/// True if the facts say that the two views do not overlap while one is
/// written.
static bool areDisjoint(const ViewAccess &a, const ViewAccess &b) {
  auto has = [](Value view, StringRef fact) {
    auto argument = dyn_cast<BlockArgument>(view);
    auto kernel = argument
                      ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                      : KernelOp();
    return kernel && getFact(kernel, argument.getArgNumber(), fact);
  };
  if (a.view == b.view)
    return false;
  bool parameters = isa<BlockArgument>(a.view) && isa<BlockArgument>(b.view);
  return has(a.view, kReadonlyFact) || has(b.view, kReadonlyFact) ||
         (parameters &&
          (has(a.view, kNoaliasFact) || has(b.view, kNoaliasFact)));
}

/// True if two accesses reach the same elements in every instance and
/// iteration.
static bool isSameWindow(const ViewAccess &a, const ViewAccess &b) {
  if (a.axes.size() != b.axes.size())
    return false;
  for (auto [x, y] : llvm::zip(a.axes, b.axes)) {
    if (!x.affine || !y.affine || x.indirect || y.indirect ||
        x.block != y.block || x.step != y.step)
      return false;
    if (!x.offset.same(y.offset))
      return false;
  }
  return true;
}

/// Other blocks divide the iterations of a loop into other groups: what one
/// iteration writes no other may reach. (Instances of a grid have no order, so
/// that there it would be a race to begin with.)
void IterationSpaceBuilder::checkOrder() {
  for (auto [i, dim] : llvm::enumerate(space.dims)) {
    auto isInside = [&, loop = dim.loop](const ViewAccess &access) {
      return loop && loop->isProperAncestor(access.op);
    };
    for (const ViewAccess &write : space.accesses) {
      if (!write.isWrite || !isInside(write))
        continue;
      for (const ViewAccess &other : space.accesses)
        if (&other != &write && isInside(other) && !areDisjoint(write, other) &&
            !isSameWindow(write, other))
          pin(i, "a store in its loop may overlap another access there");
      // A store that stays in place keeps what the last iteration wrote.
      bool moves = llvm::any_of(write.axes, [&, d = i](const AxisAccess &axis) {
        return axis.offset.dependsOn(d);
      });
      if (!moves && cast<ViewAccessOpInterface>(write.op).getAccessKind() ==
                        AccessKind::Write)
        pin(i, "a store in its loop does not move with it");
    }
  }
}

void IterationSpaceBuilder::findExtents() {
  auto set = [&](IterationDim &dim, Value view, int64_t d) {
    if (!dim.extentView) {
      dim.extentView = view;
      dim.extentDim = d;
    }
  };
  // A loop says itself what it covers.
  for (IterationDim &dim : space.dims) {
    if (!dim.isLoop())
      continue;
    if (auto blocks = dim.loop.getUpperBound().getDefiningOp<NumBlocksOp>()) {
      if (static_cast<int64_t>(blocks.getBlock()) == dim.block)
        set(dim, blocks.getView(), blocks.getDim());
    } else if (auto size = dim.loop.getUpperBound().getDefiningOp<DimOp>()) {
      if (dim.indexStep == dim.block)
        set(dim, size.getView(), size.getDim());
    }
  }
  // Otherwise a view that it covers block after block from the start; what is
  // written comes first, inputs may be larger (the rim of a convolution).
  for (bool writes : {true, false})
    for (const ViewAccess &access : space.accesses)
      for (auto [d, axis] : llvm::enumerate(access.axes)) {
        if (axis.dim < 0 || access.isWrite != writes || axis.step != 1 ||
            !axis.offset.offset().is(0) || axis.offset.dims().size() != 1)
          continue;
        set(space.dims[axis.dim], access.view, d);
      }
}

void IterationSpaceBuilder::resolveClasses() {
  for (Tie &tie : ties) {
    if (tie.dim < 0)
      continue;
    auto [it, inserted] = dimOfClass.try_emplace(tie.cls, tie.dim);
    if (inserted || it->second == tie.dim)
      continue;
    for (int dim : {it->second, tie.dim})
      pin(dim, "tiles of d" + Twine(it->second) + " and d" + Twine(tie.dim) +
                   " are combined elementwise");
  }
  for (Tie &tie : ties) {
    auto found = dimOfClass.find(tie.cls);
    if (tie.fixed && found != dimOfClass.end())
      pin(found->second, "a block at a fixed position is combined with it");
  }
  for (auto [cls, dim] : dimOfClass)
    if (!tileDims.pinned(cls).empty())
      pin(dim, tileDims.pinned(cls));

  auto record = [&](TileRef tile, Value value) {
    SmallVector<int> &dims = space.tileDims[value];
    dims.clear();
    for (int64_t d = 0; d < tile.getRank(); ++d) {
      auto found = dimOfClass.find(tileDims.classOf(tile, d));
      dims.push_back(found == dimOfClass.end() ? -1 : found->second);
    }
  };
  kernel.getBody().walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (TileRef tile = argument)
            record(tile, argument);
    for (Value result : op->getResults()) {
      if (!TileRef(result))
        continue;
      // A splat is as large as its use wants; with several, it is not one tile.
      if (!isShapeless(op))
        record(result, result);
      else if (result.hasOneUse())
        record(*result.use_begin(), result);
    }
  });
}
