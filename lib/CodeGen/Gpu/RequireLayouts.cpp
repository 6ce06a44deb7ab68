//===- RequireLayouts.cpp - Tiles in the layout that is needed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"
#include "BitMaps.h"
#include "kiln/Analysis/Aliases.h"
#include "kiln/Dialect/Simt/LayoutConversion.h"
#include "kiln/Interfaces/IndexMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// What is made again rather than converted.
bool Assigner::isDeferred(Operation *op) {
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      !isTile(op->getResult(0).getType()))
    return false;
  auto deferredOperands = [&] {
    return llvm::all_of(op->getOperands(), [&](Value value) {
      return !isTile(value.getType()) || !getLayout(value);
    });
  };
  if (isa<arith::ConstantOp>(op))
    return cast<arith::ConstantOp>(op).getValue().getType() &&
           isa<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (auto moved = dyn_cast<IndexMapOpInterface>(op)) {
    if (moved.getGeneratedElement())
      return true;
    if (!moved.movesElements())
      return false;
    // Of one tile, by bits.
    OpOperand *tile = nullptr;
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get().getType())) {
        if (tile)
          return false;
        tile = &operand;
      }
    if (!tile)
      return false;
    return operandLayout(*tile, canonical(op->getResult(0))).has_value();
  }
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) ||
                       tile::isAddress(op->getResult(0).getType());
  return isElementwise && isMemoryEffectFree(op) && deferredOperands();
}

std::optional<LayoutAttr> Assigner::operandLayout(OpOperand &operand,
                                                  LayoutAttr layout) {
  Operation *op = operand.getOwner();
  auto from = shapeOf(operand.get());
  OperandRead read = getOperandRead(operand);
  if (!read || read.domain || read.map.getNumSymbols())
    return std::nullopt;
  if (!movesBits(read.map, shapeOf(op->getResult(0))))
    return std::nullopt;
  return layout.transform(from.size(), [&](ArrayRef<int64_t> basis) {
    SmallVector<int64_t> dims(basis);
    dims.resize(read.map.getNumDims(), 0);
    Basis at(read.map.compose(dims));
    for (auto [n, size] : llvm::zip_equal(at, from))
      if (size == 1)
        n = 0;
    return at;
  });
}

LayoutAttr Assigner::handedOn(Value tile,
                              function_ref<LayoutAttr(Value)> layoutOf) {
  Operation *op = tile.getDefiningOp();
  auto moved = dyn_cast_or_null<IndexMapOpInterface>(op);
  if (!moved || !moved.movesElements() || op->getNumOperands() != 1 ||
      !isTile(op->getOperand(0).getType()))
    return {};
  OpOperand &operand = op->getOpOperand(0);
  auto from = cast<RankedTensorType>(operand.get().getType()),
       to = cast<RankedTensorType>(tile.getType());
  if (from.getNumElements() != to.getNumElements() ||
      !llvm::all_of(to.getShape(),
                    [](int64_t n) { return llvm::isPowerOf2_64(n); }))
    return {};
  // Which bit of a coordinate each bit of one comes from.
  unsigned rank = to.getRank();
  SmallVector<Basis> bits;
  for (auto [d, size] : llvm::enumerate(to.getShape()))
    for (int64_t n = 1; n < size; n *= 2) {
      bits.emplace_back(rank, 0);
      bits.back()[d] = n;
    }
  auto sources = operandLayout(
      operand, LayoutAttr::get(b.getContext(), rank, bits, {}, {}));
  LayoutAttr layout = sources ? layoutOf(operand.get()) : LayoutAttr();
  if (!layout)
    return {};
  std::map<std::pair<unsigned, int64_t>, Basis> becomes;
  for (auto [bit, source] : llvm::zip_equal(bits, sources->getRegisterBases()))
    for (auto [d, n] : llvm::enumerate(source))
      if (n)
        becomes[{d, n}] = bit;
  if (becomes.size() != bits.size())
    return {};
  return layout.transform(rank, [&](ArrayRef<int64_t> basis) {
    Basis at(rank, 0);
    for (auto [d, n] : llvm::enumerate(basis))
      for (int64_t bit = 1; bit <= n; bit *= 2)
        if (n & bit)
          for (auto [x, y] : llvm::zip_equal(at, becomes.at({d, bit})))
            x ^= y;
    return at;
  });
}

