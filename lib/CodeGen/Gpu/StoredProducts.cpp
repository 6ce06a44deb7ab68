//===- StoredProducts.cpp - Products of threads out of storage ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round of the loop multiplies a few steps along the sum. While it does, each
// thread reads what the next round multiplies: elements of the left factor when
// this round has used those before for the last time, elements of the right
// factor one part of a round ahead.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"
#include "StorageAreas.h"
#include "ThreadProducts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

/// Bytes that one access of a thread has at most.
constexpr int64_t kReadBytes = 16;
/// Multiply-adds of a thread in one round, beside which the loop costs little.
constexpr int64_t kRound = 512;
/// Elements of the left factor that a thread keeps for a round.
constexpr int64_t kKept = 32;
/// Elements of the right factor that a part of a round has about.
constexpr int64_t kPart = 16;

bool simt::multipliesAsStored(MatrixProductOpInterface op) {
  Value lhs = op.getLhsOperand().get(), rhs = op.getRhsOperand().get();
  Type sum = op.getProductType().getElementType();
  return !getDecided(op, kRowEntry) && op.getProductType().getRank() == 2 &&
         sum.isIntOrFloat() && sum.getIntOrFloatBitWidth() >= 32 &&
         getElementTypeOrSelf(lhs) == sum && getElementTypeOrSelf(rhs) == sum &&
         op.getProductPrecision() != ProductPrecision::TF32 &&
         !op.hasEncodedFactors() && !op.getLhsScaleOperand() &&
         !op.getRhsScaleOperand();
}

Operation *simt::loadOfFactor(Value factor) {
  while (Value before = bytesBefore(factor))
    factor = before;
  Operation *op = factor.getDefiningOp();
  return isTileLoad(op) ? op : nullptr;
}

bool simt::multipliesLoads(MatrixProductOpInterface op) {
  if (!multipliesAsStored(op) || !isa<scf::ForOp>(op->getParentOp()))
    return false;
  return llvm::all_of(
      ArrayRef{op.getLhsOperand().get(), op.getRhsOperand().get()},
      [&](Value factor) {
        Operation *load = loadOfFactor(factor);
        return load && load->getBlock() == op->getBlock();
      });
}

LayoutAttr simt::storedFactorLayout(LayoutAttr sums, int which, int64_t depth) {
  unsigned line = which == 0 ? 0 : 1;
  auto ofFactor = [&](ArrayRef<Basis> bases, bool dropsZeros) {
    SmallVector<Basis> result;
    for (const Basis &basis : bases) {
      Basis own(2, 0);
      own[line] = basis[line];
      if (own[line] || !dropsZeros)
        result.push_back(own);
    }
    return result;
  };
  SmallVector<Basis> registers;
  for (int64_t step = 1; step < depth; step *= 2) {
    Basis along(2, 0);
    along[1 - line] = step;
    registers.push_back(along);
  }
  llvm::append_range(registers, ofFactor(sums.getRegisterBases(), true));
  return LayoutAttr::get(sums.getContext(), 2, registers,
                         ofFactor(sums.getLaneBases(0), false),
                         ofFactor(sums.getWarpBases(0), false));
}

namespace {
/// Elements that one access reads: `count` lines that follow each other of one
/// step, or so many steps of one line.
struct Read {
  int64_t line, step, count;
};

/// A factor in storage. Its lines are rows of the left factor or columns of the
/// right one; each has an element for each step along the sum.
class StoredFactor {
public:
  StoredFactor(ThreadWriter &w, stage::ProductOp op, int which);

  /// Steps that one access reads of a line, at most.
  int64_t stepsOfRead() const { return isAlongSum ? count : 1; }
  /// Finds the reads of a round of so many steps.
  void findReads(int64_t steps);
  /// Elements that a round multiplies first come first.
  ArrayRef<Read> getReads() const { return reads; }
  ArrayRef<int64_t> getLines() const { return lines; }
  /// Where a round of steps from `step` on begins.
  void moveTo(Value step);
  SmallVector<Value> load(const Read &read);
  bool isAlong() const { return isAlongSum; }

private:
  Value unitOf(Value coordinate, unsigned dim);
  int64_t placeOf(int64_t line, int64_t step) const;
  int64_t bitsOfThreads() const;

  ThreadWriter &w;
  StoragePlace place;
  LayoutAttr layout;
  Type element;
  unsigned lineDim;
  bool isAlongSum;
  int64_t each, count = 1;
  SmallVector<int64_t> lines; ///< in ascending order
  SmallVector<Read> reads;
  int64_t taken = 0; ///< bits of places that threads and rounds have
  /// Where a round begins, by which of those bits a register changes.
  llvm::DenseMap<int64_t, Value> begins;
};
} // namespace

