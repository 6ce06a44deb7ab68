//===- Serialize.cpp - From the llvm dialect to cubins --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Serialize.h"
#include "Assembler.h"
#include "Codegen.h"
#include "LowerBulkCopies.h"
#include "Occupancy.h"
#include "device/Seal.h"
#include "device/TensorMap.h"
#include "kiln-c/Device.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

void nvidia::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {
/// A module on its way.
struct Compilation {
  ModuleOp module;
  const target::TargetOptions &options;
  std::string assembler;
  Machine machine;
  std::unique_ptr<Codegen> codegen;
  /// Kernels whose code is ordered for register pressure.
  SmallVector<LLVM::LLVMFuncOp> ordered;

  LogicalResult prepare() {
    std::string error;
    assembler = findAssembler(options, error);
    if (!error.empty())
      return module.emitError(error);
    FailureOr<Machine> found =
        findMachine(module, assembler.empty() ? 0 : newestPtxOf(assembler));
    if (failed(found))
      return failure();
    machine = *found;
    if (options.getBool("order", false))
      for (auto function : module.getOps<LLVM::LLVMFuncOp>())
        if (isKernel(function))
          ordered.push_back(function);
    return generate();
  }
  LogicalResult generate() {
    // SPECs have commas of their own.
    std::string passes = options.get("llvm_passes", "").str();
    llvm::replace(passes, '|', ',');
    codegen = Codegen::create(module, machine, passes, assembler);
    if (!codegen)
      return failure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (isKernel(function) && passes.empty() &&
          !llvm::is_contained(ordered, function))
        codegen->foldComparisonsOf(function);
    }
    for (LLVM::LLVMFuncOp kernel : ordered)
      codegen->orderValuesOf(kernel);
    return success();
  }

  /// The kernel of an entry, or null.
  LLVM::LLVMFuncOp kernelOf(StringRef entry) {
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (isKernel(function) && codegen->entryOf(function) == entry)
        return function;
    return nullptr;
  }
  static bool isKernel(LLVM::LLVMFuncOp function) {
    return function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
  }

  /// Generates and assembles kernels of which registers are stored once more,
  /// ordered for register pressure; keeps that for those of which less is
  /// stored then.
  LogicalResult orderSpilling(std::string &ptx, AssemblerLog &log,
                              std::string &cubin);
  /// Gives kernels that a few registers keep from running twice on a core
  /// fewer, unless some would be stored then.
  void fitTwoBlocks(std::string &ptx, AssemblerLog &log, std::string &cubin);
  /// Gives kernels of which registers are stored all that their threads may
  /// have, where the assembler keeps to fewer; keeps that for those of which
  /// less is stored then.
  void useAllRegisters(std::string &ptx, AssemblerLog &log, std::string &cubin);
  /// The kernels of the module that `isOne` says so of, with what the assembler
  /// says of each.
  SmallVector<LLVM::LLVMFuncOp>
  kernelsOf(const AssemblerLog &log,
            function_ref<bool(LLVM::LLVMFuncOp, const KernelFacts &)> isOne);
  /// Assembles `kernels` with registers for so many blocks of a core, again
  /// without those that `isNoGain` says so of, until each one gains.
  void assembleForBlocks(
      std::string &ptx, SmallVector<LLVM::LLVMFuncOp> kernels, int64_t blocks,
      AssemblerLog &log, std::string &cubin,
      function_ref<bool(LLVM::LLVMFuncOp, const AssemblerLog &)> isNoGain);
  /// Bytes of registers that a kernel stores and loads again.
  int64_t spilledBytes(const AssemblerLog &log, LLVM::LLVMFuncOp kernel) {
    auto found = log.kernels.find(codegen->entryOf(kernel));
    return found == log.kernels.end()
               ? 0
               : found->second.spillStores + found->second.spillLoads;
  }
  LogicalResult reportErrors(const AssemblerLog &log, StringRef ptx);
  void reportWarnings(const AssemblerLog &log);
  FailureOr<target::CompiledKernel> describe(LLVM::LLVMFuncOp kernel,
                                             const AssemblerLog &log);
};
} // namespace

/// The entry that a line of PTX stands in; empty if none.
static StringRef entryAt(StringRef ptx, unsigned line) {
  StringRef entry;
  for (unsigned i = 0; i < line && !ptx.empty(); ++i) {
    StringRef text;
    std::tie(text, ptx) = ptx.split('\n');
    size_t at = text.find(".entry ");
    if (at != StringRef::npos)
      entry = text.substr(at + strlen(".entry ")).split('(').first.trim();
    else if (text == "}")
      entry = "";
  }
  return entry;
}

