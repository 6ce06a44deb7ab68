//===- Serialize.cpp - From the llvm dialect to code objects --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Serialize.h"
#include "Codegen.h"
#include "Link.h"
#include "Seal.h"
#include "kiln-c/Device.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

void amd::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

/// An attribute of a launch that the kernel is wrong without.
static runtime::LaunchAttribute required(uint32_t tag, int64_t value) {
  runtime::LaunchAttribute attribute;
  attribute.tag = tag;
  attribute.isRequired = true;
  attribute.values.push_back(runtime::Expression(value));
  return attribute;
}

static FailureOr<target::CompiledKernel> describe(LLVM::LLVMFuncOp kernel,
                                                  ArrayRef<KernelFacts> all,
                                                  target::MemoryAttr lds) {
  target::CompiledKernel result;
  result.name = result.symbol = kernel.getSymName().str();
  auto threads =
      kernel->getAttrOfType<DenseI32ArrayAttr>("rocdl.reqd_work_group_size");
  if (!threads || threads.empty())
    return kernel.emitOpError("expected the threads of a workgroup in "
                              "'rocdl.reqd_work_group_size'");
  result.attributes.push_back(required(KILN_LAUNCH_THREADS, threads[0]));
  if (simt::getDecided(kernel, simt::kCooperativeEntry))
    result.attributes.push_back(required(KILN_LAUNCH_COOPERATIVE, 1));
  const KernelFacts *facts = llvm::find_if(all, [&](const KernelFacts &known) {
    return known.name == result.symbol;
  });
  if (facts == all.end())
    return result;
  if (lds && facts->ldsBytes > lds.getSize())
    return kernel.emitError("unsupported: kernel '")
           << result.name << "' needs " << facts->ldsBytes
           << " bytes of LDS, a workgroup has " << lds.getSize();
  auto note = [&](const char *name, int64_t value, bool always) {
    if (value || always)
      result.notes.push_back({name, std::to_string(value)});
  };
  note("vector_registers", facts->vectorRegisters, true);
  note("accumulation_registers", facts->accumulationRegisters, false);
  note("scalar_registers", facts->scalarRegisters, true);
  note("shared_bytes", facts->ldsBytes, false);
  note("scratch_bytes", facts->scratchBytes, true);
  note("vector_spills", facts->vectorSpills, false);
  note("scalar_spills", facts->scalarSpills, false);
  if (facts->vectorSpills)
    kernel.emitWarning("kernel '")
        << result.name << "' spills " << facts->vectorSpills
        << " registers to scratch memory, which has " << facts->scratchBytes
        << " bytes for each lane";
  return result;
}

/// The code object with a seal behind it.
static std::string sealed(std::string code) {
  llvm::support::ulittle32_t sum(
      llvm::crc32(llvm::arrayRefFromStringRef(code)));
  code.append(kSealMark, sizeof kSealMark);
  code.append(reinterpret_cast<const char *>(&sum), sizeof sum);
  code.append(sizeof(Seal) - sizeof kSealMark - sizeof sum, 0);
  return code;
}

LogicalResult amd::serializeModule(ModuleOp module,
                                   const target::TargetOptions &options,
                                   target::Executable &result) {
  const Chip *chip = chipOf(module);
  if (!chip)
    return failure();
  auto codegen = Codegen::create(module, *chip, options);
  if (!codegen)
    return failure();
  FailureOr<std::string> object =
      codegen->make(llvm::CodeGenFileType::ObjectFile);
  if (failed(object))
    return failure();
  FailureOr<std::string> linked = linkObject(module, *object, options);
  if (failed(linked))
    return failure();
  std::vector<KernelFacts> facts = readFacts(*linked);
  target::MemoryAttr lds = target::getDescription(module).getMemory("shared");
  std::vector<target::CompiledKernel> kernels;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr("rocdl.kernel"))
      continue;
    FailureOr<target::CompiledKernel> described = describe(kernel, facts, lds);
    if (failed(described))
      return failure();
    described->blob = unsigned(result.blobs.size());
    kernels.push_back(std::move(*described));
  }
  result.blobs.push_back(sealed(std::move(*linked)));
  llvm::append_range(result.kernels, std::move(kernels));
  result.requirements.push_back(chip->name.str());
  return success();
}

LogicalResult amd::emitModule(ModuleOp module, target::EmitKind kind,
                              const target::TargetOptions &options,
                              llvm::raw_ostream &os) {
  const Chip *chip = chipOf(module);
  if (!chip)
    return failure();
  auto codegen = Codegen::create(module, *chip, options);
  if (!codegen)
    return failure();
  if (kind == target::EmitKind::LLVM) {
    codegen->printIR(os);
    return success();
  }
  FailureOr<std::string> text =
      codegen->make(llvm::CodeGenFileType::AssemblyFile);
  if (failed(text))
    return failure();
  os << *text;
  return success();
}
