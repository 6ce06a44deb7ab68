//===- ThreadProducts.cpp - Products by single threads --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadProducts.h"
#include "LayoutChoice.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Bytes that one access of a thread has at most.
constexpr int64_t kChunk = 16;
/// Multiply-adds of a thread in one round of the loop over the summed
/// dimension at most.
constexpr int64_t kMultiplyAdds = 512;
/// Bits of a lane's number that say its columns: eight chunks are what banks
/// of shared memory give at a time.
constexpr unsigned kLaneColumns = 3;
/// Bits that come before them and say its row.
constexpr unsigned kLaneRows = 1;

namespace {
/// A product by multiplications and additions of each thread, for any layout
/// of the accumulator; both operands are in shared memory.
class ScalarProduct {
public:
  ScalarProduct(ThreadWriter &w, stage::ProductOp op)
      : w(w), op(op), lhs(op.getLhs()), rhs(op.getRhs()),
        type(cast<RankedTensorType>(op.getResult().getType())),
        layout(getLayout(op.getResult())),
        acc(ThreadBuilder::scalarType(type.getElementType())) {}

  LogicalResult run();
  /// The bytes of both operands in memory.
  static int64_t bytesOf(Value lhs, Value rhs, bool isPadded, bool isTurned) {
    return memoryOf(lhs, isPadded).bytes +
           memoryOf(rhs, isPadded, isTurned).bytes;
  }
  /// Whether a thread has a chunk of steps of one column of the right factor,
  /// so that single elements would be written of a row.
  static bool hasStepsSideBySide(Value rhs);
  static bool isBetterTurned(stage::ProductOp op);

private:
  /// A factor in memory. Padded rows are a chunk longer than they have
  /// elements, so that neighbouring ones are in different banks. A turned
  /// factor has its columns as rows of the memory.
  struct Memory {
    int64_t start = 0, bytes = 0;
    int64_t row = 0, matrix = 0; ///< in elements
    Type element;
    bool isTurned = false;
    unsigned alongDim(unsigned rank) const { return rank - 1 - isTurned; }
  };
  static Memory memoryOf(Value factor, bool isPadded, bool isTurned = false);
  void write(const Memory &memory, Value factor);
  Value address(const Memory &memory, ArrayRef<Value> at,
                ArrayRef<int64_t> offset);
  unsigned alignment(const Memory &memory, LayoutAttr layout, int64_t reg);
  static int64_t elementsOfChunk(const Memory &memory) {
    return std::max<int64_t>(
        kChunk / ThreadBuilder::storedBytes(memory.element), 1);
  }
  SmallVector<unsigned> groupBits(const Memory &memory);
  SmallVector<Value> read(const Memory &memory, int64_t reg, bool isRow,
                          Value k, int64_t step, int64_t count);
  /// Elements of a row of the right factor by batch and column.
  using Columns = llvm::DenseMap<std::pair<int64_t, int64_t>, Value>;
  Columns readColumns(const Memory &right, Value k, int64_t step);
  std::pair<int64_t, int64_t> columnOf(int64_t reg);
  void addSteps(const Memory &left, const Memory &right, Value k, int64_t unit,
                MutableArrayRef<Value> sums);
  int64_t stepsOfRound(const Memory &left, const Memory &right, int64_t depth);
  Value widen(Value value, bool isUnsigned);

  ThreadWriter &w;
  stage::ProductOp op;
  Value lhs, rhs;
  RankedTensorType type;
  LayoutAttr layout;
  Type acc;
  SmallVector<unsigned> rightBits; ///< of registers that are read together
};
} // namespace

/// A coordinate of a register: what the thread has of it, with what the
/// register adds in `offset`, or both.
static void splitCoordinate(ThreadWriter &w, LayoutAttr layout, int64_t reg,
                            unsigned dim, SmallVectorImpl<Value> &at,
                            MutableArrayRef<int64_t> offset) {
  if (w.isDisjoint(layout, dim)) {
    at.push_back(w.threadCoordinate(layout, dim));
    return;
  }
  at.push_back(w.coordinate(layout, reg, dim));
  offset[dim] = 0;
}

