//===- ThreadMachine.cpp - What products cost on threads ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of an instance takes as long as the slowest of: its multiply-adds,
// what its warps read of the factors, what the core gets of them from the
// cache, and the way of a copy from there as far as the slots before it do not
// hide it. Instances of one core share the first three and wait side by side.
// Instances that do not fit at once wait for a round of others. Where several
// share out the depth, they add up their sums behind it, or a second kernel
// does.
//
//===----------------------------------------------------------------------===//

#include "ThreadMachine.h"
#include "CopyCosts.h"
#include "PartCosts.h"
#include "kiln/Interfaces/Layout.h"
#include "kiln/Target/Clusters.h"
#include "kiln/Target/Limits.h"
#include "kiln/Target/Rates.h"
#include "kiln/Tiling/Parts.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <mutex>
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

class ThreadMachine::Holders {
public:
  /// What was counted for an operand of a row, counted now if it was not yet.
  int64_t find(MatrixInstructionAttr row, bool isLhs,
               function_ref<int64_t()> count) {
    std::lock_guard<std::mutex> guard(lock);
    auto [found, isNew] = counts.try_emplace({row, isLhs});
    if (isNew)
      found->second = count();
    return found->second;
  }

private:
  std::mutex lock;
  DenseMap<std::pair<Attribute, unsigned>, int64_t> counts;
};

std::optional<ThreadMachine> ThreadMachine::of(TargetAttr description) {
  if (!description || !description.getTopology())
    return std::nullopt;
  ThreadMachine machine;
  machine.holders = std::make_shared<Holders>();
  TopologyAttr topology = description.getTopology();
  machine.cores = target::countCores(description);
  machine.threads = topology.getThreads();
  ExecutionUnitAttr vector = description.getUnitOfKind(UnitKind::Vector);
  if (!vector || vector.getBits() < 64 ||
      machine.threads < 2 * vector.getBits() / 32)
    return std::nullopt;
  machine.lanes = vector.getBits() / 32;
  machine.vectorRate = double(machine.lanes) * vector.getCount();
  machine.registers = 32 * machine.threads;
  for (MemoryAttr memory : description.getMemories()) {
    if (memory.getKind() == MemoryKind::Register && memory.getSize() > 0)
      (memory.getScope() == MemoryScope::Thread ? machine.threadRegisters
                                                : machine.registers) =
          memory.getSize() / 4;
    if (memory.getKind() == MemoryKind::Explicit &&
        memory.getScope() == MemoryScope::Core && !machine.shared)
      machine.shared = memory.getSize();
  }
  if (!machine.shared)
    return std::nullopt;
  machine.cluster = target::countPartInstances(description);
  machine.memoryBytes = target::cycleBytesOfCore(description);
  machine.copies = description.getUnitOfKind(UnitKind::DMA) != nullptr;
  machine.operandCopies = OperandCopies::of(description);
  machine.costs = MatmulCosts::of(description);
  machine.loadsAhead = !description.getUnitOfKind(UnitKind::DMA) &&
                       llvm::any_of(description.getMemories(), [](auto memory) {
                         return !memory.getBarriersOrder();
                       });
  if (ExecutionUnitAttr matrix = description.getUnitOfKind(UnitKind::Matrix))
    machine.matrixRate =
        std::max<double>(double(matrix.getRate()) * matrix.getCount(), 1024);
  return machine;
}

/// `unknown` stands for sizes that only a launch knows.
static ProductWork workOf(const TilingProblem &problem,
                          ArrayRef<int64_t> blocks, int64_t unknown) {
  ProductWork work{double(problem.instances), 1, double(problem.instances)};
  for (auto [dim, block] : llvm::zip(problem.dims, blocks)) {
    if (dim.role == TilingRole::Part) {
      work.parts *= block;
      continue;
    }
    double size = ShapedType::isDynamic(dim.size) ? unknown : dim.size;
    (dim.role == TilingRole::Depth ? work.steps : work.instances) *=
        std::ceil(size / double(block));
    if (dim.role != TilingRole::Depth)
      work.results *= size;
    (dim.role == TilingRole::Row      ? work.rows
     : dim.role == TilingRole::Column ? work.columns
                                      : work.depth) *= size;
    (dim.role == TilingRole::Row      ? work.m
     : dim.role == TilingRole::Column ? work.n
                                      : work.k) *= block;
  }
  auto bitsOf = [](Type type, int64_t least) {
    return std::max<int64_t>(type.getIntOrFloatBitWidth(), least);
  };
  bool isTF32 = isa<FloatTF32Type>(problem.lhs);
  work.lhsBits = isTF32 ? 32 : bitsOf(problem.lhs, 8);
  work.rhsBits = isTF32 ? 32 : bitsOf(problem.rhs, 8);
  work.accBits = bitsOf(problem.acc, 32);
  if (work.parts > 1)
    work.parts = partsOfSteps(int64_t(work.steps), work.parts);
  work.instances *= work.parts;
  work.steps = std::ceil(work.steps / work.parts);
  return work;
}

