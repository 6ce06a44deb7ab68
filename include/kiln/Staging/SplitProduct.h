//===- SplitProduct.h - One product as loops over blocks --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_STAGING_SPLITPRODUCT_H
#define KILN_STAGING_SPLITPRODUCT_H

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ProductSplit.h"
#include "kiln/Interfaces/ViewAccess.h"

namespace kiln::staging {

/// Splits one matmul into loops over blocks, as `stage-split-products` does.
/// The matmul must stand in a region of its own; the caller erases that region
/// afterwards. Returns the name of the lowering, for reports. Fails without a
/// change if neither `split` nor an attribute of the matmul states the split
/// (kiln/Interfaces/ProductSplit.h), or if blocks cannot compute the matmul.
/// With `startsFresh` the first matmul of each block overwrites the accumulator
/// (beta = 0), so that the operation that fills it with zeros may be removed.
mlir::FailureOr<std::string> splitProduct(MatrixProductOpInterface product,
                                          bool startsFresh = false,
                                          ProductSplitAttrInterface split = {});

/// How a matmul is split, for one whose definition has no place for that; null
/// for others.
using ChooseSplit = llvm::function_ref<ProductSplitAttrInterface(
    MatrixProductOpInterface product)>;

/// Splits the matmuls of a kernel of which no lowering of a plug-in is asked
/// first, each by its attribute or as `choose` says.
void splitProducts(tile::Kernel kernel, ChooseSplit choose = nullptr);

/// Returns the only load that a tile is computed from, if only elementwise
/// operations stand in between, and the loaded elements are contiguous along
/// the last dimension; else null.
ViewAccessOpInterface onlyLoad(mlir::Value tile);

} // namespace kiln::staging

#endif // KILN_STAGING_SPLITPRODUCT_H
