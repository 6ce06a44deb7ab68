//===- ThreadNumbers.h - Threads with values of their own -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_THREADNUMBERS_H
#define KILN_LIB_GPU_THREADNUMBERS_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/ThreadCoordinates.h"

namespace kiln::simt {

/// Numbers threads from 0 on without some bits of the thread: threads that
/// differ in these bits alone have one number, and what they have in common
/// takes one place in memory.
class ThreadNumbers {
public:
  /// `isLeftOut` tells it of each bit of a thread.
  ThreadNumbers(unsigned bits, llvm::function_ref<bool(unsigned)> isLeftOut);

  int64_t count() const { return numbers; }
  mlir::Value ofThread(ThreadCoordinates &w) const;
  /// Whether a thread (i1) is the first with its number; null where each is.
  /// Bits that `tellsApart` names count as if they were part of the number.
  mlir::Value isFirst(ThreadCoordinates &w,
                      llvm::function_ref<bool(unsigned)> tellsApart) const;

private:
  /// Bits of the thread from `bit` on, under `mask`; one step of them is
  /// `stride` numbers.
  struct Run {
    unsigned bit;
    int64_t mask, stride;
  };
  llvm::SmallVector<Run> runs;
  llvm::SmallVector<unsigned> leftOut;
  int64_t numbers = 1;
};

/// Whether threads that differ in a bit alone hold copies of each other's
/// elements.
bool isCopyBit(LayoutAttr layout, unsigned bit, unsigned laneBits,
               unsigned warpBits);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_THREADNUMBERS_H
