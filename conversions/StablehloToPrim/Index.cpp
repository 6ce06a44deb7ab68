// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors at computed positions: slices and gathers of StableHLO.
#include "ComputedSizes.h"
#include "Indexing.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {

Value signedIndices(Value source, Translator &e) {
  Value indices = e.get(source);
  if (!isUnsigned(source.getType()))
    return indices;
  bool widest = e.elementOf(indices).isInteger(64);
  Value wide = e.convert(indices, e.b.getI64Type(), false, true);
  if (!widest)
    return wide;
  // More than fits is behind every end.
  Value largest = e.integer(std::numeric_limits<int64_t>::max(), wide);
  return e.where(e.compare<prim::LtOp>(wide, e.integer(0, wide)), largest,
                 wide);
}

FailureOr<Places> placesOf(Operation *op, Value source, int64_t vectorDim,
                           ArrayRef<int64_t> batching, int64_t coordinates,
                           Translator &e) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t rank = type.getRank();
  if (vectorDim < 0 || vectorDim > rank) {
    (void)checkDims(op, "index_vector_dim", vectorDim, rank + 1, e);
    return failure();
  }
  if (failed(checkDims(op, "batching dimensions of the indices", batching, rank,
                       e)) ||
      llvm::is_contained(batching, vectorDim))
    return failure();
  Places places;
  places.indices = signedIndices(source, e);
  if (vectorDim == rank) {
    Sizes sizes = e.sizesOf(places.indices);
    sizes.push_back(e.size(1));
    places.indices = e.reshape(places.indices, sizes);
  }
  SmallVector<int64_t> order(batching);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != vectorDim && !llvm::is_contained(batching, dim))
      order.push_back(dim);
  for (int64_t dim : order)
    places.order.push_back(dim > vectorDim ? dim - 1 : dim);
  order.push_back(vectorDim);
  places.indices = e.transpose(places.indices, order);
  if (e.typeOf(places.indices).getShape().back() != coordinates) {
    e.reported = true;
    return op->emitError("expected indices of ")
           << coordinates << " coordinates, found "
           << e.typeOf(places.indices).getShape().back();
  }
  return places;
}

Layout batchesFirst(ArrayRef<int64_t> batching, int64_t rank) {
  Layout layout;
  layout.order.assign(batching.begin(), batching.end());
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batching, dim))
      layout.order.push_back(dim);
  layout.place = invert(layout.order);
  return layout;
}

