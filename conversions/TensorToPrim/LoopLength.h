// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long loops become when they are unrolled. Private to the conversions of
// functions on tensors.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_LOOPLENGTH_H
#define KILN_CONVERSIONS_TENSORTOPRIM_LOOPLENGTH_H

#include "mlir/IR/Region.h"

namespace kiln::tensor_to_prim {

/// How long a loop may become when it is unrolled.
constexpr int64_t mostSteps = 4096, mostOperations = 16384;

/// The number of steps from `low` to `high`.
int64_t stepsOf(int64_t low, int64_t high, int64_t by);

/// Whether a loop may be unrolled: it has no more than `mostSteps` steps and
/// `mostOperations` operations, and with the loops in it unrolled no more than
/// twice as many.
bool isShort(int64_t steps, mlir::Region &body);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_LOOPLENGTH_H
