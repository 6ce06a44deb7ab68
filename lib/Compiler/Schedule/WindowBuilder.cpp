//===- WindowBuilder.cpp - Kernels that slide a window --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WindowBuilder.h"
#include "Combiners.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

WindowBuilder::WindowBuilder(Group &group, KernelBuilder &kernel,
                             const Buffer &out)
    : group(group), kernel(kernel), out(out),
      anchor(group.plan.anchors.front()) {
  readAttributes();
}

/// The convolution of an anchor; null where it is a pooling.
static prim::ConvOp convolutionOf(Operation *op) {
  return dyn_cast<prim::ConvOp>(op);
}

void WindowBuilder::readAttributes() {
  auto list = [&](StringRef name) {
    auto attr = anchor.op->getAttrOfType<DenseI64ArrayAttr>(name);
    return attr ? SmallVector<int64_t>(attr.asArrayRef())
                : SmallVector<int64_t>(spatial, 1);
  };
  spatial = anchor.virtualDims.size();
  strides = list("strides");
  padLow = list("pad_low");
  dilation = list("dilation");
  inputDilation = list("input_dilation");
  spread = llvm::any_of(inputDilation, [](int64_t d) { return d != 1; });
  element = cast<RankedTensorType>(anchor.op->getOperand(0).getType())
                .getElementType();
  acc = cast<RankedTensorType>(anchor.op->getResult(0).getType())
            .getElementType();
  acc = partialType(anchor.op, acc);
  if (prim::ConvOp conv = convolutionOf(anchor.op)) {
    // One input channel per group: nothing to sum over but the window.
    bool single = !anchor.operandMaps[1].index.back().hasDims();
    kind = single && conv.getGroups() > 1 ? Kind::Depthwise : Kind::Dot;
  }
}

int WindowBuilder::dimOrNew(const IndexExpr &expr) {
  if (expr.hasDims())
    return expr.dims().back();
  kernel.dims.emplace_back();
  int dim = kernel.dims.size() - 1;
  kernel.place(dim, kernel.constant(0));
  return dim;
}

LogicalResult WindowBuilder::findDims() {
  for (unsigned d = 0; d < spatial; ++d) {
    const IndexExpr &p = anchor.map.index[d + 1];
    const IndexExpr &w = anchor.window[d];
    SmallVector<int, 2> at = p.dims(), in = w.dims();
    if (at.size() > 1 || in.size() > 1 || !p.offset().is(0))
      return fail("a spatial dimension of the result is split");
    position.push_back(at.empty() ? -1 : at.front());
    window.push_back(in.empty() ? -1 : in.front());
  }
  tilePosition = dimOrNew(anchor.map.index[spatial]);
  if (kind == Kind::Depthwise) {
    // Channels of the input are the groups.
    const IndexExpr &channel = anchor.operandMaps[0].index.back();
    tileOut = tileIn = dimOrNew(channel);
  } else {
    // With groups the input depends on the outer part of the channels.
    IndexExpr channels = anchor.map.index.back();
    if (kind == Kind::Dot)
      channels = channels.without([&](int dim) {
        return anchor.operandMaps[0].index.back().dependsOn(dim);
      });
    tileOut = dimOrNew(channels);
    tileIn = kind == Kind::Pool ? tileOut
                                : dimOrNew(anchor.operandMaps[1].index.back());
  }
  return success();
}

void WindowBuilder::chooseBlocks() {
  using target::TilingProblem;
  using target::TilingRole;
  if (kind == Kind::Dot) {
    std::pair<int, TilingRole> tiled[] = {{tilePosition, TilingRole::Row},
                                          {tileOut, TilingRole::Column},
                                          {tileIn, TilingRole::Depth}};
    TilingProblem problem =
        group.problemFor(kernel, TilingProblem::Kind::Contraction, tiled);
    problem.lhs = problem.rhs =
        multipliedType(element, convolutionOf(anchor.op).getPrecision());
    problem.acc = acc;
    problem.tiles.push_back({{0, 1}, acc.getIntOrFloatBitWidth()});
    if (!hasTileDot(element, acc))
      problem.dims[2].most = 1;
    group.chooseBlocks(kernel, problem, tiled);
  } else {
    std::pair<int, TilingRole> tiled[] = {{tilePosition, TilingRole::Row},
                                          {tileOut, TilingRole::Column}};
    group.chooseBlocks(
        kernel,
        group.problemFor(kernel, TilingProblem::Kind::Elementwise, tiled),
        tiled);
  }
  KernelDim &p = kernel.dims[tilePosition];
  KernelDim &last = kernel.dims[anchor.virtualDims.back()];
  last.block = p.block;
  last.step = strides.back();
  for (int dim : anchor.virtualDims)
    kernel.dims[dim].outside = true;
}

