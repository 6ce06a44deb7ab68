//===- SplitPhases.cpp - Transposed convolutions by phases ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Along a dimension whose elements are spread D apart, the result at position
// q * D + r sums over the positions w of the window at which an element lies:
//
//   q * D + r - pad_low + w = i * D, thus w = first(r) + v * D, and
//   i = q - low(r) + v
//
// with first(r) the remainder of pad_low - r by D and low(r) the quotient. So
// the phase r is a convolution of the input as it is with every D-th element of
// the filter, and pads low(r).
//
// The other elements of the filter are multiplied by zeros, which is NaN where
// they are not finite. The sum of these products is a number for each phase and
// filter, which is added.
//
//===----------------------------------------------------------------------===//

#include "FewImages.h"
#include "PadFilters.h"
#include "kiln/Conversion/PrimToTile.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Schedule/Caches.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Prim/Convolutions.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace kiln {
#define GEN_PASS_DEF_PRIMSPLITPHASES
#include "kiln/Conversion/PrimToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using prim::ConvOp;

namespace {

/// More phases than this would be more launches than they save time.
constexpr int64_t kMostPhases = 16;

/// The pass.
struct PrimSplitPhases : kiln::impl::PrimSplitPhasesBase<PrimSplitPhases> {
  using PrimSplitPhasesBase::PrimSplitPhasesBase;
  void runOnOperation() override;
};

/// Calls `fn` with all indices of a space of these sizes, the last one fastest.
static void forEachIndex(ArrayRef<int64_t> sizes,
                         function_ref<void(ArrayRef<int64_t>)> fn) {
  SmallVector<int64_t> index(sizes.size());
  for (int64_t number = 0, count = ShapedType::getNumElements(sizes);
       number < count; ++number) {
    int64_t rest = number;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      index[d] = rest % sizes[d];
    fn(index);
  }
}

/// The results along one dimension whose positions have one remainder.
struct Phase {
  int64_t first;     ///< the first element of the window that they read
  int64_t low, high; ///< zeros around the input; elements to leave if negative
  int64_t taps;      ///< how many elements of the window they read
};

/// Computes one convolution by its phases.
class Splitter {
public:
  /// With `keepsOrder` phases are interleaved with their channels last.
  Splitter(ConvOp conv, OpBuilder &builder, bool keepsOrder)
      : conv(conv), builder(builder), loc(conv.getLoc()),
        spatial(conv.getStrides().size()) {
    auto transpose = conv.getInput().getDefiningOp<prim::TransposeOp>();
    hasChannelsFirst = !keepsOrder && transpose &&
                       llvm::equal(transpose.getPermutation(), channelsLast());
  }

  /// Whether each channel is a group of its own.
  bool isDepthwise() {
    return conv.getGroups() > 1 &&
           conv.getFilter().getType().getShape().back() == 1;
  }

  /// Whether there are phases, few enough, all sizes are known, and each phase
  /// saves `leastWork` multiply-adds.
  bool isSplit(int64_t leastWork);
  Value run();

private:
  int64_t spread(unsigned d) { return conv.getInputDilation()[d]; }
  int64_t sizeOf(Value value, unsigned d) const {
    return cast<RankedTensorType>(value.getType()).getDimSize(d + 1);
  }
  /// How many results there are in each phase along a dimension, with some
  /// behind the end.
  int64_t count(unsigned d) {
    return llvm::divideCeil(sizeOf(conv.getResult(), d), spread(d));
  }
  Phase phaseOf(unsigned d, int64_t remainder);
  /// Whether all that the windows of a phase read are zeros.
  bool readsNothing(ArrayRef<int64_t> remainders);
  /// The phase with these remainders, and dimensions of size 1 for the phases.
  Value compute(ArrayRef<int64_t> remainders);
  /// The phases that begin with these remainders, side by side.
  Value interleave(SmallVector<int64_t> &remainders);
  /// The sums of zeros times what each phase leaves of the filters: a tensor of
  /// phases and filters. None where integers are multiplied.
  Value sumLeft();
  /// A phase with what it leaves of the filters.
  Value addLeft(Value phase, ArrayRef<int64_t> remainders);
  /// The matmul that a pointwise convolution is, with a result that has
  /// channels before positions, in its place.
  Value multiply(ConvOp phase);
  Value slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
              ArrayRef<int64_t> steps);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType());
    return prim::ReshapeOp::create(builder, loc, type.clone(shape), value,
                                   ValueRange());
  }
  /// The permutations between the order of a convolution's dimensions and the
  /// one with channels before positions.
  SmallVector<int64_t> channelsLast() const {
    SmallVector<int64_t> order = {0};
    llvm::append_range(order, llvm::seq<int64_t>(2, spatial + 2));
    order.push_back(1);
    return order;
  }
  SmallVector<int64_t> channelsFirst() const {
    SmallVector<int64_t> order = {0, spatial + 1};
    llvm::append_range(order, llvm::seq<int64_t>(1, spatial + 1));
    return order;
  }
  /// Where dimension `d` of positions is in the order of results.
  int64_t placeOf(unsigned d) const { return d + (hasChannelsFirst ? 2 : 1); }

  ConvOp conv;
  OpBuilder &builder;
  Location loc;
  int64_t spatial;
  /// Phases are interleaved in the order in which the input lies in memory.
  bool hasChannelsFirst;
  Value left;
};

} // namespace

