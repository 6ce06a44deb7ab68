//===- Rearrange.cpp - cat, and reshapes that mix dimensions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

LogicalResult KernelEmitter::emitCat(tile::CatOp cat) {
  // Dense, so that the end of one part never overlaps the start of the next.
  Padding dense;
  dense.dense = true;
  TileBuffer whole = allocateFor(cat.getResult(), dense);
  int64_t start = 0;
  for (Value source : cat.getSources()) {
    TileBuffer part = whole;
    auto shape = cast<ShapedType>(source.getType()).getShape();
    part.shape.assign(shape.begin(), shape.end());
    part.base = gep(whole.base, c64(start * whole.strides[cat.getAxis()]),
                    whole.elementType);
    fill(part, source, /*mayOverrun=*/false);
    start += shape[cat.getAxis()];
  }
  define(cat.getResult(), whole);
  return success();
}

LogicalResult KernelEmitter::emitReshape(tile::ReshapeOp reshape) {
  // Row-major without gaps, the elements are those of both shapes.
  Padding dense;
  dense.dense = true;
  TileBuffer result = allocateFor(reshape.getResult(), dense);
  TileBuffer source = result;
  auto type = cast<RankedTensorType>(reshape.getSource().getType());
  source.shape.assign(type.getShape().begin(), type.getShape().end());
  layout(type, dense, source.strides);
  fill(source, reshape.getSource());
  define(reshape.getResult(), result);
  return success();
}
