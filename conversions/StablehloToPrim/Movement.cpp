// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO that make or move elements.
#include "../TensorToPrim/OpenSizes.h"
#include "ComputedSizes.h"
#include "FunctionSizes.h"

#include "kiln/Dialect/Prim/Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

LogicalResult iota(stablehlo::IotaOp op, Translator &e) {
  auto type = partType(op, op.getType(), e);
  if (failed(type))
    return failure();
  if (!type->hasStaticShape())
    return e.unsupported(op, "has a size that is not known");
  if (failed(checkDims(op, "iota_dimension", int64_t(op.getIotaDimension()),
                       type->getRank(), e)))
    return failure();
  Type element = type->getElementType();
  bool isBool = element.isInteger(1);
  RankedTensorType made = isBool ? type->clone(e.b.getI32Type()) : *type;
  Value result =
      prim::IotaOp::create(e.b, made, ValueRange{}, op.getIotaDimension());
  if (isComplex(op.getType()))
    return bind(op, {result, e.number(0, result)}, e);
  return e.set(op, isBool ? e.convert(result, element) : result);
}

LogicalResult reshape(stablehlo::ReshapeOp op, Translator &e) {
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
                    if (!type.hasStaticShape()) {
                      (void)e.unsupported(op, "to a size that is not known");
                      return {};
                    }
                    return e.reshape(x[0], type.getShape());
                  });
}

} // namespace

LogicalResult translateBroadcast(Operation *op, Value operand,
                                 ArrayRef<int64_t> dims, const Sizes &computed,
                                 FunctionSizes &known, Translator &e) {
  auto source = cast<RankedTensorType>(operand.getType());
  auto target = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(checkCount(op, "broadcast_dimensions", dims.size(),
                        source.getRank(), e)) ||
      failed(checkDims(op, "broadcast_dimensions", dims, target.getRank(), e)))
    return failure();
  // Dimensions in ascending order, as prim wants them.
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  SmallVector<int64_t> sorted;
  for (int64_t i : order)
    sorted.push_back(dims[i]);
  return eachPart(
      op, operand, e, [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
        Value moved = e.transpose(x[0], order);
        Sizes sizes =
            computed.empty()
                ? getAsIndexOpFoldResult(op->getContext(), type.getShape())
                : withKnown(computed, type, e);
        for (auto [from, to] : llvm::enumerate(sorted))
          if (type.isDynamicDim(to) && computed.empty())
            sizes[to] = e.sizesOf(moved)[from];
        for (OpFoldResult size : sizes)
          if (getConstantIntValue(size) == ShapedType::kDynamic) {
            (void)e.unsupported(op, "to a size that is not known");
            return {};
          }
        // A size that only the program knows may be 1.
        SizeForms &forms = known.of(op);
        for (auto [from, to] : llvm::enumerate(sorted)) {
          OpFoldResult own = e.sizesOf(moved)[from];
          if (!getConstantIntValue(own) && !forms.areEqual(own, sizes[to]))
            moved = repeatOpen(moved, from, sizes[to], e);
        }
        return e.broadcastInDim(moved, sorted, sizes);
      });
}

namespace {

LogicalResult broadcastInDim(stablehlo::BroadcastInDimOp op,
                             FunctionSizes &known, Translator &e) {
  return translateBroadcast(op, op.getOperand(), op.getBroadcastDimensions(),
                            {}, known, e);
}

LogicalResult broadcast(stablehlo::BroadcastOp op, FunctionSizes &known,
                        Translator &e) {
  int64_t added = op.getBroadcastSizes().size();
  int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  return translateBroadcast(op, op.getOperand(),
                            llvm::to_vector(llvm::seq(added, added + rank)), {},
                            known, e);
}

LogicalResult transpose(stablehlo::TransposeOp op, Translator &e) {
  int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  if (failed(
          checkCount(op, "permutation", op.getPermutation().size(), rank, e)) ||
      failed(checkDims(op, "permutation", op.getPermutation(), rank, e)))
    return failure();
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType, ArrayRef<Value> x) {
                    return e.transpose(x[0], op.getPermutation());
                  });
}

LogicalResult reverse(stablehlo::ReverseOp op, Translator &e) {
  int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  if (failed(checkDims(op, "dimensions", op.getDimensions(), rank, e)))
    return failure();
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType, ArrayRef<Value> x) -> Value {
                    return prim::RevOp::create(e.b, x[0].getType(), x[0],
                                               op.getDimensions());
                  });
}

