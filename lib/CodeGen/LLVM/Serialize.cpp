//===- Serialize.cpp - From the llvm dialect to ELF bytes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/LLVM/Serialize.h"
#include "Link.h"
#include "Optimize.h"
#include "kiln/Dialect/Cpu/Scratch.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

void cpu::initializeBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

namespace {
/// LLVM IR of a module, with the machine it is for.
class Compilation {
public:
  explicit Compilation(ModuleOp module) : where(module.getLoc()) {}

  LogicalResult prepare(ModuleOp module) {
    target::TargetAttr description = target::getDescription(module);
    initializeBackends();
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
    code = translateModuleToLLVMIR(module, context, "kernels",
                                   /*disableVerification=*/true);
    if (!code)
      return module.emitError("translation to LLVM IR failed");
    placeAssembly(module);
    code->setTargetTriple(triple);
    code->setDataLayout(machine->createDataLayout());
    for (llvm::Function &function : *code)
      if (!function.isDeclaration())
        addAttributes(function, description);
    // FMAXNM of a number and a signalling NaN is NaN.
    if (triple.isAArch64())
      quietMaxima(*code);
    optimizeKernels(*code, *machine);
    DictionaryAttr extra = description ? description.getExtra() : nullptr;
    if (extra && extra.contains("f16_through_f32"))
      widenHalfConversions(*code);
    return success();
  }

  LogicalResult generate(llvm::raw_pwrite_stream &os,
                         llvm::CodeGenFileType type) {
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, os, nullptr, type))
      return failure();
    passes.run(*code);
    return success(!hasError);
  }

  /// The extensions of the instruction set that the code may use: all that is
  /// enabled once the processor and the features are expanded, but what only
  /// tunes.
  std::vector<std::string> requirements() const {
    const llvm::MCSubtargetInfo &subtarget = *machine->getMCSubtargetInfo();
    llvm::FeatureBitset tuning, instructions;
    for (const auto &processor : subtarget.getAllProcessorDescriptions()) {
      tuning |= processor.TuneImplies.getAsBitset();
      instructions |= processor.Implies.getAsBitset();
    }
    std::vector<std::string> names;
    for (const auto &feature : subtarget.getEnabledProcessorFeatures())
      if (instructions[feature.Value] || !tuning[feature.Value])
        names.push_back(feature.Key);
    return names;
  }

  llvm::LLVMContext context; ///< outlives the code
  std::unique_ptr<llvm::Module> code;
  bool hasError = false; ///< something has been reported

