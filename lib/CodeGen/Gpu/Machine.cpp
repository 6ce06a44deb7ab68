//===- Machine.cpp - What the family takes from descriptions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "kiln/Dialect/Kiln/ExtraCounts.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

// Of a chip that does not say: warps and banks of most GPUs, and blocks and
// shared memory that all have at least.
constexpr int64_t kUsualThreads = 1024;
constexpr int64_t kUsualWarps = 4;
constexpr int64_t kUsualSharedBytes = 48 << 10;
constexpr unsigned kUsualBanks = 32, kUsualBankBytes = 4;

int64_t simt::lanesOf(target::TargetAttr description, int64_t given) {
  if (given)
    return given;
  if (description && description.getTopology() &&
      description.getTopology().getLanes())
    return description.getTopology().getLanes();
  return kUsualLanes;
}

int64_t simt::warpsOf(tile::KernelOp kernel) {
  auto warps = kernel.getWarpsAttr();
  return warps ? warps.getInt() : kUsualWarps;
}

int64_t simt::mostWarpsOf(target::TargetAttr description, int64_t lanes) {
  int64_t threads = kUsualThreads;
  if (description && description.getTopology() &&
      description.getTopology().getThreadsPerBlock())
    threads = description.getTopology().getThreadsPerBlock();
  return llvm::bit_floor(uint64_t(std::max<int64_t>(threads / lanes, 1)));
}

int64_t simt::sharedBytesOf(target::TargetAttr description) {
  target::MemoryAttr memory =
      description ? description.getSharedMemory() : target::MemoryAttr();
  return memory && memory.getSize() ? memory.getSize() : kUsualSharedBytes;
}

int64_t simt::lineBytesOf(target::TargetAttr description) {
  target::MemoryAttr memory =
      description ? description.getSharedMemory() : target::MemoryAttr();
  return memory && llvm::isPowerOf2_64(memory.getLine())
             ? memory.getLine()
             : int64_t(kUsualBanks) * kUsualBankBytes;
}

StringRef simt::sharedSpaceOf(target::TargetAttr description) {
  target::MemoryAttr memory =
      description ? description.getSharedMemory() : target::MemoryAttr();
  return memory ? memory.getName() : StringRef(kSharedSpace);
}

static uint64_t maskOf(ArrayRef<int64_t> bits) {
  uint64_t mask = 0;
  for (int64_t bit : bits)
    mask |= uint64_t(1) << bit;
  return mask;
}

layout::Banks simt::banksOf(target::TargetAttr description) {
  layout::Banks banks;
  banks.count = kUsualBanks;
  banks.bytes = kUsualBankBytes;
  target::MemoryAttr memory =
      description ? description.getSharedMemory() : target::MemoryAttr();
  if (!memory)
    return banks;
  if (memory.getBanks() > 1 && llvm::isPowerOf2_64(memory.getBanks())) {
    banks.count = memory.getBanks();
    if (int64_t word = memory.getLine() / memory.getBanks();
        llvm::isPowerOf2_64(word))
      banks.bytes = word;
  }
  if (memory.getBankBytes())
    banks.bytes = memory.getBankBytes();
  for (target::LanePhaseAttr phase : memory.getLanePhases())
    banks.activeLanes.emplace_back(phase.getBytes(),
                                   maskOf(phase.getLaneBits()));
  return banks;
}

/// In cycles, the defaults of `#kiln.costs`.
static layout::ConversionCosts usualCosts() {
  layout::ConversionCosts costs;
  costs.shuffle = costs.indexed = 2;
  costs.select = costs.pack = 0.5;
  costs.wavefront = 1;
  costs.barrier = 20;
  costs.warpBarrier = 10;
  return costs;
}

