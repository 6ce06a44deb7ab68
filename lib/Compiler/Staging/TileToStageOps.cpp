//===- TileToStageOps.cpp - Operations that get a region of their own -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileToStage.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

static RankedTensorType tileOf(Value value) {
  return getExpressionType(value.getType());
}

/// Whether the operation takes its operands element by element, so that they
/// may be computed in its region. All others get them from storage.
static bool takesElements(Operation *op) {
  return isa<ViewAccessOpInterface, MatrixProductOpInterface,
             PointerAccessOpInterface, tile::AssertOp>(op) ||
         tile::asReduction(op) || OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether it looks at memory as rows without gaps, `pack` elements at a time.
static bool needsDenseTiles(Operation *op, int64_t &pack) {
  pack = 1;
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op))
    pack = assembly.getPack();
  return isa<tile::InlineAsmOp, tile::PrintOp>(op);
}

/// The box of an operation's region: of what it stores, folds or computes.
static SmallVector<int64_t> boxOf(Operation *op) {
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return SmallVector<int64_t>(access.getAccessedType().getShape());
  bool reads = tile::asReduction(op) || op->getNumResults() == 0 ||
               !tileOf(op->getResult(0));
  SmallVector<int64_t> box;
  auto consider = [&](Value value) {
    if (RankedTensorType tile = tileOf(value);
        tile && tile.getRank() > static_cast<int64_t>(box.size()))
      box.assign(tile.getShape().begin(), tile.getShape().end());
  };
  if (reads)
    llvm::for_each(op->getOperands(), consider);
  else
    consider(op->getResult(0));
  return box;
}

void TileToStage::keep(Operation *op) {
  Value tile = op->getResult(0);
  if (tileOf(tile).getRank() == 0) {
    elements[tile] = elementOf(tile);
    return;
  }
  Value target = storage.lookup(plan.inPlaceOf(tile));
  if (!target)
    target = allocate(tileOf(tile), op->getLoc());
  write(tile, target);
  storage[tile] = target;
}

void TileToStage::convertProduct(MatrixProductOpInterface product) {
  Value result = product->getResult(0);
  OpOperand *acc = product.getAccOperand();
  Value target = storage.lookup(plan.inPlaceOf(result));
  if (!target)
    target = allocate(tileOf(result), product.getLoc());
  if (acc && storage.lookup(acc->get()) != target)
    write(acc->get(), target);
  makeRegion(product.getLoc(), tileOf(result).getShape(), {}, [&](Body &body) {
    for (OpOperand &operand : product->getOpOperands())
      if (&operand != acc)
        fetch(operand.get(), body);
    Value sum;
    if (acc)
      sum = stage::ReadOp::create(body.inside, product.getLoc(),
                                  tileOf(acc->get()), target, ValueRange());
    Operation *clone = cloneInto(product, body);
    if (acc)
      clone->setOperand(acc->getOperandNumber(), sum);
    stage::WriteOp::create(body.inside, product.getLoc(), clone->getResult(0),
                           target, ValueRange());
    return SmallVector<Value>();
  });
  storage[result] = target;
}

