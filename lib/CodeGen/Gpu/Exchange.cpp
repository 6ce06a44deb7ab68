//===- Exchange.cpp - Tiles from one spread to another --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using layout::ConversionKind;
using layout::LinearLayout;
using layout::SharedPlan;
using layout::ShufflePlan;
using Marks = SmallVector<bool>;

static constexpr ArrayRef<StringRef> kLevels = kExchangeLevels;

namespace {
/// Chooses the way of one change of layout.
class WayChooser {
public:
  WayChooser(const LinearLayout &from, const LinearLayout &to, unsigned bits,
             const BlockShape &block, const ExchangeMachine &machine)
      : from(from), to(to), bits(bits), block(block), machine(machine),
        stores(tileMovesOf(block.description, target::MoveKind::Store, bits,
                           block.lanes)),
        loads(tileMovesOf(block.description, target::MoveKind::Load, bits,
                          block.lanes)) {}

  std::optional<ExchangeWay> run();

private:
  SharedPlan planFor(const LinearLayout &source, const LinearLayout &target,
                     bool byMatrices = true, unsigned rounds = 0) const {
    SmallVector<layout::InstructionTile> none;
    return layout::getSharedPlan(source, target, kLevels, bits, machine.banks,
                                 byMatrices ? stores.tiles : none,
                                 byMatrices ? loads.tiles : none, rounds);
  }
  /// Through memory of each warp, in 2^`rounds` rounds, or more if that is too
  /// much; none if the rounds cannot be told apart.
  std::optional<SharedPlan> planForWarp(const layout::Conversion &made,
                                        unsigned &rounds) const;
  unsigned getRoundBits(const SharedPlan &plan) const;
  void addRounds(ExchangeWay &way) const;
  bool isInEveryRound(const SharedPlan &plan, unsigned rounds) const;

  const LinearLayout &from, &to;
  unsigned bits; ///< of an element in memory
  const BlockShape &block;
  const ExchangeMachine &machine;
  TileMoves stores, loads;
};
} // namespace

std::optional<ExchangeWay> WayChooser::run() {
  auto conversion = layout::getConversion(from, to, kLevels);
  if (!conversion)
    return std::nullopt;
  ExchangeWay way{*conversion, bits};
  if (conversion->kind <= ConversionKind::Registers)
    return way;
  if (bits > 64 || !llvm::isPowerOf2_32(bits))
    return std::nullopt;
  double cost = 0;
  if (conversion->kind != ConversionKind::Memory) {
    way.shuffles = layout::getShufflePlan(*conversion, kLevels);
    cost = layout::countShuffles(*way.shuffles, bits, machine.costs.wordBits)
               .getCost(machine.costs);
    if (conversion->kind == ConversionKind::Select)
      return way;
  }
  SharedPlan plan = planFor(from, to);
  unsigned roundBits = getRoundBits(plan);
  if (roundBits && (plan.store.usesTile || plan.load.usesTile)) {
    // Matrices of one instruction may belong to several rounds.
    plan = planFor(from, to, /*byMatrices=*/false);
    roundBits = getRoundBits(plan);
  }
  double memoryCost = layout::getMemoryCost(plan.getWavefronts(),
                                            1u << roundBits, machine.costs);
  if (way.shuffles) {
    unsigned rounds = 0;
    auto ofWarp = planForWarp(*conversion, rounds);
    double warpCost = memoryCost;
    if (ofWarp) {
      layout::ConversionCosts costs = machine.costs;
      costs.barrier = machine.costs.warpBarrier;
      warpCost =
          layout::getMemoryCost(ofWarp->getWavefronts(), 1u << rounds, costs);
    }
    if (cost <= std::min(memoryCost, warpCost))
      return way;
    way.shuffles.reset();
    if (warpCost < memoryCost) {
      way.memory = std::move(ofWarp);
      way.roundBits = rounds;
      way.isOfWarp = true;
      addRounds(way);
      return way;
    }
  }
  way.memory = std::move(plan);
  way.roundBits = roundBits;
  addRounds(way);
  return way;
}

