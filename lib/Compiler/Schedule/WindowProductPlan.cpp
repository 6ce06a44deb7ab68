//===- WindowProductPlan.cpp - Dimensions and operands of such products ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions of a convolution are rows, columns and depth of the product,
// which operands are copied for it, and its blocks.
//
//===----------------------------------------------------------------------===//

#include "ResultOrder.h"
#include "WindowProduct.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

/// Blocks of input channels have as many at least.
static constexpr int64_t kLeastDepth = 16;

/// Of groups, rows of a step are a chunk that copies bring at least.
static int64_t leastOfGroup(Type element) {
  constexpr int64_t kChunk = 128;
  return std::min(kLeastDepth, kChunk / element.getIntOrFloatBitWidth());
}

LogicalResult WindowProduct::findDims() {
  element = getElementTypeOrSelf(conv.getInput());
  acc = sumType(getElementTypeOrSelf(conv.getResult()));
  if (!hasTileDot(element, acc) ||
      getElementTypeOrSelf(conv.getFilter()) != element)
    return fail("no product of these types");
  const IndexExpr &from = anchor.operandMaps[0].index.back();
  IndexExpr channels = anchor.map.index.back().without([&](int dim) {
    if (!from.dependsOn(dim))
      return false;
    groups.push_back(dim);
    return true;
  });
  channel = channels.asDim();
  depth = anchor.operandMaps[1].index.back().asDim();
  if (channel < 0 || depth < 0)
    return fail("no channels, or several dimensions of them, in a group");
  const Extent &channelsOfGroup = group.plan.sizes[depth];
  if (!groups.empty() && (!channelsOfGroup.isStatic() ||
                          channelsOfGroup.get() % leastOfGroup(element)))
    return fail("groups of channels that are no whole blocks");
  for (unsigned d = 0; d < spatial; ++d)
    if (anchor.window[d].hasDims() && anchor.window[d].asDim() < 0)
      return fail("a window that is split");
  return findAxes();
}

LogicalResult WindowProduct::findAxes() {
  auto dimOf = [](const IndexExpr &at) {
    return at.hasDims() ? at.asDim() : -2;
  };
  Axis images;
  images.size = group.host.dimOf(conv.getInput(), 0);
  axes.push_back(images);
  for (unsigned d = 0; d < spatial; ++d) {
    Axis axis;
    axis.size = group.host.dimOf(conv.getInput(), d + 1);
    axis.stride = conv.getStrides()[d];
    axis.low = conv.getPadLow()[d];
    axis.spread = conv.getInputDilation()[d];
    axis.dilation = conv.getDilation()[d];
    axis.window = anchor.window[d].asDim();
    int64_t window =
        cast<RankedTensorType>(conv.getFilter().getType()).getDimSize(d + 1);
    int64_t reach = axis.dilation * (window - 1);
    Extent count = group.host.dimOf(conv.getResult(), d + 1);
    axis.leaves = axis.spread > 1 || axis.low > 0 || !count.isStatic() ||
                  !axis.size.isStatic() ||
                  (count.get() - 1) * axis.stride + reach >= axis.size.get();
    axes.push_back(axis);
  }
  for (auto [d, axis] : llvm::enumerate(axes)) {
    axis.dim = dimOf(anchor.map.index[d]);
    if (axis.dim == -1)
      return fail("images or positions that are split");
    axis.dim = std::max(axis.dim, -1);
  }
  if (llvm::all_of(axes, [](const Axis &axis) { return axis.dim < 0; }))
    return fail("a single position");
  return success();
}

bool WindowProduct::hasPlaces(const Buffer &buffer) {
  index::Math &math = group.host.math;
  if (!buffer.strides.back().is(1))
    return false;
  int inner = -1;
  for (int d = axes.size(); d-- > 0;) {
    Axis &axis = axes[d];
    axis.places = 0;
    if (axis.size.is(1))
      continue;
    const Extent &stride = buffer.strides[d];
    if (stride.isStatic() && stride.get() <= 0)
      return false;
    if (inner < 0) {
      pitch = stride;
      axis.places = 1;
    } else if (stride.isStatic() && pitch.isStatic()) {
      if (stride.get() % pitch.get())
        return false;
      axis.places = stride.get() / pitch.get();
    } else if (stride.same(math.mul(buffer.strides[inner], axes[inner].size))) {
      axis.places = math.mul(axes[inner].places, axes[inner].size);
    } else {
      return false;
    }
    inner = d;
  }
  return true;
}

/// Whether asynchronous copies can take rows of a buffer: elements
/// of dimension `along` lie side by side, and all rows begin at words.
static bool hasRows(const Buffer &buffer, unsigned along) {
  constexpr int64_t kWord = 32;
  int64_t bits = buffer.elementType().getIntOrFloatBitWidth();
  auto isAligned = [&](Extent extent) {
    return !extent.isStatic() || extent.get() * bits % kWord == 0;
  };
  if (!buffer.strides[along].is(1) || !isAligned(buffer.offset))
    return false;
  for (unsigned d = 0; d < buffer.rank(); ++d)
    if (d != along && !buffer.sizes[d].is(1) && !isAligned(buffer.strides[d]))
      return false;
  return true;
}

