//===- ShareRemainder.cpp - The last round of instances, shared out -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid of T blocks on a machine that runs W instances at once takes T / W
// rounds, rounded up, however few instances the last one has (the tail effect,
// or wave quantization). The pass divides the depth of each block of that round
// among several instances (stream-K), which leave partial sums in memory. A
// second kernel adds them up, always in the same order, and then executes the
// operations behind the product.
//
//===----------------------------------------------------------------------===//

#include "GridTraffic.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/Rates.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::tiling {
#define GEN_PASS_DEF_TILESHAREREMAINDER
#include "kiln/Tiling/Passes.h.inc"
} // namespace kiln::tiling

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

/// A kernel that is a product in a loop, and its only launch.
struct Candidate {
  tile::KernelOp kernel;
  program::LaunchOp launch;
  scf::ForOp loop; ///< carries the sum alone, from zero
  RankedTensorType sum;
  std::array<int64_t, 3> grid;
  int64_t points = 0, steps = 0;

  static std::optional<Candidate> of(tile::KernelOp kernel);
};

/// How the blocks of the last round are shared out.
struct Shares {
  int64_t whole = 0; ///< blocks that one instance computes
  int64_t rest = 0;  ///< blocks that several do
  int64_t parts = 0; ///< instances for each of these
  int64_t each = 0;  ///< steps of an instance
};

} // namespace

/// The only launch of a private kernel, where it is the only variant.
static program::LaunchOp onlyLaunch(tile::KernelOp kernel) {
  program::LaunchOp found;
  bool isOnly = kernel.isPrivate();
  auto name = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  kernel->getParentOfType<ModuleOp>().walk([&](program::LaunchOp launch) {
    if (!llvm::is_contained(launch.getKernels(), Attribute(name)))
      return;
    isOnly &= !found && launch.getKernels().size() == 1;
    found = launch;
  });
  return isOnly ? found : program::LaunchOp();
}

static bool isZero(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (Value value = op ? getFillValue(op) : Value())
    tile = value;
  return matchPattern(tile, m_AnyZeroFloat());
}

/// The loop at the top of a kernel whose one result is a sum of products from
/// zero.
static scf::ForOp findSum(tile::KernelOp kernel) {
  scf::ForOp found;
  for (scf::ForOp loop : kernel.getBody().front().getOps<scf::ForOp>()) {
    if (found)
      return {};
    found = loop;
  }
  if (!found || found.getNumResults() != 1 || !isZero(found.getInitArgs()[0]))
    return {};
  auto product =
      found.getYieldedValues()[0].getDefiningOp<MatrixProductOpInterface>();
  Value carried = found.getRegionIterArg(0);
  if (!product || !product.getAccOperand() ||
      product.getAccOperand()->get() != carried || !carried.hasOneUse())
    return {};
  WalkResult walked = found.walk([&](Operation *op) {
    bool writes = op != found && op->getNumRegions() == 0 &&
                  !isMemoryEffectFree(op) &&
                  !hasSingleEffect<MemoryEffects::Read>(op);
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted() ? scf::ForOp() : found;
}

std::optional<Candidate> Candidate::of(tile::KernelOp kernel) {
  Candidate result;
  result.kernel = kernel;
  if (kernel.isExternal() || kernel.getProgress() == tile::Progress::concurrent)
    return std::nullopt;
  result.launch = onlyLaunch(kernel);
  result.loop = findSum(kernel);
  if (!result.launch || !result.loop || result.launch.getContract())
    return std::nullopt;
  bool isPlain = true;
  kernel.walk([&](Operation *op) {
    auto access = dyn_cast<PointerAccessOpInterface>(op);
    isPlain &= !isa<tile::LaunchOutputOpInterface, tile::InstanceIdOp,
                    tile::ClusterBarrierOp>(op) &&
               !(access && access.isUpdate());
  });
  // Nothing is written before the product.
  for (Operation &op : kernel.getBody().front()) {
    if (&op == result.loop)
      break;
    isPlain &=
        isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op);
  }
  result.sum = dyn_cast<RankedTensorType>(result.loop.getResult(0).getType());
  std::optional<int64_t> lower =
                             getConstantIntValue(result.loop.getLowerBound()),
                         upper =
                             getConstantIntValue(result.loop.getUpperBound()),
                         step = getConstantIntValue(result.loop.getStep());
  if (!isPlain || !result.sum || result.sum.getRank() != 2 || !lower ||
      !upper || !step || *step < 1 || *upper <= *lower)
    return std::nullopt;
  result.steps = llvm::divideCeil(*upper - *lower, *step);
  result.points = 1;
  for (auto [into, extent] : llvm::zip(result.grid, result.launch.getGrid())) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    if (!known || *known < 1 ||
        llvm::MulOverflow(result.points, *known, result.points))
      return std::nullopt;
    into = *known;
  }
  return result;
}

