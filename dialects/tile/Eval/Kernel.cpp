// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels: instances one after another, or taking turns.
#include "Families.h"
#include "GridState.h"
#include "Launch.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Eval/Coroutine.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// Instances that take turns are limited to this many.
constexpr int64_t kMaxConcurrent = 4096;
/// Turns without an instance that ends, after which they are taken to wait for
/// each other for ever.
constexpr int64_t kMaxRounds = 1 << 10;
/// Points of a turn at which others could go on; long enough that most
/// instances leave a critical section in the turn in which they enter it.
constexpr int64_t kTurn = 1 << 10;

/// The buffer behind a view in a kernel; null if that cannot be told.
Buffer *bufferOf(mlir::Value view, tile::KernelOp kernel,
                 ArrayRef<Value> args) {
  if (auto make = view.getDefiningOp<tile::MakeViewOp>())
    view = make.getBase();
  auto parameter = dyn_cast<BlockArgument>(view);
  if (!parameter || parameter.getOwner() != &kernel.getBody().front())
    return nullptr;
  return args[parameter.getArgNumber()].view().buffer.get();
}

/// The buffers that some instance may write; only those can see a race.
llvm::SmallPtrSet<Buffer *, 4> writtenBuffers(tile::KernelOp kernel,
                                              ArrayRef<Value> args) {
  llvm::SmallPtrSet<Buffer *, 4> result;
  auto addAll = [&] {
    for (const Value &arg : args)
      if (arg.isView())
        result.insert(arg.view().buffer.get());
  };
  kernel.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    if (auto known = dyn_cast<MemoryEffectOpInterface>(op))
      known.getEffects(effects);
    for (MemoryEffects::EffectInstance &effect : effects) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      mlir::Value view = effect.getValue();
      // Storage of an instance is its own.
      if (view && isa<MemRefType>(view.getType()))
        continue;
      Buffer *buffer =
          view && isa<tile::ViewType, tile::PtrType>(view.getType())
              ? bufferOf(view, kernel, args)
              : nullptr;
      if (buffer)
        result.insert(buffer);
      else
        addAll();
    }
  });
  return result;
}

/// An instance with a stack of its own.
struct Fiber {
  Instance instance;
  Coroutine coroutine;
  LogicalResult result = success();
  int64_t passed = 0; ///< points at which others could go on
  std::function<LogicalResult(Instance &)> body;

  bool start() {
    instance.suspend = [this] {
      if (++passed % kTurn == 0)
        coroutine.suspend();
    };
    return coroutine.start([this] { result = body(instance); });
  }
};

/// Lets the instances take turns until all have ended.
LogicalResult takeTurns(const Evaluator &evaluator, tile::KernelOp kernel,
                        std::vector<std::unique_ptr<Fiber>> &fibers,
                        Location caller) {
  for (auto &fiber : fibers)
    if (!fiber->start())
      return emitError(caller, "no memory for the stacks of ")
             << fibers.size() << " program instances";
  size_t left = fibers.size();
  for (int64_t rounds = 0; left > 0; ++rounds) {
    if (rounds > kMaxRounds)
      return kernel.emitError("program instances wait for each other without "
                              "end; ")
             << left << " of " << fibers.size() << " have not finished";
    for (auto &fiber : fibers) {
      if (fiber->coroutine.isDone())
        continue;
      fiber->coroutine.resume();
      if (!fiber->coroutine.isDone())
        continue;
      --left;
      evaluator.tell(fibers.size() - left, fibers.size());
      rounds = 0;
      if (failed(fiber->result))
        return failure();
    }
  }
  return success();
}

LogicalResult checkArguments(tile::KernelOp kernel, ArrayRef<Value> args,
                             Location caller) {
  auto types = kernel.getArgumentTypes();
  if (args.size() != types.size())
    return emitError(caller, "expected ")
           << types.size() << " arguments for '" << kernel.getSymName()
           << "', found " << args.size();
  for (auto [i, type] : llvm::enumerate(types)) {
    bool isView = isa<tile::ViewType, tile::PtrType>(type);
    if (isView != args[i].isView())
      return emitError(caller, "argument ")
             << i << ": expected " << type << ", found a "
             << (isView ? "scalar" : "view");
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view)
      continue;
    ArrayRef<int64_t> sizes = args[i].view().sizes;
    if (static_cast<int64_t>(sizes.size()) != view.getRank())
      return emitError(caller, "argument ")
             << i << ": expected a view of rank " << view.getRank()
             << ", found rank " << sizes.size();
    for (int64_t d = 0; d < view.getRank(); ++d)
      if (!ShapedType::isDynamic(view.getShape()[d]) &&
          view.getShape()[d] != sizes[d])
        return emitError(caller, "argument ")
               << i << ": expected size " << view.getShape()[d]
               << " in dimension " << d << ", found " << sizes[d];
  }
  return success();
}

