//===- MatmulCosts.cpp - What a description says of matmuls ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Tiling/MatmulCosts.h"
#include "kiln/Target/Rates.h"
#include "kiln/Tiling/OperandCopies.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

/// Bits of the widest access to the memory of a core, whose storage is aligned
/// for it.
static double accessBits(TargetAttr description) {
  constexpr int64_t kWord = 4;
  int64_t bytes = kWord;
  if (description)
    for (MemoryAttr memory : description.getMemories())
      if (memory.getKind() == MemoryKind::Explicit &&
          memory.getScope() == MemoryScope::Core)
        bytes = std::max(bytes, memory.getAlign());
  return double(bytes) * 8;
}

/// Bytes that a core reads of its memory in a cycle: of each bank a word, else
/// for each lane of a vector one.
static double readBytes(TargetAttr description) {
  if (!description)
    return 0;
  for (MemoryAttr memory : description.getMemories())
    if (memory.getKind() == MemoryKind::Explicit &&
        memory.getScope() == MemoryScope::Core && memory.getBankBytes() > 0)
      return double(memory.getBanks()) * double(memory.getBankBytes());
  ExecutionUnitAttr vector = description.getUnitOfKind(UnitKind::Vector);
  return vector ? double(vector.getBits()) / 8 : 0;
}

MatmulCosts MatmulCosts::of(TargetAttr description) {
  MatmulCosts costs;
  costs.steps.read = readBytes(description);
  costs.stored.access = accessBits(description);
  costs.oneStep.store = costs.oneStep.memory = cycleBytesOfCore(description);
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto given =
      extra ? extra.getAs<DictionaryAttr>("matmul_costs") : DictionaryAttr();
  if (!given)
    return costs;
  takeNumbers(given, {{"fragments", &costs.fragments},
                      {"memory", &costs.memory},
                      {"threads", &costs.threads},
                      {"widened_rows", &costs.widenedRows},
                      {"widened_share", &costs.widenedShare}});
  takeNumbers(given.getAs<DictionaryAttr>("stored"),
              {{"share", &costs.stored.share},
               {"warps", &costs.stored.warps},
               {"operations", &costs.stored.operations},
               {"access", &costs.stored.access},
               {"alike", &costs.stored.alike},
               {"seen", &costs.stored.seen}});
  takeNumbers(given.getAs<DictionaryAttr>("one_step"),
              {{"store", &costs.oneStep.store},
               {"memory", &costs.oneStep.memory},
               {"begin", &costs.oneStep.begin},
               {"launch", &costs.oneStep.launch},
               {"alone", &costs.oneStep.alone},
               {"overlap", &costs.oneStep.overlap}});
  takeNumbers(given.getAs<DictionaryAttr>("steps"),
              {{"launch", &costs.steps.launch},
               {"ends", &costs.steps.ends},
               {"way", &costs.steps.way},
               {"read", &costs.steps.read},
               {"barrier", &costs.steps.barrier},
               {"part", &costs.steps.part},
               {"next", &costs.steps.next},
               {"begin", &costs.steps.begin},
               {"seen", &costs.steps.seen},
               {"few", &costs.steps.few},
               {"first", &costs.steps.first},
               {"chain", &costs.steps.chain},
               {"hidden", &costs.steps.hidden}});
  takeNumbers(given.getAs<DictionaryAttr>("parts"),
              {{"barrier", &costs.parts.barrier},
               {"write", &costs.parts.write},
               {"read", &costs.parts.read},
               {"launch", &costs.parts.launch},
               {"share", &costs.parts.share}});
  return costs;
}
