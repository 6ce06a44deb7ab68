// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters of StableHLO.
#include "Indexing.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// The name that prim has for what a scatter does, or nothing.
StringRef kindOf(Combiner combiner, bool isUnsigned) {
  switch (combiner) {
  case Combiner::Second:
    return "set";
  case Combiner::Add:
    return "add";
  case Combiner::Mul:
    return "mul";
  case Combiner::Min:
    return isUnsigned ? "umin" : "min";
  case Combiner::Max:
    return isUnsigned ? "umax" : "max";
  case Combiner::And:
    return "and";
  case Combiner::Or:
    return "or";
  case Combiner::Xor:
    return "xor";
  case Combiner::First:
  case Combiner::Other:
    return "";
  }
  return "";
}

/// Whether the update is subtracted.
bool isSubtraction(Region &region) {
  Block &block = region.front();
  auto op = block.getTerminator()
                ->getOperand(0)
                .getDefiningOp<stablehlo::SubtractOp>();
  return op && block.getNumArguments() == 2 &&
         op.getLhs() == block.getArgument(0) &&
         op.getRhs() == block.getArgument(1);
}

/// What a scatter does to each of its inputs, where these are independent.
SmallVector<Combiner> combinersOf(stablehlo::ScatterOp op) {
  Region &region = op.getUpdateComputation();
  size_t inputs = op.getInputs().size();
  if (inputs == 1)
    return {combinerOf(region)};
  // Of several, only ones that are replaced.
  SmallVector<Combiner> list;
  Block &block = region.front();
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands()))
    list.push_back(value == block.getArgument(inputs + i) ? Combiner::Second
                   : value == block.getArgument(i)        ? Combiner::First
                                                          : Combiner::Other);
  list.resize(inputs, Combiner::Other);
  return list;
}

LogicalResult check(stablehlo::ScatterOp op, int64_t rank, int64_t updateRank,
                    Translator &e) {
  auto n = op.getScatterDimensionNumbers();
  if (failed(checkDims(op, "update_window_dims", n.getUpdateWindowDims(),
                       updateRank, e)) ||
      failed(checkDims(op, "inserted_window_dims", n.getInsertedWindowDims(),
                       rank, e)) ||
      failed(checkDims(op, "input_batching_dims", n.getInputBatchingDims(),
                       rank, e)) ||
      failed(checkDims(op, "scatter_dims_to_operand_dims",
                       n.getScatterDimsToOperandDims(), rank, e)) ||
      failed(checkCount(op, "scatter_indices_batching_dims",
                        n.getScatterIndicesBatchingDims().size(),
                        n.getInputBatchingDims().size(), e)) ||
      failed(checkCount(op, "update_window_dims",
                        n.getUpdateWindowDims().size(),
                        rank - n.getInsertedWindowDims().size() -
                            n.getInputBatchingDims().size(),
                        e)))
    return failure();
  for (ArrayRef<int64_t> dims :
       {n.getScatterDimsToOperandDims(), n.getInsertedWindowDims()})
    for (int64_t dim : dims)
      if (llvm::is_contained(n.getInputBatchingDims(), dim))
        return e.unsupported(op, "indexes a batching dimension");
  return success();
}