/// One launch of a kernel.
class Launch {
public:
  Launch(Evaluator &evaluator, tile::KernelOp kernel,
         std::array<int64_t, 3> grid, ArrayRef<Value> args, Location caller)
      : evaluator(evaluator), kernel(kernel), grid(grid), args(args),
        caller(caller) {}

  LogicalResult run();

private:
  LogicalResult checkGrid();
  /// Watches what instances may write for races.
  void watch();
  LogicalResult runInstance(Instance &instance);
  void place(Instance &instance, int32_t number);
  LogicalResult runInOrder();
  LogicalResult runTakingTurns();
  LogicalResult runCluster(std::array<int64_t, 3> first);

  Evaluator &evaluator;
  tile::KernelOp kernel;
  std::array<int64_t, 3> grid;
  ArrayRef<Value> args;
  Location caller;
  int32_t points = 0, instances = 0;
  bool isConcurrent = false, isPersistent = false, isTimed = false;
  ArrayRef<int64_t> cluster;
  llvm::SmallPtrSet<Buffer *, 4> watched;
  SmallVector<std::shared_ptr<Buffer>> memory;
};

LogicalResult Launch::checkGrid() {
  __int128 count = 1;
  for (int64_t size : grid) {
    if (size < 0)
      return emitError(caller, "expected a grid that is not negative, found ")
             << size;
    count *= size;
  }
  if (count > std::numeric_limits<int32_t>::max() - 1)
    return emitError(caller, "unsupported: a grid with more than 2^31 - 2 "
                             "instances");
  points = instances = static_cast<int32_t>(count);
  isConcurrent = kernel.getProgress() == tile::Progress::concurrent;
  if (isConcurrent && count > kMaxConcurrent)
    return emitError(caller, "unsupported: more than ")
           << kMaxConcurrent << " instances that wait for each other";
  cluster = tile::getCluster(kernel);
  for (auto [size, extent] : llvm::zip(grid, cluster))
    if (size % extent)
      return emitError(caller, "expected a grid in multiples of the cluster ")
             << cluster[0] << " x " << cluster[1] << " x " << cluster[2]
             << ", found " << grid[0] << " x " << grid[1] << " x " << grid[2];
  // A driver may start as many as it likes.
  isPersistent = tile::isPersistent(kernel);
  if (isPersistent && points > 0)
    instances = evaluator.seed ? int32_t(evaluator.seed % uint64_t(points)) + 1
                               : std::min(points, 3);
  return success();
}

void Launch::watch() {
  // One instance alone cannot race.
  if (instances > 1 && (cluster.empty() || points <= kMaxConcurrent))
    watched = writtenBuffers(kernel, args);
  // Instances can synchronise where they may wait, and by atomic accesses.
  isTimed = isConcurrent || !cluster.empty();
  kernel.walk([&](Operation *op) {
    isTimed |= isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) &&
               instances <= kMaxConcurrent;
  });
  for (Buffer *buffer : watched)
    buffer->touched = std::make_unique<Touched>(buffer->bytes, 8, isTimed);
  for (const Value &arg : args)
    if (arg.isView() && arg.view().buffer)
      memory.push_back(arg.view().buffer);
}

LogicalResult Launch::runInstance(Instance &instance) {
  Frame frame(evaluator, &instance);
  SmallVector<Value> results;
  if (failed(frame.run(kernel.getBody(), args, results)))
    return failure();
  for (auto &[id, state] : instance.states)
    if (failed(state->finish()))
      return failure();
  return success();
}

void Launch::place(Instance &instance, int32_t number) {
  instance.number = number;
  if (isPersistent)
    instance.state<GridState>().count = instances;
  instance.grid = grid;
  instance.memory = memory;
  instance.races = &evaluator.races;
  if (isTimed)
    instance.clock.assign(instances, 0);
  instance.id = tile::coordinatesOf({}, number, grid);
}

