//===- AttentionSchedule.cpp - Attention as one kernel --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance has a block of queries and goes through blocks of keys with an
// online softmax (FlashAttention, Dao et al. 2022): the largest score so far,
// the sum of exponentials, and the sum of values, both rescaled when a larger
// score comes. Blocks of keys that the mask excludes whole are not computed;
// those that it, or the end of the keys, cuts come in a second loop. Few
// queries of heads that read the same keys are rows of one tile. Where there
// are fewer instances than cores can hold, they share out the keys.
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

namespace {

/// Builds the kernel of one attention.
class AttentionBuilder {
public:
  AttentionBuilder(ScheduleContext &ctx, GroupPlan &plan, AttentionDims dims,
                   GroupPlan::InGroupFn inGroup, KernelBuilder &kernel,
                   Value root, const Buffer &out)
      : ctx(ctx), plan(plan), dims(std::move(dims)),
        inGroup(std::move(inGroup)), kernel(kernel), b(kernel.b),
        loc(kernel.loc), root(root), out(out), anchor(plan.anchors.front()),
        op(cast<prim::AttentionOp>(anchor.op)),
        wide(sumType(getElementTypeOrSelf(op.getQuery().getType()))),
        isThreaded(multipliesWithThreads(
            ctx.description, ctx.tiling.model(),
            getElementTypeOrSelf(op.getQuery().getType()))),
        weights(isThreaded && ctx.options.get("attention") != "wide"
                    ? getElementTypeOrSelf(op.getValue().getType())
                    : wide),
        isPowerOfTwo(weights != wide && op.getScale().convertToDouble() > 0) {}

  LogicalResult run();
  std::string reason;
  bool isFinished = false; ///< the kernel has been launched

private:
  /// What is carried over blocks of keys.
  struct Softmax {
    Value largest, sum, result;
  };
  /// Of a block of keys: the exponentials, and what earlier results are
  /// multiplied by, as there is a new largest score.
  struct Weights {
    Value largest, power, factor;
  };

  void placeDims();
  void chooseBlocks();
  void chooseThreadedBlocks();
  void chooseParts();
  void placeGrid();
  /// The bounds of both loops.
  void findLoops();
  Softmax loop(Value first, Value last, bool isCut, const Softmax &before);
  /// All loops, or those for this instance's part of the keys.
  Softmax loops(Softmax all);
  /// Divides by the sum of the exponentials, and stores.
  LogicalResult storeResult(const Softmax &all);
  /// Stores what the kernel that combines the parts reads.
  PartialSoftmax storePart(const Softmax &all);
  Softmax step(const Softmax &before, bool isCut);
  Value scores();
  Value masked(Value score, double unit, bool isCut);
  Weights weigh(Value largest, bool isCut);
  Weights weighByPowersOfTwo(Value largest, bool isCut);
  /// What exponentials count from: the largest score, or zero where there are
  /// none yet, so that all exponentials are zero.
  Value shiftOf(Value largest);
  /// The rows of a tile, each reduced to one element.
  template <typename Op> Value reduce(Value tile);

  TileBuilder tiles(int rows, int columns) {
    return TileBuilder(kernel, plan, inGroup, Space{{rows, columns}});
  }
  /// The same where rows are queries of several heads: with a dimension for
  /// each.
  TileBuilder parted(int rows, int columns) {
    Space space{{rows, columns}};
    if (rows == dims.query)
      space.axes.insert(space.axes.begin(), rowDims.begin(), rowDims.end());
    return TileBuilder(kernel, plan, inGroup, space);
  }
  /// The tile of an operand as a matrix, in type `element`.
  Value operand(unsigned number, int rows, int columns, Type element);
  Value splat(double value, int64_t rows, int64_t columns) {
    auto type = RankedTensorType::get({rows, columns}, wide);
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type, Attribute(FloatAttr::get(wide, value))));
  }
  int64_t block(int dim) const { return kernel.dims[dim].block; }
  /// The rows of tiles.
  int64_t numRows() const {
    int64_t rows = block(dims.query);
    for (int dim : rowDims)
      rows *= block(dim);
    return rows;
  }
  Value across(Value column, int64_t columns) {
    auto type = cast<RankedTensorType>(column.getType());
    return tile::BroadcastOp::create(
        b, loc, type.clone({type.getDimSize(0), columns}), column);
  }
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }

  ScheduleContext &ctx;
  GroupPlan &plan;
  AttentionDims dims;
  GroupPlan::InGroupFn inGroup;
  KernelBuilder &kernel;
  OpBuilder &b;
  Location loc;
  Value root;
  const Buffer &out;
  const AnchorVisit &anchor;
  prim::AttentionOp op;
  Type wide;
  /// Threads share tiles, and a matrix unit multiplies them.
  bool isThreaded;
  Type weights; ///< of what multiplies the values
  /// Weights that are rounded to few bits are powers of two that chips compute
  /// at once.
  bool isPowerOfTwo;
  MaskBound bound;
  /// Heads that are rows of the tile beside the queries, whose block is whole.
  SmallVector<int> rowDims;
  std::vector<KeyPiece> pieces;
  const KeyPiece *piece = nullptr; ///< that a loop goes through
  int part = -1; ///< the dimension of instances that share out keys, if any
  Value query;   ///< the tile
  /// Blocks of keys from the first one that is cut; their end. Null: there are
  /// none that are cut, or all are computed.
  Value cut, end;
};

} // namespace

