//===- PatchProduct.cpp - Convolutions as products ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PatchProduct.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

int64_t PatchProduct::positions(unsigned d) const {
  return cast<RankedTensorType>(anchor.op->getResult(0).getType())
      .getDimSize(d + 1);
}

LogicalResult PatchProduct::findDims() {
  GroupPlan &plan = group.plan;
  auto isStatic = [](const Extent &size) { return size.isStatic(); };
  if (!llvm::all_of(plan.sizes, isStatic))
    return fail("sizes that are not known");
  if (llvm::any_of(conv.getInputDilation(), [](int64_t d) { return d != 1; }))
    return fail("an input that is spread");
  FailureOr<Buffer> x = memoryOf(group, conv.getInput()),
                    w = memoryOf(group, conv.getFilter());
  if (failed(x) || failed(w))
    return fail("an operand that is computed");
  input = *x;
  filter = *w;
  for (const Buffer *buffer : {&input, &filter})
    if (!llvm::all_of(buffer->strides, isStatic))
      return fail("strides that are not known");
  element = getElementTypeOrSelf(conv.getInput());
  acc = sumType(getElementTypeOrSelf(conv.getResult()));
  if (!hasTileDot(element, acc))
    return fail("no product of these types");

  // Positions are one dimension, along which the result is contiguous.
  SmallVector<int> places;
  for (unsigned d = 0; d < spatial; ++d) {
    const IndexExpr &at = anchor.map.index[d + 1];
    if (at.hasDims() && at.asDim() < 0)
      return fail("positions that are split");
    if (at.hasDims())
      places.push_back(at.asDim());
  }
  if (places.empty())
    return fail("a single position");
  group.merge(kernel, places, out);
  if (Group::physical(kernel, places).size() != 1)
    return fail("positions that do not follow each other in memory");
  place = places.back();
  if (!group.strideOf(out, plan.rootMap, place).is(1))
    return fail("positions that do not lie side by side");

  const IndexExpr &first = anchor.map.index[0];
  if (first.hasDims() && first.asDim() >= 0)
    image = first.asDim();
  else if (first.hasDims())
    return fail("images that are split");
  const IndexExpr &from = anchor.operandMaps[0].index.back();
  IndexExpr channels = anchor.map.index.back().without([&](int dim) {
    if (!from.dependsOn(dim))
      return false;
    groups.push_back(dim);
    return true;
  });
  if (channels.asDim() < 0)
    return fail("no channels, or several dimensions of them, in a group");
  channel = channels.asDim();
  return findDepth();
}

LogicalResult PatchProduct::findDepth() {
  // What is summed over, in the order that the filter has it in: one dimension.
  for (unsigned d = 0; d <= spatial; ++d)
    if (int64_t size = filter.sizes[d + 1].get(); size != 1)
      depth.push_back({d, size});
  auto strideOf = [&](const Part &part) {
    return filter.strides[part.dim + 1].get();
  };
  llvm::sort(depth, [&](const Part &a, const Part &b) {
    return std::pair(-strideOf(a), a.dim) < std::pair(-strideOf(b), b.dim);
  });
  packsFilter = llvm::any_of(
      llvm::zip(depth, llvm::drop_begin(depth)), [&](const auto &pair) {
        const auto &[outer, inner] = pair;
        return strideOf(outer) != strideOf(inner) * inner.size;
      });
  if (!depth.empty())
    depthStride = strideOf(depth.back());
  for (const Part &part : depth)
    deep *= part.size;
  return success();
}

void PatchProduct::packFilter() {
  if (!packsFilter)
    return;
  // Outermost the filters, then channels, as images have them, and the window.
  unsigned rank = filter.rank();
  SmallVector<unsigned> order = {0, rank - 1};
  llvm::append_range(order, llvm::seq<unsigned>(1, rank - 1));
  SmallVector<int64_t> window, none(spatial, 0);
  for (unsigned d = 0; d < spatial; ++d)
    window.push_back(filter.sizes[d + 1].get());
  packed = surround(group, filter, none, window, order, zeroOf(element),
                    "generic.patches", /*phases=*/1, "filter");
  filter = packed.buffer;
  llvm::sort(depth, [&](const Part &a, const Part &b) {
    auto place = [&](const Part &part) {
      return part.dim == spatial ? 0 : part.dim + 1;
    };
    return place(a) < place(b);
  });
  depthStride = 1;
}