FailureOr<ScatterForm> formOf(stablehlo::ScatterOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto update = cast<RankedTensorType>(op.getUpdates()[0].getType());
  auto n = op.getScatterDimensionNumbers();
  if (failed(check(op, source.getRank(), update.getRank(), e)))
    return failure();
  auto places = placesOf(op, op.getScatterIndices(), n.getIndexVectorDim(),
                         n.getScatterIndicesBatchingDims(),
                         n.getScatterDimsToOperandDims().size(), e);
  if (failed(places))
    return failure();
  ScatterForm form;
  form.batches = n.getInputBatchingDims().size();
  form.places = *places;
  form.layout = batchesFirst(n.getInputBatchingDims(), source.getRank());
  for (int64_t dim : n.getScatterDimsToOperandDims())
    form.dims.push_back(form.layout.place[dim]);
  // Dimensions of the updates: those of the places, then those of windows.
  SmallVector<int64_t> at;
  for (int64_t dim = 0; dim < update.getRank(); ++dim)
    if (!llvm::is_contained(n.getUpdateWindowDims(), dim))
      at.push_back(dim);
  if (at.size() != places->order.size())
    return e.unsupported(op, "has updates of another rank than its places");
  for (int64_t dim : places->order)
    form.order.push_back(at[dim]);
  Tensors parts = tensorsOf(op.getUpdates()[0], e);
  if (parts.empty())
    return failure();
  Sizes sizes = e.sizesOf(parts[0]);
  for (int64_t dim : form.order)
    form.updateSizes.push_back(sizes[dim]);
  llvm::append_range(form.order, n.getUpdateWindowDims());
  auto window = n.getUpdateWindowDims();
  size_t batches = n.getInputBatchingDims().size();
  for (int64_t dim : ArrayRef<int64_t>(form.layout.order).drop_front(batches)) {
    if (llvm::is_contained(n.getInsertedWindowDims(), dim)) {
      form.updateSizes.push_back(e.size(1));
    } else {
      form.updateSizes.push_back(sizes[window.front()]);
      window = window.drop_front();
    }
  }
  return form;
}

/// Moves a place away whose window is partly outside, so that all of the
/// window is. The operand has its batching dimensions in front.
void dropWindows(ScatterForm &form, const Sizes &operand, Translator &e) {
  Value &indices = form.places.indices;
  if (e.elementOf(indices).getIntOrFloatBitWidth() < 32)
    indices = e.convert(indices, e.b.getI64Type());
  int64_t last = e.typeOf(indices).getRank() - 1;
  Value wide = e.convert(indices, e.b.getI64Type()), inside;
  for (auto [number, dim] : llvm::enumerate(form.dims)) {
    OpFoldResult window = form.updateSizes[last + dim - form.batches];
    if (isOneInteger(window))
      continue;
    Value at = e.sliceDim(wide, last, number, number + 1);
    Value end = e.sub(e.sizeTensor(operand[dim]), e.sizeTensor(window));
    Value here = e.binary<prim::BitwiseAndOp>(
        e.compare<prim::GeOp>(at, e.integer(0, at)),
        e.compare<prim::LeOp>(at, e.broadcastInDim(end, {}, e.sizesOf(at))));
    inside = inside ? e.binary<prim::BitwiseAndOp>(inside, here) : here;
  }
  if (!inside)
    return;
  Sizes sizes = e.sizesOf(indices);
  auto front = llvm::to_vector(llvm::seq<int64_t>(0, last));
  inside = e.reshape(inside, ArrayRef<OpFoldResult>(sizes).drop_back());
  Value away = e.integer(std::numeric_limits<int32_t>::min(), indices);
  indices = e.where(e.broadcastInDim(inside, front, sizes), indices, away);
}

/// One tensor, or one part of complex numbers.
Value scatterPart(stablehlo::ScatterOp op, const ScatterForm &form,
                  StringRef kind, Value x, Value updates, Translator &e) {
  auto number = *prim::symbolizeScatterKind(kind);
  int64_t batches =
      op.getScatterDimensionNumbers().getInputBatchingDims().size();
  Value moved = e.transpose(x, form.layout.order);
  Value parts = e.reshape(e.transpose(updates, form.order), form.updateSizes);
  Value result = prim::ScatterOp::create(e.b, moved.getType(), number, moved,
                                         form.places.indices, parts, form.dims,
                                         batches, op.getUniqueIndices());
  return e.transpose(result, form.layout.place);
}

