//===- Codegen.cpp - From the llvm dialect to PTX -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen.h"
#include "Chips.h"
#include "Libdevice.h"
#include "OrderValues.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/LLVM/Serialize.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include <mutex>

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

/// Code comes unrolled and folded, with wide accesses: what is left is to share
/// and to count loops in one register. Vectorisers and unrolling have nothing
/// to do, and the back end brings passes of its own. Over 287 kernels this
/// takes as many registers as O3, in a third of the time for long ones; without
/// indvars it takes 2% more, in single kernels 40%.
static constexpr StringLiteral kPasses =
    "nvvm-reflect,always-inline,globaldce,"
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-simplify,lcssa,loop-mssa(licm),loop(indvars),gvn,"
    "instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Comparisons that others around them decide, such as with the end of a loop
/// that goes on, are folded.
static constexpr StringLiteral kComparisonPasses =
    "constraint-elimination,correlated-propagation,"
    "instcombine<no-verify-fixpoint>,simplifycfg,adce";

namespace {
/// Makes pairs of equal operations on f16 and bf16, which one instruction does.
/// Other code has nothing to pair: looking costs time.
struct PackHalves : llvm::PassInfoMixin<PackHalves> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses) {
    constexpr int kFew = 4;
    int halves = 0;
    for (llvm::Instruction &op : llvm::instructions(function))
      halves += (isa<llvm::BinaryOperator>(op) || isa<llvm::CallInst>(op)) &&
                (op.getType()->isHalfTy() || op.getType()->isBFloatTy());
    if (halves < kFew)
      return llvm::PreservedAnalyses::all();
    return llvm::SLPVectorizerPass().run(function, analyses);
  }
};
} // namespace

/// Registers LLVM's code generators and sets what only an option can say.
static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    cpu::initializeBackends();
    // Addresses of shared memory have 32 bits; there is no other way to say so.
    auto &options = llvm::cl::getRegisteredOptions();
    auto found = options.find("nvptx-short-ptr");
    if (found != options.end())
      found->second->addOccurrence(0, "nvptx-short-ptr", "true");
  });
}

FailureOr<Machine> nvidia::findMachine(ModuleOp module, unsigned newestPtx) {
  target::TargetAttr description = target::getDescription(module);
  if (!description)
    return module.emitError("expected a module with a description of its "
                            "target (kiln.target)");
  initializeBackend();
  Machine machine = {description.getTriple().str(), description.getCpu().str(),
                     0};
  llvm::Triple triple(machine.triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend || !triple.isNVPTX())
    return module.emitError("no code generator for '") << machine.triple << "'";
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      backend->createMCSubtargetInfo(triple, "", ""));
  if (!subtarget->isCPUStringValid(machine.cpu))
    return module.emitError("unknown processor '") << machine.cpu << "'";
  SmallVector<StringRef> features;
  description.getFeatures().split(features, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : features)
    if (!feature.consume_front("+ptx") || feature.getAsInteger(10, machine.ptx))
      return module.emitError("expected features such as +ptx88, found '")
             << description.getFeatures() << "'";
  if (newestPtx && (!machine.ptx || machine.ptx > newestPtx))
    machine.ptx = newestPtx;
  auto text = [](unsigned version) {
    return std::to_string(version / 10) + "." + std::to_string(version % 10);
  };
  unsigned oldest = oldestPtx(machine.cpu);
  if (machine.ptx < oldest)
    return module.emitError("unsupported: ")
           << machine.cpu << " needs PTX " << text(oldest)
           << ", the assembler or the description has " << text(machine.ptx);
  std::string feature = "ptx" + std::to_string(machine.ptx);
  if (llvm::none_of(subtarget->getAllProcessorFeatures(),
                    [&](const auto &known) { return known.Key == feature; }))
    return module.emitError("unsupported: no code generator for PTX ")
           << text(machine.ptx);
  return machine;
}

Codegen::~Codegen() = default;

std::unique_ptr<Codegen> Codegen::create(ModuleOp module,
                                         const Machine &machine,
                                         StringRef passes,
                                         StringRef assembler) {
  std::unique_ptr<Codegen> codegen(new Codegen(module));
  if (failed(codegen->prepare(module, machine, passes, assembler)))
    return nullptr;
  return codegen;
}

