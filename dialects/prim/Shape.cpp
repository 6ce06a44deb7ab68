// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the results of prims as values.
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Dialect/Prim/CallbackOps.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Dialect/Prim/LinearAlgebraOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Index/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

using Sizes = SmallVector<OpFoldResult>;

std::optional<int64_t> kiln::prim::checkedProduct(ArrayRef<int64_t> sizes) {
  // A zero makes the product zero, however large the other sizes are.
  if (llvm::is_contained(sizes, 0))
    return 0;
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    std::optional<int64_t> next = llvm::checkedMul(product, size);
    if (!next)
      return std::nullopt;
    product = *next;
  }
  return product;
}

namespace {

/// Computes the sizes of one operation's results.
class Reifier {
public:
  Reifier(OpBuilder &builder, Location loc, SizesFn sizesOf, IndexFn indexOf)
      : builder(builder), loc(loc), sizesOf(sizesOf), indexOf(indexOf),
        math(builder, loc) {}

  /// The sizes of a result; static ones are replaced by the caller.
  Sizes result(Operation *op, unsigned number);

private:
  OpFoldResult constant(int64_t value) { return math.constant(value); }
  OpFoldResult add(OpFoldResult a, int64_t b) {
    return math.add(a, constant(b));
  }
  OpFoldResult mul(OpFoldResult a, int64_t b) {
    return math.mul(a, constant(b));
  }

  OpFoldResult positions(OpFoldResult size, int64_t window, int64_t stride,
                         int64_t padLow, int64_t padHigh, int64_t dilation = 1,
                         int64_t inputDilation = 1);
  Sizes fromOperands(RankedTensorType type, ValueRange sizes);
  Sizes slice(SliceOp op);
  Sizes cat(CatOp op);
  Sizes dot(DotGeneralOp op);
  Sizes conv(ConvOp op);
  Sizes gather(GatherOp op);
  Sizes reduction(Value operand, ArrayRef<int64_t> dims);
  template <typename Op> Sizes pool(Op op);
  Sizes group(Operation *op, unsigned number);
  Sizes branch(IfOp op, unsigned number);
  Sizes slices(GatherSlicesOp op);
  Sizes windows(ReduceWindowOp op);
  /// What a collective gives of an extent: an n-th of `split`, n times
  /// `concat`.
  Sizes exchanged(Operation *op, int64_t split, int64_t concat);
  Sizes linear(Operation *op, unsigned number);

  OpBuilder &builder;
  Location loc;
  SizesFn sizesOf;
  IndexFn indexOf;
  kiln::index::ScalarBuilder math;
};

} // namespace

/// floor(((size - 1) * inputDilation + 1 + pads - extent) / stride) + 1.
OpFoldResult Reifier::positions(OpFoldResult size, int64_t window,
                                int64_t stride, int64_t padLow, int64_t padHigh,
                                int64_t dilation, int64_t inputDilation) {
  int64_t extent = (window - 1) * dilation + 1;
  OpFoldResult spread =
      inputDilation == 1 ? size : add(mul(add(size, -1), inputDilation), 1);
  OpFoldResult range = add(spread, padLow + padHigh - extent);
  if (stride == 1)
    return add(range, 1);
  return add(math.floorDiv(range, constant(stride)), 1);
}

/// The `?` of the result are given by operands, in order.
Sizes Reifier::fromOperands(RankedTensorType type, ValueRange sizes) {
  Sizes result;
  auto next = sizes.begin();
  for (int64_t size : type.getShape())
    result.push_back(ShapedType::isDynamic(size)
                         ? OpFoldResult(indexOf(*next++))
                         : constant(size));
  return result;
}

Sizes Reifier::slice(SliceOp op) {
  Sizes result;
  for (auto [dim, size] : llvm::enumerate(sizesOf(op.getOperand()))) {
    int64_t start = op.getStarts()[dim], stride = op.getStrides()[dim];
    int64_t limit = op.getLimits()[dim];
    OpFoldResult extent = add(limit == -1 ? size : constant(limit), -start);
    result.push_back(stride == 1 ? extent
                                 : math.ceilDiv(extent, constant(stride)));
  }
  return result;
}