FailureOr<Surrounded> WindowProduct::compute(unsigned number,
                                             ArrayRef<ZerosAround> around) {
  return computeInOrder(group, conv->getOperand(number),
                        anchor.operandMaps[number], around,
                        number ? "filter" : "input", "generic.window_product",
                        reason, conv.getPrecision());
}

SmallVector<ZerosAround> WindowProduct::wholeChunks(Value operand) const {
  constexpr int64_t kChunk = 128;
  unsigned last = spatial + 1;
  int64_t size = cast<RankedTensorType>(operand.getType()).getDimSize(last);
  int64_t unit = std::max<int64_t>(kChunk / element.getIntOrFloatBitWidth(), 1);
  if (ShapedType::isDynamic(size) || size % unit == 0 || !groups.empty())
    return {};
  return {{last, 0, int64_t(llvm::alignTo(size, unit))}};
}

LogicalResult WindowProduct::findOperands() {
  if (joinsLine())
    return joinLine();
  FailureOr<Buffer> memory = memoryOf(group, conv.getInput());
  unsigned last = spatial + 1;
  if (succeeded(memory) && hasPlaces(*memory) && hasRows(*memory, last)) {
    input = *memory;
  } else {
    FailureOr<Surrounded> copy = compute(0, wholeChunks(conv.getInput()));
    if (failed(copy))
      return failure();
    inputCopy = *copy;
    input = inputCopy.buffer;
    if (!hasPlaces(input))
      return fail("an input of unknown strides");
  }
  filterMap = anchor.operandMaps[1];
  memory = memoryOf(group, conv.getFilter());
  if (succeeded(memory) && (hasRows(*memory, last) || hasRows(*memory, 0))) {
    filter = *memory;
    return success();
  }
  FailureOr<Surrounded> copy = compute(1, wholeChunks(conv.getFilter()));
  if (failed(copy))
    return failure();
  filterCopy = *copy;
  filter = filterCopy.buffer;
  return success();
}

bool WindowProduct::joinsLine() const {
  constexpr int64_t kChunk = 128;
  const Axis &axis = axes.back();
  Extent channels = group.plan.sizes[depth];
  return groups.empty() && channels.isStatic() &&
         channels.get() * element.getIntOrFloatBitWidth() < kChunk &&
         axis.window >= 0 && axis.dim >= 0 && axis.dilation == 1 &&
         axis.spread == 1 && group.plan.sizes[axis.dim].isStatic();
}

LogicalResult WindowProduct::joinLine() {
  constexpr int64_t kLeastBits = 64;
  Axis &axis = axes.back();
  int64_t channels =
      std::max<int64_t>(llvm::PowerOf2Ceil(group.plan.sizes[depth].get()),
                        kLeastBits / element.getIntOrFloatBitWidth());
  int64_t window = group.plan.sizes[axis.window].get(),
          count = group.plan.sizes[axis.dim].get();
  // Lines of whole steps, with all that a window reads.
  int64_t line = llvm::alignTo((count - 1) * axis.stride + window, axis.stride);
  FailureOr<Surrounded> copy =
      compute(0, {{spatial, axis.low, line}, {spatial + 1, 0, channels}});
  if (failed(copy))
    return failure();
  inputCopy = *copy;
  input = inputCopy.buffer;
  input.sizes[spatial] = count;
  input.strides[spatial] = axis.stride * channels;
  input.sizes.back() = window * channels;
  copy = compute(1, {{spatial + 1, 0, channels}});
  if (failed(copy))
    return failure();
  filterCopy = *copy;
  filter = filterCopy.buffer;
  filter.sizes.pop_back();
  filter.strides.pop_back();
  filter.sizes.back() = window * channels;
  filter.strides.back() = 1;
  filterMap = anchor.operandMaps[1];
  filterMap.index.pop_back();
  depth = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[depth].size = window * channels;
  filterMap.index.back() = IndexExpr::dim(depth);
  int dim = axis.dim;
  axis = Axis();
  axis.dim = dim;
  axis.size = count;
  return hasPlaces(input) ? success() : fail("an input of unknown strides");
}