ScalarProduct::Memory ScalarProduct::memoryOf(Value factor, bool isPadded,
                                              bool isTurned) {
  auto type = cast<RankedTensorType>(factor.getType());
  Memory memory;
  memory.element = ThreadBuilder::scalarType(type.getElementType());
  memory.isTurned = isTurned;
  SmallVector<int64_t> shape(type.getShape().take_back(2));
  if (isTurned)
    std::swap(shape[0], shape[1]);
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  memory.row = llvm::PowerOf2Ceil(shape[1]);
  if (isPadded)
    memory.row += std::max<int64_t>(kChunk / each, 1);
  memory.matrix = int64_t(llvm::PowerOf2Ceil(shape[0])) * memory.row;
  int64_t batches =
      type.getRank() == 3 ? llvm::PowerOf2Ceil(type.getDimSize(0)) : 1;
  memory.bytes = llvm::alignTo(batches * memory.matrix * each, kChunk);
  return memory;
}

bool ScalarProduct::hasStepsSideBySide(Value rhs) {
  LayoutAttr layout = getLayout(rhs);
  auto type = cast<RankedTensorType>(rhs.getType());
  int64_t unit = std::max<int64_t>(
      kChunk / ThreadBuilder::storedBytes(type.getElementType()), 1);
  unsigned rank = type.getRank();
  return layout && unit > 1 &&
         vectorBits(layout, rank - 2, unit).size() == llvm::Log2_64(unit) &&
         vectorBits(layout, rank - 1, unit).empty();
}

/// Threads write chunks of a turned factor. They read chunks of it if their
/// columns are apart and they read as many steps of a row of the left factor at
/// once.
bool ScalarProduct::isBetterTurned(stage::ProductOp op) {
  LayoutAttr layout = getLayout(op.getResult());
  int64_t unit = elementsOfChunk(memoryOf(op.getRhs(), /*isPadded=*/false));
  return layout && hasStepsSideBySide(op.getRhs()) &&
         vectorBits(layout, layout.getRank() - 1, unit).empty() &&
         elementsOfChunk(memoryOf(op.getLhs(), /*isPadded=*/false)) == unit;
}

/// Where an element is: at coordinates, and so far from them.
Value ScalarProduct::address(const Memory &memory, ArrayRef<Value> at,
                             ArrayRef<int64_t> offset) {
  Type stored = ThreadBuilder::storedType(memory.element);
  int64_t strides[] = {memory.matrix, memory.row, 1}, rest = 0;
  if (memory.isTurned)
    std::swap(strides[1], strides[2]);
  auto own = ArrayRef(strides).take_back(at.size());
  Value place = w.c32(0);
  for (auto [stride, x, more] : llvm::zip_equal(own, at, offset)) {
    place = w.add(place, w.mul(x, w.c32(stride)));
    rest += stride * more;
  }
  Value pointer = w.elementPointer(w.shared(memory.start), place, stored);
  return rest ? LLVM::GEPOp::create(w.b, w.loc, pointer.getType(), stored,
                                    pointer,
                                    ArrayRef<LLVM::GEPArg>{int32_t(rest)})
              : pointer;
}

/// That of a register whose neighbours along a row of memory follow it, so that
/// they go together.
unsigned ScalarProduct::alignment(const Memory &memory, LayoutAttr layout,
                                  int64_t reg) {
  unsigned each = ThreadBuilder::storedBytes(memory.element),
           last = memory.alongDim(layout.getRank());
  int64_t unit = std::max<int64_t>(kChunk / each, 1);
  auto bases = llvm::to_vector(layout.getLaneBases(w.laneBits()));
  llvm::append_range(bases, layout.getWarpBases(w.warpBits()));
  bool isAligned = memory.row % unit == 0 &&
                   layout.getRegisterOffset(reg)[last] % unit == 0 &&
                   llvm::all_of(bases, [&](const LayoutAttr::Basis &basis) {
                     return basis[last] % unit == 0;
                   });
  return isAligned ? std::max<unsigned>(kChunk, each) : each;
}

