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

/// Reads numbers of a dictionary in `extra`; false where one is missing.
static bool readNumbers(target::TargetAttr description, StringRef name,
                        ArrayRef<std::pair<StringRef, int64_t *>> numbers) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto given = extra ? extra.getAs<DictionaryAttr>(name) : DictionaryAttr();
  return given && llvm::all_of(numbers, [&](auto &entry) {
           auto number = given.getAs<IntegerAttr>(entry.first);
           if (number)
             *entry.second = number.getInt();
           return number && number.getInt() > 0;
         });
}

static const target::ExtraCounts kBulkCopies("gpu", "bulk_copies",
                                             {"rank", "extent", "align", "row",
                                              "chunk"});

std::optional<BulkCopies> simt::bulkCopiesOf(target::TargetAttr description) {
  BulkCopies copies;
  bool isKnown = readNumbers(description, "bulk_copies",
                             {{"rank", &copies.rank},
                              {"extent", &copies.extent},
                              {"align", &copies.align},
                              {"row", &copies.row},
                              {"chunk", &copies.chunk}});
  return isKnown ? std::optional(copies) : std::nullopt;
}

static const target::ExtraCounts
    kProducer("gpu", "producer", {"warps", "registers", "granule", "most"});

std::optional<ProducerCosts>
simt::producerCostsOf(target::TargetAttr description) {
  ProducerCosts costs;
  bool isKnown = readNumbers(description, "producer",
                             {{"warps", &costs.warps},
                              {"registers", &costs.registers},
                              {"granule", &costs.granule},
                              {"most", &costs.most}});
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

namespace {
/// What the family reads of a vendor's own fields, and in which form.
enum class ExtraForm { Flag, Number, Numbers };
struct ExtraField {
  StringRef name;
  ExtraForm form;
  /// Numbers that have to be there, at least 1 each.
  SmallVector<StringRef, 5> required = {};
};
} // namespace

static ArrayRef<ExtraField> extraFields() {
  static const ExtraField kFields[] = {
      {"split_barriers", ExtraForm::Flag},
      {"few_bytes", ExtraForm::Flag},
      {"few_warps", ExtraForm::Flag},
      {"fenced_updates", ExtraForm::Flag},
      {"cluster", ExtraForm::Number},
      {"part_cluster", ExtraForm::Number},
      {"row_copies", ExtraForm::Number},
      {"added_bytes", ExtraForm::Number},
      {"thread_elements", ExtraForm::Number},
      {"most_extent", ExtraForm::Number},
      {"launch_ns", ExtraForm::Number},
      {"operand_copies", ExtraForm::Numbers},
      {"scaled", ExtraForm::Numbers},
      {"bulk_copies",
       ExtraForm::Numbers,
       {"rank", "extent", "align", "row", "chunk"}},
      {"producer",
       ExtraForm::Numbers,
       {"warps", "registers", "granule", "most"}},
  };
  return kFields;
}

/// Why a field of `extra` is not what the family reads; empty where it is.
static std::string whyNotExtra(const ExtraField &field, Attribute given) {
  auto isNumber = [](Attribute value, int64_t least) {
    auto number = dyn_cast_or_null<IntegerAttr>(value);
    return number && !isa<BoolAttr>(value) && number.getInt() >= least;
  };
  auto flag = dyn_cast<BoolAttr>(given);
  if (field.form == ExtraForm::Flag)
    return isa<UnitAttr>(given) || (flag && flag.getValue())
               ? ""
               : "to stand without a value; leave it out where the chip has no "
                 "such property";
  if (field.form == ExtraForm::Number)
    return isNumber(given, 0) ? "" : "to be an integer of at least 0";
  auto numbers = dyn_cast<DictionaryAttr>(given);
  if (!numbers)
    return "to be a dictionary of numbers";
  for (StringRef name : field.required)
    if (!isNumber(numbers.get(name), 1))
      return ("to have '" + name + "', an integer of at least 1").str();
  return "";
}

/// Fields that would be passed over in silence, or taken for another value.
static LogicalResult verifyExtra(Operation *op, target::TargetAttr description,
                                 int64_t lanes) {
  auto wrong = [&]() {
    return op->emitError("in the description of chip '")
           << description.getChip() << "': ";
  };
  DictionaryAttr extra = description.getExtra();
  for (const ExtraField &field : extraFields())
    if (Attribute given = extra ? extra.get(field.name) : Attribute())
      if (std::string reason = whyNotExtra(field, given); !reason.empty())
        return wrong() << "expected '" << field.name << "' in extra " << reason
                       << ", found " << given;
  if (auto scaled = extra ? extra.getAs<DictionaryAttr>("scaled") : nullptr)
    for (NamedAttribute entry : scaled)
      if (!description.getMatrixInstruction(entry.getName()))
        return wrong() << "expected 'scaled' in extra to name matrix "
                          "instructions, found "
                       << entry.getName();
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
    return verifyExtra(op, description, lanes);
  return op->emitError("expected one explicit memory of scope core, which the "
                       "threads of a block share, in the description of chip '")
         << description.getChip() << "', " << reason;
}
