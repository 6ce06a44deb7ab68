// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that are lists, of which only the program knows the numbers. Private
// to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_LISTS_H
#define KILN_CONVERSIONS_ONNXTOPRIM_LISTS_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// Gives inputs that are lists of an open length the length that follows from
/// ranks, attributes and other lists. The program fails where they have
/// another one.
void completeLists(Node &n);

/// Axes that are data, of any number: integers from 0 on.
Value axesFrom(Node &n, unsigned i, int64_t rank);

/// Whether `axes`, of any number, name a dimension: a scalar.
Value isNamed(Node &n, Value axes, int64_t dim);

/// The entry of `list` for the dimension that the same entry of `axes` names, a
/// scalar of i64; `otherwise` if none names it.
Value entryOf(Node &n, Value list, Value axes, int64_t dim, Value otherwise);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_LISTS_H
