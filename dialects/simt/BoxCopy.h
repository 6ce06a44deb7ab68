//===- BoxCopy.h - Boxes that a copy unit copies ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_SIMT_BOXCOPY_H
#define KILN_DIALECTS_SIMT_BOXCOPY_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

// What the copies of boxes, by a block and by a cluster, state of them alike.
namespace kiln::simt::detail {

/// Returns the bytes of an element; 8 of what is no number, such as a pointer.
template <typename CopyOp> int64_t elementBytesOf(CopyOp op) {
  constexpr int64_t kBits = 8;
  mlir::Type element = op.getElement();
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), kBits)
             : kBits;
}

/// Returns the bytes of a row: of the box along the dimension whose elements
/// are neighbours.
template <typename CopyOp> int64_t rowBytesOf(CopyOp op) {
  return op.getBox()[op.getAlong()] * elementBytesOf(op);
}

/// Returns the bytes of a row that lie side by side: at most a swizzle's row.
template <typename CopyOp> int64_t pieceBytesOf(CopyOp op) {
  int64_t row = rowBytesOf(op);
  return op.getSwizzleAttr() ? std::min(row, op.getSwizzleAttr().getRow())
                             : row;
}

/// Returns the number of rows.
template <typename CopyOp> int64_t rowsOf(CopyOp op) {
  int64_t rows = 1;
  for (auto [d, size] : llvm::enumerate(op.getBox()))
    if (int64_t(d) != int64_t(op.getAlong()))
      rows *= size;
  return rows;
}

} // namespace kiln::simt::detail

#endif // KILN_DIALECTS_SIMT_BOXCOPY_H