/// How many slots a ring of `bytes` each has, as `simt-stage-operands` gives
/// them: nearly all memory where a core has one instance, half of it where
/// there may be two; 0 if they do not fit. A launch with no more instances than
/// cores has the most slots. `sums` is the registers of a thread, of which an
/// instance has `size`; `instances` are those of the launch.
int64_t ThreadMachine::slotsOf(double bytes, double sums, int64_t size,
                               double instances, double steps,
                               int64_t stages) const {
  // Half of the memory is for exchanges of a loop (BarrierFlow::findPlace).
  if (loadsAhead)
    return bytes * 2 > shared ? 0 : 1;
  constexpr int64_t kOther = 8 << 10, kRegisters = 72;
  bool hasCores = instances <= double(cores);
  bool isAlone = hasCores || registers < 2 * size * (sums + kRegisters);
  int64_t most = isAlone ? shared - kOther : shared / 2 - kOther / 4;
  int64_t usual = hasCores ? 6 : isAlone ? 4 : 3;
  int64_t held = steps <= 1 ? 1 : stages ? stages : usual;
  if (held > 1 && bytes * 2 > most)
    most = shared - kOther;
  while (held > 2 && bytes * held > most)
    --held;
  return bytes * held > most ? 0 : held;
}

/// For each number of a place, how many values it takes over all elements.
static SmallVector<int64_t> countValues(LayoutAttrInterface layout,
                                        int64_t rows, int64_t columns) {
  SmallVector<std::set<int64_t>> values(layout.getNumPlaceDims());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      SmallVector<int64_t> place;
      layout.getPlace({rows, columns}, {row, column}, place);
      for (auto [number, found] : llvm::zip_equal(place, values))
        found.insert(number);
    }
  return llvm::map_to_vector(
      values, [](const auto &found) { return int64_t(found.size()); });
}

static int64_t countHolders(MatrixInstructionAttr row, bool isLhs,
                            int64_t lanes) {
  OperandAttr operand = isLhs ? row.getLhs() : row.getRhs();
  auto sums = dyn_cast_or_null<LayoutAttrInterface>(row.getAcc().getLayout()),
       held = dyn_cast_or_null<LayoutAttrInterface>(operand.getLayout());
  if (!sums || !held || sums.getNumPlaceDims() != held.getNumPlaceDims())
    return 1;
  int64_t m = row.getM().getMin(), n = row.getN().getMin(),
          k = row.getK().getMin();
  SmallVector<int64_t> ofSums = countValues(sums, m, n),
                       ofOperand =
                           countValues(held, isLhs ? m : k, isLhs ? k : n);
  for (auto [all, used] : llvm::zip_equal(ofSums, ofOperand))
    if (all == lanes)
      return std::max<int64_t>(lanes / used, 1);
  return 1;
}

int64_t ThreadMachine::holdersOf(MatrixInstructionAttr row, bool isLhs) const {
  auto count = [&] { return countHolders(row, isLhs, lanes); };
  return holders ? holders->find(row, isLhs, count) : count();
}

/// Registers of a thread for the operands of one step of the instructions that
/// `row` describes.
static double fragmentsOf(const ThreadMachine &machine, const ProductWork &work,
                          MatrixInstructionAttr row) {
  int64_t ofLhs = row ? machine.holdersOf(row, /*isLhs=*/true) : 1,
          ofRhs = row ? machine.holdersOf(row, /*isLhs=*/false) : 1;
  return double(work.m * work.lhsBits * ofLhs + work.n * work.rhsBits * ofRhs) /
         4 / double(machine.lanes);
}

