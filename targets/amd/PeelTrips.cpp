//===- PeelTrips.cpp - The last trips of a loop, apart from it ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a tile does not divide a matmul, only the last trip of the loop over
// the depth needs the masks of that dimension; one before it, where loads are a
// trip ahead. The loop ends before these trips, which follow as code of their
// own:
//
//   for i in [0, n): load where k < K
//   =>
//   for i in [0, n - 2): load; then the trips n - 2 and n - 1 with the mask
//
// Ranges of integers say which masks are true in all trips that stay.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/FoldUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// Trips that may follow a loop: that with masks, and that which loads for it.
constexpr int64_t kMostPeeled = 2;

namespace {
using RangeMap = llvm::DenseMap<Value, ConstantIntRanges>;

ConstantIntRanges lookUp(Value value, const RangeMap &outer,
                         const RangeMap &inner) {
  for (const RangeMap *ranges : {&inner, &outer})
    if (auto found = ranges->find(value); found != ranges->end())
      return found->second;
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
}

/// Adds the ranges of an operation's results, from those of its operands.
void addRanges(Operation *op, const RangeMap &outer, RangeMap &ranges) {
  auto isNumber = [](Type type) { return type.isIntOrIndex(); };
  auto infers = dyn_cast<InferIntRangeInterface>(op);
  if (!infers || !llvm::all_of(op->getOperandTypes(), isNumber) ||
      !llvm::all_of(op->getResultTypes(), isNumber))
    return;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookUp(operand, outer, ranges));
  infers.inferResultRanges(operands,
                           [&](Value value, const ConstantIntRanges &range) {
                             ranges.insert({value, range});
                           });
}

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 32)
    return std::nullopt;
  return number.getSExtValue();
}

/// The body of a loop as its first trips have it.
class FirstTrips {
public:
  FirstTrips(scf::ForOp loop, int64_t first, int64_t last,
             const RangeMap &outer)
      : loop(loop), outer(outer) {
    Value counter = loop.getInductionVar();
    unsigned width = ConstantIntRanges::getStorageBitwidth(counter.getType());
    ranges.insert({counter, ConstantIntRanges::fromSigned(
                                APInt(width, first, /*isSigned=*/true),
                                APInt(width, last, /*isSigned=*/true))});
    varying.insert(counter);
    loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      addRanges(op, outer, ranges);
      bool varies = llvm::any_of(op->getOperands(), [&](Value operand) {
        return varying.contains(operand);
      });
      for (Value result : op->getResults())
        if (varies && !constantIn(result))
          varying.insert(result);
    });
  }

  /// Loads whose masks differ from one trip to another.
  int64_t countMasked() {
    int64_t count = 0;
    loop.getBody()->walk([&](simt::LoadOp load) {
      count += load.getMask() && varying.contains(load.getMask());
    });
    return count;
  }

  /// Puts constants for what has one value in all of these trips.
  void replaceConstants() {
    OpBuilder b(loop);
    loop.getBody()->walk([&](Operation *op) {
      if (matchPattern(op, m_Constant()))
        return;
      for (Value result : op->getResults())
        if (std::optional<APInt> value = constantIn(result);
            value && !result.use_empty())
          result.replaceAllUsesWith(arith::ConstantOp::create(
              b, op->getLoc(), b.getIntegerAttr(result.getType(), *value)));
    });
  }

private:
  std::optional<APInt> constantIn(Value value) const {
    if (!value.getType().isIntOrIndex())
      return std::nullopt;
    return lookUp(value, outer, ranges).getConstantValue();
  }

  scf::ForOp loop;
  const RangeMap &outer;
  RangeMap ranges;
  llvm::DenseSet<Value> varying;
};

/// Folds operations, in their order, and drops masks that are true.
void fold(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return;
  OperationFolder folder(ops.front()->getContext());
  for (Operation *op : ops) {
    if (auto load = dyn_cast<simt::LoadOp>(op);
        load && load.getMask() && matchPattern(load.getMask(), m_One())) {
      load.getMaskMutable().clear();
      load.getOtherMutable().clear();
      continue;
    }
    (void)folder.tryToFold(op);
  }
}