SmallVector<int64_t> invert(ArrayRef<int64_t> order) {
  SmallVector<int64_t> place(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    place[dim] = i;
  return place;
}

namespace {

/// The form that all gathers have.
struct Gather {
  Value operand, indices;
  stablehlo::GatherDimensionNumbersAttr numbers;
  Sizes sizes;
};

LogicalResult check(Operation *op, const Gather &g, int64_t rank,
                    int64_t resultRank, Translator &e) {
  auto n = g.numbers;
  if (failed(checkCount(op, "slice_sizes", g.sizes.size(), rank, e)) ||
      failed(checkDims(op, "start_index_map", n.getStartIndexMap(), rank, e)) ||
      failed(checkDims(op, "collapsed_slice_dims", n.getCollapsedSliceDims(),
                       rank, e)) ||
      failed(checkDims(op, "operand_batching_dims", n.getOperandBatchingDims(),
                       rank, e)) ||
      failed(checkDims(op, "offset_dims", n.getOffsetDims(), resultRank, e)) ||
      failed(checkCount(op, "start_indices_batching_dims",
                        n.getStartIndicesBatchingDims().size(),
                        n.getOperandBatchingDims().size(), e)) ||
      failed(checkCount(op, "offset_dims", n.getOffsetDims().size(),
                        rank - n.getCollapsedSliceDims().size() -
                            n.getOperandBatchingDims().size(),
                        e)))
    return failure();
  for (int64_t dim : n.getStartIndexMap())
    if (llvm::is_contained(n.getOperandBatchingDims(), dim))
      return e.unsupported(op, "indexes a batching dimension");
  for (int64_t dim : n.getCollapsedSliceDims())
    if (getConstantIntValue(g.sizes[dim]).value_or(1) > 1 ||
        llvm::is_contained(n.getOperandBatchingDims(), dim))
      return e.unsupported(op, "collapses a dimension of more than 1");
  return success();
}

/// The first elements of the last dimensions, as many as `sizes` computes;
/// where these are numbers, all.
Value firstOf(Value x, ArrayRef<OpFoldResult> sizes, Translator &e) {
  Sizes all = e.sizesOf(x);
  bool isPart = false;
  for (auto [have, want] :
       llvm::zip_equal(MutableArrayRef(all).take_back(sizes.size()), sizes)) {
    if (getConstantIntValue(want) || isSameSize(have, want, e))
      continue;
    have = want;
    isPart = true;
  }
  if (!isPart)
    return x;
  SmallVector<Value> starts(all.size(), numberOf(e.size(0), e));
  return prim::DynamicSliceOp::create(e.b, e.typeFor(all, e.elementOf(x)), x,
                                      starts, e.dynamicSizes(all));
}

/// One slice, whose coordinates along `dims` are the elements of `place`.
Value sliceAt(Value x, Value place, ArrayRef<int64_t> dims, const Sizes &sizes,
              Translator &e) {
  SmallVector<Value> starts(sizes.size(),
                            e.full(integerAttr(e.elementOf(place), 0), {}));
  for (auto [i, dim] : llvm::enumerate(dims))
    starts[dim] =
        e.reshape(e.sliceDim(place, 0, i, i + 1), ArrayRef<int64_t>());
  return prim::DynamicSliceOp::create(e.b, e.typeFor(sizes, e.elementOf(x)), x,
                                      starts, e.dynamicSizes(sizes));
}

LogicalResult gather(Operation *op, const Gather &g, Translator &e) {
  auto source = cast<RankedTensorType>(g.operand.getType());
  auto target = cast<RankedTensorType>(op->getResult(0).getType());
  auto n = g.numbers;
  if (failed(check(op, g, source.getRank(), target.getRank(), e)))
    return failure();
  auto places =
      placesOf(op, g.indices, n.getIndexVectorDim(),
               n.getStartIndicesBatchingDims(), n.getStartIndexMap().size(), e);
  if (failed(places))
    return failure();
  Layout layout = batchesFirst(n.getOperandBatchingDims(), source.getRank());
  int64_t batches = n.getOperandBatchingDims().size();
  SmallVector<int64_t> dims, sizes;
  Sizes full, kept;
  bool isOne = false; // slice, of a computed size
  for (int64_t dim : n.getStartIndexMap())
    dims.push_back(layout.place[dim]);
  for (int64_t dim : ArrayRef<int64_t>(layout.order).drop_front(batches)) {
    bool isCollapsed = llvm::is_contained(n.getCollapsedSliceDims(), dim);
    OpFoldResult size = isCollapsed ? e.size(1) : g.sizes[dim];
    auto known = getConstantIntValue(size);
    bool isComputed = !known && llvm::is_contained(n.getStartIndexMap(), dim);
    isOne |= isComputed;
    if (isComputed && e.typeOf(places->indices).getRank() != 1)
      return e.unsupported(op, "has slices of a computed size at a computed "
                               "place");
    sizes.push_back(known.value_or(-1));
    full.push_back(size);
    if (!isCollapsed)
      kept.push_back(size);
  }
  // The shape that prim gives, that without what is collapsed, and where its
  // dimensions go.
  Sizes at = e.sizesOf(places->indices);
  at.pop_back();
  Sizes whole = at, shape = at;
  SmallVector<int64_t> order(target.getRank(), -1);
  llvm::append_range(whole, full);
  llvm::append_range(shape, kept);
  if (int64_t(shape.size()) != target.getRank())
    return e.unsupported(op, "has a result of another rank");
  for (auto [i, dim] : llvm::enumerate(n.getOffsetDims()))
    order[dim] = at.size() + i;
  SmallVector<int64_t> where = invert(places->order);
  for (auto [dim, from] : llvm::enumerate(order))
    if (from < 0) {
      order[dim] = where.front();
      where.erase(where.begin());
    }
  auto number = [&](StringRef name, Attribute value) {
    return e.b.getNamedAttr(name, value);
  };
  return eachPart(
      op, g.operand, e, [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
        Value moved = e.transpose(x[0], layout.order);
        if (isOne)
          return e.transpose(
              e.reshape(sliceAt(moved, places->indices, dims, full, e), shape),
              order);
        moved = firstOf(moved, full, e);
        auto made =
            make(op, "gather_slices", {moved, places->indices},
                 e.typeFor(whole, type.getElementType()), e,
                 {number("dims", e.b.getDenseI64ArrayAttr(dims)),
                  number("batch_dims", e.b.getI64IntegerAttr(batches)),
                  number("slice_sizes", e.b.getDenseI64ArrayAttr(sizes))});
        if (failed(made))
          return {};
        return e.transpose(e.reshape((*made)->getResult(0), shape), order);
      });
}

LogicalResult gatherOp(stablehlo::GatherOp op, Translator &e) {
  return gather(op,
                {op.getOperand(), op.getStartIndices(),
                 op.getDimensionNumbers(),
                 getAsIndexOpFoldResult(op.getContext(), op.getSliceSizes())},
                e);
}

LogicalResult dynamicGather(stablehlo::DynamicGatherOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  auto sizes =
      sizesIn(op, op.getSliceSizes(), "slice_sizes", source.getRank(), e);
  if (failed(sizes))
    return failure();
  return gather(
      op,
      {op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(), *sizes},
      e);
}

LogicalResult dynamicSlice(stablehlo::DynamicSliceOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  if (failed(checkCount(op, "start_indices", op.getStartIndices().size(),
                        source.getRank(), e)) ||
      failed(checkCount(op, "slice_sizes", op.getSliceSizes().size(),
                        source.getRank(), e)))
    return failure();
  Sizes sizes = getAsIndexOpFoldResult(op.getContext(), op.getSliceSizes());
  Tensors starts;
  for (Value start : op.getStartIndices())
    starts.push_back(signedIndices(start, e));
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
                    Tensors operands{x[0]};
                    llvm::append_range(operands, starts);
                    auto segments = e.b.getDenseI32ArrayAttr(
                        {1, int32_t(starts.size()), 0});
                    auto made =
                        make(op, "dynamic_slice", operands,
                             e.typeFor(sizes, type.getElementType()), e,
                             e.b.getNamedAttr("operandSegmentSizes", segments));
                    return failed(made) ? Value() : (*made)->getResult(0);
                  });
}

