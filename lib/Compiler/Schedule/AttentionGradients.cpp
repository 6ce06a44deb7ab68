//===- AttentionGradients.cpp - A kernel of attention's gradients ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights are computed again, block by block, from the logarithm of the sum of
// their row (FlashAttention-2, Dao 2023, algorithm 2), so that none of them is
// in memory. Gradients by keys and values are sums over queries, and one
// instance adds all of a block of keys; those by queries are sums over keys,
// and another kernel adds them. Where threads cannot hold both sums over
// queries, each has a kernel of its own. No sum depends on the order of
// instances.
//
//===----------------------------------------------------------------------===//

#include "AttentionGradients.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

GradientKernel::GradientKernel(AttentionGradients &all, StringRef name)
    : all(all), dims(all.dims), kernel(all.ctx.host, all.op.getLoc(), name),
      b(kernel.b), loc(kernel.loc) {
  placeAttentionDims(kernel, all.plan, dims, all.isThreaded);
}

void GradientKernel::takeAsked(int rows, int along) {
  constexpr int64_t kLeast = 16;
  std::optional<Asked> asked = findAsked(all.op->getParentOp(), "blocks");
  if (!asked)
    return;
  ArrayRef<int64_t> sizes = cast<DenseI64ArrayAttr>(asked->value).asArrayRef();
  if (sizes[0])
    kernel.dims[rows].block = sizes[0];
  if (sizes[2])
    kernel.dims[along].block = sizes[2];
  if (!llvm::isPowerOf2_64(block(rows)) || !llvm::isPowerOf2_64(block(along)) ||
      std::min(block(rows), block(along)) < kLeast)
    reason = "threads take blocks of powers of two from 16 on, found " +
             std::to_string(block(rows)) + " rows and " +
             std::to_string(block(along)) + " of depth";
  if (sizes[1] ||
      llvm::any_of(sizes.drop_front(3), [](int64_t n) { return n != 0; }))
    reason = "attention on threads has blocks of rows and of depth alone";
}

// The tiles of FlashAttention-2, where all sums of a warp's rows are registers.
void GradientKernel::placeBlocks(int rows, int along, int64_t sums) {
  constexpr int64_t kMostAlong = 64, kFewAlong = 32;
  if (all.isThreaded) {
    // Of narrow heads half as many rows leave room for another instance on a
    // core, which hides what warps wait for.
    constexpr int64_t kNarrowHead = 128, kRowsOfNarrowHead = 64;
    int64_t most = chooseThreadedRows(all.ctx, kernel, dims, rows);
    if (block(dims.depth) + block(dims.width) <= kNarrowHead)
      most = std::min(most, kRowsOfNarrowHead);
    kernel.dims[rows].block = most;
    kernel.dims[along].block = sums > all.manySums() ? kFewAlong : kMostAlong;
    takeAsked(rows, along);
    // More warps than have whole rows, where one could not hold its sums.
    int64_t warps = block(rows) / kRowsOfWarp * (sums > kMostSums ? 2 : 1);
    kernel.kernel->setAttr(
        tile::kHintsAttr,
        tile::KernelHintsAttr::get(b.getContext(), warps, 0, 0, 0));
  } else {
    // Two tiles of scores share the cache.
    std::tie(kernel.dims[rows].block, kernel.dims[along].block) =
        chooseCachedBlocks(all.ctx, kernel, dims, rows, along, all.element,
                           /*isCut=*/true);
  }
  // Where cores compute out of caches the chooser took a script's blocks.
  if (std::optional<Asked> asked = findAsked(all.op->getParentOp(), "blocks"))
    target::ask(kernel.kernel, "blocks", asked->value, asked->at);
  kernel.addGridDim(rows);
  for (int dim : llvm::reverse(dims.outer))
    kernel.addGridDim(dim);
  kernel.placeGrid();
  // What sees most begins first.
  const IndexExpr &last = all.bound.last;
  if (rows == dims.query && all.bound.isKnown && last.dependsOn(rows))
    kernel.placeFromEnd(rows);
  Extent work = 2;
  for (int dim : dims.outer)
    work = work * kernel.dims[dim].size;
  flops = work * kernel.dims[rows].size * kernel.dims[along].size *
          Extent(block(dims.depth) + block(dims.width) + sums);
}