LogicalResult Compilation::orderSpilling(std::string &ptx, AssemblerLog &log,
                                         std::string &cubin) {
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
    if (isKernel(kernel) && spilledBytes(log, kernel))
      ordered.push_back(kernel);
  while (!ordered.empty()) {
    if (failed(generate()))
      return failure();
    FailureOr<std::string> text = codegen->makePtx();
    if (failed(text))
      return failure();
    AssemblerLog other;
    std::optional<std::string> tried =
        assemble(assembler, *text, machine.cpu, other);
    auto isNoGain = [&](LLVM::LLVMFuncOp kernel) {
      return !tried || spilledBytes(other, kernel) >= spilledBytes(log, kernel);
    };
    if (llvm::none_of(ordered, isNoGain)) {
      ptx = std::move(*text);
      log = std::move(other);
      cubin = std::move(*tried);
      return success();
    }
    llvm::erase_if(ordered, isNoGain);
  }
  return success();
}

SmallVector<LLVM::LLVMFuncOp> Compilation::kernelsOf(
    const AssemblerLog &log,
    function_ref<bool(LLVM::LLVMFuncOp, const KernelFacts &)> isOne) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!isKernel(kernel))
      continue;
    auto found = log.kernels.find(codegen->entryOf(kernel));
    if (found != log.kernels.end() && isOne(kernel, found->second))
      kernels.push_back(kernel);
  }
  return kernels;
}

void Compilation::assembleForBlocks(
    std::string &ptx, SmallVector<LLVM::LLVMFuncOp> kernels, int64_t blocks,
    AssemblerLog &log, std::string &cubin,
    function_ref<bool(LLVM::LLVMFuncOp, const AssemblerLog &)> isNoGain) {
  while (!kernels.empty()) {
    std::string text = ptx;
    for (LLVM::LLVMFuncOp kernel : kernels)
      text = withBlocksPerCore(text, codegen->entryOf(kernel), blocks);
    AssemblerLog other;
    std::optional<std::string> tried =
        assemble(assembler, text, machine.cpu, other);
    if (!tried)
      return;
    auto fails = [&](LLVM::LLVMFuncOp kernel) {
      return isNoGain(kernel, other);
    };
    if (llvm::none_of(kernels, fails)) {
      for (LLVM::LLVMFuncOp kernel : kernels)
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        Builder(kernel.getContext()).getI32IntegerAttr(blocks));
      ptx = std::move(text);
      log = std::move(other);
      cubin = std::move(*tried);
      return;
    }
    llvm::erase_if(kernels, fails);
  }
}

void Compilation::useAllRegisters(std::string &ptx, AssemblerLog &log,
                                  std::string &cubin) {
  target::TargetAttr description = target::getDescription(module);
  auto spills = [&](LLVM::LLVMFuncOp kernel, const KernelFacts &facts) {
    return mayHaveMoreRegisters(kernel, facts, description);
  };
  assembleForBlocks(ptx, kernelsOf(log, spills), 1, log, cubin,
                    [&](LLVM::LLVMFuncOp kernel, const AssemblerLog &other) {
                      return spilledBytes(other, kernel) >=
                             spilledBytes(log, kernel);
                    });
}

void Compilation::fitTwoBlocks(std::string &ptx, AssemblerLog &log,
                               std::string &cubin) {
  target::TargetAttr description = target::getDescription(module);
  auto fits = [&](LLVM::LLVMFuncOp kernel, const KernelFacts &facts) {
    return mayRunTwoBlocks(kernel, facts, description);
  };
  assembleForBlocks(ptx, kernelsOf(log, fits), 2, log, cubin,
                    [&](LLVM::LLVMFuncOp kernel, const AssemblerLog &other) {
                      return spilledBytes(other, kernel) != 0;
                    });
}

