//===- KernelWalk.h - From tiles with layouts to one thread -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over a kernel in program order. Each tile is a list of scalars, one
// for each register of its layout; scalars are computed by every thread alike.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_KERNELWALK_H
#define KILN_LIB_GPU_KERNELWALK_H

#include "ExchangeMachine.h"
#include "Scratch.h"
#include "ThreadBuilder.h"
#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include <functional>

namespace kiln::simt {

/// What a view is made of.
struct ViewParts {
  mlir::Value base;                              ///< pointer to global memory
  llvm::SmallVector<mlir::Value> sizes, strides; ///< i64
};

/// Bytes of shared memory, from `begin` to before `end`.
struct StorageArea {
  int64_t begin = 0, end = 0;
};

/// Storage that threads may still read: no barrier stands yet between the last
/// read and the operation that is emitted next. Storage that ended with a
/// region stays listed, as other storage takes its place.
class PendingReads {
public:
  void add(StorageArea area) { areas.push_back(area); }
  bool overlaps(StorageArea area) const {
    return llvm::any_of(areas, [&](const StorageArea &read) {
      return read.begin < area.end && area.begin < read.end;
    });
  }
  /// All threads have passed a barrier.
  void clear() { areas.clear(); }
  /// Adds what is pending on another way to the same place.
  void join(const PendingReads &other) { areas.append(other.areas); }

private:
  llvm::SmallVector<StorageArea> areas;
};

/// Storage in the memory of the block: `offset` and `start` bytes from its
/// beginning. The elements of dimension `inner` lie side by side. In each row
/// chunks are permuted, by exclusive or with bits of its number. Rows may be
/// cut into pieces: then the first pieces of all rows come first.
struct StoragePlace {
  mlir::MemRefType type;
  mlir::Value start; ///< i32; null: 0
  int64_t offset = 0;
  /// All bytes that may be these: those of every slot of a ring.
  StorageArea area = {};
  /// Bytes of one word in every bank: each row in such a run has its chunks
  /// permuted in another way. Rows that are cut have the bytes of a piece.
  int64_t run = 0;

  unsigned inner() const;
  int64_t rowBytes() const;
  /// The same storage with its two dimensions exchanged.
  StoragePlace transposed() const;
  /// The address of the element of a register in a layout of this storage.
  mlir::Value address(ThreadBuilder &w, LayoutAttr layout, int64_t reg) const;
  /// Bytes of a row, or of a piece of one, and from piece to piece.
  int64_t pieceBytes() const;
  int64_t panelBytes() const { return pieceBytes() * outerSize(); }
  /// Bytes from the beginning. Coordinates are joined by exclusive or, and so
  /// are their places.
  int64_t placeOf(llvm::ArrayRef<int64_t> at) const;

private:
  int64_t outerSize() const { return type.getDimSize(1 - inner()); }
  int64_t runBytes() const;
  /// What bit `row` of a row's number permutes: log2(rows of a permutation).
  unsigned permuteShift() const;
  int64_t permuteMask() const;
  mlir::Value threadPlace(ThreadBuilder &w, LayoutAttr layout) const;
};

class FragmentReader;

class KernelWalk : public ThreadBuilder {
public:
  KernelWalk(tile::KernelOp kernel, mlir::OpBuilder &builder, int64_t lanes,
             int64_t warps, target::TargetAttr description);

  /// Writes the function before the kernel.
  mlir::LogicalResult run();

  // What lowerings work with.
  mlir::Value scalar(mlir::Value value);
  const Regs &registers(mlir::Value tile);
  void define(mlir::Value value, Regs regs);
  void define(mlir::Value value, mlir::Value scalar);
  /// Scratch memory of the block for one operation: its start. Whoever still
  /// reads from what was there before is waited for. If every warp has
  /// `warpBytes` of it for itself, only the warp is.
  int64_t scratch(int64_t bytes, int64_t warpBytes = 0);
  /// `unsupported: …` at the operation.
  mlir::LogicalResult decline(mlir::Operation *op, const llvm::Twine &why);
  /// Results of an operation on elements for these operands.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  elementwise(mlir::Operation *op, mlir::ValueRange operands);
  /// What a region of scalars yields.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  inlineRegion(mlir::Region &region, mlir::ValueRange arguments);
  /// The register of `layout` that holds what is at these offsets from the
  /// thread's own coordinates; -1 if none does.
  static int64_t registerAt(LayoutAttr layout, llvm::ArrayRef<int64_t> offset);
  /// A barrier for accesses to any memory.
  void synchronize();
  /// The same for the threads of a warp.
  void synchronizeWarp();
  /// Issues some of the copies that are to come, or all of them.
  void issueCopies(size_t count);
  void finishCopies() { issueCopies(lateCopies.size()); }
  size_t countCopies() const { return lateCopies.size(); }
  /// How a product reads a factor; nothing where it is in registers.
  std::unique_ptr<FragmentReader> readerOf(mlir::Value tile);
  /// The storage that a product reads a factor from; null where it is in
  /// registers.
  const StoragePlace *storageOf(mlir::Value tile) const;
  /// Whether a product that goes on by itself may do so until the next
  /// iteration's product has begun: nobody fills what it reads before, and its
  /// sums only go into that one.
  bool mayGoOn(mlir::Operation *product);
  /// It does: whoever comes behind the loop waits for it.
  void goesOn(mlir::Operation *product);
  /// A barrier behind which instructions may read what threads wrote before.
  void publish();
  /// `make` only where a condition holds (null: always).
  void guarded(mlir::Value condition, llvm::function_ref<void()> make);

