//===- MicroKernel.cpp - Register-blocked products ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators are separate registers, carried through a loop over groups of
// steps. Sums of floats begin with zeros in each micro-kernel, and go to those
// of earlier steps at the end: one chain of additions through all steps of a
// long product would collect far more rounding errors than its parts do.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Dialect/Cpu/RowUse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// What registers hold: signless integers, the bits of 16-bit floats.
static Type typeInRegisters(Type type) {
  if (type.isF32() || type.isF64())
    return type;
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

static Type vectorOf(int64_t count, Type element) {
  return count == 1 ? element : VectorType::get({count}, element);
}

/// As many of a run's groups of steps as make an iteration, without a rest
/// where all of them or one fewer than `unroll` do.
static int64_t unrollOf(int64_t groups, int64_t unroll) {
  if (groups <= unroll)
    return groups;
  return groups % unroll && unroll > 2 && groups % (unroll - 1) == 0
             ? unroll - 1
             : unroll;
}

namespace {
/// Builds the loops of one micro-kernel.
struct RegisterBlockBuilder {
  OpBuilder &b;
  Location loc;
  MicroKernelOp op;
  int64_t lanes;
  MultiplyAdd multiplyAdd;
  int64_t unroll;
  /// Rows and columns of an accumulator that is one register.
  int64_t down, across = lanes / down;
  int64_t rows = op.getRows() / down, vectors = op.getColumns() / across,
          group = op.getRhsGroup();
  /// From one row of the left panel to the next, if each lies by itself; else
  /// groups of steps of all rows follow each other.
  int64_t apart =
      op.getLhsGroup() == op.getRhsGroup() ? 0 : int64_t(op.getLhsGroup());
  Type lhs = typeInRegisters(op.getLhsType()),
       rhs = typeInRegisters(op.getRhsType()),
       acc = typeInRegisters(op.getAccType());

  Value c64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value at(Value base, Value index, Type element) {
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               ValueRange{index});
  }
  Value at(Value base, int64_t index, Type element) {
    if (index == 0)
      return base;
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  }
  Value load(Value address, int64_t count, Type element) {
    return LLVM::LoadOp::create(b, loc, vectorOf(count, element), address,
                                element.getIntOrFloatBitWidth() / 8);
  }

  /// Parts of a register of squares: its elements are `down` x `down` sums of
  /// the first columns, row by row, then those of the next ones.
  SmallVector<int64_t> squares() {
    SmallVector<int64_t> order;
    for (int64_t first = 0; first < across; first += down)
      for (int64_t i = 0; i < down; ++i)
        for (int64_t j = 0; j < down; ++j)
          order.push_back(i * across + first + j);
    return order;
  }

  /// The elements of some rows as one register.
  Value joinRows(ArrayRef<Value> parts) {
    if (down == 1)
      return parts[0];
    Value pair =
        vector::ShuffleOp::create(b, loc, parts[0], parts[1], squares());
    return pair;
  }

  /// One row's elements of a register.
  Value partOf(Value sum, int64_t row) {
    if (down == 1)
      return sum;
    SmallVector<int64_t> order(across);
    for (auto [place, from] : llvm::enumerate(squares()))
      if (from / across == row)
        order[size_t(from % across)] = int64_t(place);
    return vector::ShuffleOp::create(b, loc, sum, sum, order);
  }

  /// The steps of as many rows as a register has in each of its squares.
  Value spreadRows(Value address) {
    int64_t wide = down * group;
    Value value = load(address, wide, lhs);
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < lanes * group / down; ++i)
      order.push_back(i % wide);
    return int64_t(order.size()) == wide
               ? value
               : vector::ShuffleOp::create(b, loc, value, value, order);
  }

  /// What a left factor contributes to one step, of the size of a lane.
  Type unit() {
    return group == 1 ? lhs
                      : b.getIntegerType(lhs.getIntOrFloatBitWidth() * group);
  }

  /// A register of units as one of the left factor's elements.
  Value asElements(Value value) {
    return group == 1 ? value
                      : LLVM::BitcastOp::create(
                            b, loc, vectorOf(lanes * group, lhs), value);
  }

  /// The steps of one row in every lane.
  Value spread(Value address) {
    if (down > 1)
      return spreadRows(address);
    Value value = LLVM::LoadOp::create(b, loc, unit(), address,
                                       lhs.getIntOrFloatBitWidth() / 8);
    if (lanes > 1)
      value =
          vector::BroadcastOp::create(b, loc, vectorOf(lanes, unit()), value);
    return asElements(value);
  }

  /// Whether instructions multiply by one lane of a register: the left factor
  /// is then loaded by whole registers, in a fraction of the instructions.
  bool multipliesByLane() {
    return extraOf(op, "multiplies_by_lane") && down == 1 && lanes > 1;
  }

  /// Unit `number` of those that lie at `left`, in every lane. `registers` are
  /// those that were loaded before.
  Value unitOf(Value left, int64_t number, SmallVector<Value> &registers) {
    int64_t index = number / lanes;
    while (int64_t(registers.size()) <= index)
      registers.push_back(LLVM::LoadOp::create(
          b, loc, vectorOf(lanes, unit()),
          at(left, int64_t(registers.size()) * lanes * group, lhs),
          lhs.getIntOrFloatBitWidth() / 8));
    SmallVector<int64_t> order(size_t(lanes), number % lanes);
    return asElements(vector::ShuffleOp::create(
        b, loc, registers[size_t(index)], registers[size_t(index)], order));
  }

  SmallVector<Type> sumTypes(ArrayRef<Value> places) {
    return SmallVector<Type>(places.size() / size_t(down),
                             vectorOf(lanes, acc));
  }

  SmallVector<Value> loadSums(ArrayRef<Value> places) {
    SmallVector<Value> sums;
    for (size_t i = 0; i < places.size(); i += size_t(down))
      sums.push_back(joinRows(
          llvm::map_to_vector(places.slice(i, size_t(down)), [&](Value place) {
            return load(place, across, acc);
          })));
    return sums;
  }

  SmallVector<Value> zeros(ArrayRef<Value> places) {
    SmallVector<Type> types = sumTypes(places);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(types[0]));
    return SmallVector<Value>(types.size(), zero);
  }

  /// `fresh` where sums begin with these steps, otherwise what `other` makes.
  SmallVector<Value>
  unlessFresh(ArrayRef<Value> places,
              llvm::function_ref<SmallVector<Value>()> fresh,
              llvm::function_ref<SmallVector<Value>()> other) {
    if (!op.getFresh())
      return other();
    auto choice =
        scf::IfOp::create(b, loc, sumTypes(places), op.getFresh(), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, fresh());
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, other());
    return llvm::to_vector(ValueRange(choice.getResults()));
  }

  /// What the accumulators hold at first.
  SmallVector<Value> startSums(ArrayRef<Value> places) {
    if (isa<FloatType>(acc))
      return zeros(places);
    return unlessFresh(
        places, [&] { return zeros(places); },
        [&] { return loadSums(places); });
  }

  /// Sums of floats with those of earlier steps.
  SmallVector<Value> addEarlier(ArrayRef<Value> places,
                                const SmallVector<Value> &sums) {
    if (!isa<FloatType>(acc))
      return sums;
    return unlessFresh(
        places, [&] { return sums; },
        [&] {
          SmallVector<Value> all = loadSums(places);
          for (auto [earlier, sum] : llvm::zip(all, sums))
            earlier = arith::AddFOp::create(b, loc, earlier, sum);
          return all;
        });
  }

  /// One group of steps on all accumulators.
  void step(llvm::function_ref<Value(int64_t)> left, Value right,
            SmallVector<Value> &sums) {
    SmallVector<Value> row;
    for (int64_t j = 0; j < vectors; ++j)
      row.push_back(
          load(at(right, j * across * group, rhs), across * group, rhs));
    for (int64_t i = 0; i < rows; ++i) {
      Value x = left(i);
      for (int64_t j = 0; j < vectors; ++j) {
        Value &sum = sums[i * vectors + j];
        sum = multiplyAdd(b, loc, x, row[j], sum);
      }
    }
  }

  /// Groups of steps from `lo` to `hi` of those at `lhsBase` and `rhsBase`,
  /// `count` of them in each iteration.
  void loop(Value lo, Value hi, int64_t count, SmallVector<Value> &sums,
            Value lhsBase, Value rhsBase) {
    auto loop = scf::ForOp::create(b, loc, lo, hi, c64(count), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar(), stride = op.getRhsStride();
    SmallVector<Value> next(loop.getRegionIterArgs());
    int64_t panel = apart ? group : op.getRows() * group;
    Value left = at(lhsBase, arith::MulIOp::create(b, loc, k, c64(panel)), lhs);
    Value right = at(rhsBase, arith::MulIOp::create(b, loc, k, stride), rhs);
    // Whole registers must not reach beyond the panel.
    int64_t whole =
        multipliesByLane() && !apart ? count * rows / lanes * lanes : 0;
    SmallVector<Value> registers;
    for (int64_t u = 0; u < count; ++u) {
      auto row = [&](int64_t i) {
        int64_t number = u * rows + i;
        return number < whole
                   ? unitOf(left, number, registers)
                   : spread(at(left,
                               u * panel + i * (apart ? apart : down * group),
                               lhs));
      };
      step(row, right, next);
      if (u + 1 < count)
        right = at(right, stride, rhs);
    }
    scf::YieldOp::create(b, loc, next);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }

  /// All groups of one run.
  void run(Value groups, int64_t count, SmallVector<Value> &sums, Value left,
           Value right) {
    Value whole = groups;
    bool hasRest = count > 1;
    if (auto known = getConstantIntValue(groups)) {
      whole = c64(*known / count * count);
      hasRest = *known % count != 0;
    } else if (count > 1) {
      Value rest = arith::RemUIOp::create(b, loc, groups, c64(count));
      whole = arith::SubIOp::create(b, loc, groups, rest);
    }
    loop(c64(0), whole, count, sums, left, right);
    if (hasRest)
      loop(whole, groups, 1, sums, left, right);
  }

  /// Levels of runs as loops around each other (kRuns).
  void runLevels(ArrayRef<int64_t> levels, SmallVector<Value> &sums, Value left,
                 Value right) {
    if (levels.size() == 2) {
      int64_t groups = levels[0] / group;
      return run(c64(groups), unrollOf(groups, unroll), sums, left, right);
    }
    auto outer =
        scf::ForOp::create(b, loc, c64(0), c64(levels[0]), c64(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(outer.getBody());
    Value i = outer.getInductionVar();
    int64_t steps = 1;
    for (size_t level = 2; level < levels.size(); level += 2)
      steps *= levels[level];
    Value inLeft = arith::MulIOp::create(b, loc, i, c64(levels[1]));
    Value inRight = arith::MulIOp::create(b, loc, i, c64(steps / group));
    inRight = arith::MulIOp::create(b, loc, inRight, op.getRhsStride());
    SmallVector<Value> next(outer.getRegionIterArgs());
    runLevels(levels.drop_front(2), next, at(left, inLeft, lhs),
              at(right, inRight, rhs));
    scf::YieldOp::create(b, loc, next);
    sums.assign(outer.getResults().begin(), outer.getResults().end());
  }

  /// What is subtracted from every row.
  void subtract(SmallVector<Value> &sums) {
    if (!op.getMinus())
      return;
    for (int64_t j = 0; j < vectors; ++j) {
      Value part = load(at(op.getMinus(), j * across, acc), across, acc);
      Value less = joinRows(SmallVector<Value>(size_t(down), part));
      for (int64_t i = 0; i < rows; ++i) {
        Value &sum = sums[i * vectors + j];
        if (isa<FloatType>(acc))
          sum = arith::SubFOp::create(b, loc, sum, less);
        else
          sum = arith::SubIOp::create(b, loc, sum, less);
      }
    }
  }

  void build() {
    SmallVector<Value> places(size_t(rows * down * vectors));
    Value row = op.getAcc();
    for (int64_t i = 0; i < rows * down; ++i) {
      // Those of one register follow each other.
      for (int64_t j = 0; j < vectors; ++j)
        places[size_t((i / down * vectors + j) * down + i % down)] =
            at(row, j * across, acc);
      if (i + 1 < rows * down)
        row = at(row, op.getAccStride(), acc);
    }
    SmallVector<Value> sums = startSums(places);
    subtract(sums);
    if (auto runs = op->getAttrOfType<DenseI64ArrayAttr>(kRuns)) {
      runLevels(runs, sums, op.getLhs(), op.getRhs());
    } else {
      Value groups = op.getDepth();
      if (group > 1)
        groups = arith::DivUIOp::create(b, loc, groups, c64(group));
      run(groups, unroll, sums, op.getLhs(), op.getRhs());
    }
    sums = addEarlier(places, sums);
    for (auto [i, place] : llvm::enumerate(places))
      LLVM::StoreOp::create(b, loc,
                            partOf(sums[i / size_t(down)], int64_t(i) % down),
                            place, acc.getIntOrFloatBitWidth() / 8);
  }
};
} // namespace

LogicalResult cpu::lowerToRegisterBlock(MicroKernelOp op,
                                        RewriterBase &rewriter, int64_t lanes,
                                        MultiplyAdd step, int64_t unroll,
                                        int64_t down) {
  bool isApart = op.getLhsGroup() > op.getRhsGroup() && down == 1 &&
                 op.getLhsGroup() % op.getRhsGroup() == 0;
  if ((op.getLhsGroup() != op.getRhsGroup() && !isApart) || down > 2 ||
      lanes % (down * down) || op.getColumns() % (lanes / down) ||
      op.getRows() % down)
    return op.emitOpError()
           << "unsupported: groups of " << op.getLhsGroup() << " and "
           << op.getRhsGroup() << " and " << op.getRows() << " x "
           << op.getColumns() << " sums with registers of " << lanes
           << " elements in " << down << " rows";
  rewriter.setInsertionPoint(op);
  RegisterBlockBuilder{rewriter, op.getLoc(), op, lanes, step, unroll, down}
      .build();
  rewriter.eraseOp(op);
  return success();
}
