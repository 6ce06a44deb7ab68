// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of StableHLO, and the running combinations that some of them are.
#include "ComputedSizes.h"
#include "Reduction.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// A window with every number given.
struct Window {
  SmallVector<int64_t> size, strides, low, high, dilation, inputDilation;
};

using List = std::optional<ArrayRef<int64_t>>;

FailureOr<Window> windowOf(Operation *op, int64_t rank, List size, List strides,
                           List inputDilation, List dilation,
                           std::optional<DenseIntElementsAttr> padding,
                           Translator &e) {
  Window w;
  auto take = [&](StringRef name, List from, SmallVector<int64_t> &to) {
    to.assign(rank, 1);
    if (!from || (from->empty() && rank == 0))
      return success();
    if (failed(checkCount(op, name, from->size(), rank, e)))
      return failure();
    to.assign(from->begin(), from->end());
    for (int64_t number : to)
      if (number < 1)
        return e.unsupported(op, "has " + Twine(name) + " below 1");
    return success();
  };
  if (failed(take("window_dimensions", size, w.size)) ||
      failed(take("window_strides", strides, w.strides)) ||
      failed(take("base_dilations", inputDilation, w.inputDilation)) ||
      failed(take("window_dilations", dilation, w.dilation)))
    return failure();
  w.low.assign(rank, 0);
  w.high.assign(rank, 0);
  if (padding && padding->getNumElements() > 0) {
    if (failed(
            checkCount(op, "padding", padding->getNumElements(), 2 * rank, e)))
      return failure();
    for (auto [i, number] : llvm::enumerate(padding->getValues<int64_t>()))
      (i % 2 ? w.high : w.low)[i / 2] = number;
  }
  return w;
}

SmallVector<NamedAttribute> attributesOf(const Window &w, Translator &e) {
  auto list = [&](StringRef name, ArrayRef<int64_t> numbers) {
    return e.b.getNamedAttr(name, e.b.getDenseI64ArrayAttr(numbers));
  };
  return {list("window", w.size), list("strides", w.strides),
          list("pad_low", w.low), list("pad_high", w.high)};
}

/// A combination of each element with all before it along a dimension, or with
/// all behind it: a window as large as that, and padding on one side.
struct Scan {
  int64_t dim;
  bool reverse;
};

std::optional<Scan> scanOf(const Window &w, ArrayRef<int64_t> shape) {
  auto isOne = [](int64_t number) { return number == 1; };
  if (!llvm::all_of(w.strides, isOne) || !llvm::all_of(w.dilation, isOne) ||
      !llvm::all_of(w.inputDilation, isOne))
    return std::nullopt;
  std::optional<Scan> scan;
  for (auto [dim, size] : llvm::enumerate(w.size)) {
    int64_t low = w.low[dim], high = w.high[dim];
    if (size == 1 && low == 0 && high == 0)
      continue;
    bool forward = low == size - 1 && high == 0;
    bool backward = high == size - 1 && low == 0;
    if (scan || size != shape[dim] || (!forward && !backward))
      return std::nullopt;
    scan = Scan{int64_t(dim), backward};
  }
  return scan;
}

/// What `prim.scan` and `prim.select_and_scatter` call a combination.
std::optional<prim::ScanKind> kindOf(Combiner combiner) {
  switch (combiner) {
  case Combiner::Add:
    return prim::ScanKind::sum;
  case Combiner::Mul:
    return prim::ScanKind::prod;
  case Combiner::Max:
    return prim::ScanKind::max;
  case Combiner::Min:
    return prim::ScanKind::min;
  default:
    return std::nullopt;
  }
}

/// Whether it matters how often a number is combined.
bool countsTimes(Combiner combiner) {
  return combiner == Combiner::Add || combiner == Combiner::Mul ||
         combiner == Combiner::Xor;
}

/// Prim's windows begin with what is neutral: what is not is combined with the
/// results.
Value combineInit(Combiner combiner, Value result, Value init, bool isUnsigned,
                  Translator &e) {
  Value other = spread(init, result, e);
  bool ordered = combiner == Combiner::Max || combiner == Combiner::Min;
  if (!isUnsigned || !ordered)
    return combine(combiner, result, other, e);
  return flipTop(combine(combiner, flipTop(result, e), flipTop(other, e), e),
                 e);
}

