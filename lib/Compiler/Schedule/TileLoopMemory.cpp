//===- TileLoopMemory.cpp - Blocks that a loop over tiles reads and writes ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScatterBuilder.h"
#include "TileLoop.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// One slice at a computed place of a tensor in memory.
Value TileLoopBuilder::block(prim::GatherOp op) {
  Value operand = resolve(op.getOperand());
  const Buffer *memory = memoryOf(operand);
  bool isWritten = memory != nullptr;
  if (!memory &&
      !this->op->isAncestor(operand.getParentRegion()->getParentOp()) &&
      kernel.host.hasBuffer(operand))
    memory = &kernel.host.buffer(operand);
  if (!memory || numElements(op.getIndices()) != 1 || op.getBatchDims() != 0 ||
      memory->rank() != shapeOf(operand).size())
    return fail("a gather of several slices, or of what the loop computes");
  if (isWide(op.getResult()) && !tileShape(op.getResult()))
    return fail("a slice of many elements");
  Value index = tile(op.getIndices());
  if (!index)
    return {};
  SmallVector<int64_t> shape(shapeOf(operand));
  shape[op.getDim()] = 1;
  SmallVector<Value> start(shape.size(), kernel.constant(0));
  start[op.getDim()] = value(coordOf(index));
  Value made = tile::LoadOp::create(
      b, loc, RankedTensorType::get(shape, memory->elementType()),
      kernel.view(*memory, isWritten), start, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  return asResult(made, op.getResult());
}

/// A block of a tensor: one whose sizes divide those of the tensor.
Value TileLoopBuilder::slice(prim::SliceOp op) {
  Value from = asTile(op.getOperand()), result = op.getResult();
  if (!from)
    return {};
  SmallVector<Value> block;
  ArrayRef<int64_t> whole = shapeOf(op.getOperand()), shape = shapeOf(result);
  for (auto [start, stride, size, all] :
       llvm::zip_equal(op.getStarts(), op.getStrides(), shape, whole)) {
    if (stride != 1 || size == 0 || all % size != 0 || start % size != 0)
      return refuse(op);
    block.push_back(kernel.constant(start / size));
  }
  if (whole == shape || whole.empty())
    return tile(op.getOperand());
  auto type = cast<RankedTensorType>(from.getType());
  Value made = tile::ExtractOp::create(b, loc, type.clone(shape), from, block);
  return asResult(made, result);
}

/// Joins a few tensors that have one element each along the dimension, such as
/// both numbers of keys of random bits: each result is one of theirs at the
/// same place otherwise. Where threads share tiles this has not been measured
/// against scalars and launches.
Value TileLoopBuilder::join(prim::CatOp op) {
  constexpr unsigned kMostParts = 8;
  Value result = op.getResult();
  int64_t dim = static_cast<int64_t>(op.getDim());
  ArrayRef<int64_t> shape = shapeOf(result);
  if (sharesTiles || op.getOperands().size() > kMostParts || !isWide(result) ||
      !tileShape(result) || !llvm::all_of(op.getOperands(), [&](Value operand) {
        return shapeOf(operand)[dim] == 1;
      }))
    return refuse(op);
  Value place = tile::IotaOp::create(
      b, loc, RankedTensorType::get(shape, b.getI32Type()), dim);
  Value made;
  for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
    Value part = asTile(operand);
    if (!part)
      return {};
    part = reshapeTo(part, shapeOf(operand));
    auto type = cast<RankedTensorType>(part.getType()).clone(shape);
    part = tile::BroadcastOp::create(b, loc, type, part);
    if (!made) {
      made = part;
      continue;
    }
    Value isHere = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, place,
        arith::ConstantOp::create(
            b, loc,
            cast<TypedAttr>(DenseElementsAttr::get(
                cast<ShapedType>(place.getType()),
                b.getI32IntegerAttr(static_cast<int32_t>(number))))));
    made = arith::SelectOp::create(b, loc, isHere, part, made);
  }
  return made;
}

FailureOr<TileLoopBuilder::Update>
TileLoopBuilder::planUpdate(prim::ScatterOp op, const Buffer &memory) {
  Update update;
  update.memory = memory;
  update.op = op;
  update.tile = asTile(op.getUpdates());
  if (!update.tile)
    return failure();
  if (memory.rank() != shapeOf(op.getOperand()).size()) {
    fail("a tensor in memory has another rank there");
    return failure();
  }
  size_t places = shapeOf(op.getIndices()).size() - 1;
  update.tile =
      reshapeTo(update.tile, shapeOf(op.getUpdates()).drop_front(places));
  update.at.assign(memory.rank(), kernel.constant(0));
  for (auto [number, dim] : llvm::enumerate(op.getDims())) {
    FailureOr<Value> coordinate = coordinateOf(op.getIndices(), number);
    if (failed(coordinate))
      return failure();
    update.at[dim] = *coordinate;
  }
  return update;
}

/// A coordinate of the only place of a scatter.
FailureOr<Value> TileLoopBuilder::coordinateOf(Value indices, int64_t number) {
  indices = resolve(indices);
  Operation *from = indices.getDefiningOp();
  Value scalar;
  if (!isWide(indices)) {
    scalar = tile(indices);
  } else if (auto constant = dyn_cast_or_null<prim::ConstantOp>(from)) {
    auto all = cast<DenseIntElementsAttr>(constant.getValue());
    return kernel.constant(all.getValues<APInt>()[number].getSExtValue());
  } else if (TypedAttr splat = from ? splatValue(from) : TypedAttr()) {
    return kernel.constant(cast<IntegerAttr>(splat).getInt());
  } else if (isa_and_nonnull<ReshapeOpInterface>(from)) {
    return coordinateOf(from->getOperand(0), number);
  } else if (isa_and_nonnull<ConcatenationOpInterface>(from)) {
    for (Value part : from->getOperands()) {
      if (number < numElements(part))
        return coordinateOf(part, number);
      number -= numElements(part);
    }
  }
  if (!scalar) {
    fail("coordinates of a scatter that are not computed one by one");
    return failure();
  }
  return value(coordOf(scalar));
}

void TileLoopBuilder::emitUpdate(const Update &update) {
  Value view = kernel.view(update.memory, /*write=*/true);
  Value made = update.tile;
  prim::ScatterOp op = update.op;
  if (op.getCombine() != prim::ScatterKind::set) {
    Value before = tile::LoadOp::create(
        b, loc, made.getType(), view, update.at, Value(),
        /*element_offsets=*/true, tile::Padding::any, DenseI64ArrayAttr());
    made = combineUpdate(op, before, made, b);
  }
  tile::StoreOp::create(b, loc, made, view, update.at,
                        /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
}

/// All updates are computed before the first is written.
LogicalResult TileLoopBuilder::emitUpdates(ArrayRef<LoopState> states,
                                           ArrayRef<Buffer> memories) {
  Block &body = op.getBody().front();
  std::vector<Update> updates;
  for (auto [number, state] : llvm::enumerate(states)) {
    if (state != LoopState::memory)
      continue;
    prim::ScatterOp scatter = updateOf(body.getTerminator()->getOperand(number),
                                       body.getArgument(number));
    FailureOr<Update> update = planUpdate(scatter, memories[number]);
    if (failed(update))
      return failure();
    updates.push_back(*update);
  }
  for (const Update &update : updates)
    emitUpdate(update);
  return success(reason.empty());
}
