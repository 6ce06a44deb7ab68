// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of bytecode: docs/versions.md says what they promise.
#ifndef KILN_INTERFACES_BYTECODE_H
#define KILN_INTERFACES_BYTECODE_H

#include "llvm/Support/LogicalResult.h"
#include <cstdint>

namespace llvm {
class raw_ostream;
}
namespace mlir {
class Operation;
}

namespace kiln {

/// The version of MLIR's bytecode that files have. It is the last one that
/// writes the properties of operations as attributes, by name. Later ones write
/// what the build's operations have, which changes between versions of LLVM:
/// those cannot read each other's `arith`, `math` or `scf`.
constexpr int64_t kBytecodeVersion = 4;

/// Writes an operation as bytecode that compilers of other versions of LLVM
/// read. Whatever Kiln writes into a file comes from here.
llvm::LogicalResult writeBytecode(mlir::Operation *op, llvm::raw_ostream &os);

} // namespace kiln

#endif
