//===- EmitGather.cpp - Tiles of gathers ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// The index of a gather that has one for a whole tile, read before the loops
/// that it does not depend on; below zero it is the number of places, which is
/// outside as well. Null if it cannot be computed.
Value TileBuilder::emitPlace(Value indices, const AccessMap &map, Extent size) {
  OpBuilder &b = kernel.b;
  OpBuilder::InsertionGuard guard(b);
  llvm::SmallBitVector support = map.support(kernel.dims.size());
  auto isOutside = [&](scf::ForOp loop) {
    return llvm::all_of(support.set_bits(), [&](int dim) {
      Value offset = kernel.dims[physical(dim)].offset;
      return offset && loop.isDefinedOutsideOfLoop(offset);
    });
  };
  while (auto loop =
             dyn_cast<scf::ForOp>(b.getInsertionBlock()->getParentOp())) {
    if (!isOutside(loop))
      break;
    b.setInsertionPoint(loop);
  }
  Value tile = emit(indices, map);
  if (!tile)
    return {};
  Value one =
      tensor::ExtractOp::create(b, kernel.loc, reshape(tile, {}), ValueRange());
  one = arith::IndexCastOp::create(b, kernel.loc, b.getIndexType(), one);
  Value isBelow = arith::CmpIOp::create(
      b, kernel.loc, arith::CmpIPredicate::slt, one, kernel.constant(0));
  return arith::SelectOp::create(b, kernel.loc, isBelow, kernel.index(size),
                                 one);
}

Value TileBuilder::emitGather(prim::GatherOp op, const AccessMap &map) {
  AccessMap data, indexMap;
  gatherMaps(op, map, data, indexMap);
  auto isOfTile = [&](int dim) { return axisOf(dim) >= 0; };
  llvm::SmallBitVector support = indexMap.support(kernel.dims.size());
  if (!plan.anchors.empty() && kernel.host.hasBuffer(op.getOperand()) &&
      llvm::none_of(support.set_bits(), isOfTile)) {
    // A matrix of many: its number is the place along another dimension.
    const Buffer &buffer = kernel.host.buffer(op.getOperand());
    Extent size = buffer.sizes[op.getDim()];
    Value place = emitPlace(op.getIndices(), indexMap, size);
    if (!place)
      return {};
    int dim = kernel.dims.size();
    kernel.dims.emplace_back();
    kernel.dims[dim].size = size;
    kernel.place(dim, place);
    data.index[op.getDim()] = IndexExpr::dim(dim);
    return load(buffer, data);
  }
  Value index = emit(op.getIndices(), indexMap);
  if (!index)
    return {};
  if (!kernel.host.hasBuffer(op.getOperand()))
    return fail("a gathered operand must be in memory");
  return gather(kernel.host.buffer(op.getOperand()), data, op.getDim(), index);
}

namespace {
/// The places, in the memory of a buffer, of elements whose coordinates are
/// tiles, and which of them are inside of it.
class LinePlaces {
public:
  LinePlaces(KernelBuilder &kernel, ArrayRef<int64_t> shape)
      : kernel(kernel), b(kernel.b),
        type(RankedTensorType::get(shape, kernel.b.getI64Type())) {}

  Value splat(Value scalar) {
    scalar = arith::IndexCastOp::create(b, kernel.loc, b.getI64Type(), scalar);
    return tile::SplatOp::create(b, kernel.loc, type, scalar);
  }
  /// Adds a coordinate along a dimension.
  void add(Value coordinate, Extent size, Extent stride) {
    require(arith::CmpIPredicate::sge, coordinate, kernel.constant(0));
    require(arith::CmpIPredicate::slt, coordinate, kernel.index(size));
    Value scaled = arith::MulIOp::create(b, kernel.loc, coordinate,
                                         splat(kernel.index(stride)));
    place =
        place ? arith::AddIOp::create(b, kernel.loc, place, scaled) : scaled;
  }
  /// All of them from `offset` on; -1 where an element is outside.
  Value get(Extent offset) {
    place = arith::AddIOp::create(b, kernel.loc, place,
                                  splat(kernel.index(offset)));
    return arith::SelectOp::create(b, kernel.loc, inside, place,
                                   splat(kernel.constant(-1)));
  }

private:
  void require(arith::CmpIPredicate predicate, Value x, Value bound) {
    Value holds =
        arith::CmpIOp::create(b, kernel.loc, predicate, x, splat(bound));
    inside =
        inside ? arith::AndIOp::create(b, kernel.loc, inside, holds) : holds;
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  RankedTensorType type;
  Value place, inside;
};
} // namespace

/// Where an index moves along with the place that it reads, both are one place
/// in the line of all elements.
Value TileBuilder::gatherFromLine(const Buffer &buffer, const AccessMap &data,
                                  unsigned dim, Value index) {
  OpBuilder &b = kernel.b;
  SmallVector<ViewDim> viewDims;
  Buffer view = viewOf(buffer, data, viewDims);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(index.getType()).getShape());
  for (const ViewDim &v : viewDims) {
    if (v.axis < 0)
      continue;
    if (kernel.dims[v.dim].step != 1)
      return fail("a gather cannot take steps");
    shape[v.axis] = kernel.dims[v.dim].block;
  }
  LinePlaces places(kernel, shape);
  auto wide = RankedTensorType::get(shape, b.getI64Type());
  index = broadcast(index, shape);
  if (index.getType() != wide)
    index = arith::ExtSIOp::create(b, kernel.loc, wide, index);
  places.add(index, buffer.sizes[dim], buffer.strides[dim]);
  for (const ViewDim &v : viewDims) {
    const KernelDim &d = kernel.dims[v.dim];
    Value coordinate = places.splat(kernel.sub(d.offset, kernel.index(v.lo)));
    if (v.axis >= 0)
      coordinate = arith::AddIOp::create(
          b, kernel.loc, coordinate,
          tile::IotaOp::create(b, kernel.loc, wide, uint64_t(v.axis)));
    places.add(coordinate, v.size, v.stride);
  }
  Buffer line;
  line.base = buffer.base;
  line.sizes.push_back(kernel.host.elementsOf(buffer.base));
  line.strides.push_back(1);
  return tile::LoadGatherOp::create(
      b, kernel.loc, RankedTensorType::get(shape, buffer.elementType()),
      kernel.view(line, /*write=*/false), ValueRange(), places.get(view.offset),
      Value(), 0, tile::Padding::zero);
}