void ScalarProduct::write(const Memory &memory, Value factor) {
  LayoutAttr layout = getLayout(factor);
  for (auto [reg, value] : llvm::enumerate(w.registers(factor))) {
    SmallVector<Value> at;
    SmallVector<int64_t> offset = layout.getRegisterOffset(reg);
    for (int64_t d = 0; d < layout.getRank(); ++d)
      splitCoordinate(w, layout, reg, d, at, offset);
    LLVM::StoreOp::create(w.b, w.loc, w.toStored(value),
                          address(memory, at, offset),
                          alignment(memory, layout, reg));
  }
}

Value ScalarProduct::widen(Value value, bool isUnsigned) {
  if (op.getInputPrecision() == tile::InputPrecision::tf32 &&
      value.getType().isF32()) {
    Type i32 = w.b.getI32Type();
    Value bits = arith::BitcastOp::create(w.b, w.loc, i32, value);
    bits = w.and_(bits, w.c32(-8192));
    return arith::BitcastOp::create(w.b, w.loc, value.getType(), bits);
  }
  if (value.getType() == acc)
    return value;
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = acc.getIntOrFloatBitWidth();
  if (isa<FloatType>(acc))
    return arith::ExtFOp::create(w.b, w.loc, acc, value);
  if (from > to)
    return arith::TruncIOp::create(w.b, w.loc, acc, value);
  if (from == to)
    return value;
  if (isUnsigned)
    return arith::ExtUIOp::create(w.b, w.loc, acc, value);
  return arith::ExtSIOp::create(w.b, w.loc, acc, value);
}

/// How many neighbours along a dimension of the sums one access reads; all of
/// a group are in registers of the thread, the first at a multiple of them.
SmallVector<unsigned> ScalarProduct::groupBits(const Memory &memory) {
  unsigned last = layout.getRank() - 1;
  int64_t unit = elementsOfChunk(memory);
  SmallVector<unsigned> bits = vectorBits(layout, last, unit);
  if (memory.row % unit != 0)
    bits.clear();
  auto isApart = [&](const LayoutAttr::Basis &basis) {
    return basis[last] % (int64_t(1) << bits.size()) == 0;
  };
  auto others = layout.getLaneBases(w.laneBits());
  llvm::append_range(others, layout.getWarpBases(w.warpBits()));
  for (auto [bit, basis] : llvm::enumerate(layout.getRegisterBases()))
    if (!llvm::is_contained(bits, bit))
      others.push_back(basis);
  while (!bits.empty() && !llvm::all_of(others, isApart))
    bits.pop_back();
  return bits;
}

/// Reads `count` elements that follow each other from where the sum of a
/// register has its row (of the left factor) or column, at `k` along the summed
/// dimension.
SmallVector<Value> ScalarProduct::read(const Memory &memory, int64_t reg,
                                       bool isRow, Value k, int64_t step,
                                       int64_t count) {
  int64_t rank = type.getRank();
  SmallVector<Value> at;
  SmallVector<int64_t> offset = layout.getRegisterOffset(reg);
  for (int64_t d = 0; d < rank; ++d) {
    if (d == (isRow ? rank - 1 : rank - 2)) {
      at.push_back(k);
      offset[d] = step;
    } else {
      splitCoordinate(w, layout, reg, d, at, offset);
    }
  }
  Type stored = ThreadBuilder::storedType(memory.element);
  Type group = count > 1 ? Type(VectorType::get({count}, stored)) : stored;
  Value list = LLVM::LoadOp::create(
      w.b, w.loc, group, address(memory, at, offset),
      unsigned(count * ThreadBuilder::storedBytes(memory.element)));
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i) {
    Value value =
        count > 1 ? LLVM::ExtractElementOp::create(w.b, w.loc, list, w.c32(i))
                  : list;
    values.push_back(widen(w.fromStored(value, memory.element),
                           isRow ? op.getLhsUnsigned() : op.getRhsUnsigned()));
  }
  return values;
}

/// The batch and the column of a sum.
std::pair<int64_t, int64_t> ScalarProduct::columnOf(int64_t reg) {
  auto offset = layout.getRegisterOffset(reg);
  return {type.getRank() == 3 ? offset[0] : 0, offset.back()};
}