/// Complex numbers multiplied by at most one update each: by 1 elsewhere.
Tensors product(stablehlo::ScatterOp op, const ScatterForm &form,
                const Tensors &old, const Tensors &fresh, Translator &e) {
  Complex by;
  by.re = scatterPart(op, form, "set", e.number(1, old[0]), fresh[0], e);
  by.im = scatterPart(op, form, "set", e.number(0, old[1]), fresh[1], e);
  Value mark = e.full(e.b.getBoolAttr(false), e.sizesOf(old[0]));
  Value set = e.full(e.b.getBoolAttr(true), e.sizesOf(fresh[0]));
  Value isMarked = scatterPart(op, form, "set", mark, set, e);
  Complex made = ComplexMath(op, e).mul({old[0], old[1]}, by);
  return {e.where(isMarked, made.re, old[0]),
          e.where(isMarked, made.im, old[1])};
}

/// Whether prim has a scatter that does this to each of the inputs.
bool isKnown(stablehlo::ScatterOp op, Translator &e) {
  for (auto [input, combiner] :
       llvm::zip_equal(op.getInputs(), combinersOf(op))) {
    bool isPair = isComplex(input.getType());
    bool isSum = combiner == Combiner::Add ||
                 (combiner == Combiner::Other && op.getInputs().size() == 1 &&
                  isSubtraction(op.getUpdateComputation()));
    if (combiner == Combiner::First || combiner == Combiner::Second || isSum)
      continue;
    bool isProduct = combiner == Combiner::Mul && op.getUniqueIndices();
    if (kindOf(combiner, false).empty() || (isPair && !isProduct))
      return false;
  }
  return true;
}

LogicalResult scatter(stablehlo::ScatterOp op, bool dropsWindows,
                      Translator &e) {
  auto form = formOf(op, e);
  if (failed(form))
    return failure();
  if (dropsWindows) {
    Tensors parts = tensorsOf(op.getInputs()[0], e);
    if (parts.empty())
      return failure();
    Sizes sizes = e.sizesOf(parts[0]), moved;
    for (int64_t dim : form->layout.order)
      moved.push_back(sizes[dim]);
    dropWindows(*form, moved, e);
  }
  if (!isKnown(op, e))
    return scatterLoop(op, *form, e);
  for (auto [input, updates, result, combiner] : llvm::zip_equal(
           op.getInputs(), op.getUpdates(), op.getResults(), combinersOf(op))) {
    Tensors old = tensorsOf(input, e), fresh = tensorsOf(updates, e);
    if (combiner == Combiner::First) {
      if (failed(bind(result, old, e)))
        return failure();
      continue;
    }
    if (combiner == Combiner::Other && op.getInputs().size() == 1 &&
        isSubtraction(op.getUpdateComputation())) {
      combiner = Combiner::Add;
      for (Value &part : fresh)
        part = e.unary<prim::NegOp>(part);
    }
    if (combiner == Combiner::Mul && old.size() == 2 && fresh.size() == 2 &&
        op.getUniqueIndices()) {
      if (failed(bind(result, product(op, *form, old, fresh, e), e)))
        return failure();
      continue;
    }
    bool byPart = combiner == Combiner::Second || combiner == Combiner::Add;
    StringRef kind = kindOf(combiner, isUnsigned(input.getType()));
    if (kind.empty() || (old.size() > 1 && !byPart))
      return e.unsupported(op,
                           "combines in a way that prim has no scatter for");
    if (old.size() != fresh.size())
      return e.unsupported(op, "mixes complex and other operands");
    Tensors results;
    for (auto [x, u] : llvm::zip_equal(old, fresh))
      results.push_back(scatterPart(op, *form, kind, x, u, e));
    if (failed(bind(result, results, e)))
      return failure();
  }
  return success();
}

} // namespace

void addScatterRules(Rules &rules, bool dropsWindows) {
  rules.add(stablehlo::ScatterOp::getOperationName(),
            [dropsWindows](Operation *op, Translator &e) {
              return scatter(cast<stablehlo::ScatterOp>(op), dropsWindows, e);
            });
}

} // namespace kiln::stablehlo_to_prim
