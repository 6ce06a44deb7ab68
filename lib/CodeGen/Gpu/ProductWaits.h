//===- ProductWaits.h - Where asynchronous products are waited for -*- C++ -*-//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_PRODUCTWAITS_H
#define KILN_LIB_GPU_PRODUCTWAITS_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::simt {

/// The sum of an asynchronous product before simt-insert-barriers: what the
/// wait right behind it gives.
mlir::Value sumOf(mlir::Operation *product);

/// A wait for the sums of an asynchronous product.
struct ProductWait {
  mlir::Value sum;         ///< what is waited for: a sum, or what is carried
  mlir::Operation *before; ///< the wait stands before it, in its block
  int64_t but = 0;         ///< groups of products that may still be in flight
  /// What the next iteration's left factor is computed from: it may not be
  /// before the wait, as the product reads that factor's registers until then.
  llvm::SmallVector<mlir::Value> held;
  mlir::Operation *holder = nullptr; ///< who computes it
  /// If not null, the sum goes on into the next iteration, and this is the
  /// loop's result, which needs a wait of its own.
  mlir::Value loopResult;
};

/// Chooses the wait of a product. One whose sum the loop carries to the next
/// iteration may be in flight until that uses it if `mayBeCarried` says so for
/// its slots; `latest`, if not null, is an operation of the product's block
/// before which the wait has to be.
ProductWait chooseProductWait(mlir::Operation *product, bool mayBeCarried,
                              mlir::Operation *latest,
                              target::TargetAttr description);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_PRODUCTWAITS_H
