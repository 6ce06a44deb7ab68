// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: programs on them are read in their order, each buffer being what it
// holds at that point.
#include "Translator.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// A buffer nobody has written to: zeros, if it is read.
template <typename Op> LogicalResult alloc(Op op, Translator &e) {
  RankedTensorType type = e.tensorType(op.getType());
  if (!type || e.body)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  Sizes sizes = e.sizesOfType(type, op.getDynamicSizes());
  Value zeros = e.full(numberAttr(type.getElementType(), 0), sizes);
  e.setPlace(op, e.newPlace(zeros));
  return success();
}

/// What a module holds outside of its functions; each function begins with the
/// value that the module gives.
LogicalResult getGlobal(memref::GetGlobalOp op, Translator &e) {
  auto global =
      dyn_cast_or_null<memref::GlobalOp>(e.lookupSymbol(op.getName()));
  RankedTensorType type = e.tensorType(op.getType());
  if (!global || !type)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  if (auto place = e.globalPlaces.lookup(global)) {
    e.setPlace(op, place);
    return success();
  }
  Value value;
  if (auto initial =
          dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr())) {
    auto constant = constantValue(op, initial, e);
    if (failed(constant))
      return failure();
    value = *constant;
  } else {
    value =
        e.full(numberAttr(type.getElementType(), 0),
               Sizes(getAsIndexOpFoldResult(op.getContext(), type.getShape())));
  }
  auto place = e.newPlace(value);
  e.globalPlaces[global] = place;
  e.setPlace(op, place);
  return success();
}

/// Another name for the same buffer.
LogicalResult sameBuffer(Operation *op, Translator &e) {
  auto place = e.placeOf(op->getOperand(0));
  if (!place)
    return e.unsupported(op, "of a buffer that is not known");
  if (isa<UnrankedMemRefType>(op->getResult(0).getType()))
    e.unranked.push_back(e.get(op->getOperand(0)));
  e.setPlace(op->getResult(0), place);
  return success();
}

/// A view, read and written by two functions on tensors.
std::shared_ptr<Place> viewOf(std::shared_ptr<Place> base) {
  auto place = std::make_shared<Place>();
  place->base = std::move(base);
  return place;
}

/// The box of a block of a box.
void setBox(Place &view, const Part &block, Translator &e) {
  auto offsets = getConstantIntValues(block.offsets);
  auto sizes = getConstantIntValues(block.sizes);
  auto strides = getConstantIntValues(block.strides);
  if (!offsets || !sizes || !strides || block.dropped.any() ||
      (view.base->base && !view.base->box))
    return;
  view.box.emplace();
  for (auto [dim, start] : llvm::enumerate(*offsets)) {
    if ((*strides)[dim] != 1) {
      view.box.reset();
      return;
    }
    int64_t from = start + (view.base->box ? view.base->box->first[dim] : 0);
    view.box->first.push_back(from);
    view.box->second.push_back(from + (*sizes)[dim]);
  }
}

LogicalResult subview(memref::SubViewOp op, Translator &e) {
  auto base = e.placeOf(op.getSource());
  if (!base)
    return e.unsupported(op, "of a buffer that is not known");
  Part block = partOf(op.getMixedOffsets(), op.getMixedSizes(),
                      op.getMixedStrides(), op.getDroppedDims(), e);
  auto view = viewOf(base);
  view->read = [op, block, &e](Value whole) {
    return readPart(op, whole, block, e);
  };
  view->write = [op, block, &e](Value whole, Value part) {
    return writePart(op, whole, part, block, e);
  };
  setBox(*view, block, e);
  e.setPlace(op, view);
  // What leaves its operand is said where the view is made.
  return success(e.body || e.get(op.getResult()));
}

/// The same elements with other sizes.
LogicalResult reshaped(Operation *op, const Sizes &to, Translator &e) {
  auto base = e.placeOf(op->getOperand(0));
  if (!base)
    return e.unsupported(op, "of a buffer that is not known");
  Value whole = e.get(op->getOperand(0));
  if (!whole)
    return failure();
  Sizes from = e.sizesOf(whole);
  auto view = viewOf(base);
  view->read = [to, &e](Value value) -> FailureOr<Value> {
    return e.reshape(value, to);
  };
  view->write = [from, &e](Value, Value part) -> FailureOr<Value> {
    return e.reshape(part, from);
  };
  e.setPlace(op->getResult(0), view);
  return success();
}

LogicalResult collapse(memref::CollapseShapeOp op, Translator &e) {
  Value x = e.get(op.getSrc());
  if (!x)
    return failure();
  Sizes from = e.sizesOf(x), to;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    OpFoldResult size = e.size(1);
    for (int64_t dim : group)
      size = e.sizeMath().mul(size, from[dim]);
    to.push_back(size);
  }
  return reshaped(op, to, e);
}

LogicalResult expand(memref::ExpandShapeOp op, Translator &e) {
  Sizes to;
  for (OpFoldResult size : op.getMixedOutputShape()) {
    auto value = dyn_cast<Value>(size);
    to.push_back(value ? e.getSizes(value).front() : size);
  }
  return reshaped(op, to, e);
}

LogicalResult reshape(memref::ReshapeOp op, Translator &e) {
  RankedTensorType type = e.tensorType(op.getType());
  auto shape = e.integersOf(e.get(op.getShape()));
  if (!type || (!shape && !type.hasStaticShape()))
    return e.unsupported(op, "to a shape that is not a constant");
  return reshaped(
      op,
      getAsIndexOpFoldResult(op.getContext(), shape ? ArrayRef<int64_t>(*shape)
                                                    : type.getShape()),
      e);
}

