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

#include "AttentionBuilder.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

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
  bool hasMask = !isLastBlock && op.getMask() && (isCut || !bound.isAll);
  Value score = scores();
  if (isLastBlock) {
    // What the mask leaves stays as it is, in units of its own.
    Value ofCut = masked(score, /*unit=*/1, isCut);
    score = arith::SelectOp::create(b, loc, isLastBlock, ofCut, score);
  } else {
    if (hasMask)
      score = make<arith::MulFOp>(score, splat(scale, rows, columns));
    score = masked(score, log2e, isCut);
  }
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
                                                 const Softmax &before,
                                                 bool isBackwards) {
  KernelDim &keys = kernel.dims[dims.key];
  keys.first = first;
  keys.last = last;
  bool isFirst = piece->first.is(0);
  TileBuilder emitter = tiles(dims.query, dims.key);
  SmallVector<Value> made = emitter.loop(
      dims.key, {before.largest, before.sum, before.result},
      [&](ValueRange carried) -> SmallVector<Value> {
        if (isBackwards) {
          isLastBlock = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              keys.coord, kernel.constant(0));
          kernel.place(
              dims.key,
              kernel.sub(kernel.sub(last, kernel.constant(1)), keys.coord));
        }
        // Blocks begin where the piece does, and may reach beyond all keys.
        if (!isFirst) {
          keys.offset = kernel.add(kernel.index(piece->first), keys.offset);
          keys.coord = Value();
        }
        keys.outside = !isFirst;
        Softmax after = step({carried[0], carried[1], carried[2]}, isCut);
        keys.outside = false;
        isLastBlock = Value();
        return {after.largest, after.sum, after.result};
      });
  // Slots of a ring would take the memory of a core's second instance.
  if (auto loop = made[0].getDefiningOp<scf::ForOp>();
      loop && ownProductRows && sharesCores())
    loop->setAttr(tile::kHintsAttr,
                  tile::LoopHintsAttr::get(b.getContext(), /*stages=*/1, 0,
                                           false, false, false, false));
  return {made[0], made[1], made[2]};
}

