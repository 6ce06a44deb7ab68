// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kiln/Interfaces/Bytecode.h"
#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;

LogicalResult kiln::writeBytecode(Operation *op, llvm::raw_ostream &os) {
  BytecodeWriterConfig config;
  config.setDesiredBytecodeVersion(kBytecodeVersion);
  return writeBytecodeToFile(op, os, config);
}