/// Heads are whole, and what attention does not have has one element.
void AttentionBuilder::placeDims() {
  for (Extent size : plan.sizes) {
    kernel.dims.emplace_back();
    kernel.dims.back().size = size;
  }
  for (int *dim : {&dims.query, &dims.key, &dims.depth, &dims.width})
    if (*dim < 0) {
      *dim = kernel.dims.size();
      kernel.dims.emplace_back();
      kernel.place(*dim, kernel.constant(0));
    }
  for (int dim : {dims.depth, dims.width}) {
    int64_t size = kernel.dims[dim].size.get();
    // Threads have equal shares of powers of two; the unit's depth is 16.
    constexpr int64_t kLeast = 16;
    kernel.dims[dim].block =
        isThreaded ? std::max<int64_t>(llvm::PowerOf2Ceil(size), kLeast) : size;
    kernel.place(dim, kernel.constant(0));
  }
}

/// The second product is what the model is asked for: its left factor is made
/// from keys as deep as the block.
void AttentionBuilder::chooseBlocks() {
  if (isThreaded)
    return chooseThreadedBlocks();
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  for (auto [dim, role] : {std::pair(dims.query, TilingRole::Row),
                           std::pair(dims.width, TilingRole::Column),
                           std::pair(dims.key, TilingRole::Depth)}) {
    TilingDim described{role};
    if (Extent size = kernel.dims[dim].size; size.isStatic())
      described.size = size.get();
    problem.dims.push_back(described);
  }
  // Rows that are not there are computed, too.
  constexpr int64_t kUnknownRows = 64;
  if (ShapedType::isDynamic(problem.dims[0].size))
    problem.dims[0].most = kUnknownRows;
  // What a block of keys holds in vain where the mask cuts it.
  constexpr int64_t kCutRows = 128, kCutKeys = 128;
  if (bound.isKnown) {
    problem.dims[0].most = kCutRows;
    problem.dims[2].most = kCutKeys;
  }
  int64_t bits =
      getElementTypeOrSelf(op.getQuery().getType()).getIntOrFloatBitWidth();
  int64_t wideBits = wide.getIntOrFloatBitWidth();
  problem.tiles = {{{0, 1}, bits},
                   {{2, 1}, bits},
                   {{0, 2}, wideBits},
                   {{2, 1}, bits},
                   {{0, 1}, wideBits}};
  problem.lhs = problem.rhs = problem.acc = wide;
  auto known = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : int64_t(1);
  };
  problem.work = double(known(dims.query)) * known(dims.key) *
                 (block(dims.depth) + block(dims.width));
  for (int dim : dims.outer) {
    problem.instances *= known(dim);
    problem.work *= known(dim);
  }
  SmallVector<int64_t> blocks = ctx.tiling.choose(problem).blocks;
  kernel.dims[dims.query].block = blocks[0];
  kernel.dims[dims.key].block = blocks[2];
}

/// Rows of a warp.
static constexpr int64_t kOwnRows = 16;

