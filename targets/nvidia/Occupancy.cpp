//===- Occupancy.cpp - Registers, and blocks of a core -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Occupancy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

/// A number that only this vendor's descriptions have; 0 if one has none.
static int64_t extraOf(target::TargetAttr description, StringRef name) {
  DictionaryAttr extra = description.getExtra();
  auto number = extra ? extra.getAs<IntegerAttr>(name) : IntegerAttr();
  return number ? number.getInt() : 0;
}

// Registers are given to warps in such groups for each thread.
static constexpr int64_t kGroup = 8;

/// The threads of a block, in whole warps; 0 if they are not known.
static int64_t threadsOf(LLVM::LLVMFuncOp kernel,
                         target::TargetAttr description) {
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  int64_t lanes = description.getTopology().getLanes();
  if (!threads || !lanes)
    return 0;
  int64_t count = 1;
  for (int32_t extent : threads.asArrayRef())
    count *= extent;
  return llvm::alignTo(count, lanes);
}

bool nvidia::mayHaveMoreRegisters(LLVM::LLVMFuncOp kernel,
                                  const KernelFacts &facts,
                                  target::TargetAttr description) {
  constexpr int64_t kRegisterBytes = 4;
  int64_t count = threadsOf(kernel, description),
          registers = extraOf(description, "registers_per_core");
  if (!count || !registers ||
      kernel->hasAttr(NVVM::NVVMDialect::getMinctasmAttrName()))
    return false;
  int64_t most = registers / count / kGroup * kGroup;
  for (target::MemoryAttr memory : description.getMemories())
    if (memory.getScope() == target::MemoryScope::Thread &&
        memory.getKind() == target::MemoryKind::Register && memory.getSize())
      most = std::min(most, memory.getSize() / kRegisterBytes);
  return facts.spillStores + facts.spillLoads && facts.registers < most;
}

bool nvidia::mayRunTwoBlocks(LLVM::LLVMFuncOp kernel, const KernelFacts &facts,
                             target::TargetAttr description) {
  constexpr int64_t kBlocks = 2;
  // Of more registers than fit by a quarter the assembler would store some.
  constexpr double kMost = 1.25;
  int64_t registers = extraOf(description, "registers_per_core"),
          shared = extraOf(description, "shared_per_core"),
          lanes = description.getTopology().getLanes(),
          warps = extraOf(description, "warps_per_core"),
          count = threadsOf(kernel, description);
  if (!count || !registers || !shared)
    return false;
  int64_t bytes = facts.sharedBytes;
  if (auto dynamic = kernel->getAttrOfType<IntegerAttr>("gpu.shared_bytes"))
    bytes += dynamic.getInt();
  bytes += extraOf(description, "shared_reserved");
  int64_t fit = registers / (kBlocks * count) / kGroup * kGroup,
          used = llvm::alignTo(facts.registers, kGroup);
  return kBlocks * count <= warps * lanes && kBlocks * bytes <= shared &&
         used > fit && used <= kMost * fit &&
         !(facts.spillStores + facts.spillLoads);
}

std::string nvidia::withBlocksPerCore(StringRef ptx, StringRef entry,
                                      int64_t blocks) {
  size_t at = ptx.find((".entry " + entry + "(").str());
  size_t directive = at == StringRef::npos ? at : ptx.find("\n.reqntid ", at);
  if (directive == StringRef::npos ||
      directive > ptx.find("\n{", at)) // of another entry
    return ptx.str();
  size_t end = ptx.find('\n', directive + 1);
  return (ptx.take_front(end) + "\n.minnctapersm " + std::to_string(blocks) +
          ptx.drop_front(end))
      .str();
}