Sizes Reifier::cat(CatOp op) {
  Sizes result = sizesOf(op.getOperands().front());
  for (Value operand : op.getOperands().drop_front())
    result[op.getDim()] =
        math.add(result[op.getDim()], sizesOf(operand)[op.getDim()]);
  return result;
}

Sizes Reifier::dot(DotGeneralOp op) {
  Sizes lhs = sizesOf(op.getLhs()), rhs = sizesOf(op.getRhs()), result;
  for (auto [l, r] : llvm::zip_equal(op.getLhsBatch(), op.getRhsBatch()))
    result.push_back(isa<Attribute>(rhs[r]) ? rhs[r] : lhs[l]);
  auto others = [&](const Sizes &sizes, ArrayRef<int64_t> batch,
                    ArrayRef<int64_t> contract) {
    for (int64_t i = 0, e = sizes.size(); i < e; ++i)
      if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
        result.push_back(sizes[i]);
  };
  others(lhs, op.getLhsBatch(), op.getLhsContract());
  others(rhs, op.getRhsBatch(), op.getRhsContract());
  return result;
}

Sizes Reifier::conv(ConvOp op) {
  Sizes input = sizesOf(op.getInput());
  ArrayRef<int64_t> filter = op.getFilter().getType().getShape();
  Sizes result{input.front()};
  for (size_t i = 0; i + 2 < input.size(); ++i)
    result.push_back(positions(input[i + 1], filter[i + 1], op.getStrides()[i],
                               op.getPadLow()[i], op.getPadHigh()[i],
                               op.getDilation()[i], op.getInputDilation()[i]));
  result.push_back(sizesOf(op.getFilter()).front());
  return result;
}

template <typename Op> Sizes Reifier::pool(Op op) {
  Sizes result = sizesOf(op.getInput());
  for (size_t i = 0; i + 2 < result.size(); ++i)
    result[i + 1] =
        positions(result[i + 1], op.getWindow()[i], op.getStrides()[i],
                  op.getPadLow()[i], op.getPadHigh()[i]);
  return result;
}

Sizes Reifier::gather(GatherOp op) {
  Sizes operand = sizesOf(op.getOperand()), indices = sizesOf(op.getIndices());
  ArrayRef<OpFoldResult> all(operand);
  Sizes result(all.take_front(op.getDim()));
  llvm::append_range(result, ArrayRef(indices).drop_front(op.getBatchDims()));
  llvm::append_range(result, all.drop_front(op.getDim() + 1));
  return result;
}