/// Where it matters how often an init is combined, what is around the operands
/// and between their elements is put there first: the window then begins with
/// what is neutral.
void settleInits(Combiner combiner, Window &w, Tensors &operands,
                 Tensors &inits, Translator &e) {
  SmallVector<int64_t> between;
  for (int64_t number : w.inputDilation)
    between.push_back(number - 1);
  for (auto [x, init] : llvm::zip_equal(operands, inits)) {
    x = pad(x, init, w.low, w.high, between, e);
    double neutral = combiner == Combiner::Mul ? 1 : 0;
    bool isFloat = isa<FloatType>(e.elementOf(init));
    init = isFloat ? e.number(neutral, init) : e.integer(neutral, init);
  }
  w.low.assign(w.low.size(), 0);
  w.high.assign(w.high.size(), 0);
  w.inputDilation.assign(w.inputDilation.size(), 1);
}

/// A scan of one tensor, or of both parts where these are added.
FailureOr<bool> translateScan(Operation *op, Value input, Value init, Scan scan,
                              Combiner combiner, Translator &e) {
  Tensors parts = tensorsOf(input, e);
  Tensors inits = tensorsOf(init, e);
  auto kind = kindOf(combiner);
  if (!kind || (parts.size() > 1 && combiner != Combiner::Add) ||
      e.elementOf(parts[0]).isInteger(1))
    return false;
  bool isUnsigned = tensor_to_prim::isUnsigned(input.getType());
  for (Value init : inits)
    if (!isNeutral(combiner, init, isUnsigned, e))
      return false;
  bool flips =
      isUnsigned && (combiner == Combiner::Max || combiner == Combiner::Min);
  SmallVector<NamedAttribute> attributes{
      e.b.getNamedAttr("kind",
                       prim::ScanKindAttr::get(e.b.getContext(), *kind)),
      e.b.getNamedAttr("dim", e.b.getI64IntegerAttr(scan.dim))};
  if (scan.reverse)
    attributes.push_back(e.b.getNamedAttr("reverse", e.b.getUnitAttr()));
  Tensors results;
  for (Value x : parts) {
    Value ordered = flips ? flipTop(x, e) : x;
    auto made = make(op, "scan", ordered, x.getType(), e, attributes);
    if (failed(made))
      return failure();
    Value result = (*made)->getResult(0);
    results.push_back(flips ? flipTop(result, e) : result);
  }
  if (failed(bind(op->getResult(0), results, e)))
    return failure();
  return true;
}

/// Combines the elements of windows over `operands`, which stand for `inputs`
/// or for what these are in the midst of.
LogicalResult combineWindows(Operation *op, Window window, ValueRange inputs,
                             ValueRange initValues, Tensors operands,
                             TypeRange types, Region &body, Translator &e) {
  Type source = inputs[0].getType();
  Combiner combiner = combinerOf(body);
  bool isUnsigned = tensor_to_prim::isUnsigned(source);
  Tensors inits = tensorsOf(initValues, e), given = inits;
  // The imaginary part of what is neutral in complex products is 0.
  auto isKnownNeutral = [&](size_t part) {
    bool isSum = part == 1 && isComplex(source) && combiner == Combiner::Mul;
    return isNeutral(isSum ? Combiner::Add : combiner, inits[part], isUnsigned,
                     e);
  };
  bool combines =
      inputs.size() == 1 && combiner != Combiner::Other &&
      !llvm::all_of(llvm::seq<size_t>(0, inits.size()), isKnownNeutral);
  if (combines && operands.size() > 1 && combiner != Combiner::Add)
    return e.unsupported(op, "from a value that changes what is combined");
  if (combines && countsTimes(combiner))
    settleInits(combiner, window, operands, inits, e);
  auto attributes = attributesOf(window, e);
  attributes.push_back(
      e.b.getNamedAttr("dilation", e.b.getDenseI64ArrayAttr(window.dilation)));
  attributes.push_back(e.b.getNamedAttr(
      "input_dilation", e.b.getDenseI64ArrayAttr(window.inputDilation)));
  auto made = makeCombining(op, "reduce_window", operands, inits, types,
                            attributes, body, e);
  if (failed(made))
    return failure();
  Tensors results((*made)->getResults());
  if (combines && combiner != Combiner::First && combiner != Combiner::Second)
    for (auto [result, init] : llvm::zip_equal(results, given))
      result = combineInit(combiner, result, init, isUnsigned, e);
  return bindAll(op->getResults(), results, e);
}

