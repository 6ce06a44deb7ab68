// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From tile kernels to the text of the tiny machine.
#ifndef TINY_CODEGEN_H
#define TINY_CODEGEN_H

#include "kiln/Dialect/Tile/Tile.h"
#include <string>

namespace tiny {

/// Whether the machine can run `kernel`; `reason` says why not.
bool canRun(kiln::tile::KernelOp kernel, std::string &reason);

/// The kernel's text. Reports through emitError.
mlir::LogicalResult generate(kiln::tile::KernelOp kernel, std::string &text);

} // namespace tiny

#endif