Sizes Reifier::reduction(Value operand, ArrayRef<int64_t> dims) {
  Sizes result;
  for (auto [dim, size] : llvm::enumerate(sizesOf(operand)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      result.push_back(size);
  return result;
}

/// The `?` of all results are given by operands, in order.
Sizes Reifier::branch(IfOp op, unsigned number) {
  ValueRange sizes = op.getSizes();
  for (unsigned i = 0; i < number; ++i)
    sizes = sizes.drop_front(
        cast<RankedTensorType>(op.getResult(i).getType()).getNumDynamicDims());
  return fromOperands(cast<RankedTensorType>(op.getResult(number).getType()),
                      sizes);
}

Sizes Reifier::slices(GatherSlicesOp op) {
  Sizes operand = sizesOf(op.getOperand()), result = sizesOf(op.getIndices());
  result.pop_back();
  for (auto [size, whole] : llvm::zip(
           op.getSliceSizes(), ArrayRef(operand).drop_front(op.getBatchDims())))
    result.push_back(size == -1 ? whole : constant(size));
  return result;
}

/// Windows that do not fit have no positions.
Sizes Reifier::windows(ReduceWindowOp op) {
  Sizes result = sizesOf(op.getOperands().front());
  for (auto [d, size] : llvm::enumerate(result)) {
    OpFoldResult most = positions(
        size, op.getWindow()[d], op.getStrides()[d], op.getPadLow()[d],
        op.getPadHigh()[d], op.getDilation()[d], op.getInputDilation()[d]);
    size = math.max(most, constant(0));
  }
  return result;
}

Sizes Reifier::exchanged(Operation *op, int64_t split, int64_t concat) {
  Sizes result = sizesOf(op->getOperand(0));
  int64_t n = rankLists(op).front().size();
  if (split >= 0)
    result[split] = math.floorDiv(result[split], constant(n));
  if (concat >= 0)
    result[concat] = mul(result[concat], n);
  return result;
}

Sizes Reifier::linear(Operation *op, unsigned number) {
  Sizes result;
  for (const SizeSource &source : sizeSources(op, number)) {
    Sizes sizes = sizesOf(op->getOperand(source.operand));
    result.push_back(source.other < 0
                         ? sizes[source.dim]
                         : math.min(sizes[source.dim], sizes[source.other]));
  }
  return result;
}

/// Follows the region of a group from a yielded value to the inputs; index
/// computations in between are cloned to the outside.
Sizes Reifier::group(Operation *op, unsigned number) {
  Block &body = op->getRegion(0).front();
  IRMapping outside;
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), op->getOperands()))
    outside.map(argument, input);
  std::function<Sizes(Value)> inner = [&](Value tensor) -> Sizes {
    if (Value mapped = outside.lookupOrNull(tensor))
      return sizesOf(mapped);
    auto type = cast<RankedTensorType>(tensor.getType());
    Operation *def = tensor.getDefiningOp();
    Sizes sizes =
        def && !type.hasStaticShape()
            ? Reifier(builder, loc, inner, [](Value value) { return value; })
                  .result(def, cast<OpResult>(tensor).getResultNumber())
            : Sizes(type.getRank());
    std::function<Value(Value)> index = [&](Value value) -> Value {
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != &body)
        return indexOf(outside.lookupOrDefault(value));
      if (Value mapped = outside.lookupOrNull(value))
        return mapped;
      // Sizes of tensors inside of the group are sizes of its inputs.
      if (auto dim = dyn_cast<tensor::DimOp>(source))
        if (std::optional<int64_t> number = dim.getConstantIndex())
          return math.materialize(inner(dim.getSource())[*number]);
      for (Value operand : source->getOperands())
        outside.map(operand, index(operand));
      return builder.clone(*source, outside)
          ->getResult(cast<OpResult>(value).getResultNumber());
    };
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (!type.isDynamicDim(dim))
        size = constant(type.getDimSize(dim));
      else if (auto value = dyn_cast<Value>(size))
        size = index(value);
    }
    return sizes;
  };
  return inner(body.getTerminator()->getOperand(number));
}

