//===- AssignAccesses.cpp - Layouts of what is loaded and stored ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void Assigner::assignAccess(ViewAccessOpInterface access) {
  LayoutAttr layout;
  OpOperand *written = access.getWrittenOperand();
  if (written) {
    LayoutAttr has = getLayout(written->get());
    LayoutAttr best = ofAccess(access);
    // Small tiles, and those that each thread stores well already, stay.
    layout = best;
    if (has && access.getAccessedType().getRank() <= 1)
      layout = has;
    if (LayoutAttr asked = askedLayout(access))
      layout = asked;
    requireOperand(*written, layout);
  } else {
    layout = ofAccess(access);
    setResult(access.getAccessedTile(), layout);
  }
  for (const ViewAxis &axis : access.getAxes()) {
    if (!axis.isIndirect())
      continue;
    int64_t rank = cast<RankedTensorType>(axis.indices.getType()).getRank();
    LayoutAttr own = layout.transform(rank, [&](ArrayRef<int64_t> basis) {
      return Basis(basis.slice(axis.tileDim, rank));
    });
    Value indices = require(axis.indices, own);
    for (OpOperand &operand : access->getOpOperands())
      if (operand.get() == axis.indices)
        operand.set(indices);
  }
}

std::optional<PointerAccess> simt::getPointerAccess(Operation *op) {
  PointerAccess access;
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    access = {load.getPtr(), load.getMask(), {}};
  else if (auto store = dyn_cast<tile::StorePtrOp>(op))
    access = {store.getPtr(), store.getMask(), store.getValue()};
  else if (auto update = dyn_cast<tile::AtomicRMWOp>(op))
    access = {update.getPtr(), update.getMask(), update.getValue(), true};
  else
    return std::nullopt;
  if (!isTile(access.pointers.getType()))
    return std::nullopt;
  return access;
}

/// Neighbours go to neighbouring threads, in vectors where they are loaded or
/// stored. False where pointers are not known to be neighbours.
bool Assigner::assignPointers(Operation *op) {
  auto access = getPointerAccess(op);
  if (!access)
    return false;
  Contiguity own = contiguityOf(access->pointers, access->mask, facts);
  if (own.dim < 0)
    return false;
  auto shape = shapeOf(access->pointers);
  LayoutAttr has = access->stored ? getLayout(access->stored) : LayoutAttr();
  if (access->isAtomic) {
    // Memory updates the elements of one instruction line by line: neighbours
    // are in neighbouring lanes, and as few in each as can be.
    own.count = 1;
    LayoutAttr wide =
        blockedLayout(b.getContext(), shape, own.dim, own.count, lanes, warps);
    if (has && vectorBits(has, own.dim, 2).empty() &&
        has.getNumRegisters() <= wide.getNumRegisters())
      return false;
  } else {
    if (has && shape.size() <= 1)
      return false;
    auto it = widest.find(b.getDenseI64ArrayAttr(shape));
    if (it != widest.end() && it->second.dim == own.dim)
      own.count = it->second.count;
  }
  requireAll(op, blockedLayout(b.getContext(), shape, own.dim, own.count, lanes,
                               warps));
  return true;
}