void foldBody(scf::ForOp loop) {
  SmallVector<Operation *> ops;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What holds others may go with them: it stays.
    if (!op->getNumRegions() && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  fold(ops);
}

/// One loop.
class Peeler {
public:
  Peeler(scf::ForOp loop, const RangeMap &outer) : loop(loop), outer(outer) {}

  void run() {
    std::optional<int64_t> begin = constantOf(loop.getLowerBound()),
                           end = constantOf(loop.getUpperBound()),
                           by = constantOf(loop.getStep());
    if (!begin || !end || !by || *begin < 0 || *by <= 0 || *end <= *begin ||
        !multiplies())
      return;
    first = *begin;
    step = *by;
    trips = (*end - first + step - 1) / step;
    if (FirstTrips(loop, first, first + (trips - 1) * step, outer)
            .countMasked() == 0)
      return;
    for (int64_t peeled = 1; peeled <= kMostPeeled; ++peeled) {
      // A loop of one trip is none.
      if (trips - peeled < 2)
        return;
      FirstTrips rest(loop, first, first + (trips - peeled - 1) * step, outer);
      if (rest.countMasked() == 0) {
        appendTrips(peeled);
        rest.replaceConstants();
        foldBody(loop);
        return;
      }
    }
  }

private:
  bool multiplies() { return !loop.getBody()->getOps<simt::MmaOp>().empty(); }

  Value number(OpBuilder &b, int64_t value) {
    Type type = loop.getInductionVar().getType();
    return arith::ConstantOp::create(b, loop.getLoc(),
                                     b.getIntegerAttr(type, value));
  }

  /// Ends the loop earlier, and puts copies of its body behind it.
  void appendTrips(int64_t peeled) {
    OpBuilder b(loop);
    loop.getUpperBoundMutable().assign(
        number(b, first + (trips - peeled) * step));
    loop->setAttr(kPeeled, b.getUnitAttr());
    b.setInsertionPointAfter(loop);
    SmallVector<Value> carried(loop.getResults());
    SmallVector<Operation *> made;
    for (int64_t trip = trips - peeled; trip < trips; ++trip) {
      IRMapping values;
      values.map(loop.getInductionVar(), number(b, first + trip * step));
      values.map(loop.getRegionIterArgs(), carried);
      for (Operation &op : loop.getBody()->without_terminator())
        made.push_back(b.clone(op, values));
      carried.clear();
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        carried.push_back(values.lookupOrDefault(value));
    }
    llvm::SmallPtrSet<Operation *, 32> own(made.begin(), made.end());
    for (auto [result, value] : llvm::zip(loop.getResults(), carried))
      result.replaceUsesWithIf(
          value, [&](OpOperand &use) { return !isOneOf(use.getOwner(), own); });
    // The last trip loads nothing for another one.
    for (Operation *&op : llvm::reverse(made))
      if (isOpTriviallyDead(op)) {
        op->erase();
        op = nullptr;
      }
    llvm::erase(made, nullptr);
    fold(made);
  }

  /// Whether an operation is one of a block's, or within one.
  bool isOneOf(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &own) {
    Operation *top = loop->getBlock()->findAncestorOpInBlock(*op);
    return top && own.contains(top);
  }

  scf::ForOp loop;
  const RangeMap &outer;
  int64_t first = 0, step = 1, trips = 0;
};

struct PeelTrips : PassWrapper<PeelTrips, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PeelTrips)
  StringRef getName() const final { return "AmdPeelTrips"; }
  StringRef getArgument() const final { return "amd-peel-trips"; }
  StringRef getDescription() const final {
    return "Computes last trips of loops with matmuls apart, if only they need "
           "masks";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<scf::ForOp> loops;
    RangeMap none, outer;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      addRanges(op, none, outer);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      Peeler(loop, outer).run();
  }
};
} // namespace

std::unique_ptr<Pass> amd::createPeelTripsPass() {
  return std::make_unique<PeelTrips>();
}
