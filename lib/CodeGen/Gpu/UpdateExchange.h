//===- UpdateExchange.h - Exchanges for updates of memory -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_UPDATEEXCHANGE_H
#define KILN_LIB_GPU_UPDATEEXCHANGE_H

#include "ExchangeMachine.h"

namespace kiln::simt {

/// Multiplies what shared memory costs, where it is short and an exchange is
/// for atomic updates of memory alone: these take longer than what lanes do.
/// Leaves `machine` alone unless its description has exchanges of all lanes of
/// a warp.
void preferLanesForUpdates(mlir::Operation *exchange, int64_t lanes,
                           ExchangeMachine &machine);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_UPDATEEXCHANGE_H