StoredFactor::StoredFactor(ThreadWriter &w, stage::ProductOp op, int which)
    : w(w), place(*storageOf(w, op, which)),
      element(op.getFactorType(which).getElementType()), lineDim(which) {
  isAlongSum = place.inner() != lineDim;
  each = ThreadBuilder::storedBytes(element);
  LayoutAttr sums = getLayout(op.getResult());
  int64_t depth = op.getFactorType(which).getDimSize(1 - lineDim);
  layout = storedFactorLayout(sums, which, depth);
  for (int64_t reg = 0; reg < sums.getNumRegisters(); ++reg)
    lines.push_back(sums.getRegisterOffset(reg)[lineDim]);
  llvm::sort(lines);
  lines.erase(llvm::unique(lines), lines.end());
  int64_t most = std::min(kReadBytes, permutationOf(place.type).unit) / each;
  if (isAlongSum) {
    count = std::min(most, depth);
  } else {
    auto bases = layout.getLaneBases(w.laneBits());
    llvm::append_range(bases, layout.getWarpBases(w.warpBits()));
    auto fits = [&](int64_t size) {
      return llvm::all_of(lines,
                          [&](int64_t line) {
                            return llvm::is_contained(lines, line ^ size / 2);
                          }) &&
             llvm::all_of(bases, [&](const Basis &basis) {
               return basis[lineDim] % size == 0;
             });
    };
    while (2 * count <= most && fits(2 * count))
      count *= 2;
  }
}

int64_t StoredFactor::placeOf(int64_t line, int64_t step) const {
  SmallVector<int64_t> at = {line, step};
  if (lineDim == 1)
    std::swap(at[0], at[1]);
  return place.placeOf(at);
}

/// What a coordinate tells of a place within its row, in units of what an
/// access reads: where it is in the row, or how its row is permuted.
Value StoredFactor::unitOf(Value coordinate, unsigned dim) {
  int64_t unit = count * each;
  if (dim == place.inner())
    return w.b.createOrFold<arith::ShRUIOp>(w.loc, coordinate,
                                            w.c32(llvm::Log2_64(count)));
  auto permuted = [&](unsigned bit) {
    SmallVector<int64_t> at(2, 0);
    at[dim] = int64_t(1) << bit;
    return place.placeOf(at) % place.rowBytes() / unit;
  };
  Value sum = w.c32(0);
  unsigned bits = llvm::Log2_64(place.type.getDimSize(dim));
  for (unsigned first = 0, end; first < bits; first = end) {
    // Bits that follow each other change units that do.
    int64_t more = permuted(first);
    for (end = first + 1; more && end < bits; ++end)
      if (permuted(end) != more << (end - first))
        break;
    if (!more)
      continue;
    Value some =
        w.b.createOrFold<arith::ShRUIOp>(w.loc, coordinate, w.c32(first));
    some = w.and_(some, w.c32((int64_t(1) << (end - first)) - 1));
    sum = w.xor_(sum, w.mul(some, w.c32(more)));
  }
  return sum;
}

int64_t StoredFactor::bitsOfThreads() const {
  int64_t bits = 0;
  for (const Basis &basis : layout.getLaneBases(w.laneBits()))
    bits |= place.placeOf(basis);
  for (const Basis &basis : layout.getWarpBases(w.warpBits()))
    bits |= place.placeOf(basis);
  return bits;
}

void StoredFactor::findReads(int64_t steps) {
  taken = bitsOfThreads();
  int64_t depth = place.type.getDimSize(1 - lineDim);
  for (int64_t step = steps; step < depth; step *= 2)
    taken |= placeOf(0, step);
  if (isAlongSum) {
    for (int64_t step = 0; step < steps; step += count)
      for (int64_t line : lines)
        reads.push_back({line, step, count});
    return;
  }
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t line : lines)
      if (line % count == 0)
        reads.push_back({line, step, count});
}

void StoredFactor::moveTo(Value step) {
  unsigned stepDim = 1 - lineDim;
  Value line = w.threadCoordinate(layout, lineDim),
        outer = isAlongSum ? line : step,
        start = w.mul(outer, w.c32(place.rowBytes())),
        within = w.xor_(unitOf(line, lineDim), unitOf(step, stepDim));
  if (place.start)
    start = w.add(start, place.start);
  begins.clear();
  // What a register changes of bits that others have is no addition.
  for (const Read &read : reads) {
    int64_t both = placeOf(read.line, read.step) & taken;
    if (begins.contains(both))
      continue;
    Value units = w.xor_(within, w.c32(both / (count * each)));
    begins[both] = w.add(start, w.mul(units, w.c32(count * each)));
  }
}

