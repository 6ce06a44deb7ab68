//===- AttentionBlocks.cpp - Blocks, grid and loops of attention ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many queries and keys an instance has at once, how many instances share
// out the keys, and which blocks of keys the mask leaves.
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Target/Limits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

void kiln::schedule::placeAttentionDims(KernelBuilder &kernel,
                                        const GroupPlan &plan,
                                        AttentionDims &dims, bool isThreaded) {
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

/// The size of a dimension, or 1 if only a launch knows it.
static int64_t knownSize(const KernelBuilder &kernel, int dim,
                         int64_t unknown = 1) {
  Extent size = kernel.dims[dim].size;
  return size.isStatic() ? size.get() : unknown;
}

/// The second product is what the model is asked for: its left factor is made
/// from keys as deep as the block.
std::pair<int64_t, int64_t> kiln::schedule::chooseCachedBlocks(
    ScheduleContext &ctx, const KernelBuilder &kernel,
    const AttentionDims &dims, int rows, int along, Type element, bool isCut) {
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  for (auto [dim, role] : {std::pair(rows, TilingRole::Row),
                           std::pair(dims.width, TilingRole::Column),
                           std::pair(along, TilingRole::Depth)}) {
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
  if (isCut) {
    problem.dims[0].most = kCutRows;
    problem.dims[2].most = kCutKeys;
  }
  Type wide = sumType(element);
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t wideBits = wide.getIntOrFloatBitWidth();
  problem.tiles = {{{0, 1}, bits},
                   {{2, 1}, bits},
                   {{0, 2}, wideBits},
                   {{2, 1}, bits},
                   {{0, 1}, wideBits}};
  problem.lhs = problem.rhs = problem.acc = wide;
  problem.work =
      double(knownSize(kernel, rows)) * knownSize(kernel, along) *
      (kernel.dims[dims.depth].block + kernel.dims[dims.width].block);
  for (int dim : dims.outer) {
    problem.instances *= knownSize(kernel, dim);
    problem.work *= knownSize(kernel, dim);
  }
  SmallVector<int64_t> blocks = ctx.tiling.choose(problem).blocks;
  return {blocks[0], blocks[2]};
}

void AttentionBuilder::chooseBlocks() {
  if (isThreaded)
    return chooseThreadedBlocks();
  std::tie(kernel.dims[dims.query].block, kernel.dims[dims.key].block) =
      chooseCachedBlocks(ctx, kernel, dims, dims.query, dims.key,
                         getElementTypeOrSelf(op.getQuery().getType()),
                         bound.isKnown);
  // The chooser took a script's blocks.
  if (std::optional<Asked> asked = findAsked(op->getParentOp(), "blocks"))
    target::ask(kernel.kernel, "blocks", asked->value, asked->at);
}

/// What is assumed where only a launch knows a size.
static constexpr int64_t kUnknownSize = 1024;
static constexpr int64_t kMostRows = 128, kLeastRows = 16;

/// Rows of a warp, half as many as it has lanes: its matrix instructions take
/// all of them, and sums along rows stay in the warp.
static int64_t ownRows(target::TargetAttr description) {
  constexpr int64_t kLaneBits = 32;
  ExecutionUnitAttr vector =
      description ? description.getUnitOfKind(UnitKind::Vector) : nullptr;
  return std::max(kRowsOfWarp, vector ? vector.getBits() / kLaneBits / 2 : 0);
}

/// How many instances have `rows` rows of `dim` each; a product that no number
/// has room for is the largest one.
static int64_t countInstances(const KernelBuilder &kernel,
                              const AttentionDims &dims, int dim,
                              int64_t rows) {
  int64_t instances =
      llvm::divideCeil(knownSize(kernel, dim, kUnknownSize), rows);
  for (int outer : dims.outer)
    if (llvm::MulOverflow(instances, knownSize(kernel, outer, kUnknownSize),
                          instances))
      return INT64_MAX;
  return instances;
}

/// Whether a warp takes the rows of two instructions: `tall_attention` in the
/// description's `extra`. Warps then read half as many keys and values for each
/// query. Two instances have to fit into the registers of a core, and there
/// have to be as many.
bool AttentionBuilder::hasTallWarps(int64_t rows, int64_t keys) const {
  prim::AttentionOp attention = op;
  DictionaryAttr extra =
      ctx.description ? ctx.description.getExtra() : DictionaryAttr();
  auto registers =
      extra ? extra.getAs<IntegerAttr>("registers_per_core") : IntegerAttr();
  // A mask takes registers, and half of the rows of a block that it cuts are in
  // vain.
  if (!registers || !extra.contains("tall_attention") || rows < kMostRows ||
      ownProductRows || !rowDims.empty() || attention.getMask())
    return false;
  constexpr int64_t kInstances = 2, kLaneBits = 32;
  int64_t bits = getElementTypeOrSelf(attention.getQuery().getType())
                     .getIntOrFloatBitWidth(),
          sums = block(dims.width) + keys,
          words = sums + block(dims.depth) * bits / kLaneBits;
  // A quarter is for keys, values and addresses.
  if (2 * rows * words * kInstances >= registers.getInt() * 3 / 4)
    return false;
  int64_t instances = countInstances(kernel, dims, dims.query, 2 * rows);
  return instances >= kInstances * target::countCores(ctx.description);
}

int64_t kiln::schedule::chooseThreadedRows(ScheduleContext &ctx,
                                           const KernelBuilder &kernel,
                                           const AttentionDims &dims, int dim) {
  int64_t size = knownSize(kernel, dim, kUnknownSize);
  int64_t rows =
      std::clamp<int64_t>(llvm::PowerOf2Ceil(size), kLeastRows, kMostRows);
  int64_t cores = target::countCores(ctx.description);
  while (rows > 64 && countInstances(kernel, dims, dim, rows) < cores)
    rows /= 2;
  return rows;
}

/// Whether a chip's threads compute while its unit goes on multiplying, in
/// groups that wait for each other's slots alone: a tile's products and
/// exponentials overlap there.
static bool multipliesBeside(target::TargetAttr description) {
  DictionaryAttr extra =
      description ? description.getExtra() : DictionaryAttr();
  return extra && extra.contains("split_barriers") &&
         extra.contains("producer");
}

bool AttentionBuilder::cutsOne() {
  if (!cut || pieces.size() != 1 || part >= 0)
    return false;
  if (!bound.isKnown)
    return !op.getMask() || bound.isAll;
  // What the queries of an instance see ends within one block of keys, as
  // blocks of both begin at multiples of the queries' block.
  int64_t rows = block(dims.query), keys = block(dims.key);
  Extent offset = bound.last.offset();
  return bound.isAll && offset.isStatic() && offset.get() % rows == 0 &&
         keys % rows == 0 && llvm::all_of(bound.last.dims(), [&](int dim) {
           return dim == dims.query;
         });
}

bool AttentionBuilder::sharesCores() const {
  int64_t instances =
      countInstances(kernel, dims, dims.query, block(dims.query));
  return instances > target::countCores(ctx.description);
}

/// As many keys as leave registers for the sums.
void AttentionBuilder::chooseThreadedBlocks() {
  constexpr int64_t kWideHead = 128, kKeysOfWideHead = 32;
  auto known = [&](int dim) { return knownSize(kernel, dim, kUnknownSize); };
  int64_t rows = chooseThreadedRows(ctx, kernel, dims, dims.query);
  if (ownProductRows)
    rows = std::min(rows, ownProductRows);
  if (!rowDims.empty()) {
    int64_t heads = 1;
    for (int dim : rowDims)
      heads *= kernel.dims[dim].block =
          llvm::PowerOf2Ceil(kernel.dims[dim].size.get());
    rows = std::max<int64_t>(llvm::PowerOf2Ceil(known(dims.query)),
                             llvm::divideCeil(kLeastRows, heads));
  }
  int64_t head = std::max(block(dims.depth), block(dims.width));
  bool isWide = head > kWideHead;
  std::optional<Asked> asked = findAsked(op->getParentOp(), "blocks");
  ArrayRef<int64_t> sizes;
  if (asked)
    sizes = cast<DenseI64ArrayAttr>(asked->value).asArrayRef();
  bool isTall = !asked && hasTallWarps(rows, kKeysOfTile);
  if (isTall)
    rows *= 2;
  if (asked && sizes[0])
    rows = sizes[0];
  kernel.dims[dims.query].block = rows;
  // Rows of a warp, so that its part of the sums stays in registers. Of few
  // rows, two warps share the keys, in blocks that leave room for instances
  // beside each other.
  constexpr int64_t kHeadOfFewRows = 64, kWarpsOfFewRows = 2;
  bool isFew = numRows() <= kRowsOfWarp;
  isWide |= isFew && head > kHeadOfFewRows;
  // Two groups of warps that multiply in turns fill a core. The more keys, the
  // less often results are rescaled and groups wait for each other. Of short
  // heads without a mask two instances take turns instead.
  constexpr int64_t kKeysOfOverlap = 2 * kKeysOfTile, kShortHead = 64;
  bool isUneven = bound.isKnown && bound.last.dependsOn(dims.query);
  overlaps = isPowerOfTwo && !isWide && (head > kShortHead || isUneven) &&
             numRows() == kMostRows && multipliesBeside(ctx.description) &&
             !ownProductRows;
  // Registers of two groups of warps hold the sums of a wide head, and a ring
  // of two slots has room beside its queries.
  constexpr int64_t kWidestHead = 256, kMostBits = 16;
  int64_t bits =
      getElementTypeOrSelf(op.getQuery().getType()).getIntOrFloatBitWidth();
  bool isFilled = isPowerOfTwo && isWide && !isFew && head <= kWidestHead &&
                  bits <= kMostBits && numRows() == kMostRows &&
                  multipliesBeside(ctx.description);
  int64_t keys = isFilled   ? kKeysOfTile
                 : isWide   ? kKeysOfWideHead
                 : overlaps ? kKeysOfOverlap
                            : kKeysOfTile;
  if (asked && sizes[2])
    keys = sizes[2];
  overlaps &= keys >= kKeysOfOverlap;
  if (asked && (!llvm::isPowerOf2_64(rows) || !llvm::isPowerOf2_64(keys) ||
                std::min(numRows(), keys) < kLeastRows))
    reason = "threads take blocks of powers of two from " +
             std::to_string(kLeastRows) + " on, found " + std::to_string(rows) +
             " queries and " + std::to_string(keys) + " keys";
  if (asked && !rowDims.empty() && rows < known(dims.query))
    reason = "queries of several heads are rows of one tile, expected all " +
             std::to_string(known(dims.query)) + " in a block, found " +
             std::to_string(rows);
  if (asked && (sizes[1] || llvm::any_of(sizes.drop_front(3),
                                         [](int64_t n) { return n != 0; })))
    reason = "attention on threads has blocks of rows and of depth alone";
  if (asked)
    target::ask(kernel.kernel, "blocks", asked->value, asked->at);
  rows = numRows();
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(
          b.getContext(),
          std::max(kWarpsOfFewRows,
                   rows / ownRows(ctx.description) / (isTall ? 2 : 1)),
          0, 0, 0));
  kernel.dims[dims.key].block = keys;
}

/// Instances share out the keys where there are fewer of them than cores can
/// hold.
void AttentionBuilder::chooseParts() {
  target::TopologyAttr topology =
      ctx.description ? ctx.description.getTopology() : target::TopologyAttr();
  // What parts leave does not tell the logarithm that others read.
  if (!isThreaded || !topology || op.getLogsumexp())
    return;
  auto known = [&](int dim) { return knownSize(kernel, dim, kUnknownSize); };
  PartProblem problem;
  problem.cores = target::countCores(ctx.description);
  problem.blocks = 0;
  for (const KeyPiece &one : pieces)
    problem.blocks += llvm::divideCeil(
        one.size.isStatic() ? one.size.get() : kUnknownSize, block(dims.key));
  problem.instances = llvm::divideCeil(known(dims.query), block(dims.query));
  for (int dim : dims.outer)
    if (!llvm::is_contained(rowDims, dim))
      problem.instances *= known(dim);
  // Tiles of few rows leave room for others.
  constexpr int64_t kRowsOfCore = 128, kMostPerCore = 4;
  problem.perCore =
      std::clamp<int64_t>(kRowsOfCore / numRows(), 1, kMostPerCore);
  problem.hasFewRows = numRows() <= kRowsOfWarp;
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
  if (!rowDims.empty() || !bound.isKnown || !bound.last.dependsOn(dims.query))
    return;
  if (overlaps && part < 0)
    placeInBands();
  // What sees most begins first.
  kernel.placeFromEnd(dims.query);
}

/// Has instances take the first blocks of queries of several heads, then the
/// second ones, so that what is left becomes smaller and smaller. There are as
/// many heads in a band as give each core a few instances; more would read
/// more keys at once than caches hold.
void AttentionBuilder::placeInBands() {
  constexpr int64_t kPerCore = 4;
  index::Math &math = kernel.host.math;
  Extent queries = kernel.numBlocks(dims.query), heads = 1;
  for (int dim : dims.outer)
    heads = math.mul(heads, kernel.dims[dim].size);
  int64_t points = kPerCore * target::countCores(ctx.description);
  int64_t most = std::max<int64_t>(
      1, points / (queries.isStatic() ? queries.get() : kUnknownSize));
  Value number = tile::InstanceIdOp::create(b, loc, b.getIndexType());
  auto divide = [&](Value x, Value y) -> std::pair<Value, Value> {
    return {b.createOrFold<arith::DivUIOp>(loc, x, y),
            b.createOrFold<arith::RemUIOp>(loc, x, y)};
  };
  Value group = kernel.constant(most);
  auto [band, inBand] =
      divide(number, kernel.mul(group, kernel.index(queries)));
  Value first = kernel.mul(band, group);
  // The last band may have fewer.
  Value size = b.createOrFold<arith::MinUIOp>(
      loc, group, kernel.sub(kernel.index(heads), first));
  auto [query, ofBand] = divide(inBand, size);
  // Which changes nothing, but is known of the number then.
  kernel.place(
      dims.query,
      b.createOrFold<arith::MinUIOp>(
          loc, query, kernel.sub(kernel.index(queries), kernel.constant(1))));
  Value head = kernel.add(first, ofBand);
  for (int dim : llvm::reverse(dims.outer)) {
    auto [rest, coord] = divide(head, kernel.index(kernel.dims[dim].size));
    kernel.place(dim, coord);
    head = rest;
  }
}

KeyLoop kiln::schedule::findKeyLoop(KernelBuilder &kernel,
                                    const AttentionDims &dims,
                                    const MaskBound &bound) {
  KeyLoop loop;
  index::Math &math = kernel.host.math;
  int64_t size = kernel.dims[dims.key].block;
  Extent keys = kernel.dims[dims.key].size;
  loop.end = kernel.index(kernel.numBlocks(dims.key));
  Extent whole = math.floorDiv(keys, size);
  auto least = [&](Value x, Value y) -> Value {
    return arith::MinSIOp::create(kernel.b, kernel.loc, x, y);
  };
  if (!whole.same(kernel.numBlocks(dims.key)))
    loop.cut = kernel.index(whole);
  if (!bound.isKnown)
    return loop;
  // The last key of the first and of the last query.
  Value first = kernel.index(bound.last.offset());
  for (int dim : bound.last.dims())
    first = kernel.add(first,
                       kernel.mul(kernel.dims[dim].offset,
                                  kernel.index(bound.last.coefficient(dim))));
  Value last = first;
  if (bound.last.dependsOn(dims.query))
    last =
        kernel.add(first, kernel.constant(kernel.dims[dims.query].block - 1));
  // How many blocks there are up to a key, the rest of one counted or not.
  auto blocksTo = [&](Value key, int64_t rest) -> Value {
    Value count = arith::MaxSIOp::create(kernel.b, kernel.loc,
                                         kernel.add(key, kernel.constant(1)),
                                         kernel.constant(0));
    return arith::DivUIOp::create(kernel.b, kernel.loc,
                                  kernel.add(count, kernel.constant(rest)),
                                  kernel.constant(size));
  };
  loop.end = least(loop.end, blocksTo(last, size - 1));
  if (bound.isAll) {
    Value seen = blocksTo(first, 0);
    loop.cut = loop.cut ? least(loop.cut, seen) : seen;
  }
  if (loop.cut)
    loop.cut = least(loop.cut, loop.end);
  return loop;
}
