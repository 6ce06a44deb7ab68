//===- TileLoop.cpp - Loops over tiles of any shape as one kernel ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileLoop.h"
#include "Combiners.h"
#include "ScatterBuilder.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/OpTable.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// A product of more multiplications is worth a launch of its own.
static constexpr int64_t kMostProducts = 1 << 18;

prim::ScatterOp TileLoopBuilder::updateOf(Value value, BlockArgument argument) {
  auto scatter = resolve(value).getDefiningOp<prim::ScatterOp>();
  if (!scatter || resolve(scatter.getOperand()) != argument ||
      scatter.getBatchDims() != 0 ||
      !cast<ShapedType>(scatter.getIndices().getType()).hasStaticShape() ||
      !cast<ShapedType>(scatter.getUpdates().getType()).hasStaticShape())
    return {};
  ArrayRef<int64_t> indices = shapeOf(scatter.getIndices());
  int64_t places = ShapedType::getNumElements(indices.drop_back());
  return places == 1 ? scatter : prim::ScatterOp();
}

std::optional<SmallVector<LoopState>> TileLoopBuilder::classify() {
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<LoopState> states;
  int64_t largest = 0;
  for (auto [yielded, argument] :
       llvm::zip_equal(yield->getOperands(), op.getBody().getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (resolve(yielded) == argument) {
      states.push_back(LoopState::invariant);
      continue;
    }
    if (!type.hasStaticShape()) {
      fail("a tensor has a size that only a launch knows");
      return std::nullopt;
    }
    prim::ScatterOp update = updateOf(yielded, argument);
    if (type.getNumElements() != 1 && update) {
      states.push_back(LoopState::memory);
      largest = std::max(largest, numElements(update.getUpdates()));
      continue;
    }
    states.push_back(LoopState::scalars);
    largest = std::max(largest, type.getNumElements());
  }
  if (isWorthTiles(largest))
    return states;
  fail("tensors of " + Twine(largest) + " elements are no tiles");
  return std::nullopt;
}

std::optional<SmallVector<int64_t>>
TileLoopBuilder::tileShape(Value value) const {
  int64_t number = numElements(value);
  if (number == 0 || number > mostElements())
    return std::nullopt;
  return llvm::to_vector(shapeOf(value));
}

Value TileLoopBuilder::readTile(const Buffer &buffer, Value value) {
  if (buffer.rank() != shapeOf(value).size())
    return fail("a tensor from outside of the loop has another rank there");
  SmallVector<Value> start(buffer.rank(), kernel.constant(0));
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get(shapeOf(value), buffer.elementType()),
      kernel.view(buffer, /*write=*/false), start, Value(),
      /*element_offsets=*/true, tile::Padding::any, DenseI64ArrayAttr());
}