std::optional<ExchangeWay>
simt::chooseExchange(const LinearLayout &from, const LinearLayout &to,
                     unsigned bits, const BlockShape &block,
                     const ExchangeMachine &machine) {
  return WayChooser(from, to, bits, block, machine).run();
}

ScratchNeeds ExchangeWay::needs(const BlockShape &block) const {
  if (!memory)
    return {};
  int64_t bytes = roundBytes();
  ScratchNeed need = {bytes};
  if (isOfWarp)
    need = {bytes * block.warps, bytes};
  return ScratchNeeds(size_t(1) << roundBits, need);
}

Regs Exchange::run(ArrayRef<Value> regs, int64_t count) {
  if (way.memory)
    return throughMemory(regs, count);
  return way.shuffles ? throughLanes(regs) : rename(regs, count);
}

/// What a warp exchanges is a tile, too: of the registers and lanes that its
/// elements come from. All warps have such a tile, each in memory of its own.
std::optional<SharedPlan>
WayChooser::planForWarp(const layout::Conversion &conversion,
                        unsigned &rounds) const {
  StringRef places[] = {kLevels[1], kLevels[0]};
  LinearLayout target = conversion.map.sublayout(kLevels, places);
  LinearLayout source({}, target.getOutputs());
  for (StringRef level : {kLevels[0], kLevels[1]}) {
    SmallVector<LinearLayout::Basis> bases;
    unsigned index = source.getOutputIndex(level);
    for (int64_t n = 1; n < source.getOutputs()[index].second; n *= 2) {
      bases.emplace_back(2, 0);
      bases.back()[index] = n;
    }
    source.setBases(level, bases);
  }
  source.setBases(kLevels[2], SmallVector<LinearLayout::Basis>(
                                  block.warpBits(), LinearLayout::Basis(2, 0)));
  // Copies in a thread would be written for nothing.
  LinearLayout read = target.sublayout(places, places);
  if (!read.isSurjective())
    return std::nullopt;
  int64_t bytes = ((bits / 8) << source.getTotalOutputBits()) * block.warps;
  while (bytes >> rounds > machine.bytes)
    ++rounds;
  // Matrices of one instruction may belong to several rounds.
  SharedPlan plan = planFor(source, target, /*byMatrices=*/!rounds, rounds);
  if (rounds > plan.roundBits || !isInEveryRound(plan, rounds))
    return std::nullopt;
  return plan;
}

/// Whether no thread tells the round.
bool WayChooser::isInEveryRound(const SharedPlan &plan, unsigned rounds) const {
  int64_t size = plan.memory.getInputSize(layout::kOffset);
  int64_t last = size - (size >> rounds);
  for (const layout::SharedAccess *side : {&plan.store, &plan.load})
    for (StringRef level : ArrayRef(kLevels).drop_front())
      for (const auto &basis : side->offsets.getBases(level))
        if (basis[0] & last)
          return false;
  return true;
}

unsigned WayChooser::getRoundBits(const SharedPlan &plan) const {
  int64_t size = plan.memory.getInputSize(layout::kOffset) * (bits / 8);
  unsigned rounds = 0;
  while (rounds < plan.roundBits && size >> rounds > machine.bytes)
    ++rounds;
  if (!isInEveryRound(plan, rounds))
    rounds = 0;
  // Threads that sit out rounds cost more than memory that there is.
  if (size >> rounds > machine.mostBytes)
    while (size >> rounds > machine.mostBytes / 2)
      ++rounds;
  return rounds;
}