LogicalResult dynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op,
                                 Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  if (failed(checkCount(op, "start_indices", op.getStartIndices().size(),
                        source.getRank(), e)))
    return failure();
  Tensors starts;
  for (Value start : op.getStartIndices())
    starts.push_back(signedIndices(start, e));
  return eachPart(op, {op.getOperand(), op.getUpdate()}, e,
                  [&](RankedTensorType type, ArrayRef<Value> x) {
                    Tensors operands(x);
                    llvm::append_range(operands, starts);
                    return call(op, "dynamic_update_slice", operands, e, type);
                  });
}

/// Slices at indices along one dimension, behind those that are matched.
LogicalResult indexSelect(stablehlo::TorchIndexSelectOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  int64_t dim = op.getDim(), batches = op.getBatchDims();
  if (dim < 0)
    dim += source.getRank();
  if (batches < 0)
    batches += cast<RankedTensorType>(op.getIndex().getType()).getRank();
  if (dim < 0 || dim >= source.getRank() || batches < 0 || batches > dim ||
      source.isDynamicDim(dim))
    return e.unsupported(op, "along a dimension that is not known");
  Value indices = e.clampTo(signedIndices(op.getIndex(), e), 0,
                            std::max<int64_t>(source.getDimSize(dim) - 1, 0));
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
                    return prim::GatherOp::create(e.b, type, x[0], indices, dim,
                                                  batches);
                  });
}

} // namespace

void addIndexRules(Rules &rules, bool dropsWindows) {
  using namespace stablehlo;
  rules.add<stablehlo::GatherOp>(gatherOp);
  rules.add<DynamicGatherOp>(dynamicGather);
  rules.add<stablehlo::DynamicSliceOp>(dynamicSlice);
  rules.add<stablehlo::DynamicUpdateSliceOp>(dynamicUpdateSlice);
  rules.add<TorchIndexSelectOp>(indexSelect);
  addScatterRules(rules, dropsWindows);
}

} // namespace kiln::stablehlo_to_prim
