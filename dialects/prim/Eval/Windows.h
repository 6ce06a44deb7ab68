// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions of a window that slides over the spatial dimensions of
// [N, spatial..., C]. Private to this folder.
#ifndef KILN_DIALECTS_PRIM_EVAL_WINDOWS_H
#define KILN_DIALECTS_PRIM_EVAL_WINDOWS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::eval {

struct Windows {
  llvm::SmallVector<int64_t, 3> input, output, window;
  llvm::SmallVector<int64_t, 3> strides, padLow, padHigh, dilation,
      inputDilation;
  int64_t positions = 1; ///< of the window
  int64_t elements = 1;  ///< of the window
  int64_t inputs = 1;    ///< spatial elements of the input

  /// Computes the sizes of the output.
  mlir::LogicalResult finalize(mlir::Operation *op);

  /// The spatial input element that window element `w` of position `p` reads
  /// (all row-major); -1 where there is none.
  int64_t source(int64_t p, int64_t w) const;
};

} // namespace kiln::eval

#endif // KILN_DIALECTS_PRIM_EVAL_WINDOWS_H
