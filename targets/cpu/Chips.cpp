//===- Chips.cpp - Processors as descriptions -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "MatrixInstructions.h"
#include "Processors.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <tuple>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu_target;

namespace {
/// Vector registers, as a description tells of them.
struct Registers {
  int64_t bits = 128, count = 16;
  /// Preferred blocks of a contraction: rows are a multiple of the
  /// micro-kernel.
  int64_t m = 96, n = 256, k = 256;
  bool convertsF16 = false;
  std::string features = {}; ///< that say so to LLVM
};

/// A level of x86.
struct Level {
  StringRef features; ///< that a processor must have
  int64_t bits, registers;
  int64_t m, n, k;
};

// Widest first; the last one asks for nothing.
constexpr StringLiteral kWide = "+avx512f,+avx512bw,+avx512dq,+avx512vl";
const Level kLevels[] = {
    {kWide, 512, 32, 256, 512, 256},
    {"+avx2,+fma,+f16c", 256, 16, 256, 512, 256},
    {"", 128, 16, 96, 256, 256},
};

/// `wanted` bits, or as many as the processor has where that is 0. Nothing
/// where the processor has other registers.
std::optional<Registers> x86Registers(const Processor &processor,
                                      int64_t wanted) {
  for (const Level &level : kLevels) {
    if ((!level.features.empty() &&
         !processor.subtarget->checkFeatures(level.features.str())) ||
        (wanted && wanted != level.bits))
      continue;
    bool isExtended = wanted && processor.has("avx512vl");
    return Registers{level.bits, isExtended ? 32 : level.registers,
                     level.m,    level.n,
                     level.k,    level.bits >= 256};
  }
  return std::nullopt;
}

/// The scalable registers of AArch64 are used where they are longer than the
/// others, with the length that the code is for.
std::optional<Registers> armRegisters(const Processor &processor,
                                      int64_t wanted) {
  constexpr int64_t kNeon = 128, kLongest = 2048;
  int64_t bits = wanted ? wanted : std::max(processor.vectorBits, kNeon);
  if (bits == kNeon)
    return Registers{kNeon, 32, 96, 256, 256, /*convertsF16=*/true};
  if (!processor.has("sve") || !llvm::isPowerOf2_64(uint64_t(bits)) ||
      bits < kNeon || bits > kLongest ||
      (processor.vectorBits && bits != processor.vectorBits))
    return std::nullopt;
  return Registers{bits, 32, 256, 512, 256, /*convertsF16=*/true};
}

/// Registers of RISC-V are at least as long as the code says. Without vectors
/// one element is computed after the other.
std::optional<Registers> riscvRegisters(const Processor &processor,
                                        int64_t wanted) {
  constexpr int64_t kScalar = 32, kShortest = 64, kLongest = 65536;
  if (!processor.has("zve64d")) {
    if (wanted)
      return std::nullopt;
    return Registers{kScalar, 32, 96, 256, 256, /*convertsF16=*/false};
  }
  auto extension = [](int64_t bits) {
    return "zvl" + std::to_string(bits) + "b";
  };
  int64_t least = kShortest;
  while (least < kLongest && processor.has(extension(2 * least)))
    least *= 2;
  int64_t bits = wanted ? wanted : std::max(processor.vectorBits, least);
  if (!llvm::isPowerOf2_64(uint64_t(bits)) || bits < kShortest ||
      bits > kLongest || (processor.vectorBits && bits > processor.vectorBits))
    return std::nullopt;
  Registers registers = {bits, 32, 96, 256, 256, processor.has("zvfhmin")};
  if (bits >= 256)
    std::tie(registers.m, registers.n) = std::pair(256, 512);
  if (bits > least)
    registers.features = "+" + extension(bits);
  return registers;
}

std::optional<Registers> registersOf(const Processor &processor,
                                     int64_t wanted) {
  if (processor.triple.isX86())
    return x86Registers(processor, wanted);
  return processor.triple.isAArch64() ? armRegisters(processor, wanted)
                                      : riscvRegisters(processor, wanted);
}

/// Gives a processor streaming mode with registers of `bits` bits, if it may
/// have it: from Armv9.2 on levels of the architecture leave that to chips.
bool setStreaming(Processor &processor, int64_t bits) {
  constexpr int64_t kShortest = 128, kLongest = 2048;
  if (!processor.triple.isAArch64() || !llvm::isPowerOf2_64(uint64_t(bits)) ||
      bits < kShortest || bits > kLongest ||
      (processor.streamingBits && bits != processor.streamingBits))
    return false;
  processor.streamingBits = bits;
  if (processor.has("sme"))
    return true;
  if (processor.cpu != "generic" || !processor.has("v9.2a"))
    return false;
  processor.features += ",+sme";
  processor.subtarget->ApplyFeatureFlag("+sme");
  return true;
}

/// What of a processor is in no other field of a description.
std::string extraOf(const Processor &processor, const Registers &registers) {
  llvm::SmallVector<std::string> entries;
  if (registers.convertsF16)
    entries.push_back("converts_f16");
  if (!processor.tune.empty())
    entries.push_back("tune_cpu = \"" + processor.tune + "\"");
  // Instructions that round every number as the numerics say.
  if ((processor.triple.isAArch64() && processor.has("bf16")) ||
      (processor.triple.isRISCV() && processor.has("zvfbfmin")))
    entries.push_back("converts_bf16");
  // These have instructions for f16 that convert to and from f32 alone.
  if (processor.triple.isRISCV() && registers.convertsF16 &&
      !processor.has("zvfh"))
    entries.push_back("f16_through_f32");
  // Registers of AArch64 that are longer than those of NEON are scalable ones.
  constexpr int64_t kNeon = 128;
  if (processor.triple.isAArch64() && registers.bits > kNeon)
    entries.push_back("vscale = " + std::to_string(registers.bits / kNeon));
  // Loads and stores of NEON have no masks, and those of SVE are used for whole
  // registers only.
  else if (processor.triple.isAArch64())
    entries.push_back(processor.has("sve") ? "masked_bits = 128"
                                           : "masked_bits = 0");
  if (processor.streamingBits)
    entries.push_back("streaming_vscale = " +
                      std::to_string(processor.streamingBits / kNeon));
  // Addresses of any distance, and a load spreads an element over a register.
  if (processor.triple.isX86())
    entries.push_back("spreads_from_memory");
  // FMLA, SDOT and their like take a lane of a register of NEON.
  if (processor.triple.isAArch64() && registers.bits == kNeon)
    entries.push_back("multiplies_by_lane");
  return llvm::join(entries, ", ");
}
} // namespace

