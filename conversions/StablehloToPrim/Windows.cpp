// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of StableHLO, and the running combinations that some of them are.
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

/// The number that `prim.scan` and `prim.select_and_scatter` have for a kind.
std::optional<int64_t> kindOf(Combiner combiner) {
  switch (combiner) {
  case Combiner::Add:
    return 0;
  case Combiner::Mul:
    return 1;
  case Combiner::Max:
    return 2;
  case Combiner::Min:
    return 3;
  default:
    return std::nullopt;
  }
}

/// Prim's windows begin with what is neutral. What is not can be combined with
/// results where it does not matter how often that happens.
LogicalResult combineInit(stablehlo::ReduceWindowOp op, Combiner combiner,
                          Tensors &results, Translator &e) {
  if (results.size() != 1 || combiner == Combiner::Other)
    return success();
  bool isUnsigned = tensor_to_prim::isUnsigned(op.getInputs()[0].getType());
  Value init = tensorsOf(op.getInitValues()[0], e).front();
  if (isNeutral(combiner, init, isUnsigned, e))
    return success();
  Value &result = results.front();
  Value other = spread(init, result, e);
  switch (combiner) {
  case Combiner::Max:
  case Combiner::Min:
    result = isUnsigned ? flipTop(combine(combiner, flipTop(result, e),
                                          flipTop(other, e), e),
                                  e)
                        : combine(combiner, result, other, e);
    return success();
  case Combiner::And:
  case Combiner::Or:
    result = combine(combiner, result, other, e);
    return success();
  default:
    return e.unsupported(op, "from a value that changes what is combined");
  }
}

/// A scan of one tensor, or of both parts where these are added.
FailureOr<bool> translateScan(stablehlo::ReduceWindowOp op, Scan scan,
                              Combiner combiner, Translator &e) {
  Tensors parts = tensorsOf(op.getInputs()[0], e);
  Tensors inits = tensorsOf(op.getInitValues()[0], e);
  auto kind = kindOf(combiner);
  if (!kind || (parts.size() > 1 && combiner != Combiner::Add) ||
      e.elementOf(parts[0]).isInteger(1))
    return false;
  bool isUnsigned = tensor_to_prim::isUnsigned(op.getInputs()[0].getType());
  for (Value init : inits)
    if (!isNeutral(combiner, init, isUnsigned, e))
      return false;
  bool flips =
      isUnsigned && (combiner == Combiner::Max || combiner == Combiner::Min);
  SmallVector<NamedAttribute> attributes{
      e.b.getNamedAttr("kind", e.b.getI32IntegerAttr(*kind)),
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
  if (failed(bind(op.getResult(0), results, e)))
    return failure();
  return true;
}

LogicalResult reduceWindow(stablehlo::ReduceWindowOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto window = windowOf(op, source.getRank(), op.getWindowDimensions(),
                         op.getWindowStrides(), op.getBaseDilations(),
                         op.getWindowDilations(), op.getPadding(), e);
  if (failed(window))
    return failure();
  if (!source.hasStaticShape())
    return e.unsupported(op, "on a size that is not known");
  auto scan = scanOf(*window, source.getShape());
  if (scan && op.getInputs().size() == 1) {
    auto done = translateScan(op, *scan, combinerOf(op.getBody()), e);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  auto types = typesOf(op, op.getResultTypes(), e);
  if (failed(types))
    return failure();
  auto attributes = attributesOf(*window, e);
  attributes.push_back(
      e.b.getNamedAttr("dilation", e.b.getDenseI64ArrayAttr(window->dilation)));
  attributes.push_back(e.b.getNamedAttr(
      "input_dilation", e.b.getDenseI64ArrayAttr(window->inputDilation)));
  auto made = makeCombining(op, "reduce_window", tensorsOf(op.getInputs(), e),
                            tensorsOf(op.getInitValues(), e), *types,
                            attributes, op.getBody(), e);
  if (failed(made))
    return failure();
  Tensors results((*made)->getResults());
  if (failed(combineInit(op, combinerOf(op.getBody()), results, e)))
    return failure();
  return bindAll(op.getResults(), results, e);
}

/// Whether a region keeps the larger, or the smaller, of its arguments; of
/// equal ones the first.
std::optional<Combiner> selectionOf(Region &region) {
  Block &block = region.front();
  Operation *last = block.getTerminator();
  auto compare = last->getNumOperands() == 1
                     ? last->getOperand(0).getDefiningOp<stablehlo::CompareOp>()
                     : stablehlo::CompareOp();
  if (!compare || compare.getLhs() != block.getArgument(0) ||
      compare.getRhs() != block.getArgument(1))
    return std::nullopt;
  switch (compare.getComparisonDirection()) {
  case stablehlo::ComparisonDirection::GE:
    return Combiner::Max;
  case stablehlo::ComparisonDirection::LE:
    return Combiner::Min;
  default:
    return std::nullopt;
  }
}

LogicalResult selectAndScatter(stablehlo::SelectAndScatterOp op,
                               Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  auto selection = selectionOf(op.getSelect());
  if (isComplex(source) || !source.hasStaticShape())
    return e.unsupported(op, "on complex numbers, or sizes that are not known");
  if (!selection || combinerOf(op.getScatter()) != Combiner::Add)
    return e.unsupported(op,
                         "does not add where the largest or the smallest is");
  auto window = windowOf(op, source.getRank(), op.getWindowDimensions(),
                         op.getWindowStrides(), {}, {}, op.getPadding(), e);
  if (failed(window))
    return failure();
  auto attributes = attributesOf(*window, e);
  attributes.push_back(
      e.b.getNamedAttr("kind", e.b.getI32IntegerAttr(*kindOf(*selection))));
  Value x = e.get(op.getOperand());
  bool flips = isUnsigned(source) && !e.elementOf(x).isInteger(1);
  auto made = make(op, "select_and_scatter",
                   {flips ? flipTop(x, e) : x, e.get(op.getSource())},
                   x.getType(), e, attributes);
  if (failed(made))
    return failure();
  Value result = (*made)->getResult(0), init = e.get(op.getInitValue());
  if (!isNeutral(Combiner::Add, init, false, e))
    result = e.add(result, spread(init, result, e));
  return e.set(op, result);
}

} // namespace

void addWindowRules(Rules &rules) {
  rules.add<stablehlo::ReduceWindowOp>(reduceWindow);
  rules.add<stablehlo::SelectAndScatterOp>(selectAndScatter);
}

} // namespace kiln::stablehlo_to_prim