layout::ConversionCosts simt::costsOf(target::TargetAttr description) {
  target::CostsAttr given =
      description ? description.getCosts() : target::CostsAttr();
  if (!given)
    return usualCosts();
  auto cycles = [](int64_t tenths) { return tenths / 10.0; };
  layout::ConversionCosts costs;
  costs.shuffle = cycles(given.getShuffle());
  costs.indexed =
      cycles(given.getIndexed() ? given.getIndexed() : given.getShuffle());
  costs.select = cycles(given.getSelect());
  costs.pack = cycles(given.getPack());
  costs.wavefront = cycles(given.getWavefront());
  costs.barrier = cycles(given.getBarrier());
  costs.warpBarrier = cycles(given.getWarpBarrier());
  for (target::ExchangeCostAttr exchange : given.getExchanges())
    costs.exchanges.emplace_back(maskOf(exchange.getLaneBits()),
                                 cycles(exchange.getCost()));
  return costs;
}

bool simt::sharesRegisters(target::TargetAttr description) {
  return description && description.getUnitOfKind(target::UnitKind::Scalar);
}

/// Whether some memory of the device is one of which `holds` says something.
static bool anyGlobal(target::TargetAttr description,
                      function_ref<bool(target::MemoryAttr)> holds) {
  return description && llvm::any_of(description.getMemories(),
                                     [&](target::MemoryAttr memory) {
                                       return memory.getScope() ==
                                                  target::MemoryScope::Device &&
                                              holds(memory);
                                     });
}

bool simt::checksBounds(target::TargetAttr description) {
  return anyGlobal(description, [](target::MemoryAttr memory) {
    return memory.getBounded();
  });
}

bool simt::namesMemories(target::TargetAttr description) {
  return anyGlobal(description, [](target::MemoryAttr memory) {
    return !memory.getBarriersOrder();
  });
}

bool simt::hasSplitBarriers(target::TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  return extra && extra.contains("split_barriers");
}

bool simt::sparesShared(target::TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  return extra && extra.contains("few_bytes");
}

bool simt::fencesUpdates(target::TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  return extra && extra.contains("fenced_updates");
}

/// Reads numbers of a dictionary in `extra`, in the order of their declaration;
/// false where one is missing.
static bool readNumbers(target::TargetAttr description,
                        const target::ExtraCounts &names,
                        ArrayRef<int64_t *> numbers) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto given =
      extra ? extra.getAs<DictionaryAttr>(names.dictionary) : DictionaryAttr();
  return given &&
         llvm::all_of(llvm::zip_equal(names.entries, numbers), [&](auto entry) {
           auto [name, number] = entry;
           *number = target::wholeNumber(given.get(name)).value_or(0);
           return *number > 0;
         });
}

static const target::ExtraCounts kBulkCopies("gpu", "bulk_copies",
                                             {"rank", "extent", "align", "row",
                                              "chunk"});

std::optional<BulkCopies> simt::bulkCopiesOf(target::TargetAttr description) {
  BulkCopies copies;
  bool isKnown = readNumbers(description, kBulkCopies,
                             {&copies.rank, &copies.extent, &copies.align,
                              &copies.row, &copies.chunk});
  return isKnown ? std::optional(copies) : std::nullopt;
}

static const target::ExtraCounts
    kProducer("gpu", "producer", {"warps", "registers", "granule", "most"});

std::optional<ProducerCosts>
simt::producerCostsOf(target::TargetAttr description) {
  ProducerCosts costs;
  bool isKnown = readNumbers(
      description, kProducer,
      {&costs.warps, &costs.registers, &costs.granule, &costs.most});
  return isKnown ? std::optional(costs) : std::nullopt;
}

std::optional<int64_t> simt::warpsOfProducer(ProducerCosts costs, int64_t warps,
                                             int64_t lanes,
                                             target::TargetAttr description) {
  int64_t added = warps == costs.warps ? 1 : costs.warps;
  if (warps % costs.warps || warps + added > mostWarpsOf(description, lanes))
    return std::nullopt;
  return added;
}

/// Properties that a chip has or not.
static constexpr StringLiteral kFlags[] = {"split_barriers", "few_bytes",
                                           "few_warps", "fenced_updates",
                                           "tall_attention"};
