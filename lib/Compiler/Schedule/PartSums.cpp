//===- PartSums.cpp - Sums of products in parts ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PartSums.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Target/Clusters.h"
#include "kiln/Target/Limits.h"
#include "kiln/Tiling/Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

void kiln::schedule::limitLoop(KernelBuilder &kernel, int dim, int part) {
  int64_t blocks = kernel.numBlocks(dim).get();
  int64_t each = llvm::divideCeil(blocks, kernel.dims[part].size.get());
  KernelDim &depth = kernel.dims[dim];
  depth.first = kernel.mul(kernel.dims[part].coord, kernel.constant(each));
  depth.last = arith::MinSIOp::create(
      kernel.b, kernel.loc, kernel.add(depth.first, kernel.constant(each)),
      kernel.constant(blocks));
}

bool kiln::schedule::addInCluster(const KernelBuilder &kernel, int part,
                                  int row, int column,
                                  target::TargetAttr description) {
  return tiling::addsInCluster(
      kernel.dims[row].size.is(1), kernel.dims[column].block,
      kernel.dims[part].size.get(), target::countPartInstances(description));
}

int kiln::schedule::singleRowOf(Group &group, prim::DotGeneralOp dot) {
  Value factor = dot.getLhs();
  Operation *source = factor.getDefiningOp();
  if ((source && group.inGroup()(source)) || !group.host.hasBuffer(factor))
    return -1;
  int found = -1;
  for (int64_t dim = 0,
               rank = cast<RankedTensorType>(factor.getType()).getRank();
       dim < rank; ++dim)
    if (!llvm::is_contained(dot.getLhsBatch(), dim) &&
        !llvm::is_contained(dot.getLhsContract(), dim))
      found = dim;
  return found;
}

void PartSums::allocate(KernelBuilder &first, Type accumulator) {
  SmallVector<Extent> sizes;
  auto along = [&](int dim) {
    if (first.dims[dim].size.is(1) && first.dims[dim].block == 1)
      return;
    map.index.push_back(IndexExpr::dim(dim));
    sizes.push_back(first.dims[dim].size);
  };
  along(part);
  for (int dim : kept)
    along(dim);
  buffer = first.host.allocate(accumulator, sizes);
}

int PartSums::chooseTile(KernelBuilder &last) const {
  // What an instance reads, and a line of memory.
  constexpr int64_t kTile = 4096, kLine = 32;
  int axis = column;
  for (int dim : kept)
    if (last.dims[column].size.is(1) && last.dims[dim].size.get() > 1)
      axis = dim;
  int64_t size = last.dims[axis].size.get(), others = 1,
          cores = target::countCores(group.ctx.description);
  for (int dim : kept)
    if (dim != axis)
      others *= last.dims[dim].size.get();
  int64_t block = std::min<int64_t>(
      llvm::PowerOf2Ceil(std::max<int64_t>(size, 1)),
      std::max<int64_t>(kTile / last.dims[part].block, kLine));
  while (block > kLine &&
         others * int64_t(llvm::divideCeil(size, block)) < cores)
    block /= 2;
  bool isOfPlan = axis < static_cast<int>(group.plan.sizes.size());
  if (!isOfPlan || !group.plan.untiled.test(axis))
    last.dims[axis].block = block;
  return axis;
}

LogicalResult PartSums::emit(KernelBuilder &last, const KernelBuilder &first,
                             const Buffer &out) {
  last.dims = first.dims;
  for (KernelDim &dim : last.dims) {
    dim.offset = dim.coord = dim.first = dim.last = Value();
    dim.block = 1;
  }
  last.dims[part].block = llvm::PowerOf2Ceil(last.dims[part].size.get());
  Space space{{part, chooseTile(last)}};
  for (int dim : llvm::reverse(kept))
    last.addGridDim(dim);
  last.placeGrid();
  last.place(part, last.constant(0));
  TileBuilder emitter(last, group.plan, group.inGroup(), space);
  // Parts that there are not are zero.
  Value sum = reduceAxis(last.b, last.loc, emitter.load(buffer, map), 0,
                         [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                           return SmallVector<Value>{added(x[0], y[0], inside)};
                         })[0];
  return finish(emitter, sum, out);
}

/// The columns of a tile in the lower and in the upper half.
static std::pair<Value, Value> halve(Value tile, KernelBuilder &kernel) {
  OpBuilder &b = kernel.b;
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1) / 2;
  Value pairs = tile::ReshapeOp::create(b, kernel.loc,
                                        type.clone({rows, 2, columns}), tile);
  pairs =
      tile::TransposeOp::create(b, kernel.loc, type.clone({rows, columns, 2}),
                                pairs, ArrayRef<int64_t>{0, 2, 1});
  Type half = type.clone({rows, columns});
  auto split = tile::SplitOp::create(b, kernel.loc, half, half, pairs);
  return {split.getFirst(), split.getSecond()};
}

SmallVector<Value> PartSums::exchange(KernelBuilder &kernel, int rows,
                                      ArrayRef<Value> sums,
                                      llvm::function_ref<void(int64_t)> place) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  KernelDim &columns = kernel.dims[column];
  const Value own = kernel.dims[part].coord;
  TileBuilder emitter(kernel, group.plan, group.inGroup(),
                      Space{{rows, column}});
  SmallVector<Value> result(sums);
  for (int64_t parts = kernel.dims[part].size.get(), apart = 1; apart < parts;
       apart *= 2) {
    Value first = columns.offset, distance = kernel.constant(apart),
          two = kernel.constant(2);
    columns.block /= 2;
    columns.coord = Value();
    Value isUpper = arith::RemUIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, own, distance), two);
    Value width = kernel.constant(columns.block),
          upper = kernel.mul(isUpper, width);
    Value keepsUpper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                             isUpper, kernel.constant(0));
    columns.offset = kernel.add(first, kernel.sub(width, upper));
    for (auto [number, sum] : llvm::enumerate(result)) {
      auto [low, high] = halve(sum, kernel);
      auto type = cast<RankedTensorType>(low.getType());
      Value keeps =
          tile::SplatOp::create(b, loc, type.clone(b.getI1Type()), keepsUpper);
      place(number);
      emitter.store(arith::SelectOp::create(b, loc, keeps, low, high), buffer,
                    map);
      sum = arith::SelectOp::create(b, loc, keeps, high, low);
    }
    tile::ClusterBarrierOp::create(b, loc,
                                   b.getDenseI64ArrayAttr({parts, 1, 1}));
    columns.offset = kernel.add(first, upper);
    kernel.place(part, arith::XOrIOp::create(b, loc, own, distance));
    for (auto [number, sum] : llvm::enumerate(result)) {
      place(number);
      Value other = emitter.load(buffer, map);
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(sum.getType()).getShape();
      sum = added(sum, emitter.broadcast(other, shape), b);
    }
    kernel.place(part, own);
  }
  return result;
}

LogicalResult PartSums::finish(TileBuilder &emitter, Value sum,
                               const Buffer &out) {
  KernelBuilder &kernel = emitter.kernel;
  Value product = anchor.op->getResult(0);
  auto type = cast<RankedTensorType>(sum.getType())
                  .clone(getElementTypeOrSelf(product.getType()));
  if (type != sum.getType())
    sum = arith::TruncFOp::create(kernel.b, kernel.loc, type, sum);
  emitter.bind(product, anchor.map, sum);
  Value result = emitter.emit(group.root, group.plan.rootMap);
  if (!result) {
    reason = emitter.reason;
    return failure();
  }
  emitter.store(result, out, group.plan.rootMap);
  return success();
}
