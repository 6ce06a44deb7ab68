//===- RadixTiles.cpp - Long lines sorted digit by digit ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RadixTiles.h"
#include "BlockThreads.h"
#include "LineKernel.h"
#include "RadixSort.h"
#include "SortKeys.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Target/Rates.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

using Pred = arith::CmpIPredicate;

static constexpr int64_t kBins = 1 << RadixSort::kDigitBits;

/// Elements of a block: 16 for each of its threads.
static int64_t blockOf(const ScheduleContext &ctx) {
  constexpr int64_t kElements = 16;
  return kElements * countBlockThreads(ctx.description);
}

namespace {

/// A kernel that works on the blocks of all lines.
class BlockKernel {
public:
  BlockKernel(ScheduleContext &ctx, Location loc, StringRef name,
              ArrayRef<Extent> sizes, unsigned dim, int64_t block)
      : line(ctx, loc, name, sizes, dim, /*across=*/-1, block, /*spread=*/true),
        b(line.b), loc(loc), size(sizes[dim].get()) {}

  /// The digit of each key, the lowest one.
  Value digitsOf(Value keys);
  /// Counts the digits of a block in its column of `counts`.
  void count(Value digits, const Buffer &counts);
  /// Where the elements of a block were in it, ordered by their digits; above
  /// `placeBits`, the digits.
  Value order(Value digits);
  /// For each digit, how far its first element is moved by sorting the line,
  /// from where it is in the sorted block.
  Value shifts(const Buffer &counts, const Buffer &before,
               const Buffer &totals);
  /// Numbers of the line's elements; -1 behind its end.
  Value inside(Value places);

  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value number(int64_t value) {
    return line.constant(b.getI32IntegerAttr(value));
  }
  Value gather(Value tile, Value places) {
    auto type = cast<RankedTensorType>(places.getType())
                    .clone(getElementTypeOrSelf(tile.getType()));
    return tile::GatherOp::create(b, loc, type, tile, places, uint64_t(0));
  }
  /// Places of the block in the line.
  Value ownPlaces() {
    return make<arith::AddIOp>(line.splat(line.start, b.getI32Type()),
                               line.steps(b.getI32Type()));
  }
  unsigned placeBits() const { return llvm::Log2_64(line.block); }

  LineKernel line;

private:
  /// The column of a block, or of the line if there is one for each line, in a
  /// buffer of digits; and where it begins.
  Value columnOf(const Buffer &buffer, bool write,
                 SmallVectorImpl<Value> &coords);
  Value loadColumn(const Buffer &buffer);

  OpBuilder &b;
  Location loc;
  int64_t size;
};

/// The sort.
class DigitSorter {
public:
  DigitSorter(prim::ArgsortOp op, ScheduleContext &ctx, const Buffer &out)
      : op(op), ctx(ctx), host(ctx.host), out(out), dim(op.getDim()),
        sizes(host.sizesOf(op.getOperands().front())), block(blockOf(ctx)),
        key(RadixSort::keyTypeOf(
            getElementTypeOrSelf(op.getOperands().front()))) {}

  void run();

private:
  /// The type of keys without their `sorted` lowest digits.
  IntegerType keyType(unsigned sorted) const {
    unsigned left = key.getWidth() - sorted * RadixSort::kDigitBits;
    return IntegerType::get(key.getContext(), llvm::PowerOf2Ceil(left));
  }
  bool isLast(unsigned digit) const {
    return digit + 1 == RadixSort::digitsOf(key);
  }
  std::string nameOf(StringRef kernel, unsigned digit) const {
    return (ctx.kernelName + "_" + kernel + Twine(digit)).str();
  }
  /// Keys from `digit` on, whose unsigned order is that of the elements.
  Value loadKeys(LineKernel &line, unsigned digit);
  void count(unsigned digit);
  void addUp(unsigned digit);
  void distribute(unsigned digit);