SmallVector<Value> StoredFactor::load(const Read &read) {
  int64_t ofRegister = placeOf(read.line, read.step), both = ofRegister & taken,
          rest = place.offset + (ofRegister & ~both);
  auto pointer = LLVM::LLVMPointerType::get(w.b.getContext(), kShared);
  auto advance = [&](Value address, LLVM::GEPArg by) -> Value {
    return LLVM::GEPOp::create(w.b, w.loc, pointer, w.b.getI8Type(), address,
                               ArrayRef<LLVM::GEPArg>{by});
  };
  Value address = advance(w.shared(0), begins.lookup(both));
  if (rest)
    address = advance(address, int32_t(rest));
  Type type =
      read.count > 1 ? Type(VectorType::get({read.count}, element)) : element;
  Value list = LLVM::LoadOp::create(w.b, w.loc, type, address,
                                    unsigned(read.count * each));
  SmallVector<Value> values;
  for (int64_t i = 0; i < read.count; ++i)
    values.push_back(read.count > 1 ? LLVM::ExtractElementOp::create(
                                          w.b, w.loc, list, w.c32(i))
                                    : list);
  return values;
}

namespace {
/// The product of two such factors.
class StoredProduct {
public:
  StoredProduct(ThreadWriter &w, stage::ProductOp op)
      : w(w), op(op), layout(getLayout(op.getResult())), left(w, op, 0),
        right(w, op, 1) {}

  LogicalResult run();

private:
  /// Steps and columns that are multiplied with all rows, one row after the
  /// other.
  struct Part {
    SmallVector<int64_t> steps, columns;
    SmallVector<Read> reads; ///< of the right factor
  };
  /// Elements of a factor by line and step.
  using Elements = llvm::DenseMap<std::pair<int64_t, int64_t>, Value>;

  void findSteps();
  void findParts();
  void findLastUses();
  void read(StoredFactor &factor, const Read &read, Elements &into);
  void multiply(const Part &part, int64_t row, const Elements &rows,
                const Elements &columns);
  void round(bool readsAhead);
  SmallVector<Value> carried(const Elements &rows, const Elements &columns);
  void takeCarried(ValueRange values);

  ThreadWriter &w;
  stage::ProductOp op;
  LayoutAttr layout;
  StoredFactor left, right;
  int64_t depth = 0, steps = 0; ///< in all, and of a round
  SmallVector<Part> parts;
  /// Which reads of the left factor follow the products of a row in a part.
  llvm::DenseMap<std::pair<size_t, int64_t>, SmallVector<Read>> lastUses;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> registers;
  Regs sums;
  Elements rows, columns, nextRows, nextColumns;
  Value nextStep;
};
} // namespace

/// As many steps as accesses along the sum have, and as make a round worth it.
void StoredProduct::findSteps() {
  depth = op.getFactorType(0).getShape().back();
  steps = std::max(left.stepsOfRead(), right.stepsOfRead());
  int64_t wanted = std::min(kRound / layout.getNumRegisters(),
                            kKept / int64_t(left.getLines().size()));
  steps = std::min(depth, std::max(steps, wanted));
  left.findReads(steps);
  right.findReads(steps);
}

/// A part has the columns of one step, or some steps of a few columns: as reads
/// of the right factor have them.
void StoredProduct::findParts() {
  int64_t each = right.stepsOfRead();
  int64_t most = right.isAlong() ? std::max<int64_t>(kPart / each, 1)
                                 : int64_t(right.getLines().size());
  for (const Read &read : right.getReads()) {
    Part *part = parts.empty() ? nullptr : &parts.back();
    if (!part || part->steps.front() != read.step ||
        int64_t(part->columns.size()) >= most) {
      part = &parts.emplace_back();
      for (int64_t step = 0; step < each; ++step)
        part->steps.push_back(read.step + step);
    }
    part->reads.push_back(read);
    int64_t wide = right.isAlong() ? 1 : read.count;
    for (int64_t i = 0; i < wide; ++i)
      part->columns.push_back(read.line ^ i);
  }
}

void StoredProduct::findLastUses() {
  bool isAlong = left.isAlong();
  for (const Read &read : left.getReads()) {
    std::pair<size_t, int64_t> last;
    int64_t lastRow = isAlong ? read.line : read.line ^ (read.count - 1);
    int64_t lastStep = isAlong ? read.step + read.count - 1 : read.step;
    for (auto [i, part] : llvm::enumerate(parts))
      if (llvm::is_contained(part.steps, lastStep))
        last = {i, lastRow};
    lastUses[last].push_back(read);
  }
}