/// The tiles of FlashAttention-2: 128 queries, fewer where cores would have no
/// instance, and as many keys as leave registers for the sums.
void AttentionBuilder::chooseThreadedBlocks() {
  constexpr int64_t kMostQueries = 128, kLeastQueries = 16;
  constexpr int64_t kKeys = 64, kWideHead = 128, kKeysOfWideHead = 32;
  auto known = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : int64_t(1024);
  };
  int64_t rows = std::clamp<int64_t>(llvm::PowerOf2Ceil(known(dims.query)),
                                     kLeastQueries, kMostQueries);
  int64_t outer = 1, cores = 1;
  for (int dim : dims.outer)
    outer *= known(dim);
  if (target::TopologyAttr topology = ctx.description.getTopology())
    cores = topology.getCores() * topology.getClusters();
  while (rows > 64 &&
         outer * int64_t(llvm::divideCeil(known(dims.query), rows)) < cores)
    rows /= 2;
  if (!rowDims.empty()) {
    int64_t heads = 1;
    for (int dim : rowDims)
      heads *= kernel.dims[dim].block =
          llvm::PowerOf2Ceil(kernel.dims[dim].size.get());
    rows = std::max<int64_t>(llvm::PowerOf2Ceil(known(dims.query)),
                             llvm::divideCeil(kLeastQueries, heads));
  }
  int64_t head = std::max(block(dims.depth), block(dims.width));
  bool isWide = head > kWideHead;
  std::optional<Asked> asked = findAsked(op->getParentOp(), "blocks");
  ArrayRef<int64_t> sizes;
  if (asked)
    sizes = cast<DenseI64ArrayAttr>(asked->value).asArrayRef();
  if (asked && sizes[0])
    rows = sizes[0];
  kernel.dims[dims.query].block = rows;
  // Rows of a warp, so that its part of the sums stays in registers. Of few
  // rows, two warps share the keys, in blocks that leave room for instances
  // beside each other.
  constexpr int64_t kHeadOfFewRows = 64, kWarpsOfFewRows = 2;
  bool isFew = numRows() <= kOwnRows;
  isWide |= isFew && head > kHeadOfFewRows;
  int64_t keys = isWide ? kKeysOfWideHead : kKeys;
  if (asked && sizes[2])
    keys = sizes[2];
  if (asked && (!llvm::isPowerOf2_64(rows) || !llvm::isPowerOf2_64(keys) ||
                std::min(numRows(), keys) < kLeastQueries))
    reason = "threads take blocks of powers of two from " +
             std::to_string(kLeastQueries) + " on, found " +
             std::to_string(rows) + " queries and " + std::to_string(keys) +
             " keys";
  rows = numRows();
  kernel.kernel->setAttr(
      tile::kKernelHintsAttr,
      tile::KernelHintsAttr::get(
          b.getContext(), isFew ? kWarpsOfFewRows : rows / kOwnRows, 0, 0, 0));
  kernel.dims[dims.key].block = keys;
}

/// Instances share out the keys where there are fewer of them than cores can
/// hold.
void AttentionBuilder::chooseParts() {
  target::TopologyAttr topology =
      ctx.description ? ctx.description.getTopology() : target::TopologyAttr();
  if (!isThreaded || !topology)
    return;
  auto known = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : int64_t(1024);
  };
  PartProblem problem;
  problem.cores = topology.getCores() * topology.getClusters();
  problem.blocks = 0;
  for (const KeyPiece &one : pieces)
    problem.blocks += llvm::divideCeil(
        one.size.isStatic() ? one.size.get() : int64_t(1024), block(dims.key));
  problem.instances = llvm::divideCeil(known(dims.query), block(dims.query));
  for (int dim : dims.outer)
    if (!llvm::is_contained(rowDims, dim))
      problem.instances *= known(dim);
  // Tiles of few rows leave room for others.
  constexpr int64_t kRowsOfCore = 128, kMostPerCore = 4;
  problem.perCore =
      std::clamp<int64_t>(kRowsOfCore / numRows(), 1, kMostPerCore);
  problem.hasFewRows = numRows() <= kOwnRows;
  auto bytes = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8.0;
  };
  problem.store = numRows() * block(dims.width) * bytes(wide) /
                  (block(dims.key) * (block(dims.depth) + block(dims.width)) *
                   bytes(op.getKey().getType()));
  int64_t parts = chooseKeyParts(problem);
  // Rows of heads that are beside each other are not stored otherwise.
  if (parts == 1 && rowDims.empty())
    return;
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims.back().size = parts;
}

