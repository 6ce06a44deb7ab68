//===- ThreadCoordinates.h - Elements that a thread holds -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the number of a thread, and the coordinates of the elements that its
// registers hold under a layout.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_THREADCOORDINATES_H
#define KILN_GPU_THREADCOORDINATES_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/ThreadMath.h"
#include "kiln/Layout/Address.h"

namespace kiln::simt {

/// Emits code that computes which elements of a tile a thread holds. Values
/// that depend on the thread alone are computed once, at the beginning of the
/// function.
class ThreadCoordinates : public ThreadMath {
public:
  using Basis = LayoutAttr::Basis;
  using ThreadMath::ThreadMath;

  /// Whether values that are equal in all lanes of a warp are marked as
  /// uniform.
  bool marksUniform = false;

  /// Returns the thread's number in the block, i32: lane + warp * lanes.
  Value threadId();

  /// Returns the part of that number that is equal in all lanes: warp * lanes.
  Value warpPart();
  /// Returns `value`, which is equal in all threads, marked as uniform if
  /// `marksUniform`.
  Value uniform(Value value);

  /// Evaluates address terms, whose only input is the number of the thread,
  /// i32.
  Value threadPart(llvm::ArrayRef<layout::AddressTerm> terms);

  /// Returns the part of an element's coordinate along `dim` that depends on
  /// the thread, i32. It is the same at every place of the function.
  Value threadCoordinate(LayoutAttr layout, unsigned dim);
  /// Returns true if registers and threads move different bits of a coordinate.
  bool isDisjoint(LayoutAttr layout, unsigned dim) const;
  /// Returns the coordinate along `dim` of the element in a register, i32.
  Value coordinate(LayoutAttr layout, int64_t reg, unsigned dim);
  /// Returns a mask of bits of a thread's number. The threads in which all of
  /// these bits are zero hold each element once; all others hold copies.
  static int64_t copyMask(LayoutAttr layout, unsigned laneBits,
                          unsigned warpBits);
  /// Returns whether the thread is the first of those that hold the same
  /// elements, i1; null if there are no copies.
  Value isFirstCopy(LayoutAttr layout);
  /// Returns whether a register holds an element inside of `shape`, i1; null if
  /// it always does, as for sizes that are powers of two.
  Value isElement(LayoutAttr layout, int64_t reg,
                  llvm::ArrayRef<int64_t> shape);

private:
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, Value> coordinates;
  llvm::DenseMap<mlir::Attribute, Value> firstCopies;
  Value thread, ofWarp;
};

} // namespace kiln::simt

#endif // KILN_GPU_THREADCOORDINATES_H
