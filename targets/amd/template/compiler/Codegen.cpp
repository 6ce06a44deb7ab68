// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "@Name@.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
}

void @name@::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

/// The linker makes of an object what a loader takes.
static LogicalResult link(ModuleOp module, StringRef object, std::string &out) {
  // That of this LLVM first: older ones do not know its code objects.
  llvm::ErrorOr<std::string> linker = llvm::sys::findProgramByName(
      "ld.lld-" + std::to_string(LLVM_VERSION_MAJOR));
  if (!linker)
    linker = llvm::sys::findProgramByName("ld.lld");
  if (!linker)
    return module.emitError("no ld.lld on the search path");
  SmallString<128> from, to;
  int file = 0;
  if (llvm::sys::fs::createTemporaryFile("amd", "o", file, from) ||
      llvm::sys::fs::createTemporaryFile("amd", "hsaco", to))
    return module.emitError("no temporary files");
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << object;
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(
      *linker, {*linker, "-shared", "--no-undefined", "-o", to, from},
      std::nullopt, {}, 60, 0, &problem);
  auto buffer = llvm::MemoryBuffer::getFile(to);
  llvm::sys::fs::remove(from);
  llvm::sys::fs::remove(to);
  if (status || !buffer)
    return module.emitError("the linker ")
           << *linker << " failed, see above" << (problem.empty() ? "" : ": ")
           << problem;
  out = (*buffer)->getBuffer().str();
  return success();
}

LogicalResult @name@::generate(ModuleOp module, StringRef form,
                                llvm::raw_ostream &os) {
  static const bool initialised = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return module.emitError(error);
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, "gfx942", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  llvm::LLVMContext context;
  auto code = translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return module.emitError("translation to LLVM IR failed");
  code->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                      uint32_t(500));
  code->setTargetTriple(triple);
  code->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *code)
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      function.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  if (form == "llvm") {
    code->print(os, nullptr);
    return success();
  }
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   form == "text"
                                       ? llvm::CodeGenFileType::AssemblyFile
                                       : llvm::CodeGenFileType::ObjectFile))
    return module.emitError("cannot write code");
  passes.run(*code);
  std::string result(bytes.begin(), bytes.end());
  if (form == "object" && failed(link(module, result, result)))
    return failure();
  os << result;
  return success();
}
