//===- ToolInput.cpp - What upstream's drivers are about to read ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

StringRef kiln::driver::inputArgument(int argc, char **argv) {
  for (int i = argc - 1; i > 0; --i)
    if (argv[i][0] != '-' && StringRef(argv[i - 1]) != "-o")
      return argv[i];
  return "<stdin>";
}

bool kiln::driver::isHarmlessFile(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file || mlir::isBytecode((*file)->getMemBufferRef()))
    return true;
  auto problem = scanText((*file)->getBuffer());
  if (problem)
    llvm::errs() << path << ":" << *problem << "\n";
  return !problem;
}
