// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of StableHLO.
#include "ComputedSizes.h"
#include "Products.h"

#include "kiln/Index/List.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// A window with every number given.
struct Window {
  SmallVector<int64_t> strides, low, high, inputDilation, dilation, reversed;
  /// Where the filter has a size that is not known: the spatial sizes of the
  /// result.
  std::optional<SmallVector<int64_t>> positions;
};

template <typename Op>
FailureOr<Window> windowOf(Op op, size_t spatial, ArrayRef<int64_t> padding,
                           Translator &e) {
  Window w;
  auto numbers = [&](StringRef name, std::optional<ArrayRef<int64_t>> list,
                     SmallVector<int64_t> &to) -> LogicalResult {
    to.assign(spatial, 1);
    if (!list || (spatial == 0 && list->empty()))
      return success();
    if (failed(checkCount(op, name, list->size(), spatial, e)))
      return failure();
    to.assign(list->begin(), list->end());
    return llvm::all_of(to, [](int64_t n) { return n >= 1; })
               ? success()
               : e.unsupported(op, "has " + Twine(name) + " below 1");
  };
  if (failed(numbers("window_strides", op.getWindowStrides(), w.strides)) ||
      failed(numbers("lhs_dilation", op.getLhsDilation(), w.inputDilation)) ||
      failed(numbers("rhs_dilation", op.getRhsDilation(), w.dilation)))
    return failure();
  w.low.assign(spatial, 0);
  w.high.assign(spatial, 0);
  if (!padding.empty()) {
    if (failed(checkCount(op, "padding", padding.size(), 2 * spatial, e)))
      return failure();
    for (size_t i = 0; i < spatial; ++i) {
      w.low[i] = padding[2 * i];
      w.high[i] = padding[2 * i + 1];
    }
  }
  if (auto reversal = op.getWindowReversal()) {
    if (failed(checkCount(op, "window_reversal", reversal->size(), spatial, e)))
      return failure();
    for (auto [i, reversed] : llvm::enumerate(*reversal))
      if (reversed)
        w.reversed.push_back(i + 1);
  }
  return w;
}

SmallVector<int64_t> places(int64_t first, ArrayRef<int64_t> spatial,
                            int64_t last) {
  SmallVector<int64_t> order{first};
  llvm::append_range(order, spatial);
  order.push_back(last);
  return order;
}

/// An input without what negative padding cuts off, once it is spread.
Value cut(Value x, Window &w, Translator &e) {
  Value zero = e.full(numberAttr(e.elementOf(x), 0), {});
  size_t rank = e.typeOf(x).getRank();
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  bool any = false;
  for (size_t i = 0; i < w.low.size(); ++i)
    if (w.low[i] < 0 || w.high[i] < 0) {
      any = true;
      interior[i + 1] = w.inputDilation[i] - 1;
      low[i + 1] = w.low[i];
      high[i + 1] = w.high[i];
      w.low[i] = w.high[i] = 0;
      w.inputDilation[i] = 1;
    }
  return any ? pad(x, zero, low, high, interior, e) : x;
}

/// Groups of the batch are groups of filters with an input of their own: the
/// batch is split, and its outer part joins the channels.
Value splitBatch(Value x, int64_t groups, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), split, order;
  int64_t rank = shape.size();
  split.push_back(groups);
  llvm::append_range(split, shape);
  split[1] = shape[0] / groups;
  for (int64_t dim = 1; dim < rank; ++dim)
    order.push_back(dim);
  order.push_back(0);
  order.push_back(rank);
  shape[0] /= groups;
  shape[rank - 1] *= groups;
  return e.reshape(e.transpose(e.reshape(x, split), order), shape);
}

