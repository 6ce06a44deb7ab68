//===- AlignRows.cpp - Copies of factors that lie badly -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of an odd number of halves begin at any other byte, where machines have
// no wide accesses and no copies that go on by themselves. A product that uses
// every element many times takes a copy of such a factor, with longer rows. So
// it does of a factor whose rows are not along the sum, where the fastest unit
// for its type reads only rows that are.
//
//===----------------------------------------------------------------------===//

#include "AlignRows.h"
#include "ConvertFactors.h"
#include "LineCosts.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Target/Limits.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

/// What copies that go on by themselves need rows to begin at multiples of.
static constexpr int64_t kChunk = 16;

/// The dimension along which elements lie side by side, the last of several; -1
/// for none. A transposed factor has it elsewhere than at the end.
static int rowDim(const Buffer &buffer) {
  for (int d = buffer.rank(); d-- > 0;)
    if (buffer.strides[d].is(1) && !buffer.sizes[d].is(1))
      return d;
  return -1;
}

int64_t kiln::schedule::rowAlignment(const Buffer &buffer, int64_t bytes,
                                     int64_t most) {
  auto isKnown = [](Extent extent) { return extent.isStatic(); };
  int row = rowDim(buffer);
  if (buffer.rank() < 2 || row < 0 || !isKnown(buffer.offset) ||
      !llvm::all_of(buffer.sizes, isKnown) ||
      !llvm::all_of(buffer.strides, isKnown))
    return 0;
  int64_t alignment = std::gcd(most, buffer.offset.get() * bytes);
  for (int d = 0, rank = buffer.rank(); d < rank; ++d) {
    int64_t size = buffer.sizes[d].get(), stride = buffer.strides[d].get();
    if (size > 1 && stride <= 0)
      return 0; // repeated, or backwards
    if (size > 1 && d != row)
      alignment = std::gcd(alignment, stride * bytes);
  }
  return alignment;
}

/// The same elements with the dimension of rows as the last one, or the way
/// back.
static Buffer withRowsLast(Buffer buffer, int row, bool isBack) {
  auto turn = [&](SmallVectorImpl<Extent> &list) {
    auto first = list.begin() + row;
    std::rotate(first, isBack ? list.end() - 1 : first + 1, list.end());
  };
  turn(buffer.sizes);
  turn(buffer.strides);
  return buffer;
}

int64_t kiln::schedule::countOf(ArrayRef<Extent> sizes) {
  int64_t count = 1;
  for (Extent size : sizes)
    if (!size.isStatic() || llvm::MulOverflow(count, size.get(), count))
      return 0;
  return count;
}

int64_t kiln::schedule::productsOf(HostProgramBuilder &host,
                                   prim::DotGeneralOp dot) {
  SmallVector<Extent> sizes = host.sizesOf(dot.getResult());
  for (int64_t dim : dot.getLhsContract())
    sizes.push_back(host.dimOf(dot.getLhs(), dim));
  return countOf(sizes);
}

Value kiln::schedule::beforeTransposes(const Group &group, Value value,
                                       AccessMap *map) {
  while (auto transpose = value.getDefiningOp<PermutationOpInterface>()) {
    if (!group.inGroup()(transpose))
      break;
    if (map) {
      SmallVector<IndexExpr, 4> index(map->index.begin(), map->index.end());
      for (auto [d, source] : llvm::enumerate(transpose.getPermutation()))
        map->index[source] = index[d];
    }
    value = transpose.getMoved();
  }
  return value;
}

/// The innermost dimension of a factor that is summed, where its rows are along
/// one that is not; -1 otherwise. `map` says for each dimension of the buffer
/// which one of the product's operand it is.
static int summedDim(const Buffer &buffer, const AccessMap &map,
                     ArrayRef<int64_t> contract) {
  auto isSummed = [&](int d) {
    return llvm::is_contained(contract, map.index[d].asDim()) &&
           !buffer.sizes[d].is(1);
  };
  int row = rowDim(buffer);
  if (row < 0 || isSummed(row))
    return -1;
  for (int d = buffer.rank(); d-- > 0;)
    if (isSummed(d))
      return d;
  return -1;
}

/// Whether the fastest unit for a product reads only rows along the sum.
static bool readsAlongSum(const Group &group, prim::DotGeneralOp dot) {
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  problem.lhs = getElementTypeOrSelf(dot.getLhs());
  problem.rhs = getElementTypeOrSelf(dot.getRhs());
  problem.acc = sumType(getElementTypeOrSelf(dot.getResult()));
  // Without that, its factors become wider ones.
  if (isa<FloatType>(problem.lhs) && problem.lhs.getIntOrFloatBitWidth() == 8 &&
      !dot.getImprecise())
    return false;
  problem.lhs = multipliedType(problem.lhs, dot.getPrecision());
  problem.rhs = multipliedType(problem.rhs, dot.getPrecision());
  return group.ctx.tiling.model().readsAlongSum(problem);
}

