// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions.
#include "Control.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The types that values of two graphs have together: sizes that differ or are
/// not known are open. Nothing where ranks or elements differ.
std::optional<SmallVector<RankedTensorType>> joinTypes(ArrayRef<Value> a,
                                                       ArrayRef<Value> c) {
  SmallVector<RankedTensorType> types;
  for (auto [x, y] : llvm::zip_equal(a, c)) {
    auto one = dyn_cast<RankedTensorType>(x.getType()),
         other = dyn_cast<RankedTensorType>(y.getType());
    if (!one || !other || one.getRank() != other.getRank() ||
        one.getElementType() != other.getElementType())
      return std::nullopt;
    Ints shape(one.getShape());
    for (auto [size, its] : llvm::zip_equal(shape, other.getShape()))
      if (size != its)
        size = ShapedType::kDynamic;
    types.push_back(one.clone(shape));
  }
  return types;
}

/// Values with the elements of sequences in their place. `lengths` says how
/// many each sequence has, and -1 for a tensor.
SmallVector<Value> flatten(ArrayRef<Value> values, Ints &lengths) {
  SmallVector<Value> flat;
  for (Value value : values) {
    if (!isSequence(value)) {
      lengths.push_back(-1);
      flat.push_back(value);
      continue;
    }
    ValueRange elements = value.getDefiningOp()->getOperands();
    lengths.push_back(elements.size());
    llvm::append_range(flat, elements);
  }
  return flat;
}

/// The open sizes of the results of a condition, in order: a condition of its
/// own gives them, of which only what leads to sizes is left.
SmallVector<Value> openSizes(Node &n, prim::IfOp op,
                             ArrayRef<RankedTensorType> types) {
  int64_t count = 0;
  for (RankedTensorType type : types)
    count += type.getNumDynamicDims();
  if (count == 0)
    return {};
  auto whole = cast<prim::IfOp>(n.e.b.clone(*op));
  for (Region &region : whole->getRegions()) {
    OpBuilder::InsertionGuard guard(n.e.b);
    Operation *yield = region.front().getTerminator();
    n.e.b.setInsertionPoint(yield);
    SmallVector<Value> sizes;
    for (auto [value, type] : llvm::zip_equal(yield->getOperands(), types))
      for (auto [d, size] : llvm::enumerate(n.e.sizesOf(value)))
        if (type.isDynamicDim(d))
          sizes.push_back(n.e.sizeTensor(size));
    prim::YieldOp::create(n.e.b, sizes);
    yield->erase();
    eraseDead(region.front());
  }
  SmallVector<Type> scalars(count,
                            RankedTensorType::get({}, n.e.b.getI64Type()));
  auto sizes =
      prim::IfOp::create(n.e.b, scalars, op.getCondition(), ValueRange());
  sizes.getThenRegion().takeBody(whole.getThenRegion());
  sizes.getElseRegion().takeBody(whole.getElseRegion());
  whole.erase();
  SmallVector<Value> result;
  for (Value size : sizes.getResults())
    result.push_back(prim::ToIndexOp::create(n.e.b, size));
  return result;
}

} // namespace

/// If: the graphs are else_branch and then_branch, in this order.
LogicalResult translateIf(Node &n) {
  auto regions = n.op.getRegions();
  if (regions.size() != 2 || n.e.typeOf(n.in(0)).getNumElements() != 1)
    return n.fail("needs two graphs and a condition of one element");
  if (auto known = n.numbers(0)) {
    auto results = n.run(regions[known->front() != 0 ? 1 : 0], {});
    if (failed(results) || results->size() != n.numResults())
      return n.e.reported ? failure() : n.fail("has another number of results");
    for (auto [i, result] : llvm::enumerate(*results))
      if (failed(n.set(i, result)))
        return failure();
    return success();
  }
  // Both are translated first, to learn what they give.
  Value condition = scalar(n, n.in(0));
  auto op = prim::IfOp::create(n.e.b, TypeRange(), condition, ValueRange());
  SmallVector<Value> given[2];
  Ints lengths[2];
  for (int side = 0; side < 2; ++side) {
    OpBuilder::InsertionGuard guard(n.e.b);
    n.e.b.createBlock(side ? &op.getThenRegion() : &op.getElseRegion());
    auto results = n.run(regions[side], {});
    if (failed(results))
      return failure();
    given[side] = flatten(*results, lengths[side]);
    prim::YieldOp::create(n.e.b, given[side]);
  }
  for (const Ints &one : lengths)
    if (one.size() != n.numResults())
      return n.fail("has another number of results");
  if (lengths[0] != lengths[1])
    return n.fail("has graphs whose results are sequences of different "
                  "lengths");
  auto types = joinTypes(given[0], given[1]);
  if (!types)
    return n.fail("has graphs whose results differ in rank or in their "
                  "elements");
  SmallVector<Value> sizes = openSizes(n, op, *types);
  // What a graph gives has the open sizes of the result.
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    OpBuilder::InsertionGuard guard(n.e.b);
    Operation *yield = region->front().getTerminator();
    n.e.b.setInsertionPoint(yield);
    ArrayRef<Value> left = sizes;
    for (auto [operand, type] :
         llvm::zip_equal(yield->getOpOperands(), *types)) {
      Sizes to = getAsIndexOpFoldResult(n.e.b.getContext(), type.getShape());
      for (auto [d, size] : llvm::enumerate(to))
        if (type.isDynamicDim(d)) {
          size = left.front();
          left = left.drop_front();
        }
      if (!type.hasStaticShape())
        operand.set(n.e.reshape(operand.get(), to));
    }
    eraseDead(region->front()); // what stood for sequences
  }
  auto typed = prim::IfOp::create(
      n.e.b, SmallVector<Type>(types->begin(), types->end()), condition, sizes);
  typed.getThenRegion().takeBody(op.getThenRegion());
  typed.getElseRegion().takeBody(op.getElseRegion());
  op.erase();
  ValueRange left = typed.getResults();
  for (auto [i, length] : llvm::enumerate(lengths[0])) {
    Value result =
        length < 0 ? left.front() : n.sequence(left.take_front(length));
    left = left.drop_front(length < 0 ? 1 : length);
    if (failed(n.set(i, result)))
      return failure();
  }
  return success();
}

} // namespace kiln::onnx_to_prim