LogicalResult slice(stablehlo::SliceOp op, Translator &e) {
  size_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  if (failed(checkCount(op, "start_indices", op.getStartIndices().size(), rank,
                        e)) ||
      failed(checkCount(op, "limit_indices", op.getLimitIndices().size(), rank,
                        e)) ||
      failed(checkCount(op, "strides", op.getStrides().size(), rank, e)))
    return failure();
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
                    return prim::SliceOp::create(
                        e.b, type, x[0], op.getStartIndices(),
                        op.getLimitIndices(), op.getStrides());
                  });
}

LogicalResult concatenate(stablehlo::ConcatenateOp op, Translator &e) {
  if (failed(checkDims(op, "dimension", int64_t(op.getDimension()),
                       cast<RankedTensorType>(op.getType()).getRank(), e)))
    return failure();
  return eachPart(op, op.getInputs(), e,
                  [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
                    if (x.size() == 1)
                      return x[0];
                    return prim::CatOp::create(e.b, type, x, op.getDimension());
                  });
}

/// Elements `interior` + 1 apart along a dimension, with `value` between them.
Value spaceOut(Value x, Value value, int64_t dim, int64_t interior,
               Translator &e) {
  int64_t size = e.typeOf(x).getDimSize(dim);
  if (interior == 0 || size <= 1)
    return x;
  // Each element gets a dimension of its own, which the holes follow.
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), one, holes, joined;
  one = shape;
  one.insert(one.begin() + dim + 1, 1);
  holes = one;
  holes[dim + 1] = interior;
  joined = shape;
  joined[dim] = size * (interior + 1);
  Value filler = e.broadcastInDim(
      value, {}, getAsIndexOpFoldResult(e.b.getContext(), holes));
  Value both = e.concat({e.reshape(x, one), filler}, dim + 1);
  return e.sliceDim(e.reshape(both, joined), dim, 0, joined[dim] - interior);
}

/// Padding before and behind one dimension; what is negative is cut off.
Value padDim(Value x, Value value, int64_t dim, int64_t low, int64_t high,
             Translator &e) {
  auto filler = [&](int64_t size) {
    SmallVector<int64_t> shape(e.typeOf(x).getShape());
    shape[dim] = size;
    return e.broadcastInDim(value, {},
                            getAsIndexOpFoldResult(e.b.getContext(), shape));
  };
  int64_t size = e.typeOf(x).getDimSize(dim);
  // What is cut off one end may reach into the padding at the other.
  Tensors list;
  if (low > 0)
    list.push_back(filler(low));
  list.push_back(x);
  if (high > 0)
    list.push_back(filler(high));
  Value all = e.concat(list, dim);
  int64_t from = std::max<int64_t>(-low, 0);
  int64_t to = size + std::max<int64_t>(low, 0) + std::min<int64_t>(high, 0) +
               std::max<int64_t>(high, 0);
  return e.sliceDim(all, dim, from, to);
}

} // namespace

Value pad(Value x, Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
          ArrayRef<int64_t> interior, Translator &e) {
  bool isStatic = e.typeOf(x).hasStaticShape();
  if (isStatic)
    for (auto [dim, between] : llvm::enumerate(interior))
      x = spaceOut(x, value, dim, between, e);
  auto negative = [](int64_t number) { return number < 0; };
  auto splat = e.splatOf(value);
  auto isZero = [](int64_t number) { return number == 0; };
  if (splat && llvm::none_of(low, negative) && llvm::none_of(high, negative) &&
      (isStatic || llvm::all_of(interior, isZero))) {
    if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
      return x;
    SmallVector<int64_t> shape;
    for (auto [size, before, behind] :
         llvm::zip_equal(e.typeOf(x).getShape(), low, high))
      shape.push_back(ShapedType::isDynamic(size) ? size
                                                  : size + before + behind);
    return prim::PadOp::create(e.b, e.typeOf(x).clone(shape), x, low, high,
                               *splat);
  }
  if (!isStatic) {
    auto numbers = [&](ArrayRef<int64_t> list) {
      return getAsIndexOpFoldResult(e.b.getContext(), list);
    };
    return padComputed(x, value, numbers(low), numbers(high), numbers(interior),
                       e);
  }
  for (auto [dim, before, behind] : llvm::enumerate(low, high))
    if (before != 0 || behind != 0)
      x = padDim(x, value, dim, before, behind, e);
  return x;
}