/// Registers of a thread for the operands of the instructions of a step: of
/// each warp, the rows and columns of its share of the sums. A compiler reads
/// those of all instructions but one before it multiplies.
static double fragmentsAhead(const ThreadMachine &machine,
                             const ProductWork &work, MatrixInstructionAttr row,
                             int64_t warps) {
  if (!row)
    return 0;
  double side = std::sqrt(double(work.m) * double(work.n) / double(warps));
  int64_t bits = work.lhsBits * machine.holdersOf(row, /*isLhs=*/true) +
                 work.rhsBits * machine.holdersOf(row, /*isLhs=*/false);
  int64_t depth = std::max<int64_t>(work.k - row.getK().getMin(), 0);
  return side * double(depth * bits) / 32 / double(machine.lanes);
}

/// Cycles of a step for what the registers of a thread do not hold: beside
/// loads in flight, which have to stay there, it is written and read once.
static double spilledCycles(const ThreadMachine &machine, double needed,
                            int64_t threads, double fromCache) {
  if (!machine.loadsAhead)
    return 0;
  double beyond = needed - double(machine.threadRegisters);
  return std::max(beyond, 0.0) * double(threads) * 2 * 4 / fromCache;
}

/// Bytes that the warps of an instance read from its memory for one step.
static double readBytes(const ProductWork &work, int64_t warps, double bits,
                        bool fromMemory) {
  int64_t m = work.m, n = work.n, k = work.k;
  if (!fromMemory) {
    // Each warp reads its rows of one factor and its columns of the other.
    double side = std::sqrt(double(m) * n / warps);
    return 2 * side * warps * k * bits / 8;
  }
  // Four warps together read 64 rows and up to 256 columns for one instruction.
  constexpr int64_t kTogether = 4, kRows = 64, kColumns = 256;
  int64_t down = std::min<int64_t>(warps / kTogether, m / kRows),
          across = warps / kTogether / std::max<int64_t>(down, 1),
          width = std::min<int64_t>(n / std::max<int64_t>(across, 1), kColumns);
  // Pieces of a block read the rows each.
  double pieces =
      llvm::isPowerOf2_64(n) ? double(n) / width : llvm::popcount(uint64_t(n));
  return double(m) / kRows * (pieces * kRows + n) * k * bits / 8;
}

/// Cycles in which the sums of all parts are added up.
static double cyclesOfSums(const ThreadMachine &machine,
                           const ProductWork &work) {
  return cyclesOfParts({work.results, work.instances, work.parts, work.m,
                        work.n, work.rows == 1, work.accBits},
                       machine.costs.parts, machine.cores, machine.cluster,
                       machine.memoryBytes);
}

/// Cycles of a step of threads that multiply factors as copies leave them in
/// the memory of the core, where each has so many sums and the core so many
/// warps.
static double storedCycles(const ProductWork &work,
                           const MatmulCosts::Stored &costs, double sums,
                           double threads, double warps, double vectorRate,
                           double fromCore) {
  double lines = 2 * std::sqrt(sums), bits = double(work.accBits);
  double operations = sums + lines * bits / costs.access + costs.operations;
  double share = costs.share * std::cbrt(std::min(1.0, warps / costs.warps));
  double read = lines * threads * work.k * bits / 8 / costs.alike / fromCore;
  return operations * threads * work.k * bits / 32 / (vectorRate * share) +
         costs.seen * read;
}

/// Cycles of the multiply-adds of a step, by what is reached of the rates.
static double multiplyCycles(const ProductWork &work, ThreadMachine::By by,
                             const MatmulCosts &costs, double matrixRate,
                             double vectorRate) {
  double multiplyAdds = double(work.m) * work.n * work.k *
                        std::max(work.lhsBits, work.rhsBits) / 16;
  switch (by) {
  case ThreadMachine::By::Memory:
    return multiplyAdds / (matrixRate * costs.memory);
  case ThreadMachine::By::Fragments:
    return multiplyAdds / (matrixRate * costs.fragments);
  case ThreadMachine::By::Threads:
    break;
  }
  double share = std::min(1.0, costs.widenedShare * double(work.m) /
                                   (double(work.m) + costs.widenedRows));
  return multiplyAdds * 16 / 32 / (vectorRate * costs.threads * share);
}

