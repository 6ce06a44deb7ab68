//===- SegmentOps.cpp - Scans within segments -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/SegmentOps.h"
#include "ScanChecks.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/SegmentOps.cpp.inc"

LogicalResult SegmentedScanOp::verify() {
  if (failed(verifyScan(*this)))
    return failure();
  // (C2) The starts of segments have the sources' shape.
  auto first = cast<RankedTensorType>(getSources().front().getType());
  auto starts = cast<RankedTensorType>(getStarts().getType());
  if (starts.getShape() != first.getShape())
    return emitOpError() << "expected starts of the shape of " << first
                         << ", found " << starts;
  return success();
}

LogicalResult SegmentedScanOp::verifyRegions() { return verifyCombiner(*this); }

kiln::Accumulation SegmentedScanOp::getAccumulation() {
  auto type = cast<RankedTensorType>(getSources().front().getType());
  return Accumulation::sumOver({type.getDimSize(getAxis())});
}

void SegmentedScanOp::buildExpansion(OpBuilder &b,
                                     SmallVectorImpl<Value> &results) {
  Location loc = getLoc();
  size_t count = getSources().size();
  SmallVector<Value> scanned(getSources());
  scanned.push_back(getStarts());
  SmallVector<Type> types(ValueRange(scanned).getTypes()), elements;
  for (int side = 0; side < 2; ++side)
    for (Type type : types)
      elements.push_back(getElementTypeOrSelf(type));
  auto scan = ScanOp::create(b, loc, types, scanned, getAxis(), getReverse());
  llvm::append_range(results, scan.getResults().take_front(count));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&scan.getCombiner(), {}, elements,
                               SmallVector<Location>(elements.size(), loc));
  ValueRange all = block->getArguments();
  ValueRange prefix = all.take_front(count), next = all.drop_front(count + 1);
  IRMapping mapping;
  Block &inner = getCombiner().front();
  mapping.map(inner.getArguments().take_front(count), prefix);
  mapping.map(inner.getArguments().drop_front(count), next.take_front(count));
  for (Operation &op : inner.without_terminator())
    b.clone(op, mapping);
  // What starts a segment forgets the prefix.
  SmallVector<Value> yielded;
  Value starts = next.back();
  for (auto [value, element] :
       llvm::zip(cast<YieldOp>(inner.getTerminator()).getValues(), next))
    yielded.push_back(arith::SelectOp::create(b, loc, starts, element,
                                              mapping.lookupOrDefault(value)));
  yielded.push_back(arith::OrIOp::create(b, loc, all[count], starts));
  YieldOp::create(b, loc, yielded);
}