LogicalResult translatePad(Operation *op, Value operand, Value value,
                           ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                           ArrayRef<int64_t> interior, Translator &e) {
  auto source = cast<RankedTensorType>(operand.getType());
  size_t rank = source.getRank();
  if (failed(checkCount(op, "edge_padding_low", low.size(), rank, e)) ||
      failed(checkCount(op, "edge_padding_high", high.size(), rank, e)) ||
      failed(checkCount(op, "interior_padding", interior.size(), rank, e)))
    return failure();
  for (auto [size, before, behind, between] :
       llvm::zip_equal(source.getShape(), low, high, interior)) {
    bool isKnown = !ShapedType::isDynamic(size);
    int64_t inner = size + std::max<int64_t>(size - 1, 0) * between;
    if (between < 0 || (isKnown && inner + before + behind < 0))
      return e.unsupported(op, "cuts off more than there is");
  }
  return eachPart(op, {operand, value}, e,
                  [&](RankedTensorType, ArrayRef<Value> x) {
                    return pad(x[0], x[1], low, high, interior, e);
                  });
}

namespace {

LogicalResult padOp(stablehlo::PadOp op, Translator &e) {
  return translatePad(op, op.getOperand(), op.getPaddingValue(),
                      op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                      op.getInteriorPadding(), e);
}

/// The size as a number of 32 bits.
LogicalResult getDimensionSize(stablehlo::GetDimensionSizeOp op,
                               Translator &e) {
  Tensors parts = tensorsOf(op.getOperand(), e);
  if (parts.empty())
    return failure();
  if (failed(checkDims(op, "dimension", int64_t(op.getDimension()),
                       e.typeOf(parts[0]).getRank(), e)))
    return failure();
  Value size = numberOf(
      prim::dimSize(e.b, e.b.getLoc(), parts[0], op.getDimension()), e);
  return e.set(op, e.convert(size, e.b.getI32Type()));
}

/// The first elements along a dimension, as many as a number says that is
/// checked where it is known: at last when the program runs.
LogicalResult setDimensionSize(stablehlo::SetDimensionSizeOp op,
                               Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  int64_t dim = op.getDimension();
  if (failed(checkDims(op, "dimension", dim, source.getRank(), e)))
    return failure();
  Tensors parts = tensorsOf(op.getOperand(), e);
  Value number = e.get(op.getSize());
  if (parts.empty() || !number)
    return failure();
  if (e.typeOf(number).getRank() != 0)
    return e.unsupported(op, "has a size that is no scalar");
  Sizes sizes = e.sizesOf(parts.front());
  OpFoldResult have = sizes[dim], wanted = sizeAt(number, 0, e);
  auto from = getConstantIntValue(have), to = getConstantIntValue(wanted);
  if ((to && *to < 0) || (from && to && *to > *from))
    return e.unsupported(op, "has the size " + Twine(*to) +
                                 ", outside of the dimension");
  if (isSameSize(have, wanted, e))
    return bind(op, parts, e);
  if (!from || !to)
    cf::AssertOp::create(
        e.b,
        arith::CmpIOp::create(e.b, arith::CmpIPredicate::ule,
                              e.sizeValue(wanted), e.sizeValue(have)),
        "stablehlo.set_dimension_size has a size outside of the dimension");
  sizes[dim] = wanted;
  SmallVector<Value> begin(source.getRank(), numberOf(e.size(0), e));
  for (Value &x : parts)
    x = prim::DynamicSliceOp::create(e.b, e.typeFor(sizes, e.elementOf(x)), x,
                                     begin, e.dynamicSizes(sizes));
  return bind(op, parts, e);
}

} // namespace

void addMovementRules(Rules &rules,
                      const std::shared_ptr<FunctionSizes> &sizes) {
  using namespace stablehlo;
  rules.add<stablehlo::IotaOp>(iota);
  rules.add<stablehlo::ReshapeOp>(reshape);
  rules.add(stablehlo::BroadcastInDimOp::getOperationName(),
            [sizes](Operation *op, Translator &e) {
              return broadcastInDim(cast<stablehlo::BroadcastInDimOp>(op),
                                    *sizes, e);
            });
  rules.add(BroadcastOp::getOperationName(),
            [sizes](Operation *op, Translator &e) {
              return broadcast(cast<BroadcastOp>(op), *sizes, e);
            });
  rules.add<stablehlo::TransposeOp>(transpose);
  rules.add<ReverseOp>(reverse);
  rules.add<stablehlo::SliceOp>(slice);
  rules.add<ConcatenateOp>(concatenate);
  rules.add<stablehlo::PadOp>(padOp);
  rules.add<GetDimensionSizeOp>(getDimensionSize);
  rules.add<SetDimensionSizeOp>(setDimensionSize);
}

} // namespace kiln::stablehlo_to_prim