/// How to share out what is left after whole rounds of `together` instances;
/// nothing where there are no whole rounds, or where the last one is full.
static std::optional<Shares> sharesOf(const Candidate &candidate,
                                      int64_t together) {
  // Parts of fewer steps would hardly fill their rings.
  constexpr int64_t kLeastSteps = 4, kMostParts = 16;
  Shares shares;
  shares.rest = candidate.points % together;
  shares.whole = candidate.points - shares.rest;
  if (!shares.whole || !shares.rest)
    return std::nullopt;
  int64_t parts = std::min(
      {together / shares.rest, kMostParts, candidate.steps / kLeastSteps});
  if (parts < 2)
    return std::nullopt;
  shares.each = llvm::divideCeil(candidate.steps, parts);
  shares.parts = llvm::divideCeil(candidate.steps, shares.each);
  return shares;
}

/// Whether sharing out saves more of the last round than the second kernel
/// takes.
static bool pays(const Candidate &candidate, const Shares &shares,
                 const tiling::GridTraffic &traffic,
                 const tiling::FarMemory &memory,
                 target::TargetAttr description) {
  // What is reached of the rate of the matrix unit; what must be saved of all.
  constexpr double kShare = 0.7, kWorth = 0.04;
  if (memory.workPerSecond <= 0)
    return false;
  double round =
      traffic.work * double(memory.together) / (memory.workPerSecond * kShare);
  double rounds = double(shares.whole) / double(memory.together) + 1;
  double saved = round * (1 - 1 / double(shares.parts));
  double bytes = double(candidate.sum.getNumElements()) *
                 candidate.sum.getElementTypeBitWidth() / 8 *
                 double(shares.rest * shares.parts);
  double spent =
      target::launchSeconds(description) + 2 * bytes / memory.bytesPerSecond;
  return saved - spent > kWorth * rounds * round;
}

namespace {

/// Rewrites a candidate.
class Sharer {
public:
  Sharer(Candidate candidate, Shares shares, tile::Bands bands,
         SymbolTable &symbols)
      : candidate(candidate), shares(shares), bands(bands), symbols(symbols) {}

  void run();

private:
  Value index(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc(), value);
  }
  Value div(OpBuilder &b, Value x, int64_t y) {
    return arith::DivUIOp::create(b, loc(), x, index(b, y));
  }
  Value mul(OpBuilder &b, Value x, int64_t y) {
    return arith::MulIOp::create(b, loc(), x, index(b, y));
  }
  Value add(OpBuilder &b, Value x, Value y) {
    return arith::AddIOp::create(b, loc(), x, y);
  }
  Value sub(OpBuilder &b, Value x, Value y) {
    return arith::SubIOp::create(b, loc(), x, y);
  }
  Location loc() { return candidate.kernel.getLoc(); }
  tile::ViewType workspaceType() {
    ArrayRef<int64_t> block = candidate.sum.getShape();
    return tile::ViewType::get(
        candidate.kernel.getContext(),
        {shares.rest * shares.parts * block[0], block[1]},
        candidate.sum.getElementType(), {});
  }
  /// Adds a parameter for partial sums, which the kernel writes or only reads.
  Value addWorkspace(tile::KernelOp kernel, StringRef fact);
  /// Gives a kernel the number of its block, and the extents of the grid that
  /// had one instance for each.
  void setNumber(tile::KernelOp kernel, ArrayRef<tile::InstanceIdOp> ids,
                 Value number);
  void shareOut();
  tile::KernelOp makeSecond();
  void launch(tile::KernelOp second);

  Candidate candidate;
  Shares shares;
  tile::Bands bands;
  SymbolTable &symbols;
};

} // namespace

