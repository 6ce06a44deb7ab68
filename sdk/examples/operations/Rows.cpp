// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operations say of themselves.
#include "Rows.h"
#include "kiln/Eval/Register.h"
#include "kiln/Target/Plugin.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"

#include "RowsDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Rows.cpp.inc"

using namespace mlir;
using namespace kiln;
using namespace rows;

void RowsDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Rows.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// The reduction
//===----------------------------------------------------------------------===//

int64_t SquaresOp::getReducedAxis() { return 1; }

void SquaresOp::buildSources(OpBuilder &b, SmallVectorImpl<Value> &sources) {
  sources.push_back(arith::MulFOp::create(b, getLoc(), getSource(), getSource()));
}

void SquaresOp::buildCombination(OpBuilder &b, Location loc, ValueRange left, ValueRange right,
                                 SmallVectorImpl<Value> &results) {
  results.push_back(arith::AddFOp::create(b, loc, left[0], right[0]));
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

OpOperand &MmaOp::getLhsOperand() { return getLhsMutable(); }
OpOperand &MmaOp::getRhsOperand() { return getRhsMutable(); }
OpOperand *MmaOp::getAccOperand() { return &getAccMutable(); }
unsigned MmaOp::getNumSummedDims() { return 1; }

OperandRead MmaOp::getIndexMap(OpOperand &operand, unsigned) {
  Builder b(getContext());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1), k = b.getAffineDimExpr(2);
  unsigned number = operand.getOperandNumber();
  return {AffineMap::get(3, 0, {number == 1 ? k : m, number == 0 ? k : n}, getContext()), IntegerSet()};
}

Accumulation MmaOp::getAccumulation() {
  return Accumulation::sumOver({cast<RankedTensorType>(getLhs().getType()).getDimSize(1)});
}
bool MmaOp::areZerosNeutral() { return true; }

//===----------------------------------------------------------------------===//
// Loads, and what elements change threads by
//===----------------------------------------------------------------------===//

/// Where a block of elements lies in its view.
template <typename OpT> static void placeBlock(OpT op, SmallVectorImpl<ViewAxis> &axes) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  axes.push_back({OpFoldResult(op.getRow()), /*countsBlocks=*/false, shape[0], /*step=*/1, /*tileDim=*/0, {}});
  axes.push_back({OpFoldResult(op.getColumn()), /*countsBlocks=*/false, shape[1], /*step=*/1, /*tileDim=*/1, {}});
}

Value FetchOp::getAccessedView() { return getView(); }
AccessKind FetchOp::getAccessKind() { return AccessKind::Read; }
void FetchOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) { placeBlock(*this, axes); }

Value StreamOp::getAccessedView() { return getView(); }
AccessKind StreamOp::getAccessKind() { return AccessKind::Read; }
void StreamOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) { placeBlock(*this, axes); }

simt::LayoutRule RotateOp::getLayoutRule(const simt::LayoutQuery &query) {
  return simt::sameLayout(*this, query);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void registerAll(target::TargetRegistry &registry) {
  registry.addDialects([](DialectRegistry &dialects) {
    dialects.insert<RowsDialect>();
    addEvaluation(dialects);
  });
  eval::addEvaluation([](DialectRegistry &dialects) {
    dialects.insert<RowsDialect>();
    addEvaluation(dialects);
  });
  addLowerings(registry);
}

KILN_TARGET_PLUGIN("rows", "1.0", registerAll)
