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
  if (!hasTileDot(element, acc) ||
      getElementTypeOrSelf(conv.getFilter()) != element)
    return fail("no product of these types");

  // Positions are one dimension. It or that of the channels is contiguous.
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
  channelsLast = !group.strideOf(out, plan.rootMap, place).is(1);
  if (channelsLast && !group.strideOf(out, plan.rootMap, channel).is(1))
    return fail("neither positions nor channels that lie side by side");
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
  // Patches have their channels side by side.
  packsFilter |= channelsLast && !depth.empty() && depth.back().dim < spatial &&
                 filter.sizes.back().get() != 1;
  // Panels are packed from any filter whose vectors of results or of channels
  // lie side by side.
  viewsFilter = packsFilter && channelsLast &&
                (filter.strides[0].is(1) || filter.strides.back().is(1));
  if (viewsFilter) {
    packsFilter = false;
    llvm::sort(depth,
               [](const Part &a, const Part &b) { return a.dim < b.dim; });
  }
  if (!depth.empty())
    depthStride = strideOf(depth.back());
  for (const Part &part : depth)
    deep *= part.size;
  return success();
}

SmallVector<unsigned> PatchProduct::memoryOrder() const {
  unsigned last = spatial + 1;
  SmallVector<unsigned> order = {0};
  if (!channelsLast)
    order.push_back(last);
  llvm::append_range(order, llvm::seq<unsigned>(1, last));
  if (channelsLast)
    order.push_back(last);
  return order;
}

