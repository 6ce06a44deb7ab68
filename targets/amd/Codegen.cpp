//===- Codegen.cpp - From the llvm dialect to objects ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen.h"
#include "BarrierOrder.h"
#include "BufferOffsets.h"
#include "DeviceLibrary.h"
#include "GuardedOffsets.h"
#include "NarrowBounds.h"
#include "PackBytes.h"
#include "PackFloats.h"
#include "ProductOrder.h"
#include "Remainders.h"
#include "RoundedProducts.h"
#include "SeparateCopies.h"
#include "SharedSteps.h"
#include "kiln/LLVM/Serialize.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include <mutex>

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

Codegen::~Codegen() = default;

/// Registers LLVM's code generators and sets what only an option can say.
static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    cpu::initializeBackends();
    // What a branch loads stays one vector behind it. LLVM takes it apart, and
    // the branch waits for the load to put the elements where they are used.
    auto &options = llvm::cl::getRegisteredOptions();
    constexpr llvm::StringLiteral kName =
        "amdgpu-codegenprepare-break-large-phis";
    auto found = options.find(kName);
    if (found != options.end())
      found->second->addOccurrence(0, kName, "false");
  });
}

std::unique_ptr<Codegen> Codegen::create(ModuleOp module, const Chip &chip,
                                         const target::TargetOptions &options) {
  std::unique_ptr<Codegen> codegen(new Codegen(module));
  if (failed(codegen->prepare(module, chip, options)))
    return nullptr;
  return codegen;
}

LogicalResult Codegen::prepare(ModuleOp module, const Chip &chip,
                               const target::TargetOptions &options) {
  initializeBackend();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return module.emitError("no code generator for '")
           << triple.str() << "': " << error;
  llvm::TargetOptions settings;
  settings.MCOptions.AsmVerbose = false;
  machine.reset(backend->createTargetMachine(
      triple, chip.name, "", settings, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  packsFloats = chip.isCdna();
  code = translateModuleToLLVMIR(module, context, "kernels",
                                 /*disableVerification=*/true);
  if (!code)
    return module.emitError("translation to LLVM IR failed");
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *self) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        auto *codegen = static_cast<Codegen *>(self);
        codegen->hasError = true;
        std::string message;
        llvm::raw_string_ostream os(message);
        llvm::DiagnosticPrinterRawOStream printer(os);
        info->print(printer);
        emitError(codegen->where, message);
      },
      this);
  // Metadata and hidden arguments as loaders of ROCm 5.6 and newer take them.
  constexpr uint32_t kCodeObjectVersion = 500;
  code->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                      kCodeObjectVersion);
  code->setTargetTriple(triple);
  code->setDataLayout(machine->createDataLayout());
  finishFunctions();
  separateCopies(*code);
  if (failed(linkDeviceLibrary(module, *code, chip, options)))
    return failure();
  optimize();
  return success(!hasError);
}

void Codegen::finishFunctions() {
  for (llvm::Function &function : *code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL) {
      // Loaders find kernels among the dynamic symbols.
      function.setVisibility(llvm::GlobalValue::ProtectedVisibility);
      function.addFnAttr("uniform-work-group-size", "true");
      continue;
    }
    // Calls would keep values out of registers.
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    // Whatever the caller does with subnormal numbers.
    function.addFnAttr("denormal-fp-math", "dynamic,dynamic");
    function.addFnAttr("denormal-fp-math-f32", "dynamic,dynamic");
  }
}

void Codegen::optimize() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  // With the machine come the passes of the back end, which infer address
  // spaces and what kernels do not use.
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.registerPeepholeEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(GuardedOffsets());
      });
  // Behind InstCombine, which takes some of the forms apart again.
  builder.registerOptimizerLastEPCallback(
      [this](llvm::ModulePassManager &passes, llvm::OptimizationLevel,
             llvm::ThinOrFullLTOPhase) {
        llvm::FunctionPassManager last;
        if (packsFloats)
          last.addPass(PackFloats());
        last.addPass(NarrowBounds());
        last.addPass(Remainders());
        last.addPass(RoundedProducts());
        last.addPass(PackBytes());
        last.addPass(SharedSteps());
        last.addPass(llvm::EarlyCSEPass());
        last.addPass(llvm::DCEPass());
        last.addPass(BarrierOrder());
        last.addPass(ProductOrder());
        passes.addPass(
            llvm::createModuleToFunctionPassAdaptor(std::move(last)));
      });
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(*code, modules);
}

FailureOr<std::string> Codegen::make(llvm::CodeGenFileType form) {
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  EmitPasses passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, form))
    return emitError(where, "LLVM's AMDGPU back end cannot write code");
  passes.run(*code);
  if (hasError)
    return failure();
  return std::string(bytes.begin(), bytes.end());
}