  tile::KernelOp kernel;
  target::TargetAttr description;
  const ExchangeMachine machine;

private:
  void bindParameters(mlir::LLVM::LLVMFuncOp function);
  void measureStorage();
  mlir::LogicalResult emitBlock(mlir::Block *block);
  mlir::LogicalResult emitOp(mlir::Operation *op);

  // Scalars.cpp
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  mlir::LogicalResult emitElementwise(mlir::Operation *op);
  mlir::LogicalResult emitConstant(mlir::arith::ConstantOp op);
  void avoidUndefined(mlir::Operation *op,
                      llvm::SmallVectorImpl<mlir::Value> &operands);
  mlir::FailureOr<mlir::Value> castIndex(mlir::Operation *op,
                                         mlir::Value value);

  // InlineAsm.cpp
  mlir::LogicalResult emitInlineAsm(tile::InlineAsmOp op);

  // Output.cpp
  mlir::LogicalResult emitPrint(tile::PrintOp op);
  mlir::LogicalResult emitAssert(tile::AssertOp op);

  // ControlFlow.cpp
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  /// The scalars that values are, tiles register by register.
  llvm::SmallVector<mlir::Value> flatten(mlir::ValueRange values);
  llvm::SmallVector<mlir::Type> flattenTypes(mlir::TypeRange types);
  void unflatten(mlir::ValueRange values, mlir::ValueRange scalars);

  // Movement.cpp
  mlir::LogicalResult emitMovement(mlir::Operation *op);
  bool emitExchange(mlir::Operation *op);
  mlir::LogicalResult emitThroughShared(mlir::Operation *op);
  mlir::LogicalResult emitExtract(mlir::tensor::ExtractOp op);
  mlir::LogicalResult emitGather(tile::GatherOp op);
  mlir::Value evaluate(mlir::AffineExpr expr, mlir::ValueRange dims,
                       mlir::ValueRange symbols);

  // Access.cpp
  mlir::LogicalResult emitViewAccess(ViewAccessOpInterface op);
  ViewParts viewOf(mlir::Value view);

  // Pointers.cpp
  mlir::LogicalResult emitPointerOp(mlir::Operation *op);
  mlir::LogicalResult emitLoadPtr(tile::LoadPtrOp op);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp op);
  mlir::LogicalResult emitAtomic(mlir::Operation *op);
  llvm::SmallVector<unsigned> vectorsOf(mlir::Value pointers, mlir::Value mask);

  // Reduce.cpp, Scan.cpp, Dot.cpp
  mlir::LogicalResult emitReduce(tile::ReduceOp op);
  mlir::LogicalResult emitScan(tile::ScanOp op);
  mlir::LogicalResult emitSort(tile::SortOp op);
  mlir::LogicalResult emitHistogram(tile::HistogramOp op);
  mlir::LogicalResult emitProduct(mlir::Operation *op);
  mlir::LogicalResult emitProductBy(llvm::StringRef row, mlir::Operation *op);

  // MemoryProducts.cpp
  void finishProducts(mlir::Operation *loop);
  /// Results of loops that products still compute.
  llvm::DenseSet<mlir::Value> underWay;
  bool readsByProducts = false; ///< some products read storage by themselves

  // Staged.cpp
  struct Ring {
    int64_t depth = 1, align = 16, offset = 0, slotBytes = 0;
    mlir::Value fill, use;  ///< i32: where the slots begin that come next
    int64_t ready = 0;      ///< slots that are full and not consumed
    int64_t ahead = 0;      ///< slots that are full or filled in a loop
    bool isAwaited = false; ///< a slot is full that is consumed soon