void AttentionBuilder::placeGrid() {
  // Instances that share keys follow each other.
  if (rowDims.empty())
    kernel.addGridDim(dims.query);
  else
    for (int dim : rowDims)
      kernel.place(dim, kernel.constant(0));
  if (!rowDims.empty())
    kernel.place(dims.query, kernel.constant(0));
  if (part >= 0)
    kernel.addGridDim(part);
  for (int dim : llvm::reverse(dims.outer))
    if (!llvm::is_contained(rowDims, dim))
      kernel.addGridDim(dim);
  kernel.placeGrid();
}

void AttentionBuilder::findLoops() {
  index::Math &math = kernel.host.math;
  int64_t size = block(dims.key);
  Extent keys = kernel.dims[dims.key].size;
  end = kernel.index(kernel.numBlocks(dims.key));
  Extent whole = math.floorDiv(keys, size);
  auto least = [&](Value x, Value y) { return make<arith::MinSIOp>(x, y); };
  if (!whole.same(kernel.numBlocks(dims.key)))
    cut = kernel.index(whole);
  if (!bound.isKnown)
    return;
  // The last key of the first and of the last query.
  Value first = kernel.index(bound.last.offset());
  for (int dim : bound.last.dims())
    first = kernel.add(first,
                       kernel.mul(kernel.dims[dim].offset,
                                  kernel.index(bound.last.coefficient(dim))));
  Value last = first;
  if (bound.last.dependsOn(dims.query))
    last = kernel.add(first, kernel.constant(block(dims.query) - 1));
  // How many blocks there are up to a key, the rest of one counted or not.
  auto blocksTo = [&](Value key, int64_t rest) -> Value {
    Value count = make<arith::MaxSIOp>(kernel.add(key, kernel.constant(1)),
                                       kernel.constant(0));
    return make<arith::DivUIOp>(kernel.add(count, kernel.constant(rest)),
                                kernel.constant(size));
  };
  end = least(end, blocksTo(last, size - 1));
  if (bound.isAll) {
    Value seen = blocksTo(first, 0);
    cut = cut ? least(cut, seen) : seen;
  }
  if (cut)
    cut = least(cut, end);
}

Value AttentionBuilder::operand(unsigned number, int rows, int columns,
                                Type element) {
  TileBuilder emitter = parted(rows, columns);
  Value source = op->getOperand(number);
  AccessMap map = anchor.operandMaps[number];
  if (number == 1 || number == 2) {
    source = number == 1 ? piece->key : piece->value;
    map = number == 1 ? piece->keyMap : piece->valueMap;
  }
  Value tile = emitter.emit(source, map);
  SmallVector<int64_t> shape;
  if (rows == dims.query)
    for (int dim : rowDims)
      shape.push_back(block(dim));
  shape.append({block(rows), block(columns)});
  int64_t all = rows == dims.query ? numRows() : block(rows);
  auto type = RankedTensorType::get({all, block(columns)}, element);
  if (!tile) {
    reason = emitter.reason;
    return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
  }
  // Behind the end of a head there are zeros, whatever computes the tile.
  for (int dim : {dims.depth, dims.width})
    if (llvm::is_contained({rows, columns}, dim) && isThreaded)
      tile = emitter.maskPartial(
          tile, {dim},
          zeroOf(cast<RankedTensorType>(tile.getType()).getElementType()));
  tile = emitter.reshape(emitter.broadcast(tile, shape), type.getShape());
  return tile.getType() == type ? tile
                                : arith::ExtFOp::create(b, loc, type, tile);
}

template <typename Op> Value AttentionBuilder::reduce(Value tile) {
  return reduceAxis(b, loc, tile, /*axis=*/1,
                    [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                      Value made = Op::create(inside, loc, x[0], y[0]);
                      return SmallVector<Value>{made};
                    })[0];
}

Value AttentionBuilder::scores() {
  int64_t rows = numRows(), columns = block(dims.key);
  Type element = getElementTypeOrSelf(op.getKey().getType());
  Value keys = operand(1, dims.depth, dims.key, element);
  return tile::DotOp::create(
      b, loc, RankedTensorType::get({rows, columns}, wide), query, keys,
      splat(0, rows, columns), tile::InputPrecision::ieee, false, false);
}

