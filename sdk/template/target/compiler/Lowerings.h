// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level 2: lowerings of one tile operation each, and the pass that runs them.
#ifndef @NAME@_LOWERINGS_H
#define @NAME@_LOWERINGS_H

#include "kiln/Target/TargetRegistry.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace @name@ {

/// Registers a lowering for every tile operation that the machine has an
/// instruction for. Others may replace them: the highest priority goes first.
void registerLowerings(kiln::target::TargetRegistry &registry);

/// convert-tile-to-@name@
std::unique_ptr<mlir::Pass> createConvertTileTo@Name@();

} // namespace @name@

#endif