void WindowProduct::mergeRows() {
  index::Math &math = group.host.math;
  GroupPlan &plan = group.plan;
  SmallVector<int> rows;
  for (const Axis &axis : axes)
    if (axis.dim >= 0)
      rows.push_back(axis.dim);
  // What leads to the product does not matter: its places are computed.
  llvm::SmallBitVector before(plan.sizes.size());
  for (int dim : anchor.virtualDims)
    before.set(dim);
  for (int dim : anchor.reduced)
    before.set(dim);
  auto allows = [&](const Buffer &buffer, const AccessMap &map, int a, int b) {
    return group.strideOf(buffer, map, a)
        .same(math.mul(group.strideOf(buffer, map, b), plan.sizes[b]));
  };
  auto canMerge = [&](int a, int b) {
    for (const llvm::SmallBitVector *fixed : {&plan.pinned, &plan.untiled})
      if (fixed->test(a) || fixed->test(b))
        return false;
    return allows(out, plan.rootMap, a, b) &&
           llvm::all_of(plan.leaves, [&](const LeafVisit &leaf) {
             return leaf.map.support(plan.sizes.size()).anyCommon(before) ||
                    (group.host.hasBuffer(leaf.value) &&
                     allows(group.host.buffer(leaf.value), leaf.map, a, b));
           });
  };
  row = rows.back();
  merged = {row};
  int a = rows.size() - 2;
  for (; a >= 0 && canMerge(rows[a], rows[a + 1]); --a) {
    kernel.dims[rows[a]].into = rows[a + 1];
    merged.insert(merged.begin(), rows[a]);
  }
  others.assign(rows.begin(), rows.begin() + (a + 1));
  Extent size = 1;
  for (int dim : merged)
    size = math.mul(size, plan.sizes[dim]);
  kernel.dims[row].size = size;
  place = row;
}

/// The largest block of input channels that leaves few of its elements empty.
/// A step reads a line of memory of each row.
static int64_t mostChannels(int64_t channels, int64_t bits, bool isWhole) {
  constexpr int64_t kLine = 1024;
  int64_t best =
      isWhole ? std::min(kLeastDepth, channels & -channels) : kLeastDepth;
  auto padded = [&](int64_t block) {
    return int64_t(llvm::alignTo(channels, block));
  };
  for (int64_t block = best; block * bits <= kLine; block *= 2)
    if (isWhole ? channels % block == 0 : padded(block) <= padded(best) * 9 / 8)
      best = block;
  return best;
}

bool WindowProduct::takesPieces() const {
  return groups.empty() && !hasPhases() && kernel.dims[channel].size.isStatic();
}

void WindowProduct::chooseBlocks() {
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  auto sizeOf = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : ShapedType::kDynamic;
  };
  Extent window = 1;
  for (const Axis &axis : axes)
    if (axis.window >= 0)
      window = window * kernel.dims[axis.window].size;
  int64_t channels = sizeOf(depth), bits = element.getIntOrFloatBitWidth();
  // Each step computes the places of its rows.
  TilingDim sum{TilingRole::Depth};
  sum.least = kLeastDepth * 4;
  if (!ShapedType::isDynamic(channels)) {
    sum.most = mostChannels(channels, bits, !groups.empty());
    sum.size = window.get() * int64_t(llvm::alignTo(channels, sum.most));
  }
  // An instance reads its share of the window.
  if (hasPhases())
    sum.size = llvm::divideCeil(sum.size, countPhases());
  problem.dims = {{TilingRole::Row, sizeOf(place)},
                  {TilingRole::Column, sizeOf(channel)},
                  sum};
  problem.dims[1].takesPieces = takesPieces();
  bool isAlongSum = filter.strides.back().is(1);
  problem.tiles = {
      {{0, 2}, bits, 2},
      {{2, 1}, bits, isAlongSum ? 2 : 1},
      {{0, 1},
       int64_t(getElementTypeOrSelf(group.root).getIntOrFloatBitWidth())},
      {{0, 1}, int64_t(acc.getIntOrFloatBitWidth())}};
  problem.lhs = problem.rhs = multipliedType(element, conv.getPrecision());
  problem.acc = acc;
  bool isStatic = llvm::all_of(
      kernel.dims, [](const KernelDim &dim) { return dim.size.isStatic(); });
  for (ArrayRef<int> list : {ArrayRef<int>(others), ArrayRef<int>(groups)})
    for (int dim : list)
      problem.instances *= isStatic ? sizeOf(dim) : 1;
  problem.instances *= countPhases();
  problem.work = problem.instances;
  for (const TilingDim &dim : problem.dims)
    problem.work *= ShapedType::isDynamic(dim.size) ? 1024 : dim.size;
  std::pair<int, TilingRole> tiled[] = {{place, TilingRole::Row},
                                        {channel, TilingRole::Column},
                                        {depth, TilingRole::Depth},
                                        {-1, TilingRole::Part}};
  if (isStatic && !hasPhases()) {
    constexpr int64_t kMostParts = 64;
    problem.dims.push_back(
        {TilingRole::Part, ShapedType::kDynamic, kMostParts});
    if (group.ctx.tiling.choose(problem).blocks.back() == 1)
      problem.dims.pop_back();
  }
  SmallVector<int64_t> chosen = group.chooseBlocks(
      kernel, problem, ArrayRef(tiled).take_front(problem.dims.size()));
  kernel.dims[row].block = kernel.dims[place].block;
  // One dimension counts the steps: the window, and in it blocks of channels.
  step = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[step].size = group.host.math.mul(window, kernel.numBlocks(depth));
  if (chosen.size() > 3)
    split(kernel.dims[step].size.get(), chosen.back());
}
