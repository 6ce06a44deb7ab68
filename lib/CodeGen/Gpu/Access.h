//===- Access.h - Loads, stores and copies through views --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_ACCESS_H
#define KILN_LIB_GPU_ACCESS_H

#include "Copiers.h"
#include "LayoutChoice.h"
#include "mlir/IR/Matchers.h"

namespace kiln::simt {
/// One access through a view.
class Access {
public:
  Access(ThreadWriter &w, ViewAccessOpInterface op);
  /// A block that is copied: `type` has the layout by which threads share it.
  Access(ThreadWriter &w, mlir::Value view, llvm::ArrayRef<ViewAxis> viewAxes,
         mlir::RankedTensorType type);

  mlir::LogicalResult run();
  /// Copies the block into shared memory, by pieces that `start` takes:
  /// `target` gives the address of a register's element. Outside of the view it
  /// is zero. Where `condition` does not hold nothing is copied.
  void copyAsync(const FillCondition &condition,
                 llvm::function_ref<mlir::Value(int64_t reg)> target,
                 llvm::function_ref<void(const CopyPiece &)> start);

private:
  struct Axis {
    ViewAxis axis;
    unsigned dim;       ///< of the view
    mlir::Value first;  ///< i64; null for indirect axes
    mlir::Value rest;   ///< i32: coordinates from here on are outside
    mlir::Value left;   ///< i32: the same beside the thread's own; may be null
    mlir::Value low;    ///< i32: coordinates below are outside; null: none
    mlir::Value whole;  ///< i1: the block is inside; null: it always is
    index::Facts facts; ///< of `first`
    bool alwaysInside = false;
    int64_t most = 0; ///< coordinates from here on are known to be outside
  };

  void prepare(const FillCondition &condition = {});
  static int64_t mostInside(const index::Facts &size, const Axis &a);
  void prepareAddress();
  void prepareBounds();
  mlir::Value byteOffset(mlir::Value ofRegister);
  unsigned chooseVector();
  LayoutAttr layoutOfIndices(const ViewAxis &axis);
  mlir::Value indexOf(const Axis &a, int64_t reg);
  mlir::Value isIndexInside(const Axis &a, int64_t reg);
  struct GuardedIndex;
  GuardedIndex guardedIndex(const Axis &a, int64_t reg);
  mlir::Value isInside(mlir::Value index, mlir::Value size);
  mlir::Value offsetOf(int64_t reg);
  mlir::Value maskOf(int64_t reg, bool isWhole);
  /// Whether a register's coordinate is before the end of an axis.
  mlir::Value isBeforeEnd(const Axis &a, int64_t reg);
  void load(bool isWhole, unsigned vectorBits, Regs &result);
  void store(bool isWhole, unsigned vectorBits);
  void update();
  void updateExtremes(bool isMax);
  unsigned bitsUpdatedTogether(unsigned bits);
  std::optional<mlir::Value> maskOfUpdate(int64_t reg);
  unsigned bitsAddedTogether();
  bool hasWholeWords();
  void addInWord(int64_t reg, mlir::Value value);
  mlir::Value outside();
  mlir::Value validBytes(int64_t reg, int64_t count);
  void forEachVector(unsigned bits,
                     llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);
  int64_t alignmentFor(int64_t elements);

  ThreadWriter &w;
  ViewAccessOpInterface op; ///< null for copies
  mlir::Value view;
  ViewParts parts;
  mlir::RankedTensorType type;
  LayoutAttr layout;
  mlir::Type element, stored;
  tile::CacheHint cache = tile::CacheHint::none;
  tile::EvictHint evict = tile::EvictHint::normal;
  bool isVolatile = false;

  llvm::SmallVector<ViewAxis> viewAxes;
  llvm::SmallVector<Axis> axes;
  mlir::Value everywhere; ///< i1 about axes without a dimension; may be null
  mlir::Value whole;      ///< i1: no element is outside; null: none ever is
  mlir::Value base;       ///< the thread's address
  llvm::SmallVector<unsigned>
      vectorOrder; ///< register bits that run along memory
  /// Where accesses are checked against an extent: the thread's part of the
  /// offset from the view's beginning, in elements, and the bytes that the view
  /// reaches over, both i64; null where they are not.
  mlir::Value offset, extent;
  int unit = -1; ///< the axis whose neighbours lie side by side
};

/// Whether a mask is known not to hold; null is yes.
inline bool isNever(mlir::Value mask) {
  return mask && mlir::matchPattern(mask, mlir::m_Zero());
}
} // namespace kiln::simt

#endif // KILN_LIB_GPU_ACCESS_H
