//===- Dot.cpp - Products of tiles ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWalk.h"
#include "LayoutChoice.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A product by multiplications and additions of each thread, for any layout
/// of the accumulator; factors stand in the memory of the block.
class ScalarProduct {
public:
  ScalarProduct(KernelWalk &w, MatrixProductOpInterface op)
      : w(w), op(op), lhs(op.getLhsOperand().get()),
        rhs(op.getRhsOperand().get()),
        type(cast<RankedTensorType>(op->getResult(0).getType())),
        layout(getLayout(op->getResult(0))),
        acc(ThreadBuilder::scalarType(type.getElementType())) {}

  LogicalResult run();

private:
  Value widen(Value value, bool isUnsigned);

  KernelWalk &w;
  MatrixProductOpInterface op;
  Value lhs, rhs;
  RankedTensorType type;
  LayoutAttr layout;
  Type acc;
};
} // namespace

Value ScalarProduct::widen(Value value, bool isUnsigned) {
  if (op.getProductPrecision() == ProductPrecision::TF32 &&
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

LogicalResult ScalarProduct::run() {
  if (op.hasEncodedFactors())
    return w.decline(op, "a product of encoded factors");
  auto lhsType = cast<RankedTensorType>(lhs.getType());
  auto rhsType = cast<RankedTensorType>(rhs.getType());
  if (isa<FloatType>(acc) && !acc.isF32() && !acc.isF64())
    return w.decline(op, "a product with this accumulator");
  int64_t rank = type.getRank(), depth = lhsType.getShape().back();
  int64_t lhsBytes = llvm::alignTo(
      ThreadBuilder::tileBytes(lhsType.getShape(), lhsType.getElementType()),
      16);
  int64_t rhsBytes =
      ThreadBuilder::tileBytes(rhsType.getShape(), rhsType.getElementType());
  int64_t start = w.scratch(lhsBytes + rhsBytes);
  w.writeTile(start, w.registers(lhs), getLayout(lhs), lhsType.getShape());
  w.writeTile(start + lhsBytes, w.registers(rhs), getLayout(rhs),
              rhsType.getShape());
  w.synchronize();
  int64_t count = layout.getNumRegisters();
  SmallVector<Value> inits;
  OpOperand *accOperand = op.getAccOperand();
  if (accOperand) {
    if (getLayout(accOperand->get()) != layout)
      return op->emitOpError("has an accumulator of another layout");
    inits = w.registers(accOperand->get());
  } else {
    inits.assign(count, w.zero(acc));
  }
  auto loop =
      scf::ForOp::create(w.b, w.loc, w.c32(0), w.c32(depth), w.c32(1), inits);
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar();
    // Each row and each column is read once.
    llvm::DenseMap<std::pair<int64_t, int64_t>, Value> rows, columns;
    SmallVector<Value> sums;
    for (int64_t reg = 0; reg < count; ++reg) {
      auto at = layout.getRegisterOffset(reg);
      int64_t batch = rank == 3 ? at[0] : 0;
      SmallVector<Value> left, right;
      if (rank == 3) {
        left.push_back(w.coordinate(layout, reg, 0));
        right.push_back(left[0]);
      }
      Value &x = rows[{batch, at[rank - 2]}];
      if (!x) {
        left.push_back(w.coordinate(layout, reg, rank - 2));
        left.push_back(k);
        x = widen(
            w.readElement(start, w.position(left, lhsType.getShape()),
                          ThreadBuilder::scalarType(lhsType.getElementType())),
            op.isLhsUnsigned());
      }
      Value &y = columns[{batch, at[rank - 1]}];
      if (!y) {
        right.push_back(k);
        right.push_back(w.coordinate(layout, reg, rank - 1));
        y = widen(w.readElement(
                      start + lhsBytes, w.position(right, rhsType.getShape()),
                      ThreadBuilder::scalarType(rhsType.getElementType())),
                  op.isRhsUnsigned());
      }
      Value sum = loop.getRegionIterArgs()[reg];
      sums.push_back(isa<FloatType>(acc)
                         ? Value(math::FmaOp::create(w.b, w.loc, x, y, sum))
                         : w.add(w.mul(x, y), sum));
    }
    scf::YieldOp::create(w.b, w.loc, sums);
  }
  w.define(op->getResult(0), Regs(loop.getResults()));
  return success();
}

namespace {
/// A product by matrix instructions of warps, on fragments in registers.
LogicalResult emitByInstructions(KernelWalk &w, MatrixProductOpInterface op,
                                 target::MatrixInstructionAttr row) {
  Value lhs = op.getLhsOperand().get(), rhs = op.getRhsOperand().get();
  LayoutAttr layouts[] = {getLayout(lhs), getLayout(rhs),
                          getLayout(op->getResult(0))};
  target::OperandAttr operands[] = {row.getLhs(), row.getRhs(), row.getAcc()};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = type.getRank();
  int64_t depth = cast<RankedTensorType>(lhs.getType()).getShape().back();
  int64_t count = layouts[2].getNumRegisters();
  Regs sums;
  if (OpOperand *acc = op.getAccOperand())
    sums = w.registers(acc->get());
  else
    sums.assign(count,
                w.zero(ThreadBuilder::scalarType(type.getElementType())));
  /// The registers of one fragment: those of the atom at an offset.
  auto fragment = [&](int which, ArrayRef<int64_t> offset,
                      SmallVectorImpl<int64_t> &regs) {
    auto atom = cast<LayoutAttr>(operands[which].getLayout());
    for (int64_t i = 0; i < atom.getNumRegisters(); ++i) {
      LayoutAttr::Basis at(offset);
      auto own = atom.getRegisterOffset(i);
      at[rank - 2] ^= own[0];
      at[rank - 1] ^= own[1];
      int64_t reg = KernelWalk::registerAt(layouts[which], at);
      if (reg < 0)
        return failure();
      regs.push_back(reg);
    }
    return success();
  };
  auto atomAcc = cast<LayoutAttr>(operands[2].getLayout());
  int64_t ak = row.getK().getMin();
  for (int64_t k = 0; k < depth; k += ak) {
    for (int64_t reg = 0; reg < count; ++reg) {
      // The first register of each fragment of the accumulator.
      auto at = layouts[2].getRegisterOffset(reg);
      int64_t inAtom = 0;
      for (const LayoutAttr::Basis &basis : atomAcc.getRegisterBases())
        inAtom |= (at[rank - 2] & basis[0]) | (at[rank - 1] & basis[1]);
      if (inAtom)
        continue;
      SmallVector<int64_t> parts[3];
      LayoutAttr::Basis left(at), right(at);
      left[rank - 1] = k;
      right[rank - 2] = k;
      if (failed(fragment(0, left, parts[0])) ||
          failed(fragment(1, right, parts[1])) ||
          failed(fragment(2, at, parts[2])))
        return op->emitOpError("has operands of other layouts than '")
               << row.getName() << "' takes";
      SmallVector<Value> x, y, z;
      for (int64_t i : parts[0])
        x.push_back(w.registers(lhs)[i]);
      for (int64_t i : parts[1])
        y.push_back(w.registers(rhs)[i]);
      for (int64_t i : parts[2])
        z.push_back(sums[i]);
      SmallVector<Type> types(z.size(), z[0].getType());
      auto mma = MmaOp::create(w.b, w.loc, types, row.getName(), x, y, z);
      if (op.isLhsUnsigned())
        mma->setAttr("lhs_unsigned", w.b.getUnitAttr());
      if (op.isRhsUnsigned())
        mma->setAttr("rhs_unsigned", w.b.getUnitAttr());
      for (auto [i, value] : llvm::zip_equal(parts[2], mma.getResults()))
        sums[i] = value;
    }
  }
  w.define(op->getResult(0), std::move(sums));
  return success();
}
} // namespace

LogicalResult KernelWalk::emitProduct(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(kRowAttr)) {
    target::MatrixInstructionAttr row =
        description ? description.getMatrixInstruction(name.getValue())
                    : target::MatrixInstructionAttr();
    if (!row)
      return op->emitOpError("the description has no matrix instruction '")
             << name.getValue() << "'";
    return emitByInstructions(*this, cast<MatrixProductOpInterface>(op), row);
  }
  return ScalarProduct(*this, cast<MatrixProductOpInterface>(op)).run();
}