void PatchProduct::chooseBlocks() {
  using target::TilingProblem;
  using target::TilingRole;
  int64_t images = image < 0 ? 1 : sizeOf(image);
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  problem.dims = {{TilingRole::Row, sizeOf(channel)},
                  {TilingRole::Column, images * sizeOf(place)},
                  {TilingRole::Depth, deep}};
  unsigned bits = element.getIntOrFloatBitWidth();
  problem.tiles = {
      {{0, 2}, bits}, {{2, 1}, bits}, {{0, 1}, acc.getIntOrFloatBitWidth()}};
  problem.lhs = problem.rhs = multipliedType(element, conv.getPrecision());
  problem.acc = acc;
  for (int dim : groups)
    problem.instances *= sizeOf(dim);
  problem.work = double(sizeOf(channel)) * double(images * sizeOf(place)) *
                 double(deep) * double(problem.instances);
  target::Tiling tiling = group.ctx.tiling.choose(problem);
  // Whole lines of positions, several of them, and then whole images.
  int64_t most = tiling.blocks[1], together = 1;
  columns = positions(spatial - 1);
  lines = sizeOf(place) / columns;
  auto equalParts = [](int64_t size, int64_t most) {
    most = std::clamp<int64_t>(most, 1, size);
    return llvm::divideCeil(size, llvm::divideCeil(size, most));
  };
  if (lines == 1)
    columns = equalParts(columns, most);
  lines = equalParts(lines, most / columns);
  if (lines * columns == sizeOf(place) && image >= 0) {
    together = std::clamp<int64_t>(most / sizeOf(place), 1, images);
    while (images % together)
      --together;
  }
  tiling.blocks = {tiling.blocks[0], together * lines * columns, deep};
  tiling::noteTiling(kernel.kernel, problem, tiling);
  kernel.dims[channel].block = tiling.blocks[0];
  kernel.dims[place].block = lines * columns;
  if (image >= 0)
    kernel.dims[image].block = together;
}

void PatchProduct::surroundInput() {
  // How many positions whole blocks have along each dimension.
  SmallVector<int64_t> sizes;
  bool isInside = true;
  for (unsigned d = 0; d < spatial; ++d) {
    int64_t block = d + 1 == spatial ? columns : lines;
    int64_t count = llvm::alignTo(positions(d), block);
    int64_t needed = (count - 1) * conv.getStrides()[d] +
                     (filter.sizes[d + 1].get() - 1) * conv.getDilation()[d] +
                     1;
    int64_t low = conv.getPadLow()[d], size = input.sizes[d + 1].get();
    isInside &= low == 0 && needed <= size;
    sizes.push_back(std::max(needed, low + size));
  }
  unsigned rank = input.rank();
  isInside &= input.strides[spatial].is(1) || conv.getStrides().back() != 1;
  if (isInside)
    return;
  // A copy with positions side by side.
  SmallVector<unsigned> order = {0, rank - 1};
  llvm::append_range(order, llvm::seq<unsigned>(1, rank - 1));
  surrounded = surround(group, input, conv.getPadLow(), sizes, order,
                        zeroOf(element), "generic.patches");
  input = surrounded.buffer;
}

Value PatchProduct::filterTile() {
  const IndexExpr &at = anchor.operandMaps[1].index[0];
  Buffer view = filter;
  view.sizes.clear();
  view.strides.clear();
  SmallVector<Value> coords;
  auto add = [&](Extent size, Extent stride, Value coord) {
    view.sizes.push_back(size);
    view.strides.push_back(stride);
    coords.push_back(coord);
  };
  for (int dim : groups)
    add(kernel.dims[dim].size, at.coefficient(dim) * filter.strides[0],
        kernel.dims[dim].offset);
  add(kernel.dims[channel].size, at.coefficient(channel) * filter.strides[0],
      kernel.dims[channel].offset);
  add(deep, depthStride, kernel.constant(0));
  auto type =
      RankedTensorType::get({kernel.dims[channel].block, deep}, element);
  return tile::LoadOp::create(kernel.b, kernel.loc, type,
                              kernel.view(view, /*write=*/false), coords,
                              Value(), /*element_offsets=*/true,
                              tile::Padding::zero, DenseI64ArrayAttr());
}

