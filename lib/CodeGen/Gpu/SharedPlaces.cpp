//===- SharedPlaces.cpp - Accesses to a block's memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedPlaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

bool simt::isShared(Value pointer) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  return type && type.getAddressSpace() == 3;
}

/// Adds the accesses of LLVM's operations.
static void addUpstream(Operation *op,
                        SmallVectorImpl<ThreadAccess> &accesses) {
  TypeSwitch<Operation *>(op)
      .Case([&](LLVM::LoadOp load) {
        accesses.push_back({load.getAddr(), Value(),
                            getAccessedBytes(load.getResult().getType()),
                            Touch::Read});
      })
      .Case([&](LLVM::StoreOp store) {
        accesses.push_back({store.getAddr(), Value(),
                            getAccessedBytes(store.getValue().getType()),
                            Touch::Write});
      })
      .Case<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>([&](auto atomic) {
        accesses.push_back({atomic.getPtr(), Value(),
                            getAccessedBytes(op->getOperand(1).getType()),
                            Touch::Update});
      });
}

SmallVector<ThreadAccess, 2> simt::sharedAccesses(Operation *op) {
  SmallVector<ThreadAccess, 2> accesses = getThreadAccesses(op);
  addUpstream(op, accesses);
  llvm::erase_if(accesses, [](const ThreadAccess &access) {
    return !isShared(access.address);
  });
  return accesses;
}

std::optional<Synchronization> simt::synchronizationOf(Operation *op) {
  if (auto sync = dyn_cast<SynchronizationOpInterface>(op))
    return sync.getSynchronization();
  if (isa<gpu::BarrierOp>(op))
    return Synchronization{Synchronization::Kind::BlockBarrier};
  return std::nullopt;
}

bool simt::startsCopy(Operation *op) {
  using Flight = ThreadAccess::Flight;
  return llvm::any_of(getThreadAccesses(op), [](const ThreadAccess &access) {
    return access.flight == Flight::Copies || access.flight == Flight::Barrier;
  });
}

bool simt::synchronizes(Operation *op, Synchronization::Kind kind) {
  std::optional<Synchronization> sync =
      op ? synchronizationOf(op) : std::nullopt;
  return sync && sync->is(kind);
}

bool simt::commits(Operation *op, Synchronization::Group group) {
  std::optional<Synchronization> sync =
      op ? synchronizationOf(op) : std::nullopt;
  return sync && sync->isCommitOf(group);
}
