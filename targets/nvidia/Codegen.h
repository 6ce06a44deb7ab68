//===- Codegen.h - From the llvm dialect to PTX -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_CODEGEN_H
#define KILN_TARGETS_NVIDIA_CODEGEN_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace kiln::nvidia {

/// What code is generated for.
struct Machine {
  std::string triple, cpu;
  unsigned ptx = 0; ///< 88 for 8.8
};

/// The machine of the description of `module`. `newestPtx` is what the
/// assembler takes, 0 for anything. Reports what does not fit together.
mlir::FailureOr<Machine> findMachine(mlir::ModuleOp module, unsigned newestPtx);

/// LLVM IR of a module whose kernels are the `llvm.func` operations with
/// `nvvm.kernel`, optimised, with the functions of libdevice that it calls.
class Codegen {
public:
  /// Reports what cannot be translated, where it stands. `assembler` may be
  /// empty: libdevice is looked for near it, too.
  static std::unique_ptr<Codegen> create(mlir::ModuleOp module,
                                         const Machine &machine,
                                         llvm::StringRef passes,
                                         llvm::StringRef assembler);
  ~Codegen();
  /// Folds the comparisons of a kernel that others decide. It takes registers
  /// in single kernels: those that have too few go without.
  void foldComparisonsOf(mlir::LLVM::LLVMFuncOp kernel);
  /// Orders the code of a kernel by `orderValues`.
  void orderValuesOf(mlir::LLVM::LLVMFuncOp kernel);

  void printIR(llvm::raw_ostream &os) const { code->print(os, nullptr); }
  /// The text of PTX; changes the IR. Reports what LLVM does not take.
  mlir::FailureOr<std::string> makePtx();
  /// The name of a kernel within PTX.
  std::string entryOf(mlir::LLVM::LLVMFuncOp kernel) const {
    return entries.lookup(kernel.getSymName());
  }

private:
  Codegen(mlir::ModuleOp module) : where(module.getLoc()) {}
  mlir::LogicalResult prepare(mlir::ModuleOp module, const Machine &machine,
                              llvm::StringRef passes,
                              llvm::StringRef assembler);
  void placeAssembly(mlir::ModuleOp module);
  void finishFunctions(mlir::ModuleOp module);
  mlir::LogicalResult optimize(llvm::StringRef passes, bool packs);
  void report(const llvm::DiagnosticInfo &info);

  llvm::LLVMContext context; ///< outlives the code
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<llvm::TargetMachine> machine;
  mlir::Location where; ///< of what no assembly is the reason for
  llvm::SmallVector<mlir::Location> places; ///< of inline assembly
  llvm::StringMap<std::string> entries;
  bool hasError = false; ///< something has been reported
};

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_CODEGEN_H
