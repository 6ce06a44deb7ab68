//===- RetileBounds.cpp - Loops and rasters for other block sizes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Retiler.h"
#include "kiln/Analysis/Raster.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

std::optional<int64_t> kiln::tile::getStaticExtent(const IterationDim &dim) {
  if (!dim.extentView)
    return std::nullopt;
  int64_t size =
      cast<ViewType>(dim.extentView.getType()).getShape()[dim.extentDim];
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

std::optional<int64_t> kiln::tile::recount(int64_t count, BlockChange change,
                                           std::optional<int64_t> extent) {
  if (extent && count == llvm::divideCeilSigned(*extent, change.from))
    return llvm::divideCeilSigned(*extent, change.to);
  index::Integer covered = index::mul(count, change.from);
  if (!covered || *covered % change.to != 0)
    return std::nullopt;
  return *covered / change.to;
}

Value kiln::tile::matchCeilDiv(Value count, int64_t block) {
  Operation *op = count.getDefiningOp();
  while (
      isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(
          op))
    op = op->getOperand(0).getDefiningOp();
  if (!op || op->getNumOperands() != 2 ||
      getConstantIntValue(op->getOperand(1)) != block)
    return {};
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return op->getOperand(0);
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return {};
  auto sum = op->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (sum && getConstantIntValue(sum.getRhs()) == block - 1)
    return sum.getLhs();
  return {};
}

Value Retiler::recountValue(Value count, BlockChange change,
                            std::optional<int64_t> extent) {
  OpBuilder builder(count.getContext());
  builder.setInsertionPointAfterValue(count);
  Location loc = count.getLoc();
  Type type = count.getType();
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  if (std::optional<int64_t> number = getConstantIntValue(count)) {
    std::optional<int64_t> changed = recount(*number, change, extent);
    return changed ? constant(type, *changed) : Value();
  }
  if (auto blocks = count.getDefiningOp<NumBlocksOp>())
    if (static_cast<int64_t>(blocks.getBlock()) == change.from)
      return NumBlocksOp::create(builder, loc, type, blocks.getView(),
                                 blocks.getDim(), change.to);
  if (Value whole = matchCeilDiv(count, change.from)) {
    Value changed = arith::CeilDivSIOp::create(
        builder, loc, whole, constant(whole.getType(), change.to));
    if (changed.getType() == type)
      return changed;
    if (isa<IndexType>(type) || isa<IndexType>(changed.getType()))
      return arith::IndexCastOp::create(builder, loc, type, changed);
    return arith::ExtSIOp::create(builder, loc, type, changed);
  }
  if (change.from % change.to == 0)
    return arith::MulIOp::create(builder, loc, count,
                                 constant(type, change.from / change.to));
  auto parameter = dyn_cast<BlockArgument>(count);
  if (parameter && parameter.getOwner() == &kernel.getBody().front() &&
      isCount(parameter.getArgNumber(), change.from)) {
    Value covered =
        arith::MulIOp::create(builder, loc, count, constant(type, change.from));
    return arith::CeilDivSIOp::create(builder, loc, covered,
                                      constant(type, change.to));
  }
  return {};
}

LogicalResult Retiler::rewriteLoop(unsigned dim) {
  const IterationDim &iteration = space.getDims()[dim];
  scf::ForOp loop = iteration.loop;
  BlockChange change = changes[dim];
  std::optional<int64_t> extent = getStaticExtent(iteration);
  Value upper = loop.getUpperBound();
  if (!iteration.countsElements()) {
    Value changed = recountValue(upper, change, extent);
    if (!changed)
      return fail("the bound of the loop of d" + Twine(dim) +
                  " is not known to cover its extent, so that blocks of " +
                  Twine(change.to) + " could reach other elements");
    loop.setUpperBound(changed);
    return success();
  }

  // The loop counts elements: its step is the block. Its last block may reach
  // past the bound, but then only past the end of the view.
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  Type type = upper.getType();
  std::optional<int64_t> number = getConstantIntValue(upper);
  auto size = upper.getDefiningOp<DimOp>();
  if (number && (!extent || *number < *extent)) {
    index::Integer covered =
        index::mul(llvm::divideCeilSigned(*number, change.from), change.from);
    if (!covered || *covered % change.to != 0)
      return fail("the loop of d" + Twine(dim) + " covers " + Twine(*number) +
                  " elements in blocks of " + Twine(change.from) +
                  ", which blocks of " + Twine(change.to) + " do not divide");
    loop.setUpperBound(constant(type, *covered));
  } else if (!number &&
             !(size && size.getView() == iteration.extentView &&
               static_cast<int64_t>(size.getDim()) == iteration.extentDim)) {
    if (change.from % change.to != 0)
      return fail("the bound of the loop of d" + Twine(dim) +
                  " is not the size of what it covers, so that blocks of " +
                  Twine(change.to) + " could reach other elements");
    Value from = constant(type, change.from);
    Value blocks = arith::CeilDivSIOp::create(builder, loc, upper, from);
    loop.setUpperBound(arith::MulIOp::create(builder, loc, blocks, from));
  }
  loop.setStep(constant(loop.getStep().getType(), change.to));
  return success();
}

LogicalResult Retiler::rewriteRasters() {
  SmallVector<Value> ids;
  kernel.getBody().walk([&](ProgramIdOp op) {
    for (Value id : op.getIds())
      ids.push_back(id);
  });
  for (Value id : ids) {
    std::optional<Raster> raster = matchRaster(id);
    if (!raster)
      continue;
    for (RasterDigit &digit : raster->digits) {
      auto *found = llvm::find_if(space.getDims(), [&](const IterationDim &d) {
        return d.index == digit.index;
      });
      unsigned dim = found - space.getDims().begin();
      if (found == space.getDims().end() || !changes[dim].changes() ||
          !digit.extent)
        continue;
      Value changed =
          recountValue(digit.extent, changes[dim], getStaticExtent(*found));
      if (!changed)
        return fail("the kernel does not say that the number of blocks of d" +
                    Twine(dim) + " covers its extent");
      for (OpOperand *use : digit.extentUses)
        use->set(changed);
    }
  }
  return success();
}