bool Splitter::isSplit(int64_t leastWork) {
  int64_t phases = 1;
  for (int64_t d = 0; d < spatial; ++d) {
    if (spread(d) == 1)
      continue;
    if (conv.getStrides()[d] != 1 || conv.getDilation()[d] != 1 ||
        spread(d) > kMostPhases)
      return false;
    phases *= spread(d);
    if (phases > kMostPhases)
      return false;
  }
  if (phases == 1 || !conv.getInput().getType().hasStaticShape() ||
      !conv.getFilter().getType().hasStaticShape() ||
      !conv.getType().hasStaticShape() || !conv.getType().getNumElements() ||
      !conv.getInput().getType().getNumElements())
    return false;
  // Each result sums over a window of the channels of its group.
  double multiplyAdds =
      double(conv.getType().getNumElements()) *
      double(conv.getFilter().getType().getNumElements()) /
      double(std::max<int64_t>(conv.getFilter().getType().getDimSize(0), 1));
  double saved = multiplyAdds * double(phases - 1) / double(phases);
  return saved >= double(leastWork) * double(phases);
}

Phase Splitter::phaseOf(unsigned d, int64_t remainder) {
  int64_t low = conv.getPadLow()[d], window = sizeOf(conv.getFilter(), d);
  if (spread(d) == 1)
    return {0, low, conv.getPadHigh()[d], window};
  Phase phase;
  phase.low = llvm::divideFloorSigned(low - remainder, spread(d));
  phase.first = low - remainder - phase.low * spread(d);
  phase.taps = llvm::divideCeilSigned(window - phase.first, spread(d));
  phase.high =
      count(d) + phase.taps - 1 - sizeOf(conv.getInput(), d) - phase.low;
  return phase;
}

Value Splitter::slice(Value value, ArrayRef<int64_t> starts,
                      ArrayRef<int64_t> limits, ArrayRef<int64_t> steps) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (auto [start, limit, step] : llvm::zip(starts, limits, steps))
    shape.push_back(llvm::divideCeil(limit - start, step));
  if (shape == type.getShape())
    return value;
  return prim::SliceOp::create(builder, loc, type.clone(shape), value, starts,
                               limits, steps);
}

Value Splitter::transpose(Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(type.getDimSize(d));
  return prim::TransposeOp::create(builder, loc, type.clone(shape), value,
                                   permutation);
}

Value Splitter::multiply(ConvOp phase) {
  // [O, C] x [N, C, positions] -> [O, N, positions].
  RankedTensorType filter = phase.getFilter().getType(), type = phase.getType();
  Value matrix = reshape(phase.getFilter(),
                         {filter.getShape().front(), filter.getShape().back()});
  SmallVector<int64_t> shape(type.getShape());
  std::rotate(shape.begin(), shape.end() - 1, shape.end());
  Value made = prim::DotGeneralOp::create(
      builder, loc, type.clone(shape), matrix,
      transpose(phase.getInput(), channelsFirst()), ArrayRef<int64_t>(),
      ArrayRef<int64_t>(), ArrayRef<int64_t>(1), ArrayRef<int64_t>(1),
      phase.getPrecision());
  phase.erase();
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, spatial + 2));
  std::swap(order[0], order[1]);
  return transpose(made, order);
}