Value Sharer::addWorkspace(tile::KernelOp kernel, StringRef fact) {
  unsigned number = kernel.getNumArguments();
  Builder b(kernel.getContext());
  (void)cast<FunctionOpInterface>(kernel.getOperation())
      .insertArgument(number, workspaceType(),
                      tile::statesFact(fact, b.getUnitAttr()), loc());
  return kernel.getBody().getArgument(number);
}

void Sharer::setNumber(tile::KernelOp kernel, ArrayRef<tile::InstanceIdOp> ids,
                       Value number) {
  SmallVector<tile::NumProgramsOp> counts;
  kernel.walk([&](tile::NumProgramsOp op) { counts.push_back(op); });
  for (tile::NumProgramsOp op : counts) {
    OpBuilder b(op);
    for (auto [result, extent] : llvm::zip(op.getCounts(), candidate.grid))
      result.replaceAllUsesWith(index(b, extent));
    op.erase();
  }
  for (tile::InstanceIdOp op : ids) {
    tile::InstanceIdOp id = op;
    id.getId().replaceAllUsesWith(number);
    id.erase();
  }
}

/// The ids that stand for a number of a block.
static SmallVector<tile::InstanceIdOp> idsOf(tile::KernelOp kernel) {
  SmallVector<tile::InstanceIdOp> ids;
  kernel.walk([&](tile::InstanceIdOp op) { ids.push_back(op); });
  return ids;
}

void Sharer::run() {
  // Coordinates follow from a number.
  tile::applyBands(candidate.kernel, bands);
  tile::KernelOp second = makeSecond();
  shareOut();
  launch(second);
}

tile::KernelOp Sharer::makeSecond() {
  tile::KernelOp second = candidate.kernel.clone();
  second.setSymName((candidate.kernel.getSymName() + "_rest").str());
  symbols.insert(second, std::next(candidate.kernel->getIterator()));
  SmallVector<tile::InstanceIdOp> ids = idsOf(second);
  Value workspace = addWorkspace(second, tile::kReadonlyFact);
  auto b = OpBuilder::atBlockBegin(&second.getBody().front());
  Value id = tile::InstanceIdOp::create(b, loc(), b.getIndexType());
  Value number = add(b, id, index(b, shares.whole));
  setNumber(second, ids, number);
  scf::ForOp loop = findSum(second);
  b.setInsertionPoint(loop);
  Value first = mul(b, id, shares.parts), zero = index(b, 0);
  auto load = [&](OpBuilder &at, Value part) -> Value {
    return tile::LoadOp::create(at, loc(), candidate.sum, workspace,
                                ValueRange{add(at, first, part), zero}, Value(),
                                /*element_offsets=*/false, tile::Padding::zero,
                                DenseI64ArrayAttr());
  };
  // Always in the same order.
  auto sum = scf::ForOp::create(
      b, loc(), index(b, 1), index(b, shares.parts), index(b, 1),
      ValueRange{load(b, zero)},
      [&](OpBuilder &inside, Location at, Value part, ValueRange carried) {
        Value more = load(inside, part);
        bool isFloat = isa<FloatType>(candidate.sum.getElementType());
        Value both =
            isFloat
                ? Value(arith::AddFOp::create(inside, at, carried[0], more))
                : Value(arith::AddIOp::create(inside, at, carried[0], more));
        scf::YieldOp::create(inside, at, both);
      });
  loop.getResult(0).replaceAllUsesWith(sum.getResult(0));
  loop.erase();
  return second;
}

