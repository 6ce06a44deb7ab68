//===- ReduceOps.cpp - Reductions of tiles --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ReduceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ReduceOps.cpp.inc"

void TileDialect::registerReduceOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ReduceOps.cpp.inc"
      >();
}

LogicalResult ReduceOp::verify() {
  // (C1) At least one source, and one result for each.
  if (getSources().empty() || getSources().size() != getResults().size())
    return emitOpError() << "expected at least one source and as many results "
                            "as sources, found "
                         << getSources().size() << " sources and "
                         << getResults().size() << " results";
  auto first = cast<RankedTensorType>(getSources().front().getType());
  int64_t axis = getAxis();
  // (C2) The dimension exists and has at least one element.
  if (axis < 0 || axis >= first.getRank())
    return emitOpError() << "expected an axis in [0, " << first.getRank()
                         << "), found " << axis;
  if (first.getDimSize(axis) < 1)
    return emitOpError() << "expected at least one element along axis " << axis
                         << ", found " << first;
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + axis);
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    auto type = cast<RankedTensorType>(source.getType());
    // (C3) Sources have one shape.
    if (type.getShape() != first.getShape())
      return emitOpError() << "expected sources of the same shape, found "
                           << first << " and " << type;
    // (C4) A result is its source without the dimension.
    auto expected = RankedTensorType::get(shape, type.getElementType());
    if (!isSameTile(result.getType(), expected))
      return emitOpError() << "expected a result of type " << expected
                           << ", found " << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Block &block = getCombiner().front();
  size_t count = getSources().size();
  // (C5) The region takes all left elements, then all right ones.
  if (block.getNumArguments() != 2 * count)
    return emitOpError() << "expected a region with " << 2 * count
                         << " arguments, found " << block.getNumArguments();
  auto elementType = [&](size_t i) {
    return cast<RankedTensorType>(getSources()[i].getType()).getElementType();
  };
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != elementType(index % count))
      return emitOpError() << "expected argument " << index
                           << " of the region to be "
                           << elementType(index % count) << ", found "
                           << argument.getType();
  // (C6) It yields one element for every source.
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getValues().size() != count)
    return yield.emitOpError()
           << "expected " << count << " values in a reduction, found "
           << yield.getValues().size();
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (value.getType() != elementType(index))
      return yield.emitOpError()
             << "expected value " << index << " to be " << elementType(index)
             << ", found " << value.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  int64_t axis = adaptor.getAxis();
  for (Value source : adaptor.getSources()) {
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (!type || axis < 0 || axis >= type.getRank())
      return failure();
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  return success();
}

bool ReduceOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

unsigned ReduceOp::getNumSummedDims() { return 1; }

kiln::OperandRead ReduceOp::getIndexMap(OpOperand &operand, unsigned) {
  // The summed coordinate stands behind those of the result.
  unsigned rank = cast<RankedTensorType>(operand.get().getType()).getRank();
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(
        d == getAxis() ? rank - 1 : d - (d > getAxis()), getContext()));
  return {AffineMap::get(rank, 0, exprs, getContext()), IntegerSet()};
}

kiln::Accumulation ReduceOp::getAccumulation() {
  Block &block = getCombiner().front();
  if (llvm::all_of(block.without_terminator(), [](Operation &op) {
        return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                   arith::MinNumFOp, arith::SelectOp, arith::CmpFOp,
                   arith::CmpIOp>(op) ||
               op.hasTrait<ExactResult>() ||
               llvm::none_of(op.getResultTypes(), llvm::IsaPred<FloatType>);
      }))
    return Accumulation::exact();
  auto type = cast<RankedTensorType>(getSources().front().getType());
  return Accumulation::sumOver({type.getDimSize(getAxis())}, 0, getOrdered());
}

bool ReduceOp::areZerosNeutral() {
  Block &block = getCombiner().front();
  return getSources().size() == 1 && block.getOperations().size() == 2 &&
         isa<arith::AddFOp, arith::AddIOp>(block.front());
}
