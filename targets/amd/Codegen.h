//===- Codegen.h - From the llvm dialect to objects -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_CODEGEN_H
#define KILN_TARGETS_AMD_CODEGEN_H

#include "Chips.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace kiln::amd {

/// LLVM IR of a module whose kernels are the `llvm.func` operations with
/// `rocdl.kernel`, optimised by LLVM's pipeline of O3, with the functions of
/// the device library that it calls.
class Codegen {
public:
  /// Reports what cannot be translated, where it stands.
  static std::unique_ptr<Codegen> create(mlir::ModuleOp module,
                                         const Chip &chip,
                                         const target::TargetOptions &options);
  ~Codegen();

  void printIR(llvm::raw_ostream &os) const { code->print(os, nullptr); }
  /// Assembly or an object; changes the IR. Reports what LLVM does not take.
  mlir::FailureOr<std::string> make(llvm::CodeGenFileType form);

private:
  explicit Codegen(mlir::ModuleOp module) : where(module.getLoc()) {}
  mlir::LogicalResult prepare(mlir::ModuleOp module, const Chip &chip,
                              const target::TargetOptions &options);
  void finishFunctions();
  void optimize();

  llvm::LLVMContext context; ///< outlives the code
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<llvm::TargetMachine> machine;
  mlir::Location where;
  bool packsFloats = false; ///< whether the chip has instructions for that
  bool hasError = false;    ///< something has been reported
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_CODEGEN_H