LayoutAttr Assigner::handedOn(Value tile) {
  unsigned budget = 24;
  return handedOn(tile, budget);
}

LayoutAttr Assigner::handedOn(Value tile, unsigned &budget) {
  if (!budget)
    return {};
  --budget;
  auto ofSource = [&](Value source) {
    LayoutAttr layout = getLayout(source);
    return layout ? layout : handedOn(source, budget);
  };
  // What is computed element by element is where the elements are that it is
  // computed of.
  Operation *op = tile.getDefiningOp();
  if (op && OpTrait::hasElementwiseMappableTraits(op)) {
    for (Value operand : op->getOperands())
      if (isTile(operand.getType()))
        if (LayoutAttr layout = ofSource(operand))
          return layout;
    return {};
  }
  return handedOn(tile, ofSource);
}

LayoutAttr Assigner::predict(Value tile, unsigned depth) {
  // Each value is looked at once at each depth: values with several users would
  // otherwise double the work at each step.
  constexpr unsigned kDeepest = 24;
  llvm::DenseMap<std::pair<Value, unsigned>, LayoutAttr> known;
  std::function<LayoutAttr(Value, unsigned)> visit;
  auto compute = [&](Value tile, unsigned depth) -> LayoutAttr {
    Operation *op = tile.getDefiningOp();
    if (!op || isa<arith::ConstantOp>(op))
      return {};
    if (auto access = dyn_cast<ViewAccessOpInterface>(op))
      return ofAccess(access);
    if (isa<MatrixProductOpInterface>(op) && !isa<LayoutRuleOpInterface>(op))
      return ofProduct(op);
    if (LayoutAttr layout = handedOn(
            tile, [&](Value source) { return visit(source, depth + 1); }))
      return layout;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(
          loop.getYieldedValues()[cast<OpResult>(tile).getResultNumber()],
          depth + 1);
    if (auto choice = dyn_cast<scf::IfOp>(op)) {
      unsigned result = cast<OpResult>(tile).getResultNumber();
      for (Operation *yield : {choice.thenYield(), choice.elseYield()})
        if (LayoutAttr layout = visit(yield->getOperand(result), depth + 1))
          return layout;
    }
    if (isa<scf::SCFDialect>(op->getDialect()) || getPointerAccess(op))
      return {};
    LayoutRule rule = ruleOf(op, [&](ValueRange tiles) {
      for (Value operand : tiles)
        if (LayoutAttr layout = visit(operand, depth + 1))
          return layout;
      return LayoutAttr();
    });
    return rule.results[cast<OpResult>(tile).getResultNumber()];
  };
  visit = [&](Value tile, unsigned depth) -> LayoutAttr {
    if (!isTile(tile.getType()) || depth > kDeepest)
      return {};
    if (LayoutAttr layout = getLayout(tile))
      return layout;
    if (auto found = known.find({tile, depth}); found != known.end())
      return found->second;
    return known[{tile, depth}] = compute(tile, depth);
  };
  return visit(tile, depth);
}

