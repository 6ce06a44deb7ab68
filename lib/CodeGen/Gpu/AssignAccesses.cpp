//===- AssignAccesses.cpp - Layouts of what is loaded and stored ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"
#include "Order.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

/// A layout like `best` in which each warp has the elements that it has in
/// `has`, so that warps exchange nothing with each other. Lanes stay as they
/// are, and so do the first `vector` bits of registers. Null where that cannot
/// be.
static LayoutAttr keepWarps(LayoutAttr best, LayoutAttr has, size_t vector,
                            unsigned laneBits, unsigned warpBits) {
  if (!has || has.getRank() != best.getRank())
    return {};
  SmallVector<Basis> registers = best.getRegisterBases(),
                     freed = best.getWarpBases(warpBits),
                     warps = has.getWarpBases(warpBits);
  if (freed == warps)
    return {};
  for (const Basis &basis : warps) {
    if (llvm::all_of(basis, [](int64_t n) { return n == 0; }))
      continue; // copies
    if (Basis *own = llvm::find(freed, basis); own != freed.end()) {
      freed.erase(own);
      continue;
    }
    Basis *other = llvm::find(registers, basis);
    if (other == registers.end() || other < registers.begin() + vector)
      return {};
    registers.erase(other);
  }
  // Registers tell what warps told, the last dimension's bits first.
  registers.append(freed);
  std::sort(registers.begin() + vector, registers.end(),
            [](const Basis &a, const Basis &b) {
              return std::lexicographical_compare(b.begin(), b.end(), a.begin(),
                                                  a.end(), std::greater<>());
            });
  return LayoutAttr::get(best.getContext(), best.getRank(), registers,
                         best.getLaneBases(laneBits), warps);
}

LayoutAttr Assigner::wantedLayout(Value tile, unsigned &budget) {
  for (OpOperand &use : tile.getUses()) {
    Operation *op = use.getOwner();
    bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
    if (!budget || op->getNumResults() != 1 ||
        !isTile(op->getResult(0).getType()) ||
        !(isElementwise || isa<IndexMapOpInterface>(op)))
      continue;
    --budget;
    LayoutAttr layout;
    for (Value other : op->getOperands())
      if (isElementwise && !layout && isTile(other.getType()))
        layout = other == tile ? LayoutAttr() : predict(other);
    if (!layout)
      layout = wantedLayout(op->getResult(0), budget);
    if (!layout)
      continue;
    if (isElementwise)
      return layout;
    if (std::optional<LayoutAttr> own = operandLayout(use, layout))
      return *own;
  }
  return {};
}

/// Whether a product, or a loop with one, stands before an operation in its
/// block.
static bool isBehindProduct(Operation *op) {
  return op->getParentOfType<tile::KernelOp>()
      .walk([&](MatrixProductOpInterface product) {
        Operation *whole = op->getBlock()->findAncestorOpInBlock(*product);
        return whole && whole->isBeforeInBlock(op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LayoutAttr Assigner::keepWarps(ViewAccessOpInterface access, LayoutAttr best,
                               LayoutAttr has) {
  Contiguity own = contiguityOf(access, facts);
  if (own.dim < 0 || !has)
    return best;
  LayoutAttr kept =
      ::keepWarps(best, has, vectorBits(best, own.dim, own.count).size(),
                  llvm::Log2_64(lanes), llvm::Log2_64(warps));
  return kept ? kept : best;
}

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
    else
      layout = keepWarps(access, best, has);
    if (LayoutAttr asked = askedLayout(access))
      layout = asked;
    requireOperand(*written, layout);
  } else {
    layout = ofAccess(access);
    // What meets a product's result behind it has that one's rows in each warp.
    unsigned budget = 24;
    if (access.getAccessedType().getRank() > 1 && !askedLayout(access) &&
        isBehindProduct(access))
      layout = keepWarps(access, layout,
                         wantedLayout(access.getAccessedTile(), budget));
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
    access = {update.getPtr(), update.getMask(), update.getValue(), true,
              areAddedInWords(update)};
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
    own.count = access->isInWords ? std::min<int64_t>(own.count, 2) : 1;
    LayoutAttr wide =
        blockedLayout(b.getContext(), shape, own.dim, own.count, lanes, warps);
    if (has && vectorBits(has, own.dim, 2).empty() == (own.count == 1) &&
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
