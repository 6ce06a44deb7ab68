//===- Serialize.cpp - From the llvm dialect to ELF bytes -----------------===//

#include "kiln/Vector/Serialize.h"
#include "Link.h"
#include "kiln/Target/Description.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

using namespace mlir;
using namespace kiln;
using namespace kiln::vec;

namespace {
/// LLVM IR of a module, with the machine it is for.
class Compilation {
public:
  LogicalResult prepare(ModuleOp module) {
    target::TargetAttr description = target::getDescription(module);
    static std::once_flag once;
    std::call_once(once, [] {
      llvm::InitializeAllTargetInfos();
      llvm::InitializeAllTargets();
      llvm::InitializeAllTargetMCs();
      llvm::InitializeAllAsmPrinters();
      llvm::InitializeAllAsmParsers();
    });
    llvm::Triple triple(description && !description.getTriple().empty()
                            ? description.getTriple()
                            : StringRef("x86_64-unknown-linux-gnu"));
    std::string error;
    const llvm::Target *backend =
        llvm::TargetRegistry::lookupTarget(triple, error);
    if (!backend)
      return module.emitError("no code generator for '")
             << triple.str() << "': " << error;
    llvm::TargetOptions options;
    options.MCOptions.AsmVerbose = false;
    machine.reset(backend->createTargetMachine(
        triple, description ? description.getCpu() : StringRef("generic"),
        description ? description.getFeatures() : StringRef(), options,
        llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
    if (!machine)
      return module.emitError("cannot generate code for '")
             << triple.str() << "'";
    DialectRegistry registry;
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    module.getContext()->appendDialectRegistry(registry);
    code = translateModuleToLLVMIR(module, context, "kernels",
                                   /*disableVerification=*/true);
    if (!code)
      return module.emitError("translation to LLVM IR failed");
    if (description && description.getExtra())
      if (auto required = description.getExtra().getAs<StringAttr>("requires"))
        addRequirement(required.getValue());
    code->setTargetTriple(triple);
    code->setDataLayout(machine->createDataLayout());
    for (llvm::Function &function : *code) {
      if (function.isDeclaration())
        continue;
      function.addFnAttr(llvm::Attribute::NoUnwind);
      function.addFnAttr("target-cpu", machine->getTargetCPU());
      function.addFnAttr("target-features", machine->getTargetFeatureString());
      // The widest registers there are, also where LLVM is shy of them.
      function.addFnAttr("prefer-vector-width", "512");
    }
    optimize();
    return success();
  }

  LogicalResult generate(llvm::raw_pwrite_stream &os,
                         llvm::CodeGenFileType type) {
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, os, nullptr, type))
      return failure();
    passes.run(*code);
    return success();
  }

  llvm::LLVMContext context; ///< outlives the code
  std::unique_ptr<llvm::Module> code;

private:
  /// A string that device drivers find under the name `kiln_requires`: the
  /// instruction set extensions that the code needs, joined by `+`.
  void addRequirement(StringRef required) {
    llvm::Constant *text =
        llvm::ConstantDataArray::getString(context, required);
    new llvm::GlobalVariable(*code, text->getType(), /*isConstant=*/true,
                             llvm::GlobalValue::ExternalLinkage, text,
                             "kiln_requires");
  }

  void optimize() {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PipelineTuningOptions tuning;
    // Loops are vector loops already.
    tuning.LoopVectorization = false;
    tuning.SLPVectorization = false;
    tuning.LoopInterleaving = false;
    tuning.LoopUnrolling = false;
    llvm::PassBuilder builder(machine.get(), tuning);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
        .run(*code, modules);
  }

  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

LogicalResult vec::serializeVector(ModuleOp module,
                                   const target::TargetOptions &options,
                                   target::KernelBlobs &result) {
  Compilation compilation;
  if (failed(compilation.prepare(module)))
    return failure();
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  if (failed(compilation.generate(os, llvm::CodeGenFileType::ObjectFile)))
    return module.emitError("cannot write object code for this machine");
  std::string error;
  std::optional<std::string> bytes =
      linkSharedObject({StringRef(object.data(), object.size())}, error);
  if (!bytes)
    return module.emitError("linking kernels failed: ") << error;
  unsigned blob = result.blobs.size();
  result.blobs.push_back(std::move(*bytes));
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto scratch = function->getAttrOfType<IntegerAttr>("vector.scratch_bytes");
    if (!scratch)
      continue;
    target::KernelBlob kernel;
    kernel.name = kernel.symbol = function.getSymName().str();
    kernel.blob = blob;
    kernel.scratchBytes = scratch.getInt();
    result.kernels.push_back(std::move(kernel));
  }
  return success();
}

LogicalResult vec::emitVector(ModuleOp module, target::EmitKind kind,
                              const target::TargetOptions &options,
                              llvm::raw_ostream &os) {
  Compilation compilation;
  if (failed(compilation.prepare(module)))
    return failure();
  if (kind == target::EmitKind::LLVM) {
    compilation.code->print(os, nullptr);
    return success();
  }
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  if (failed(compilation.generate(out, llvm::CodeGenFileType::AssemblyFile)))
    return module.emitError("cannot write assembly for this machine");
  os << StringRef(text.data(), text.size());
  return success();
}