Value PatchProduct::patchTile() {
  struct ViewDim {
    int64_t size, stride, block;
    Value coord;
  };
  SmallVector<ViewDim> alone, tiled;
  auto add = [&](ViewDim dim) {
    (dim.block > 1 ? tiled : alone).push_back(dim);
  };
  const IndexExpr &from = anchor.operandMaps[0].index.back();
  int64_t between = input.strides.back().get();
  for (int dim : groups)
    add({sizeOf(dim), from.coefficient(dim).get() * between, 1,
         kernel.dims[dim].offset});
  Value zero = kernel.constant(0);
  for (const Part &part : depth) {
    bool isWindow = part.dim < spatial;
    int64_t stride = isWindow ? input.strides[part.dim + 1].get() *
                                    conv.getDilation()[part.dim]
                              : between;
    add({part.size, stride, part.size, zero});
  }
  if (image >= 0)
    add({sizeOf(image), input.strides[0].get(), kernel.dims[image].block,
         kernel.dims[image].offset});
  // A block is a number of lines, or a part of the only line.
  bool isOneLine = sizeOf(place) == positions(spatial - 1);
  for (unsigned d = 0; d < spatial; ++d) {
    int64_t block = d + 1 == spatial ? columns : lines;
    int64_t count = llvm::alignTo(positions(d), block);
    Value at = zero;
    if (isOneLine && d + 1 == spatial)
      at = kernel.dims[place].offset;
    else if (!isOneLine && d + 2 == spatial)
      at = kernel.mul(kernel.dims[place].coord, kernel.constant(lines));
    add({count, input.strides[d + 1].get() * conv.getStrides()[d], block, at});
  }
  if (tiled.empty())
    std::swap(tiled, alone);
  Buffer view = input;
  view.sizes.clear();
  view.strides.clear();
  SmallVector<Value> coords;
  SmallVector<int64_t> shape;
  for (const ViewDim &dim : llvm::concat<ViewDim>(alone, tiled)) {
    view.sizes.push_back(dim.size);
    view.strides.push_back(dim.stride);
    coords.push_back(dim.coord);
  }
  for (const ViewDim &dim : tiled)
    shape.push_back(dim.block);
  Value tile = tile::LoadOp::create(
      kernel.b, kernel.loc, RankedTensorType::get(shape, element),
      kernel.view(view, /*write=*/false), coords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  return reshape(tile, {deep, tileColumns()});
}

Value PatchProduct::reshape(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(
      kernel.b, kernel.loc, RankedTensorType::get(shape, type.getElementType()),
      tile);
}

int64_t PatchProduct::tileColumns() const {
  return lines * columns * (image < 0 ? 1 : kernel.dims[image].block);
}

LogicalResult PatchProduct::finish(Value sum) {
  Type to = getElementTypeOrSelf(conv.getResult());
  if (acc != to)
    sum = arith::TruncFOp::create(
        kernel.b, kernel.loc, cast<RankedTensorType>(sum.getType()).clone(to),
        sum);
  Space space{{channel}};
  SmallVector<int64_t> shape = {kernel.dims[channel].block};
  if (image >= 0 && kernel.dims[image].block > 1) {
    space.axes.push_back(image);
    shape.push_back(kernel.dims[image].block);
  }
  space.axes.push_back(place);
  shape.push_back(lines * columns);
  TileBuilder epilogue(kernel, group.plan, group.inGroup(), space);
  epilogue.bind(conv.getResult(), anchor.map, reshape(sum, shape));
  Value tile = epilogue.emit(group.root, group.plan.rootMap);
  if (!tile)
    return fail(epilogue.reason);
  epilogue.store(tile, out, group.plan.rootMap);
  return success();
}

LogicalResult PatchProduct::run() {
  if (spatial > 2)
    return fail("more than two dimensions of positions");
  if (failed(findDims()))
    return failure();
  chooseBlocks();
  SmallVector<int> grid = {place, channel};
  grid.append(groups.rbegin(), groups.rend());
  if (image >= 0)
    grid.push_back(image);
  for (int dim : grid)
    kernel.addGridDim(dim);
  kernel.placeGrid();
  surroundInput();
  packFilter();
  Value x = filterTile(), y = patchTile();
  auto type =
      RankedTensorType::get({kernel.dims[channel].block, tileColumns()}, acc);
  Value zero = arith::ConstantOp::create(
      kernel.b, kernel.loc,
      DenseElementsAttr::get(type, static_cast<Attribute>(zeroOf(acc))));
  Value sum =
      tile::DotOp::create(kernel.b, kernel.loc, type, x, y, zero,
                          inputPrecision(conv.getPrecision()), false, false);
  if (failed(finish(sum))) {
    surrounded.undo();
    packed.undo();
    return failure();
  }
  Extent flops = 2;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    flops = flops * group.plan.sizes[d];
  kernel.finish("generic.patches", flops * deep);
  return success();
}

LogicalResult kiln::schedule::schedulePatches(prim::FusionOp op,
                                              ScheduleContext &ctx) {
  auto refuse = [](ScheduleContext &ctx) -> StringRef {
    return computesFromCaches(ctx) ? "" : "the machine has a memory for tiles";
  };
  // Images, channels, positions.
  auto place = [](Group &group) {
    SmallVector<unsigned> ranks(group.plan.anchors.front().map.index.size(), 2);
    ranks.front() = 0;
    ranks.back() = 1;
    return resultByAnchor(group, ranks);
  };
  return scheduleOneConvolution<PatchProduct>(op, ctx, refuse, place);
}
