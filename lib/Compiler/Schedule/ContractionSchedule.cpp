//===- ContractionSchedule.cpp - Products with prologue and epilogue ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid of M x N tiles, a loop over K with an accumulator tile, cheap
// operations on the operands as they are loaded, and everything that follows
// the product on the accumulator before it is stored. Before it, copies of
// factors whose rows begin where the machine reads them slowly, and conversions
// of those that it would convert many times. Where the grid
// is small several instances share out K and leave sums in a workspace, which a
// second kernel adds up.
//
//===----------------------------------------------------------------------===//

#include "AlignRows.h"
#include "ContractBuilder.h"
#include "ConvertFactors.h"
#include "FewRows.h"
#include "PartSums.h"
#include "ResultOrder.h"
#include "WindowInput.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

/// The dimensions of some index expressions, outermost first.
static SmallVector<int> dimsOf(ArrayRef<IndexExpr> exprs) {
  SmallVector<int> result;
  for (const IndexExpr &expr : exprs) {
    // Terms of one expression are made outermost first; static factors say so.
    SmallVector<int, 2> dims = expr.dims();
    llvm::sort(dims, [&](int a, int b) {
      Extent x = expr.coefficient(a), y = expr.coefficient(b);
      return x.isStatic() && y.isStatic() ? x.get() > y.get() : a < b;
    });
    result.append(dims.begin(), dims.end());
  }
  return result;
}

void ContractBuilder::findDims() {
  size_t batch = dot.getLhsBatch().size();
  size_t lhsFree = cast<RankedTensorType>(dot.getLhs().getType()).getRank() -
                   batch - dot.getLhsContract().size();
  ArrayRef<IndexExpr> index = anchor.map.index;
  dims.batch = dimsOf(index.take_front(batch));
  dims.m = dimsOf(index.drop_front(batch).take_front(lhsFree));
  dims.n = dimsOf(index.drop_front(batch + lhsFree));
  dims.k.assign(anchor.reduced.begin(), anchor.reduced.end());
  for (SmallVector<int> *list : {&dims.batch, &dims.m, &dims.n, &dims.k}) {
    group.merge(kernel, *list, out);
    *list = Group::physical(kernel, *list);
  }
  // A missing dimension is one of a single element.
  auto last = [&](SmallVector<int> &list) {
    if (!list.empty())
      return list.pop_back_val();
    kernel.dims.emplace_back();
    kernel.place(kernel.dims.size() - 1, kernel.constant(0));
    return static_cast<int>(kernel.dims.size() - 1);
  };
  bool isMadeUp = dims.m.empty();
  tileM = last(dims.m);
  tileN = last(dims.n);
  tileK = last(dims.k);
  if (isMadeUp) {
    singleRow = singleRowOf(group, dot);
  } else if (liesAlongRows()) {
    std::swap(operandOf[0], operandOf[1]);
    std::swap(dims.m, dims.n);
    std::swap(tileM, tileN);
  }
}

bool ContractBuilder::liesAlongRows() const {
  // Where tiles come from caches a row of sums is stored as it is; a column
  // would be stored one element at a time. Few rows have ways of their own.
  constexpr int64_t kFewRows = 8;
  Extent rows = kernel.dims[tileM].size, columns = kernel.dims[tileN].size;
  auto isMany = [](const Extent &size) {
    return size.isStatic() && size.get() > kFewRows;
  };
  if (!computesFromCaches(group.ctx) || isSingleRow || !hasDot() ||
      !isMany(rows) || !isMany(columns))
    return false;
  auto strideOf = [&](int dim) {
    return group.strideOf(out, group.plan.rootMap, dim);
  };
  return strideOf(tileM).is(1) && !strideOf(tileN).is(1);
}

