//===- RowCosts.cpp - The time of a product by a matrix instruction -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rates alone would do where all rows reached the same rate. They do not: wide
// shapes of one chip start twice as many products per cycle, and instructions
// of several warps read operands that warps would each read for themselves.
//
//===----------------------------------------------------------------------===//

#include "RowCosts.h"
#include "ExchangeMachine.h"
#include "LayoutChoice.h"
#include "Machine.h"
#include "MemoryProducts.h"
#include "ProductChoice.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// The sizes of a product.
struct Sizes {
  int64_t batch = 1, m, n, k;

  explicit Sizes(MatrixProductOpInterface op) {
    auto acc = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t rank = acc.getRank();
    m = acc.getDimSize(rank - 2);
    n = acc.getDimSize(rank - 1);
    k = tile::depthOf(op);
    if (rank == 3)
      batch = acc.getDimSize(0);
  }
};
} // namespace

RowFit simt::fitOf(MatrixProductOpInterface op,
                   target::MatrixInstructionAttr row) {
  Sizes sizes(op);
  int64_t rows = row.getM().getMin(), columns = row.getN().getMin();
  auto count = [&](int64_t rows, int64_t columns) {
    return llvm::divideCeil(sizes.m, rows) * llvm::divideCeil(sizes.n, columns);
  };
  RowFit fit;
  fit.isExchanged = row.getLhs().getTypes() == row.getRhs().getTypes() &&
                    count(columns, rows) < count(rows, columns) &&
                    (sizes.m < rows || sizes.n < columns);
  if (fit.isExchanged)
    std::swap(rows, columns);
  fit.m = std::min(rows, sizes.m);
  fit.n = std::min(columns, sizes.n);
  return fit;
}

LayoutAttr simt::atomOf(target::MatrixInstructionAttr row, int operand,
                        bool isExchanged) {
  if (isExchanged && operand < 2)
    operand = 1 - operand;
  target::OperandAttr operands[] = {row.getLhs(), row.getRhs(), row.getAcc()};
  auto atom = cast<LayoutAttr>(operands[operand].getLayout());
  return isExchanged ? atom.permute({1, 0}) : atom;
}

/// Whether an operand is loaded in rows that lie across the depth.
static bool liesAcrossDepth(MatrixProductOpInterface op, int which) {
  Value value =
      which == 0 ? op.getLhsOperand().get() : op.getRhsOperand().get();
  bool isTransposed = false;
  while (Value before = bytesBefore(value)) {
    isTransposed ^= isTransposition(value.getDefiningOp());
    value = before;
  }
  auto load = value.getDefiningOp<ViewAccessOpInterface>();
  if (!load || load.getAccessedType().getRank() != 2)
    return false;
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  int along = contiguityOf(load, facts).dim, depth = which == 0 ? 1 : 0;
  return along >= 0 && (along ^ int(isTransposed)) != depth;
}

/// Whether a warp reads columns of the rhs by more instructions than as many
/// rows of the lhs: reads that transpose move fewer bytes of a lane than plain
/// ones.
static bool readsColumnsInPieces(MatrixProductOpInterface op,
                                 target::TargetAttr description) {
  constexpr int64_t kWidest = 16;
  Type element = getElementTypeOrSelf(op.getRhsOperand().get().getType());
  if (!description || !element.isIntOrFloat())
    return false;
  TileMoves moves =
      tileMovesOf(description, target::MoveKind::Load,
                  element.getIntOrFloatBitWidth(), lanesOf(description));
  return !moves.rows.empty() &&
         llvm::all_of(moves.rows,
                      [&](target::TileMoveAttr move) {
                        return bytesOfAddress(move) < kWidest;
                      }) &&
         liesAcrossDepth(op, 1) && !liesAcrossDepth(op, 0);
}

WarpGrid simt::shareOut(MatrixProductOpInterface op,
                        target::MatrixInstructionAttr row,
                        target::TargetAttr description, int64_t warps) {
  Sizes sizes(op);
  auto [isExchanged, m, n] = fitOf(op, row);
  // Each warp reads little of both operands. Where a product goes into the next
  // one each has whole rows: then sums along them, and the next lhs, stay
  // within the warp.
  bool keepsRows = isChained(op);
  WarpGrid grid;
  // Warps with batches of their own read no operand that another one reads.
  warps = std::max<int64_t>(warps, 1);
  grid.batches = std::min(warps, sizes.batch & -sizes.batch);
  warps /= grid.batches;
  while (grid.rows * grid.columns < warps) {
    bool fitsRows = m * grid.rows * 2 <= sizes.m,
         fitsColumns = n * grid.columns * 2 <= sizes.n;
    if (!fitsRows && !fitsColumns)
      break;
    int64_t rows = sizes.m / grid.rows, columns = sizes.n / grid.columns;
    bool hasMoreRows = rows == columns ? !readsColumnsInPieces(op, description)
                                       : rows > columns;
    if (fitsRows && (!fitsColumns || keepsRows || hasMoreRows))
      grid.rows *= 2;
    else
      grid.columns *= 2;
  }
  return grid;
}

static int64_t bytesOf(Value value) {
  return ThreadBuilder::storedBytes(getElementTypeOrSelf(value.getType()));
}

/// Bytes that a warp loads for one fragment, copies included.
static double fragmentBytes(LayoutAttr layout, Value value, int64_t lanes) {
  return double(layout.getNumRegisters() * lanes * bytesOf(value));
}

RowCost simt::costOf(MatrixProductOpInterface op,
                     target::MatrixInstructionAttr row,
                     target::TargetAttr description, int64_t warps) {
  Sizes sizes(op);
  warps = std::max<int64_t>(warps, 1);
  int64_t m = row.getM().getMin(), n = row.getN().getMin(),
          k = row.getK().getMin(), lanes = lanesOf(description);
  Value lhs = op.getLhsOperand().get(), rhs = op.getRhsOperand().get();
  int64_t deep = llvm::divideCeil(sizes.k, k), steps = sizes.batch * deep;
  RowCost cost;
  double bytes = 0, cycles = row.getCycles();
  if (readsMemory(row)) {
    // One instruction of several warps reads both operands once.
    Split split = *splitOf(op, row, warps);
    cost.instructions = steps * (sizes.m / (m * split.rows)) *
                        (sizes.n / (split.columns * split.width));
    cycles *= double(split.width) / n;
    int64_t left = swizzleOf(row, 0) ? m * bytesOf(lhs) : 0;
    bytes = double(cost.instructions * split.rows * split.columns * k) *
            (left + split.width * bytesOf(rhs));
  } else {
    WarpGrid grid = shareOut(op, row, description, warps);
    RowFit fit = fitOf(op, row);
    int64_t rows = llvm::divideCeil(sizes.m, fit.m * grid.rows),
            columns = llvm::divideCeil(sizes.n, fit.n * grid.columns);
    steps = deep * llvm::divideCeil(sizes.batch, grid.batches);
    cost.instructions = steps * rows * columns;
    auto fragment = [&](int which, Value value) {
      return fragmentBytes(atomOf(row, which, fit.isExchanged), value, lanes);
    };
    bytes = double(steps * warps) *
            (rows * fragment(0, lhs) + columns * fragment(1, rhs));
  }
  if (!row.getCycles())
    return cost;
  int64_t units = 1;
  for (target::ExecutionUnitAttr unit : description.getUnits())
    if (unit.getName() == row.getUnit())
      units = unit.getCount();
  layout::Banks banks = banksOf(description);
  cost.cycles = std::max(cycles * cost.instructions * warps / units,
                         bytes / (banks.count * banks.bytes));
  return cost;
}