  prim::ArgsortOp op;
  ScheduleContext &ctx;
  HostProgramBuilder &host;
  const Buffer &out;
  unsigned dim;
  SmallVector<Extent> sizes;
  int64_t block;
  IntegerType key;
  /// What the digits before have left.
  Buffer keys, places;
  /// By line, digit and block: how many there are, and how many blocks before
  /// have. By line and digit: how many the line has.
  Buffer counts, before, totals;
};

} // namespace

Value BlockKernel::columnOf(const Buffer &buffer, bool write,
                            SmallVectorImpl<Value> &coords) {
  // Lines, digits and blocks: digits come last.
  Buffer seen;
  seen.base = buffer.base;
  seen.offset = buffer.offset;
  auto add = [&](unsigned d, Value at) {
    seen.sizes.push_back(buffer.sizes[d]);
    seen.strides.push_back(buffer.strides[d]);
    coords.push_back(at);
  };
  unsigned lines = line.kernel.dims.size() - 1, next = 0;
  for (auto [d, of] : llvm::enumerate(line.kernel.dims))
    if (d != line.dim)
      add(next++, of.offset);
  if (buffer.rank() > lines + 1)
    add(lines + 1, line.kernel.dims[line.dim].coord);
  add(lines, line.kernel.constant(0));
  return line.kernel.view(seen, write);
}

Value BlockKernel::loadColumn(const Buffer &buffer) {
  SmallVector<Value> coords;
  Value view = columnOf(buffer, /*write=*/false, coords);
  auto type = RankedTensorType::get({kBins}, buffer.elementType());
  return tile::LoadOp::create(b, loc, type, view, coords, Value(),
                              /*element_offsets=*/true, tile::Padding::zero,
                              DenseI64ArrayAttr());
}

Value BlockKernel::digitsOf(Value keys) {
  Type i32 = b.getI32Type();
  unsigned width = getElementTypeOrSelf(keys.getType()).getIntOrFloatBitWidth();
  if (width > 32)
    keys = arith::TruncIOp::create(b, loc, line.tileType(i32), keys);
  else if (width < 32)
    keys = arith::ExtUIOp::create(b, loc, line.tileType(i32), keys);
  return make<arith::AndIOp>(keys, number(kBins - 1));
}

void BlockKernel::count(Value digits, const Buffer &counts) {
  auto type = RankedTensorType::get({kBins}, b.getI32Type());
  Value isInside;
  if (size % line.block)
    isInside =
        arith::CmpIOp::create(b, loc, Pred::slt, ownPlaces(), number(size));
  Value made = tile::HistogramOp::create(b, loc, type, digits, isInside);
  SmallVector<Value> coords;
  Value to = columnOf(counts, /*write=*/true, coords);
  tile::StoreOp::create(b, loc, made, to, coords, /*element_offsets=*/true,
                        tile::Combine::assign, DenseI64ArrayAttr());
  line.kernel.finish("generic.sort");
}

Value BlockKernel::inside(Value places) {
  if (size % line.block == 0)
    return places;
  Value isInside =
      arith::CmpIOp::create(b, loc, Pred::slt, ownPlaces(), number(size));
  return arith::SelectOp::create(b, loc, isInside, places, number(-1));
}

Value BlockKernel::order(Value digits) {
  // What is behind the end comes last: it has the greatest digit, and is behind
  // all others that have it.
  if (size % line.block) {
    Value isInside =
        arith::CmpIOp::create(b, loc, Pred::slt, ownPlaces(), number(size));
    digits =
        arith::SelectOp::create(b, loc, isInside, digits, number(kBins - 1));
  }
  Value pairs =
      make<arith::OrIOp>(make<arith::ShLIOp>(digits, number(placeBits())),
                         line.steps(b.getI32Type()));
  return tile::SortOp::create(b, loc, pairs.getType(), pairs, uint64_t(0),
                              /*descending=*/false);
}

