//===- Occupancy.cpp - Registers that leave room for two blocks -----------===//
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

bool nvidia::mayRunTwoBlocks(LLVM::LLVMFuncOp kernel, const KernelFacts &facts,
                             target::TargetAttr description) {
  // Registers are given to warps in such groups for each thread.
  constexpr int64_t kGroup = 8, kBlocks = 2;
  // Of more registers than fit by a quarter the assembler would store some.
  constexpr double kMost = 1.25;
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  int64_t registers = extraOf(description, "registers_per_core"),
          shared = extraOf(description, "shared_per_core"),
          lanes = description.getTopology().getLanes(),
          warps = extraOf(description, "warps_per_core");
  if (!threads || !registers || !shared || !lanes)
    return false;
  int64_t count = 1;
  for (int32_t extent : threads.asArrayRef())
    count *= extent;
  count = llvm::alignTo(count, lanes);
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