void TileLoopBuilder::writeTile(Value made, const Buffer &buffer) {
  SmallVector<Value> start(buffer.rank(), kernel.constant(0));
  tile::StoreOp::create(b, loc, made, kernel.view(buffer, /*write=*/true),
                        start, /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
}

Value TileLoopBuilder::reshapeTo(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(b, loc, type.clone(shape), tile);
}

Value TileLoopBuilder::asTile(Value value) {
  Value made = tile(value);
  if (!made || isWide(value))
    return made;
  SmallVector<int64_t> shape(std::max<size_t>(shapeOf(value).size(), 1), 1);
  return tile::SplatOp::create(
      b, loc, RankedTensorType::get(shape, made.getType()), made);
}

Value TileLoopBuilder::asResult(Value made, Value result) {
  if (isWide(result))
    return reshapeTo(made, shapeOf(result));
  auto type = cast<RankedTensorType>(made.getType());
  SmallVector<Value> first(type.getRank(), kernel.constant(0));
  return tensor::ExtractOp::create(b, loc, made, first);
}

Value TileLoopBuilder::compute(Operation *inner) {
  if (inner->getNumResults() != 1 || failed(count()))
    return fail("an operation of several results");
  Value result = inner->getResult(0);
  if (!cast<ShapedType>(result.getType()).hasStaticShape())
    return fail("a tensor has a size that only a launch knows");
  if (auto reduction = dyn_cast<prim::TensorReductionOpInterface>(inner);
      reduction && !reduction.givesPlaces())
    return reduce(inner);
  using Rule = Value (*)(Operation *, TileLoopBuilder &);
  static const OpTable<Rule> rules =
      OpTable<Rule>()
          .addRules<&TileLoopBuilder::broadcast, &TileLoopBuilder::product,
                    &TileLoopBuilder::block, &TileLoopBuilder::slice,
                    &TileLoopBuilder::join, &TileLoopBuilder::iota,
                    &TileLoopBuilder::constant, &TileLoopBuilder::reshape,
                    &TileLoopBuilder::transpose>();
  Rule rule = rules.find(inner);
  return rule ? rule(inner, *this) : elementwise(inner);
}

Value TileLoopBuilder::constant(prim::ConstantOp op) {
  return asResult(readTile(kernel.host.constant(op.getValue()), op.getResult()),
                  op.getResult());
}

Value TileLoopBuilder::reshape(prim::ReshapeOp op) {
  Value result = op.getResult(), from = tile(op.getOperand());
  return from && isWide(result) ? reshapeTo(from, shapeOf(result)) : from;
}

Value TileLoopBuilder::transpose(prim::TransposeOp op) {
  Value result = op.getResult(), from = tile(op.getOperand());
  if (!from || !isWide(result))
    return from;
  auto type = cast<RankedTensorType>(from.getType());
  return tile::TransposeOp::create(b, loc, type.clone(shapeOf(result)), from,
                                   op.getPermutation());
}

Value TileLoopBuilder::broadcast(prim::BroadcastInDimOp op) {
  Value result = op.getResult(), from = tile(op.getOperand());
  if (!from || !isWide(result))
    return from;
  ArrayRef<int64_t> shape = shapeOf(result);
  if (!isWide(op.getOperand()))
    return tile::SplatOp::create(
        b, loc, RankedTensorType::get(shape, from.getType()), from);
  SmallVector<int64_t> units(shape.size(), 1);
  for (auto [size, dim] :
       llvm::zip_equal(shapeOf(op.getOperand()), op.getDims()))
    units[dim] = size;
  from = reshapeTo(from, units);
  if (ArrayRef<int64_t>(units) == shape)
    return from;
  auto type = cast<RankedTensorType>(from.getType());
  return tile::BroadcastOp::create(b, loc, type.clone(shape), from);
}

Value TileLoopBuilder::reduce(Operation *inner) {
  Value operand = inner->getOperand(0), from = tile(operand);
  if (!from || !isWide(operand))
    return from;
  Type type = getElementTypeOrSelf(operand);
  from = widen(from, partialType(inner, type));
  SmallVector<int64_t> dims = reducedDims(inner);
  llvm::sort(dims, std::greater<>());
  for (int64_t dim : dims)
    from = reduceAxis(b, loc, from, static_cast<int>(dim),
                      [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                        return SmallVector<Value>{
                            combine(inner, x[0], y[0], inside)};
                      })[0];
  return narrowed(asResult(from, inner->getResult(0)), type);
}

Value TileLoopBuilder::matrix(Value operand, ArrayRef<int64_t> batch,
                              ArrayRef<int64_t> contract, bool contractLast) {
  Value from = asTile(operand);
  if (!from)
    return {};
  ArrayRef<int64_t> shape = shapeOf(operand);
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      kept.push_back(d);
  SmallVector<int64_t> order(batch), sizes;
  llvm::append_range(order, contractLast ? ArrayRef(kept) : contract);
  llvm::append_range(order, contractLast ? contract : ArrayRef(kept));
  auto numOf = [&](ArrayRef<int64_t> dims) {
    int64_t all = 1;
    for (int64_t d : dims)
      all *= shape[d];
    return all;
  };
  if (!llvm::is_sorted(order)) {
    SmallVector<int64_t> moved;
    for (int64_t d : order)
      moved.push_back(shape[d]);
    auto type = cast<RankedTensorType>(from.getType());
    from = tile::TransposeOp::create(b, loc, type.clone(moved), from, order);
  }
  if (!batch.empty())
    sizes.push_back(numOf(batch));
  sizes.push_back(numOf(contractLast ? ArrayRef(kept) : contract));
  sizes.push_back(numOf(contractLast ? contract : ArrayRef(kept)));
  return reshapeTo(from, sizes);
}

Value TileLoopBuilder::product(prim::DotGeneralOp op) {
  Type from = getElementTypeOrSelf(op.getLhs());
  Type type = getElementTypeOrSelf(op.getResult()), sum = sumType(type);
  if (from.getIntOrFloatBitWidth() < (isa<FloatType>(from) ? 16 : 8) ||
      from.isInteger(64))
    return refuse(op);
  if (isa<FloatType>(sum) && sum.getIntOrFloatBitWidth() < 32)
    sum = b.getF32Type();
  int64_t products = numElements(op.getResult());
  for (int64_t d : op.getLhsContract())
    products *= shapeOf(op.getLhs())[d];
  if (products > kMostProducts)
    return fail("a product of many multiplications");
  Value lhs = matrix(op.getLhs(), op.getLhsBatch(), op.getLhsContract(),
                     /*contractLast=*/true);
  Value rhs = matrix(op.getRhs(), op.getRhsBatch(), op.getRhsContract(),
                     /*contractLast=*/false);
  if (!lhs || !rhs)
    return {};
  auto left = cast<RankedTensorType>(lhs.getType());
  SmallVector<int64_t> shape(left.getShape());
  shape.back() = cast<RankedTensorType>(rhs.getType()).getShape().back();
  auto made = RankedTensorType::get(shape, sum);
  Value zero = arith::ConstantOp::create(b, loc, made, b.getZeroAttr(made));
  Value all = tile::DotOp::create(b, loc, made, lhs, rhs, zero,
                                  tile::InputPrecision::ieee, false, false);
  return asResult(narrowed(all, type), op.getResult());
}

Value TileLoopBuilder::iota(prim::IotaOp op) {
  Type type = getElementTypeOrSelf(op.getResult());
  Type whole = isa<FloatType>(type) ? b.getI32Type() : type;
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return fail("an iota of narrow floats");
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  if (!isWide(op.getResult()))
    return arith::ConstantOp::create(b, loc, zeroOf(type));
  Value made = tile::IotaOp::create(b, loc, RankedTensorType::get(shape, whole),
                                    op.getDim());
  if (whole == type)
    return made;
  return arith::SIToFPOp::create(b, loc, RankedTensorType::get(shape, type),
                                 made);
}
