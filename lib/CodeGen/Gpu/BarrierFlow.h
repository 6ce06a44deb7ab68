//===- BarrierFlow.h - Where threads of a block have to wait ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dataflow analysis of a kernel whose tiles have layouts and whose storage
// has places. Its state at a point of the kernel is what threads have accessed
// since the last barrier, in global memory and by bytes in shared memory, and
// which groups of copies are in flight. The analysis also gives places to the
// shared memory that operations borrow: next to pending accesses rather than
// over them, so that fewer barriers are needed.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_BARRIERFLOW_H
#define KILN_LIB_GPU_BARRIERFLOW_H

#include "ProductWaits.h"
#include "ScratchNeeds.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::simt {

/// What stands before an operation.
struct Waits {
  bool block = false; ///< a barrier
  bool warp = false;  ///< a barrier of each warp
  /// What barriers here have to order where they name memories.
  Memories memories = Memories::Shared;
  /// A fence, behind which products read what threads wrote.
  bool publishes = false;
  /// A wait for groups of copies, all but so many, then a barrier.
  std::optional<int64_t> copiesBut;
};

/// What the analysis decides.
struct BarrierPlan {
  llvm::DenseMap<mlir::Operation *, Waits> before;
  /// Products that go on by themselves.
  llvm::MapVector<mlir::Operation *, ProductWait> products;
  /// Where the pieces begin that an operation borrows, and their bytes.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> scratch;
  int64_t sharedBytes = 0;
};

/// Rings whose group of copies ends behind an operation: behind what fills a
/// slot, or behind the condition that it is under, so that there are as many
/// groups whatever holds.
llvm::SmallVector<mlir::Value> groupsEndingAt(mlir::Operation *op);
/// Whether an operation consumes a slot that nothing reads.
bool isUnused(mlir::Operation *op);
/// Whether an operation outside of any slot fills storage: by copies that are
/// waited for right behind it.
bool fillsAtOnce(mlir::Operation *op);

class BarrierFlow {
public:
  BarrierFlow(tile::KernelOp kernel, const BlockShape &block);
  BarrierPlan run();

private:
  /// Bytes that threads read, or yet read, of shared memory.
  struct Touch {
    StorageArea area;
    int64_t warpBytes = 0; ///< each warp has its own part of so many bytes
    mlir::Operation *op = nullptr;

    bool operator==(const Touch &other) const {
      return area == other.area && warpBytes == other.warpBytes &&
             op == other.op;
    }
  };
  /// What threads did since the last barrier that all of them passed.
  struct Pending {
    llvm::SetVector<mlir::Operation *> global;
    llvm::SmallVector<Touch> shared;
    /// Accesses to global memory behind which there was a barrier, with the
    /// operation that the barrier stands at, where barriers name memories. What
    /// meets one of these later makes the barrier order all memories.
    llvm::SetVector<std::pair<mlir::Operation *, mlir::Operation *>> parted;
    /// Tiles that threads wrote to storage, with the operation that the last
    /// barrier since then stands at. If a product reads one by itself, a fence
    /// stands before that barrier.
    llvm::SetVector<std::pair<mlir::Operation *, mlir::Operation *>> written;

    void add(const Touch &touch) {
      if (!llvm::is_contained(shared, touch))
        shared.push_back(touch);
    }
    void join(const Pending &other);
    bool contains(const Pending &other) const;
  };
  /// Copies in flight, in the order of the text.
  struct Copies {
    llvm::SmallVector<mlir::Value> groups;      ///< their rings; null: of none
    llvm::DenseMap<mlir::Value, int64_t> ready; ///< full slots, not consumed
    llvm::DenseSet<mlir::Value> awaited; ///< rings that are consumed soon

    void forgetInside(mlir::Operation *op);
  };

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitWhile(mlir::scf::WhileOp loop);
  void visitIf(mlir::scf::IfOp op);
  /// Goes through a loop until nothing new is pending at its beginning; `body`
  /// leaves what is pending where the next iteration begins.
  void iterate(mlir::Operation *loop, llvm::function_ref<void()> body);
  // Staged operations.
  void visitFilling(mlir::Operation *op);
  void visitTake(mlir::Operation *op, mlir::Value ring);
  /// Threads write what they have to storage.
  void visitWrite(stage::StorageWriteOpInterface op);
  /// A barrier between `op` and what threads wrote to storage that it reads.
  void partFromWrites(mlir::Operation *op, StorageArea read);
  /// Fences before the barriers between such writes and a product that reads by
  /// itself.
  void publishFor(StorageArea read);
  void visitProduct(stage::StorageProductOpInterface op);
  /// A product reads storage.
  void addReads(stage::StorageProductOpInterface op);
  void enterRingLoop(mlir::scf::ForOp loop);
  std::optional<int64_t> takeSlot(mlir::Value ring);
  void waitForSlot(mlir::Value ring, mlir::Operation *anchor);
  void awaitOthers(mlir::Operation *consume, mlir::Operation *anchor);
  bool mayBeCarried(stage::StorageProductOpInterface op);
  /// Products that are waited for before an operation are no longer in flight.
  void visitWaits(mlir::Operation *before);
  /// Has the products in flight that `met` names waited for before `op`; true
  /// if there are any.
  bool waitForProducts(mlir::Operation *op,
                       llvm::ArrayRef<mlir::Operation *> met);
  // Accesses.
  void visitGlobal(mlir::Operation *op);
  void visitScratch(mlir::Operation *op);
  /// What an operation borrows, in more rounds where that spares memory.
  ScratchNeeds needsAt(mlir::Operation *op) const;
  void findMeetings(StorageArea written,
                    llvm::SmallVectorImpl<mlir::Operation *> &with) const;
  /// Places a piece of borrowed memory where nothing is pending; if it cannot,
  /// where the operation's last piece was, if there is one.
  int64_t findPlace(mlir::Operation *op, const ScratchNeed &need,
                    std::optional<int64_t> last);
  /// A barrier between an operation and what it meets.
  void part(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> met);
  /// The same; at the end of an iteration where that is enough.
  void partBehind(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> met);
  void decideBlock(mlir::Operation *anchor);
  /// All threads pass a barrier at `anchor`, before which all that is pending
  /// is done, or what is not inside of `inside` if that is not null.
  void passBarrier(mlir::Operation *anchor, mlir::Operation *inside = nullptr);
  /// Barriers have to order the accesses before them that `meets`.
  void widenBarriers(llvm::function_ref<bool(mlir::Operation *)> meets);

  tile::Kernel kernel;
  const BlockShape &block;
  const bool namesMemories;
  BarrierPlan plan;
  Pending pending;
  Copies copies;
  /// Slots that are full, or filled in a loop, while it is gone through.
  llvm::DenseMap<mlir::Value, int64_t> ahead;
  /// Loops before which a barrier may part what is behind them from what comes
  /// before, if no barrier inside of them has to do that anyway.
  llvm::SetVector<mlir::Operation *> wanted;
  /// Products that read their factors yet, whatever barriers there are.
  llvm::SmallPtrSet<mlir::Operation *, 4> inFlight;
  /// Operations that products have to be waited for before.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> latestWait;
  size_t decisions = 0;
  bool again = false; ///< what came before has changed
  llvm::SmallVector<StorageLife> storages;
  llvm::DenseMap<mlir::Operation *, ScratchNeeds> needsOf;
  llvm::DenseMap<int64_t, int64_t> scratchSize; ///< by where it begins
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_BARRIERFLOW_H