/// Integers of at least 0.
static constexpr StringLiteral kNumbers[] = {
    "cluster",         "part_cluster", "row_copies",
    "added_bytes",     "pair_lines",   "pair_products",
    "thread_elements", "most_extent",  "launch_ns"};

/// Fields that would be passed over in silence, or taken for another value.
static LogicalResult verifyExtra(Operation *op,
                                 target::TargetAttr description) {
  auto wrong = [&]() {
    return op->emitError("in the description of chip '")
           << description.getChip() << "': ";
  };
  DictionaryAttr extra = description.getExtra();
  if (!extra)
    return success();
  auto expect = [&](StringRef name, function_ref<bool(Attribute)> holds,
                    const Twine &what) -> LogicalResult {
    Attribute given = extra.get(name);
    if (!given || holds(given))
      return success();
    return wrong() << "expected '" << name << "' in extra to " << what
                   << ", found " << given;
  };
  auto isSet = [](Attribute given) {
    auto flag = dyn_cast<BoolAttr>(given);
    return isa<UnitAttr>(given) || (flag && flag.getValue());
  };
  for (StringRef name : kFlags)
    if (failed(expect(name, isSet,
                      "stand without a value; leave it out where the chip has "
                      "no such property")))
      return failure();
  auto isAmount = [](Attribute given) {
    return target::wholeNumber(given).value_or(-1) >= 0;
  };
  for (StringRef name : kNumbers)
    if (failed(expect(name, isAmount, "be an integer of at least 0")))
      return failure();
  // A description of another family comes here unchecked.
  if (failed(target::checkExtra(wrong, kBulkCopies.family, extra,
                                description.getMatrixInstructions())))
    return failure();
  for (const target::ExtraCounts *names : {&kBulkCopies, &kProducer})
    for (StringRef name : names->entries) {
      auto hasEntry = [&](Attribute given) {
        return cast<DictionaryAttr>(given).contains(name);
      };
      if (failed(expect(names->dictionary, hasEntry,
                        "have '" + name + "', an integer of at least 1")))
        return failure();
    }
  return success();
}

/// Lanes and banks that there are not.
static LogicalResult verifyLanes(Operation *op, target::TargetAttr description,
                                 int64_t lanes) {
  auto wrong = [&]() {
    return op->emitError("in the description of chip '")
           << description.getChip() << "': ";
  };
  auto verifyBits = [&](StringRef what, ArrayRef<int64_t> bits) {
    int64_t count = llvm::Log2_64(lanes);
    for (int64_t bit : bits)
      if (bit >= count)
        return LogicalResult(
            wrong() << "expected " << what << " to name bits 0 to " << count - 1
                    << " of the " << lanes << " lanes, found bit " << bit);
    return success();
  };
  if (target::CostsAttr costs = description.getCosts())
    for (target::ExchangeCostAttr exchange : costs.getExchanges())
      if (failed(verifyBits("an exchange", exchange.getLaneBits())))
        return failure();
  target::MemoryAttr shared = description.getSharedMemory();
  for (target::LanePhaseAttr phase : shared.getLanePhases())
    if (failed(verifyBits("a lane phase", phase.getLaneBits())))
      return failure();
  if (shared.getBanks() && !llvm::isPowerOf2_64(shared.getBanks()))
    return wrong() << "expected the banks of '" << shared.getName()
                   << "' to be a power of two, found " << shared.getBanks();
  return success();
}

LogicalResult simt::verifyMachine(Operation *op, target::TargetAttr description,
                                  int64_t lanes) {
  if (!llvm::isPowerOf2_64(lanes))
    return op->emitError("expected lanes to be a power of two, found ")
           << lanes;
  std::string reason;
  if (!description)
    return success();
  if (description.getSharedMemory(&reason))
    return failure(failed(verifyExtra(op, description)) ||
                   failed(verifyLanes(op, description, lanes)));
  return op->emitError("expected one explicit memory of scope core, which the "
                       "threads of a block share, in the description of chip '")
         << description.getChip() << "', " << reason;
}
