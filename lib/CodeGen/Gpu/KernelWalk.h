//===- KernelWalk.h - From tiles with layouts to one thread -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over a kernel in program order. Each tile is a list of scalars, one
// for each register of its layout; scalars are computed by every thread alike.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_KERNELWALK_H
#define KILN_LIB_GPU_KERNELWALK_H

#include "Order.h"
#include "ScratchNeeds.h"
#include "StorageAreas.h"
#include "ThreadBuilder.h"
#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <functional>

namespace kiln::simt {

/// What a view is made of.
struct ViewParts {
  mlir::Value base;                              ///< pointer to global memory
  llvm::SmallVector<mlir::Value> sizes, strides; ///< i64
};

/// Storage in the memory of the block: `offset` and `start` bytes from its
/// beginning. The elements of dimension `inner` lie side by side. In each row
/// chunks are permuted, by exclusive or with bits of its number. Rows may be
/// cut into pieces: then the first pieces of all rows come first.
struct StoragePlace {
  mlir::MemRefType type;
  mlir::Value start; ///< i32; null: 0
  int64_t offset = 0;
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
  /// Where the next piece of shared memory begins that the operation borrows,
  /// as `simt.scratch` says. What it read of the piece before is done with.
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
  /// A barrier for the threads of a warp.
  void warpBarrier();
  /// How a product reads a factor; nothing where it is in registers.
  std::unique_ptr<FragmentReader> readerOf(mlir::Value tile);
  /// The storage that a product reads a factor from; null where it is in
  /// registers.
  const StoragePlace *storageOf(mlir::Value tile) const;
  /// `make` only where a condition holds (null: always).
  void guarded(mlir::Value condition, llvm::function_ref<void()> make);

  tile::KernelOp kernel;
  target::TargetAttr description;
  const BlockShape shape;

private:
  void bindParameters(mlir::LLVM::LLVMFuncOp function);
  mlir::LogicalResult emitBlock(mlir::Block *block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  /// Barriers, waits and fences, which stand in the kernel already.
  mlir::LogicalResult emitWait(mlir::Operation *op);

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
  /// The same for what a loop carries; tiles in `pairs` are carried as vectors
  /// of two elements.
  llvm::SmallVector<Value> flattenCarried(mlir::ValueRange values,
                                          const llvm::SmallBitVector &pairs);
  void unflattenCarried(mlir::ValueRange values, mlir::ValueRange flat,
                        const llvm::SmallBitVector &pairs);
  void unflatten(mlir::ValueRange values, mlir::ValueRange scalars);

  // Movement.cpp
  mlir::LogicalResult emitMovement(mlir::Operation *op);
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

  // Staged.cpp
  struct Ring {
    int64_t depth = 1, align = 16, offset = 0, slotBytes = 0;
    mlir::Value fill, use; ///< i32: where the slots begin that come next
  };
  mlir::LogicalResult emitStage(mlir::Operation *op);
  mlir::LogicalResult emitRead(stage::ReadOp op);
  // StagedCopies.cpp
  void emitCopy(stage::CopyOp op);
  void emitLookup(stage::WriteOp op);
  /// A copy, or a load that becomes one; false for anything else.
  bool emitFilling(mlir::Operation *op);
  mlir::Value nextSlot(const Ring &ring, mlir::Value slot);
  std::optional<mlir::LogicalResult> emitFillings(mlir::scf::IfOp op);
  void bindSlot(Ring *ring, mlir::Value slot, mlir::ValueRange parts);
  /// What loops and conditions carry of rings.
  llvm::SmallVector<mlir::Value> ringCounters(size_t count);
  void setRingCounters(size_t count, mlir::ValueRange counters);
  void forgetRings(size_t count);
  llvm::MapVector<mlir::Value, std::unique_ptr<Ring>> rings;
  mlir::Value copyMask; ///< i1: whether the copies here happen; null: they do
  /// What copies here know beside: the most that a value is where they happen.
  std::pair<mlir::Value, int64_t> copyBound;
  index::Facts factsOf(mlir::Value value);
  llvm::DenseMap<mlir::Value, StoragePlace> storages;
  /// Factors that their product reads piece by piece.
  llvm::DenseMap<mlir::Value, StoragePlace> lateReads;

  friend class Access;

  /// Of the operation that is lowered: where its scratch memory is, and how
  /// many pieces of it have been used.
  llvm::ArrayRef<int64_t> scratchPlaces;
  size_t scratchUsed = 0;
  llvm::DenseMap<mlir::Value, Regs> tiles;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, ViewParts> views;
  llvm::SmallVector<mlir::Value> programIds, programCounts; ///< i64
  index::Analysis facts;
  tile::AxisAnalysis axes{facts};
  mlir::LLVM::LLVMFuncOp function;
};

using tile::alignmentOf;
/// What a stride, or the size, of a view is known to be a multiple of.
int64_t strideDivisor(mlir::Value view, unsigned dim, index::Analysis &facts);
int64_t sizeDivisor(mlir::Value view, unsigned dim, index::Analysis &facts);
/// What is known of the size of a view.
index::Facts sizeFacts(mlir::Value view, unsigned dim, index::Analysis &facts);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_KERNELWALK_H
