//===- KernelEmitter.h - Kernels of the stage level as functions -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the body of a kernel in program order: storage becomes an address, a
// region one nest over vector registers, a product a micro-kernel.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_KERNELEMITTER_H
#define KILN_LIB_CPU_KERNELEMITTER_H

#include "NestBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::cpu {

class KernelEmitter : public NestBuilder {
public:
  KernelEmitter(tile::KernelOp kernel, mlir::RewriterBase &rewriter,
                const CpuConfig &config, const target::TargetOptions &options,
                target::TargetAttr description);

  /// Emits the function of the kernel before it. On success the function
  /// carries the attribute `cpu.scratch_bytes`.
  mlir::LogicalResult run();

  // --- Operations that make a nest of their own ----------------------------
  mlir::LogicalResult emitReduce(tile::ReduceOp reduce);
  mlir::LogicalResult emitDot(MatrixProductOpInterface dot);
  /// Applies the region of a reduce to two sets of registers.
  SmallVector<Value> combine(tile::ReduceOp reduce, ValueRange left,
                             ValueRange right);
  /// One row of a reduction whose axis is the lane dimension.
  SmallVector<Value> reduceAlongLanes(
      tile::ReduceOp reduce, const Nest &nest, const Point &row,
      mlir::TypedAttr neutral, Value fastEnd,
      llvm::function_ref<SmallVector<Value>(const Point &)> evaluateAll);
  /// Combines the lanes of vectors, half against half, from one width down to
  /// another.
  SmallVector<Value> combineHalves(tile::ReduceOp reduce,
                                   SmallVector<Value> sums, int64_t from,
                                   int64_t to);
  mlir::LogicalResult emitScan(tile::ScanOp scan);
  mlir::LogicalResult emitTake(tile::GatherOp take);
  mlir::LogicalResult emitSort(tile::SortOp sort);
  mlir::LogicalResult emitHistogram(tile::HistogramOp op);
  mlir::LogicalResult emitJoin(tile::JoinOp join);
  mlir::LogicalResult emitSplit(tile::SplitOp split);
  mlir::LogicalResult emitLoadPtr(tile::LoadPtrOp load);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp store);
  mlir::LogicalResult emitAtomicRMW(tile::AtomicRMWOp op);
  /// What a store or an atomic operation combines: elements of the type that it
  /// has, or floats whose bits they are.
  static mlir::Type combinedType(mlir::Operation *op, mlir::Type element);
  /// *pointer = *pointer `kind` value, in storage types; returns the old one.
  mlir::Value combineAtomically(mlir::LLVM::AtomicBinOp kind,
                                mlir::LLVM::AtomicOrdering order,
                                mlir::Type element, mlir::Value pointer,
                                mlir::Value value);
  mlir::LogicalResult emitAtomicCAS(tile::AtomicCASOp op);
  mlir::LogicalResult emitAssert(tile::AssertOp op);
  mlir::LogicalResult emitPrint(tile::PrintOp op);
  mlir::LogicalResult emitInlineAsm(tile::InlineAsmOp op);
  mlir::LogicalResult emitStore(ViewAccessOpInterface store);
  mlir::LogicalResult emitScatter(ViewAccessOpInterface scatter);
  /// The address of a point of a tile that begins at `base`: `steps` are the
  /// elements from one coordinate to the next, null where it does not count.
  Value tileAddress(Value base, const Point &point, ArrayRef<Value> steps,
                    Type element);
  /// Stores vectors of lanes `stride` (null: one) elements apart that are in
  /// `mask` (null: all of them).
  void storeLanes(Value value, Value address, Value stride, Type element,
                  Value mask);
  /// Whether a view has more bytes than the last cache.
  bool isSurelyLarge(tile::ViewType view) const;
  /// Non-temporal stores run at memory bandwidth, but still stall on TLB misses
  /// and on partial cache lines. Prefetches the pages and lines of the row that
  /// the next instance stores.
  void touchNext(ViewAccessOpInterface store);
  Value streamingCondition(ViewAccessOpInterface store, const Nest &nest,
                           Value base, mlir::Value &peel);

  // --- What kernels tell the host (Output.cpp) -----------------------------
  /// Address of a constant in the module.
  Value constantText(llvm::StringRef text);
  Value constantWords(ArrayRef<int64_t> words);
  /// Calls the entry of KilnKernelRuntime at byte `field`, where the runtime
  /// has it, and emits `use` of what it returns.
  void callRuntime(size_t field, Type result, ValueRange args,
                   llvm::function_ref<void(Value)> use = nullptr);
  /// The kernel returns from here.
  void leave();

  // --- Control flow and scalars --------------------------------------------
  /// The generated type of a scalar of the kernel.
  Type scalarType(Type type);
  mlir::LogicalResult emitBlock(mlir::Block *block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp loop);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  void letOthersRun();
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  // --- Regions and storage (Regions.cpp) -----------------------------------
  mlir::LogicalResult emitStorage(mlir::Operation *op);
  mlir::LogicalResult emitRegion(stage::ComputeOp region);
  void setBounds(stage::ComputeOp region);
  mlir::LogicalResult emitYields(stage::ComputeOp region);
  mlir::LogicalResult emitRoot(mlir::Operation *root);
  /// One nest for everything that a region writes element by element.
  void emitWrites(ArrayRef<stage::WriteOp> writes);
  // --- Sums that go to memory at once (DirectSums.cpp) ---------------------
  /// Notes where products may write what storage would only hold until it is
  /// stored.
  void findDirectSums(stage::AllocOp alloc);
  // --- Panels and products (Products.cpp) ----------------------------------
  bool writesPanels(stage::WriteOp write);
  mlir::LogicalResult emitPack(stage::ComputeOp region, stage::WriteOp write);
  mlir::LogicalResult emitProduct(stage::ProductOp product);
  mlir::LogicalResult emitPrefetch(stage::PrefetchOp prefetch);
  /// Whether the accumulator has room for the blocks of a micro-kernel.
  mlir::LogicalResult checkBlocks(stage::ProductOp product);
  /// Whether the product's instruction is of a unit that is prepared before.
  bool needsUnit(stage::ProductOp product);
  /// The instruction of all products in a loop, where it is to be prepared for
  /// all of the loop; else null.
  mlir::FlatSymbolRefAttr unitOf(mlir::Operation *nest);
  /// Leaves the current operation to other lowerings, and says why.
  mlir::LogicalResult decline(const llvm::Twine &reason) {
    declined = reason.str();
    return mlir::failure();
  }
  std::string declined;