bool isEmpty(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

/// The input of a window between zeros, as many as are computed: pairs of
/// numbers, one for each spatial dimension. The window has none then.
Value surround(Value x, ArrayRef<OpFoldResult> padding, ArrayRef<int64_t> apart,
               Translator &e) {
  Sizes low{e.size(0)}, high = low, interior = low;
  for (auto [i, dilation] : llvm::enumerate(apart)) {
    low.push_back(padding[2 * i]);
    high.push_back(padding[2 * i + 1]);
    interior.push_back(e.size(dilation - 1));
  }
  for (Sizes *list : {&low, &high, &interior})
    list->push_back(e.size(0));
  return padComputed(x, e.full(numberAttr(e.elementOf(x), 0), {}), low, high,
                     interior, e);
}

/// More places of a result than this are not written out one by one.
constexpr int64_t mostPlaces = 256;

/// What a filter covers that is laid on `x` at one place of the result.
Value covered(Value x, Value filter, const Window &w, ArrayRef<int64_t> at,
              Translator &e) {
  auto &math = e.sizeMath();
  Sizes sizes = e.sizesOf(x), kernel = e.sizesOf(filter);
  SmallVector<Value> starts{numberOf(e.size(0), e)};
  SmallVector<int64_t> first(sizes.size(), 0), limits(sizes.size(), -1),
      steps(sizes.size(), 1);
  for (size_t i = 0; i < at.size(); ++i) {
    OpFoldResult extent = math.add(
        math.mul(math.sub(kernel[i + 1], e.size(1)), e.size(w.dilation[i])),
        e.size(1));
    sizes[i + 1] = math.max(extent, e.size(0));
    steps[i + 1] = w.dilation[i];
    starts.push_back(numberOf(e.size(at[i] * w.strides[i]), e));
  }
  starts.push_back(starts.front());
  Value part = prim::DynamicSliceOp::create(
      e.b, e.typeFor(sizes, e.elementOf(x)), x, starts, e.dynamicSizes(sizes));
  SmallVector<int64_t> shape(e.typeOf(part).getShape());
  for (size_t i = 0; i < at.size(); ++i)
    shape[i + 1] = e.typeOf(filter).getDimSize(i + 1);
  for (auto [limit, size] : llvm::zip_equal(limits, e.typeOf(part).getShape()))
    if (!ShapedType::isDynamic(size))
      limit = size;
  return prim::SliceOp::create(e.b, e.typeOf(part).clone(shape), part, first,
                               limits, steps);
}

/// Dimension 0 as [groups, part of each].
Value grouped(Value x, int64_t groups, Translator &e) {
  Sizes sizes = e.sizesOf(x);
  sizes[0] = e.sizeMath().floorDiv(sizes[0], e.size(groups));
  sizes.insert(sizes.begin(), e.size(groups));
  return e.reshape(x, sizes);
}

/// The products of a group of the batch with one of the filter's features, over
/// all other dimensions: [batch, 1, features].
Value groupProduct(Value x, Value filter, int64_t groups, Type sum,
                   Translator &e) {
  x = grouped(x, groups, e);
  filter = grouped(filter, groups, e);
  SmallVector<int64_t> inner;
  for (int64_t d = 2; d < e.typeOf(x).getRank(); ++d)
    inner.push_back(d);
  auto type = RankedTensorType::get(
      {groups, e.typeOf(x).getDimSize(1), e.typeOf(filter).getDimSize(1)}, sum);
  Value product = prim::DotGeneralOp::create(
      e.b, type, x, filter, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0}, inner,
      inner, prim::Precision::ieee);
  Sizes sizes = e.sizesOf(product);
  OpFoldResult features = e.sizeMath().product({sizes[0], sizes[2]});
  return e.reshape(e.transpose(product, {1, 0, 2}),
                   {sizes[1], e.size(1), features});
}