LogicalResult reduceWindow(stablehlo::ReduceWindowOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto window = windowOf(op, source.getRank(), op.getWindowDimensions(),
                         op.getWindowStrides(), op.getBaseDilations(),
                         op.getWindowDilations(), op.getPadding(), e);
  if (failed(window))
    return failure();
  auto scan = scanOf(*window, source.getShape());
  if (scan && op.getInputs().size() == 1) {
    auto done = translateScan(op, op.getInputs()[0], op.getInitValues()[0],
                              *scan, combinerOf(op.getBody()), e);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  if (op.getInputs().size() > 1) {
    auto done = splitByInits(op, e);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  auto types = typesOf(op, op.getResultTypes(), e);
  if (failed(types))
    return failure();
  return combineWindows(op, *window, op.getInputs(), op.getInitValues(),
                        tensorsOf(op.getInputs(), e), *types, op.getBody(), e);
}

/// Which element of a window is selected: the largest or the smallest, and of
/// equal ones the first or the last.
struct Selection {
  bool isMax, isLast;
};

/// The selection that a comparison of both arguments makes.
std::optional<Selection> selectionOf(Region &region) {
  using Direction = stablehlo::ComparisonDirection;
  Block &block = region.front();
  Operation *last = block.getTerminator();
  auto compare = last->getNumOperands() == 1
                     ? last->getOperand(0).getDefiningOp<stablehlo::CompareOp>()
                     : stablehlo::CompareOp();
  if (!compare || compare.getLhs() == compare.getRhs() ||
      !llvm::is_contained(block.getArguments(), compare.getLhs()) ||
      !llvm::is_contained(block.getArguments(), compare.getRhs()))
    return std::nullopt;
  Direction direction = compare.getComparisonDirection();
  if (direction == Direction::EQ || direction == Direction::NE)
    return std::nullopt;
  bool isStrict = direction == Direction::GT || direction == Direction::LT;
  bool isMax = direction == Direction::GT || direction == Direction::GE;
  return Selection{isMax == (compare.getLhs() == block.getArgument(0)),
                   isStrict};
}

/// How a scatter combines, or nothing where prim has no kind for it.
std::optional<prim::ScatterKind> scatterKindOf(Combiner combiner,
                                               bool isUnsigned) {
  using prim::ScatterKind;
  switch (combiner) {
  case Combiner::Add:
    return ScatterKind::add;
  case Combiner::Mul:
    return ScatterKind::mul;
  case Combiner::Min:
    return isUnsigned ? ScatterKind::umin : ScatterKind::min;
  case Combiner::Max:
    return isUnsigned ? ScatterKind::umax : ScatterKind::max;
  case Combiner::And:
    return ScatterKind::and_;
  case Combiner::Or:
    return ScatterKind::or_;
  case Combiner::Xor:
    return ScatterKind::xor_;
  default:
    return std::nullopt;
  }
}

/// Fills the combiner of a window of values and places. Padding has the place
/// -1 and is never selected; a NaN is before all numbers.
void fillSelection(Region &region, Type value, Type place, Selection selection,
                   Operation *op, Translator &e) {
  OpBuilder::InsertionGuard guard(e.b);
  SmallVector<Location> locs(4, op->getLoc());
  Block *block =
      e.b.createBlock(&region, {}, {value, place, value, place}, locs);
  Value x = block->getArgument(0), xPlace = block->getArgument(1),
        y = block->getArgument(2), yPlace = block->getArgument(3);
  auto either = [&](Value a, Value b) {
    return e.binary<prim::BitwiseOrOp>(a, b);
  };
  auto both = [&](Value a, Value b) {
    return e.binary<prim::BitwiseAndOp>(a, b);
  };
  Value take = selection.isMax ? e.compare<prim::GtOp>(y, x)
                               : e.compare<prim::LtOp>(y, x);
  if (selection.isLast)
    take = either(take, e.compare<prim::EqOp>(y, x));
  if (isa<FloatType>(e.elementOf(x))) {
    Value isNan = e.compare<prim::NeOp>(y, y);
    if (!selection.isLast)
      isNan = both(isNan, e.compare<prim::EqOp>(x, x));
    take = either(take, isNan);
  }
  Value zero = e.integer(0, xPlace);
  take = both(either(take, e.compare<prim::LtOp>(xPlace, zero)),
              e.compare<prim::GeOp>(yPlace, zero));
  prim::YieldOp::create(
      e.b, ValueRange{e.where(take, y, x), e.where(take, yPlace, xPlace)});
}

/// A selection that `prim.select_and_scatter` does not make: the places that
/// windows select, and a scatter to there.
LogicalResult selectPlaces(stablehlo::SelectAndScatterOp op, const Window &w,
                           Value x, Value updates, Selection selection,
                           prim::ScatterKind kind, Translator &e) {
  auto type = e.typeOf(x), to = e.typeOf(updates);
  if (!type.hasStaticShape() || !to.hasStaticShape())
    return e.unsupported(op, "selects the last of equals, or does not add, on "
                             "a size that is not known");
  int64_t count = type.getNumElements(), windows = to.getNumElements();
  auto index = e.b.getI64Type();
  Value line = prim::IotaOp::create(e.b, RankedTensorType::get({count}, index),
                                    ValueRange{}, 0);
  Tensors all{x, e.reshape(line, type.getShape()),
              e.full(cast<TypedAttr>(e.b.getZeroAttr(e.elementOf(x))), {}),
              e.full(integerAttr(index, -1), {})};
  auto attributes = attributesOf(w, e);
  for (StringRef name : {"dilation", "input_dilation"})
    attributes.push_back(e.b.getNamedAttr(
        name,
        e.b.getDenseI64ArrayAttr(SmallVector<int64_t>(w.size.size(), 1))));
  auto made =
      make(op, "reduce_window", all,
           {to.clone(e.elementOf(x)), to.clone(index)}, e, attributes, 1);
  if (failed(made))
    return failure();
  fillSelection((*made)->getRegion(0), all[2].getType(), all[3].getType(),
                selection, op, e);
  SmallVector<int64_t> list{windows, 1};
  Value result = prim::ScatterOp::create(
      e.b, RankedTensorType::get({count}, e.elementOf(updates)), kind,
      e.broadcastInDim(e.get(op.getInitValue()), {}, Sizes{e.size(count)}),
      e.reshape((*made)->getResult(1), list), e.reshape(updates, list),
      ArrayRef<int64_t>{0}, 0, /*unique=*/false);
  return e.set(op, e.reshape(result, type.getShape()));
}

LogicalResult selectAndScatter(stablehlo::SelectAndScatterOp op,
                               Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  auto selection = selectionOf(op.getSelect());
  if (isComplex(source))
    return e.unsupported(op, "on complex numbers");
  Value x = e.get(op.getOperand()), updates = e.get(op.getSource());
  bool isBool = e.elementOf(x).isInteger(1);
  Combiner scatter = combinerOf(op.getScatter());
  auto kind = scatterKindOf(scatter, isUnsigned(source) && !isBool);
  if (!selection || !kind)
    return e.unsupported(op, "selects neither the largest nor the smallest, or "
                             "combines in a way that prim has no scatter for");
  auto window = windowOf(op, source.getRank(), op.getWindowDimensions(),
                         op.getWindowStrides(), {}, {}, op.getPadding(), e);
  if (failed(window))
    return failure();
  bool flips = isUnsigned(source) && !isBool;
  if (selection->isLast || scatter != (isBool ? Combiner::Or : Combiner::Add)) {
    Value ordered = isBool  ? e.convert(x, e.b.getI32Type())
                    : flips ? flipTop(x, e)
                            : x;
    return selectPlaces(op, *window, ordered, updates, *selection, *kind, e);
  }
  auto attributes = attributesOf(*window, e);
  attributes.push_back(e.b.getNamedAttr(
      "kind", prim::ScanKindAttr::get(op.getContext(),
                                      selection->isMax ? prim::ScanKind::max
                                                       : prim::ScanKind::min)));
  if (isBool) { // counted
    x = e.convert(x, e.b.getI32Type());
    updates = e.convert(updates, e.b.getI32Type());
  }
  auto made =
      make(op, "select_and_scatter", {flips ? flipTop(x, e) : x, updates},
           x.getType(), e, attributes);
  if (failed(made))
    return failure();
  Value result = (*made)->getResult(0), init = e.get(op.getInitValue());
  if (isBool)
    result = e.compare<prim::NeOp>(result, e.integer(0, result));
  if (!isNeutral(scatter, init, false, e))
    result = combine(scatter, result, spread(init, result, e), e);
  return e.set(op, result);
}

/// The scan that windows are whose numbers are computed: sizes, strides,
/// dilations of operand and window, and pads.
std::optional<Scan> computedScanOf(ArrayRef<Sizes> lists,
                                   ArrayRef<OpFoldResult> sizes,
                                   Translator &e) {
  std::optional<Scan> scan;
  OpFoldResult zero = e.size(0), one = e.size(1);
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    for (size_t list : {1, 2, 3})
      if (!isSameSize(lists[list][dim], one, e))
        return std::nullopt;
    OpFoldResult window = lists[0][dim], low = lists[4][2 * dim],
                 high = lists[4][2 * dim + 1];
    bool noLow = isSameSize(low, zero, e), noHigh = isSameSize(high, zero, e);
    if (isSameSize(window, one, e) && noLow && noHigh)
      continue;
    bool forward = noHigh && differenceOf(window, low, e) == 1,
         backward = noLow && differenceOf(window, high, e) == 1;
    if (scan || !isSameSize(window, size, e) || (!forward && !backward))
      return std::nullopt;
    scan = Scan{int64_t(dim), backward};
  }
  return scan;
}

/// Windows of known sizes over a tensor with pads, and dilations, that are
/// computed: the tensor is padded first.
LogicalResult paddedWindows(stablehlo::CustomCallOp op, ArrayRef<int64_t> size,
                            ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilation, ArrayRef<Sizes> lists,
                            Region &body, Translator &e) {
  size_t rank = size.size();
  SmallVector<int64_t> none(rank, 0), one(rank, 1);
  Window window{llvm::to_vector(size),
                llvm::to_vector(strides),
                none,
                none,
                llvm::to_vector(dilation),
                one};
  Sizes low, high, inner;
  for (size_t dim = 0; dim < rank; ++dim) {
    low.push_back(lists[4][2 * dim]);
    high.push_back(lists[4][2 * dim + 1]);
    inner.push_back(e.sizeMath().sub(lists[2][dim], e.size(1)));
  }
  ValueRange inputs = op.getInputs();
  Tensors parts = tensorsOf(inputs[0], e), inits = tensorsOf(inputs[1], e);
  for (auto [x, init] : llvm::zip_equal(parts, inits))
    x = padComputed(x, init, low, high, inner, e);
  auto types = typesOf(op, op->getResultTypes(), e);
  if (failed(types))
    return failure();
  SmallVector<int64_t> shape(e.typeOf(parts[0]).getShape());
  for (auto [d, n] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(n)) {
      int64_t room = n - (size[d] - 1) * dilation[d] - 1;
      n = room < 0 ? 0 : room / strides[d] + 1;
    }
  for (Type &type : *types)
    type = cast<RankedTensorType>(type).clone(shape);
  return combineWindows(op, window, inputs.take_front(1), inputs.slice(1, 1),
                        parts, *types, body, e);
}

} // namespace