void WindowBuilder::placeWindow() {
  for (unsigned d = 0; d < spatial; ++d) {
    Value offset = kernel.constant(-padLow[d]);
    if (position[d] >= 0)
      offset = kernel.add(kernel.mul(kernel.dims[position[d]].offset,
                                     kernel.constant(strides[d])),
                          offset);
    if (window[d] >= 0)
      offset = kernel.add(offset, kernel.mul(kernel.dims[window[d]].offset,
                                             kernel.constant(dilation[d])));
    kernel.dims[anchor.virtualDims[d]].offset = offset;
  }
}

Value WindowBuilder::spreadTile(TileBuilder &emitter) {
  // Coordinates between the spread elements become -1, outside of the input.
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  using P = arith::CmpIPredicate;
  auto divide = [&](Value at, Value by, Value zero, Value none) -> Value {
    Value rest = arith::RemSIOp::create(b, loc, at, by);
    Value hits = arith::CmpIOp::create(b, loc, P::eq, rest, zero);
    Value index = arith::DivSIOp::create(b, loc, at, by);
    return arith::SelectOp::create(b, loc, hits, index, none);
  };
  SmallVector<int64_t> shape(2, 1);
  Type i32 = b.getI32Type();
  int last = anchor.virtualDims.back();
  shape[0] = kernel.dims[last].block;
  auto type = RankedTensorType::get(shape, i32);
  auto constant = [&](int64_t value) {
    return emitter.splat(b.getI32IntegerAttr(value), shape);
  };
  Value start =
      arith::IndexCastOp::create(b, loc, i32, kernel.dims[last].offset);
  Value index = arith::AddIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc,
                            tile::IotaOp::create(b, loc, type, uint64_t(0)),
                            constant(strides.back())),
      tile::SplatOp::create(b, loc, type, start));
  index =
      divide(index, constant(inputDilation.back()), constant(0), constant(-1));
  for (unsigned d = 0; d + 1 < spatial; ++d) {
    Value &offset = kernel.dims[anchor.virtualDims[d]].offset;
    offset = divide(offset, kernel.constant(inputDilation[d]),
                    kernel.constant(0), kernel.constant(-1));
  }
  AccessMap map = anchor.operandMaps[0];
  map.index[spatial] = IndexExpr();
  Value tile = emitter.gather(group.host.buffer(anchor.op->getOperand(0)), map,
                              spatial, index);
  if (!tile)
    note(emitter.reason);
  return tile;
}

Value WindowBuilder::inputTile(TileBuilder &emitter, TypedAttr outside) {
  Value operand = anchor.op->getOperand(0);
  const AccessMap &map = anchor.operandMaps[0];
  Operation *source = operand.getDefiningOp();
  bool computed = source && group.inGroup()(source);
  Value tile;
  if (spread) {
    if (computed) {
      note("a spread input must be in memory");
      return {};
    }
    tile = spreadTile(emitter);
  } else if (!computed) {
    tile = emitter.load(group.host.buffer(operand), map, outside);
  } else {
    tile = emitter.emit(operand, map);
    if (!tile) {
      note(emitter.reason);
      return {};
    }
    SmallVector<int> dims(anchor.virtualDims.begin(), anchor.virtualDims.end());
    if (kind == Kind::Dot)
      dims.push_back(tileIn);
    tile = emitter.maskPartial(tile, dims, outside);
  }
  if (!tile)
    return {};
  return emitter.broadcast(
      tile, {kernel.dims[tilePosition].block, kernel.dims[tileIn].block});
}

/// Converts to the type sums are computed in.
static Value widen(OpBuilder &b, Location loc, Value tile, Type to) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() == to)
    return tile;
  if (isa<FloatType>(to))
    return arith::ExtFOp::create(b, loc, type.clone(to), tile);
  return arith::ExtSIOp::create(b, loc, type.clone(to), tile);
}

