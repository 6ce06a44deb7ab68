//===- ToolInput.cpp - What upstream's drivers are about to read ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Interfaces/BytecodeTables.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using llvm::StringRef;

StringRef kiln::driver::inputArgument(int argc, char **argv) {
  for (int i = argc - 1; i > 0; --i)
    if (argv[i][0] != '-' && StringRef(argv[i - 1]) != "-o")
      return argv[i];
  return "<stdin>";
}

bool kiln::driver::isHarmlessFile(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (file &&
      kiln::frontend::FrontendRegistry::get().findByMagic((*file)->getBuffer()))
    return true;
  if (!file)
    return true;
  if (mlir::isBytecode((*file)->getMemBufferRef())) {
    std::string damage = kiln::findTableDamage((*file)->getBuffer());
    if (!damage.empty())
      llvm::errs() << path << ": byte 0: error: malformed bytecode: " << damage
                   << "\n";
    return damage.empty();
  }
  auto problem = scanText((*file)->getBuffer());
  if (problem)
    llvm::errs() << path << ":" << *problem << "\n";
  return !problem;
}

std::unique_ptr<llvm::MemoryBuffer> kiln::driver::readForeignFile(
    StringRef path, const mlir::DialectRegistry &registry, bool &failed) {
  failed = false;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file || !kiln::frontend::FrontendRegistry::get().findByMagic(
                   (*file)->getBuffer()))
    return nullptr;
  mlir::MLIRContext context(registry);
  DiagnosticPrinter printer(
      &context, [](StringRef line) { llvm::errs() << line << "\n"; }, path);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      readInput((*file)->getMemBufferRef(), &context, printer);
  failed = !module;
  if (failed)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return llvm::MemoryBuffer::getMemBufferCopy(text, path);
}