private:
  /// Which lowering took something last, and how many operations it made.
  struct {
    std::string owner;
    unsigned inserted = 0;
  } taken;
  friend class CpuLoweringContext;
  mlir::LogicalResult checkOps();
  /// Finds out how much scratch memory storage takes.
  mlir::LogicalResult measureStorage();
  mlir::LogicalResult emitFunction(llvm::StringRef name);
  /// Whether somebody registered a lowering for an operation that this code
  /// generator would compute inline.
  bool isCustom(mlir::Operation *op);
  void bindParameters(mlir::Value words);
  /// Emits arithmetic on scalar pointers; false for other operations.
  bool emitScalarPointer(mlir::Operation *op);
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  mlir::LogicalResult offerLowering(mlir::Operation *op);
  /// Whether the lowering that took an operation did its work.
  mlir::LogicalResult checkTaken(mlir::Operation *op);

  const target::TargetOptions &options;
  target::TargetAttr description;
  struct DirectSum {
    Value inside;       ///< whether all of it is in bounds
    Value base, stride; ///< of the view's memory, in elements
  };
  llvm::DenseMap<Value, DirectSum> directSums; ///< of storage
  /// Regions that store such sums where the condition does not hold.
  llvm::DenseMap<mlir::Operation *, Value> directStores;
  bool streams = false;  ///< some store may be non-temporal
  bool acquired = false; ///< the unit of the products is prepared
  SmallVector<Value, 3> programIds, programCounts;
};

/// Marks where the kernel returns; the rest of its block is never reached.
constexpr llvm::StringLiteral kLeavesAttr = "cpu.leaves";

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_KERNELEMITTER_H
