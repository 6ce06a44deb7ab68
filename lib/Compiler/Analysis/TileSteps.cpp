//===- TileSteps.cpp - How far neighbours of a tile mostly are ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/TileSteps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

static constexpr int64_t kUnknown = TileSteps::kUnknown;

static unsigned rankOf(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  return type ? type.getRank() : 0;
}

/// The number of which all elements of a tile, or a scalar, are.
static std::optional<int64_t> numberOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (Operation *made = value.getDefiningOp())
    if (Value fill = getFillValue(made))
      if (matchPattern(fill, m_ConstantInt(&number)))
        return number.getSExtValue();
  return std::nullopt;
}

static int64_t sum(int64_t x, int64_t y) {
  return x >= kUnknown || y >= kUnknown ? kUnknown : x + y;
}

/// The steps of a product: where one factor stays, those of the other, as far
/// as the first is.
TileSteps::Steps TileSteps::ofProduct(Value x, Value y) {
  Steps first(of(x)), second(of(y)), result;
  auto factorOf = [&](Value value) {
    if (auto number = numberOf(value))
      return std::abs(*number);
    Operation *made = value.getDefiningOp();
    Value fill = made ? getFillValue(made) : Value();
    return guessOf(fill ? scalars.of(fill).divisor : 1);
  };
  for (auto [a, b] : llvm::zip_equal(first, second)) {
    int64_t step = a ? a : b;
    if (a && b)
      step = kUnknown;
    else if (step)
      step = multiply(step, factorOf(a ? y : x));
    result.push_back(step);
  }
  return result;
}

/// The steps of what moves or repeats elements: from the first element of the
/// result to its neighbours.
TileSteps::Steps TileSteps::ofMoved(OpOperand &operand, OpResult result) {
  unsigned rank = rankOf(result);
  OperandRead read = getOperandRead(operand, result.getResultNumber());
  Steps from(of(operand.get())), steps(rank, kUnknown);
  if (!read.map)
    return steps;
  MLIRContext *context = result.getContext();
  auto placeOf = [&](std::optional<unsigned> dim) {
    SmallVector<Attribute> at(read.map.getNumInputs(),
                              IntegerAttr::get(IndexType::get(context), 0)),
        place;
    if (dim)
      at[*dim] = IntegerAttr::get(IndexType::get(context), 1);
    (void)read.map.constantFold(at, place);
    return place;
  };
  SmallVector<Attribute> origin = placeOf(std::nullopt);
  for (unsigned dim = 0; dim < rank; ++dim) {
    SmallVector<Attribute> next = placeOf(dim);
    if (next.size() != from.size() || origin.size() != from.size())
      continue;
    int64_t step = 0;
    for (auto [a, b, own] : llvm::zip_equal(origin, next, from))
      if (int64_t moved =
              cast<IntegerAttr>(b).getInt() - cast<IntegerAttr>(a).getInt())
        step = own >= kUnknown ? kUnknown : sum(step, moved * own);
    steps[dim] = step;
  }
  return steps;
}

TileSteps::Steps TileSteps::compute(Value tile) {
  unsigned rank = rankOf(tile);
  const Steps unknown(rank, kUnknown), same(rank, 0);
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(
        argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? Steps(of(init->get())) : unknown;
  }
  auto result = cast<OpResult>(tile);
  Operation *op = result.getOwner();
  DenseElementsAttr list;
  if (matchPattern(op, m_Constant(&list)))
    return list.isSplat() ? same : unknown;
  if (getFillValue(op))
    return same;
  if (auto dim = getCountedDim(op)) {
    Steps steps = same;
    steps[*dim] = 1;
    return steps;
  }
  auto add = [&](Value x, Value y, bool subtracts) {
    Steps steps(of(x));
    if (isa<RankedTensorType>(y.getType()))
      for (auto [step, other] : llvm::zip_equal(steps, of(y)))
        step = sum(step, other >= kUnknown || !subtracts ? other : -other);
    return steps;
  };
  auto ofOnly = [&](Operation *) {
    OpOperand *only = nullptr;
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType())) {
        if (only)
          return unknown;
        only = &operand;
      }
    return only && handsOnElements(op) ? ofMoved(*only, result) : unknown;
  };
  return TypeSwitch<Operation *, Steps>(op)
      .Case<arith::AddIOp, arith::SubIOp>([&](auto sum) {
        return add(sum.getLhs(), sum.getRhs(), isa<arith::SubIOp>(op));
      })
      .Case([&](PointerOffsetOpInterface sum) {
        Value base = sum.getBasePointers(), offset = sum.getOffsetInElements();
        if (!offset)
          return ofOnly(op);
        return isa<RankedTensorType>(base.getType()) ? add(base, offset, false)
                                                     : Steps(of(offset));
      })
      .Case([&](arith::MulIOp product) {
        return ofProduct(product.getLhs(), product.getRhs());
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto quotient) {
        Steps steps(of(quotient.getLhs()));
        auto by = numberOf(quotient.getRhs());
        for (int64_t &step : steps)
          if (step < kUnknown)
            step = by && *by ? step / *by : 0;
        return steps;
      })
      .Case<arith::RemSIOp, arith::RemUIOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, arith::IndexCastOp, arith::MaxSIOp, arith::MinSIOp,
            arith::MaxUIOp, arith::MinUIOp>(
          [&](auto) { return Steps(of(op->getOperand(0))); })
      .Case([&](arith::SelectOp choice) {
        return Steps(of(choice.getTrueValue()));
      })
      .Default(ofOnly);
}

ArrayRef<int64_t> TileSteps::of(Value tile) {
  auto found = known.find(tile);
  if (found == known.end()) {
    constexpr unsigned kDeepest = 64;
    llvm::SaveAndRestore deeper(depth, depth + 1);
    Steps steps =
        depth > kDeepest ? Steps(rankOf(tile), kUnknown) : compute(tile);
    found = known.try_emplace(tile, std::move(steps)).first;
  }
  return found->second;
}

int64_t TileSteps::multiply(int64_t step, int64_t times) {
  int64_t product;
  return step >= kUnknown || llvm::MulOverflow(step, times, product)
             ? kUnknown
             : std::min(std::abs(product), kUnknown);
}

int TileSteps::findNearest(ArrayRef<int64_t> steps) {
  int nearest = -1;
  int64_t least = kUnknown - 1;
  for (auto [dim, step] : llvm::enumerate(steps))
    if (step && std::abs(step) <= least) {
      nearest = int(dim);
      least = std::abs(step);
    }
  return nearest;
}