Value GradientKernel::operand(unsigned number, int rows, int columns,
                              Type type) {
  TileBuilder emitter = tiles(rows, columns);
  auto shape = RankedTensorType::get({block(rows), block(columns)}, type);
  Value tile =
      emitter.emit(all.op->getOperand(number), all.anchor.operandMaps[number]);
  if (!tile) {
    reason = emitter.reason;
    return arith::ConstantOp::create(b, loc, shape, b.getZeroAttr(shape));
  }
  // Behind the end of a head there are zeros, whatever computes the tile.
  for (int dim : {dims.depth, dims.width})
    if (llvm::is_contained({rows, columns}, dim) && all.isThreaded)
      tile = emitter.maskPartial(tile, {dim}, zeroOf(all.element));
  tile = emitter.broadcast(tile, shape.getShape());
  return tile.getType() == shape
             ? tile
             : arith::ExtFOp::create(b, loc, shape, tile).getResult();
}

std::pair<Value, Value> GradientKernel::bothWays(unsigned number, int rows,
                                                 int columns) {
  Value tile = operand(number, rows, columns, all.element);
  auto wide = RankedTensorType::get({block(rows), block(columns)}, all.narrow);
  Value factor = tile;
  if (factor.getType() != wide)
    factor = arith::ExtFOp::create(b, loc, wide, tile);
  // Matrix units read one tile in shared memory along both dimensions.
  if (!all.isThreaded)
    return {factor, operand(number, columns, rows, all.element)};
  auto across =
      RankedTensorType::get({block(columns), block(rows)}, all.element);
  return {factor, tile::TransposeOp::create(b, loc, across, tile,
                                            ArrayRef<int64_t>{1, 0})};
}

Value GradientKernel::ofQueries(const Buffer &buffer, int rows, int columns,
                                double outside) {
  TileBuilder emitter = tiles(rows, columns);
  Value tile = emitter.load(buffer, all.rowMap);
  // Queries behind the end, which do not become rows of a result, have no
  // weights.
  if (columns == dims.query && outside != 0)
    tile = emitter.maskPartial(tile, {dims.query},
                               FloatAttr::get(all.wide, outside));
  return tile;
}

GradientKernel::Rows GradientKernel::rowsOf(int rows, int columns) {
  return {ofQueries(all.shift, rows, columns, -kInfinity),
          ofQueries(all.weighted, rows, columns, 0)};
}

Value GradientKernel::dot(Value lhs, Value rhs, Value sum) {
  if (!sum)
    sum = splat(0, cast<RankedTensorType>(lhs.getType()).getDimSize(0),
                cast<RankedTensorType>(rhs.getType()).getDimSize(1));
  return tile::DotOp::create(b, loc, sum.getType(), lhs, rhs, sum,
                             tile::InputPrecision::ieee, false, false);
}

Value GradientKernel::narrowed(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType()).clone(all.narrow);
  return tile.getType() == type
             ? tile
             : arith::TruncFOp::create(b, loc, type, tile).getResult();
}

Value GradientKernel::weigh(Value scores, Value shift, int rows, int columns,
                            bool isCut) {
  int64_t r = block(rows), c = block(columns);
  double unit = all.isPowerOfTwo ? llvm::numbers::log2e : 1;
  TileBuilder emitter = tiles(rows, columns);
  shift = emitter.broadcast(shift, {r, c});
  Value scale = splat(all.op.getScale().convertToDouble() * unit, r, c);
  bool hasMask = all.op.getMask() && (isCut || !all.bound.isAll);
  Value exponent;
  if (all.isPowerOfTwo && !hasMask) {
    exponent = math::FmaOp::create(b, loc, scores, scale, shift);
  } else {
    exponent = make<arith::MulFOp>(scores, scale);
    if (hasMask) {
      Value mask = operand(AttentionGradients::Mask, rows, columns, all.wide);
      if (unit != 1)
        mask = make<arith::MulFOp>(mask, splat(unit, r, c));
      exponent = make<arith::AddFOp>(exponent, mask);
    }
    exponent = make<arith::AddFOp>(exponent, shift);
  }
  // Keys behind the end have none, either.
  if (columns == dims.key && isCut)
    exponent = emitter.maskPartial(exponent, {dims.key},
                                   FloatAttr::get(all.wide, -kInfinity));
  if (all.isPowerOfTwo)
    return math::Exp2Op::create(b, loc, exponent, arith::FastMathFlags::afn);
  return math::ExpOp::create(b, loc, exponent);
}

Value GradientKernel::change(Value weights, Value ofWeights, Value weighted) {
  auto type = cast<RankedTensorType>(weights.getType());
  if (weighted.getType() != type)
    weighted = tile::BroadcastOp::create(b, loc, type, weighted);
  return make<arith::MulFOp>(weights, make<arith::SubFOp>(ofWeights, weighted));
}

