// Evaluation of bodies and the forms of their operands and results.
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tosa_to_prim {

BodyScope::BodyScope(Emitter &e, Region &region, Sizes sizes)
    : e(e), outer(e.body) {
  body.region = &region;
  body.sizes = std::move(sizes);
  for (size_t i = 0; i < body.sizes.size(); ++i)
    body.dims.push_back(i);
  e.body = &body;
}

BodyScope::~BodyScope() {
  for (Value value : known)
    e.forget(value);
  e.body = outer;
}

void BodyScope::bind(Value argument, Value value) {
  e.alias(argument, value);
  known.push_back(argument);
}

Value BodyScope::index(int64_t dim) {
  return prim::IotaOp::create(e.b, e.typeFor(body.sizes, e.b.getI64Type()),
                              e.dynamicSizes(body.sizes), dim);
}

FailureOr<Value> BodyScope::evaluate(Value value) {
  if (body.region->isAncestor(value.getParentRegion()))
    for (Operation *op : sliceOf(value, *body.region).ops) {
      if (llvm::all_of(op->getResults(),
                       [&](Value result) { return e.isKnown(result); }))
        continue;
      llvm::append_range(known, op->getResults());
      if (failed(e.emit(op)))
        return failure();
    }
  if (Operation *call = e.getOpaque(value))
    return e.unsupported(call, "of an undefined function");
  Value result = e.isKnown(value) ? e.get(value) : Value();
  if (!result)
    return failure();
  return result;
}

Slice sliceOf(Value value, Region &region) {
  Slice slice;
  // Operations of a body come after what they need: go through it backwards.
  llvm::SetVector<Value> wanted;
  wanted.insert(value);
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(region.front())) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return wanted.contains(result); }))
      continue;
    ops.push_back(&op);
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        wanted.insert(operand);
    });
  }
  slice.ops.insert(ops.rbegin(), ops.rend());
  for (Value needed : wanted)
    if (auto argument = dyn_cast<BlockArgument>(needed))
      if (argument.getOwner() == &region.front())
        slice.arguments.insert(argument);
  return slice;
}

Value materialize(Operation *op, Value operand, AffineMap map,
                  ArrayRef<int64_t> dims, ArrayRef<OpFoldResult> sizes,
                  Emitter &e) {
  SmallVector<int64_t> positions;
  Sizes kept;
  for (int64_t i = 0; i < static_cast<int64_t>(map.getNumResults()); ++i) {
    AffineExpr expr = map.getResult(i);
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      int64_t extent = e.typeOf(operand).getDimSize(i);
      if (constant.getValue() < 0 ||
          (ShapedType::isStatic(extent) && constant.getValue() >= extent)) {
        (void)e.unsupported(op, "reads outside of an operand");
        return {};
      }
      operand =
          e.sliceDim(operand, i, constant.getValue(), constant.getValue() + 1);
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    const int64_t *found =
        dim ? llvm::find(dims, static_cast<int64_t>(dim.getPosition()))
            : dims.end();
    int64_t position = found - dims.begin();
    if (found == dims.end() || llvm::is_contained(positions, position)) {
      (void)e.unsupported(op, "has an indexing map that is not of distinct "
                              "dimensions: " +
                                  Twine(text(map)));
      return {};
    }
    positions.push_back(position);
  }
  if (positions.size() != map.getNumResults()) {
    Sizes all = e.sizesOf(operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineConstantExpr>(expr))
        kept.push_back(all[i]);
    operand = e.reshape(operand, kept);
  }
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, positions.size()));
  llvm::sort(order,
             [&](int64_t a, int64_t c) { return positions[a] < positions[c]; });
  operand = e.transpose(operand, order);
  llvm::sort(positions);
  return e.broadcastInDim(operand, positions, sizes);
}

FailureOr<Sizes> loopSizes(linalg::LinalgOp op, Emitter &e) {
  Sizes sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    Sizes own = e.sizesOf(e.get(operand.get()));
    for (auto [size, expr] :
         llvm::zip_equal(own, op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (OpFoldResult &known = sizes[dim.getPosition()];
            !known ||
            (!getConstantIntValue(known) && getConstantIntValue(size)))
          known = size;
  }
  if (llvm::any_of(sizes, [](OpFoldResult size) { return !size; }))
    return e.unsupported(op, "has a loop whose size no operand gives");
  return sizes;
}

FailureOr<Value> arrange(Operation *op, Value value, ArrayRef<int64_t> dims,
                         AffineMap map, Emitter &e) {
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : map.getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    const int64_t *found =
        dim ? llvm::find(dims, static_cast<int64_t>(dim.getPosition()))
            : dims.end();
    if (found == dims.end())
      return e.unsupported(op, "has an indexing map of a result that is not a "
                               "permutation: " +
                                   Twine(text(map)));
    permutation.push_back(found - dims.begin());
  }
  if (!isPermutationVector(permutation) || permutation.size() != dims.size())
    return e.unsupported(op, "has an indexing map of a result that is not a "
                             "permutation: " +
                                 Twine(text(map)));
  value = e.transpose(value, permutation);
  if (permutation.size() == map.getNumResults())
    return value;
  Sizes sizes, own = e.sizesOf(value);
  size_t next = 0;
  for (AffineExpr expr : map.getResults())
    sizes.push_back(isa<AffineConstantExpr>(expr) ? e.size(1) : own[next++]);
  return e.reshape(value, sizes);
}

std::optional<Combine> matchCombine(linalg::LinalgOp op, unsigned result) {
  Block *block = op.getBlock();
  Value out = block->getArgument(op.getNumDpsInputs() + result);
  Operation *last = block->getTerminator()->getOperand(result).getDefiningOp();
  if (!last || last->getBlock() != block || last->getNumOperands() != 2 ||
      !out.hasOneUse() || *out.getUsers().begin() != last)
    return std::nullopt;
  Combine combine;
  combine.op = last;
  combine.value = last->getOperand(last->getOperand(0) == out ? 1 : 0);
  for (BlockArgument argument :
       sliceOf(combine.value, *block->getParent()).arguments)
    if (argument.getArgNumber() >= op.getNumDpsInputs())
      return std::nullopt;
  return combine;
}

bool isZero(Value value, Emitter &e) {
  std::optional<TypedAttr> splat = e.splatOf(value);
  if (!splat)
    return false;
  if (auto number = dyn_cast<FloatAttr>(*splat))
    return number.getValue().isZero();
  return cast<IntegerAttr>(*splat).getValue().isZero();
}

} // namespace kiln::tosa_to_prim
