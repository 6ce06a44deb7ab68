//===- RetileLaunches.cpp - Grids for other block sizes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Retiler.h"
#include "kiln/Analysis/Raster.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Transforms/Tile/Retile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::tile;
namespace program = kiln::program;

/// The launches of a kernel in the module around it.
static SmallVector<program::LaunchOpInterface> findLaunches(KernelOp kernel) {
  SmallVector<program::LaunchOpInterface> launches;
  if (Operation *module = kernel->getParentOp())
    module->walk([&](program::LaunchOpInterface launch) {
      if (llvm::is_contained(
              launch.getKernels(),
              Attribute(FlatSymbolRefAttr::get(kernel.getSymNameAttr()))))
        launches.push_back(launch);
    });
  return launches;
}

bool kiln::tile::isCountInLaunches(KernelOp kernel, unsigned parameter,
                                   int64_t block) {
  SmallVector<program::LaunchOpInterface> launches = findLaunches(kernel);
  return !launches.empty() &&
         llvm::all_of(launches, [&](program::LaunchOpInterface launch) {
           return static_cast<bool>(
               matchCeilDiv(launch.getArgs()[parameter], block));
         });
}

namespace {

/// Computes grids in host programs.
class GridScaler {
public:
  GridScaler(KernelOp kernel, const Retiler &retiler, std::string &why)
      : kernel(kernel), retiler(retiler), why(why) {}

  LogicalResult run();

private:
  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
  }
  bool changesAxis(int axis) const;
  LogicalResult leaveNote();
  /// The new extent of the grid, made before the launch.
  FailureOr<Value> scaleAxis(program::LaunchOpInterface launch, int axis);
  FailureOr<Value> scaleDim(program::LaunchOpInterface launch, Value count,
                            unsigned dim);
  FailureOr<Value> scaleRaster(program::LaunchOpInterface launch, Value count,
                               int axis);
  Value countOf(program::LaunchOpInterface launch, Value extent);
  std::optional<int64_t> extentOf(program::LaunchOpInterface launch,
                                  const IterationDim &dim);
  Value constant(program::LaunchOpInterface launch, int64_t value) {
    OpBuilder builder(launch);
    return arith::ConstantIndexOp::create(builder, launch.getLoc(), value);
  }

  KernelOp kernel;
  const Retiler &retiler;
  std::string &why;
};

bool GridScaler::changesAxis(int axis) const {
  for (auto [i, dim] : llvm::enumerate(retiler.getSpace().getDims()))
    if (!dim.isLoop() && dim.gridAxis == axis && retiler.getChange(i).changes())
      return true;
  return false;
}

/// Without a launch the caller has to know.
LogicalResult GridScaler::leaveNote() {
  SmallVector<int64_t> scale = {1, 1, 1, 1, 1, 1};
  if (auto known = kernel.getGridScaleAttr())
    if (known.size() == 6)
      scale.assign(known.asArrayRef().begin(), known.asArrayRef().end());
  for (auto [i, dim] : llvm::enumerate(retiler.getSpace().getDims())) {
    BlockChange change = retiler.getChange(i);
    if (dim.isLoop() || !change.changes())
      continue;
    if (dim.raster)
      return fail("the grid of a rastered kernel can only be scaled at its "
                  "launch, and there is none");
    int64_t &from = scale[2 * dim.gridAxis], &to = scale[2 * dim.gridAxis + 1];
    if (from == to)
      from = change.from;
    to = change.to;
  }
  kernel.setGridScaleAttr(DenseI64ArrayAttr::get(kernel.getContext(), scale));
  return success();
}

std::optional<int64_t> GridScaler::extentOf(program::LaunchOpInterface launch,
                                            const IterationDim &dim) {
  if (std::optional<int64_t> extent = getStaticExtent(dim))
    return extent;
  auto argument = dyn_cast_or_null<BlockArgument>(dim.extentView);
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  auto buffer =
      dyn_cast<MemRefType>(launch.getArgs()[argument.getArgNumber()].getType());
  if (!buffer || buffer.isDynamicDim(dim.extentDim))
    return std::nullopt;
  return buffer.getDimSize(dim.extentDim);
}

FailureOr<Value> GridScaler::scaleDim(program::LaunchOpInterface launch,
                                      Value count, unsigned dim) {
  const IterationDim &iteration = retiler.getSpace().getDims()[dim];
  BlockChange change = retiler.getChange(dim);
  if (!change.changes())
    return count;
  if (std::optional<int64_t> number = getConstantIntValue(count)) {
    std::optional<int64_t> changed =
        recount(*number, change, extentOf(launch, iteration));
    if (!changed)
      return fail("a launch covers " + Twine(*number) + " blocks of " +
                  Twine(change.from) + " of d" + Twine(dim) +
                  ", which blocks of " + Twine(change.to) + " do not divide");
    return constant(launch, *changed);
  }
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  if (Value whole = matchCeilDiv(count, change.from);
      whole && isa<IndexType>(whole.getType()))
    return arith::CeilDivSIOp::create(builder, loc, whole,
                                      constant(launch, change.to))
        .getResult();
  if (change.from % change.to == 0)
    return arith::MulIOp::create(builder, loc, count,
                                 constant(launch, change.from / change.to))
        .getResult();
  Value covered =
      arith::MulIOp::create(builder, loc, count, constant(launch, change.from));
  return arith::CeilDivSIOp::create(builder, loc, covered,
                                    constant(launch, change.to))
      .getResult();
}

