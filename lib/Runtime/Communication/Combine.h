// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of exchanges: their sizes, and how they are combined.
#ifndef KILN_LIB_COMMUNICATION_COMBINE_H
#define KILN_LIB_COMMUNICATION_COMBINE_H

#include "kiln-c/Communication.h"

namespace kiln::communication {

/// Bytes of an element; 0 for types that cannot be exchanged.
uint64_t elementBytes(uint32_t dtype);

/// Whether `combine` knows a combiner for a type.
bool canCombine(uint32_t combiner, uint32_t dtype);

/// to[i] = to[i] * from[i].
void combine(uint32_t combiner, uint32_t dtype, void *to, const void *from,
             uint64_t count);

} // namespace kiln::communication

#endif