LogicalResult Compilation::reportErrors(const AssemblerLog &log,
                                        StringRef ptx) {
  for (const auto &[line, text] : log.errors) {
    StringRef entry = entryAt(ptx, line);
    LLVM::LLVMFuncOp kernel = entry.empty() ? nullptr : kernelOf(entry);
    Location where = kernel ? kernel.getLoc() : module.getLoc();
    InFlightDiagnostic error = emitError(where, "the assembler of PTX fails: ");
    error << text;
    if (!line)
      continue;
    StringRef rest = ptx;
    for (unsigned i = 1; i < line; ++i)
      rest = rest.split('\n').second;
    error.attachNote() << "line " << line
                       << " of PTX: " << rest.split('\n').first.trim();
  }
  return failure();
}

void Compilation::reportWarnings(const AssemblerLog &log) {
  for (const auto &[entry, text] : log.warnings) {
    LLVM::LLVMFuncOp kernel = entry.empty() ? nullptr : kernelOf(entry);
    emitWarning(kernel ? kernel.getLoc() : module.getLoc(),
                "the assembler of PTX: ")
        << text;
  }
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    auto found = log.kernels.find(codegen->entryOf(kernel));
    if (!isKernel(kernel) || found == log.kernels.end())
      continue;
    const KernelFacts &facts = found->second;
    if (facts.spillStores || facts.spillLoads)
      kernel.emitWarning("kernel '")
          << kernel.getSymName() << "' spills registers: its code stores "
          << facts.spillStores << " bytes of them to memory, and loads "
          << facts.spillLoads << " bytes";
  }
}

/// An attribute of a launch that the kernel is wrong without.
static runtime::LaunchAttribute required(uint32_t tag,
                                         ArrayRef<int32_t> values) {
  runtime::LaunchAttribute attribute;
  attribute.tag = tag;
  attribute.isRequired = true;
  for (int32_t value : values)
    attribute.values.push_back(runtime::Expression(value));
  return attribute;
}

FailureOr<target::CompiledKernel>
Compilation::describe(LLVM::LLVMFuncOp kernel, const AssemblerLog &log) {
  target::CompiledKernel result;
  result.name = kernel.getSymName().str();
  result.symbol = codegen->entryOf(kernel);
  auto sizes = [&](StringRef name) -> ArrayRef<int32_t> {
    auto attr = kernel->getAttrOfType<DenseI32ArrayAttr>(name);
    return attr ? attr.asArrayRef() : ArrayRef<int32_t>();
  };
  ArrayRef<int32_t> threads = sizes(NVVM::NVVMDialect::getReqntidAttrName());
  if (threads.empty() || threads.size() > 3)
    return kernel.emitOpError("expected the threads of an instance in '")
           << NVVM::NVVMDialect::getReqntidAttrName() << "'";
  result.attributes.push_back(required(KILN_LAUNCH_THREADS, threads));
  ArrayRef<int32_t> cluster = sizes(NVVM::NVVMDialect::getClusterDimAttrName());
  if (!cluster.empty())
    result.attributes.push_back(required(KILN_LAUNCH_CLUSTER, cluster));
  int64_t bytes = 0;
  if (auto shared = kernel->getAttrOfType<IntegerAttr>("gpu.shared_bytes"))
    bytes = shared.getInt();
  auto found = log.kernels.find(result.symbol);
  int64_t all =
      bytes + (found == log.kernels.end() ? 0 : found->second.sharedBytes);
  target::TargetAttr description = target::getDescription(module);
  target::MemoryAttr memory = description.getSharedMemory();
  if (memory && memory.getSize() && all > memory.getSize())
    return kernel.emitError("unsupported: kernel '")
           << kernel.getSymName() << "' needs " << all
           << " bytes of shared memory, an instance on "
           << description.getChip() << " has " << memory.getSize();
  if (bytes)
    result.attributes.push_back(
        required(KILN_LAUNCH_LOCAL_BYTES, {int32_t(bytes)}));
  if (kernel->hasAttr("gpu.cooperative"))
    result.attributes.push_back(required(KILN_LAUNCH_COOPERATIVE, {1}));
  if (kernel->hasAttr("gpu.persistent")) {
    // With an instance for each point it is right, too.
    runtime::LaunchAttribute persistent = required(KILN_LAUNCH_PERSISTENT, {1});
    persistent.isRequired = false;
    result.attributes.push_back(persistent);
  }
  // Of a description with one axis the code looks at no extents.
  int32_t ways = 0;
  if (description.getTopology() && description.getTopology().getGridAxes() == 3)
    ways |= kWaysAxes;
  if (kernel->hasAttr("gpu.dependent"))
    ways |= kWaysDependent;
  if (ways) {
    runtime::LaunchAttribute attribute = required(kLaunchWays, {ways});
    attribute.isRequired = false;
    result.attributes.push_back(attribute);
  }
  if (auto maps = simt::getDecided<ArrayAttr>(kernel, simt::kRecipesEntry))
    for (Attribute map : maps) {
      runtime::Recipe recipe;
      recipe.name = kTensorMapRecipe;
      if (auto numbers = dyn_cast<DenseI64ArrayAttr>(map)) {
        for (int64_t word : numbers.asArrayRef())
          recipe.words.push_back(runtime::Expression(word));
      } else {
        for (auto text : cast<ArrayAttr>(map).getAsRange<StringAttr>()) {
          auto word = runtime::Expression::parse(text.getValue().str());
          if (!word)
            return kernel.emitError("its tensor map: ") << word.message();
          recipe.words.push_back(*word);
        }
      }
      recipe.param = uint32_t(*recipe.words.front().constant());
      recipe.words.erase(recipe.words.begin());
      result.recipes.push_back(std::move(recipe));
    }
  if (found == log.kernels.end())
    return result;
  const KernelFacts &facts = found->second;
  auto note = [&](const char *name, int64_t value, bool always) {
    if (value || always)
      result.notes.push_back({name, std::to_string(value)});
  };
  note("registers", facts.registers, true);
  note("barriers", facts.barriers, false);
  note("shared_bytes", all, false);
  if (auto blocks = kernel->getAttrOfType<IntegerAttr>(
          NVVM::NVVMDialect::getMinctasmAttrName());
      blocks && blocks.getInt() > 1)
    note("blocks_per_core", blocks.getInt(), true);
  note("stack_bytes", facts.stackBytes, false);
  note("ordered_for_registers", llvm::is_contained(ordered, kernel), false);
  note("spill_store_bytes", facts.spillStores, true);
  note("spill_load_bytes", facts.spillLoads, true);
  return result;
}