/// Adds the mask, and takes scores behind the last key away.
Value AttentionBuilder::masked(Value score, double unit, bool isCut) {
  int64_t rows = numRows(), columns = block(dims.key);
  if (op.getMask() && (isCut || !bound.isAll)) {
    Value mask = operand(3, dims.query, dims.key, wide);
    if (unit != 1)
      mask = make<arith::MulFOp>(mask, splat(unit, rows, columns));
    score = make<arith::AddFOp>(score, mask);
  }
  if (!isCut)
    return score;
  auto lowest = FloatAttr::get(wide, -std::numeric_limits<double>::infinity());
  TileBuilder emitter = tiles(dims.query, dims.key);
  Value isKey = emitter.mask(dims.key, piece->first,
                             kernel.host.math.add(piece->first, piece->size));
  return isKey ? emitter.select(isKey, score, lowest) : score;
}

Value AttentionBuilder::shiftOf(Value largest) {
  int64_t rows = numRows();
  Value isEmpty = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OEQ, largest,
      splat(-std::numeric_limits<double>::infinity(), rows, 1));
  return arith::SelectOp::create(b, loc, isEmpty, splat(0, rows, 1), largest);
}

/// exp(scale * product + mask - largest) for each key, and what the results so
/// far are multiplied by.
AttentionBuilder::Weights AttentionBuilder::weigh(Value largest, bool isCut) {
  int64_t rows = numRows(), columns = block(dims.key);
  Value score = make<arith::MulFOp>(
      scores(), splat(op.getScale().convertToDouble(), rows, columns));
  score = masked(score, /*unit=*/1, isCut);
  Weights made;
  made.largest =
      make<arith::MaximumFOp>(largest, reduce<arith::MaximumFOp>(score));
  Value shift = shiftOf(made.largest);
  made.power = math::ExpOp::create(
      b, loc, make<arith::SubFOp>(score, across(shift, columns)));
  made.factor =
      math::ExpOp::create(b, loc, make<arith::SubFOp>(largest, shift));
  return made;
}

/// The same as powers of two, whose exponents are one multiplication and
/// addition: 2^(product * scale * log2(e) - largest). Scores are in units of
/// log(2) then. Results that are no normal numbers may be zero: they are far
/// below what the weights are rounded to.
AttentionBuilder::Weights AttentionBuilder::weighByPowersOfTwo(Value largest,
                                                               bool isCut) {
  int64_t rows = numRows(), columns = block(dims.key);
  double log2e = llvm::numbers::log2e,
         scale = op.getScale().convertToDouble() * log2e;
  bool hasMask = op.getMask() && (isCut || !bound.isAll);
  Value score = scores();
  if (hasMask)
    score = make<arith::MulFOp>(score, splat(scale, rows, columns));
  score = masked(score, log2e, isCut);
  Value highest = reduce<arith::MaximumFOp>(score);
  if (!hasMask)
    highest = make<arith::MulFOp>(highest, splat(scale, rows, 1));
  Weights made;
  made.largest = make<arith::MaximumFOp>(largest, highest);
  Value shift = shiftOf(made.largest), exponent;
  if (hasMask)
    exponent = make<arith::SubFOp>(score, across(shift, columns));
  else
    exponent = math::FmaOp::create(
        b, loc, score, splat(scale, rows, columns),
        across(arith::NegFOp::create(b, loc, shift), columns));
  auto power = [&](Value x) -> Value {
    return math::Exp2Op::create(b, loc, x, arith::FastMathFlags::afn);
  };
  made.power = power(exponent);
  made.factor = power(make<arith::SubFOp>(largest, shift));
  return made;
}

AttentionBuilder::Softmax AttentionBuilder::step(const Softmax &before,
                                                 bool isCut) {
  int64_t rows = numRows(), columns = block(dims.key);
  Weights made = isPowerOfTwo ? weighByPowersOfTwo(before.largest, isCut)
                              : weigh(before.largest, isCut);
  Softmax after;
  after.largest = made.largest;
  after.sum = make<arith::AddFOp>(make<arith::MulFOp>(before.sum, made.factor),
                                  reduce<arith::AddFOp>(made.power));
  Value scaled = make<arith::MulFOp>(before.result,
                                     across(made.factor, block(dims.width)));
  if (weights != wide)
    made.power = arith::TruncFOp::create(
        b, loc, RankedTensorType::get({rows, columns}, weights), made.power);
  after.result =
      tile::DotOp::create(b, loc, scaled.getType(), made.power,
                          operand(2, dims.key, dims.width, weights), scaled,
                          tile::InputPrecision::ieee, false, false);
  return after;
}

