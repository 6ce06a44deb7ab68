// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of the bodies of operations.
#include "BodyScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

BodyScope::BodyScope(Translator &e, Region &region, Sizes sizes)
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
    for (Operation *op : sliceOf(value, *body.region, [&](Value needed) {
                           return e.isKnown(needed);
                         }).ops) {
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

Slice sliceOf(Value value, Region &region,
              llvm::function_ref<bool(Value)> isGiven) {
  Slice slice;
  // Operations of a body come after what they need: go through it backwards.
  llvm::SetVector<Value> wanted;
  wanted.insert(value);
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(region.front())) {
    if (llvm::none_of(op.getResults(), [&](Value result) {
          return wanted.contains(result) && !(isGiven && isGiven(result));
        }))
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

} // namespace kiln::tensor_to_prim
