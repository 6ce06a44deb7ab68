//===- ClusterOps.cpp - Blocks that copy for each other -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Simt/ClusterOps.h"
#include "BoxCopy.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Simt/ClusterOps.cpp.inc"

void simt::registerClusterOps(SimtDialect &dialect) {
  RegisteredOperationName::insert<CopyInClusterOp>(dialect);
  RegisteredOperationName::insert<ArriveInClusterOp>(dialect);
}

int64_t simt::countSharers(Operation *copy) {
  auto entry = getDecided<IntegerAttr>(copy, kSharedCopyEntry);
  return entry ? entry.getInt() : 1;
}

int64_t simt::countSharers(Value ring) {
  int64_t most = 1;
  for (Operation *user : ring.getUsers())
    if (stage::ringFilledBy(user))
      user->walk(
          [&](Operation *op) { most = std::max(most, countSharers(op)); });
  return most;
}

int64_t simt::arrivalsOf(SlotBarrierOpInterface op) {
  auto arrive = dyn_cast<ArriveInClusterOp>(op.getOperation());
  return arrive ? int64_t(arrive.getBlocks()) : 1;
}

bool simt::isInCluster(Operation *op) {
  return isa<CopyInClusterOp, ArriveInClusterOp>(op);
}

//===----------------------------------------------------------------------===//
// copy_in_cluster
//===----------------------------------------------------------------------===//

void CopyInClusterOp::build(OpBuilder &b, OperationState &state, int64_t blocks,
                            Value base, ValueRange at, ValueRange sizes,
                            ValueRange strides, Value target, Value barrier,
                            Value mask, ArrayRef<int64_t> box, Type element,
                            int64_t along, SwizzleAttr swizzle) {
  for (ValueRange operands :
       {ValueRange(base), at, sizes, strides, ValueRange(target),
        ValueRange(barrier), ValueRange(mask)})
    state.addOperands(operands);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.blocks = b.getI64IntegerAttr(blocks);
  properties.box = b.getDenseI64ArrayAttr(box);
  properties.element = TypeAttr::get(element);
  properties.along = b.getI64IntegerAttr(along);
  properties.swizzle = swizzle;
  properties.operandSegmentSizes = {1,
                                    int32_t(at.size()),
                                    int32_t(sizes.size()),
                                    int32_t(strides.size()),
                                    1,
                                    1,
                                    1};
}

int64_t CopyInClusterOp::getElementBytes() {
  return detail::elementBytesOf(*this);
}

int64_t CopyInClusterOp::getRowBytes() { return detail::rowBytesOf(*this); }

int64_t CopyInClusterOp::getPieceBytes() { return detail::pieceBytesOf(*this); }

int64_t CopyInClusterOp::getRows() { return detail::rowsOf(*this); }

int64_t CopyInClusterOp::getBytes() { return getRows() * getRowBytes(); }

LogicalResult CopyInClusterOp::verify() {
  // (C1) One number for each dimension.
  size_t rank = getBox().size();
  if (!rank || getAt().size() != rank || getSizes().size() != rank ||
      getStrides().size() != rank || getAlong() >= rank)
    return emitOpError() << "expected coordinates, sizes and strides for the "
                         << rank << " dimensions of the box, and 'along' to be "
                         << "one of them";
  // (C2) Rows that can be permuted.
  int64_t row = getRowBytes(),
          chunk = getSwizzleAttr() ? getSwizzleAttr().getChunk() : 1;
  if (row < chunk || !llvm::isPowerOf2_64(row))
    return emitOpError()
           << "expected rows of a power of two of bytes, at least " << chunk
           << ", found " << row;
  // (C3) Parts.
  int64_t blocks = getBlocks();
  if (blocks < 2 || getBytes() % (blocks * getPieceBytes()))
    return emitOpError() << "expected equal parts, of whole pieces of rows, "
                            "for at least 2 blocks, found "
                         << blocks;
  return success();
}

void CopyInClusterOp::getThreadAccesses(
    SmallVectorImpl<ThreadAccess> &accesses) {
  // The copies of the other blocks, which start like this one, fill the rest.
  accesses.push_back({getTarget(), getMask(), getBytes(), Touch::Write,
                      ThreadAccess::Flight::Barrier});
}

void CopyInClusterOp::replaceMask(Value mask) { getMaskMutable().set(mask); }

int64_t CopyInClusterOp::getCopiedBytes() { return getBytes(); }

//===----------------------------------------------------------------------===//
// arrive_in_cluster
//===----------------------------------------------------------------------===//

void ArriveInClusterOp::build(OpBuilder &b, OperationState &state,
                              int64_t blocks, Value barrier, Value mask) {
  state.addOperands({barrier, mask});
  state.getOrAddProperties<Properties>().blocks = b.getI64IntegerAttr(blocks);
}

void ArriveInClusterOp::replaceMask(Value mask) { getMaskMutable().set(mask); }

bool ArriveInClusterOp::releasesAccesses() { return true; }