LogicalResult Launch::runInOrder() {
  for (int32_t n = 0; n < instances; ++n) {
    evaluator.tell(n, instances);
    Instance instance;
    place(instance, n);
    if (failed(runInstance(instance)))
      return failure();
  }
  return success();
}

LogicalResult Launch::runTakingTurns() {
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int32_t n = 0; n < instances; ++n) {
    fibers.push_back(std::make_unique<Fiber>());
    place(fibers.back()->instance, n);
    fibers.back()->body = [&](Instance &instance) {
      return runInstance(instance);
    };
  }
  return takeTurns(evaluator, kernel, fibers, caller);
}

/// Instances that meet at barriers.
struct Meeting {
  std::vector<std::unique_ptr<Fiber>> fibers;
  size_t arrived = 0, ended = 0;
  int64_t phase = 0;

  /// What all did before the barrier each of them knows behind it.
  void joinClocks() {
    std::vector<uint32_t> joined = fibers.front()->instance.clock;
    for (auto &fiber : fibers)
      for (auto [all, one] : llvm::zip(joined, fiber->instance.clock))
        all = std::max(all, one);
    for (auto &fiber : fibers)
      fiber->instance.clock = joined;
  }

  LogicalResult meet(Fiber &fiber, Operation *op) {
    int64_t mine = phase;
    if (++arrived == fibers.size()) {
      joinClocks();
      arrived = 0;
      ++phase;
      return success();
    }
    while (phase == mine) {
      if (ended)
        return op->emitError("an instance waits for others of its cluster, of "
                             "which ")
               << ended << " have ended";
      fiber.coroutine.suspend();
    }
    return success();
  }
};

LogicalResult Launch::runCluster(std::array<int64_t, 3> first) {
  Meeting meeting;
  int64_t members = cluster[0] * cluster[1] * cluster[2];
  for (int64_t m = 0; m < members; ++m) {
    meeting.fibers.push_back(std::make_unique<Fiber>());
    Fiber &fiber = *meeting.fibers.back();
    std::array<int64_t, 3> at = {first[0] + m % cluster[0],
                                 first[1] + m / cluster[0] % cluster[1],
                                 first[2] + m / (cluster[0] * cluster[1])};
    place(fiber.instance, int32_t(at[0] + grid[0] * (at[1] + grid[1] * at[2])));
    fiber.body = [&](Instance &instance) { return runInstance(instance); };
    if (!fiber.start())
      return emitError(caller, "no memory for the stacks of ")
             << members << " program instances";
    fiber.instance.suspend = nullptr;
    fiber.instance.state<GridState>().meet = [&](Operation *op) {
      return meeting.meet(fiber, op);
    };
  }
  // Another one goes first with another seed.
  for (int64_t turn = int64_t(evaluator.seed % uint64_t(members));
       meeting.ended < meeting.fibers.size(); ++turn) {
    Fiber &fiber = *meeting.fibers[turn % members];
    if (fiber.coroutine.isDone())
      continue;
    fiber.coroutine.resume();
    if (!fiber.coroutine.isDone())
      continue;
    ++meeting.ended;
    if (failed(fiber.result))
      return failure();
  }
  return success();
}

LogicalResult Launch::run() {
  if (failed(checkGrid()))
    return failure();
  watch();
  llvm::scope_exit forget([&] {
    for (Buffer *buffer : watched)
      buffer->touched.reset();
  });
  if (isConcurrent)
    return runTakingTurns();
  if (cluster.empty())
    return runInOrder();
  for (int64_t z = 0; z < grid[2]; z += cluster[2])
    for (int64_t y = 0; y < grid[1]; y += cluster[1])
      for (int64_t x = 0; x < grid[0]; x += cluster[0])
        if (failed(runCluster({x, y, z})))
          return failure();
  return success();
}

LogicalResult launchTileKernel(Evaluator &evaluator, Operation *op,
                               std::array<int64_t, 3> grid,
                               ArrayRef<Value> args, Location caller) {
  auto kernel = cast<tile::KernelOp>(op);
  if (failed(checkArguments(kernel, args, caller)))
    return failure();
  return Launch(evaluator, kernel, grid, args, caller).run();
}

} // namespace

TileLaunch::TileLaunch(Dialect *dialect) : LaunchInterface(dialect) {
  add<tile::KernelOp>(launchTileKernel);
}

} // namespace kiln::eval