std::vector<target::ChipInfo> cpu_target::listedChips() {
  std::vector<target::ChipInfo> chips = {
      {"native", "the machine that compiles"}};
  for (const Architecture &architecture : architectures())
    for (const NamedChip &chip : architecture.chips)
      chips.push_back(
          {chip.name.str(), architecture.name.str() + ": " + chip.help.str()});
  return chips;
}

target::TargetAttr
cpu_target::describeChip(MLIRContext *context,
                         const target::TargetOptions &options) {
  auto fail = [&](const Twine &message) {
    emitError(UnknownLoc::get(context)) << message.str();
    return target::TargetAttr();
  };
  std::string problem;
  Processor processor = findProcessor(options.chip, problem);
  if (!processor.subtarget)
    return fail(problem);
  int64_t wanted = 0, streaming = 0;
  for (auto [key, bits] : {std::pair(kVectorBitsKey, &wanted),
                           std::pair(kStreamingBitsKey, &streaming)}) {
    StringRef length = options.get(key, "");
    if (!length.empty() && (length.getAsInteger(10, *bits) || *bits <= 0))
      return fail("target 'cpu': expected a number of bits for '" + key +
                  "', found '" + length + "'");
  }
  std::optional<Registers> registers = registersOf(processor, wanted);
  if (!registers)
    return fail("target 'cpu': vector_bits=" + Twine(wanted) + ": chip '" +
                processor.chip + "' has no vector registers of that length");
  if (streaming && !setStreaming(processor, streaming))
    return fail("target 'cpu': streaming_bits=" + Twine(streaming) +
                ": chip '" + processor.chip +
                "' has no streaming mode of that length");
  if (!registers->features.empty())
    processor.features +=
        (processor.features.empty() ? "" : ",") + registers->features;
  MatrixRows products = matrixRows(processor, registers->bits);
  // Blocks have about the same number of bytes whatever the type.
  std::string text = llvm::formatv(
      R"(#kiln.target<name = "cpu", chip = "{0}", family = "cpu",
  triple = "{1}", cpu = "{2}", features = "{3}",
  topology = <cores = {4}>,
  memories = [{15}
    #kiln.memory<name = "vectors", scope = thread, kind = register, size = {16}>,
    #kiln.memory<name = "l1", scope = core, kind = cached, size = {5}, align = 64, line = {21}>,
    #kiln.memory<name = "l2", scope = core, kind = cached, size = {6}, align = 64, line = {21}>,
    #kiln.memory<name = "l3", scope = cluster, kind = cached, size = {14}, align = 64, line = {21}>,
    #kiln.memory<name = "main", scope = host, kind = cached, align = 64, line = {21}>],
  units = [
    #kiln.unit<name = "simd", kind = vector, bits = {7}, registers = {8}, count = {22},
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
      processor.chip, processor.triple.str(), processor.cpu, processor.features,
      processor.cores, processor.l1, processor.l2, registers->bits,
      registers->count, registers->m, registers->n, registers->k,
      registers->n / 2, extraOf(processor, *registers), processor.l3,
      products.memories, registers->bits / 8 * registers->count, products.units,
      products.rows, 2 * registers->k, 4 * registers->k, processor.line,
      processor.pipes);
  return target::parseDescription(text, context, "description of cpu");
}
