//===- SizeExpressions.cpp - Sizes of buffers as products -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SizeExpressions.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

/// Bytes of an element in memory, 0 when it has no such size.
static int64_t elementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

bool SizeExpressions::isKnown(Operation *op) {
  return op->getBlock() == point->getBlock() && op->isBeforeInBlock(point);
}

Value SizeExpressions::constant(int64_t value) {
  Value &made = constants[value];
  if (!made) {
    OpBuilder builder(point);
    made = arith::ConstantIndexOp::create(builder, point->getLoc(), value);
  }
  return made;
}

/// The size of `buffer` along `dim`, traced to parameters and operands.
Value SizeExpressions::sizeOf(Value buffer, int64_t dim) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (auto made = buffer.getDefiningOp<BufferOpInterface>())
    return hoist(made.getSizeOperand(dim));
  if (auto transfer = buffer.getDefiningOp<TransferOp>())
    return sizeOf(transfer.getSource(), dim);
  if (!isa<BlockArgument>(buffer))
    return {};
  Value index = constant(dim);
  Value &size = sizes[{buffer, dim}];
  if (!size) {
    OpBuilder builder(point);
    size = memref::DimOp::create(builder, point->getLoc(), buffer, index);
  }
  return size;
}

Value SizeExpressions::compute(Value value) {
  if (isa<BlockArgument>(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return isa<IndexType>(value.getType()) ? constant(*number) : Value();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = getConstantIntValue(dim.getIndex());
    return index ? sizeOf(dim.getSource(), *index) : Value();
  }
  if (isKnown(op))
    return value;
  if (!isPure(op) || op->getNumRegions() != 0 || op->getNumResults() != 1)
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndex())
      return {};
    Value at = hoist(operand);
    if (!at)
      return {};
    mapping.map(operand, at);
  }
  return OpBuilder(point).clone(*op, mapping)->getResult(0);
}

Value SizeExpressions::hoist(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Value made = compute(value);
  known[value] = made;
  return made;
}

std::optional<index::Expr> SizeExpressions::bytesOf(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getResult().getType());
  index::Expr result = elementBytes(type.getElementType());
  if (result.is(0))
    return std::nullopt;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    index::Expr size = type.getDimSize(d);
    if (type.isDynamicDim(d)) {
      Value value = hoist(alloc.getSizes()[type.getDynamicDimIndex(d)]);
      if (!value)
        return std::nullopt;
      size = symbols.of(value);
    }
    if (size.isStatic() && size.get() < 0)
      return std::nullopt;
    result = result * size;
  }
  return result.isKnown() ? std::optional(result) : std::nullopt;
}
