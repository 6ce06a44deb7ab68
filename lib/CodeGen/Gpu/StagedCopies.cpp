//===- StagedCopies.cpp - Copies into storage of the block ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box of a view is copied by a layout of its own. What is looked up, by a
// list of indices or by pointers, is moved by whoever would have loaded it:
// each thread copies from its addresses, or zeros where there is no element.
// Where copies of a warp write bytes that follow each other, the layout is that
// of the storage: then lanes read as it is permuted.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "LayoutChoice.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "RowCopies.h"
#include "StoredFactors.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/PointerAccess.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static void copyBox(stage::CopyOp op, ThreadWriter &w) {
  StoragePlace place = w.storages.find(op.getTarget())->second;
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
  Contiguity along = contiguityOf(op.getSource(), axes, w.axes);
  int64_t rowBytes = rowCopyBytesOf(w.description);
  LayoutAttr layout =
      rowBytes ? rowLayout(place, rowBytes, w.lanes, w.warps)
               : blockedLayout(w.b.getContext(), type.getShape(), along.dim,
                               along.count, w.lanes, w.warps, /*isWhole=*/true);
  Access(w, op.getSource(), axes,
         cast<RankedTensorType>(withLayout(type, layout)))
      .copyAsync(
          conditionOf(op, w),
          [&](int64_t reg) { return place.address(w, layout, reg); },
          [&](const CopyPiece &piece) { startCopy(piece, w); });
}

/// Bytes that a thread writes at once at most.
static constexpr int64_t kMostBytes = 16;

/// What is loaded only to be written to storage is copied.
static LogicalResult copyLookup(stage::WriteOp op, ThreadWriter &w) {
  Operation *load = op.getValue().getDefiningOp();
  SmallVector<CopyPiece> pieces;
  StoragePlace place = w.storages.find(op.getStorage())->second;
  LayoutAttr layout = getLayout(op.getValue());
  auto target = [&](int64_t reg) { return place.address(w, layout, reg); };
  FillCondition condition = conditionOf(op, w);
  if (auto access = dyn_cast<ViewAccessOpInterface>(load)) {
    Access(w, access).copyAsync(condition, target, [&](const CopyPiece &piece) {
      pieces.push_back(piece);
    });
    return startCopies(load, pieces, w);
  }
  auto access = cast<PointerAccessOpInterface>(load);
  Value pointers = access.getAccessedPointers();
  int64_t each = ThreadBuilder::storedBytes(ThreadBuilder::scalarType(
      getElementTypeOrSelf(load->getResult(0).getType())));
  Value mask = w.both(condition.mask, w.isFirstCopy(layout));
  forEachGroup(layout, vectorsOf(w, pointers, access.getAccessMask()),
               [&](ArrayRef<int64_t> group) {
                 int64_t first = group[0], bytes = group.size() * each;
                 Value from = w.registers(pointers)[first], valid;
                 if (access.getAccessMask())
                   valid = w.registers(access.getAccessMask())[first];
                 pieces.push_back({from, target(first), bytes, mask, valid});
               });
  return startCopies(load, pieces, w);
}

FailureOr<bool> simt::fillStorage(Operation *op, ThreadWriter &w) {
  if (auto copy = dyn_cast<stage::CopyOp>(op);
      copy && isa<tile::ViewType>(copy.getSource().getType()))
    copyBox(copy, w);
  else if (auto write = dyn_cast<stage::WriteOp>(op);
           write && isLookup(write.getValue().getDefiningOp())) {
    if (failed(copyLookup(write, w)))
      return failure();
  } else
    return isLookup(op);
  return true;
}

static LogicalResult lowerCopy(stage::CopyOp op, ThreadWriter &w) {
  if (op.getAsync() || !isa<tile::ViewType>(op.getSource().getType()))
    return w.decline(op, "this copy");
  copyBox(op, w);
  return success();
}

/// Writes what threads have, in words of elements that lie side by side.
static void storeTile(stage::WriteOp op, ThreadWriter &w,
                      const StoragePlace &place) {
  LayoutAttr layout = getLayout(op.getValue());
  const Regs &values = w.registers(op.getValue());
  Permutation permutation = permutationOf(place.type);
  int64_t each = ThreadBuilder::storedBytes(place.type.getElementType());
  int64_t count = std::max<int64_t>(
      1, std::min<int64_t>(permutation.unit, kMostBytes) / each);
  forEachGroup(layout, vectorBits(layout, permutation.inner, count),
               [&](ArrayRef<int64_t> group) {
                 SmallVector<Value> parts;
                 for (int64_t reg : group)
                   parts.push_back(w.toStored(values[reg]));
                 Value address = place.address(w, layout, group[0]),
                       stored = parts[0];
                 if (parts.size() > 1) {
                   auto type = VectorType::get({int64_t(parts.size())},
                                               parts[0].getType());
                   stored = LLVM::PoisonOp::create(w.b, w.loc, type);
                   for (auto [i, part] : llvm::enumerate(parts))
                     stored = LLVM::InsertElementOp::create(w.b, w.loc, stored,
                                                            part, w.c32(i));
                 }
                 LLVM::StoreOp::create(w.b, w.loc, stored, address,
                                       /*alignment=*/each * group.size());
               });
}

static LogicalResult lowerWrite(stage::WriteOp op, ThreadWriter &w) {
  if (!writesFragment(op))
    return copyLookup(op, w);
  auto place = w.storages.find(op.getStorage());
  if (!getLayout(op.getValue()) || place == w.storages.end() ||
      !op.getOrigin().empty())
    return w.decline(op, "this writing of storage");
  storeTile(op, w, place->second);
  return success();
}

void simt::addStagedCopiesLowerings(LoweringTable &table) {
  table.add<stage::CopyOp>(lowerCopy);
  table.add<stage::WriteOp>(lowerWrite);
}
