//===- ThreadWriter.h - From tiles with layouts to one thread ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the code of one thread of a kernel, in program order. A tile is a list
// of scalars, one for each register of its layout. Every thread computes the
// scalars of the kernel alike.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_THREADWRITER_H
#define KILN_LIB_GPU_THREADWRITER_H

#include "Order.h"
#include "ScratchNeeds.h"
#include "StorageAreas.h"
#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace kiln::simt {

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

/// The condition that copies into a slot are under.
struct FillCondition {
  mlir::Value mask; ///< i1: whether they happen; null: they do
  /// What is known beside: the most that a value is where they happen.
  std::pair<mlir::Value, int64_t> bound;

  /// What is known of a value under the condition.
  index::Facts factsOf(mlir::Value value, index::Analysis &facts) const;
};

/// The code of a kernel's thread while it is written, with what the family's
/// own lowerings share.
class ThreadWriter : public RegisterCode {
public:
  ThreadWriter(tile::KernelOp kernel, mlir::RewriterBase &builder,
               int64_t lanes, int64_t warps, target::TargetAttr description);

  /// Writes the function before the kernel.
  mlir::LogicalResult run();
  /// Lowers an operation, or those of a block but its terminator.
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerBlock(mlir::Block *block);

  ViewParts viewOf(mlir::Value view) override;
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  elementwise(mlir::Operation *op, mlir::ValueRange operands) override;
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  inlineRegion(mlir::Region &region, mlir::ValueRange arguments) override;

  /// `unsupported: …` at the operation.
  mlir::LogicalResult decline(mlir::Operation *op, const llvm::Twine &why);
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

  tile::Kernel kernel;
  target::TargetAttr description;
  const BlockShape shape;
  mlir::LLVM::LLVMFuncOp function;
  llvm::SmallVector<mlir::Value> programIds, programCounts; ///< i64
  index::Analysis facts;
  tile::AxisAnalysis axes{facts};

  llvm::DenseMap<mlir::Value, StoragePlace> storages;

private:
  void bindParameters(mlir::LLVM::LLVMFuncOp function);
  /// Gives an operation to the lowering that takes it.
  mlir::LogicalResult applyLowering(mlir::Operation *op);
  mlir::LogicalResult checkDefined(mlir::Operation *op,
                                   const target::Lowering &lowering);

  mlir::RewriterBase &rewriter;
  llvm::DenseMap<mlir::Value, ViewParts> views;
};

using tile::alignmentOf;
/// What a stride, or the size, of a view is known to be a multiple of.
int64_t strideDivisor(mlir::Value view, unsigned dim, index::Analysis &facts);
int64_t sizeDivisor(mlir::Value view, unsigned dim, index::Analysis &facts);
/// What is known of the size of a view.
index::Facts sizeFacts(mlir::Value view, unsigned dim, index::Analysis &facts);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_THREADWRITER_H
