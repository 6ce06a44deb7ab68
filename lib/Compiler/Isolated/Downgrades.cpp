//===- Downgrades.cpp - Later forms by earlier ones -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Downgrades.h"
#include "kiln/Dialect/Prim/ConvOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::isolated;

/// Replaces a `tile.store_scatter` that combines by a loop of stores of single
/// elements. Fails for tiles and views of several dimensions.
static LogicalResult downgradeScatter(Operation *op, RewriterBase &rewriter) {
  auto scatter = cast<tile::StoreScatterOp>(op);
  RankedTensorType type = scatter.getTileType();
  // Stores of version 3 do not multiply either.
  if (type.getRank() != 1 || scatter.getView().getType().getRank() != 1 ||
      scatter.getCombine() == tile::Combine::mul)
    return failure();
  Location loc = op->getLoc();
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, n);
  };
  auto loop = scf::ForOp::create(rewriter, loc, constant(0),
                                 constant(type.getDimSize(0)), constant(1));
  rewriter.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Value place = arith::IndexCastOp::create(
      rewriter, loc, rewriter.getIndexType(),
      tensor::ExtractOp::create(rewriter, loc, scatter.getIndices(),
                                ValueRange(at)));
  Value value = tile::SplatOp::create(
      rewriter, loc, RankedTensorType::get({1}, type.getElementType()),
      tensor::ExtractOp::create(rewriter, loc, scatter.getValue(),
                                ValueRange(at)));
  tile::StoreOp::create(
      rewriter, loc, value, scatter.getView(), ValueRange(place),
      /*element_offsets=*/true, scatter.getCombine(), DenseI64ArrayAttr(),
      scatter.getIsVolatile(), scatter.getCache(), scatter.getEvict());
  rewriter.eraseOp(op);
  return success();
}

/// Takes a permission away from a `prim.conv`.
static LogicalResult readAllBits(Operation *op, RewriterBase &rewriter) {
  rewriter.modifyOpInPlace(
      op, [&] { cast<prim::ConvOp>(op).setPrecision(prim::Precision::ieee); });
  return success();
}

/// Version 4: stores by index combine, and stores multiply; convolutions may
/// read f32 as tf32.
static constexpr WireAttribute kLaterAttributes[] = {
    {"tile.store_scatter", "combine", 4, std::nullopt, downgradeScatter},
    {"tile.store", "combine", 4, int64_t(tile::Combine::mul)},
    {"prim.conv", "precision", 4, std::nullopt, readAllBits}};

ArrayRef<WireAttribute> kiln::isolated::laterAttributes() {
  return kLaterAttributes;
}