/// A convolution whose filter has sizes that are not known, as the gradient of
/// a filter has: a product for each of the few places of the result.
FailureOr<Value> convOpen(Operation *op, Value x, Value filter, Window w,
                          int64_t groups, Type sum, Translator &e) {
  int64_t places = 1;
  for (int64_t size : *w.positions) {
    if (ShapedType::isDynamic(size) || size < 1 || size > mostPlaces ||
        (places *= size) > mostPlaces)
      return e.unsupported(op, "on filters of a size that is not known");
  }
  Sizes padding;
  for (auto [low, high] : llvm::zip_equal(w.low, w.high)) {
    padding.push_back(e.size(low));
    padding.push_back(e.size(high));
  }
  x = surround(x, padding, w.inputDilation, e);
  SmallVector<int64_t> at(w.positions->size(), 0);
  SmallVector<Value> products;
  for (int64_t k = 0; k < places; ++k) {
    int64_t rest = k;
    for (size_t d = at.size(); d-- > 0; rest /= (*w.positions)[d])
      at[d] = rest % (*w.positions)[d];
    products.push_back(
        groupProduct(covered(x, filter, w, at, e), filter, groups, sum, e));
  }
  Value all = e.concat(products, 1);
  Sizes sizes = e.sizesOf(all), to{sizes[0]};
  for (int64_t size : *w.positions)
    to.push_back(e.size(size));
  to.push_back(sizes[2]);
  return e.reshape(all, to);
}

/// One tensor, or one part of complex numbers, in the order of prim:
/// [batch, spatial..., feature].
FailureOr<Value> convPart(Operation *op, Value x, Value filter, Window w,
                          int64_t groups, int64_t batchGroups, Type lhsSource,
                          Type rhsSource, RankedTensorType type,
                          Translator &e) {
  Type sum, element = type.getElementType();
  bringToSum(x, filter, sum, lhsSource, rhsSource, element, e);
  x = cut(x, w, e);
  if (!w.reversed.empty())
    filter = prim::RevOp::create(e.b, filter.getType(), filter, w.reversed);
  if (w.positions) {
    int64_t batch = e.typeOf(x).getDimSize(0);
    if (!ShapedType::isDynamic(batch) && batch % batchGroups != 0)
      return e.unsupported(op, "has a batch that is no multiple of its groups");
    if (groups > 1)
      return e.unsupported(op, "on filters of a size that is not known");
    auto value = convOpen(op, x, filter, w, batchGroups, sum, e);
    return failed(value) ? value : e.convert(*value, element);
  }
  if (batchGroups > 1) {
    if (!e.typeOf(x).hasStaticShape())
      return e.unsupported(op, "has groups of a batch that is not known");
    if (groups > 1)
      return e.unsupported(op, "has groups of features and of the batch");
    if (e.typeOf(x).getDimSize(0) % batchGroups != 0)
      return e.unsupported(op, "has a batch that is no multiple of its groups");
    x = splitBatch(x, batchGroups, e);
    groups = batchGroups;
  }
  RankedTensorType in = e.typeOf(x), window = e.typeOf(filter);
  SmallVector<int64_t> shape{in.getDimSize(0)};
  bool empty = isEmpty(in) || isEmpty(window);
  for (size_t i = 0; i < w.strides.size(); ++i) {
    int64_t size = in.getDimSize(i + 1), reach = window.getDimSize(i + 1);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    int64_t spread = size == 0 ? 0 : (size - 1) * w.inputDilation[i] + 1;
    int64_t room = spread + w.low[i] + w.high[i] -
                   (reach == 0 ? 0 : (reach - 1) * w.dilation[i] + 1);
    shape.push_back(room < 0 ? 0 : room / w.strides[i] + 1);
  }
  shape.push_back(window.getDimSize(0));
  auto result = RankedTensorType::get(shape, sum);
  Value value;
  if (result.hasStaticShape() && (isEmpty(result) || empty))
    value = e.full(numberAttr(sum, 0),
                   getAsIndexOpFoldResult(op->getContext(), shape));
  else
    value = prim::ConvOp::create(e.b, result, x, filter, w.strides, w.low,
                                 w.high, w.dilation, w.inputDilation, groups);
  return e.convert(value, element);
}