LogicalResult ContractBuilder::storeParts(Value sum, TileBuilder &emitter,
                                          std::optional<KernelBuilder> &last) {
  // Sums lie as the result does, which is stored line by line.
  auto isContiguous = [&](int dim) {
    return group.strideOf(out, group.plan.rootMap, dim).is(1);
  };
  bool isAlongRows = !isCluster && isContiguous(tileM) && !isContiguous(tileN);
  PartSums sums(group, anchor, part, isAlongRows ? tileM : tileN);
  llvm::append_range(sums.kept, dims.batch);
  auto keep = [&](ArrayRef<int> outer, int tile) {
    llvm::append_range(sums.kept, outer);
    sums.kept.push_back(tile);
  };
  if (isAlongRows)
    keep(dims.n, tileN);
  keep(dims.m, tileM);
  if (!isAlongRows)
    keep(dims.n, tileN);
  sums.allocate(kernel, accumulator());
  if (isCluster) {
    sum = sums.exchange(kernel, tileM, sum, [](int64_t) {})[0];
    TileBuilder epilogue(kernel, group.plan, group.inGroup(),
                         Space{{tileM, tileN}});
    return succeeded(sums.finish(epilogue, sum, out)) ? success()
                                                      : fail(sums.reason);
  }
  emitter.store(sum, sums.buffer, sums.map);
  last.emplace(kernel.host, kernel.loc, group.ctx.kernelName + "_parts");
  if (succeeded(sums.emit(*last, kernel, out)))
    return success();
  return fail(sums.reason);
}

/// Reads a buffer to its end where it is longer than its value: a copy with
/// zeros behind its rows. Along what is summed up they add nothing, as the
/// other factor has zeros there, too, and along what is not their sums are not
/// stored. So whole blocks need not look where rows end.
static AccessMap readWhole(const Group &group, const KernelBuilder &kernel,
                           Value factor, AccessMap map) {
  AccessMap read = map;
  Value origin = beforeTransposes(group, factor, &read);
  if (!group.host.hasBuffer(origin))
    return map;
  for (auto [expr, size] :
       llvm::zip(read.index, group.host.buffer(origin).sizes)) {
    SmallVector<int, 2> dims = expr.dims();
    if (dims.size() != 1 || !expr.offset().is(0) ||
        !expr.coefficient(dims[0]).is(1) || map.rangeOf(dims[0]))
      continue;
    Extent known = kernel.dims[dims[0]].size;
    if (size.isStatic() && known.isStatic() && size.get() > known.get())
      map.ranges.push_back({dims[0], 0, size});
  }
  llvm::sort(map.ranges, [](const IndexRange &x, const IndexRange &y) {
    return x.dim < y.dim;
  });
  return map;
}

Value ContractBuilder::operandTile(TileBuilder &emitter, unsigned side,
                                   int rows, int cols) {
  Value operand = factor(side);
  AccessMap map =
      readWhole(group, kernel, operand, anchor.operandMaps[operandOf[side]]);
  if (side == 0 && singleRow >= 0 && kernel.dims[rows].block > 1)
    map.index[singleRow] = IndexExpr::dim(rows);
  Value tile = emitter.emit(operand, map);
  if (!tile) {
    reason = emitter.reason;
    return {};
  }
  // What was computed from padding need not be zero along K.
  Operation *source = operand.getDefiningOp();
  if (source && group.inGroup()(source))
    tile = emitter.maskPartial(
        tile, {tileK},
        zeroOf(cast<RankedTensorType>(tile.getType()).getElementType()));
  return emitter.broadcast(tile,
                           {kernel.dims[rows].block, kernel.dims[cols].block});
}

Value ContractBuilder::repeatedRow() {
  FailureOr<Buffer> memory = memoryOf(group, dot.getLhs());
  const AccessMap &map = anchor.operandMaps[0];
  if (isSingleRow || failed(memory) || !map.ranges.empty() ||
      llvm::any_of(map.index,
                   [](const IndexExpr &at) { return !at.offset().is(0); }))
    return {};
  Buffer view = *memory;
  view.sizes.clear();
  view.strides.clear();
  SmallVector<Value> coords;
  auto along = [&](int dim, Extent stride) {
    view.sizes.push_back(kernel.dims[dim].size);
    view.strides.push_back(stride);
    coords.push_back(kernel.dims[dim].offset);
  };
  for (ArrayRef<int> list : {ArrayRef<int>(dims.batch), ArrayRef<int>(dims.k)})
    for (int dim : list)
      along(dim, group.strideOf(*memory, map, dim));
  along(tileN, 0);
  along(tileK, group.strideOf(*memory, map, tileK));
  auto type = RankedTensorType::get(
      {kernel.dims[tileN].block, kernel.dims[tileK].block},
      memory->elementType());
  return tile::LoadOp::create(kernel.b, kernel.loc, type,
                              kernel.view(view, /*write=*/false), coords,
                              Value(), /*element_offsets=*/true,
                              tile::Padding::zero, DenseI64ArrayAttr());
}