/// The value in the host program of a number of blocks that the kernel computes
/// from its parameters.
Value GridScaler::countOf(program::LaunchOpInterface launch, Value extent) {
  if (std::optional<int64_t> number = getConstantIntValue(extent))
    return constant(launch, *number);
  if (auto parameter = dyn_cast<BlockArgument>(extent);
      parameter && isa<KernelOp>(parameter.getOwner()->getParentOp()))
    return launch.getArgs()[parameter.getArgNumber()];
  auto blocks = extent.getDefiningOp<NumBlocksOp>();
  auto argument =
      blocks ? dyn_cast<BlockArgument>(blocks.getView()) : BlockArgument();
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return {};
  OpBuilder builder(launch);
  Value size = builder.createOrFold<memref::DimOp>(
      launch.getLoc(), launch.getArgs()[argument.getArgNumber()],
      constant(launch, blocks.getDim()));
  return builder.createOrFold<arith::CeilDivSIOp>(
      launch.getLoc(), size, constant(launch, blocks.getBlock()));
}

FailureOr<Value> GridScaler::scaleRaster(program::LaunchOpInterface launch,
                                         Value count, int axis) {
  // The digits as the old kernel computes them, in the order of the dimensions.
  SmallVector<Value> ids;
  kernel.getBody().walk([&](ProgramIdOp op) {
    if (axis < static_cast<int>(op.getIds().size()))
      ids.push_back(op.getIds()[axis]);
  });
  std::optional<Raster> raster;
  for (Value id : ids)
    if ((raster = matchRaster(id)))
      break;
  SmallVector<unsigned> dims;
  for (auto [i, dim] : llvm::enumerate(retiler.getSpace().getDims()))
    if (dim.raster && dim.gridAxis == axis)
      dims.push_back(i);
  if (!raster || raster->digits.size() != dims.size())
    return fail("the raster of the grid is not understood");

  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  Value product, below;
  // From the lowest digit up; the topmost one may have no number of its own.
  for (size_t i = dims.size(); i-- > 0;) {
    Value digits;
    if (raster->digits[i].extent) {
      digits = countOf(launch, raster->digits[i].extent);
      if (!digits)
        return fail("the number of blocks of d" + Twine(dims[i]) +
                    " does not follow from the arguments of the launch");
    } else {
      // An empty coordinate makes an empty grid, not a division by zero.
      Value divisor =
          builder.createOrFold<arith::MaxSIOp>(loc, below, constant(launch, 1));
      digits = builder.createOrFold<arith::DivUIOp>(loc, count, divisor);
    }
    below = below ? builder.createOrFold<arith::MulIOp>(loc, below, digits)
                  : digits;
    FailureOr<Value> changed = scaleDim(launch, digits, dims[i]);
    if (failed(changed))
      return failure();
    product = product
                  ? builder.createOrFold<arith::MulIOp>(loc, product, *changed)
                  : *changed;
  }
  return product;
}

FailureOr<Value> GridScaler::scaleAxis(program::LaunchOpInterface launch,
                                       int axis) {
  Value count = launch.getGrid()[axis];
  for (auto [i, dim] : llvm::enumerate(retiler.getSpace().getDims()))
    if (!dim.isLoop() && dim.gridAxis == axis)
      return dim.raster ? scaleRaster(launch, count, axis)
                        : scaleDim(launch, count, i);
  return count;
}

LogicalResult GridScaler::run() {
  bool changes = changesAxis(0) || changesAxis(1) || changesAxis(2);
  if (!changes)
    return success();
  SmallVector<program::LaunchOpInterface> launches = findLaunches(kernel);
  if (launches.empty())
    return leaveNote();

  // Make all new extents before any launch changes.
  SmallVector<std::array<Value, 3>> grids;
  for (program::LaunchOpInterface launch : launches) {
    if (launch.getKernels().size() != 1)
      return fail("a launch shares its grid with other variants");
    std::array<Value, 3> &grid = grids.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      grid[axis] = launch.getGrid()[axis];
      if (!changesAxis(axis))
        continue;
      FailureOr<Value> scaled = scaleAxis(launch, axis);
      if (failed(scaled))
        return failure();
      grid[axis] = *scaled;
    }
  }
  for (auto [launch, grid] : llvm::zip(launches, grids))
    launch.getGridMutable().assign(ValueRange(grid));
  return success();
}

} // namespace

LogicalResult kiln::tile::retileLaunches(KernelOp kernel,
                                         const Retiler &retiler,
                                         std::string &why) {
  return GridScaler(kernel, retiler, why).run();
}