/// One row of the right factor: what a thread has of it, by the column.
ScalarProduct::Columns ScalarProduct::readColumns(const Memory &right, Value k,
                                                  int64_t step) {
  Columns columns;
  forEachGroup(layout, rightBits, [&](ArrayRef<int64_t> group) {
    if (columns.contains(columnOf(group[0])))
      return;
    SmallVector<Value> values =
        read(right, group[0], /*isRow=*/false, k, step, group.size());
    for (auto [reg, value] : llvm::zip_equal(group, values))
      columns[columnOf(reg)] = value;
  });
  return columns;
}

/// Adds what `unit` steps along the summed dimension contribute.
void ScalarProduct::addSteps(const Memory &left, const Memory &right, Value k,
                             int64_t unit, MutableArrayRef<Value> sums) {
  int64_t rank = type.getRank();
  // Each row and each column is read once.
  llvm::DenseMap<std::pair<int64_t, int64_t>, SmallVector<Value>> rows, lines;
  for (int64_t step = 0; step < unit; ++step) {
    Columns columns;
    if (!right.isTurned)
      columns = readColumns(right, k, step);
    for (auto [reg, sum] : llvm::enumerate(sums)) {
      auto at = layout.getRegisterOffset(reg);
      int64_t batch = rank == 3 ? at[0] : 0;
      SmallVector<Value> &row = rows[{batch, at[rank - 2]}];
      if (row.empty())
        row = read(left, reg, /*isRow=*/true, k, /*step=*/0, unit);
      Value y;
      if (right.isTurned) {
        SmallVector<Value> &line = lines[columnOf(reg)];
        if (line.empty())
          line = read(right, reg, /*isRow=*/false, k, /*step=*/0, unit);
        y = line[step];
      } else {
        y = columns.lookup(columnOf(reg));
      }
      Value x = row[step];
      sum = isa<FloatType>(acc)
                ? Value(math::FmaOp::create(w.b, w.loc, x, y, sum))
                : w.add(w.mul(x, y), sum);
    }
  }
}

/// How many steps a round of the loop takes: what one access reads of a row, as
/// far as the depth is a multiple of it and the code stays short.
int64_t ScalarProduct::stepsOfRound(const Memory &left, const Memory &right,
                                    int64_t depth) {
  int64_t unit = std::min(elementsOfChunk(left), depth & -depth);
  if (right.isTurned)
    unit = std::min(unit, elementsOfChunk(right));
  if (left.row % unit != 0 || (right.isTurned && right.row % unit != 0))
    return 1;
  while (unit > 1 && unit * layout.getNumRegisters() > kMultiplyAdds)
    unit /= 2;
  return unit;
}

LogicalResult ScalarProduct::run() {
  if (isa<FloatType>(acc) && !acc.isF32() && !acc.isF64())
    return w.decline(op, "a product with this accumulator");
  int64_t depth = cast<RankedTensorType>(lhs.getType()).getShape().back();
  bool isPadded = bool(getDecided(op, kPaddedEntry)),
       isTurned = bool(getDecided(op, kByColumnsEntry));
  Memory left = memoryOf(lhs, isPadded),
         right = memoryOf(rhs, isPadded, isTurned);
  left.start = w.scratch(bytesOf(lhs, rhs, isPadded, isTurned));
  right.start = left.start + left.bytes;
  write(left, lhs);
  write(right, rhs);
  w.barrier();
  SmallVector<Value> sums = w.registers(op.getAcc());
  if (!right.isTurned)
    rightBits = groupBits(right);
  int64_t unit = stepsOfRound(left, right, depth);
  auto loop =
      scf::ForOp::create(w.b, w.loc, w.c32(0), w.c32(depth), w.c32(unit), sums);
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(loop.getBody());
    sums = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    addSteps(left, right, loop.getInductionVar(), unit, sums);
    scf::YieldOp::create(w.b, w.loc, sums);
  }
  w.define(op.getResult(), Regs(loop.getResults()));
  return success();
}