Value Splitter::sumLeft() {
  RankedTensorType filter = conv.getFilter().getType();
  auto element = dyn_cast<FloatType>(filter.getElementType());
  if (!element)
    return Value();
  auto full = [&](ArrayRef<int64_t> shape) -> Value {
    return prim::FullOp::create(
        builder, loc, RankedTensorType::get(shape, element), ValueRange(),
        cast<TypedAttr>(builder.getZeroAttr(element)));
  };
  // The memory of a filter that is reversed is summed in its own order.
  auto reversed = conv.getFilter().getDefiningOp<prim::RevOp>();
  if (reversed && llvm::is_contained(reversed.getDims(), 0))
    reversed = nullptr;
  Value source = reversed ? reversed.getOperand() : conv.getFilter();
  ArrayRef<int64_t> window = filter.getShape().drop_front().drop_back();
  ArrayRef<int64_t> phases = conv.getInputDilation();
  SmallVector<bool> isLeft;
  forEachIndex(phases, [&](ArrayRef<int64_t> remainders) {
    forEachIndex(window, [&](ArrayRef<int64_t> position) {
      bool isRead = true;
      for (int64_t d = 0; d < spatial; ++d) {
        bool isTurned =
            reversed && llvm::is_contained(reversed.getDims(), d + 1);
        int64_t at = isTurned ? window[d] - 1 - position[d] : position[d];
        isRead &= (at - phaseOf(d, remainders[d]).first) % spread(d) == 0;
      }
      isLeft.push_back(!isRead || readsNothing(remainders));
    });
  });
  // Zeros times the filters, summed over channels and then for each phase.
  int64_t count = ShapedType::getNumElements(phases);
  Value zeros = prim::MulOp::create(builder, loc, filter, source,
                                    full(filter.getShape()));
  zeros = prim::SumOp::create(builder, loc,
                              filter.clone(filter.getShape().drop_back()),
                              zeros, ArrayRef<int64_t>(spatial + 1));
  SmallVector<int64_t> masked = {count}, wide = {count, filter.getDimSize(0)};
  llvm::append_range(masked, window);
  llvm::append_range(wide, window);
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(1, spatial + 2));
  auto spreadOut = [&](Value value, ArrayRef<int64_t> dims) -> Value {
    return prim::BroadcastInDimOp::create(
        builder, loc, RankedTensorType::get(wide, getElementTypeOrSelf(value)),
        value, ValueRange(), dims);
  };
  auto maskType = RankedTensorType::get(masked, builder.getI1Type());
  Value mask = prim::ConstantOp::create(
      builder, loc, maskType, DenseElementsAttr::get(maskType, isLeft));
  zeros = spreadOut(zeros, dims);
  dims.front() = 0;
  zeros = prim::WhereOp::create(builder, loc, zeros.getType(),
                                spreadOut(mask, dims), zeros, full(wide));
  dims = llvm::to_vector(llvm::seq<int64_t>(2, spatial + 2));
  return prim::SumOp::create(builder, loc,
                             RankedTensorType::get({count, wide[1]}, element),
                             zeros, dims);
}

Value Splitter::addLeft(Value phase, ArrayRef<int64_t> remainders) {
  if (!left)
    return phase;
  int64_t number = 0, filters = conv.getFilter().getType().getDimSize(0);
  for (int64_t d = 0; d < spatial; ++d)
    number = number * spread(d) + remainders[d];
  Value own = slice(left, {number, 0}, {number + 1, filters}, {1, 1});
  auto type = cast<RankedTensorType>(phase.getType());
  own = reshape(own, filters);
  if (getElementTypeOrSelf(own) != type.getElementType())
    own = prim::ConvertElementTypeOp::create(
        builder, loc, RankedTensorType::get(filters, type.getElementType()),
        own);
  own = prim::BroadcastInDimOp::create(
      builder, loc, type, own, ValueRange(),
      ArrayRef<int64_t>(hasChannelsFirst ? 1 : spatial + 1));
  return prim::AddOp::create(builder, loc, type, phase, own);
}

bool Splitter::readsNothing(ArrayRef<int64_t> remainders) {
  for (int64_t d = 0; d < spatial; ++d) {
    Phase phase = phaseOf(d, remainders[d]);
    if (phase.taps < 1 ||
        std::max<int64_t>(-phase.low, 0) >=
            sizeOf(conv.getInput(), d) - std::max<int64_t>(-phase.high, 0))
      return true;
  }
  return false;
}

