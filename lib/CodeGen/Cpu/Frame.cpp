//===- Frame.cpp - The grid, views and scalars of kernels
//------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

static Value asIndex(KernelEmitter &e, Value value) {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), value);
}

LogicalResult cpu::lowerProgramId(tile::ProgramIdOp op, KernelEmitter &e) {
  for (auto [result, id] : llvm::zip(op.getResults(), e.programIds))
    e.mapping.map(result, asIndex(e, id));
  return success();
}

LogicalResult cpu::lowerNumPrograms(tile::NumProgramsOp op, KernelEmitter &e) {
  for (auto [result, count] : llvm::zip(op.getResults(), e.programCounts))
    e.mapping.map(result, asIndex(e, count));
  return success();
}

LogicalResult cpu::lowerDim(tile::DimOp op, KernelEmitter &e) {
  e.mapping.map(op.getResult(),
                asIndex(e, e.viewOf(op.getView()).sizes[op.getDim()]));
  return success();
}

LogicalResult cpu::lowerNumBlocks(tile::NumBlocksOp op, KernelEmitter &e) {
  Value size = e.viewOf(op.getView()).sizes[op.getDim()];
  e.mapping.map(op.getResult(),
                asIndex(e, e.ceilDivPositive(size, op.getBlock())));
  return success();
}

LogicalResult cpu::lowerMakeView(tile::MakeViewOp op, KernelEmitter &e) {
  tile::ViewType type = op.getResult().getType();
  ViewInfo view;
  view.elementType = type.getElementType();
  view.base = e.mapping.lookup(op.getBase());
  auto sizes = op.getSizes().begin(), strides = op.getStrides().begin();
  for (int64_t size : type.getShape())
    view.sizes.push_back(ShapedType::isDynamic(size) ? e.scalar64(*sizes++)
                                                     : e.c64(size));
  view.strides.resize(type.getRank());
  Value dense = e.c64(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    view.strides[d] = dense;
    dense = e.mul(dense, view.sizes[d]);
  }
  if (!type.isDense())
    for (auto [d, stride] : llvm::enumerate(type.getStrides()))
      view.strides[d] = ShapedType::isDynamic(stride) ? e.scalar64(*strides++)
                                                      : e.c64(stride);
  e.views[op.getResult()] = view;
  return success();
}

LogicalResult cpu::lowerScalar(Operation *op, KernelEmitter &e) {
  if (isElementwise(op) && op->getNumResults() == 1) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(e.mapping.lookup(operand));
    e.mapping.map(op->getResult(0), e.emitElementwise(op, operands));
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    e.mapping.map(constant.getResult(),
                  e.constantOf(constant.getType(), constant.getValue()));
    return success();
  }
  e.b.clone(*op, e.mapping);
  return success();
}
