//===- DotOps.cpp - Matrix products of tiles ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/DotOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
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
  // (4) Both operands have one float type.
  if (lhs != rhs)
    return op.emitOpError() << "expected lhs and rhs of the same float type, "
                               "found "
                            << lhs << " and " << rhs;
  // (5) The accumulator is f32 or f64 and at least as wide as the operands.
  if (!acc.isF32() && !acc.isF64())
    return op.emitOpError()
           << "expected an accumulator of f32 or f64, found " << acc;
  if (acc.getIntOrFloatBitWidth() < lhs.getIntOrFloatBitWidth())
    return op.emitOpError() << "expected an accumulator at least as wide as "
                            << lhs << ", found " << acc;
  // (6) Reduced input precision is for f32.
  if (op.getInputPrecision() != InputPrecision::ieee && !lhs.isF32())
    return op.emitOpError() << "expected f32 operands with precision '"
                            << stringifyInputPrecision(op.getInputPrecision())
                            << "', found " << lhs;
  // (7) Signedness belongs to integers.
  if (op.getLhsUnsigned() || op.getRhsUnsigned())
    return op.emitOpError()
           << "expected integer operands with 'lhs_unsigned' or "
              "'rhs_unsigned', found "
           << lhs;
  return success();
}

static LogicalResult verifyIntDot(DotOp op, Type lhs, Type rhs, Type acc) {
  // (8) Operands are i8, i16 or i32.
  for (Type type : {lhs, rhs})
    if (!type.isSignlessInteger(8) && !type.isSignlessInteger(16) &&
        !type.isSignlessInteger(32))
      return op.emitOpError()
             << "expected operands of i8, i16 or i32, found " << type;
  // (9) The accumulator is i32 or i64.
  if (!acc.isSignlessInteger(32) && !acc.isSignlessInteger(64))
    return op.emitOpError()
           << "expected an accumulator of i32 or i64, found " << acc;
  // (10) Input precision belongs to floats.
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
  // (1) All have rank 2, or all rank 3.
  int64_t rank = lhs.getRank();
  if ((rank != 2 && rank != 3) || rhs.getRank() != rank ||
      acc.getRank() != rank)
    return emitOpError() << "expected operands of rank 2, or all of rank 3, "
                            "found ranks "
                         << rank << ", " << rhs.getRank() << " and "
                         << acc.getRank();
  // (2) Batch sizes agree.
  if (rank == 3 && (lhs.getDimSize(0) != rhs.getDimSize(0) ||
                    lhs.getDimSize(0) != acc.getDimSize(0)))
    return emitOpError() << "expected equal batch sizes, found "
                         << lhs.getDimSize(0) << ", " << rhs.getDimSize(0)
                         << " and " << acc.getDimSize(0);
  // (3) Shapes are m x k, k x n and m x n.
  int64_t m = lhs.getDimSize(rank - 2), k = lhs.getDimSize(rank - 1);
  int64_t n = rhs.getDimSize(rank - 1);
  if (rhs.getDimSize(rank - 2) != k)
    return emitOpError() << "expected rhs to have " << k << " rows, found "
                         << rhs.getDimSize(rank - 2);
  if (acc.getDimSize(rank - 2) != m || acc.getDimSize(rank - 1) != n)
    return emitOpError() << "expected an accumulator of " << m << "x" << n
                         << ", found " << acc;
  if (isa<FloatType>(lhs.getElementType()))
    return verifyFloatDot(*this, lhs.getElementType(), rhs.getElementType(),
                          acc.getElementType());
  return verifyIntDot(*this, lhs.getElementType(), rhs.getElementType(),
                      acc.getElementType());
}