AttentionBuilder::Softmax AttentionBuilder::loop(Value first, Value last,
                                                 bool isCut,
                                                 const Softmax &before) {
  KernelDim &keys = kernel.dims[dims.key];
  keys.first = first;
  keys.last = last;
  bool isFirst = piece->first.is(0);
  TileBuilder emitter = tiles(dims.query, dims.key);
  SmallVector<Value> made = emitter.loop(
      dims.key, {before.largest, before.sum, before.result},
      [&](ValueRange carried) -> SmallVector<Value> {
        // Blocks begin where the piece does, and may reach beyond all keys.
        if (!isFirst) {
          keys.offset = kernel.add(kernel.index(piece->first), keys.offset);
          keys.coord = Value();
        }
        keys.outside = !isFirst;
        Softmax after = step({carried[0], carried[1], carried[2]}, isCut);
        keys.outside = false;
        return {after.largest, after.sum, after.result};
      });
  return {made[0], made[1], made[2]};
}

AttentionBuilder::Softmax AttentionBuilder::loops(Softmax all) {
  Value none = kernel.constant(0);
  if (part < 0 && pieces.size() == 1) {
    piece = &pieces.front();
    all = loop(none, cut ? cut : end, /*isCut=*/false, all);
    return cut ? loop(cut, end, /*isCut=*/true, all) : all;
  }
  // Blocks are numbered through all pieces.
  index::Math &math = kernel.host.math;
  int64_t size = block(dims.key);
  Extent count = 0;
  for (const KeyPiece &one : pieces)
    count = math.add(count, math.ceilDiv(one.size, size));
  Value begin = none, stop;
  if (part >= 0) {
    Value each = kernel.index(math.ceilDiv(count, kernel.dims[part].size));
    begin = kernel.mul(kernel.dims[part].coord, each);
    stop = kernel.add(begin, each);
  }
  auto least = [&](Value x, Value y) -> Value {
    return x && y ? make<arith::MinSIOp>(x, y) : x ? x : y;
  };
  Extent before = 0;
  for (const KeyPiece &one : pieces) {
    piece = &one;
    Extent blocks = math.ceilDiv(one.size, size),
           whole = math.floorDiv(one.size, size);
    Value from = none, to = kernel.index(blocks), cutFrom;
    if (stop) {
      from =
          make<arith::MaxSIOp>(kernel.sub(begin, kernel.index(before)), none);
      to = least(to, kernel.sub(stop, kernel.index(before)));
    }
    // Where a mask ends the keys there is one piece.
    if (bound.isKnown) {
      to = least(to, end);
      cutFrom = cut;
    } else if (!whole.same(blocks)) {
      cutFrom = kernel.index(whole);
    }
    if (!whole.is(0))
      all = loop(from, least(to, cutFrom), /*isCut=*/false, all);
    if (cutFrom)
      all = loop(make<arith::MaxSIOp>(from, cutFrom), to, /*isCut=*/true, all);
    before = math.add(before, blocks);
  }
  return all;
}

LogicalResult AttentionBuilder::storeResult(const Softmax &all) {
  int64_t rows = numRows(), width = block(dims.width);
  Value inverse = make<arith::DivFOp>(splat(1, rows, 1), all.sum);
  Value result = make<arith::MulFOp>(all.result, across(inverse, width));
  auto type = RankedTensorType::get(
      {rows, width}, getElementTypeOrSelf(op.getResult().getType()));
  if (result.getType() != type)
    result = arith::TruncFOp::create(b, loc, type, result);
  TileBuilder epilogue = tiles(dims.query, dims.width);
  epilogue.bind(op.getResult(), anchor.map, result);
  Value tile = epilogue.emit(root, plan.rootMap);
  if (!tile)
    reason = epilogue.reason;
  if (!reason.empty())
    return failure();
  epilogue.store(tile, out, plan.rootMap);
  return success();
}

