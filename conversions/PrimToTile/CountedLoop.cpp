//===- CountedLoop.cpp - Loops with a known number of iterations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CountedLoop.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;

namespace {

/// A constant, or a carried value and a constant.
struct Linear {
  BlockArgument carried; ///< null: there is none
  int64_t offset = 0;
};

} // namespace

/// The value that a group computes or is given, outside of it.
static Value outOfGroups(Value value) {
  for (;;) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto group = dyn_cast<prim::FusionOp>(argument.getOwner()->getParentOp());
      if (!group)
        return value;
      value = group.getInputs()[argument.getArgNumber()];
      continue;
    }
    auto group = value.getDefiningOp<prim::FusionOp>();
    if (!group)
      return value;
    unsigned number = cast<OpResult>(value).getResultNumber();
    value = group.getBody().front().getTerminator()->getOperand(number);
  }
}

/// One integer as a carried value of `block` and a constant; nothing if it is
/// none, could wrap on the way, or is a sum of many: `steps` operations at most
/// are looked at.
static std::optional<Linear> findLinear(Value value, Block *block,
                                        unsigned &steps) {
  if (steps == 0)
    return std::nullopt;
  --steps;
  value = outOfGroups(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() != 1 ||
      !type.getElementType().isSignlessInteger() ||
      type.getElementTypeBitWidth() < 8 || type.getElementTypeBitWidth() > 64)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return block && argument.getOwner() == block
               ? std::optional<Linear>({argument, 0})
               : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (auto full = dyn_cast<prim::FullOp>(op))
    return Linear{
        {}, cast<IntegerAttr>(full.getValueAttr()).getValue().getSExtValue()};
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return Linear{{}, constant.getSplatValue<APInt>().getSExtValue()};
  if (isa<prim::ReshapeOp>(op))
    return findLinear(op->getOperand(0), block, steps);
  if (!isa<prim::AddOp, prim::SubOp>(op))
    return std::nullopt;
  std::optional<Linear> lhs = findLinear(op->getOperand(0), block, steps);
  if (!lhs)
    return std::nullopt;
  std::optional<Linear> rhs = findLinear(op->getOperand(1), block, steps);
  bool isDifference = isa<prim::SubOp>(op);
  if (!rhs || (rhs->carried && (lhs->carried || isDifference)))
    return std::nullopt;
  Linear sum;
  sum.carried = lhs->carried ? lhs->carried : rhs->carried;
  if (isDifference
          ? __builtin_sub_overflow(lhs->offset, rhs->offset, &sum.offset)
          : __builtin_add_overflow(lhs->offset, rhs->offset, &sum.offset))
    return std::nullopt;
  return sum;
}

static std::optional<Linear> findLinear(Value value, Block *block) {
  unsigned steps = 64;
  return findLinear(value, block, steps);
}

/// Whether an integer of a type can have a value.
static bool fits(__int128 value, unsigned bits) {
  __int128 half = __int128(1) << (bits - 1);
  return value >= -half && value < half;
}

/// How often `first`, `first` + `step` and so on are on the side of `bound`
/// that an order asks for; nothing if they get there by wrapping.
static std::optional<int64_t> countSteps(Operation *order, __int128 first,
                                         __int128 step, __int128 bound) {
  if (isa<prim::GtOp, prim::GeOp>(order)) {
    first = -first;
    step = -step;
    bound = -bound;
  }
  if (isa<prim::LeOp, prim::GeOp>(order))
    ++bound;
  if (isa<prim::NeOp>(order)) {
    if (step == 0 || (bound - first) % step != 0 || (bound - first) / step < 0)
      return std::nullopt;
    return int64_t((bound - first) / step);
  }
  if (first >= bound)
    return 0;
  if (step <= 0)
    return std::nullopt;
  return int64_t((bound - first + step - 1) / step);
}

std::optional<CountedLoop> kiln::findCount(prim::WhileOp op) {
  Block &test = op.getCondition().front(), &body = op.getBody().front();
  Value condition = outOfGroups(test.getTerminator()->getOperand(0));
  Operation *order = condition.getDefiningOp();
  if (!order ||
      !isa<prim::LtOp, prim::LeOp, prim::GtOp, prim::GeOp, prim::NeOp>(order))
    return std::nullopt;
  std::optional<Linear> tested = findLinear(order->getOperand(0), &test);
  std::optional<Linear> bound = findLinear(order->getOperand(1), &test);
  if (!tested || !bound || !tested->carried || bound->carried)
    return std::nullopt;
  unsigned counter = tested->carried.getArgNumber();
  std::optional<Linear> first =
      findLinear(op.getInits()[counter], /*block=*/nullptr);
  std::optional<Linear> next =
      findLinear(body.getTerminator()->getOperand(counter), &body);
  if (!first || !next || next->carried != body.getArgument(counter))
    return std::nullopt;
  __int128 from = __int128(first->offset) + tested->offset;
  std::optional<int64_t> count =
      countSteps(order, from, next->offset, bound->offset);
  // The last comparison is with a number that the type has. Numbers of no sign
  // compare alike without negative ones.
  unsigned bits = getElementTypeOrSelf(op.getInits()[counter].getType())
                      .getIntOrFloatBitWidth();
  if (!count)
    return std::nullopt;
  __int128 last = from + __int128(*count) * next->offset;
  if (!fits(from, bits) || !fits(last, bits) ||
      !fits(last - tested->offset, bits))
    return std::nullopt;
  if (order->hasAttr("is_unsigned") &&
      (from < 0 || last < 0 || bound->offset < 0))
    return std::nullopt;
  return CountedLoop{*count, counter};
}

void kiln::dropUnreadCounter(prim::WhileOp op, unsigned counter) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  BlockArgument argument = body.getArgument(counter);
  auto group = yield->getOperand(counter).getDefiningOp<prim::FusionOp>();
  if (!op.getResult(counter).use_empty() || !group ||
      group->getNumResults() != 1 || !group->hasOneUse() ||
      !llvm::all_of(argument.getUsers(),
                    [&](Operation *user) { return user == group; }))
    return;
  yield->setOperand(counter, argument);
  group->erase();
}