void GradientKernel::store(Value tile, double scale, const Buffer &out,
                           int rows, int columns, unsigned operand) {
  if (scale != 1)
    tile = make<arith::MulFOp>(tile, splat(scale, block(rows), block(columns)));
  auto type = cast<RankedTensorType>(tile.getType()).clone(all.element);
  if (tile.getType() != type)
    tile = arith::TruncFOp::create(b, loc, type, tile);
  // A tile has more than the single element of a dimension that the plan does
  // not have.
  AccessMap map = all.anchor.operandMaps[operand];
  unsigned rank = map.index.size();
  for (auto [at, dim] :
       {std::pair(rank - 2, rows), std::pair(rank - 1, columns)})
    if (dim >= static_cast<int>(all.plan.sizes.size()))
      map.index[at] = IndexExpr::dim(dim);
  tiles(rows, columns).store(tile, out, map);
}

void GradientKernel::sumRows() {
  constexpr int64_t kMostRows = 64;
  Extent size = kernel.dims[dims.query].size;
  kernel.dims[dims.query].block =
      size.isStatic()
          ? std::min<int64_t>(llvm::PowerOf2Ceil(size.get()), kMostRows)
          : kMostRows;
  kernel.addGridDim(dims.query);
  for (int dim : llvm::reverse(dims.outer))
    kernel.addGridDim(dim);
  kernel.placeGrid();
  kernel.place(dims.key, kernel.constant(0));
  Value terms = make<arith::MulFOp>(
      operand(AttentionGradients::Output, dims.query, dims.width, all.wide),
      operand(AttentionGradients::Gradient, dims.query, dims.width, all.wide));
  Value sum = reduceAxis(b, loc, terms, /*axis=*/1,
                         [](OpBuilder &inside, ValueRange x, ValueRange y) {
                           Value made = arith::AddFOp::create(
                               inside, x[0].getLoc(), x[0], y[0]);
                           return SmallVector<Value>{made};
                         })[0];
  TileBuilder emitter = tiles(dims.query, dims.width);
  emitter.store(sum, all.weighted, all.rowMap);
  Value logarithm =
      emitter.emit(all.op.getLogsumexp(),
                   all.anchor.operandMaps[AttentionGradients::LogSumExp]);
  if (!logarithm) {
    reason = emitter.reason;
    return;
  }
  // Of a query that sees no key exponents are minus infinity anyway.
  int64_t rows = block(dims.query);
  Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                        logarithm, splat(-kInfinity, rows, 1));
  Value shift = make<arith::MulFOp>(
      logarithm, splat(all.isPowerOfTwo ? -llvm::numbers::log2e : -1, rows, 1));
  shift = arith::SelectOp::create(b, loc, isEmpty, splat(0, rows, 1), shift);
  emitter.store(shift, all.shift, all.rowMap);
}

void GradientKernel::buildOfQuery(const Buffer &out) {
  int rows = dims.query, columns = dims.key;
  placeBlocks(rows, columns, block(dims.depth));
  KeyLoop bounds = findKeyLoop(kernel, dims, all.bound);
  Type element = all.element;
  Value query = operand(AttentionGradients::Query, rows, dims.depth, element);
  Value gradient =
      operand(AttentionGradients::Gradient, rows, dims.width, element);
  Rows given = rowsOf(rows, columns);
  auto loop = [&](Value first, Value last, bool isCut, Value sum) {
    kernel.dims[columns].first = first;
    kernel.dims[columns].last = last;
    TileBuilder emitter = tiles(rows, columns);
    return emitter.loop(
        columns, {sum}, [&](ValueRange carried) -> SmallVector<Value> {
          auto [key, keyAcross] =
              bothWays(AttentionGradients::Key, columns, dims.depth);
          Value scores = dot(query, keyAcross);
          Value ofWeights =
              dot(gradient, operand(AttentionGradients::Value, dims.width,
                                    columns, element));
          Value weights = weigh(scores, given.shift, rows, columns, isCut);
          return {dot(narrowed(change(weights, ofWeights, given.weighted)), key,
                      carried[0])};
        })[0];
  };
  Value sum = splat(0, block(rows), block(dims.depth));
  sum = loop(kernel.constant(0), bounds.cut ? bounds.cut : bounds.end,
             /*isCut=*/false, sum);
  if (bounds.cut)
    sum = loop(bounds.cut, bounds.end, /*isCut=*/true, sum);
  store(sum, all.op.getScale().convertToDouble(), out, rows, dims.depth,
        AttentionGradients::Query);
}