Value ContractBuilder::multiply(Value x, Value y, Value sum, TileBuilder &lhs,
                                TileBuilder &epilogue) {
  if (!hasDot())
    return multiplyAdd(x, y, sum, lhs);
  if (along == tileK)
    return group.ctx.tiling.model().sharesTiles()
               ? addProducts(x, y, sum, epilogue)
               : sumProducts(x, y, sum, epilogue);
  auto product =
      tile::DotOp::create(kernel.b, kernel.loc, sum.getType(), x, y, sum,
                          inputPrecision(dot.getPrecision()), false, false);
  product.setMaxImpreciseAcc(dot.getImprecise());
  return product;
}

bool ContractBuilder::storeResult(Value sum) {
  TileBuilder epilogue(kernel, group.plan, group.inGroup(),
                       Space{{tileM, tileN}});
  Type type =
      cast<RankedTensorType>(dot.getResult().getType()).getElementType();
  auto held = cast<RankedTensorType>(sum.getType());
  if (held.getElementType() != type)
    sum = arith::TruncFOp::create(kernel.b, kernel.loc, held.clone(type), sum);
  epilogue.bind(dot.getResult(), anchor.map, sum);
  Value tile = epilogue.emit(group.root, group.plan.rootMap);
  if (tile)
    epilogue.store(tile, out, group.plan.rootMap);
  else
    reason = epilogue.reason;
  return static_cast<bool>(tile);
}

LogicalResult ContractBuilder::run(std::optional<KernelBuilder> &last) {
  Type acc = accumulator();
  findDims();
  chooseBlocks();
  if (std::string why = whyNoBlocks(); !why.empty())
    return fail(why);
  split();
  pairInstances();
  if (isCluster)
    kernel.addGridDim(part);
  for (int dim : gridOrder())
    if (!kernel.dims[dim].offset)
      kernel.addGridDim(dim);
  for (SmallVector<int> *list : {&dims.n, &dims.m, &dims.batch})
    for (int dim : llvm::reverse(*list))
      kernel.addGridDim(dim);
  if (part >= 0 && !isCluster)
    kernel.addGridDim(part);
  kernel.placeGrid();
  shiftEdges();

  SmallVector<ColumnPiece, 2> pieces = findPieces();
  TileBuilder lhs(kernel, group.plan, group.inGroup(), Space{{tileM, tileK}});
  TileBuilder epilogue(kernel, group.plan, group.inGroup(),
                       Space{{tileM, tileN}});
  SmallVector<int> loops;
  for (int dim : dims.k)
    loops.push_back(dim);
  if (!kernel.dims[tileK].offset) {
    if (kernel.numBlocks(tileK).is(1))
      kernel.place(tileK, kernel.constant(0));
    else
      loops.push_back(tileK);
  }
  if (part >= 0)
    limitLoop(kernel, tileK, part);
  bool ok = true;
  // Threads add up a row where its elements are, and once behind the loop.
  bool sumsLast = along == tileK && group.ctx.tiling.model().sharesTiles();
  SmallVector<Value> begin;
  for (const ColumnPiece &piece : pieces) {
    SmallVector<int64_t> shape = {kernel.dims[tileM].block, piece.width};
    if (sumsLast)
      shape = {piece.width, kernel.dims[tileK].block};
    begin.push_back(epilogue.splat(zeroOf(acc), shape));
  }
  SmallVector<Value> sums =
      lhs.loop(loops, begin, [&](ValueRange carried) -> SmallVector<Value> {
        Value x = sumsLast ? repeatedRow() : Value();
        if (!x)
          x = operandTile(lhs, 0, tileM, tileK);
        SmallVector<Value> next;
        for (auto [piece, sum] : llvm::zip(pieces, carried)) {
          enter(piece);
          TileBuilder rhs(kernel, group.plan, group.inGroup(),
                          Space{{tileK, tileN}});
          Value y = x ? operandTile(rhs, 1, tileK, tileN) : Value();
          ok &= static_cast<bool>(y);
          next.push_back(y ? multiply(x, y, sum, lhs, epilogue) : sum);
        }
        return next;
      });
  if (!ok)
    return failure();
  if (sumsLast)
    sums[0] = sumAlongRow(sums[0], epilogue);
  Extent flops = 2;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    flops = flops * group.plan.sizes[d];
  for (int dim : anchor.reduced)
    flops = flops * group.plan.sizes[dim];
  if (part >= 0) {
    if (failed(storeParts(sums[0], epilogue, last)))
      return failure();
    finish(flops);
    if (last)
      last->finish("generic.contraction");
    return success();
  }
  for (auto [piece, sum] : llvm::zip(pieces, sums)) {
    enter(piece);
    if (!storeResult(sum))
      return failure();
  }
  finish(flops);
  return success();
}

