//===- DotOps.cpp - Matrix products of tiles ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/DotOps.h"
#include "KernelDecisions.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ProductSplit.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/DotOps.cpp.inc"

void TileDialect::registerDotOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/DotOps.cpp.inc"
      >();
}

static LogicalResult verifyFloatDot(DotOp op, Type lhs, Type rhs, Type acc) {
  // (C5) The accumulator is a float that is at least as wide as the factors.
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(acc))
    return op.emitOpError()
           << "expected an accumulator of f16, bf16, f32 or f64, found " << acc;
  for (Type factor : {lhs, rhs})
    if (acc.getIntOrFloatBitWidth() < factor.getIntOrFloatBitWidth())
      return op.emitOpError() << "expected an accumulator at least as wide as "
                              << factor << ", found " << acc;
  // (C6) Reduced input precision is for f32.
  if (op.getInputPrecision() != InputPrecision::ieee &&
      !(lhs.isF32() && rhs.isF32()))
    return op.emitOpError() << "expected f32 operands with precision '"
                            << stringifyInputPrecision(op.getInputPrecision())
                            << "', found " << lhs << " and " << rhs;
  // (C7) Signedness belongs to integers.
  if (op.getLhsUnsigned() || op.getRhsUnsigned())
    return op.emitOpError()
           << "expected integer operands with 'lhs_unsigned' or "
              "'rhs_unsigned', found "
           << lhs;
  return success();
}

static LogicalResult verifyIntDot(DotOp op, Type lhs, Type rhs, Type acc) {
  // (C8) Operands are i8, i16 or i32.
  for (Type type : {lhs, rhs})
    if (!type.isSignlessInteger(8) && !type.isSignlessInteger(16) &&
        !type.isSignlessInteger(32))
      return op.emitOpError()
             << "expected operands of i8, i16 or i32, found " << type;
  // (C9) The accumulator is i32 or i64.
  if (!acc.isSignlessInteger(32) && !acc.isSignlessInteger(64))
    return op.emitOpError()
           << "expected an accumulator of i32 or i64, found " << acc;
  // (C10) Input precision belongs to floats.
  if (op.getInputPrecision() != InputPrecision::ieee)
    return op.emitOpError() << "expected f32 operands with precision '"
                            << stringifyInputPrecision(op.getInputPrecision())
                            << "', found " << lhs;
  return success();
}

LogicalResult DotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  // (C1) All have rank 2, or all rank 3.
  int64_t rank = lhs.getRank();
  if ((rank != 2 && rank != 3) || rhs.getRank() != rank ||
      acc.getRank() != rank)
    return emitOpError() << "expected operands of rank 2, or all of rank 3, "
                            "found ranks "
                         << rank << ", " << rhs.getRank() << " and "
                         << acc.getRank();
  // (C2) Batch sizes agree.
  if (rank == 3 && (lhs.getDimSize(0) != rhs.getDimSize(0) ||
                    lhs.getDimSize(0) != acc.getDimSize(0)))
    return emitOpError() << "expected equal batch sizes, found "
                         << lhs.getDimSize(0) << ", " << rhs.getDimSize(0)
                         << " and " << acc.getDimSize(0);
  // (C3) Shapes are m x k, k x n and m x n.
  int64_t m = lhs.getDimSize(rank - 2), k = lhs.getDimSize(rank - 1);
  int64_t n = rhs.getDimSize(rank - 1);
  if (rhs.getDimSize(rank - 2) != k)
    return emitOpError() << "expected rhs to have " << k << " rows, found "
                         << rhs.getDimSize(rank - 2);
  if (acc.getDimSize(rank - 2) != m || acc.getDimSize(rank - 1) != n)
    return emitOpError() << "expected an accumulator of " << m << "x" << n
                         << ", found " << acc;
  // (C11) A number of terms.
  if (int64_t terms = getMaxImpreciseAcc(); terms < 0)
    return emitOpError() << "expected 'max_imprecise_acc' of at least 0, found "
                         << terms;
  // (C12) The split fits.
  if (ProductSplitAttrInterface split = getSplitAttr();
      split && failed(split.verifyProductSplit(*this)))
    return failure();
  // (C4) Both factors are floats, or both integers.
  bool isFloat = isa<FloatType>(lhs.getElementType());
  if (isFloat != isa<FloatType>(rhs.getElementType()))
    return emitOpError() << "expected two operands of floats or two of "
                            "integers, found "
                         << lhs.getElementType() << " and "
                         << rhs.getElementType();
  if (isFloat)
    return verifyFloatDot(*this, lhs.getElementType(), rhs.getElementType(),
                          acc.getElementType());
  return verifyIntDot(*this, lhs.getElementType(), rhs.getElementType(),
                      acc.getElementType());
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