LogicalResult dynamicReduceWindow(stablehlo::CustomCallOp op, Translator &e) {
  auto refuse = [&] {
    return e.unsupported(op, "of 'stablehlo.dynamic_reduce_window' of windows "
                             "of a size that is not known, which are no scan");
  };
  auto functions = op->getAttrOfType<ArrayAttr>("called_computations");
  auto name = functions && functions.size() == 1
                  ? dyn_cast<FlatSymbolRefAttr>(functions[0])
                  : FlatSymbolRefAttr();
  func::FuncOp function = name ? e.lookup(name.getValue()) : func::FuncOp();
  auto operands = op.getInputs();
  if (!function || function.isExternal() || operands.size() != 7 ||
      op->getNumResults() != 1)
    return refuse();
  Tensors parts = tensorsOf(operands[0], e);
  if (parts.empty())
    return failure();
  Sizes sizes = e.sizesOf(parts[0]);
  SmallVector<Sizes> lists;
  for (auto [i, list] : llvm::enumerate(operands.drop_front(2))) {
    auto numbers =
        sizesIn(op, list, "a window", (i == 4 ? 2 : 1) * sizes.size(), e);
    if (failed(numbers))
      return failure();
    lists.push_back(*numbers);
  }
  Region &body = function.getBody();
  if (auto scan = computedScanOf(lists, sizes, e)) {
    auto done =
        translateScan(op, operands[0], operands[1], *scan, combinerOf(body), e);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  auto size = getConstantIntValues(lists[0]),
       strides = getConstantIntValues(lists[1]),
       dilation = getConstantIntValues(lists[3]);
  if (!size || !strides || !dilation)
    return refuse();
  auto isTooSmall = [](int64_t n) { return n < 1; };
  if (llvm::any_of(*size, isTooSmall) || llvm::any_of(*strides, isTooSmall) ||
      llvm::any_of(*dilation, isTooSmall) ||
      llvm::any_of(lists[2], [](OpFoldResult n) {
        return getConstantIntValue(n).value_or(1) < 1;
      }))
    return refuse();
  return paddedWindows(op, *size, *strides, *dilation, lists, body, e);
}

void addWindowRules(Rules &rules) {
  rules.add<stablehlo::ReduceWindowOp>(reduceWindow);
  rules.add<stablehlo::SelectAndScatterOp>(selectAndScatter);
}

} // namespace kiln::stablehlo_to_prim
