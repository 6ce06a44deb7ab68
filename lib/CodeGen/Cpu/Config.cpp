//===- Config.cpp - What the cpu family knows of a chip -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Cpu/Config.h"
#include "HeldRegisters.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kiln;
using namespace kiln::cpu;

int64_t cpu::getVectorBits(target::ExecutionUnitAttr vectorUnit) {
  // Longer vectors are computed as several of these.
  constexpr int64_t kMost = 1024;
  return std::min<int64_t>(vectorUnit.getBits(), kMost);
}

int64_t cpu::countHeldRegisters(target::ExecutionUnitAttr vectorUnit) {
  constexpr int64_t kMostBits = 32 * 512;
  int64_t bits = getVectorBits(vectorUnit), count = vectorUnit.getRegisters();
  return bits > 0 ? std::min(count, std::max<int64_t>(kMostBits / bits, 1))
                  : count;
}

CpuConfig CpuConfig::fromDescription(target::TargetAttr description) {
  CpuConfig config;
  if (!description)
    return config;
  if (target::ExecutionUnitAttr unit =
          description.getUnitOfKind(target::UnitKind::Vector)) {
    if (unit.getBits() > 0)
      config.vectorBits = getVectorBits(unit);
    if (unit.getRegisters() > 0)
      config.registers = countHeldRegisters(unit);
  }
  if (target::MemoryAttr l3 = description.getMemory("l3"))
    if (l3.getSize() > 0)
      config.lastCacheBytes = l3.getSize();
  if (target::MemoryAttr l1 = description.getMemory("l1")) {
    if (l1.getSize() > 0)
      config.l1Bytes = l1.getSize();
    if (l1.getLine() > 0)
      config.lineBytes = l1.getLine();
  }
  return config;
}

MicroTile MicroTile::choose(const RegisterFile &file, int64_t m, int64_t n,
                            bool isWhole) {
  MicroTile best;
  double bestCost = 0;
  // So many accumulators hide the latency of vectors; those of a unit for
  // matrices take longer to be used.
  double enough = file.isMatrix ? 4 : 8;
  for (int64_t vectors = 1; vectors <= 8; ++vectors) {
    for (int64_t rows = 1; rows <= 16; ++rows) {
      if (isWhole && m % (rows * file.rows))
        continue;
      // Accumulators, one row of the right panel, one element of the left.
      int64_t needed = rows * vectors + (file.right ? vectors : 0) +
                       (file.left ? 1 : 0) + file.temporaries;
      if (needed > file.registers &&
          !(rows == 14 && vectors == 2 && file.registers == 32))
        continue;
      double area = double(llvm::alignTo(m, rows * file.rows)) *
                    double(llvm::alignTo(n, vectors * file.columns));
      // Loads per multiply-add, and too few accumulators to hide latency.
      double loads = double(rows + vectors) / double(rows * vectors);
      double latency = std::max(1.0, enough / double(rows * vectors));
      double cost = area * (1.0 + 0.5 * loads) * latency;
      if (bestCost == 0 || cost < bestCost) {
        bestCost = cost;
        best = {rows * file.rows, vectors};
      }
    }
  }
  return best;
}
