//===- MatrixKernel.cpp - Kernels of matrices as tiles --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixKernel.h"
#include "BlockThreads.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

using Pred = arith::CmpIPredicate;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

/// Tiles have powers of two of elements along a dimension.
static int64_t sizeOfTile(Extent size) {
  return llvm::PowerOf2Ceil(uint64_t(size.get()));
}

MatrixKernel::MatrixKernel(Operation *op, ScheduleContext &ctx, int64_t columns)
    : ctx(ctx), kernel(ctx.host, op->getLoc(), ctx.kernelName), b(kernel.b),
      loc(op->getLoc()) {
  const Buffer &last = ctx.host.buffer(op->getOperands().back());
  place(last, columns);
  // A warp exchanges elements faster than several do.
  constexpr int64_t kElementsOfThread = 8;
  int64_t elements = sizeOfTile(last.sizes[last.rank() - 2]) * columns,
          lanes = countLanes(ctx.description),
          most = countBlockThreads(ctx.description) / lanes,
          warps = std::clamp<int64_t>(elements / (lanes * kElementsOfThread), 1,
                                      most);
  kernel.kernel->setAttr(tile::kHintsAttr, tile::KernelHintsAttr::get(
                                               b.getContext(), warps, 0, 0, 0));
}

/// An instance for each matrix of the batch, and for blocks of columns.
void MatrixKernel::place(const Buffer &last, int64_t columns) {
  for (auto [d, size] : llvm::enumerate(last.sizes)) {
    KernelDim next;
    if (d + 2 != last.rank())
      next.size = size;
    if (d + 1 == last.rank())
      next.block = columns;
    kernel.dims.push_back(next);
  }
  for (int64_t d = last.rank(); d-- > 0;)
    if (d + 2 == int64_t(last.rank()))
      kernel.place(int(d), kernel.constant(0));
    else
      kernel.addGridDim(int(d));
  kernel.placeGrid();
}

SmallVector<Value> MatrixKernel::coordinates(const Buffer &buffer, int64_t rank,
                                             bool isLast) {
  SmallVector<Value> result;
  int64_t batch = int64_t(buffer.rank()) - rank;
  for (int64_t d = 0; d < batch; ++d)
    result.push_back(kernel.dims[d].offset);
  for (int64_t d = 0; d < rank; ++d)
    result.push_back(isLast && d + 1 == rank ? kernel.dims.back().offset
                                             : kernel.constant(0));
  return result;
}

Value MatrixKernel::load(const Buffer &matrix, ArrayRef<int64_t> shape,
                         bool isLast) {
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get(shape, matrix.elementType()),
      kernel.view(matrix, /*write=*/false),
      coordinates(matrix, shape.size(), isLast), Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
}

