//===- FewImages.h - Gradients of filters for one image ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_FEWIMAGES_H
#define KILN_CONVERSIONS_PRIMTOTILE_FEWIMAGES_H

#include "kiln/Dialect/Prim/Prim.h"

namespace kiln {

/// Computes a convolution with a large window, few positions, few images and
/// one channel as a matmul of a copy of its patches. Such a convolution is the
/// gradient of a filter: its images are the channels of the filter, and its
/// channels the images of a batch. For one of few channels and one image no
/// schedule of convolutions has blocks for a matrix instruction. Returns
/// whether it did so.
bool multiplyPatches(prim::ConvOp conv);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_FEWIMAGES_H