LogicalResult Codegen::prepare(ModuleOp module, const Machine &wanted,
                               StringRef passes, StringRef assembler) {
  llvm::Triple triple(wanted.triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = false;
  machine.reset(backend->createTargetMachine(
      triple, wanted.cpu, "+ptx" + std::to_string(wanted.ptx), options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return module.emitError("cannot generate code for '") << wanted.cpu << "'";
  code = translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return module.emitError("translation to LLVM IR failed");
  placeAssembly(module);
  code->setTargetTriple(triple);
  code->setDataLayout(machine->createDataLayout());
  finishFunctions(module);
  if (failed(linkLibdevice(module, *code, assembler)))
    return failure();
  return passes.empty() ? optimize(kPasses, /*packs=*/true)
                        : optimize(passes, /*packs=*/false);
}

void Codegen::placeAssembly(ModuleOp module) {
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
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallInst>(&instruction);
      if (!call)
        continue;
      auto *text = dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
      if (!text)
        continue;
      call->setMetadata("srcloc", numbers.lookup(text->getAsmString()));
      // The dialect cannot say it: what has effects may involve other threads,
      // and must not be reached by fewer of them than before.
      if (text->hasSideEffects())
        call->setConvergent();
    }
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *self) {
        static_cast<Codegen *>(self)->report(*info);
      },
      this);
}

/// A name that PTX takes, and that no other function has.
static std::string validName(StringRef name, const llvm::Module &code) {
  std::string valid;
  for (char c : name)
    valid += llvm::isAlnum(c) || c == '_' || c == '$' ? c : '_';
  if (valid.empty() || llvm::isDigit(valid[0]) || valid == "_")
    valid = "kernel_" + valid;
  std::string unique = valid;
  for (unsigned i = 1; unique != name && code.getNamedValue(unique); ++i)
    unique = valid + "_" + std::to_string(i);
  return unique;
}

void Codegen::finishFunctions(ModuleOp module) {
  for (llvm::Function &function : *code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      continue;
    // Calls would keep values out of registers.
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    // Whatever the caller does with subnormal numbers.
    function.addFnAttr("denormal-fp-math", "dynamic,dynamic");
    function.addFnAttr("denormal-fp-math-f32", "dynamic,dynamic");
  }
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    llvm::Function *function = code->getFunction(kernel.getSymName());
    if (!function ||
        function->getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    std::string name = validName(kernel.getSymName(), *code);
    function->setName(name);
    entries[kernel.getSymName()] = name;
  }
}

void Codegen::report(const llvm::DiagnosticInfo &info) {
  if (info.getSeverity() != llvm::DS_Error)
    return;
  hasError = true;
  std::string message;
  llvm::raw_string_ostream os(message);
  uint64_t place = places.size();
  if (auto *assembly = dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info)) {
    place = assembly->getLocCookie();
    os << assembly->getMsgStr();
  } else {
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
  }
  if (place < places.size())
    emitError(places[place], "inline assembly: ") << message;
  else
    emitError(where, message);
}

namespace {
/// What LLVM's passes ask.
struct Analyses {
  explicit Analyses(llvm::TargetMachine &machine) : builder(&machine) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};
} // namespace

LogicalResult Codegen::optimize(StringRef passes, bool packs) {
  Analyses analyses(*machine);
  llvm::ModulePassManager manager;
  if (llvm::Error error = analyses.builder.parsePassPipeline(manager, passes))
    return emitError(where, "expected LLVM passes: ")
           << llvm::toString(std::move(error));
  if (packs)
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(PackHalves()));
  manager.run(*code, analyses.modules);
  return success(!hasError);
}

void Codegen::foldComparisonsOf(LLVM::LLVMFuncOp kernel) {
  llvm::Function *function = code->getFunction(entryOf(kernel));
  if (!function)
    return;
  Analyses analyses(*machine);
  llvm::FunctionPassManager manager;
  // Names of passes change with LLVM's versions, not with kernels.
  if (llvm::Error error =
          analyses.builder.parsePassPipeline(manager, kComparisonPasses))
    llvm::reportFatalInternalError(std::move(error));
  manager.run(*function, analyses.functions);
}

void Codegen::orderValuesOf(LLVM::LLVMFuncOp kernel) {
  if (llvm::Function *function = code->getFunction(entryOf(kernel)))
    orderValues(*function);
}

FailureOr<std::string> Codegen::makePtx() {
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return emitError(where, "LLVM's NVPTX back end cannot write PTX for this "
                            "kernel");
  passes.run(*code);
  if (hasError)
    return failure();
  return std::string(text.begin(), text.end());
}