/// Cycles of a barrier and of what follows it, until the next product begins.
/// `read` is the cycles in which operands are read.
static double cyclesBetween(const ProductWork &work, ThreadMachine::By by,
                            const MatmulCosts::Steps &costs, bool goesOn,
                            double beside, double read) {
  // Reading operands keeps matrix units waiting a little even where it takes
  // less time than they do.
  if (by == ThreadMachine::By::Memory)
    return (goesOn ? costs.next : costs.begin / beside) + costs.seen * read;
  return costs.barrier +
         costs.part * std::max<double>(double(work.k * work.lhsBits) / 256, 1);
}

bool ThreadMachine::waitsForMemory(const TilingProblem &problem, By by) const {
  auto row = llvm::find_if(problem.dims, [](const TilingDim &dim) {
    return dim.role == TilingRole::Row;
  });
  return by == By::Fragments && copies && !loadsAhead &&
         row != problem.dims.end() && hasFewRows(row->size);
}

/// Cycles of all instances where a step has all of the depth: nothing is on its
/// way while an instance multiplies or stores, so that instances beside it have
/// to keep the memory busy. `bytes` are those of the factors, `each` registers
/// of a thread without what it reads ahead, `load`, `multiply` and `read`
/// cycles of an instance.
static double cyclesOfOneStep(const ThreadMachine &machine,
                              const ProductWork &work, int64_t size,
                              double bytes, double load, double each,
                              double multiply, double read, int64_t problems) {
  const MatmulCosts::OneStep &costs = machine.costs.oneStep;
  double sums = double(work.m) * double(work.n) * double(work.accBits) / 8;
  double registers = std::min<double>(each + bytes / 8 / double(size),
                                      double(machine.threadRegisters));
  // Results leave through the memory of the core in half of the sums' bits.
  double together = std::max<double>(
      1, std::min<int64_t>(
             {machine.threads / size,
              int64_t(double(machine.shared) / std::max(bytes, sums / 2)),
              int64_t(machine.registers / (registers * double(size)))}));
  double cores = double(machine.cores);
  double beside = std::min(together, std::ceil(work.instances / cores));
  double store = sums / costs.store;
  double alone = costs.begin + costs.alone * (load + multiply + store + read);
  double all = beside * std::max({load, multiply, store, read});
  double rounds = std::ceil(work.instances / (cores * together));
  double bits =
      (work.rows * double(work.lhsBits) + work.columns * double(work.rhsBits)) *
          work.depth * double(problems) +
      work.results * double(work.accBits) / 2;
  double memory = costs.launch + bits / 8 / (costs.memory * cores);
  double units = rounds * std::max(alone, all);
  if (std::isinf(costs.overlap))
    return std::max(units, memory);
  return std::pow(std::pow(units, costs.overlap) +
                      std::pow(memory, costs.overlap),
                  1 / costs.overlap);
}

/// Rows of more than a line are not among what `one_step` of descriptions was
/// fitted to.
static bool isOneStep(const ProductWork &work, ThreadMachine::By by,
                      bool isFew) {
  constexpr int64_t kLineBits = 1024;
  return work.steps <= 1 && by != ThreadMachine::By::Threads && !isFew &&
         work.k * std::min(work.lhsBits, work.rhsBits) <= kLineBits;
}