/// `computed` is padding that is not known, instead of `padding`.
template <typename Op>
LogicalResult convolve(Op op, ArrayRef<int64_t> padding, const Sizes &computed,
                       Translator &e) {
  auto n = op.getDimensionNumbers();
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto target = cast<RankedTensorType>(op.getType());
  size_t spatial = n.getInputSpatial().size();
  auto in = places(n.getInputBatch(), n.getInputSpatial(), n.getInputFeature());
  auto kernel =
      places(n.getKernelOutput(), n.getKernelSpatial(), n.getKernelInput());
  auto out =
      places(n.getOutputBatch(), n.getOutputSpatial(), n.getOutputFeature());
  for (auto [order, rank] :
       {std::pair(ArrayRef<int64_t>(in), lhs.getRank()),
        std::pair(ArrayRef<int64_t>(kernel), rhs.getRank()),
        std::pair(ArrayRef<int64_t>(out), target.getRank())})
    if (failed(checkCount(op, "dimension_numbers", order.size(), rank, e)) ||
        failed(checkCount(op, "dimension_numbers", order.size(), spatial + 2,
                          e)) ||
        failed(checkDims(op, "dimension_numbers", order, rank, e)))
      return failure();
  int64_t groups = op.getFeatureGroupCount(),
          batchGroups = op.getBatchGroupCount();
  if (groups < 1 || batchGroups < 1)
    return e.unsupported(op, "has fewer than 1 group");
  auto window = windowOf(op, spatial, padding, e);
  auto type = partType(op, op.getType(), e);
  if (failed(window) || failed(type))
    return failure();
  if (lhs.isDynamicDim(n.getInputFeature()) || !rhs.hasStaticShape()) {
    window->positions.emplace();
    for (int64_t dim : n.getOutputSpatial())
      window->positions->push_back(target.getDimSize(dim));
  }
  SmallVector<int64_t> back(out.size());
  for (auto [i, dim] : llvm::enumerate(out))
    back[dim] = i;
  SmallVector<int64_t> apart = window->inputDilation;
  if (!computed.empty()) {
    if (failed(checkCount(op, "padding", computed.size(), 2 * spatial, e)))
      return failure();
    window->inputDilation.assign(spatial, 1);
  }
  auto part = [&](Value x, Value filter) -> Value {
    x = e.transpose(x, in);
    if (!computed.empty())
      x = surround(x, computed, apart, e);
    auto result = convPart(op, x, e.transpose(filter, kernel), *window, groups,
                           batchGroups, lhs, rhs, *type, e);
    return failed(result) ? Value() : e.transpose(*result, back);
  };
  Tensors a = tensorsOf(op.getLhs(), e), b = tensorsOf(op.getRhs(), e);
  Value first = part(a[0], b[0]);
  if (!first)
    return failure();
  if (!isComplex(op.getType()))
    return e.set(op, first);
  if (a.size() != 2 || b.size() != 2)
    return e.unsupported(op, "mixes complex and other operands");
  return bind(op,
              {e.sub(first, part(a[1], b[1])),
               e.add(part(a[0], b[1]), part(a[1], b[0]))},
              e);
}

LogicalResult convolution(stablehlo::ConvolutionOp op, Translator &e) {
  auto padding = op.getPadding();
  if (!padding)
    return convolve(op, {}, {}, e);
  auto numbers = index::readList(*padding);
  return numbers
             ? convolve(op, *numbers, {}, e)
             : checkCount(op, "padding", padding->getNumElements(),
                          2 * op.getDimensionNumbers().getInputSpatial().size(),
                          e);
}

LogicalResult dynamicConv(stablehlo::DynamicConvOp op, Translator &e) {
  if (auto padding = e.integersOf(e.get(op.getPadding())))
    return convolve(op, *padding, {}, e);
  auto computed =
      sizesIn(op, op.getPadding(), "padding",
              2 * op.getDimensionNumbers().getInputSpatial().size(), e);
  return failed(computed) ? failure() : convolve(op, {}, *computed, e);
}

} // namespace

void addConvolutionRules(Rules &rules) {
  rules.add<stablehlo::ConvolutionOp>(convolution);
  rules.add<stablehlo::DynamicConvOp>(dynamicConv);
}

} // namespace kiln::stablehlo_to_prim
