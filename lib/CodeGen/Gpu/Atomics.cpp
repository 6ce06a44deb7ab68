//===- Atomics.cpp - Atomic accesses in the llvm dialect ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/Lowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The order of an exchange that finds another number.
static LLVM::AtomicOrdering failureOrder(LLVM::AtomicOrdering order) {
  return order == LLVM::AtomicOrdering::acq_rel ||
                 order == LLVM::AtomicOrdering::acquire
             ? LLVM::AtomicOrdering::acquire
             : LLVM::AtomicOrdering::monotonic;
}

bool simt::lowerAtomic(Operation *op,
                       function_ref<StringRef(tile::MemoryScope)> nameOf) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (auto fence = dyn_cast<simt::FenceOp>(op)) {
    LLVM::FenceOp::create(b, loc, fence.getOrder(), nameOf(fence.getScope()));
    op->erase();
    return true;
  }
  Value old;
  if (auto rmw = dyn_cast<simt::AtomicRMWOp>(op);
      rmw && isa<VectorType>(rmw.getType())) {
    // One element after the other.
    auto type = cast<VectorType>(rmw.getType());
    old = LLVM::PoisonOp::create(b, loc, type);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value at = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i));
      Value address = LLVM::GEPOp::create(
          b, loc, rmw.getAddress().getType(), type.getElementType(),
          rmw.getAddress(), ArrayRef<LLVM::GEPArg>{int32_t(i)});
      Value one = LLVM::AtomicRMWOp::create(
          b, loc, rmw.getKind(), address,
          LLVM::ExtractElementOp::create(b, loc, rmw.getValue(), at),
          rmw.getOrder(), nameOf(rmw.getScope()));
      old = LLVM::InsertElementOp::create(b, loc, old, one, at);
    }
  } else if (rmw) {
    old = LLVM::AtomicRMWOp::create(b, loc, rmw.getKind(), rmw.getAddress(),
                                    rmw.getValue(), rmw.getOrder(),
                                    nameOf(rmw.getScope()));
  } else if (auto cas = dyn_cast<simt::AtomicCASOp>(op)) {
    Value pair = LLVM::AtomicCmpXchgOp::create(
        b, loc, cas.getAddress(), cas.getExpected(), cas.getValue(),
        cas.getOrder(), failureOrder(cas.getOrder()), nameOf(cas.getScope()));
    old = LLVM::ExtractValueOp::create(b, loc, pair, ArrayRef<int64_t>{0});
  } else {
    return false;
  }
  op->getResult(0).replaceAllUsesWith(old);
  op->erase();
  return true;
}