double ThreadMachine::cyclesOf(const TilingProblem &problem,
                               ArrayRef<int64_t> blocks, By by,
                               MatrixInstructionAttr row, int64_t stages,
                               int64_t unknown) const {
  const MatmulCosts::Steps &ofSteps = costs.steps;
  ProductWork all = workOf(problem, blocks, unknown);
  double instances = all.instances, steps = all.steps;
  int64_t m = all.m, n = all.n, k = all.k;
  int64_t lhsBits = all.lhsBits, rhsBits = all.rhsBits, accBits = all.accBits;
  int64_t warps = warpsOf(m, n), size = warps * lanes;
  double bytes = double(m * lhsBits + n * rhsBits) * k / 8;
  bool isFew = waitsForMemory(problem, by);
  CopyRates rates = copyRates(operandCopies, all, by, isFew);
  double fromCache = rates.fromCache;

  double sums = double(m * n) * accBits / 32 / size;
  double fragments = by == By::Memory ? 0 : fragmentsOf(*this, all, row);
  // What is left of the registers: operands in them, addresses and numbers.
  const double most = by == By::Memory ? 0.65 : 0.55;
  if (sums > threadRegisters * most)
    return 0;
  int64_t held = slotsOf(bytes, sums, size, instances, steps, stages);
  if (!held)
    return 0;

  // How many instances a core holds.
  double ahead = loadsAhead ? bytes / 4 / size : 0;
  double needed = sums + fragments + ahead + 40;
  double each = std::min<double>(needed, threadRegisters);
  int64_t together = std::min<int64_t>(
      {threads / size, int64_t(double(shared) / (bytes * held)),
       int64_t(registers / (each * size))});
  if (together < 1)
    return 0;
  double round = double(cores) * together;
  double beside = std::min<double>(together, std::ceil(instances / cores));

  // Threads multiply numbers of the type of their sums as copies leave them.
  bool isStored =
      by == By::Threads && copies && lhsBits == accBits && rhsBits == accBits;
  double multiply =
      isStored ? storedCycles(all, costs.stored, sums, double(size),
                              double(warps) * beside, vectorRate, ofSteps.read)
               : multiplyCycles(all, by, costs, matrixRate, vectorRate);
  if (by == By::Memory && !llvm::isPowerOf2_64(n))
    multiply *= shareOfPieces(operandCopies, n);
  double read =
      readBytes(all, warps, std::max(lhsBits, rhsBits), by == By::Memory);
  if (copies && isOneStep(all, by, isFew))
    return cyclesOfOneStep(*this, all, size, bytes,
                           copyCyclesOfOneStep(operandCopies, all, by, bytes),
                           sums + fragments + 40, multiply, read / ofSteps.read,
                           problem.instances) +
           cyclesOfSums(*this, all);
  double shares =
      std::max({multiply, read / ofSteps.read, bytes / fromCache}) * beside;
  // All cores together get less from the cache than each does alone.
  if (by == By::Memory)
    shares = std::max(shares, bytes * std::min(instances, round) /
                                  (rates.together * double(cores)));
  // Threads that move factors through their registers do not multiply
  // meanwhile.
  if (loadsAhead && by == By::Fragments)
    shares =
        std::max(multiply + (read + bytes) / ofSteps.read, bytes / fromCache) *
        beside;
  // A thread adds the products of an element one after the other: with few
  // elements for each, the next one waits for the last.
  if (by == By::Threads)
    shares =
        std::max(shares, double(k) * ofSteps.chain /
                             std::max(std::min(sums, ofSteps.hidden), 1.0));
  // With four slots the next product begins before one has ended, which takes
  // a slot; with less it waits, which instances beside it use. Nothing but
  // copies keeps it waiting: all that is on its way counts.
  bool goesOn = by == By::Memory && held >= 4;
  double way =
      by == By::Memory || isFew ? ofSteps.way + bytes / fromCache : ofSteps.way;
  double waits = way / double(std::max<int64_t>(held - (goesOn ? 2 : 1), 1));
  double between = isStored ? ofSteps.first / beside
                   : isFew  ? ofSteps.few
                            : cyclesBetween(all, by, ofSteps, goesOn, beside,
                                            read / ofSteps.read * beside);
  if (by == By::Fragments)
    needed += std::max(fragmentsAhead(*this, all, row, warps) - fragments, 0.0);
  double spilled = spilledCycles(*this, needed, size, fromCache);
  double step = std::max(shares, waits) + between + spilled * beside;
  // The first factors come before there is anything to multiply.
  double ends =
      ofSteps.ends +
      (double(m) * n * accBits / 8 / rates.whole + bytes / fromCache) * beside;
  Rounds rounds = roundsOf(all, by, round, bytes * double(held), *this);
  double whole = rounds.steps * steps * step + rounds.ends * ends;
  if (by == By::Memory || isFew)
    whole = withMemory(whole, ends, all, problem.instances,
                       rates.fromMemory * double(cores));
  return ofSteps.launch + whole + cyclesOfSums(*this, all);
}
