//===- Collective.cpp - Exchanges between ranks in host programs ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exchange starts where it stands, and is waited for before the first
// operation that reads what it gives; what comes between runs meanwhile.
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "kiln/Dialect/Program/CollectiveOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Whether the elements of a buffer lie one after the other.
static bool isDense(const Buffer &buffer, index::Math &math) {
  return llvm::all_of(
      llvm::zip(buffer.strides, denseStrides(buffer.sizes, math)),
      [](auto pair) { return std::get<0>(pair).same(std::get<1>(pair)); });
}

static StringRef kindNameOf(Operation *op) {
  return op->getName().stripDialect();
}

static StringAttr combinerOf(Operation *op, OpBuilder &builder) {
  std::optional<prim::ScatterKind> kind;
  if (auto reduce = dyn_cast<prim::AllReduceOp>(op))
    kind = reduce.getCombiner();
  if (auto scatter = dyn_cast<prim::ReduceScatterOp>(op))
    kind = scatter.getCombiner();
  return kind ? builder.getStringAttr(prim::stringifyScatterKind(*kind))
              : StringAttr();
}

FailureOr<Value> FunctionConverter::makeDense(Value value, Operation *before) {
  if (isDense(host->buffer(value), host->math))
    return value;
  Buffer dense =
      host->allocate(host->buffer(value).elementType(), host->sizesOf(value));
  return writeTo(value, dense, before);
}

Buffer FunctionConverter::denseTarget(Value result) {
  Buffer target = host->hasDestination(result)
                      ? Buffer(host->destination(result))
                      : Buffer();
  // Who wanted it in a part of something larger copies it there.
  if (!target.base || !isDense(target, host->math))
    target = host->allocate(
        cast<RankedTensorType>(result.getType()).getElementType(),
        host->sizesOf(result));
  return target;
}

LogicalResult FunctionConverter::convertRank(prim::RankOp op) {
  Buffer target = host->allocate(builder.getI32Type(), {});
  Value memref = host->memref(target);
  program::CollectiveOp::create(builder, op.getLoc(), "rank", StringAttr(),
                                memref, memref, builder.getArrayAttr({}));
  program::WaitOp::create(builder, op.getLoc(), memref, memref);
  host->setBuffer(op.getResult(), target);
  return success();
}

LogicalResult FunctionConverter::convertCollective(Operation *op) {
  Value result = op->getResult(0);
  FailureOr<Value> operand = makeDense(op->getOperand(0), op);
  if (failed(operand))
    return failure();
  Buffer target = denseTarget(result);
  Value from = host->memref(host->buffer(*operand));
  Value to = host->memref(target);
  auto lists = op->getAttrOfType<ArrayAttr>(
      isa<prim::PermuteOp>(op) ? "pairs" : "groups");
  program::CollectiveOp::create(builder, op->getLoc(), kindNameOf(op),
                                combinerOf(op, builder), from, to, lists);
  host->setBuffer(result, target);
  underWay.push_back({result, to, from});
  return success();
}

void FunctionConverter::waitFor(const UnderWay &exchange) {
  program::WaitOp::create(builder, exchange.result.getLoc(), exchange.target,
                          exchange.source);
}

void FunctionConverter::waitForOperands(Operation *op) {
  if (underWay.empty())
    return;
  // What branches and loops leave behind is not known on all ways.
  if (op->getNumRegions() && !isa<prim::FusionOp, prim::ClaimOp>(op))
    return waitForAll();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return waitForAll();
  llvm::erase_if(underWay, [&](const UnderWay &exchange) {
    if (!llvm::is_contained(op->getOperands(), exchange.result))
      return false;
    waitFor(exchange);
    return true;
  });
}

void FunctionConverter::waitForAll() {
  for (const UnderWay &exchange : underWay)
    waitFor(exchange);
  underWay.clear();
}
