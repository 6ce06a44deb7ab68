// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured operations whose loops slide windows: convolutions and poolings.
#include "../TensorToPrim/Narrow.h"
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// out * stride + window * dilation, one dimension of the input.
struct Spatial {
  int64_t out, window, stride, dilation;
};

/// Which loops index the dimensions of the input.
struct InputMap {
  SmallVector<Spatial> spatial;
  SmallVector<int64_t> plain;              // loops
  SmallVector<int64_t> spatialAt, plainAt; // dimensions of the input
};

/// A loop times a constant.
std::optional<std::pair<int64_t, int64_t>> termOf(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return std::pair<int64_t, int64_t>(dim.getPosition(), 1);
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(product.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!dim || !factor || factor.getValue() < 1)
    return std::nullopt;
  return std::pair<int64_t, int64_t>(dim.getPosition(), factor.getValue());
}

std::optional<InputMap> inputMapOf(AffineMap map,
                                   ArrayRef<utils::IteratorType> types) {
  InputMap result;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      result.plain.push_back(dim.getPosition());
      result.plainAt.push_back(i);
      continue;
    }
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!sum || sum.getKind() != AffineExprKind::Add)
      return std::nullopt;
    auto first = termOf(sum.getLHS()), second = termOf(sum.getRHS());
    if (!first || !second)
      return std::nullopt;
    if (types[first->first] != utils::IteratorType::parallel)
      std::swap(first, second);
    if (types[first->first] != utils::IteratorType::parallel ||
        types[second->first] != utils::IteratorType::reduction)
      return std::nullopt;
    result.spatial.push_back(
        {first->first, second->first, first->second, second->second});
    result.spatialAt.push_back(i);
  }
  if (result.spatial.empty())
    return std::nullopt;
  return result;
}

bool has(ArrayRef<int64_t> list, int64_t dim) {
  return llvm::is_contained(list, dim);
}

/// A value of the body that depends on one tensor, over the tensor's own
/// elements (scalars may take part).
FailureOr<Value> evaluateOwn(linalg::LinalgOp op, Value value,
                             BlockArgument tensor, const Slice &slice,
                             Translator &e) {
  Value own = e.get(op.getMatchingOpOperand(tensor)->get());
  Sizes sizes = e.sizesOf(own);
  BodyScope scope(e, *op.getBlock()->getParent(), sizes);
  e.body->dims.clear();
  for (BlockArgument argument : slice.arguments) {
    Value operand = op.getMatchingOpOperand(argument)->get();
    Value x = argument == tensor ? own : e.get(operand);
    // A scalar is over the space already, a tensor of rank 0 is not.
    if (argument != tensor && isa<ShapedType>(operand.getType()))
      x = e.broadcastInDim(e.reshape(x, ArrayRef<int64_t>{}), {}, sizes);
    scope.bind(argument, x);
  }
  return scope.evaluate(value);
}

/// The one argument of a slice that is not a scalar, or null.
BlockArgument tensorArgument(linalg::LinalgOp op, const Slice &slice) {
  BlockArgument found;
  for (BlockArgument argument : slice.arguments) {
    if (op.getMatchingIndexingMap(op.getMatchingOpOperand(argument))
            .getNumResults() == 0)
      continue;
    if (found)
      return {};
    found = argument;
  }
  return found;
}

/// The product of some static sizes of a tensor, or nothing.
std::optional<int64_t> productOf(RankedTensorType type,
                                 ArrayRef<int64_t> dims) {
  if (dims.size() == 1)
    return type.getDimSize(dims.front());
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (type.isDynamicDim(dim))
      return std::nullopt;
    product *= type.getDimSize(dim);
  }
  return product;
}

/// Transposes to `groups` of dimensions and makes each group one dimension.
std::optional<Value> regroup(Value value, ArrayRef<SmallVector<int64_t>> groups,
                             Translator &e) {
  SmallVector<int64_t> order;
  Sizes own = e.sizesOf(value), sizes;
  for (const SmallVector<int64_t> &group : groups) {
    llvm::append_range(order, group);
    auto product = productOf(e.typeOf(value), group);
    if (!product)
      return std::nullopt;
    sizes.push_back(ShapedType::isDynamic(*product) ? own[group.front()]
                                                    : e.size(*product));
  }
  return e.reshape(e.transpose(value, order), sizes);
}

