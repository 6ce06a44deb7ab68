//===- SplitProduct.h - One product as loops over blocks --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_STAGING_SPLITPRODUCT_H
#define KILN_STAGING_SPLITPRODUCT_H

#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ViewAccess.h"

namespace kiln::staging {

/// Splits one matmul into loops over blocks, as `stage-split-products` does.
/// The matmul must stand in a region of its own; the caller erases that region
/// afterwards. Returns the name of the lowering, for reports. Fails without a
/// change if no attribute states the split (kiln/Interfaces/ProductSplit.h),
/// or if blocks cannot compute the matmul. With `startsFresh` the first matmul
/// of each block overwrites the accumulator (beta = 0), so that the operation
/// that fills it with zeros may be removed.
mlir::FailureOr<std::string> splitProduct(MatrixProductOpInterface product,
                                          bool startsFresh = false);

/// Returns the only load that a tile is computed from, if only elementwise
/// operations stand in between, and the loaded elements are contiguous along
/// the last dimension; else null.
ViewAccessOpInterface onlyLoad(mlir::Value tile);

} // namespace kiln::staging

#endif // KILN_STAGING_SPLITPRODUCT_H