/// Cuts an exchange into more rounds, as far as it takes more than
/// `spareBytes`: into four where that costs no barriers of the block, else into
/// two, if it then takes no more than twice as much.
void WayChooser::addRounds(ExchangeWay &way) const {
  if (!machine.spareBytes || way.memory->store.usesTile ||
      way.memory->load.usesTile)
    return;
  unsigned most = way.roundBits + (way.isOfWarp ? 2 : 1);
  int64_t bytes = way.roundBytes() * (way.isOfWarp ? block.warps : 1);
  unsigned rounds = way.roundBits;
  for (; bytes > machine.spareBytes && rounds < most; bytes /= 2)
    ++rounds;
  if (way.isOfWarp) {
    if (auto plan = planForWarp(way.conversion, rounds)) {
      way.memory = std::move(plan);
      way.roundBits = rounds;
    }
  } else if (bytes <= 2 * machine.spareBytes) {
    way.roundBits = rounds;
  }
}

Regs Exchange::rename(ArrayRef<Value> regs, int64_t count) {
  Regs results;
  unsigned index = way.conversion.map.getOutputIndex(kLevels[0]);
  for (int64_t i = 0; i < count; ++i)
    results.push_back(regs[way.conversion.map.apply({{kLevels[0], i}})[index]]);
  return results;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value Exchange::holds(const ShufflePlan::Condition &condition) {
  int64_t mask = 0;
  for (const auto &[level, bitsOfLevel] : condition.masks)
    mask |= bitsOfLevel << (level == kLevels[1] ? 0 : w.laneBits());
  Value parity = w.and_(w.threadId(), w.c32(mask));
  // Halves are laid over each other until one bit is left.
  int64_t left = mask;
  if (!llvm::isPowerOf2_64(mask)) {
    parity = LLVM::CtPopOp::create(w.b, w.loc, parity.getType(), parity);
    left = 1;
    parity = w.and_(parity, w.c32(left));
  }
  return w.compare(arith::CmpIPredicate::ne, parity, w.c32(0));
}

/// What swaps need of what was there before each, from what is needed after
/// all: one list more than there are swaps.
static SmallVector<Marks> getUses(ArrayRef<ShufflePlan::Swap> swaps,
                                  Marks after) {
  SmallVector<Marks> uses = {after};
  for (const ShufflePlan::Swap &swap : llvm::reverse(swaps)) {
    Marks before = uses.back();
    for (auto [i, isUsed] : llvm::enumerate(uses.back()))
      if (isUsed)
        before[i ^ swap.distance] = true;
    uses.push_back(before);
  }
  std::reverse(uses.begin(), uses.end());
  return uses;
}

void Exchange::swap(ArrayRef<ShufflePlan::Swap> swaps, Regs &values,
                    ArrayRef<Marks> used) {
  for (auto [step, swap] : llvm::enumerate(swaps)) {
    Value condition = holds(swap.when);
    Regs before = values;
    for (auto [i, value] : llvm::enumerate(values))
      if (used[step + 1][i])
        value = w.select(condition, before[i ^ swap.distance], before[i]);
  }
}

Regs Exchange::send(ArrayRef<Value> values, ArrayRef<bool> used) {
  const ShufflePlan &plan = *way.shuffles;
  Regs arrived(values);
  unsigned laneIndex = plan.source.getOutputIndex(kLevels[1]);
  Value ownPart; // of the lane to read, where lanes and warps decide
  if (plan.isIndexed) {
    LinearLayout threads({}, {plan.source.getOutputs()[laneIndex]});
    SmallVector<LinearLayout::Basis> bases;
    for (auto [level, count] : {std::make_pair(kLevels[1], w.laneBits()),
                                std::make_pair(kLevels[2], w.warpBits())})
      for (unsigned bit = 0; bit < count; ++bit)
        bases.push_back({bit < plan.source.getInputBits(level)
                             ? plan.source.getBasis(level, bit)[laneIndex]
                             : 0});
    threads.setBases("thread", bases);
    ownPart = w.threadPart(layout::getAddressTerms(threads, {"thread"}));
  }
  auto exchange = [&](Value value, unsigned first) {
    int64_t distance = plan.getLaneXor(first);
    if (!plan.isIndexed)
      return w.shuffleXor(value, distance);
    return w.shuffleFrom(value, w.xor_(ownPart, w.c32(distance)));
  };
  unsigned perWord = std::max(1u, machine.costs.wordBits / bits);
  unsigned alike = 1u << plan.numAlikeBits;
  for (unsigned first = 0; first < plan.getNumValues(); first += alike) {
    SmallVector<unsigned> travelling;
    for (unsigned value = first; value < first + alike; ++value)
      if (used[value] && plan.isShuffled(value))
        travelling.push_back(value);
    for (ArrayRef<unsigned> left = travelling; !left.empty();) {
      ArrayRef<unsigned> group = left.take_front(perWord);
      left = left.drop_front(group.size());
      if (group.size() == 1) {
        arrived[group[0]] = exchange(values[group[0]], first);
        continue;
      }
      SmallVector<Value> parts;
      for (unsigned value : group)
        parts.push_back(values[value]);
      Value word = exchange(packWord(w, parts, perWord), first);
      unpackWord(w, word, parts[0].getType(), perWord, group, arrived);
    }
  }
  return arrived;
}

Regs Exchange::throughLanes(ArrayRef<Value> regs) {
  const ShufflePlan &plan = *way.shuffles;
  Marks arrived(plan.getNumValues(), false), sent(plan.numSources, false);
  for (unsigned value : plan.results)
    arrived[value] = true;
  SmallVector<Marks> after = getUses(plan.after, arrived);
  for (auto [value, isUsed] : llvm::enumerate(after.front()))
    if (isUsed)
      sent[plan.gather[value]] = true;
  SmallVector<Marks> before = getUses(plan.before, sent);
  Regs values;
  for (Value reg : regs)
    values.push_back(w.toStored(reg));
  swap(plan.before, values, before);
  Regs chosen;
  for (unsigned value : plan.gather)
    chosen.push_back(values[value]);
  chosen = send(chosen, after.front());
  swap(plan.after, chosen, after);
  Regs results;
  for (unsigned value : plan.results)
    results.push_back(w.fromStored(chosen[value], type));
  return results;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Regs Exchange::throughMemory(ArrayRef<Value> regs, int64_t count) {
  const SharedPlan &plan = *way.memory;
  bool isOfWarp = way.isOfWarp;
  unsigned scaleBits = llvm::Log2_32(bits / 8);
  int64_t bytes = way.roundBytes();
  Regs values;
  for (Value reg : regs)
    values.push_back(
        isa<LLVM::LLVMPointerType>(type)
            ? LLVM::PtrToIntOp::create(w.b, w.loc, w.b.getI64Type(), reg)
            : w.toStored(reg));
  Type stored = values[0].getType();
  auto side = [&](const layout::SharedAccess &access, const TileMoves &moves,
                  int tile) {
    return SharedSide(w, access, tile < 0 ? nullptr : &moves.tiles[tile],
                      tile < 0 ? target::TileMoveAttr() : moves.rows[tile],
                      scaleBits, way.roundBits,
                      isOfWarp ? int(llvm::Log2_64(bytes)) : -1);
  };
  TileMoves stores = tileMovesOf(w.description, target::MoveKind::Store, bits,
                                 w.lanes),
            loads = tileMovesOf(w.description, target::MoveKind::Load, bits,
                                w.lanes);
  SharedSide store = side(plan.store, stores, plan.storeTile);
  SharedSide load = side(plan.load, loads, plan.loadTile);
  Regs results(count);
  for (unsigned round = 0; round < 1u << way.roundBits; ++round) {
    Value start = w.shared(isOfWarp ? w.scratch(bytes * w.warps, bytes)
                                    : w.scratch(bytes));
    store.store(values, start, round);
    if (isOfWarp)
      w.warpBarrier();
    else
      w.barrier();
    load.load(results, stored, start, round);
  }
  for (Value &value : results)
    value = isa<LLVM::LLVMPointerType>(type)
                ? LLVM::IntToPtrOp::create(w.b, w.loc, type, value)
                : w.fromStored(value, type);
  return results;
}