/// Whether the group reads a value nowhere but as one factor of the product.
static bool isOnlyFactor(const Group &group, Value value,
                         prim::DotGeneralOp dot) {
  OpOperand *only = nullptr;
  for (OpOperand &use : value.getUses())
    if (group.inGroup()(use.getOwner()) && std::exchange(only, &use))
      return false;
  if (!only)
    return false;
  return only->getOwner() == dot ||
         (isa<PermutationOpInterface>(only->getOwner()) &&
          isOnlyFactor(group, only->getOwner()->getResult(0), dot));
}

namespace {
/// A factor that lies in memory. `map` says for each dimension of its buffer
/// which one of the operand it is.
struct Factor {
  Value value;
  ArrayRef<int64_t> contract;
  AccessMap map;
  int64_t bytes = 0, elements = 0; ///< of an element; all
  int64_t alignment = 0; ///< bytes that its rows begin at multiples of
};
} // namespace

/// What is known of a factor; nothing where a kernel cannot copy it. `line` is
/// what rows begin at multiples of at most.
static std::optional<Factor> findFactor(const Group &group, Value operand,
                                        ArrayRef<int64_t> contract,
                                        int64_t line) {
  Factor found;
  found.contract = contract;
  for (int64_t d = 0,
               rank = cast<RankedTensorType>(operand.getType()).getRank();
       d < rank; ++d)
    found.map.index.push_back(IndexExpr::dim(d));
  found.value = beforeTransposes(group, operand, &found.map);
  Operation *source = found.value.getDefiningOp();
  int64_t bits = getElementTypeOrSelf(found.value).getIntOrFloatBitWidth();
  if ((source && group.inGroup()(source)) ||
      !group.host.hasBuffer(found.value) || bits % 8)
    return std::nullopt;
  const Buffer &buffer = group.host.buffer(found.value);
  found.bytes = bits / 8;
  found.elements = countOf(buffer.sizes);
  found.alignment = rowAlignment(buffer, found.bytes, line);
  if (found.elements <= 0 || !found.alignment || kChunk % found.bytes != 0)
    return std::nullopt;
  return found;
}

AlignedRows::AlignedRows(Group &group, prim::DotGeneralOp dot) : group(group) {
  // Copies that go on by themselves move words. A copy of a factor moves each
  // element twice, which takes as long as `kUses` multiplications of it, and a
  // launch as long as `kLaunch` of all. A product of factors that lie across
  // the sum has half the speed otherwise: there `kUses` is for each byte.
  // Longer lines, if a description has any, are nothing that was measured.
  constexpr int64_t kWord = 4, kUses = 256, kLines = 4, kMostLine = 1024;
  constexpr double kLaunch = 1 << 30;
  TargetAttr description = group.ctx.description;
  int64_t products = productsOf(group.host, dot);
  if (!group.ctx.tiling.model().sharesTiles() || !description ||
      !description.getUnitOfKind(UnitKind::DMA) || double(products) < kLaunch)
    return;
  // A factor with itself may lie along the sum on one side alone.
  bool isAlongSum =
      readsAlongSum(group, dot) && beforeTransposes(group, dot.getLhs()) !=
                                       beforeTransposes(group, dot.getRhs());
  // Lines were measured where instructions read factors that units copy.
  Type multiplied =
      multipliedType(getElementTypeOrSelf(dot.getLhs()), dot.getPrecision());
  int64_t line = kChunk, transfer = transferBytes(description);
  if (transfer > kChunk && transfer <= kMostLine &&
      llvm::isPowerOf2_64(transfer) &&
      hasSharedFactors(description, multiplied))
    line = transfer;
  auto copyRows = [&](const Factor &factor, int row, int64_t multiple) {
    copy(factor.value, row, multiple / factor.bytes,
         roundsCopies(description, getElementTypeOrSelf(factor.value),
                      dot.getPrecision()) &&
             isOnlyFactor(group, factor.value, dot));
  };
  // Short rows would grow too much.
  auto isLong = [&](const Factor &factor, int row) {
    return group.host.buffer(factor.value).sizes[row].get() >=
           kLines * line / factor.bytes;
  };
  SmallVector<std::pair<unsigned, Factor>, 2> whole;
  for (unsigned side : {0, 1}) {
    std::optional<Factor> factor =
        findFactor(group, dot->getOperand(side),
                   side ? dot.getRhsContract() : dot.getLhsContract(), line);
    if (!factor || products / factor->elements < kUses || isMade(factor->value))
      continue;
    const Buffer &buffer = group.host.buffer(factor->value);
    bool paysAcross =
        isAlongSum && products / factor->elements >= kUses * factor->bytes;
    int row =
        paysAcross ? summedDim(buffer, factor->map, factor->contract) : -1;
    if (row < 0 && factor->alignment % kWord == 0) {
      whole.push_back({side, *factor});
      continue;
    }
    // Long rows of the copy begin at lines.
    row = row >= 0 ? row : rowDim(buffer);
    copyRows(*factor, row, isLong(*factor, row) ? line : kChunk);
  }
  auto isAtLines = [&](const auto &pair) {
    return pair.second.alignment % line == 0;
  };
  if (line == kChunk || llvm::all_of(whole, isAtLines))
    return;
  LineCosts costs(group, dot);
  for (auto &[side, factor] : whole)
    costs.note(side, factor.alignment);
  for (auto &[side, factor] : whole) {
    const Buffer &buffer = group.host.buffer(factor.value);
    int row = rowDim(buffer);
    if (isMade(factor.value) || !isLong(factor, row))
      continue;
    int64_t size = buffer.sizes[row].get(),
            grown = llvm::alignTo(size, line / factor.bytes);
    if (costs.isWorthCopying(side, double(grown) / double(size)))
      copyRows(factor, row, line);
  }
}

