//===- MicroKernel.cpp - Register-blocked products ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators are separate registers, carried through a loop over groups of
// steps.
//
//===----------------------------------------------------------------------===//

#include "kiln/Cpu/MatrixInstructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// What registers hold: signless integers, the bits of 16-bit floats.
static Type registerElement(Type type) {
  if (type.isF32() || type.isF64())
    return type;
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
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
  int64_t rows = op.getRows(), vectors = op.getColumns() / lanes,
          group = op.getLhsGroup();
  Type lhs = registerElement(op.getLhsType()),
       rhs = registerElement(op.getRhsType()),
       acc = registerElement(op.getAccType());

  Value c64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  static Type vectorOf(int64_t count, Type element) {
    return count == 1 ? element : VectorType::get({count}, element);
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

  /// The steps of one row in every lane.
  Value spread(Value address) {
    unsigned bits = lhs.getIntOrFloatBitWidth();
    Type unit = group == 1 ? lhs : b.getIntegerType(bits * group);
    Value value = LLVM::LoadOp::create(b, loc, unit, address, bits / 8);
    if (lanes > 1)
      value = vector::BroadcastOp::create(b, loc, vectorOf(lanes, unit), value);
    if (group > 1)
      value =
          LLVM::BitcastOp::create(b, loc, vectorOf(lanes * group, lhs), value);
    return value;
  }

  /// What the accumulators hold at first.
  SmallVector<Value> loadSums(ArrayRef<Value> places) {
    auto loaded = [&] {
      return llvm::map_to_vector(
          places, [&](Value place) { return load(place, lanes, acc); });
    };
    if (!op.getFresh())
      return loaded();
    SmallVector<Type> types(places.size(), vectorOf(lanes, acc));
    auto choice = scf::IfOp::create(b, loc, types, op.getFresh(), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(types[0]));
    scf::YieldOp::create(b, loc, SmallVector<Value>(places.size(), zero));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, loaded());
    return llvm::to_vector(ValueRange(choice.getResults()));
  }

  /// One group of steps on all accumulators.
  void step(Value left, Value right, SmallVector<Value> &sums) {
    SmallVector<Value> row;
    for (int64_t j = 0; j < vectors; ++j)
      row.push_back(
          load(at(right, j * lanes * group, rhs), lanes * group, rhs));
    for (int64_t i = 0; i < rows; ++i) {
      Value x = spread(at(left, i * group, lhs));
      for (int64_t j = 0; j < vectors; ++j) {
        Value &sum = sums[i * vectors + j];
        sum = multiplyAdd(b, loc, x, row[j], sum);
      }
    }
  }

  void loop(Value lo, Value hi, int64_t count, SmallVector<Value> &sums) {
    auto loop = scf::ForOp::create(b, loc, lo, hi, c64(count), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar(), stride = op.getRhsStride();
    SmallVector<Value> next(loop.getRegionIterArgs());
    int64_t panel = rows * group;
    Value left =
        at(op.getLhs(), arith::MulIOp::create(b, loc, k, c64(panel)), lhs);
    Value right =
        at(op.getRhs(), arith::MulIOp::create(b, loc, k, stride), rhs);
    for (int64_t u = 0; u < count; ++u) {
      step(at(left, u * panel, lhs), right, next);
      if (u + 1 < count)
        right = at(right, stride, rhs);
    }
    scf::YieldOp::create(b, loc, next);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }

  /// What is subtracted from every row.
  void subtract(SmallVector<Value> &sums) {
    if (!op.getMinus())
      return;
    for (int64_t j = 0; j < vectors; ++j) {
      Value less = load(at(op.getMinus(), j * lanes, acc), lanes, acc);
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
    SmallVector<Value> places;
    Value row = op.getAcc();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < vectors; ++j)
        places.push_back(at(row, j * lanes, acc));
      if (i + 1 < rows)
        row = at(row, op.getAccStride(), acc);
    }
    SmallVector<Value> sums = loadSums(places);
    subtract(sums);
    Value groups = op.getDepth();
    if (group > 1)
      groups = arith::DivUIOp::create(b, loc, groups, c64(group));
    Value whole = groups;
    if (unroll > 1) {
      Value rest = arith::RemUIOp::create(b, loc, groups, c64(unroll));
      whole = arith::SubIOp::create(b, loc, groups, rest);
    }
    loop(c64(0), whole, unroll, sums);
    if (unroll > 1)
      loop(whole, groups, 1, sums);
    for (auto [sum, place] : llvm::zip_equal(sums, places))
      LLVM::StoreOp::create(b, loc, sum, place,
                            acc.getIntOrFloatBitWidth() / 8);
  }
};
} // namespace

LogicalResult cpu::lowerToRegisterBlock(MicroKernelOp op,
                                        RewriterBase &rewriter, int64_t lanes,
                                        MultiplyAdd step, int64_t unroll) {
  if (op.getLhsGroup() != op.getRhsGroup() || op.getColumns() % lanes)
    return op.emitOpError()
           << "unsupported: groups of " << op.getLhsGroup() << " and "
           << op.getRhsGroup() << " and " << op.getColumns()
           << " columns with registers of " << lanes << " elements";
  rewriter.setInsertionPoint(op);
  RegisterBlockBuilder{rewriter, op.getLoc(), op, lanes, step, unroll}.build();
  rewriter.eraseOp(op);
  return success();
}