void StoredProduct::read(StoredFactor &factor, const Read &read,
                         Elements &into) {
  for (auto [i, value] : llvm::enumerate(factor.load(read))) {
    int64_t n = int64_t(i);
    into[factor.isAlong() ? std::pair(read.line, read.step + n)
                          : std::pair(read.line ^ n, read.step)] = value;
  }
}

/// Adds the products of a row. Neighbouring rows take the columns in opposite
/// orders, so that an element that one row used last is used next.
void StoredProduct::multiply(const Part &part, int64_t row,
                             const Elements &rows, const Elements &columns) {
  bool isTurned =
      (llvm::find(left.getLines(), row) - left.getLines().begin()) & 1;
  SmallVector<int64_t> order(part.columns);
  if (isTurned)
    std::reverse(order.begin(), order.end());
  for (int64_t step : part.steps)
    for (int64_t column : order) {
      Value &sum = sums[registers.lookup({row, column})];
      Value x = rows.lookup({row, step}), y = columns.lookup({column, step});
      sum = isa<FloatType>(sum.getType())
                ? Value(math::FmaOp::create(w.b, w.loc, x, y, sum))
                : w.add(w.mul(x, y), sum);
    }
}

void StoredProduct::round(bool readsAhead) {
  if (readsAhead)
    left.moveTo(nextStep);
  for (auto [i, part] : llvm::enumerate(parts)) {
    bool isLast = i + 1 == parts.size();
    if (!isLast) {
      for (const Read &one : parts[i + 1].reads)
        read(right, one, columns);
    } else if (readsAhead) {
      right.moveTo(nextStep);
      for (const Read &one : parts.front().reads)
        read(right, one, nextColumns);
    }
    for (int64_t row : left.getLines()) {
      multiply(part, row, rows, columns);
      if (readsAhead)
        for (const Read &one : lastUses.lookup({i, row}))
          read(left, one, nextRows);
    }
  }
}

SmallVector<Value> StoredProduct::carried(const Elements &rows,
                                          const Elements &columns) {
  SmallVector<Value> values(sums);
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t line : left.getLines())
      values.push_back(rows.lookup({line, step}));
  for (int64_t step : parts.front().steps)
    for (int64_t line : parts.front().columns)
      values.push_back(columns.lookup({line, step}));
  return values;
}

void StoredProduct::takeCarried(ValueRange values) {
  size_t next = 0;
  for (Value &sum : sums)
    sum = values[next++];
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t line : left.getLines())
      rows[{line, step}] = values[next++];
  for (int64_t step : parts.front().steps)
    for (int64_t line : parts.front().columns)
      columns[{line, step}] = values[next++];
}

LogicalResult StoredProduct::run() {
  findSteps();
  findParts();
  findLastUses();
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    auto at = layout.getRegisterOffset(reg);
    registers[{at[0], at[1]}] = reg;
  }
  sums = w.registers(op.getAcc());
  left.moveTo(w.c32(0));
  right.moveTo(w.c32(0));
  for (const Read &one : left.getReads())
    read(left, one, rows);
  for (const Read &one : parts.front().reads)
    read(right, one, columns);
  if (steps == depth) {
    round(/*readsAhead=*/false);
    w.define(op.getResult(), std::move(sums));
    return success();
  }
  auto loop = scf::ForOp::create(w.b, w.loc, w.c32(0), w.c32(depth),
                                 w.c32(steps), carried(rows, columns));
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(loop.getBody());
    takeCarried(loop.getRegionIterArgs());
    Value step = loop.getInductionVar();
    right.moveTo(step);
    // Behind the last round begins the first one, which is not used.
    nextStep = w.and_(w.add(step, w.c32(steps)), w.c32(depth - steps));
    round(/*readsAhead=*/true);
    scf::YieldOp::create(w.b, w.loc, carried(nextRows, nextColumns));
  }
  w.define(op.getResult(),
           Regs(loop.getResults().take_front(layout.getNumRegisters())));
  return success();
}

LogicalResult simt::emitStoredProduct(ThreadWriter &w, stage::ProductOp op) {
  for (int which : {0, 1}) {
    std::optional<StoragePlace> place = storageOf(w, op, which);
    if (!place || permutationOf(place->type).piece ||
        !llvm::isPowerOf2_64(op.getFactorType(which).getNumElements()))
      return w.decline(op, "a product of storage without an instruction");
  }
  return StoredProduct(w, op).run();
}