AttentionBuilder::Softmax AttentionBuilder::loops(Softmax all) {
  Value none = kernel.constant(0);
  if (part < 0 && pieces.size() == 1) {
    piece = &pieces.front();
    // One loop keeps products and exponentials overlapping.
    if (overlaps && cutsOne())
      return loop(none, end, /*isCut=*/true, all, /*isBackwards=*/true);
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

Value AttentionBuilder::withoutCopies(Value tile) {
  int known = plan.sizes.size();
  auto type = cast<RankedTensorType>(tile.getType());
  if (dims.width >= known && type.getDimSize(1) > 1)
    tile = reduce<arith::AddFOp>(tile);
  if (dims.query >= known && type.getDimSize(0) > 1)
    tile = reduceAxis(b, loc, tile, /*axis=*/0,
                      [](OpBuilder &inside, ValueRange x, ValueRange y) {
                        Value made = arith::MaximumFOp::create(
                            inside, x[0].getLoc(), x[0], y[0]);
                        return SmallVector<Value>{made};
                      })[0];
  return tile;
}

LogicalResult AttentionBuilder::storeResult(const Softmax &all) {
  int64_t rows = numRows(), width = block(dims.width);
  Value inverse = make<arith::DivFOp>(splat(1, rows, 1), all.sum);
  Value result =
      withoutCopies(make<arith::MulFOp>(all.result, across(inverse, width)));
  auto type = cast<RankedTensorType>(result.getType())
                  .clone(getElementTypeOrSelf(op.getResult().getType()));
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

void AttentionBuilder::storeSums(const Softmax &all) {
  Value largest = all.largest;
  if (isPowerOfTwo)
    largest =
        make<arith::MulFOp>(largest, splat(llvm::numbers::ln2, numRows(), 1));
  // Without any key both are minus infinity.
  Value sum =
      make<arith::AddFOp>(math::LogOp::create(b, loc, all.sum), largest);
  AccessMap map = anchor.map;
  map.index.pop_back();
  tiles(dims.query, dims.width).store(withoutCopies(sum), *sums, map);
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

bool AttentionBuilder::isMovedOnly() {
  for (Operation *at = root.getDefiningOp(); at && at != op.getOperation();
       at = at->getOperand(0).getDefiningOp())
    if (!isa<PermutationOpInterface, ReshapeOpInterface>(at))
      return false;
  return true;
}

LogicalResult AttentionBuilder::run() {
  FailureOr<std::vector<KeyPiece>> found =
      findKeyPieces(plan, inGroup, dims, reason);
  if (failed(found))
    return failure();
  pieces = std::move(*found);
  if (isThreaded && !op.getLogsumexp() && isMovedOnly())
    rowDims = findRowDims(plan, dims, pieces.front());
  if (op.getMask() && rowDims.empty() && pieces.size() == 1)
    bound =
        findMaskBound(op.getMask(), anchor.operandMaps[3], plan, inGroup, dims);
  placeAttentionDims(kernel, plan, dims, isThreaded);
  chooseBlocks();
  if (!reason.empty())
    return failure();
  chooseParts();
  placeGrid();
  KeyLoop bounds = findKeyLoop(kernel, dims, bound);
  cut = bounds.cut;
  end = bounds.end;
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
  if (sums)
    storeSums(all);
  if (!reason.empty())
    return failure();
  Extent flops = 2;
  for (unsigned d = 0; d < plan.numRootDims; ++d)
    if (static_cast<int>(d) != dims.width)
      flops = flops * plan.sizes[d];
  flops = flops * kernel.dims[dims.key].size *
          Extent(block(dims.depth) + block(dims.width));
  auto finish = [&] { kernel.finish("generic.attention", flops); };
  if (part >= 0)
    return combineParts(ctx, plan, inGroup, dims, rowDims, kernel, stored,
                        isPowerOfTwo, root, out, finish, reason);
  finish();
  return success();
}

LogicalResult kiln::schedule::scheduleAttention(prim::ClaimOp claim,
                                                ScheduleContext &ctx) {
  Block &body = claim->getRegion(0).front();
  HostProgramBuilder &host = ctx.host;
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), claim->getOperands()))
    host.setAlias(argument, input);
  auto inGroup = [&body](Operation *op) { return op->getBlock() == &body; };
  // The result, behind movements, and the logarithm of the sums.
  Value root, result, sums;
  for (auto [yielded, given] :
       llvm::zip(body.getTerminator()->getOperands(), claim->getResults())) {
    auto attention = yielded.getDefiningOp<prim::AttentionOp>();
    bool isSums = attention && yielded == attention.getLogsumexp();
    if (isSums ? sums : root)
      return ctx.decline(claim, "it has several results");
    (isSums ? sums : result) = given;
    if (!isSums)
      root = yielded;
  }
  if (!root)
    return ctx.decline(claim, "only the logarithm of its sums is read");
  GroupPlan plan(host.math, host.dimFn(), inGroup);
  if (failed(plan.run(root)))
    return ctx.decline(claim, plan.reason);
  std::string reason;
  FailureOr<AttentionDims> dims = findAttentionDims(plan, reason);
  if (failed(dims))
    return ctx.decline(claim, reason);
  for (int dim : {dims->depth, dims->width})
    if (dim >= 0 && !plan.sizes[dim].isStatic())
      return ctx.decline(claim,
                         "only a launch knows how many elements a head has");
  Buffer out = host.destination(result), sumsOut;
  if (sums)
    sumsOut = host.destination(sums);
  KernelBuilder kernel(host, claim->getLoc(), ctx.kernelName);
  AttentionBuilder builder(ctx, plan, *dims, inGroup, kernel, root, out,
                           sums ? &sumsOut : nullptr);
  if (failed(builder.run())) {
    kernel.abandon();
    return ctx.decline(claim, builder.reason);
  }
  host.setBuffer(result, out);
  if (sums)
    host.setBuffer(sums, sumsOut);
  return success();
}
