// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs in operations that relate elements of tiles, and in control flow.
#include "Bugs.h"

using namespace bugs;

static void addFoldBugs() {
  add<tile::ReduceOp>("wrong-lane", [](tile::ReduceOp op) {
    // The last lane counts twice and the first not at all: a rotation that
    // ends one short.
    if (op.getSources().size() != 1 ||
        !isa<arith::AddFOp, arith::AddIOp>(op.getCombiner().front().front()))
      return;
    Site s(op);
    Value source = op.getSources()[0];
    auto type = cast<RankedTensorType>(source.getType());
    int64_t axis = op.getAxis(), size = type.getDimSize(axis);
    Type ints = type.clone(s.b.getI32Type());
    Value lane = tile::IotaOp::create(s.b, s.loc, ints, axis);
    Value isLast = s.make<arith::CmpIOp>(arith::CmpIPredicate::eq, lane,
                                         s.constant(ints, double(size - 1)));
    op->setOperand(
        0, s.make<arith::SelectOp>(isLast, s.constant(type, 0), source));
  });
  add<tile::ReduceOp>("fold-drops-nan", [](tile::ReduceOp op) {
    Operation &inner = op.getCombiner().front().front();
    auto most = dyn_cast<arith::MaximumFOp>(inner);
    if (!most)
      return;
    Site s(most);
    replace(most, s.make<arith::MaxNumFOp>(most.getLhs(), most.getRhs()));
  });
  add<tile::ScanOp>("scan-one-off", [](tile::ScanOp op) {
    // Without the element itself.
    if (!isa<arith::AddIOp>(op.getCombiner().front().front()))
      return;
    Site s(op);
    s.b.setInsertionPointAfter(op);
    auto before =
        arith::SubIOp::create(s.b, s.loc, op.getResult(0), op.getSources()[0]);
    replaceExcept(op, before, {before});
  });
  add<tile::ScanOp>("scan-forgets-direction",
                    [](tile::ScanOp op) { op.setReverse(false); });
  add<tile::SortOp>("sort-forgets-direction",
                    [](tile::SortOp op) { op.setDescending(false); });
  add<tile::HistogramOp>("histogram-forgets-mask", [](tile::HistogramOp op) {
    op.getMaskMutable().clear();
  });
  add<tile::GatherOp>("gathers-backwards", [](tile::GatherOp op) {
    Site s(op);
    auto type = cast<RankedTensorType>(op.getSource().getType());
    Value last = s.constantLike(op.getIndices(),
                                double(type.getDimSize(op.getAxis()) - 1));
    op.getIndicesMutable().assign(s.make<arith::SubIOp>(last, op.getIndices()));
  });
}

static void addShapeBugs() {
  add<tile::JoinOp>("join-swapped", [](tile::JoinOp op) {
    Value left = op.getLhs(), right = op.getRhs();
    op.getLhsMutable().assign(right);
    op.getRhsMutable().assign(left);
  });
  add<tile::SplitOp>("split-swapped", [](tile::SplitOp op) {
    Site s(op);
    s.b.setInsertionPointAfter(op);
    auto again = cast<tile::SplitOp>(s.b.clone(*op));
    op.getFirst().replaceAllUsesWith(again.getSecond());
    op.getSecond().replaceAllUsesWith(again.getFirst());
  });
  add<tile::IotaOp>("iota-from-one", [](tile::IotaOp op) {
    Site s(op);
    s.b.setInsertionPointAfter(op);
    auto next = arith::AddIOp::create(s.b, s.loc, op.getResult(),
                                      s.constantLike(op.getResult(), 1));
    replaceExcept(op, next, {next});
  });
}

static void addProductBugs() {
  add<tile::DotOp>("transposed-operand", [](tile::DotOp op) {
    auto type = cast<RankedTensorType>(op.getLhs().getType());
    if (type.getRank() != 2 || type.getDimSize(0) != type.getDimSize(1))
      return;
    Site s(op);
    op.getLhsMutable().assign(s.make<tile::TransposeOp>(
        type, op.getLhs(), s.b.getDenseI64ArrayAttr({1, 0})));
  });
  add<tile::DotOp>("accumulator-is-lost", [](tile::DotOp op) {
    Site s(op);
    op.getAccMutable().assign(s.constantLike(op.getAcc(), 0));
  });
  add<tile::DotOp>("factors-lose-bits", [](tile::DotOp op) {
    if (!isa<Float32Type>(getElementTypeOrSelf(op.getLhs().getType())))
      return;
    Site s(op);
    Type ints = s.like(op.getLhs().getType(), s.b.getI32Type());
    Value bits = s.make<arith::BitcastOp>(ints, op.getLhs());
    Value kept = s.make<arith::AndIOp>(bits, s.constant(ints, -8192));
    op.getLhsMutable().assign(
        s.make<arith::BitcastOp>(op.getLhs().getType(), kept));
  });
}

static void addControlBugs() {
  add<scf::ForOp>("loop-ends-early", [](scf::ForOp op) {
    Site s(op);
    Value end = op.getUpperBound();
    op.setUpperBound(s.make<arith::SubIOp>(end, s.constantLike(end, 1)));
  });
  add<scf::IfOp>("branch-negated", [](scf::IfOp op) {
    Site s(op);
    op.getConditionMutable().assign(s.make<arith::XOrIOp>(
        op.getCondition(), s.constant(s.b.getI1Type(), 1)));
  });
}

void bugs::addRelationBugs() {
  addFoldBugs();
  addShapeBugs();
  addProductBugs();
  addControlBugs();
}