Value Splitter::compute(ArrayRef<int64_t> remainders) {
  SmallVector<int64_t> from(spatial + 2, 0), first(from), ones(from.size(), 1);
  SmallVector<int64_t> to(conv.getInput().getType().getShape());
  SmallVector<int64_t> last(conv.getFilter().getType().getShape());
  SmallVector<int64_t> steps(ones), low, high, shape(conv.getType().getShape());
  for (int64_t d = 0; d < spatial; ++d) {
    Phase phase = phaseOf(d, remainders[d]);
    from[d + 1] = std::max<int64_t>(-phase.low, 0);
    to[d + 1] -= std::max<int64_t>(-phase.high, 0);
    first[d + 1] = phase.first;
    steps[d + 1] = spread(d);
    low.push_back(std::max<int64_t>(phase.low, 0));
    high.push_back(std::max<int64_t>(phase.high, 0));
    shape[d + 1] = count(d);
  }
  auto type = RankedTensorType::get(shape, conv.getType().getElementType());
  SmallVector<int64_t> whole(ones.begin(), ones.begin() + spatial);
  Value made;
  if (readsNothing(remainders))
    made = prim::FullOp::create(
        builder, loc, type, ValueRange(),
        cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  else
    made = ConvOp::create(
        builder, loc, type, slice(conv.getInput(), from, to, ones),
        slice(conv.getFilter(), first, last, steps), conv.getStrides(), low,
        high, conv.getDilation(), whole, conv.getGroups(), conv.getPrecision());
  if (hasChannelsFirst) {
    auto phase = made.getDefiningOp<ConvOp>();
    made = phase && prim::isPointwise(phase) ? multiply(phase)
                                             : transpose(made, channelsFirst());
  }
  made = addLeft(made, remainders);
  SmallVector<int64_t> apart;
  for (auto [d, size] :
       llvm::enumerate(cast<RankedTensorType>(made.getType()).getShape())) {
    apart.push_back(size);
    int64_t along = static_cast<int64_t>(d) - placeOf(0);
    if (along >= 0 && along < spatial)
      apart.push_back(1);
  }
  return reshape(made, apart);
}

Value Splitter::interleave(SmallVector<int64_t> &remainders) {
  int64_t d = remainders.size();
  if (d == spatial)
    return compute(remainders);
  SmallVector<Value> phases;
  for (int64_t remainder = 0; remainder < spread(d); ++remainder) {
    remainders.push_back(remainder);
    phases.push_back(interleave(remainders));
    remainders.pop_back();
  }
  if (phases.size() == 1)
    return phases.front();
  // Each dimension before this one has one of its own for its phases.
  int64_t at = placeOf(d) + d + 1;
  auto type = cast<RankedTensorType>(phases.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[at] = spread(d);
  return prim::CatOp::create(builder, loc, type.clone(shape), phases, at);
}

Value Splitter::run() {
  SmallVector<int64_t> remainders;
  left = sumLeft();
  Value made = interleave(remainders);
  SmallVector<int64_t> shape(conv.getType().getShape());
  if (hasChannelsFirst)
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  SmallVector<int64_t> limits(shape), zeros(shape.size(), 0),
      ones(shape.size(), 1);
  for (int64_t d = 0; d < spatial; ++d)
    shape[placeOf(d)] = count(d) * spread(d);
  made = slice(reshape(made, shape), zeros, limits, ones);
  return hasChannelsFirst ? transpose(made, channelsLast()) : made;
}

void PrimSplitPhases::runOnOperation() {
  func::FuncOp func = getOperation();
  target::BoundTarget bound = target::TargetRegistry::get().boundTarget(
      func->getParentOfType<ModuleOp>());
  if (!bound)
    return;
  tiling::Chooser chooser(bound.target, bound.description, bound.options);
  bool hasCaches =
      schedule::computesFromCaches(bound.description, chooser.model());
  if (!hasCaches && !chooser.model().sharesTiles())
    return;
  // Where threads share tiles, products read phases of a spread input
  // themselves, and launches take longer.
  int64_t least = hasCaches ? leastWork : leastWork * 10;
  SmallVector<ConvOp> convs;
  func.walk([&](ConvOp conv) { convs.push_back(conv); });
  for (ConvOp conv : convs) {
    OpBuilder builder(conv);
    if (!hasCaches && (multiplyPatches(conv) || padFilters(conv)))
      continue;
    Splitter splitter(conv, builder, /*keepsOrder=*/!hasCaches);
    if (!splitter.isSplit(least) || !(hasCaches || splitter.isDepthwise()))
      continue;
    conv.replaceAllUsesWith(splitter.run());
    conv.erase();
  }
}