LogicalResult tile::upgradeProductSplits(Operation *top) {
  constexpr StringLiteral kOldName = "cpu.product";
  WalkResult result = top->walk([&](MatrixProductOpInterface product) {
    Attribute old = product->removeDiscardableAttr(kOldName);
    if (!old)
      return WalkResult::advance();
    auto split = dyn_cast<ProductSplitAttrInterface>(old);
    if (!split) {
      product->emitOpError()
          << "expected attribute '" << kOldName
          << "' to say how the matmul is split, found " << old;
      return WalkResult::interrupt();
    }
    // Passes split a matmul without such a property anew.
    if (auto op = dyn_cast<ProductSplitOpInterface>(*product))
      op.setSplitAttr(split);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult DotOp::readProperties(DialectBytecodeReader &reader,
                                    OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(prop.input_precision)) ||
      failed(reader.readOptionalAttribute(prop.lhs_unsigned)) ||
      failed(reader.readOptionalAttribute(prop.max_imprecise_acc)) ||
      failed(reader.readOptionalAttribute(prop.rhs_unsigned)))
    return failure();
  return isOlder(reader, 5) ? success()
                            : reader.readOptionalAttribute(prop.split);
}

void DotOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &prop = getProperties();
  writer.writeOptionalAttribute(prop.input_precision);
  writer.writeOptionalAttribute(prop.lhs_unsigned);
  writer.writeOptionalAttribute(prop.max_imprecise_acc);
  writer.writeOptionalAttribute(prop.rhs_unsigned);
  writer.writeOptionalAttribute(prop.split);
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

OpOperand &DotOp::getLhsOperand() { return getLhsMutable(); }
OpOperand &DotOp::getRhsOperand() { return getRhsMutable(); }
OpOperand *DotOp::getAccOperand() { return &getAccMutable(); }
bool DotOp::isLhsUnsigned() { return getLhsUnsigned(); }
bool DotOp::isRhsUnsigned() { return getRhsUnsigned(); }

int64_t DotOp::getImpreciseTerms() {
  for (Value factor : {getLhs(), getRhs()}) {
    Type element = getElementTypeOrSelf(factor.getType());
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 8)
      return 0;
  }
  return getMaxImpreciseAcc();
}

// The two enumerations have the same cases.
static_assert(int(InputPrecision::tf32) == int(kiln::ProductPrecision::TF32) &&
              int(InputPrecision::bf16x6) ==
                  int(kiln::ProductPrecision::BF16x6));

kiln::ProductPrecision DotOp::getProductPrecision() {
  return static_cast<ProductPrecision>(getInputPrecision());
}

LogicalResult DotOp::setProductPrecision(kiln::ProductPrecision precision) {
  setInputPrecision(static_cast<InputPrecision>(precision));
  return success();
}

unsigned DotOp::getNumSummedDims() { return 1; }

kiln::OperandRead DotOp::getIndexMap(OpOperand &operand, unsigned) {
  // (batch?, row, column, summed)
  unsigned rank = cast<RankedTensorType>(getAcc().getType()).getRank();
  MLIRContext *context = getContext();
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(d, context));
  AffineExpr summed = getAffineDimExpr(rank, context);
  if (&operand == &getLhsMutable())
    exprs[rank - 1] = summed;
  else if (&operand == &getRhsMutable())
    exprs[rank - 2] = summed;
  return {AffineMap::get(rank + 1, 0, exprs, context), IntegerSet()};
}

kiln::Accumulation DotOp::getAccumulation() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  return Accumulation::sumOver({lhs.getShape().back()});
}

bool DotOp::areZerosNeutral() { return true; }

double DotOp::getElementOperations() {
  return cast<RankedTensorType>(getLhs().getType()).getShape().back();
}
