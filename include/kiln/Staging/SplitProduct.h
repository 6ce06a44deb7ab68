//===- SplitProduct.h - One product as loops over blocks --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_STAGING_SPLITPRODUCT_H
#define KILN_STAGING_SPLITPRODUCT_H

#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ViewAccess.h"

namespace kiln::staging {

/// What `stage-split-products` does to one product that stands in a region of
/// its own, which is then of no use, and left to the caller. Gives whose work
/// it is. Fails, changing nothing, where no attribute says how
/// (kiln/Interfaces/ProductSplit.h), or the product has a form that blocks
/// cannot compute. With `startsFresh` what fills the accumulator with zeros
/// before may go: the first products overwrite it.
mlir::FailureOr<std::string> splitProduct(MatrixProductOpInterface product,
                                          bool startsFresh = false);

/// The only access of what computes a tile, if the tile's elements are the
/// accessed ones but for elementwise operations and lie beside each other along
/// the last dimension; else null.
ViewAccessOpInterface onlyLoad(mlir::Value tile);

} // namespace kiln::staging

#endif // KILN_STAGING_SPLITPRODUCT_H