void MatrixKernel::store(Value tile, const Buffer &to, bool isLast) {
  tile::StoreOp::create(b, loc, tile, kernel.view(to, /*write=*/true),
                        coordinates(to, typeOf(tile).getRank(), isLast),
                        /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
}

void MatrixKernel::storeNumber(Value number, const Buffer &to) {
  Buffer line = to;
  line.sizes.push_back(1);
  line.strides.push_back(1);
  store(tile::SplatOp::create(
            b, loc, RankedTensorType::get({1}, number.getType()), number),
        line);
}

SmallVector<Value> MatrixKernel::repeat(int64_t count, ValueRange first,
                                        Step step) {
  auto loop =
      scf::ForOp::create(b, loc, kernel.constant(0), kernel.constant(count),
                         kernel.constant(1), first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                        loop.getInductionVar());
  scf::YieldOp::create(b, loc, step(at, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value MatrixKernel::is(Pred predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}

Value MatrixKernel::compareToZero(arith::CmpFPredicate predicate, Value x) {
  return arith::CmpFOp::create(b, loc, predicate, x, number(x.getType(), 0));
}

Value MatrixKernel::number(Type element, double value) {
  TypedAttr made = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
  return arith::ConstantOp::create(b, loc, made);
}

Value MatrixKernel::splat(Value scalar, Value like) {
  return tile::SplatOp::create(b, loc, typeOf(like).clone(scalar.getType()),
                               scalar);
}

Value MatrixKernel::along(Value like, int64_t dim) {
  return tile::IotaOp::create(b, loc, typeOf(like).clone(b.getI32Type()),
                              uint64_t(dim));
}

Value MatrixKernel::isAt(Value like, int64_t dim, Value at) {
  Value coordinate = along(like, dim);
  return is(Pred::eq, coordinate, splat(at, coordinate));
}

Value MatrixKernel::reduce(Value tile, int64_t axis,
                           llvm::function_ref<Value(Value, Value)> combine) {
  SmallVector<int64_t> shape(typeOf(tile).getShape());
  Type element = typeOf(tile).getElementType();
  shape.erase(shape.begin() + axis);
  auto made =
      tile::ReduceOp::create(b, loc, RankedTensorType::get(shape, element),
                             tile, uint64_t(axis), false);
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&made.getCombiner(), {}, {element, element}, {loc, loc});
  tile::YieldOp::create(b, loc,
                        combine(block->getArgument(0), block->getArgument(1)));
  return made.getResult(0);
}

Value MatrixKernel::sum(Value tile, int64_t axis) {
  bool isFloat = isa<FloatType>(typeOf(tile).getElementType());
  return reduce(tile, axis, [&](Value x, Value y) {
    return isFloat ? make<arith::AddFOp>(x, y) : make<arith::AddIOp>(x, y);
  });
}

Value MatrixKernel::pick(Value tile, int64_t dim, Value at) {
  Value zero = splat(number(typeOf(tile).getElementType(), 0), tile);
  return sum(select(isAt(tile, dim, at), tile, zero), dim);
}

Value MatrixKernel::element(Value line, Value at) {
  return tensor::ExtractOp::create(b, loc, pick(line, 0, at), ValueRange());
}

Value MatrixKernel::repeated(Value line, int64_t dim, Value like) {
  Value wide = tile::ExpandDimsOp::create(b, loc, line, uint64_t(dim));
  auto type = typeOf(like).clone(typeOf(line).getElementType());
  return typeOf(wide) == type
             ? wide
             : tile::BroadcastOp::create(b, loc, type, wide).getResult();
}

Value MatrixKernel::minusProduct(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, arith::NegFOp::create(b, loc, y), z, x);
}

/// Of column k what the columns before explain has been taken from all others.
void MatrixKernel::build(prim::CholeskyOp op, ArrayRef<Buffer> outs) {
  const Buffer &from = ctx.host.buffer(op.getOperand());
  int64_t size = sizeOfTile(from.sizes.back());
  Value given = load(from, {size, size});
  Type type = typeOf(given).getElementType();
  Value isLower = is(Pred::sge, along(given, 0), along(given, 1));
  Value turned = tile::TransposeOp::create(b, loc, given.getType(), given,
                                           ArrayRef<int64_t>{1, 0});
  Value zero = splat(number(type, 0), given);
  Value none = number(b.getI32Type(), 0), one = number(b.getI32Type(), 1);
  SmallVector<Value> made = repeat(
      from.sizes.back().get(), {select(isLower, given, turned), zero, none},
      [&](Value at, ValueRange now) -> SmallVector<Value> {
        Value rest = now[0], root = now[1], info = now[2];
        Value row = pick(rest, 0, at), column = pick(rest, 1, at);
        Value corner = element(row, at);
        Value isBad = compareToZero(arith::CmpFPredicate::ULE, corner);
        Value diagonal = math::SqrtOp::create(b, loc, corner);
        row = make<arith::DivFOp>(row, splat(diagonal, row));
        column = make<arith::DivFOp>(column, splat(diagonal, column));
        column = repeated(column, 1, rest);
        Value isBelow = is(Pred::sge, along(rest, 0), along(rest, 1));
        root = select(both(isAt(rest, 1, at), isBelow), column, root);
        rest = minusProduct(rest, column, repeated(row, 0, rest));
        info = select(both(isBad, is(Pred::eq, info, none)),
                      make<arith::AddIOp>(at, one), info);
        return {rest, root, info};
      });
  Value nan =
      splat(number(type, std::numeric_limits<double>::quiet_NaN()), given);
  Value fails = both(splat(is(Pred::ne, made[2], none), given), isLower);
  store(select(fails, nan, made[1]), outs[0]);
  storeNumber(made[2], outs[1]);
  kernel.finish("generic.matrices");
}

void MatrixKernel::build(prim::LuOp op, ArrayRef<Buffer> outs) {
  const Buffer &from = ctx.host.buffer(op.getOperand());
  Extent rows = from.sizes[from.rank() - 2], columns = from.sizes.back();
  Value given = load(from, {sizeOfTile(rows), sizeOfTile(columns)});
  Type type = typeOf(given).getElementType(), i32 = b.getI32Type();
  Value line = pick(given, 1, number(i32, 0)), places = along(line, 0);
  Value none = number(i32, 0), one = number(i32, 1),
        last = number(i32, double(rows.get() - 1));
  auto step = [&](Value at, ValueRange now) -> SmallVector<Value> {
    Value all = now[0], order = now[1], pivots = now[2], info = now[3];
    Value column = pick(all, 1, at);
    // The first of the largest elements from the diagonal on.
    Value isLeft = both(is(Pred::sge, places, splat(at, places)),
                        is(Pred::sle, places, splat(last, places)));
    Value sizes = select(isLeft, math::AbsFOp::create(b, loc, column),
                         splat(number(type, -1), column));
    Value most = tensor::ExtractOp::create(
        b, loc,
        reduce(sizes, 0,
               [&](Value x, Value y) { return make<arith::MaxNumFOp>(x, y); }),
        ValueRange());
    Value isMost = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                         sizes, splat(most, sizes));
    Value pivot = tensor::ExtractOp::create(
        b, loc,
        reduce(select(isMost, places, splat(last, places)), 0,
               [&](Value x, Value y) { return make<arith::MinSIOp>(x, y); }),
        ValueRange());
    pivot = make<arith::MaxSIOp>(pivot, at);
    // Both rows change places, in all that there is one of for each row.
    auto isHere = [&](Value like) { return isAt(like, 0, at); };
    auto isThere = [&](Value like) { return isAt(like, 0, pivot); };
    Value row = pick(all, 0, pivot), other = pick(all, 0, at);
    row = repeated(row, 0, all);
    all = select(isHere(all), row,
                 select(isThere(all), repeated(other, 0, all), all));
    auto exchanged = [&](Value x) {
      Value first = element(x, at), second = element(x, pivot);
      return select(isHere(x), splat(second, x),
                    select(isThere(x), splat(first, x), x));
    };
    order = exchanged(order);
    column = exchanged(column);
    pivots = select(isHere(pivots), splat(pivot, pivots), pivots);
    Value corner = element(column, at);
    Value isZero = compareToZero(arith::CmpFPredicate::OEQ, corner),
          isOther = compareToZero(arith::CmpFPredicate::UNE, corner);
    info = select(both(isZero, is(Pred::eq, info, none)),
                  make<arith::AddIOp>(at, one), info);
    Value isUsed =
        both(is(Pred::sgt, places, splat(at, places)), splat(isOther, places));
    Value factors =
        select(isUsed, make<arith::DivFOp>(column, splat(corner, column)),
               splat(number(type, 0), column));
    Value by = repeated(factors, 1, all);
    Value right = along(all, 1);
    Value isBehind = is(Pred::sgt, right, splat(at, right));
    Value isBelow = is(Pred::sgt, along(all, 0), splat(at, right));
    Value next = select(isAt(all, 1, at), by,
                        select(isBehind, minusProduct(all, by, row), all));
    all = select(isBelow, next, all);
    return {all, order, pivots, info};
  };
  SmallVector<Value> made =
      repeat(std::min(rows.get(), columns.get()),
             {given, places, splat(none, places), none}, step);
  store(made[0], outs[0]);
  store(made[2], outs[1]);
  store(made[1], outs[2]);
  storeNumber(made[3], outs[3]);
  kernel.finish("generic.matrices");
}

/// Row by row of the solution, from that on that depends on no other.
void MatrixKernel::build(prim::TriangularSolveOp op, ArrayRef<Buffer> outs) {
  const Buffer &left = ctx.host.buffer(op.getA()),
               &right = ctx.host.buffer(op.getB());
  Extent count = left.sizes.back();
  int64_t size = sizeOfTile(count);
  Value matrix = load(left, {size, size});
  bool lower = op.getLower();
  if (op.getTranspose()) {
    lower = !lower;
    matrix = tile::TransposeOp::create(b, loc, matrix.getType(), matrix,
                                       ArrayRef<int64_t>{1, 0});
  }
  Value given = load(right, {size, kernel.dims.back().block}, /*isLast=*/true);
  Value last = number(b.getI32Type(), double(count.get() - 1));
  SmallVector<Value> made = repeat(
      count.get(), {given},
      [&](Value step, ValueRange now) -> SmallVector<Value> {
        Value at = lower ? step : make<arith::SubIOp>(last, step);
        Value rest = now[0];
        Value row = pick(rest, 0, at), column = pick(matrix, 1, at);
        if (!op.getUnit())
          row = make<arith::DivFOp>(row, splat(element(column, at), row));
        Value places = along(rest, 0);
        Value isLeft =
            is(lower ? Pred::sgt : Pred::slt, places, splat(at, places));
        row = repeated(row, 0, rest);
        Value next = minusProduct(rest, repeated(column, 1, rest), row);
        return {select(isAt(rest, 0, at), row, select(isLeft, next, rest))};
      });
  store(made[0], outs[0], /*isLast=*/true);
  kernel.finish("generic.matrices");
}