PartialSoftmax AttentionBuilder::storePart(const Softmax &all) {
  PartialSoftmax stored;
  stored.part = part;
  // The rows of the tile are a dimension of their own.
  int row = dims.query;
  if (!rowDims.empty()) {
    row = kernel.dims.size();
    kernel.dims.emplace_back();
    kernel.dims[row].size = kernel.dims[row].block = numRows();
    kernel.place(row, kernel.constant(0));
  }
  AccessMap map;
  SmallVector<Extent> sizes;
  auto add = [&](int dim) {
    map.index.push_back(IndexExpr::dim(dim));
    sizes.push_back(kernel.dims[dim].size);
  };
  add(part);
  for (int dim : dims.outer)
    if (!llvm::is_contained(rowDims, dim))
      add(dim);
  stored.map = map;
  add(row);
  HostProgramBuilder &host = kernel.host;
  stored.largest = host.allocate(wide, sizes);
  stored.sum = host.allocate(wide, sizes);
  TileBuilder emitter = tiles(row, dims.width);
  emitter.store(all.largest, stored.largest, map);
  emitter.store(all.sum, stored.sum, map);
  add(dims.width);
  stored.result = host.allocate(wide, sizes);
  emitter.store(all.result, stored.result, map);
  // The second kernel has an instance for each query of each head.
  IndexExpr at = IndexExpr::dim(dims.query);
  int64_t stride = block(dims.query);
  for (int dim : llvm::reverse(rowDims)) {
    at = at + IndexExpr::dim(dim) * stride;
    stride *= block(dim);
  }
  stored.map.index.append({at, IndexExpr::dim(dims.width)});
  return stored;
}

LogicalResult AttentionBuilder::run() {
  FailureOr<std::vector<KeyPiece>> found =
      findKeyPieces(plan, inGroup, dims, reason);
  if (failed(found))
    return failure();
  pieces = std::move(*found);
  if (isThreaded)
    rowDims = findRowDims(plan, dims, pieces.front());
  if (op.getMask() && rowDims.empty() && pieces.size() == 1)
    bound =
        findMaskBound(op.getMask(), anchor.operandMaps[3], plan, inGroup, dims);
  placeDims();
  chooseBlocks();
  if (!reason.empty())
    return failure();
  chooseParts();
  placeGrid();
  findLoops();
  int64_t rows = numRows(), width = block(dims.width);
  query = operand(0, dims.query, dims.depth,
                  getElementTypeOrSelf(op.getQuery().getType()));
  Softmax all = loops({splat(-std::numeric_limits<double>::infinity(), rows, 1),
                       splat(0, rows, 1), splat(0, rows, width)});
  PartialSoftmax stored;
  if (part >= 0)
    stored = storePart(all);
  else if (failed(storeResult(all)))
    return failure();
  if (!reason.empty())
    return failure();
  Extent flops = 2;
  for (unsigned d = 0; d < plan.numRootDims; ++d)
    if (static_cast<int>(d) != dims.width)
      flops = flops * plan.sizes[d];
  flops = flops * kernel.dims[dims.key].size *
          Extent(block(dims.depth) + block(dims.width));
  kernel.finish("generic.attention", flops);
  if (part < 0)
    return success();
  isFinished = true;
  return combineParts(ctx, plan, inGroup, dims, rowDims, kernel, stored,
                      isPowerOfTwo, root, out, reason);
}

LogicalResult kiln::schedule::scheduleAttention(Operation *claim,
                                                LoweringContext &context) {
  auto *ctx = context.as<ScheduleContext>();
  if (!ctx)
    return context.decline(claim, "needs the context of convert-prim-to-tile");
  Block &body = claim->getRegion(0).front();
  if (claim->getNumResults() != 1)
    return ctx->decline(claim, "it has not one result");
  HostProgramBuilder &host = ctx->host;
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), claim->getOperands()))
    host.setAlias(argument, input);
  auto inGroup = [&body](Operation *op) { return op->getBlock() == &body; };
  Value root = body.getTerminator()->getOperand(0);
  GroupPlan plan(host.math, host.dimFn(), inGroup);
  if (failed(plan.run(root)))
    return ctx->decline(claim, plan.reason);
  std::string reason;
  FailureOr<AttentionDims> dims = findAttentionDims(plan, reason);
  if (failed(dims))
    return ctx->decline(claim, reason);
  for (int dim : {dims->depth, dims->width})
    if (dim >= 0 && !plan.sizes[dim].isStatic())
      return ctx->decline(claim,
                          "only a launch knows how many elements a head has");
  Buffer out = host.destination(claim->getResult(0));
  KernelBuilder kernel(host, claim->getLoc(), ctx->kernelName);
  AttentionBuilder builder(*ctx, plan, *dims, inGroup, kernel, root, out);
  if (failed(builder.run())) {
    if (!builder.isFinished)
      kernel.abandon();
    return ctx->decline(claim, builder.reason);
  }
  host.setBuffer(claim->getResult(0), out);
  return success();
}