/// The places of a result, batch first and then its spatial dimensions, that
/// the loops have: an input may be larger than what the windows read.
Value placesOfLoops(linalg::LinalgOp op, Value result,
                    ArrayRef<Spatial> spatial, Translator &e) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  RankedTensorType type = e.typeOf(result), own = e.typeOf(e.get(init->get()));
  SmallVector<int64_t> starts(type.getRank(), 0), ones(type.getRank(), 1);
  SmallVector<int64_t> limits(type.getShape());
  for (auto [i, s] : llvm::enumerate(spatial))
    for (auto [size, expr] : llvm::zip_equal(own.getShape(), map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && int64_t(dim.getPosition()) == s.out &&
          ShapedType::isStatic(size) && size < limits[i + 1])
        limits[i + 1] = size;
  if (ArrayRef(limits) == type.getShape() || !type.hasStaticShape())
    return result;
  return prim::SliceOp::create(e.b, type.clone(limits), result, starts, limits,
                               ones);
}

/// Splits the merged dimensions of a result again and arranges it.
LogicalResult finish(linalg::LinalgOp op, Value result, Operation *combine,
                     ArrayRef<int64_t> order, Translator &e) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  Value before = e.get(init->get());
  Sizes loops(op.getNumLoops(), e.size(1)), sizes, own = e.sizesOf(before);
  for (auto [size, expr] : llvm::zip_equal(own, map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = size;
  for (int64_t dim : order)
    sizes.push_back(loops[dim]);
  result = e.reshape(result, sizes);
  auto arranged = arrange(op, result, order, map, e);
  if (failed(arranged))
    return failure();
  Type element = e.elementOf(before);
  Type narrow = init->get().getType();
  Value value = wrapTo(narrow, e.convert(*arranged, element), e);
  if (isa<arith::AddFOp, arith::AddIOp>(combine))
    return e.setOrWrite(
        op, 0, init->get(),
        isZero(before, e) ? value : wrapTo(narrow, e.add(before, value), e));
  bool isMax = isa<arith::MaximumFOp, arith::MaxSIOp>(combine);
  return e.setOrWrite(op, 0, init->get(),
                      isMax ? e.binary<prim::MaximumOp>(before, value)
                            : e.binary<prim::MinimumOp>(before, value));
}

/// The loops of a convolution, and where each stands in its operand: batch,
/// groups, channels that are summed, channels of the result, the window.
struct ConvLoops {
  SmallVector<int64_t> batch, groups, summed, produced;
  SmallVector<int64_t> batchAt, groupsAt, summedAt; ///< of the input
  SmallVector<int64_t> groupsIn, producedIn, windowIn,
      summedIn; ///< of the filter
};

/// Sorts the loops of the input and the filter; nothing where they are not
/// those of a convolution.
template <typename Input>
std::optional<ConvLoops> loopsOf(const Input &input, AffineMap filterMap,
                                 AffineMap outMap) {
  ConvLoops loops;
  SmallVector<int64_t> filter, out;
  for (unsigned i = 0; i < filterMap.getNumResults(); ++i)
    filter.push_back(filterMap.getDimPosition(i));
  for (AffineExpr expr : outMap.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      out.push_back(dim.getPosition());

  for (auto [dim, at] : llvm::zip_equal(input.plain, input.plainAt)) {
    bool inFilter = has(filter, dim), inOut = has(out, dim);
    if (!inFilter && !inOut)
      return std::nullopt;
    (!inFilter ? loops.batch
     : inOut   ? loops.groups
               : loops.summed)
        .push_back(dim);
    (!inFilter ? loops.batchAt
     : inOut   ? loops.groupsAt
               : loops.summedAt)
        .push_back(at);
  }
  auto at = [&](int64_t dim) {
    return llvm::find(filter, dim) - filter.begin();
  };
  for (int64_t dim : filter)
    if (!has(loops.groups, dim) && !has(loops.summed, dim) && has(out, dim)) {
      loops.produced.push_back(dim);
      loops.producedIn.push_back(at(dim));
    }
  for (int64_t dim : loops.groups)
    loops.groupsIn.push_back(at(dim));
  for (int64_t dim : loops.summed)
    loops.summedIn.push_back(at(dim));
  for (const Spatial &s : input.spatial) {
    if (!has(filter, s.window))
      return std::nullopt;
    loops.windowIn.push_back(at(s.window));
  }
  if (filter.size() != loops.groups.size() + loops.summed.size() +
                           loops.produced.size() + input.spatial.size())
    return std::nullopt;
  return loops;
}

std::optional<LogicalResult> conv(linalg::LinalgOp op, const Combine &combine,
                                  Operation *product, Translator &e) {
  Region &region = *op.getBlock()->getParent();
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  Value factors[2] = {product->getOperand(0), product->getOperand(1)};
  Slice slices[2] = {sliceOf(factors[0], region), sliceOf(factors[1], region)};
  BlockArgument tensors[2] = {tensorArgument(op, slices[0]),
                              tensorArgument(op, slices[1])};
  if (!tensors[0] || !tensors[1])
    return std::nullopt;
  auto mapOf = [&](int i) {
    return op.getMatchingIndexingMap(op.getMatchingOpOperand(tensors[i]));
  };
  int in = inputMapOf(mapOf(0), types) ? 0 : 1;
  auto input = inputMapOf(mapOf(in), types);
  AffineMap filterMap = mapOf(1 - in);
  if (!input || !filterMap.isProjectedPermutation())
    return std::nullopt;
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  std::optional<ConvLoops> loops = loopsOf(*input, filterMap, outMap);
  if (!loops)
    return std::nullopt;
  auto x = evaluateOwn(op, factors[in], tensors[in], slices[in], e);
  auto f = failed(x) ? x
                     : evaluateOwn(op, factors[1 - in], tensors[1 - in],
                                   slices[1 - in], e);
  if (failed(f))
    return failure();
  e.b.setLoc(op.getLoc());
  SmallVector<SmallVector<int64_t>> inGroups{loops->batchAt}, filterGroups;
  for (int64_t dim : input->spatialAt)
    inGroups.push_back({dim});
  inGroups.push_back(loops->groupsAt);
  llvm::append_range(inGroups.back(), loops->summedAt);
  filterGroups.push_back(loops->groupsIn);
  llvm::append_range(filterGroups.back(), loops->producedIn);
  for (int64_t dim : loops->windowIn)
    filterGroups.push_back({dim});
  filterGroups.push_back(loops->summedIn);
  auto groupCount = productOf(e.typeOf(*f), loops->groupsIn);
  auto nhwc = regroup(*x, inGroups, e), ohwi = regroup(*f, filterGroups, e);
  if (!nhwc || !ohwi || !groupCount || ShapedType::isDynamic(*groupCount))
    return std::nullopt;
  for (size_t i = 0; i < input->spatial.size(); ++i)
    if (e.typeOf(*ohwi).isDynamicDim(i + 1))
      return std::nullopt; // gathered instead

  SmallVector<int64_t> strides, dilation, ones, zeros, order(loops->batch);
  SmallVector<int64_t> shape{e.typeOf(*nhwc).getDimSize(0)};
  for (auto [i, s] : llvm::enumerate(input->spatial)) {
    strides.push_back(s.stride);
    dilation.push_back(s.dilation);
    ones.push_back(1);
    zeros.push_back(0);
    order.push_back(s.out);
    int64_t size = e.typeOf(*nhwc).getDimSize(i + 1);
    int64_t window = e.typeOf(*ohwi).getDimSize(i + 1);
    shape.push_back(ShapedType::isDynamic(size) || ShapedType::isDynamic(window)
                        ? ShapedType::kDynamic
                        : (size - (window - 1) * s.dilation - 1) / s.stride +
                              1);
  }
  shape.push_back(e.typeOf(*ohwi).getDimSize(0));
  llvm::append_range(order, loops->groups);
  llvm::append_range(order, loops->produced);
  Type element =
      primElement(getElementTypeOrSelf(op.getDpsInits()[0].getType()));
  Type sum = isa<FloatType>(element) || element.isInteger(64)
                 ? element
                 : Type(e.b.getI32Type());
  Value result =
      prim::ConvOp::create(e.b, RankedTensorType::get(shape, sum), *nhwc, *ohwi,
                           strides, zeros, zeros, dilation, ones, *groupCount);
  result = placesOfLoops(op, result, input->spatial, e);
  return finish(op, result, combine.op, order, e);
}

std::optional<LogicalResult> pool(linalg::LinalgOp op, const Combine &combine,
                                  Translator &e) {
  Slice slice = sliceOf(combine.value, *op.getBlock()->getParent());
  BlockArgument tensor = tensorArgument(op, slice);
  if (!tensor ||
      !isa<arith::AddFOp, arith::AddIOp, arith::MaximumFOp, arith::MaxSIOp,
           arith::MinimumFOp, arith::MinSIOp>(combine.op))
    return std::nullopt;
  auto input =
      inputMapOf(op.getMatchingIndexingMap(op.getMatchingOpOperand(tensor)),
                 op.getIteratorTypesArray());
  if (!input)
    return std::nullopt;
  // The sizes of the window are those of an operand that is read for them only.
  SmallVector<int64_t> window(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<ShapedType>(operand->get().getType()))
      for (auto [size, expr] :
           llvm::zip_equal(e.typeOf(e.get(operand->get())).getShape(),
                           op.getMatchingIndexingMap(operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          window[dim.getPosition()] = size;

  auto x = evaluateOwn(op, combine.value, tensor, slice, e);
  if (failed(x))
    return failure();
  e.b.setLoc(op.getLoc());
  SmallVector<SmallVector<int64_t>> groups(1);
  SmallVector<int64_t> order, last, lastAt;
  for (auto [i, dim] : llvm::enumerate(input->plain)) {
    bool isLast = i + 1 == input->plain.size();
    (isLast ? last : order).push_back(dim);
    (isLast ? lastAt : groups.front()).push_back(input->plainAt[i]);
  }
  SmallVector<int64_t> sizes, strides, zeros;
  for (auto [i, s] : llvm::enumerate(input->spatial)) {
    // Gathered instead: windows with gaps, or of sizes that are not known.
    if (s.dilation != 1 || ShapedType::isDynamic(window[s.window]))
      return std::nullopt;
    groups.push_back({input->spatialAt[i]});
    order.push_back(s.out);
    sizes.push_back(window[s.window]);
    strides.push_back(s.stride);
    zeros.push_back(0);
  }
  groups.push_back(lastAt);
  llvm::append_range(order, last);
  auto nhwc = regroup(*x, groups, e);
  if (!nhwc)
    return std::nullopt;
  SmallVector<int64_t> shape(e.typeOf(*nhwc).getShape());
  for (size_t i = 0; i < sizes.size(); ++i)
    if (ShapedType::isStatic(shape[i + 1]))
      shape[i + 1] = (shape[i + 1] - sizes[i]) / strides[i] + 1;
  bool isFloat = isa<FloatType>(e.elementOf(*nhwc));
  auto flip = [&](Value value) {
    return isFloat ? e.unary<prim::NegOp>(value)
                   : e.unary<prim::BitwiseNotOp>(value);
  };
  RankedTensorType type = e.typeOf(*nhwc).clone(shape);
  Value result;
  if (isa<arith::AddFOp, arith::AddIOp>(combine.op))
    result =
        prim::SumPoolOp::create(e.b, type, *nhwc, sizes, strides, zeros, zeros);
  else if (isa<arith::MaximumFOp, arith::MaxSIOp>(combine.op))
    result =
        prim::MaxPoolOp::create(e.b, type, *nhwc, sizes, strides, zeros, zeros);
  else // The smallest is the largest of the opposite order.
    result = flip(prim::MaxPoolOp::create(e.b, type, flip(*nhwc), sizes,
                                          strides, zeros, zeros));
  result = placesOfLoops(op, result, input->spatial, e);
  return finish(op, result, combine.op, order, e);
}

} // namespace

std::optional<LogicalResult> emitWindow(linalg::LinalgOp op, Translator &e) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  std::optional<Combine> combine = matchCombine(op, 0);
  if (!combine || combine->yielded != combine->op->getResult(0))
    return std::nullopt;
  Operation *product = combine->value.getDefiningOp();
  if (isa<arith::AddFOp, arith::AddIOp>(combine->op) &&
      isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) &&
      product->getBlock() == op.getBlock())
    if (auto done = conv(op, *combine, product, e))
      return done;
  return pool(op, *combine, e);
}

} // namespace kiln::tensor_to_prim