void TileToStage::convertAlone(Operation *op) {
  if (isMemoryEffectFree(op) && op->use_empty())
    return;
  Location loc = op->getLoc();
  int64_t pack;
  bool isDense = needsDenseTiles(op, pack);
  auto allocateTile = [&](RankedTensorType type) {
    if (!isDense)
      return allocate(type, loc);
    return allocateDense(type, llvm::alignTo(type.getNumElements(), pack),
                         loc)[0];
  };
  // Operands that are not taken element by element come from storage.
  llvm::SmallMapVector<Value, Value, 4> operands;
  for (Value operand : op->getOperands()) {
    RankedTensorType tile = tileOf(operand);
    if (!tile || tile.getRank() == 0 || takesElements(op) ||
        operands.contains(operand))
      continue;
    Value place = isDense ? Value() : storage.lookup(operand);
    if (!place) {
      place = allocateTile(tile);
      write(operand, place);
    }
    operands[operand] = place;
  }
  SmallVector<Type> types;
  SmallVector<Value> targets;
  for (Value result : op->getResults()) {
    RankedTensorType tile = tileOf(result);
    if (result.use_empty())
      targets.push_back(Value());
    else if (tile && tile.getRank())
      targets.push_back(plan.inPlaceOf(result)
                            ? storage.lookup(plan.inPlaceOf(result))
                            : allocateTile(tile));
    else
      types.push_back(tile ? tile.getElementType() : result.getType()),
          targets.push_back(Value());
  }
  ArrayRef<Value> fused = plan.fusedValues(op);
  SmallVector<Value> kept;
  for (Value tile : fused)
    kept.push_back(allocate(tileOf(tile), tile.getLoc()));

  ResultRange yielded = makeRegion(loc, boxOf(op), types, [&](Body &body) {
    for (auto [operand, place] : operands)
      body.local.map(operand,
                     stage::ReadOp::create(body.inside, loc, tileOf(operand),
                                           place, ValueRange())
                         .getResult());
    for (Value operand : op->getOperands())
      fetch(operand, body);
    for (auto [tile, place] : llvm::zip_equal(fused, kept))
      stage::WriteOp::create(body.inside, loc, fetch(tile, body), place,
                             ValueRange());
    Operation *clone = cloneInto(op, body);
    SmallVector<Value> values;
    for (auto [result, target, value] :
         llvm::zip_equal(op->getResults(), targets, clone->getResults())) {
      if (target)
        stage::WriteOp::create(body.inside, loc, value, target, ValueRange());
      else if (!result.use_empty())
        values.push_back(value);
    }
    return values;
  });
  size_t next = 0;
  for (auto [result, target] : llvm::zip_equal(op->getResults(), targets)) {
    if (target)
      storage[result] = target;
    else if (result.use_empty())
      continue;
    else if (tileOf(result))
      elements[result] = yielded[next++];
    else
      scalars.map(result, yielded[next++]);
  }
  for (auto [tile, place] : llvm::zip_equal(fused, kept))
    storage[tile] = place;
}

void TileToStage::convertCat(Operation *op) {
  Location loc = op->getLoc();
  Value whole = allocate(tileOf(op->getResult(0)), loc);
  int64_t start = 0, axis = cast<ConcatenationOpInterface>(op).getJoinedDim();
  for (Value source : op->getOperands()) {
    SmallVector<Value> origin;
    for (int64_t d = 0; d < tileOf(source).getRank(); ++d)
      origin.push_back(
          arith::ConstantIndexOp::create(b, loc, d == axis ? start : 0));
    makeRegion(loc, tileOf(source).getShape(), {}, [&](Body &body) {
      stage::WriteOp::create(body.inside, loc, fetch(source, body), whole,
                             origin);
      return SmallVector<Value>();
    });
    start += tileOf(source).getDimSize(axis);
  }
  storage[op->getResult(0)] = whole;
}

void TileToStage::convertReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  // Row by row without gaps, the elements are those of both shapes.
  RankedTensorType from = tileOf(source), to = tileOf(result);
  SmallVector<Value> views =
      allocateDense({from, to}, from.getNumElements(), op->getLoc());
  write(source, views[0]);
  storage[result] = views[1];
}

void TileToStage::convertExtract(Operation *op) {
  auto extract = cast<tensor::ExtractOp>(op);
  Value result = extract.getResult();
  if (Value element = elements.lookup(extract.getTensor())) {
    scalars.map(result, element);
    return;
  }
  scalars.map(result,
              makeRegion(op->getLoc(), {}, result.getType(), [&](Body &body) {
                fetch(extract.getTensor(), body);
                return SmallVector<Value>(cloneInto(op, body)->getResults());
              })[0]);
}