LayoutAttr simt::threadProductLayout(RankedTensorType type, int64_t lanes,
                                     int64_t warps, bool takesRows,
                                     bool takesColumns) {
  using Basis = LayoutAttr::Basis;
  int64_t rank = type.getRank();
  unsigned row = rank - 2, column = rank - 1, total = 0;
  SmallVector<unsigned> bits, taken(rank, 0);
  for (int64_t size : type.getShape())
    total += bits.emplace_back(llvm::Log2_64_Ceil(size));
  unsigned laneBits = llvm::Log2_64(lanes), warpBits = llvm::Log2_64(warps),
           spare = total - std::min(total, laneBits + warpBits);
  // Of each thread: rows and columns, chunks of these side by side.
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  unsigned rows = std::min(bits[row], spare / 2),
           columns = std::min(bits[column], spare - rows),
           chunk = llvm::Log2_64(std::max<int64_t>(kChunk / each, 1)),
           rowChunk = takesRows ? std::min(rows, chunk) : 0,
           columnChunk = takesColumns ? std::min(columns, chunk) : 0;
  SmallVector<Basis> registers, ofLanes, ofWarps;
  auto take = [&](unsigned dim, SmallVectorImpl<Basis> &into, size_t most,
                  unsigned end) {
    while (into.size() < most && taken[dim] < end) {
      Basis basis(rank, 0);
      basis[dim] = int64_t(1) << taken[dim]++;
      into.push_back(basis);
    }
  };
  take(column, registers, 64, columnChunk);
  take(row, registers, 64, rowChunk);
  unsigned rowEnd = bits[row] - rows + rowChunk,
           columnEnd = bits[column] - columns + columnChunk;
  // Of two lanes side by side, and of two with one between them, one pair reads
  // the same rows and the other the same columns: memory serves both at once.
  take(row, ofLanes, std::min(laneBits, kLaneRows), rowEnd);
  take(column, ofLanes, std::min(laneBits, kLaneRows + kLaneColumns),
       columnEnd);
  take(row, ofLanes, laneBits, rowEnd);
  take(column, ofLanes, laneBits, columnEnd);
  take(row, ofWarps, warpBits, rowEnd);
  take(column, ofWarps, warpBits, columnEnd);
  if (rank == 3) {
    take(0, ofLanes, laneBits, bits[0]);
    take(0, ofWarps, warpBits, bits[0]);
  }
  for (int64_t dim : {int64_t(row), int64_t(column), int64_t(0)})
    take(dim, registers, 64, bits[dim]);
  return LayoutAttr::get(type.getContext(), rank, registers, ofLanes, ofWarps);
}

bool simt::hasFragments(stage::ProductOp op) {
  return isa<RankedTensorType>(op.getLhs().getType()) &&
         isa<RankedTensorType>(op.getRhs().getType());
}

bool simt::hasRoomForPadding(Value lhs, Value rhs,
                             target::TargetAttr description, int64_t taken) {
  int64_t least = sharedBytesOf(target::TargetAttr()),
          shared = std::max(sharedBytesOf(description), least),
          bytes = threadProductBytes(lhs, rhs, /*isPadded=*/true);
  return bytes <= std::max(least, shared / 2) && bytes + taken <= shared;
}

int64_t simt::threadProductBytes(Value lhs, Value rhs, bool isPadded) {
  int64_t bytes = ScalarProduct::bytesOf(lhs, rhs, isPadded,
                                         /*isTurned=*/false);
  if (ScalarProduct::hasStepsSideBySide(rhs))
    bytes = std::max(
        bytes, ScalarProduct::bytesOf(lhs, rhs, isPadded, /*isTurned=*/true));
  return bytes;
}

bool simt::storesRhsByColumns(stage::ProductOp op) {
  return hasFragments(op) && ScalarProduct::isBetterTurned(op);
}

ScratchNeeds simt::threadProductNeeds(stage::ProductOp op) {
  return {{ScalarProduct::bytesOf(op.getLhs(), op.getRhs(),
                                  bool(getDecided(op, kPaddedEntry)),
                                  bool(getDecided(op, kByColumnsEntry)))}};
}

LogicalResult simt::emitThreadProduct(ThreadWriter &w, stage::ProductOp op) {
  return ScalarProduct(w, op).run();
}