/// A cubin as the device driver takes it.
static std::string seal(StringRef cubin) {
  std::string module(kCubinMark, sizeof kCubinMark);
  char sum[4];
  llvm::support::endian::write32le(
      sum, llvm::crc32(llvm::arrayRefFromStringRef(cubin)));
  module.append(sum, sizeof sum);
  module += cubin;
  return module;
}

LogicalResult nvidia::serializeModule(ModuleOp module,
                                      const target::TargetOptions &options,
                                      target::Executable &result) {
  Compilation compilation = {module, options, {}, {}, {}, {}};
  if (failed(compilation.prepare()))
    return failure();
  FailureOr<std::string> ptx = compilation.codegen->makePtx();
  if (failed(ptx))
    return failure();
  AssemblerLog log;
  std::string blob = *ptx;
  if (!compilation.assembler.empty()) {
    std::optional<std::string> cubin =
        assemble(compilation.assembler, *ptx, compilation.machine.cpu, log);
    if (!cubin)
      return compilation.reportErrors(log, *ptx);
    if (compilation.ordered.empty() && options.getBool("order", true) &&
        failed(compilation.orderSpilling(*ptx, log, *cubin)))
      return failure();
    compilation.useAllRegisters(*ptx, log, *cubin);
    compilation.fitTwoBlocks(*ptx, log, *cubin);
    compilation.reportWarnings(log);
    blob = seal(*cubin);
  }
  std::vector<target::CompiledKernel> kernels;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!Compilation::isKernel(kernel))
      continue;
    FailureOr<target::CompiledKernel> described =
        compilation.describe(kernel, log);
    if (failed(described))
      return failure();
    described->blob = result.blobs.size();
    kernels.push_back(std::move(*described));
  }
  result.blobs.push_back(std::move(blob));
  llvm::append_range(result.kernels, std::move(kernels));
  result.requirements.push_back(compilation.machine.cpu);
  return success();
}

LogicalResult nvidia::emitModule(ModuleOp module, target::EmitKind kind,
                                 const target::TargetOptions &options,
                                 llvm::raw_ostream &os) {
  Compilation compilation = {module, options, {}, {}, {}, {}};
  if (failed(compilation.prepare()))
    return failure();
  if (kind == target::EmitKind::LLVM) {
    compilation.codegen->printIR(os);
    return success();
  }
  FailureOr<std::string> ptx = compilation.codegen->makePtx();
  if (failed(ptx))
    return failure();
  os << *ptx;
  return success();
}