Value BlockKernel::shifts(const Buffer &counts, const Buffer &before,
                          const Buffer &totals) {
  // Lesser digits of the line come first, those of the block are there already.
  Value apart = make<arith::SubIOp>(loadColumn(totals), loadColumn(counts));
  auto scan = tile::ScanOp::create(b, loc, apart.getType(), apart,
                                   /*axis=*/uint64_t(0), /*reverse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    Type i32 = b.getI32Type();
    Block *body =
        b.createBlock(&scan.getCombiner(), {}, {i32, i32}, {loc, loc});
    tile::YieldOp::create(
        b, loc,
        make<arith::AddIOp>(body->getArgument(0), body->getArgument(1)));
  }
  b.setInsertionPointAfter(scan);
  return make<arith::AddIOp>(make<arith::SubIOp>(scan.getResult(0), apart),
                             loadColumn(before));
}

Value DigitSorter::loadKeys(LineKernel &line, unsigned digit) {
  if (digit)
    return line.load(keys, line.start);
  Value made =
      sortKeys(line.b, line.loc,
               line.load(host.buffer(op.getOperands().front()), line.start),
               key, SortOrder::of(op));
  // From signed to unsigned order.
  Value sign = line.constant(
      IntegerAttr::get(key, APInt::getSignedMinValue(key.getWidth())));
  return arith::XOrIOp::create(line.b, line.loc, made, sign);
}

void DigitSorter::count(unsigned digit) {
  BlockKernel kernel(ctx, op.getLoc(), nameOf("count", digit), sizes, dim,
                     block);
  kernel.count(kernel.digitsOf(loadKeys(kernel.line, digit)), counts);
}

void DigitSorter::addUp(unsigned digit) {
  constexpr int64_t kTile = 1 << 12;
  int64_t blocks = counts.sizes.back().get();
  LineKernel line(ctx, op.getLoc(), nameOf("sums", digit), counts.sizes,
                  counts.rank() - 1, /*across=*/-1,
                  std::min<int64_t>(kTile, llvm::PowerOf2Ceil(blocks)));
  OpBuilder &b = line.b;
  Location loc = line.loc;
  auto added = [&](OpBuilder &inside, Value x, Value y) -> Value {
    return arith::AddIOp::create(inside, loc, x, y);
  };
  auto one = RankedTensorType::get({1}, b.getI32Type());
  Value none = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(one, b.getI32IntegerAttr(0)));
  auto step = [&](Value at, Value sum) -> Value {
    Value tile = line.load(counts, at);
    auto scan = tile::ScanOp::create(b, loc, tile.getType(), tile,
                                     /*axis=*/uint64_t(0), /*reverse=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      Type i32 = b.getI32Type();
      Block *body =
          b.createBlock(&scan.getCombiner(), {}, {i32, i32}, {loc, loc});
      tile::YieldOp::create(
          b, loc, added(b, body->getArgument(0), body->getArgument(1)));
    }
    b.setInsertionPointAfter(scan);
    Value own = arith::SubIOp::create(b, loc, scan.getResult(0), tile);
    Value wide = tile::BroadcastOp::create(b, loc, tile.getType(), sum);
    line.store(added(b, wide, own), before, at);
    Value all = reduceAxis(
        b, loc, tile, 0, [&](OpBuilder &inside, ValueRange x, ValueRange y) {
          return SmallVector<Value>{added(inside, x[0], y[0])};
        })[0];
    return added(b, sum, all);
  };
  Value zero = line.kernel.constant(0), sum;
  if (blocks <= line.block) {
    sum = step(zero, none);
  } else {
    auto loop = scf::ForOp::create(b, loc, zero, line.kernel.constant(blocks),
                                   line.kernel.constant(line.block), none);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          b, loc, step(loop.getInductionVar(), loop.getRegionIterArgs()[0]));
    }
    sum = loop.getResult(0);
  }
  SmallVector<Value> coords;
  for (const KernelDim &of : line.kernel.dims)
    coords.push_back(of.offset);
  tile::StoreOp::create(b, loc, sum, line.kernel.view(totals, /*write=*/true),
                        coords, /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
  line.kernel.finish("generic.sort");
}

