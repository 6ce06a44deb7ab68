//===- Convolutions.h - What convolutions are -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PRIM_CONVOLUTIONS_H
#define KILN_TRANSFORMS_PRIM_CONVOLUTIONS_H

#include "kiln/Dialect/Prim/ConvOps.h"

namespace kiln::prim {

/// Returns whether a convolution is a matmul of the input, as it is, with the
/// filter: of one group, with a window of one element, without strides, zeros
/// around the input and spread elements.
bool isPointwise(ConvOp op);

} // namespace kiln::prim

#endif // KILN_TRANSFORMS_PRIM_CONVOLUTIONS_H