bool AlignedRows::isMade(Value factor) const {
  return llvm::any_of(made,
                      [&](const Made &copy) { return copy.factor == factor; });
}

void AlignedRows::copy(Value factor, int row, int64_t multiple, bool rounds) {
  HostProgramBuilder &host = group.host;
  Buffer original = host.buffer(factor);
  int lies = rowDim(original);
  Buffer from = withRowsLast(original, row, /*isBack=*/false);
  SmallVector<Extent, 4> sizes(from.sizes);
  sizes.back() = int64_t(llvm::alignTo(sizes.back().get(), multiple));
  Buffer to = host.allocate(from.elementType(), sizes);
  KernelBuilder kernel(host, group.fusion.getLoc(),
                       group.ctx.kernelName + "_rows" +
                           std::to_string(made.size()));
  AccessMap target, source;
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Elementwise;
  TilingTile tile;
  tile.bits = from.elementType().getIntOrFloatBitWidth();
  tile.along = sizes.size() - 1;
  SmallVector<std::pair<int, TilingRole>> dims;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    KernelDim dim;
    dim.size = size;
    kernel.dims.push_back(dim);
    target.index.push_back(size.is(1) ? IndexExpr() : IndexExpr::dim(d));
    TilingRole role =
        d + 1 == sizes.size() ? TilingRole::Column : TilingRole::Row;
    dims.push_back({int(d), role});
    problem.dims.push_back({role, size.get()});
    tile.dims.push_back(d);
  }
  problem.tiles.assign(2, tile);
  // The rows of the original come before the last dimension of the copy.
  if (lies != row)
    problem.tiles[0].along = lies > row ? lies - 1 : lies;
  group.chooseBlocks(kernel, problem, dims);
  Space space;
  for (auto [d, dim] : llvm::enumerate(kernel.dims))
    if (dim.block > 1 || d + 1 == sizes.size())
      space.axes.push_back(d);
  for (int d = sizes.size(); d-- > 0;)
    kernel.addGridDim(d);
  kernel.placeGrid();
  // What is behind the end of a row reads as zero.
  source = target;
  source.ranges.push_back({int(sizes.size()) - 1, 0, from.sizes.back()});
  TileBuilder emitter(kernel, group.plan, group.inGroup(), space);
  Value loaded = emitter.load(from, source);
  if (rounds)
    loaded = roundToTf32(loaded, kernel.b, kernel.loc);
  emitter.store(loaded, to, target);
  program::LaunchOp launch = kernel.finish("generic.contraction");
  made.push_back({factor, original, kernel.kernel, launch, to.base});
  // It keeps the longer rows: the product may read the zeros.
  host.setBuffer(factor, withRowsLast(to, row, /*isBack=*/true));
}

void AlignedRows::leave() {
  for (const Made &copy : llvm::reverse(made))
    group.host.setBuffer(copy.factor, copy.from);
}

void AlignedRows::abandon() {
  leave();
  for (const Made &copy : made) {
    SmallVector<Operation *> views(copy.memory.getUsers());
    copy.launch->erase();
    for (Operation *view : views)
      if (view != copy.launch && view->use_empty())
        view->erase();
    copy.kernel->erase();
    if (copy.memory.use_empty())
      copy.memory.getDefiningOp()->erase();
  }
  made.clear();
}