Value WindowBuilder::step(Value carried, TileBuilder &input,
                          TileBuilder *filter) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  placeWindow();
  TypedAttr outside =
      kind == Kind::Pool ? neutralValue(anchor.op, element) : zeroOf(element);
  Value x = inputTile(input, outside);
  if (!x)
    return {};
  if (kind == Kind::Pool)
    return combine(anchor.op, carried, widen(b, loc, x, acc), b);
  Value weights = anchor.op->getOperand(1);
  Value y = filter->emit(weights, anchor.operandMaps[1]);
  if (!y) {
    note(filter->reason);
    return {};
  }
  if (kind == Kind::Depthwise || !hasTileDot(element, acc))
    return multiplyAdd(x, y, carried, *filter);
  Operation *source = weights.getDefiningOp();
  if (source && group.inGroup()(source))
    y = filter->maskPartial(y, {tileIn}, zeroOf(element));
  y = filter->broadcast(
      y, {kernel.dims[tileIn].block, kernel.dims[tileOut].block});
  auto precision = convolutionOf(anchor.op).getPrecision();
  return tile::DotOp::create(b, loc, carried.getType(), x, y, carried,
                             inputPrecision(precision), false, false);
}

Value WindowBuilder::finish(Value sum, TileBuilder &epilogue) {
  Type to = cast<RankedTensorType>(anchor.op->getResult(0).getType())
                .getElementType();
  if (acc != to)
    sum = arith::TruncFOp::create(
        kernel.b, kernel.loc, cast<RankedTensorType>(sum.getType()).clone(to),
        sum);
  epilogue.bind(anchor.op->getResult(0), anchor.map, sum);
  Value tile = epilogue.emit(group.root, group.plan.rootMap);
  if (!tile)
    note(epilogue.reason);
  return tile;
}

LogicalResult WindowBuilder::run() {
  if (failed(findDims()))
    return failure();
  chooseBlocks();
  SmallVector<int> grid;
  auto addGrid = [&](int dim) {
    if (dim >= 0 && !kernel.dims[dim].offset && !llvm::is_contained(grid, dim))
      grid.push_back(dim);
  };
  addGrid(tileOut);
  addGrid(tilePosition);
  for (int dim = static_cast<int>(group.plan.numRootDims) - 1; dim >= 0; --dim)
    addGrid(dim);
  for (int dim : grid)
    kernel.addGridDim(dim);
  kernel.placeGrid();

  int inPosition = anchor.virtualDims.back();
  TileBuilder input(kernel, group.plan, group.inGroup(),
                    Space{{inPosition, tileIn}});
  Space filterSpace{{kind == Kind::Depthwise ? tilePosition : tileIn, tileOut}};
  TileBuilder filter(kernel, group.plan, group.inGroup(), filterSpace);
  TileBuilder epilogue(kernel, group.plan, group.inGroup(),
                       Space{{tilePosition, tileOut}});
  SmallVector<int64_t> shape = {kernel.dims[tilePosition].block,
                                kernel.dims[tileOut].block};
  SmallVector<int> loops;
  for (int dim : anchor.reduced) {
    if (kernel.numBlocks(dim).is(1))
      kernel.place(dim, kernel.constant(0));
    else
      loops.push_back(dim);
  }
  TypedAttr start =
      kind == Kind::Pool ? neutralValue(anchor.op, acc) : zeroOf(acc);
  bool ok = true;
  SmallVector<Value> sum =
      input.loop(loops, epilogue.splat(start, shape),
                 [&](ValueRange carried) -> SmallVector<Value> {
                   Value next = step(carried[0], input, &filter);
                   ok &= static_cast<bool>(next);
                   return {next ? next : carried[0]};
                 });
  if (!ok)
    return failure();
  Value tile = finish(sum[0], epilogue);
  if (!tile)
    return failure();
  epilogue.store(tile, out, group.plan.rootMap);
  Extent flops = kind == Kind::Pool ? 1 : 2;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    flops = flops * group.plan.sizes[d];
  for (int dim : anchor.reduced)
    flops = flops * group.plan.sizes[dim];
  kernel.finish("generic.convolution", flops);
  return success();
}