void Sharer::shareOut() {
  tile::KernelOp kernel = candidate.kernel;
  SmallVector<tile::InstanceIdOp> ids = idsOf(kernel);
  Value workspace = addWorkspace(kernel, tile::kNoaliasFact);
  auto b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value id = tile::InstanceIdOp::create(b, loc(), b.getIndexType());
  Value whole = index(b, shares.whole);
  Value isWhole =
      arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::ult, id, whole);
  // Numbers behind the whole blocks; what comes of them is not used else.
  Value behind = sub(b, id, whole), shared = div(b, behind, shares.parts),
        part = sub(b, behind, mul(b, shared, shares.parts));
  Value number =
      arith::SelectOp::create(b, loc(), isWhole, id, add(b, whole, shared));
  setNumber(kernel, ids, number);
  scf::ForOp loop = candidate.loop;
  b.setInsertionPoint(loop);
  int64_t step = *getConstantIntValue(loop.getStep()) * shares.each;
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Type type = lower.getType();
  auto bound = [&](Value steps) -> Value {
    Value distance = mul(b, steps, step);
    if (!isa<IndexType>(type))
      distance = arith::IndexCastOp::create(b, loc(), type, distance);
    return arith::AddIOp::create(b, loc(), lower, distance);
  };
  Value next = bound(add(b, part, index(b, 1)));
  loop.setLowerBound(
      arith::SelectOp::create(b, loc(), isWhole, lower, bound(part)));
  loop.setUpperBound(arith::SelectOp::create(
      b, loc(), isWhole, upper, arith::MinSIOp::create(b, loc(), next, upper)));
  // What follows the product, or the partial sum.
  Block *body = &kernel.getBody().front();
  b.setInsertionPointAfter(loop);
  auto choice = scf::IfOp::create(b, loc(), isWhole, /*withElseRegion=*/true);
  Block *then = choice.thenBlock();
  then->getOperations().splice(then->begin(), body->getOperations(),
                               std::next(choice->getIterator()),
                               body->getTerminator()->getIterator());
  b.setInsertionPointToStart(choice.elseBlock());
  tile::StoreOp::create(
      b, loc(), loop.getResult(0), workspace, ValueRange{behind, index(b, 0)},
      /*element_offsets=*/false, tile::Combine::assign, DenseI64ArrayAttr());
}

void Sharer::launch(tile::KernelOp second) {
  program::LaunchOp before = candidate.launch;
  OpBuilder b(before);
  tile::ViewType type = workspaceType();
  Value workspace = program::AllocOp::create(
      b, loc(), MemRefType::get(type.getShape(), type.getElementType()),
      ValueRange(), Value());
  SmallVector<Value> args(before.getArgs());
  SmallVector<int64_t> writes(before.getWrites());
  args.push_back(workspace);
  auto make = [&](tile::KernelOp kernel, int64_t instances,
                  ArrayRef<int64_t> written, Value flops) {
    Value one = index(b, 1);
    program::LaunchOp::create(
        b, loc(),
        b.getArrayAttr({FlatSymbolRefAttr::get(kernel.getSymNameAttr())}),
        ValueRange(), ValueRange{index(b, instances), one, one}, args,
        b.getDenseI64ArrayAttr(written), flops, before.getScheduleAttr(),
        before.getDeviceAttr(), before.getOrdinalAttr(), DictionaryAttr());
  };
  SmallVector<int64_t> both = writes;
  both.push_back(int64_t(args.size()) - 1);
  make(candidate.kernel, shares.whole + shares.rest * shares.parts, both,
       before.getFlops());
  make(second, shares.rest, writes, Value());
  before.erase();
}

namespace {
struct TileShareRemainder
    : tiling::impl::TileShareRemainderBase<TileShareRemainder> {
  using TileShareRemainderBase::TileShareRemainderBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
      auto options =
          target::findModuleOptions(kernel).value_or(TargetOptions());
      if (instances <= 0 && !options.getBool("share_remainder", false))
        continue;
      if (std::optional<Candidate> candidate = Candidate::of(kernel))
        share(*candidate, target::getDescription(kernel), symbols);
    }
  }

private:
  void share(const Candidate &candidate, TargetAttr description,
             SymbolTable &symbols) {
    tile::IterationSpace space =
        tile::IterationSpace::analyze(candidate.kernel);
    std::optional<tiling::GridTraffic> traffic =
        tiling::GridTraffic::of(candidate.kernel, space);
    std::optional<tiling::FarMemory> memory;
    if (traffic)
      memory = tiling::FarMemory::of(description, *traffic);
    int64_t together = instances > 0 ? instances.getValue()
                       : memory      ? memory->together
                                     : 0;
    std::optional<Shares> shares;
    if (together > 0)
      shares = sharesOf(candidate, together);
    if (!shares || (instances <= 0 &&
                    !pays(candidate, *shares, *traffic, *memory, description)))
      return;
    tile::Bands bands;
    if (traffic && memory)
      bands = tiling::chooseBands(*traffic, *memory);
    Sharer(candidate, *shares, bands, symbols).run();
  }
};
} // namespace
