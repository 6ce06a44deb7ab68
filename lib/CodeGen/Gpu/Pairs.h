//===- Pairs.h - Elements that change places with each other ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_PAIRS_H
#define KILN_LIB_GPU_PAIRS_H

#include "ScratchNeeds.h"
#include "ThreadWriter.h"

namespace kiln::tile {
class ExchangeOp;
} // namespace kiln::tile

namespace kiln::simt {

/// An exchange where each bit of its mask is one of registers, lanes or warps;
/// false where a layout mixes them.
bool exchangePairs(ThreadWriter &w, tile::ExchangeOp op);

/// What such an exchange borrows; none where a layout mixes bits.
std::optional<ScratchNeeds> pairNeeds(tile::ExchangeOp op,
                                      const BlockShape &block);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_PAIRS_H
