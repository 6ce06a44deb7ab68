//===- Chips.cpp - Processors as descriptions -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "MatrixInstructions.h"
#include "kiln/LLVM/Serialize.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace mlir;
using namespace kiln;

namespace {
/// What differs between the levels of the architecture.
struct Level {
  StringRef features; ///< that a processor must have
  int64_t bits, registers;
  /// Preferred blocks of a contraction: rows are a multiple of the
  /// micro-kernel.
  int64_t m, n, k;
};

// Widest first; the last one asks for nothing.
constexpr StringLiteral kWide = "+avx512f,+avx512bw,+avx512dq,+avx512vl";
const Level kLevels[] = {
    {kWide, 512, 32, 256, 512, 256},
    {"+avx2,+fma,+f16c", 256, 16, 256, 512, 256},
    {"", 128, 16, 96, 256, 256},
};

/// What a processor name stands for.
struct Processor {
  std::string cpu, features;
  int64_t l1 = 32768, l2 = 1048576, l3 = 33554432, cores = 1;
};

Processor nativeProcessor() {
  Processor processor;
  processor.cpu = llvm::sys::getHostCPUName().str();
  SmallVector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names);
  processor.features = llvm::join(names, ",");
  auto known = [](int name, int64_t &value) {
    long found = sysconf(name);
    if (found > 0)
      value = found;
  };
  known(_SC_LEVEL1_DCACHE_SIZE, processor.l1);
  known(_SC_LEVEL2_CACHE_SIZE, processor.l2);
  int64_t shared = processor.l3;
  known(_SC_LEVEL3_CACHE_SIZE, shared);
  // Virtual machines report the sum over sockets.
  processor.l3 = std::min(shared, processor.l3);
  known(_SC_NPROCESSORS_ONLN, processor.cores);
  return processor;
}

/// Whether LLVM generates code of the host's word size for a processor.
bool isUsable(const llvm::MCSubtargetInfo &processor) {
  return !processor.getTargetTriple().isX86() ||
         !processor.getTargetTriple().isArch64Bit() ||
         processor.checkFeatures("+64bit");
}

/// The processors that LLVM generates code for, as a list.
std::string listUsable(const llvm::Target &backend, const llvm::Triple &triple,
                       const llvm::MCSubtargetInfo &general) {
  std::string list;
  for (const llvm::SubtargetSubTypeKV &entry :
       general.getAllProcessorDescriptions()) {
    std::unique_ptr<llvm::MCSubtargetInfo> processor(
        backend.createMCSubtargetInfo(triple, entry.Key, ""));
    if (processor && isUsable(*processor))
      list += (list.empty() ? "" : ", ") + StringRef(entry.Key).str();
  }
  return list;
}
} // namespace

std::vector<target::ChipInfo> cpu_target::listedChips() {
  return {{"native", "the machine that compiles"},
          {"x86-64-v4", "AVX-512 (F, BW, DQ, VL)"},
          {"x86-64-v3", "AVX2 and FMA"},
          {"x86-64-v2", "SSE4.2"},
          {"x86-64", "the base architecture"}};
}

target::TargetAttr cpu_target::describeChip(MLIRContext *context,
                                            StringRef chip) {
  cpu::initializeBackends();
  auto fail = [&](const Twine &message) {
    emitError(UnknownLoc::get(context)) << message.str();
    return target::TargetAttr();
  };
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  bool native = chip.empty() || chip == "native";
  Processor processor = native ? nativeProcessor() : Processor();
  if (!native)
    processor.cpu = chip.str();
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return fail("no code generator for '" + triple.str() + "': " + error);
  std::unique_ptr<llvm::MCSubtargetInfo> general(
      backend->createMCSubtargetInfo(triple, "", ""));
  if (!general || (!native && !general->isCPUStringValid(processor.cpu)))
    return fail("target 'cpu' has no chip '" + chip +
                "', expected native or one of: " +
                (general ? listUsable(*backend, triple, *general) : ""));
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      backend->createMCSubtargetInfo(triple, processor.cpu,
                                     processor.features));
  if (!isUsable(*subtarget))
    return fail("unsupported: chip '" + chip +
                "' has no 64-bit mode, expected native or one of: " +
                listUsable(*backend, triple, *general));
  const Level *level = kLevels;
  if (triple.isX86())
    while (!level->features.empty() &&
           !subtarget->checkFeatures(level->features.str()))
      ++level;
  else
    level = std::end(kLevels) - 1;
  cpu_target::MatrixRows products;
  if (triple.isX86())
    products = cpu_target::matrixRows(level->bits, [&](StringRef feature) {
      return subtarget->checkFeatures(("+" + feature).str());
    });
  // Blocks have about the same number of bytes whatever the type.
  std::string text = llvm::formatv(
      R"(#kiln.target<name = "cpu", chip = "{0}", family = "cpu",
  triple = "{1}", cpu = "{2}", features = "{3}",
  topology = <cores = {4}>,
  memories = [{15}
    #kiln.memory<name = "vectors", scope = thread, kind = register, size = {16}>,
    #kiln.memory<name = "l1", scope = core, kind = cached, size = {5}, align = 64, line = 64>,
    #kiln.memory<name = "l2", scope = core, kind = cached, size = {6}, align = 64, line = 64>,
    #kiln.memory<name = "l3", scope = cluster, kind = cached, size = {14}, align = 64, line = 64>,
    #kiln.memory<name = "main", scope = host, kind = cached, align = 64, line = 64>],
  units = [
    #kiln.unit<name = "simd", kind = vector, bits = {7}, registers = {8}, count = 2,
      types = [f32, f64, f16, bf16, i1, i8, i16, i32, i64], homes = ["vectors", "l1"]>{17}],
  matrix_instructions = [{18}],
  tiles = <elementwise_rows = 4, elementwise_cols = 1024, reduction_elements = 16384, reduction_rows = 1, contraction = [
    #kiln.contraction_tile<type = f64, m = {9}, n = {12}, k = {11}>,
    #kiln.contraction_tile<type = bf16, m = {9}, n = {10}, k = {19}>,
    #kiln.contraction_tile<type = f16, m = {9}, n = {10}, k = {19}>,
    #kiln.contraction_tile<type = i16, m = {9}, n = {10}, k = {19}>,
    #kiln.contraction_tile<type = i8, m = {9}, n = {10}, k = {20}>,
    #kiln.contraction_tile<m = {9}, n = {10}, k = {11}>]>,
  extra = {{{13}}>)",
      native ? StringRef("native") : chip, triple.str(), processor.cpu,
      processor.features, processor.cores, processor.l1, processor.l2,
      level->bits, level->registers, level->m, level->n, level->k, level->n / 2,
      level->bits >= 256 ? "converts_f16" : "", processor.l3, products.memories,
      level->bits / 8 * level->registers, products.units, products.rows,
      2 * level->k, 4 * level->k);
  return target::parseDescription(text, context, "description of cpu");
}
