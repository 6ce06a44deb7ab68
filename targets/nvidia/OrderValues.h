//===- OrderValues.h - Code that needs fewer registers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_ORDERVALUES_H
#define KILN_TARGETS_NVIDIA_ORDERVALUES_H

#include "llvm/IR/Function.h"

namespace kiln::nvidia {

/// Orders the instructions of each block for register pressure: one that makes
/// more bits than it is the last to use stands where its first user needs it,
/// all others as soon as their operands are known. Thread code computes tile by
/// tile, all registers of one tile, then all of the next; after this the values
/// behind a matmul are computed store by store.
///
/// Instructions that write memory, that have other effects, or that involve
/// other threads keep their order, and loads do not pass them. Nothing passes
/// inline assembly with effects: what stands beside an asynchronous matmul
/// overlaps with it. Returns true if the order of a block changed.
bool orderValues(llvm::Function &function);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_ORDERVALUES_H
