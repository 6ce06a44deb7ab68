// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level 6, first half: instructions as the text that @name@-as reads.
#ifndef @NAME@_ASSEMBLY_H
#define @NAME@_ASSEMBLY_H

#include "kiln/Dialect/Tile/Tile.h"
#include <string>

namespace @name@ {

/// Appends a kernel, after convert-tile-to-@name@.
mlir::LogicalResult writeAssembly(kiln::tile::KernelOp kernel,
                                  std::string &text);

/// Runs @name@-as, which lies beside this library, for at most `seconds`; on
/// failure `error` says why.
bool assemble(llvm::StringRef text, unsigned seconds, std::string &bytes,
              std::string &error);

} // namespace @name@

#endif