/// All elements of a buffer in their order, with other sizes.
LogicalResult reinterpret(memref::ReinterpretCastOp op, Translator &e) {
  auto sizes = op.getMixedSizes();
  Sizes to;
  for (OpFoldResult size : sizes) {
    auto value = dyn_cast<Value>(size);
    to.push_back(value ? e.getSizes(value).front() : size);
  }
  auto numbers = getConstantIntValues(to);
  auto strides = getConstantIntValues(op.getMixedStrides());
  Value x = e.get(op.getSource());
  if (!x)
    return failure();
  bool good = numbers && strides && e.typeOf(x).hasStaticShape() &&
              getConstantIntValue(op.getMixedOffsets().front()) == 0;
  int64_t step = 1;
  if (good)
    for (auto [size, stride] : llvm::reverse(llvm::zip(*numbers, *strides))) {
      good &= size == 1 || stride == step;
      step *= size;
    }
  if (!good || step != e.typeOf(x).getNumElements())
    return e.unsupported(op, "is not all elements of a buffer in their order");
  return reshaped(op, to, e);
}

LogicalResult transpose(memref::TransposeOp op, Translator &e) {
  auto base = e.placeOf(op.getIn());
  if (!base)
    return e.unsupported(op, "of a buffer that is not known");
  SmallVector<int64_t> order, inverse;
  for (AffineExpr expr : op.getPermutation().getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  inverse.resize(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = i;
  auto view = viewOf(base);
  view->read = [order, &e](Value x) -> FailureOr<Value> {
    return e.transpose(x, order);
  };
  view->write = [inverse, &e](Value, Value x) -> FailureOr<Value> {
    return e.transpose(x, inverse);
  };
  e.setPlace(op, view);
  return success();
}

LogicalResult load(memref::LoadOp op, Translator &e) {
  return element(op, op.getMemRef(), op.getIndices(), e);
}

LogicalResult store(memref::StoreOp op, Translator &e) {
  if (e.body)
    return e.unsupported(op, "inside of a body");
  Value before = e.get(op.getMemRef()), value = e.get(op.getValueToStore());
  SmallVector<Value> indices;
  for (auto [dim, operand] : llvm::enumerate(op.getIndices())) {
    indices.push_back(e.get(operand));
    auto index = e.getConstantSizes(operand);
    if (before && index &&
        (index->front() < 0 ||
         (!e.typeOf(before).isDynamicDim(dim) &&
          index->front() >= e.typeOf(before).getDimSize(dim))))
      return e.unsupported(op, "writes outside of its buffer");
  }
  if (!before || !value || llvm::is_contained(indices, Value()))
    return failure();
  return e.write(op, op.getMemRef(), writeElement(before, indices, value, e));
}

LogicalResult copy(memref::CopyOp op, Translator &e) {
  Value value = e.get(op.getSource());
  return value ? e.write(op, op.getTarget(), value) : failure();
}

LogicalResult dim(memref::DimOp op, Translator &e) {
  return e.setDim(op, op.getSource(), op.getIndex());
}

LogicalResult nothing(Operation *, Translator &) { return success(); }

LogicalResult toTensor(bufferization::ToTensorOp op, Translator &e) {
  Value value = e.get(op->getOperand(0));
  return value ? e.set(op, value) : failure();
}

/// A tensor is a value: whoever writes to the buffer gets one of its own.
LogicalResult toBuffer(bufferization::ToBufferOp op, Translator &e) {
  e.setPlace(op, e.newPlace(e.get(op->getOperand(0))));
  return success();
}

LogicalResult clone(bufferization::CloneOp op, Translator &e) {
  Value value = e.get(op->getOperand(0));
  if (!value)
    return failure();
  e.setPlace(op, e.newPlace(value));
  return success();
}

LogicalResult materialize(bufferization::MaterializeInDestinationOp op,
                          Translator &e) {
  Value value = e.get(op.getSource());
  return value ? e.setOrWrite(op, 0, op.getDest(), value) : failure();
}

} // namespace

void addMemoryRules(Rules &rules) {
  rules.add<memref::AllocOp>(alloc<memref::AllocOp>);
  rules.add<memref::AllocaOp>(alloc<memref::AllocaOp>);
  rules.add<memref::GetGlobalOp>(getGlobal);
  rules.add<memref::SubViewOp>(subview);
  rules.add<memref::CollapseShapeOp>(collapse);
  rules.add<memref::ExpandShapeOp>(expand);
  rules.add<memref::ReshapeOp>(reshape);
  rules.add<memref::ReinterpretCastOp>(reinterpret);
  rules.add<memref::TransposeOp>(transpose);
  rules.add<memref::LoadOp>(load);
  rules.add<memref::StoreOp>(store);
  rules.add<memref::CopyOp>(copy);
  rules.add<memref::DimOp>(dim);
  rules.add<bufferization::ToTensorOp>(toTensor);
  rules.add<bufferization::ToBufferOp>(toBuffer);
  rules.add<bufferization::CloneOp>(clone);
  rules.add<bufferization::MaterializeInDestinationOp>(materialize);
  for (StringRef name : {memref::CastOp::getOperationName(),
                         memref::MemorySpaceCastOp::getOperationName(),
                         memref::AssumeAlignmentOp::getOperationName()})
    rules.add(name, sameBuffer);
  for (StringRef name : {memref::DeallocOp::getOperationName(),
                         bufferization::DeallocOp::getOperationName(),
                         bufferization::DeallocTensorOp::getOperationName()})
    rules.add(name, nothing);
}

} // namespace kiln::tensor_to_prim