void DigitSorter::distribute(unsigned digit) {
  BlockKernel kernel(ctx, op.getLoc(), nameOf("digit", digit), sizes, dim,
                     block);
  LineKernel &line = kernel.line;
  OpBuilder &b = line.b;
  Location loc = line.loc;
  Value all = loadKeys(line, digit);
  Value numbers = digit ? line.load(places, line.start) : Value();
  Value shifts = kernel.shifts(counts, before, totals);
  Value pairs = kernel.order(kernel.digitsOf(all));
  Value from = kernel.make<arith::AndIOp>(pairs, kernel.number(line.block - 1));
  Value digits =
      kernel.make<arith::ShRUIOp>(pairs, kernel.number(kernel.placeBits()));
  Value to = kernel.make<arith::AddIOp>(line.steps(b.getI32Type()),
                                        kernel.gather(shifts, digits));
  to = kernel.inside(to);
  if (digit)
    numbers = kernel.gather(numbers, from);
  else
    numbers = kernel.make<arith::AddIOp>(line.splat(line.start, b.getI32Type()),
                                         from);
  if (isLast(digit)) {
    if (!out.elementType().isInteger(32))
      numbers = arith::ExtUIOp::create(b, loc, line.tileType(out.elementType()),
                                       numbers);
    line.scatter(numbers, out, to);
  } else {
    // The digit is not needed any more.
    IntegerType type = keyType(digit), next = keyType(digit + 1);
    Value left = arith::ShRUIOp::create(
        b, loc, kernel.gather(all, from),
        line.constant(IntegerAttr::get(type, RadixSort::kDigitBits)));
    if (next != type)
      left = arith::TruncIOp::create(b, loc, line.tileType(next), left);
    keys = host.allocate(next, sizes);
    Buffer moved = host.allocate(b.getI32Type(), sizes);
    line.scatter(left, keys, to);
    line.scatter(numbers, moved, to);
    places = moved;
  }
  line.kernel.finish("generic.sort");
}

void DigitSorter::run() {
  SmallVector<Extent> table;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (d != dim)
      table.push_back(size);
  Type i32 = IntegerType::get(op.getContext(), 32);
  table.push_back(kBins);
  totals = host.allocate(i32, table);
  table.push_back(int64_t(llvm::divideCeil(sizes[dim].get(), block)));
  counts = host.allocate(i32, table);
  before = host.allocate(i32, table);
  for (unsigned digit = 0; digit < RadixSort::digitsOf(key); ++digit) {
    count(digit);
    addUp(digit);
    distribute(digit);
  }
}

bool kiln::schedule::sortsByDigits(prim::ArgsortOp op, ScheduleContext &ctx) {
  if (!ctx.tiling.model().sharesTiles() || op.getOperands().size() != 1)
    return false;
  // Places are signed, and blocks with a digit before them fit into 32 bits.
  auto type = cast<RankedTensorType>(op.getOperands().front().getType());
  int64_t size = type.getDimSize(op.getDim());
  if (ShapedType::isDynamic(size) ||
      size > std::numeric_limits<int32_t>::max() - blockOf(ctx))
    return false;
  // Shorter lines are sorted by merges of blocks, keys of more than 32 bits by
  // merges of single elements. Fewer digits take fewer kernels.
  unsigned digits =
      RadixSort::digitsOf(RadixSort::keyTypeOf(type.getElementType()));
  auto keysOf = [&](double blocksOfCore) {
    return target::blocksOfCores(ctx.description, blocksOfCore) * blockOf(ctx);
  };
  if (digits > 4 || digits <= 2)
    return size >= keysOf(digits > 4 ? 1.0 / 32 : 1.0 / 4);
  // Few blocks leave cores idle in each of the kernels: on an H200, of 132
  // cores, one line of 2^18 f32, in 128 blocks, took 74 us by digits and 56 by
  // merges, 16 lines 402 and 479.
  int64_t lines = 1;
  for (auto [dim, known] : llvm::enumerate(type.getShape()))
    if (dim != op.getDim() && !ShapedType::isDynamic(known))
      lines *= known;
  return size >= keysOf(1) && lines * size >= keysOf(2);
}

void kiln::schedule::sortByDigits(prim::ArgsortOp op, ScheduleContext &ctx,
                                  const Buffer &out) {
  DigitSorter(op, ctx, out).run();
}