Sizes Reifier::result(Operation *op, unsigned number) {
  return TypeSwitch<Operation *, Sizes>(op)
      .Case<FullOp, IotaOp, BroadcastInDimOp, ReshapeOp, RandomBitsOp>(
          [&](auto op) { return fromOperands(op.getType(), op.getSizes()); })
      .Case([&](TransposeOp op) {
        Sizes operand = sizesOf(op.getOperand()), result;
        for (int64_t dim : op.getPermutation())
          result.push_back(operand[dim]);
        return result;
      })
      .Case([&](PadOp op) {
        Sizes result = sizesOf(op.getOperand());
        for (auto [dim, size] : llvm::enumerate(result))
          size = add(size, op.getLow()[dim] + op.getHigh()[dim]);
        return result;
      })
      .Case([&](BitcastConvertOp op) {
        Sizes sizes = sizesOf(op.getOperand());
        int64_t rank = op.getType().getRank();
        for (int64_t dim = sizes.size(); dim < rank; ++dim)
          sizes.push_back(constant(op.getType().getDimSize(dim)));
        sizes.truncate(rank);
        return sizes;
      })
      .Case([&](AttentionOp op) {
        Sizes result = sizesOf(op.getQuery());
        if (number == 1)
          result.pop_back();
        else
          result.back() = sizesOf(op.getValue()).back();
        return result;
      })
      .Case([&](AttentionBackwardOp op) {
        return sizesOf(op.getOperand(number));
      })
      .Case([&](FourierOp op) {
        Sizes sizes = sizesOf(op.getOperand(0));
        auto type = cast<RankedTensorType>(op.getResult(number).getType());
        sizes[op.getDim()] = constant(type.getDimSize(op.getDim()));
        return sizes;
      })
      .Case([&](SliceOp op) { return slice(op); })
      .Case([&](CatOp op) { return cat(op); })
      .Case([&](DotGeneralOp op) { return dot(op); })
      .Case([&](ConvOp op) { return conv(op); })
      .Case([&](GatherOp op) { return gather(op); })
      .Case<MaxPoolOp, SumPoolOp, AvgPoolOp>([&](auto op) { return pool(op); })
      .Case<SumOp, ProdOp, AmaxOp, AminOp>(
          [&](auto op) { return reduction(op.getOperand(), op.getDims()); })
      .Case([&](ArgmaxOp op) {
        return reduction(op.getOperand(), static_cast<int64_t>(op.getDim()));
      })
      .Case<FusionOp, ClaimOp>([&](Operation *op) { return group(op, number); })
      .Case([&](IfOp op) { return branch(op, number); })
      .Case([&](WhileOp op) { return sizesOf(op.getInits()[number]); })
      .Case([&](DynamicSliceOp op) {
        return fromOperands(op.getType(), op.getSizes());
      })
      .Case([&](GatherSlicesOp op) { return slices(op); })
      .Case([&](ArgminOp op) {
        return reduction(op.getOperand(), static_cast<int64_t>(op.getDim()));
      })
      .Case([&](TopKOp op) {
        Sizes result = sizesOf(op.getOperand());
        result[op.getDim()] = constant(op.getK());
        return result;
      })
      .Case([&](ReduceOp op) {
        return reduction(op.getOperands().front(), op.getDims());
      })
      .Case([&](ReduceWindowOp op) { return windows(op); })
      .Case<CholeskyOp, LuOp, PivotsToPermutationOp, TriangularSolveOp,
            HouseholderQrOp, HouseholderProductOp, EighOp, EigOp, SvdOp>(
          [&](Operation *op) { return linear(op, number); })
      .Case([&](CallbackOp op) {
        auto type = cast<RankedTensorType>(op.getOutputs()[number].getType());
        return fromOperands(type, {});
      })
      .Case([&](AllGatherOp op) { return exchanged(op, -1, op.getDim()); })
      .Case([&](ReduceScatterOp op) { return exchanged(op, op.getDim(), -1); })
      .Case([&](AllToAllOp op) {
        return exchanged(op, op.getSplit(), op.getConcat());
      })
      // Everything else keeps the shape of its first operand.
      .Default([&](Operation *op) {
        return op->getNumOperands() ? sizesOf(op->getOperand(0)) : Sizes();
      });
}

OpFoldResult kiln::prim::dimSize(OpBuilder &builder, Location loc, Value tensor,
                                 int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return tensor::DimOp::create(builder, loc, tensor, dim).getResult();
}

Sizes kiln::prim::dimSizes(OpBuilder &builder, Location loc, Value tensor) {
  Sizes sizes;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(dimSize(builder, loc, tensor, dim));
  return sizes;
}

SmallVector<Value> kiln::prim::dynamicSizes(OpBuilder &builder, Location loc,
                                            RankedTensorType type,
                                            ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!type.isDynamicDim(dim))
      continue;
    if (auto value = dyn_cast<Value>(size))
      values.push_back(value);
    else
      values.push_back(arith::ConstantIndexOp::create(
          builder, loc, *getConstantIntValue(size)));
  }
  return values;
}

Sizes kiln::prim::reifyResultShape(OpBuilder &builder, Operation *op,
                                   unsigned result, SizesFn sizesOf,
                                   IndexFn indexOf) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(result).getType());
  if (!type || !isa_and_nonnull<PrimDialect>(op->getDialect()))
    return {};
  Sizes sizes(type.getRank());
  if (!type.hasStaticShape())
    sizes = Reifier(builder, op->getLoc(), sizesOf, indexOf).result(op, result);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!type.isDynamicDim(dim))
      size = builder.getIndexAttr(type.getDimSize(dim));
  return sizes;
}

Sizes kiln::prim::reifyResultShape(OpBuilder &builder, Operation *op,
                                   unsigned result) {
  return reifyResultShape(
      builder, op, result,
      [&](Value tensor) { return dimSizes(builder, op->getLoc(), tensor); },
      [](Value value) { return value; });
}

LogicalResult
kiln::prim::reifyResultShapes(OpBuilder &builder, Operation *op,
                              ReifiedRankedShapedTypeDims &shapes) {
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    shapes.push_back(reifyResultShape(builder, op, i));
  return success();
}
