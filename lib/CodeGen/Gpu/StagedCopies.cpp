//===- StagedCopies.cpp - Copies into storage of the block ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box of a view is copied by a layout of its own. What is looked up, by a
// list of indices or by pointers, is moved by whoever would have loaded it:
// each thread copies from its addresses, or zeros where there is no element.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "LayoutChoice.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void KernelWalk::emitCopy(stage::CopyOp op) {
  StoragePlace place = storages.find(op.getTarget())->second;
  auto type =
      RankedTensorType::get(place.type.getShape(), place.type.getElementType());
  SmallVector<ViewAxis> axes;
  int64_t viewRank = op.getFrom().size(), rank = type.getRank();
  for (int64_t d = 0; d < viewRank; ++d) {
    ViewAxis axis;
    axis.offset = op.getFrom()[d];
    axis.countsBlocks = !op.getFromOffsets();
    axis.tileDim = d - (viewRank - rank);
    axis.block = axis.tileDim >= 0 ? type.getDimSize(axis.tileDim) : 1;
    axes.push_back(axis);
  }
  Contiguity along = contiguityOf(op.getSource(), axes, this->axes);
  LayoutAttr layout =
      blockedLayout(b.getContext(), type.getShape(), along.dim, along.count,
                    lanes, warps, /*isWhole=*/true);
  Access(*this, op.getSource(), axes,
         cast<RankedTensorType>(withLayout(type, layout)))
      .copyAsync(copyMask, [&](int64_t reg) {
        return place.address(*this, layout, reg);
      });
}

/// What is loaded only to be written to storage is copied.
void KernelWalk::emitLookup(stage::WriteOp op) {
  Operation *load = op.getValue().getDefiningOp();
  StoragePlace place = storages.find(op.getStorage())->second;
  LayoutAttr layout = getLayout(op.getValue());
  auto target = [&](int64_t reg) { return place.address(*this, layout, reg); };
  if (auto access = dyn_cast<ViewAccessOpInterface>(load)) {
    Access(*this, access).copyAsync(copyMask, target);
    return;
  }
  auto pointers = cast<tile::LoadPtrOp>(load);
  int64_t each = storedBytes(
      scalarType(getElementTypeOrSelf(pointers.getResult().getType())));
  Value mask = both(copyMask, isFirstCopy(layout));
  forEachGroup(layout, vectorsOf(pointers.getPtr(), pointers.getMask()),
               [&](ArrayRef<int64_t> group) {
                 int64_t first = group[0], bytes = group.size() * each;
                 Value from = registers(pointers.getPtr())[first], valid;
                 if (pointers.getMask())
                   valid = registers(pointers.getMask())[first];
                 CopyAsyncOp::create(b, loc, from, target(first), bytes, mask,
                                     valid);
               });
}

bool KernelWalk::emitFilling(Operation *op) {
  if (auto copy = dyn_cast<stage::CopyOp>(op))
    emitCopy(copy);
  else if (auto write = dyn_cast<stage::WriteOp>(op);
           write && isLookup(write.getValue().getDefiningOp()))
    emitLookup(write);
  else
    return isLookup(op);
  return true;
}