Value TileBuilder::gather(const Buffer &buffer, const AccessMap &data,
                          unsigned dim, Value index) {
  OpBuilder &b = kernel.b;
  // The axes that the index tile really has.
  SmallVector<int64_t> indexShape;
  SmallVector<int> indexAxes;
  auto wholeShape = cast<RankedTensorType>(index.getType()).getShape();
  for (auto [axis, size] : llvm::enumerate(wholeShape))
    if (size != 1) {
      indexShape.push_back(size);
      indexAxes.push_back(axis);
    }
  SmallVector<ViewDim> viewDims;
  Buffer view = viewOf(buffer, data, viewDims);
  if (llvm::any_of(viewDims, [&](const ViewDim &v) {
        return llvm::is_contained(indexAxes, v.axis) &&
               kernel.dims[v.dim].block != 1;
      }))
    return gatherFromLine(buffer, data, dim, index);
  if (indexShape.empty())
    indexShape.push_back(1);
  index = reshape(index, indexShape);

  // Place the indirect dimension among the others in the order of axes.
  unsigned place = 0;
  while (place < viewDims.size() &&
         (viewDims[place].axis < 0 || indexAxes.empty() ||
          viewDims[place].axis < indexAxes.front()))
    ++place;
  view.sizes.insert(view.sizes.begin() + place, buffer.sizes[dim]);
  view.strides.insert(view.strides.begin() + place, buffer.strides[dim]);
  SmallVector<Value> offsets;
  SmallVector<int64_t> shape, full(space.axes.size(), 1);
  SmallVector<int> axes; // of the result; -1 for dimensions of size 1
  auto addIndex = [&] {
    for (auto [i, size] : llvm::enumerate(indexShape)) {
      shape.push_back(size);
      axes.push_back(indexAxes.empty() ? -1 : indexAxes[i]);
    }
  };
  for (auto [i, v] : llvm::enumerate(viewDims)) {
    if (i == place)
      addIndex();
    const KernelDim &d = kernel.dims[v.dim];
    if (v.axis >= 0 && d.step != 1)
      return fail("a gather cannot take steps");
    offsets.push_back(kernel.sub(d.offset, kernel.index(v.lo)));
    shape.push_back(v.axis >= 0 ? d.block : 1);
    axes.push_back(v.axis);
  }
  if (place == viewDims.size())
    addIndex();
  for (auto [axis, size] : llvm::zip(axes, shape)) {
    if (axis < 0)
      continue;
    if (full[axis] != 1)
      return fail("an index moves along with the place that it reads");
    full[axis] = size;
  }
  Value tile = tile::LoadGatherOp::create(
      b, kernel.loc, RankedTensorType::get(shape, buffer.elementType()),
      kernel.view(view, /*write=*/false), offsets, index, Value(), place,
      tile::Padding::zero);
  SmallVector<int64_t> permutation;
  for (size_t i = 0; i < axes.size(); ++i)
    permutation.push_back(i);
  llvm::sort(permutation, [&](int64_t x, int64_t y) {
    return std::pair(axes[x], x) < std::pair(axes[y], y);
  });
  if (!llvm::is_sorted(permutation)) {
    SmallVector<int64_t> permuted;
    for (int64_t p : permutation)
      permuted.push_back(shape[p]);
    tile = tile::TransposeOp::create(
        b, kernel.loc, RankedTensorType::get(permuted, buffer.elementType()),
        tile, permutation);
  }
  return reshape(tile, full);
}
