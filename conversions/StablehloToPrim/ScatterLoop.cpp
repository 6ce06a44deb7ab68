// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters of any function: a loop over the elements of the updates.
#include "Indexing.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// Where each element of the updates goes in the operand with its batching
/// dimensions in front, by its row-major number; -1 if it is outside.
Value targetsOf(const ScatterForm &form, ArrayRef<int64_t> operand,
                ArrayRef<int64_t> updates, Translator &e) {
  auto type = RankedTensorType::get(updates, e.b.getI64Type());
  Sizes sizes = getAsIndexOpFoldResult(e.b.getContext(), updates);
  Value indices = e.convert(form.places.indices, e.b.getI64Type());
  int64_t outer = e.typeOf(indices).getRank() - 1;
  SmallVector<int64_t> front = llvm::to_vector(llvm::seq<int64_t>(0, outer));
  int64_t batches = form.batches;
  Value target = e.full(integerAttr(e.b.getI64Type(), 0), sizes);
  Value none = e.integer(0, target), inside;
  for (auto [dim, size] : llvm::enumerate(operand)) {
    int64_t place = int64_t(dim) < batches ? dim : outer + dim - batches;
    Value at = prim::IotaOp::create(e.b, type, ValueRange{}, place);
    const auto *found = llvm::find(form.dims, int64_t(dim));
    if (found != form.dims.end()) {
      int64_t number = found - form.dims.begin();
      Value coordinate = e.sliceDim(indices, outer, number, number + 1);
      coordinate =
          e.reshape(coordinate, e.typeOf(indices).getShape().drop_back());
      at = e.add(at, e.broadcastInDim(coordinate, front, sizes));
    }
    Value extent = e.integer(size, at);
    Value here = e.binary<prim::BitwiseAndOp>(
        e.compare<prim::GeOp>(at, none), e.compare<prim::LtOp>(at, extent));
    inside = inside ? e.binary<prim::BitwiseAndOp>(inside, here) : here;
    target = e.add(e.mul(target, extent), at);
  }
  return inside ? e.where(inside, target, e.integer(-1, target)) : target;
}

} // namespace

LogicalResult scatterLoop(stablehlo::ScatterOp op, const ScatterForm &form,
                          Translator &e) {
  Tensors old = tensorsOf(op.getInputs(), e);
  Tensors updates = tensorsOf(op.getUpdates(), e);
  for (Value x : old)
    if (!e.typeOf(x).hasStaticShape())
      return e.unsupported(op, "combines in a way that prim has no scatter "
                               "for, on a size that is not known");
  for (Value x : updates)
    if (!e.typeOf(x).hasStaticShape())
      return e.unsupported(op, "combines in a way that prim has no scatter "
                               "for, of a size that is not known");
  SmallVector<int64_t> shape;
  for (int64_t dim : form.layout.order)
    shape.push_back(e.typeOf(old.front()).getDimSize(dim));
  int64_t count = e.typeOf(updates.front()).getNumElements();
  int64_t size = e.typeOf(old.front()).getNumElements();
  if (count == 0 || size == 0)
    return bindAll(op.getResults(), old, e);
  Type index = e.b.getI64Type();
  SmallVector<int64_t> from = *getConstantIntValues(form.updateSizes);
  Value targets = e.reshape(targetsOf(form, shape, from, e), {count});
  for (Value &x : updates)
    x = e.reshape(e.transpose(x, form.order), ArrayRef<int64_t>{count});
  Tensors inits{e.full(integerAttr(index, 0), {})};
  for (Value x : old)
    inits.push_back(
        e.reshape(e.transpose(x, form.layout.order), ArrayRef<int64_t>{size}));
  auto loop = prim::WhileOp::create(e.b, ValueRange(inits).getTypes(), inits);
  {
    OpBuilder::InsertionGuard guard(e.b);
    auto begin = [&](Region &region) {
      SmallVector<Location> places(inits.size(), op.getLoc());
      return e.b.createBlock(&region, {}, ValueRange(inits).getTypes(), places);
    };
    Value number = begin(loop.getCondition())->getArgument(0);
    prim::YieldOp::create(
        e.b, e.compare<prim::LtOp>(number, e.integer(count, number)));
    Block *body = begin(loop.getBody());
    number = body->getArgument(0);
    auto read = [&](Value x, Value at) {
      Value one = prim::DynamicSliceOp::create(
          e.b, e.typeOf(x).clone(ArrayRef<int64_t>{1}), x, at, ValueRange());
      return e.reshape(one, ArrayRef<int64_t>());
    };
    Value target = read(targets, number), zero = e.integer(0, target);
    Value inside = e.compare<prim::GeOp>(target, zero);
    Value at = e.where(inside, target, zero);
    Tensors arguments, kept;
    for (Value x : body->getArguments().drop_front())
      kept.push_back(read(x, at));
    arguments = kept;
    for (Value x : updates)
      arguments.push_back(read(x, number));
    auto made = inlineRegion(op.getUpdateComputation(), arguments, e);
    e.b.setLoc(op.getLoc());
    if (failed(made) || made->size() != kept.size())
      return failure();
    Tensors next{e.add(number, e.integer(1, number))};
    for (auto [x, fresh, same] :
         llvm::zip_equal(body->getArguments().drop_front(), *made, kept)) {
      Value one = e.reshape(e.where(inside, fresh, same), ArrayRef<int64_t>{1});
      next.push_back(
          prim::DynamicUpdateSliceOp::create(e.b, x.getType(), x, one, at));
    }
    prim::YieldOp::create(e.b, next);
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isa<UnrealizedConversionCastOp>(inner) && inner.use_empty())
        inner.erase();
  }
  Tensors results;
  for (Value x : loop.getResults().drop_front())
    results.push_back(e.transpose(e.reshape(x, shape), form.layout.place));
  return bindAll(op.getResults(), results, e);
}

} // namespace kiln::stablehlo_to_prim
