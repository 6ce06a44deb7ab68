//===- PadFilters.h - Gradients of odd numbers of filters -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_PADFILTERS_H
#define KILN_CONVERSIONS_PRIMTOTILE_PADFILTERS_H

#include "kiln/Dialect/Prim/Prim.h"

namespace kiln {

/// Adds a filter of zeros to a convolution with a large window, few positions
/// and an odd number of filters, such as the gradient of one filter, or of
/// three. Where threads share tiles, products read an even number of filters
/// side by side as words, and one filter is no dimension of a product. Returns
/// whether it did so.
bool padFilters(prim::ConvOp conv);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_PADFILTERS_H