    StorageArea area() const { return {offset, offset + depth * slotBytes}; }
  };
  mlir::LogicalResult emitStage(mlir::Operation *op);
  mlir::LogicalResult emitRead(stage::ReadOp op);
  // StagedCopies.cpp
  void emitCopy(stage::CopyOp op);
  void emitLookup(stage::WriteOp op);
  bool emitFilling(mlir::Operation *op);
  /// Fills storage, and waits for that.
  void fillAtOnce(mlir::Operation *op);
  /// Whether an operation only loads, from many places, what storage gets.
  static bool isLookup(mlir::Operation *op);
  void commitCopies(Ring *ring);
  void waitFor(Ring *ring);
  void beforeFilling(mlir::Operation *op);
  mlir::Value nextSlot(const Ring &ring, mlir::Value slot);
  std::optional<mlir::LogicalResult> emitFillings(mlir::scf::IfOp op);
  void bindSlot(Ring *ring, mlir::Value slot, mlir::ValueRange parts);
  /// What loops and conditions carry of rings.
  llvm::SmallVector<mlir::Value> ringCounters(size_t count);
  void setRingCounters(size_t count, mlir::ValueRange counters);
  void forgetRings(size_t count);
  static bool touchesRings(mlir::Operation *op);
  void enterRingLoop(mlir::scf::ForOp loop);
  /// Which copies are in flight, and how many slots of each ring are full.
  struct CopiesInFlight {
    llvm::SmallVector<Ring *> groups;
    llvm::SmallVector<int64_t> ready; ///< of the rings in their order
  };
  CopiesInFlight copiesInFlight() const;
  /// Returns to what held before a region that may not be executed. Its waits
  /// do not count, and its own groups are younger: later waits cover them.
  void leaveRegion(const CopiesInFlight &before);
  static int64_t slotBytes(stage::RingOp ring);
  static StorageArea areaOf(stage::RingOp ring);
  static StorageArea areaOf(stage::AllocOp alloc);
  /// Lists what an iteration of a loop may still be reading while the next one
  /// begins.
  void addReadsOfLoop(mlir::Operation *loop);
  /// Lists what a product reads of storage by itself.
  void addReadsOfProduct(mlir::Operation *product);
  /// A barrier before storage is written that threads may still read.
  void finishReads(StorageArea written);
  PendingReads reads;
  llvm::MapVector<mlir::Value, std::unique_ptr<Ring>> rings;
  llvm::SmallVector<Ring *> groups; ///< of copies under way, oldest first
  mlir::Value copyMask; ///< i1: whether the copies here happen; null: they do
  /// What copies here know beside: the most that a value is where they happen.
  std::pair<mlir::Value, int64_t> copyBound;
  index::Facts factsOf(mlir::Value value);
  llvm::DenseMap<mlir::Value, StoragePlace> storages;
  /// Copies that were asked for and are yet to be issued, and the rings whose
  /// group ends behind them: what comes next spreads them over its own work.
  llvm::SmallVector<std::function<void()>> lateCopies;
  llvm::SmallVector<Ring *> lateRings;
  /// Factors that their product reads piece by piece.
  llvm::DenseMap<mlir::Value, StoragePlace> lateReads;
  int64_t bytesToStage = 0; ///< of all storage
  int64_t stagedBytes = 0;  ///< of storage in use, before scratch memory
  int64_t mostBytes = 0;    ///< of both before scratch memory moved
  int64_t sharedBytes() const;
  void moveScratch(int64_t behind);
  /// Of the kernel's block: which use storage. The last one is yet to come.
  mlir::Operation *firstStaged = nullptr, *lastStaged = nullptr;

  // Order.cpp
  /// Waits for the block where an access may meet what another thread did.
  void order(mlir::Operation *op);
  /// The same for a copy, which others need not wait for: it is done where its
  /// storage is read.
  void orderCopy(mlir::Value source);
  bool isOwn(mlir::Operation *first, mlir::Operation *second);
  void enterLoop(mlir::Operation *loop);
  /// Waits at the end of a body for what its next round would meet.
  void endBody();
  friend class Access;

  llvm::DenseMap<mlir::Value, Regs> tiles;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, ViewParts> views;
  llvm::SmallVector<mlir::Value> programIds, programCounts; ///< i64
  index::Analysis facts;
  tile::AxisAnalysis axes{facts};
  Scratch space;
  llvm::SmallVector<mlir::Operation *> pending; ///< accesses since the barrier
  /// Barriers that order shared memory alone as yet, with the accesses to
  /// global memory since the one before: an access that may meet one of these
  /// makes the barrier order both memories.
  struct NarrowBarrier {
    BarrierOp barrier;
    llvm::SmallVector<mlir::Operation *> before;
  };
  llvm::SmallVector<NarrowBarrier> narrowBarriers;
  void widenBarriers(llvm::function_ref<bool(mlir::Operation *)> meets);
  mlir::LLVM::LLVMFuncOp function;
};

using tile::alignmentOf;
/// What a stride, or the size, of a view is known to be a multiple of.
int64_t strideDivisor(mlir::Value view, unsigned dim, index::Analysis &facts);
int64_t sizeDivisor(mlir::Value view, unsigned dim, index::Analysis &facts);
/// What is known of the size of a view.
index::Facts sizeFacts(mlir::Value view, unsigned dim, index::Analysis &facts);
/// The parameter that a pointer or a view comes from; null if unknown.
mlir::BlockArgument rootOf(mlir::Value pointerOrView);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_KERNELWALK_H