int64_t Assigner::costAgain(Value tile, LayoutAttr layout, Block *block,
                            unsigned depth) {
  LayoutAttr has = getLayout(tile);
  Operation *op = tile.getDefiningOp();
  // What is there before the loop is converted before the loop.
  if (!has || has == layout || !op || op->getBlock() != block ||
      isa<arith::ConstantOp>(op) || made.lookup({tile, Attribute(layout)}))
    return 0;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  int64_t own = has.getNumRegisters() * ThreadBuilder::storedBytes(element);
  if (depth > 16)
    return own;
  int64_t sum = 0;
  if (auto convert = dyn_cast<LayoutConversionOpInterface>(op)) {
    sum = costAgain(convert.getSource(), layout, block, depth + 1);
    return std::min(sum, own);
  }
  // What computes its elements, as a product does, keeps its layout.
  auto moved = dyn_cast<IndexMapOpInterface>(op);
  if (moved && !moved.movesElements() && !moved.getGeneratedElement())
    moved = {};
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) &&
                       isMemoryEffectFree(op) && tile.hasOneUse();
  // What is loaded has the layout in which that is done best.
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      isa<ViewAccessOpInterface>(op) || (!isElementwise && !moved))
    return own;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get().getType()))
      continue;
    std::optional<LayoutAttr> needs = layout;
    if (moved)
      needs = operandLayout(operand, layout);
    if (!needs)
      return own;
    sum += costAgain(operand.get(), *needs, block, depth + 1);
  }
  return 2 * sum <= own ? sum : own;
}

bool Assigner::isWorthAgain(Value tile, LayoutAttr layout) {
  Operation *op = tile.getDefiningOp();
  if (!op || isa<LayoutConversionOpInterface>(op))
    return false;
  // In a loop, or beside a product that takes all of its depth at once.
  auto products = op->getBlock()->getOps<MatrixProductOpInterface>();
  if (!isa_and_nonnull<scf::ForOp>(op->getParentOp()) && products.empty())
    return false;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  int64_t own =
      getLayout(tile).getNumRegisters() * ThreadBuilder::storedBytes(element);
  return 2 * costAgain(tile, layout, op->getBlock()) <= own;
}

Value Assigner::makeAgain(Value tile, LayoutAttr layout) {
  Operation *op = tile.getDefiningOp();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isTile(value.getType())) {
      LayoutAttr needs = layout;
      if (isa<IndexMapOpInterface>(op))
        needs = *operandLayout(operand, layout);
      value = require(value, needs);
    }
    operands.push_back(value);
  }
  b.setInsertionPoint(op);
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(withLayout(tile.getType(), layout));
  return copy->getResult(0);
}

Value Assigner::require(Value tile, LayoutAttr layout) {
  LayoutAttr has = getLayout(tile);
  if (has == layout)
    return tile;
  auto key = std::make_pair(tile, Attribute(layout));
  if (Value known = made.lookup(key))
    return known;
  OpBuilder::InsertionGuard guard(b);
  Operation *op = tile.getDefiningOp();
  Value result;
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op)) {
    b.setInsertionPoint(op);
    auto type = withLayout(tile.getType(), layout);
    auto value = cast<DenseElementsAttr>(constant.getValue());
    result =
        arith::ConstantOp::create(b, tile.getLoc(), type, value.reshape(type));
  } else if (has && isa_and_nonnull<LayoutConversionOpInterface>(op)) {
    result = require(op->getOperand(0), layout);
    replaces = true;
  } else if (has && isWorthAgain(tile, layout)) {
    result = makeAgain(tile, layout);
    replaces = true;
  } else if (has || !op) {
    b.setInsertionPointAfterValue(tile);
    result = ConvertLayoutOp::create(b, tile.getLoc(),
                                     withLayout(tile.getType(), layout), tile);
  } else {
    result = makeAgain(tile, layout);
  }
  made[key] = result;
  return result;
}

LayoutAttr Assigner::settle(Value tile) {
  LayoutAttr layout = getLayout(tile);
  if (!layout)
    layout = handedOn(tile);
  return layout ? layout : canonical(tile);
}

void Assigner::requireAll(Operation *op, LayoutAttr layout, bool results) {
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get().getType()))
      requireOperand(operand, layout);
  if (results)
    for (Value result : op->getResults())
      if (isTile(result.getType()))
        setResult(result, layout);
}