/// Whether two values are one, or what the same views of the same memory give.
static bool isSame(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return a == b ||
         ((program::getViewedBuffer(x) ||
           isa_and_nonnull<arith::ConstantOp>(x)) &&
          y &&
          OperationEquivalence::isEquivalentTo(
              x, y, [](Value p, Value q) { return success(isSame(p, q)); },
              /*markEquivalent=*/nullptr,
              OperationEquivalence::IgnoreLocations));
}

/// Makes one launch of two that do the same: the first where `guard` holds.
/// False, and both stay, when they take different arguments.
static bool joinVariants(HostProgramBuilder &host, program::LaunchOp first,
                         Value guard, program::LaunchOp second) {
  if (first.getArgs().size() != second.getArgs().size() ||
      !llvm::all_of(llvm::zip(first.getArgs(), second.getArgs()),
                    [](auto pair) {
                      return isSame(std::get<0>(pair), std::get<1>(pair));
                    }) ||
      first.getWrites() != second.getWrites())
    return false;
  SmallVector<Attribute> kernels(first.getKernels().getValue());
  llvm::append_range(kernels, second.getKernels().getValue());
  SmallVector<Value> grid(first.getGrid());
  llvm::append_range(grid, second.getGrid());
  OpBuilder &b = host.builder;
  program::LaunchOp::create(b, second.getLoc(), b.getArrayAttr(kernels), guard,
                            grid, second.getArgs(), second.getWritesAttr(),
                            second.getFlops(), second.getScheduleAttr(),
                            StringAttr(), IntegerAttr(), DictionaryAttr());
  first.erase();
  second.erase();
  return true;
}

/// Adds a variant for a single row, for products whose number of rows is not
/// known: tiles of many rows would mostly be empty there.
static void addSingleRow(Group &group, ContractBuilder &general,
                         const Buffer &out) {
  Extent rows = general.rows();
  if (rows.isStatic())
    return;
  HostProgramBuilder &host = group.host;
  KernelBuilder kernel(host, group.fusion.getLoc(),
                       group.ctx.kernelName + "_row");
  group.addDims(kernel);
  ContractBuilder builder(group, kernel, out, /*isSingleRow=*/true);
  std::optional<KernelBuilder> none;
  if (failed(builder.run(none)))
    return kernel.abandon();
  Value single = arith::CmpIOp::create(
      host.builder, group.fusion.getLoc(), arith::CmpIPredicate::eq,
      host.math.value(rows), host.math.value(1));
  if (joinVariants(host, builder.launch, single, general.launch))
    return;
  builder.launch.erase();
  kernel.abandon();
}

LogicalResult kiln::schedule::scheduleContraction(prim::FusionOp op,
                                                  ScheduleContext &ctx) {
  Group whole(op, ctx);
  if (failed(whole.plan.run(whole.root)))
    return ctx.decline(op, whole.plan.reason);
  auto dot = whole.plan.anchors.size() == 1 && whole.plan.reductions.empty()
                 ? dyn_cast<prim::DotGeneralOp>(whole.plan.anchors.front().op)
                 : prim::DotGeneralOp();
  if (!dot)
    return ctx.decline(op, "the group is not one product");
  Group group(whole.fusion, ctx, whole.root, convertFactors(whole, dot));
  if (failed(group.plan.run(group.root)))
    return ctx.decline(op, group.plan.reason);
  Buffer out = resultForProduct(group);
  AlignedRows aligned(group, dot);
  KernelBuilder kernel(ctx.host, op->getLoc(), ctx.kernelName);
  group.addDims(kernel);
  ContractBuilder builder(group, kernel, out);
  std::optional<KernelBuilder> last;
  if (failed(builder.run(last))) {
    kernel.abandon();
    if (last)
      last->abandon();
    aligned.abandon();
    return ctx.decline(op, builder.reason);
  }
  addSingleRow(group, builder, out);
  aligned.leave();
  ctx.host.setBuffer(group.fusion.getResult(0), out);
  return success();
}