private:
  /// What a function tells LLVM of the processor.
  void addAttributes(llvm::Function &function,
                     target::TargetAttr description) const {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    // The widest registers there are, also where LLVM is shy of them.
    function.addFnAttr("prefer-vector-width", "512");
    if (!description)
      return;
    DictionaryAttr extra = description.getExtra();
    if (auto tune = extra ? extra.getAs<StringAttr>("tune_cpu") : StringAttr())
      function.addFnAttr("tune-cpu", tune.getValue());
    // Scalable registers hold vectors of a fixed length only where LLVM knows
    // that theirs is the same. In the streaming mode of AArch64 it is another.
    bool isStreaming = function.hasFnAttribute("aarch64_pstate_sm_enabled") ||
                       function.hasFnAttribute("aarch64_pstate_sm_body");
    StringRef key = isStreaming ? "streaming_vscale" : "vscale";
    if (auto scale = extra ? extra.getAs<IntegerAttr>(key) : IntegerAttr())
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
          function.getContext(), unsigned(scale.getInt()),
          unsigned(scale.getInt())));
  }

  /// Makes the operands of a call quiet: NaNs become one that does not signal.
  static void quietOperands(llvm::IntrinsicInst &call) {
    llvm::IRBuilder<> b(&call);
    for (llvm::Use &operand : call.args()) {
      llvm::Value *value = operand.get();
      llvm::Value *isNan = b.CreateFCmpUNO(value, value);
      operand.set(b.CreateSelect(
          isNan, llvm::ConstantFP::getNaN(value->getType()), value));
    }
  }

  /// Makes the larger (smaller) of a number and a NaN the number also for
  /// signalling ones, which `maxnum` and `minnum` of LLVM leave to the machine.
  /// Registers of a fixed length have operations that do so; LLVM takes vectors
  /// in scalable ones apart for them.
  static void quietMaxima(llvm::Module &code) {
    for (llvm::Function &function : code)
      for (llvm::Instruction &instruction :
           llvm::make_early_inc_range(llvm::instructions(function))) {
        auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
        llvm::Intrinsic::ID id = call ? call->getIntrinsicID() : 0;
        if (id != llvm::Intrinsic::maxnum && id != llvm::Intrinsic::minnum)
          continue;
        if (call->getType()->isVectorTy() &&
            function.hasFnAttribute(llvm::Attribute::VScaleRange)) {
          quietOperands(*call);
          continue;
        }
        call->setCalledFunction(llvm::Intrinsic::getOrInsertDeclaration(
            &code,
            id == llvm::Intrinsic::maxnum ? llvm::Intrinsic::maximumnum
                                          : llvm::Intrinsic::minimumnum,
            {call->getType()}));
      }
  }

  /// Lets what LLVM finds wrong with inline assembly be reported where it
  /// stands: by the number of its place in `places`.
  void placeAssembly(ModuleOp module) {
    llvm::StringMap<llvm::MDNode *> numbers;
    module.walk([&](LLVM::InlineAsmOp op) {
      llvm::MDNode *&node = numbers[op.getAsmString()];
      if (node)
        return;
      node = llvm::MDNode::get(
          context, llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                       llvm::Type::getInt64Ty(context), places.size())));
      places.push_back(op.getLoc());
    });
    for (llvm::Function &function : *code)
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (auto *call = dyn_cast<llvm::CallInst>(&instruction))
          if (auto *text = dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
            call->setMetadata("srcloc", numbers.lookup(text->getAsmString()));
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) {
          static_cast<Compilation *>(self)->report(*info);
        },
        this);
  }

  void report(const llvm::DiagnosticInfo &info) {
    if (info.getSeverity() != llvm::DS_Error)
      return;
    hasError = true;
    std::string message;
    llvm::raw_string_ostream os(message);
    uint64_t place = 0;
    if (auto *assembly = dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info)) {
      place = assembly->getLocCookie();
      os << assembly->getMsgStr();
    } else if (auto *text = dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info)) {
      place = text->getLocCookie();
      os << text->getSMDiag().getMessage();
    } else {
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    if (place < places.size())
      emitError(places[place], "inline assembly: ") << message;
    else
      emitError(where, message);
  }

  std::unique_ptr<llvm::TargetMachine> machine;
  Location where;               ///< of what no assembly is the reason for
  SmallVector<Location> places; ///< of inline assembly
};
} // namespace

void cpu::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

LogicalResult cpu::serializeKernels(ModuleOp module,
                                    const target::TargetOptions &options,
                                    target::Executable &result) {
  Compilation compilation(module);
  if (failed(compilation.prepare(module)))
    return failure();
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  if (failed(compilation.generate(os, llvm::CodeGenFileType::ObjectFile)))
    return compilation.hasError
               ? failure()
               : module.emitError("cannot write object code for this machine");
  std::string error;
  std::optional<std::string> bytes =
      linkSharedObject({StringRef(object.data(), object.size())}, error);
  if (!bytes)
    return module.emitError("linking kernels failed: ") << error;
  unsigned blob = result.blobs.size();
  result.blobs.push_back(std::move(*bytes));
  for (std::string &name : compilation.requirements())
    result.requirements.push_back(std::move(name));
  SymbolTable symbols(module);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    // Functions without scratch memory are no kernels.
    auto scratch = symbols.lookup<LLVM::GlobalOp>(
        cpu::scratchSymbol(function.getSymName()));
    if (!scratch)
      continue;
    target::CompiledKernel kernel;
    kernel.name = kernel.symbol = function.getSymName().str();
    kernel.blob = blob;
    kernel.scratchBytes = cast<IntegerAttr>(scratch.getValueAttr()).getInt();
    result.kernels.push_back(std::move(kernel));
  }
  return success();
}

LogicalResult cpu::emitKernels(ModuleOp module, target::EmitKind kind,
                               const target::TargetOptions &options,
                               llvm::raw_ostream &os) {
  Compilation compilation(module);
  if (failed(compilation.prepare(module)))
    return failure();
  if (kind == target::EmitKind::LLVM) {
    compilation.code->print(os, nullptr);
    return success();
  }
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  if (failed(compilation.generate(out, llvm::CodeGenFileType::AssemblyFile)))
    return compilation.hasError
               ? failure()
               : module.emitError("cannot write assembly for this machine");
  os << StringRef(text.data(), text.size());
  return success();
}
