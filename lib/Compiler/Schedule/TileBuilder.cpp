//===- TileBuilder.cpp - Tiles of the values of a group -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/TileBuilder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Interfaces/OpTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

TileBuilder::TileBuilder(KernelBuilder &kernel, GroupPlan &plan,
                         GroupPlan::InGroupFn inGroup, Space space)
    : kernel(kernel), plan(plan), inGroup(std::move(inGroup)),
      space(std::move(space)) {
  scopes.emplace_back();
}

int TileBuilder::physical(int dim) const {
  while (kernel.dims[dim].into >= 0)
    dim = kernel.dims[dim].into;
  return dim;
}

int TileBuilder::axisOf(int dim) const {
  const int *found = llvm::find(space.axes, physical(dim));
  return found == space.axes.end() ? -1 : found - space.axes.begin();
}

bool TileBuilder::isPartial(int dim) const {
  const KernelDim &d = kernel.dims[physical(dim)];
  return !d.size.isStatic() || d.size.get() <= 0 || d.size.get() % d.block != 0;
}

SmallVector<int64_t> TileBuilder::shapeOf(const AccessMap &map) {
  SmallVector<int64_t> shape(space.axes.size(), 1);
  for (const IndexExpr &expr : map.index)
    for (int dim : expr.dims())
      if (int axis = axisOf(dim); axis >= 0)
        shape[axis] = kernel.dims[space.axes[axis]].block;
  return shape;
}

static RankedTensorType tileType(ArrayRef<int64_t> shape, Type element) {
  return RankedTensorType::get(shape, element);
}

Value TileBuilder::reshape(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(kernel.b, kernel.loc,
                                 tileType(shape, type.getElementType()), tile);
}

Value TileBuilder::broadcast(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  auto target = tileType(shape, type.getElementType());
  // A constant is written at the size it is needed in.
  DenseElementsAttr dense;
  if (matchPattern(tile, m_Constant(&dense)) && dense.isSplat())
    return arith::ConstantOp::create(
        kernel.b, kernel.loc,
        DenseElementsAttr::get(target, dense.getSplatValue<Attribute>()));
  return tile::BroadcastOp::create(kernel.b, kernel.loc, target, tile);
}

Value TileBuilder::splat(TypedAttr value, ArrayRef<int64_t> shape) {
  return arith::ConstantOp::create(
      kernel.b, kernel.loc,
      DenseElementsAttr::get(tileType(shape, value.getType()),
                             static_cast<Attribute>(value)));
}

Value TileBuilder::lookup(Value value, const AccessMap &map) {
  llvm::SmallBitVector support = map.support(kernel.dims.size());
  for (Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.tiles.find(value);
    if (found != scope.tiles.end())
      for (auto &[known, tile] : found->second)
        if (known == map)
          return tile;
    // What lies outside of a loop and depends on its dimension is about another
    // place.
    if (scope.dim >= 0)
      for (int dim : support.set_bits())
        if (physical(dim) == scope.dim)
          return {};
  }
  return {};
}

void TileBuilder::bind(Value value, const AccessMap &map, Value tile) {
  scopes.back().tiles[value].push_back({map, tile});
}

Value TileBuilder::emit(Value value, const AccessMap &map) {
  if (Value known = lookup(value, map))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  if (op && inGroup(op))
    result = emitOp(op, value, map);
  else if (kernel.host.hasBuffer(value))
    result = load(kernel.host.buffer(value), map);
  else
    return fail("a value that the group reads has no buffer");
  if (result)
    bind(value, map, result);
  return result;
}

Value TileBuilder::emitOp(Operation *op, Value value, const AccessMap &map) {
  if (TypedAttr attr = splatValue(op))
    return splat(attr, SmallVector<int64_t>(space.axes.size(), 1));
  using Rule = Value (*)(Operation *, TileBuilder &, const AccessMap &);
  static const OpTable<Rule> rules =
      OpTable<Rule>()
          .addRules<&TileBuilder::emitIota, &TileBuilder::emitFromIndex,
                    &TileBuilder::emitPad, &TileBuilder::emitTable,
                    &TileBuilder::emitRescale, &TileBuilder::emitGather>();
  if (Rule rule = rules.find(op))
    return rule(op, *this, map);
  if (isMovement(op))
    return emitMovement(op, map);
  if (isElementwisePrim(op))
    return emitElementwise(op, map);
  if (isReduction(op))
    return emitReduction(op, map);
  return fail("no tile for " + op->getName().getStringRef());
}

