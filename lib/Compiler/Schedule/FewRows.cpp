//===- FewRows.cpp - Products of few rows ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FewRows.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Target/Limits.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

static bool hasColumnsForCores(Group &group, const KernelBuilder &kernel,
                               int column) {
  Extent columns = kernel.dims[column].size;
  target::TargetAttr description = group.ctx.description;
  if (!columns.isStatic() || !description || !description.getTopology())
    return true;
  return columns.get() >= target::countCores(description);
}

static Value transposed(Value tile, TileBuilder &emitter) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[0], shape[1]);
  return tile::TransposeOp::create(emitter.kernel.b, emitter.kernel.loc,
                                   type.clone(shape), tile,
                                   ArrayRef<int64_t>{1, 0});
}

int kiln::schedule::alongFactor(Group &group, const KernelBuilder &kernel,
                                const Extent &rows, int column, int depth) {
  // So many are multiplied with a piece of a row at once; by columns, each
  // further row costs as much as the first.
  constexpr int64_t kFewRows = 8, kFewForColumns = 2;
  // Where threads share tiles out, a single row with columns for every core.
  bool isShared = group.ctx.tiling.model().sharesTiles();
  if (isShared && !hasColumnsForCores(group, kernel, column))
    return -1;
  if (!rows.isStatic() || rows.get() > (isShared ? 1 : kFewRows) ||
      (!isShared && !computesFromCaches(group.ctx)))
    return -1;
  // The memory with something for each column and step.
  const LeafVisit *factor = nullptr;
  for (const LeafVisit &leaf : group.plan.leaves) {
    llvm::SmallBitVector support = leaf.map.support(group.plan.sizes.size());
    SmallVector<int> dims =
        Group::physical(kernel, llvm::to_vector_of<int>(support.set_bits()));
    if (!llvm::is_contained(dims, column) || !llvm::is_contained(dims, depth))
      continue;
    if (factor)
      return -1;
    factor = &leaf;
  }
  if (!factor || !group.host.hasBuffer(factor->value))
    return -1;
  const Buffer &memory = group.host.buffer(factor->value);
  if (!isShared && group.strideOf(memory, factor->map, column).is(1))
    return column;
  return rows.get() <= kFewForColumns &&
                 group.strideOf(memory, factor->map, depth).is(1)
             ? depth
             : -1;
}

Value kiln::schedule::addProducts(Value x, Value y, Value sums,
                                  TileBuilder &emitter) {
  auto type = cast<RankedTensorType>(sums.getType());
  return added(sums, multiplied(x, transposed(y, emitter), type, emitter),
               emitter.kernel.b);
}

Value kiln::schedule::sumAlongRow(Value sums, TileBuilder &emitter) {
  OpBuilder &b = emitter.kernel.b;
  int64_t columns = cast<RankedTensorType>(sums.getType()).getDimSize(0);
  Value sum = reduceAxis(b, emitter.kernel.loc, sums, 1,
                         [&](OpBuilder &inside, ValueRange p, ValueRange q) {
                           return SmallVector<Value>{added(p[0], q[0], inside)};
                         })[0];
  return emitter.reshape(sum, {1, columns});
}

Value kiln::schedule::sumProducts(Value x, Value y, Value sum,
                                  TileBuilder &emitter) {
  OpBuilder &b = emitter.kernel.b;
  Location loc = emitter.kernel.loc;
  auto type = cast<RankedTensorType>(sum.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1),
          depth = cast<RankedTensorType>(x.getType()).getDimSize(1);
  // Each column is multiplied by all rows while it is near.
  Value products = multiplied(
      emitter.reshape(x, {1, rows, depth}),
      emitter.reshape(transposed(y, emitter), {columns, 1, depth}),
      RankedTensorType::get({columns, rows, depth}, type.getElementType()),
      emitter);
  Value sums = reduceAxis(
      b, loc, products, 2, [&](OpBuilder &inside, ValueRange p, ValueRange q) {
        return SmallVector<Value>{added(p[0], q[0], inside)};
      })[0];
  sums = emitter.reshape(sums, {columns, rows});
  if (rows > 1)
    sums =
        tile::TransposeOp::create(b, loc, type, sums, ArrayRef<int64_t>{1, 0});
  return added(sum, emitter.reshape(sums, {rows, columns}), b);
}