GradientKernel::QueryLoop GradientKernel::findQueryLoop() {
  QueryLoop loop{kernel.constant(0), Value(),
                 kernel.index(kernel.numBlocks(dims.query))};
  const MaskBound &bound = all.bound;
  if (!bound.isKnown || !bound.last.coefficient(dims.query).is(1))
    return loop;
  // Query q sees keys up to q + distance.
  Value distance = kernel.index(bound.last.offset());
  for (int dim : bound.last.dims())
    if (dim != dims.query)
      distance = kernel.add(
          distance, kernel.mul(kernel.dims[dim].offset,
                               kernel.index(bound.last.coefficient(dim))));
  Value size = kernel.constant(block(dims.query));
  // The block of the first query that sees a key, the rest of one counted or
  // not.
  auto blockOf = [&](Value key, int64_t rest) -> Value {
    Value query =
        make<arith::MaxSIOp>(kernel.sub(key, distance), kernel.constant(0));
    Value number =
        make<arith::DivUIOp>(kernel.add(query, kernel.constant(rest)), size);
    return make<arith::MinSIOp>(number, loop.end);
  };
  Value key = kernel.dims[dims.key].offset;
  loop.first = blockOf(key, 0);
  // Where the mask says more there are none of others.
  if (bound.isAll)
    loop.full = blockOf(kernel.add(key, kernel.constant(block(dims.key) - 1)),
                        block(dims.query) - 1);
  return loop;
}

GradientKernel::Rows GradientKernel::rowsAt(Value coord, int rows,
                                            int columns) {
  KernelDim before = kernel.dims[columns];
  kernel.place(columns, coord);
  Rows result = rowsOf(rows, columns);
  kernel.dims[columns] = before;
  return result;
}

SmallVector<Value> GradientKernel::addOfKey(Value key, Value value, Rows given,
                                            ValueRange sums, bool isCut) {
  int rows = dims.key, columns = dims.query;
  auto [query, queryAcross] =
      bothWays(AttentionGradients::Query, columns, dims.depth);
  auto [gradient, gradientAcross] =
      bothWays(AttentionGradients::Gradient, columns, dims.width);
  // Both products that need nothing begin first.
  Value scores = dot(key, queryAcross);
  Value ofWeights = value ? dot(value, gradientAcross) : Value();
  Value weights = weigh(scores, given.shift, rows, columns, isCut);
  SmallVector<Value> result;
  if (sums.size() > 1 || !value)
    result.push_back(dot(narrowed(weights), gradient, sums.front()));
  if (value)
    result.push_back(dot(narrowed(change(weights, ofWeights, given.weighted)),
                         query, sums.back()));
  return result;
}

void GradientKernel::buildOfKey(const Buffer *ofKey, const Buffer *ofValue) {
  int rows = dims.key, columns = dims.query;
  placeBlocks(rows, columns,
              (ofKey ? block(dims.depth) : 0) +
                  (ofValue ? block(dims.width) : 0));
  QueryLoop bounds = findQueryLoop();
  Value key = operand(AttentionGradients::Key, rows, dims.depth, all.element);
  Value value;
  if (ofKey)
    value = operand(AttentionGradients::Value, rows, dims.width, all.element);
  SmallVector<Value> carried;
  if (ofValue)
    carried.push_back(splat(0, block(rows), block(dims.width)));
  if (ofKey)
    carried.push_back(splat(0, block(rows), block(dims.depth)));
  size_t count = carried.size();
  // Where threads wait for what they load, rows come an iteration ahead: with
  // the factors, or else in registers.
  bool isCarried = all.isThreaded && !all.readsLeftFactors;
  auto carry = [&](SmallVectorImpl<Value> &values, Value coord) {
    if (!isCarried)
      return;
    Rows next = rowsAt(coord, rows, columns);
    values.push_back(next.shift);
    if (ofKey)
      values.push_back(next.weighted);
  };
  carry(carried, bounds.first);
  auto loop = [&](Value first, Value last, bool isCut) {
    kernel.dims[columns].first = first;
    kernel.dims[columns].last = last;
    TileBuilder emitter = tiles(rows, columns);
    carried = emitter.loop(columns, carried, [&](ValueRange before) {
      SmallVector<Value> rowsOfNext;
      carry(rowsOfNext,
            kernel.add(kernel.dims[columns].coord, kernel.constant(1)));
      Rows given = isCarried ? Rows{before[count], before.back()}
                             : rowsOf(rows, columns);
      SmallVector<Value> after =
          addOfKey(key, value, given, before.take_front(count), isCut);
      after.append(rowsOfNext);
      return after;
    });
  };
  // Tiles have the keys as rows.
  loop(bounds.first, bounds.full ? bounds.full : bounds.end, /*isCut=*/true);
  if (bounds.full)
    loop(bounds.full, bounds.end, /*isCut=*/false);
  if (ofValue)
    store(carried.front(), /*scale=*/1, *ofValue, rows, dims.width,
          AttentionGradients::Value);
  if (ofKey)
    store(carried[count - 1], all.op.getScale().convertToDouble(), *ofKey, rows,
          dims.depth, AttentionGradients::Key);
}