Value TileBuilder::emitElementwise(Operation *op, const AccessMap &map) {
  SmallVector<Value> tiles;
  SmallVector<int64_t> shape(space.axes.size(), 1);
  for (Value operand : op->getOperands()) {
    Value tile = emit(operand, map);
    if (!tile)
      return {};
    tiles.push_back(tile);
    for (auto [d, size] :
         llvm::enumerate(cast<RankedTensorType>(tile.getType()).getShape()))
      shape[d] = std::max(shape[d], size);
  }
  for (Value &tile : tiles)
    tile = broadcast(tile, shape);
  Value result = emitElementwiseTile(op, tiles, kernel.b);
  return result ? result
                : fail("no expansion of " + op->getName().getStringRef());
}

Value TileBuilder::emitMovement(Operation *op, const AccessMap &map) {
  MapContext ctx = plan.context();
  auto cat = dyn_cast<ConcatenationOpInterface>(op);
  Value result;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AccessMap inner;
    if (readsNothing(op, operand.getOperandNumber(), map, ctx))
      continue;
    if (failed(moveMap(op, operand.getOperandNumber(), map, ctx, inner)))
      return fail("no affine access through " + op->getName().getStringRef());
    Value tile = emit(operand.get(), inner);
    if (!tile || !cat)
      return tile;
    if (!result) {
      result = tile;
      continue;
    }
    // The operand's own part; where it ends the earlier ones do not matter.
    SmallVector<int, 2> along = map.index[cat.getJoinedDim()].dims();
    if (along.empty())
      return fail("no affine access through prim.cat");
    int dim = along.front();
    const IndexRange *range = inner.rangeOf(dim);
    Value where = range ? mask(dim, range->lo, range->hi) : Value();
    if (!where) {
      result = tile;
      continue;
    }
    SmallVector<int64_t> shape(space.axes.size(), 1);
    for (Value v : {where, tile, result})
      for (auto [d, size] :
           llvm::enumerate(cast<RankedTensorType>(v.getType()).getShape()))
        shape[d] = std::max(shape[d], size);
    result = arith::SelectOp::create(
        kernel.b, kernel.loc, broadcast(where, shape), broadcast(tile, shape),
        broadcast(result, shape));
  }
  return result;
}

Value TileBuilder::emitPad(prim::PadOp op, const AccessMap &map) {
  MapContext ctx = plan.context();
  auto pad = cast<TypedAttr>(op.getValueAttr());
  if (readsNothing(op, 0, map, ctx))
    return splat(pad, SmallVector<int64_t>(space.axes.size(), 1));
  AccessMap inner;
  if (failed(moveMap(op, 0, map, ctx, inner)))
    return fail("no affine access through prim.pad");
  // From memory the load itself pads.
  Value source = op.getOperand();
  AccessMap sourceMap = inner;
  while (Operation *def = source.getDefiningOp()) {
    if (!inGroup(def) || !isViewMovement(def))
      break;
    AccessMap next;
    if (failed(moveMap(def, 0, sourceMap, ctx, next)))
      break;
    sourceMap = next;
    source = def->getOperand(0);
  }
  Operation *def = source.getDefiningOp();
  if (!(def && inGroup(def)) && kernel.host.hasBuffer(source)) {
    llvm::SmallBitVector support = sourceMap.support(plan.sizes.size());
    bool covered = llvm::all_of(sourceMap.ranges, [&](const IndexRange &range) {
      return support.test(range.dim) && !map.rangeOf(range.dim);
    });
    // Dimensions of stride 0 are not in the view, so nothing would pad there.
    SmallVector<ViewDim> viewDims;
    Buffer view = viewOf(kernel.host.buffer(source), sourceMap, viewDims);
    for (const IndexRange &range : sourceMap.ranges)
      covered &= llvm::any_of(
          viewDims, [&](const ViewDim &v) { return v.dim == range.dim; });
    if (covered)
      return load(kernel.host.buffer(source), sourceMap, pad);
  }
  Value tile = emit(op.getOperand(), inner);
  if (!tile)
    return {};
  for (const IndexRange &range : inner.ranges)
    if (!map.rangeOf(range.dim) || !(*map.rangeOf(range.dim) == range))
      if (Value where = mask(range.dim, range.lo, range.hi))
        tile = select(where, tile, pad);
  return tile;
}

Value TileBuilder::select(Value where, Value tile, TypedAttr other) {
  SmallVector<int64_t> shape;
  for (auto [a, c] :
       llvm::zip(cast<RankedTensorType>(where.getType()).getShape(),
                 cast<RankedTensorType>(tile.getType()).getShape()))
    shape.push_back(std::max(a, c));
  return arith::SelectOp::create(kernel.b, kernel.loc, broadcast(where, shape),
                                 broadcast(tile, shape), splat(other, shape));
}