void PatchProduct::packFilter() {
  if (!packsFilter)
    return;
  // Outermost the filters, then channels and the window, as images have them.
  SmallVector<int64_t> window, none(spatial, 0);
  for (unsigned d = 1; d <= spatial; ++d)
    window.push_back(filter.sizes[d].get());
  packed = surround(group, filter, none, window, memoryOrder(), zeroOf(element),
                    "generic.patches", /*phases=*/1, "filter");
  filter = packed.buffer;
  llvm::sort(depth, [&](const Part &a, const Part &b) {
    auto place = [&](const Part &part) {
      return part.dim == spatial && !channelsLast ? 0 : part.dim + 1;
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
  unsigned channelAt = channelsLast ? 1 : 0, placeAt = 1 - channelAt;
  problem.dims = {{TilingRole::Row, sizeOf(channel)},
                  {TilingRole::Column, images * sizeOf(place)},
                  {TilingRole::Depth, deep}};
  if (channelsLast)
    std::swap(problem.dims[0].size, problem.dims[1].size);
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
  int64_t most = tiling.blocks[placeAt], together = 1;
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
  tiling.blocks[placeAt] = together * lines * columns;
  tiling.blocks[2] = deep;
  tiling::noteTiling(kernel.kernel, problem, tiling);
  kernel.dims[channel].block = tiling.blocks[channelAt];
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
  isInside &= channelsLast ? input.strides.back().is(1)
                           : input.strides[spatial].is(1) ||
                                 conv.getStrides().back() != 1;
  if (isInside)
    return;
  // A copy with positions, or channels, side by side.
  surrounded = surround(group, input, conv.getPadLow(), sizes, memoryOrder(),
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
  SmallVector<int64_t> shape;
  if (viewsFilter) {
    // The order of patches, of which the filter has each at its place.
    for (const Part &part : depth) {
      add(part.size, filter.strides[part.dim + 1], kernel.constant(0));
      shape.push_back(part.size);
    }
  } else if (channelsLast) {
    add(deep, depthStride, kernel.constant(0));
  }
  add(kernel.dims[channel].size, at.coefficient(channel) * filter.strides[0],
      kernel.dims[channel].offset);
  if (!channelsLast)
    add(deep, depthStride, kernel.constant(0));
  auto type = productType(kernel.dims[channel].block, deep, element);
  if (viewsFilter)
    shape.push_back(kernel.dims[channel].block);
  else
    llvm::append_range(shape, type.getShape());
  Value tile = tile::LoadOp::create(
      kernel.b, kernel.loc, RankedTensorType::get(shape, element),
      kernel.view(view, /*write=*/false), coords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  return reshape(tile, type.getShape());
}

SmallVector<PatchProduct::ViewDim> PatchProduct::depthDims() const {
  SmallVector<ViewDim> dims;
  for (const Part &part : depth) {
    bool isWindow = part.dim < spatial;
    int64_t stride = input.strides[part.dim + 1].get() *
                     (isWindow ? conv.getDilation()[part.dim] : 1);
    // What lies side by side in the input, too, is one longer run.
    if (channelsLast && !dims.empty() &&
        dims.back().stride == stride * part.size) {
      dims.back().stride = stride;
      dims.back().size = dims.back().block *= part.size;
      continue;
    }
    dims.push_back({part.size, stride, part.size, kernel.constant(0)});
  }
  return dims;
}

SmallVector<PatchProduct::ViewDim> PatchProduct::positionDims() const {
  SmallVector<ViewDim> dims;
  if (image >= 0)
    dims.push_back({sizeOf(image), input.strides[0].get(),
                    kernel.dims[image].block, kernel.dims[image].offset});
  // A block is a number of lines, or a part of the only line.
  bool isOneLine = sizeOf(place) == positions(spatial - 1);
  for (unsigned d = 0; d < spatial; ++d) {
    int64_t block = d + 1 == spatial ? columns : lines;
    int64_t count = llvm::alignTo(positions(d), block);
    Value at = kernel.constant(0);
    if (isOneLine && d + 1 == spatial)
      at = kernel.dims[place].offset;
    else if (!isOneLine && d + 2 == spatial)
      at = kernel.mul(kernel.dims[place].coord, kernel.constant(lines));
    dims.push_back(
        {count, input.strides[d + 1].get() * conv.getStrides()[d], block, at});
  }
  return dims;
}

Value PatchProduct::patchTile() {
  SmallVector<ViewDim> all;
  const IndexExpr &from = anchor.operandMaps[0].index.back();
  for (int dim : groups)
    all.push_back({sizeOf(dim),
                   from.coefficient(dim).get() * input.strides.back().get(), 1,
                   kernel.dims[dim].offset});
  SmallVector<ViewDim> outer = depthDims(), inner = positionDims();
  if (channelsLast)
    std::swap(outer, inner);
  llvm::append_range(all, outer);
  llvm::append_range(all, inner);
  SmallVector<ViewDim> alone, tiled;
  for (const ViewDim &dim : all)
    (dim.block > 1 ? tiled : alone).push_back(dim);
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
  return reshape(tile, productType(deep, tilePositions(), element).getShape());
}

Value PatchProduct::reshape(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(
      kernel.b, kernel.loc, RankedTensorType::get(shape, type.getElementType()),
      tile);
}

RankedTensorType PatchProduct::productType(int64_t first, int64_t second,
                                           Type type) const {
  if (channelsLast)
    std::swap(first, second);
  return RankedTensorType::get({first, second}, type);
}

int64_t PatchProduct::tilePositions() const {
  return lines * columns * (image < 0 ? 1 : kernel.dims[image].block);
}

LogicalResult PatchProduct::finish(Value sum) {
  Type to = getElementTypeOrSelf(conv.getResult());
  if (acc != to)
    sum = arith::TruncFOp::create(
        kernel.b, kernel.loc, cast<RankedTensorType>(sum.getType()).clone(to),
        sum);
  Space space;
  auto &dims = space.axes;
  if (image >= 0 && kernel.dims[image].block > 1)
    dims.push_back(image);
  dims.push_back(place);
  dims.insert(channelsLast ? dims.end() : dims.begin(), channel);
  SmallVector<int64_t> shape;
  for (int dim : dims)
    shape.push_back(dim == place ? lines * columns : kernel.dims[dim].block);
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
  if (channelsLast)
    std::swap(x, y);
  auto type = productType(kernel.dims[channel].block, tilePositions(), acc);
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
  // Images, channels, positions, unless the input has channels innermost.
  auto place = [](Group &group) {
    FailureOr<Buffer> input =
        memoryOf(group, group.plan.anchors.front().op->getOperand(0));
    if (succeeded(input) && !input->sizes.back().is(1) &&
        input->strides.back().is(1))
      return resultLikeInput(group);
    SmallVector<unsigned> ranks(group.plan.anchors.front().map.index.size(), 2);
    ranks.front() = 0;
    ranks.back() = 1;
    return resultByAnchor(group, ranks);
  };
  return scheduleOneConvolution<PatchProduct>(op, ctx, refuse, place);
}
