//===- ThreadCoordinates.h - Elements that a thread holds ---------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread's number and its parts, and from a layout the coordinates of the
// elements in its registers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_GPU_THREADCOORDINATES_H
#define KILN_GPU_THREADCOORDINATES_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/ThreadMath.h"
#include "kiln/Layout/Address.h"

namespace kiln::simt {

/// Computes which elements of a tile a thread holds. What depends on the thread
/// alone stands once at the beginning of its function.
class ThreadCoordinates : public ThreadMath {
public:
  using Basis = LayoutAttr::Basis;
  using ThreadMath::ThreadMath;

  /// Whether numbers that the lanes of a warp have alike are marked.
  bool marksUniform = false;

  /// The thread's number in the block, i32; lane and warp are its parts.
  Value threadId();

  /// The part of that which the warp gives: the same in all of its lanes.
  Value warpPart();
  /// A number that all threads have alike, as such.
  Value uniform(Value value);

  /// What the number of the thread moves, i32: the only input of the terms.
  Value threadPart(llvm::ArrayRef<layout::AddressTerm> terms);

  /// The part of an element's coordinate that the thread gives, i32. It is the
  /// same at every place of the function.
  Value threadCoordinate(LayoutAttr layout, unsigned dim);
  /// Whether registers and threads have bits of their own in a coordinate.
  bool isDisjoint(LayoutAttr layout, unsigned dim) const;
  /// The coordinate of what a register holds, i32.
  Value coordinate(LayoutAttr layout, int64_t reg, unsigned dim);
  /// The bits of a thread's number that are set in those that hold a copy of
  /// what another thread holds, too.
  static int64_t copyMask(LayoutAttr layout, unsigned laneBits,
                          unsigned warpBits);
  /// The first thread that holds a copy of what it holds: i1; null if all do.
  Value isFirstCopy(LayoutAttr layout);
  /// Whether a register holds an element of a tile of this shape: null for
  /// yes, else i1. Sizes that are powers of two have no others.
  Value isElement(LayoutAttr layout, int64_t reg,
                  llvm::ArrayRef<int64_t> shape);

private:
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, Value> coordinates;
  llvm::DenseMap<mlir::Attribute, Value> firstCopies;
  Value thread, ofWarp;
};

} // namespace kiln::simt

#endif // KILN_GPU_THREADCOORDINATES_H