Value TileBuilder::mask(int dim, Extent lo, Extent hi) {
  const KernelDim &d = kernel.dims[dim];
  OpBuilder &b = kernel.b;
  bool needLo = !(lo.isStatic() && lo.get() <= 0) || d.outside;
  bool needHi = !hi.same(d.size) || d.outside || isPartial(dim);
  if (!needLo && !needHi)
    return {};
  int axis = axisOf(dim);
  SmallVector<int64_t> shape(space.axes.size(), 1);
  Type i1 = b.getI1Type(), i32 = b.getI32Type();
  Value result;
  auto both = [&](Value cond) {
    result = result ? arith::AndIOp::create(b, kernel.loc, result, cond) : cond;
  };
  if (axis < 0 || d.block == 1) {
    if (needLo)
      both(arith::CmpIOp::create(b, kernel.loc, arith::CmpIPredicate::sge,
                                 d.offset, kernel.index(lo)));
    if (needHi)
      both(arith::CmpIOp::create(b, kernel.loc, arith::CmpIPredicate::slt,
                                 d.offset, kernel.index(hi)));
    return tile::SplatOp::create(b, kernel.loc, tileType(shape, i1), result);
  }
  shape[axis] = d.block;
  Value iota = tile::IotaOp::create(b, kernel.loc, tileType(shape, i32),
                                    static_cast<uint64_t>(axis));
  // The first element of the tile at or beyond `limit`, within the tile.
  auto position = [&](Extent limit) -> Value {
    Value distance = kernel.sub(kernel.index(limit), d.offset);
    if (d.step != 1)
      distance = arith::CeilDivSIOp::create(b, kernel.loc, distance,
                                            kernel.constant(d.step));
    distance =
        arith::MaxSIOp::create(b, kernel.loc, distance, kernel.constant(0));
    distance = arith::MinSIOp::create(b, kernel.loc, distance,
                                      kernel.constant(d.block));
    Value narrow = arith::IndexCastOp::create(b, kernel.loc, i32, distance);
    return tile::SplatOp::create(b, kernel.loc, tileType(shape, i32), narrow);
  };
  if (needLo)
    both(arith::CmpIOp::create(b, kernel.loc, arith::CmpIPredicate::sge, iota,
                               position(lo)));
  if (needHi)
    both(arith::CmpIOp::create(b, kernel.loc, arith::CmpIPredicate::slt, iota,
                               position(hi)));
  return result;
}

/// Whether an operation makes a zero of a zero: a conversion to a type that has
/// one, from one that does.
static bool keepsZero(Operation *op) {
  if (isa<arith::NegFOp, math::AbsFOp>(op))
    return true;
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op) &&
         !isa<Float8E8M0FNUType>(getElementTypeOrSelf(op->getOperand(0))) &&
         !isa<Float8E8M0FNUType>(getElementTypeOrSelf(op->getResult(0)));
}

/// Whether a tile was loaded along an axis, with zeros outside of its view.
static bool hasZerosOutside(Value tile, int axis) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  Operation *op = tile.getDefiningOp();
  bool keepsRank = true;
  while (op && keepsRank &&
         (keepsZero(op) || isa<RepeatOpInterface, ReshapeOpInterface>(op))) {
    ArrayRef<int64_t> from = shapeOf(op->getOperand(0)),
                      to = shapeOf(op->getResult(0));
    keepsRank = from.size() == to.size();
    // Loads have no axes of a single element, and repeat none.
    auto isLong = [](int64_t size) { return size > 1; };
    bool keepsAxis =
        keepsRank
            ? from[axis] == to[axis] && llvm::all_of(llvm::zip(from, to),
                                                     [](auto pair) {
                                                       auto [x, y] = pair;
                                                       return x == y || x == 1;
                                                     })
            : llvm::equal(llvm::make_filter_range(from, isLong),
                          llvm::make_filter_range(to, isLong));
    if (!keepsAxis)
      return false;
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  return load && !load.getPad() && load.getPadding() == tile::Padding::zero;
}

Value TileBuilder::maskPartial(Value tile, ArrayRef<int> dims,
                               TypedAttr other) {
  for (int dim : dims) {
    dim = physical(dim);
    int axis = axisOf(dim);
    if (axis < 0 && !kernel.dims[dim].outside)
      continue;
    // A view ends where its dimensions do.
    int64_t block = kernel.dims[dim].block;
    if (axis >= 0 && block > 1 && other == zeroOf(other.getType()) &&
        cast<RankedTensorType>(tile.getType()).getDimSize(axis) == block &&
        hasZerosOutside(tile, axis))
      continue;
    if (Value where = mask(dim, 0, kernel.dims[dim].size))
      tile = select(where, tile, other);
  }
  return tile;
}
