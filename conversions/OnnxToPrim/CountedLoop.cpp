// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of as many steps as a size says.
#include "Control.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

mlir::Block::BlockArgListType enter(Node &n, Region &region,
                                    ArrayRef<Value> inits) {
  mlir::Block *block = n.e.b.createBlock(&region);
  for (Value init : inits)
    block->addArgument(init.getType(), n.e.b.getLoc());
  return block->getArguments();
}

LogicalResult keepType(Node &n, Value &next, Value carried) {
  auto want = cast<RankedTensorType>(carried.getType());
  auto have = dyn_cast<RankedTensorType>(next.getType());
  if (have == want)
    return success();
  if (!have || have.getElementType() != want.getElementType() ||
      failed(verifyCompatibleShape(have.getShape(), want.getShape())))
    return n.fail("changes the type of a tensor that it carries, and how often "
                  "it runs is not known");
  next = n.e.reshape(next, n.e.sizesOf(carried));
  return success();
}

FailureOr<SmallVector<Value>> countedLoop(Node &n, OpFoldResult count,
                                          ArrayRef<Value> vars,
                                          const LoopBody &body) {
  SmallVector<Value> inits{n.integer(0)};
  llvm::append_range(inits, vars);
  // The shapes of what is stacked are those of a step that is not in the loop.
  // Nothing reads its elements.
  auto apart = body(n.integer(0), vars);
  if (failed(apart) || n.broken)
    return failure();
  size_t numStacked = apart->size() - vars.size();
  for (Value part : ArrayRef(*apart).take_back(numStacked)) {
    if (!isa<RankedTensorType>(part.getType()))
      return n.fail(
          "stacks values that are not tensors, and its trip count is not "
          "known");
    Sizes sizes{count};
    llvm::append_range(sizes, n.e.sizesOf(part));
    inits.push_back(
        n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(part), 0), sizes));
  }
  Value steps = n.e.sizeTensor(count);
  auto loop = prim::WhileOp::create(n.e.b, ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(n.e.b);
  auto test = enter(n, loop.getCondition(), inits);
  prim::YieldOp::create(n.e.b, ValueRange{n.lt(test[0], steps)});
  auto now = enter(n, loop.getBody(), inits);
  auto carried = now.slice(1, vars.size());
  auto made = body(now[0], SmallVector<Value>(carried.begin(), carried.end()));
  if (failed(made) || n.broken)
    return failure();
  SmallVector<Value> next{n.add(now[0], n.integer(1))};
  for (auto [value, argument] : llvm::zip(*made, carried)) {
    if (failed(keepType(n, value, argument)))
      return failure();
    next.push_back(value);
  }
  for (auto [part, room] : llvm::zip_equal(
           ArrayRef(*made).take_back(numStacked), now.take_back(numStacked)))
    next.push_back(prim::ScatterOp::create(
        n.e.b, room.getType(), prim::ScatterKind::set, room,
        n.e.reshape(now[0], Ints{1, 1}), n.unsqueeze(part, {0, 1}), Ints{0}, 0,
        /*unique=*/true));
  prim::YieldOp::create(n.e.b, next);
  return SmallVector<Value>(loop.getResults().drop_front());
}

} // namespace kiln::onnx_to_prim
