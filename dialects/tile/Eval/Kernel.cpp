// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels: instances one after another, or taking turns.
#include "Families.h"
#include "Launch.h"
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

template <typename OpTy>
LogicalResult setTriple(OpTy op, Frame &frame,
                        std::array<int64_t, 3> Instance::*member) {
  if (!frame.instance)
    return op.emitOpError("expected to run in a kernel");
  for (auto [d, result] : llvm::enumerate(op->getResults()))
    (void)frame.set(result, Value::ofIndex((frame.instance->*member)[d]));
  return success();
}

LogicalResult launchTileKernel(Evaluator &evaluator, Operation *op,
                               std::array<int64_t, 3> grid,
                               ArrayRef<Value> args, Location caller) {
  auto kernel = cast<tile::KernelOp>(op);
  if (failed(checkArguments(kernel, args, caller)))
    return failure();
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
  bool isConcurrent = kernel.getProgress() == tile::Progress::concurrent;
  if (isConcurrent && count > kMaxConcurrent)
    return emitError(caller, "unsupported: more than ")
           << kMaxConcurrent << " instances that wait for each other";

  // One instance alone cannot race.
  llvm::SmallPtrSet<Buffer *, 4> watched;
  if (count > 1)
    watched = writtenBuffers(kernel, args);
  // Instances can synchronise where they may wait, and by atomic accesses.
  bool isTimed = isConcurrent;
  kernel.walk([&](Operation *op) {
    isTimed |= isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) &&
               count <= kMaxConcurrent;
  });
  for (Buffer *buffer : watched)
    buffer->touched = std::make_unique<Touched>(buffer->bytes, 8, isTimed);
  SmallVector<std::shared_ptr<Buffer>> memory;
  for (const Value &arg : args)
    if (arg.isView() && arg.view().buffer)
      memory.push_back(arg.view().buffer);
  llvm::scope_exit forget([&] {
    for (Buffer *buffer : watched)
      buffer->touched.reset();
  });

  auto body = [&](Instance &instance) -> LogicalResult {
    Frame frame(evaluator, &instance);
    SmallVector<Value> results;
    if (failed(frame.run(kernel.getBody(), args, results)))
      return failure();
    for (auto &[id, state] : instance.states)
      if (failed(state->finish()))
        return failure();
    return success();
  };
  auto number = static_cast<int32_t>(count);
  auto place = [&](Instance &instance, int32_t n) {
    instance.number = n;
    instance.grid = grid;
    instance.memory = memory;
    instance.races = &evaluator.races;
    if (isTimed)
      instance.clock.assign(count, 0);
    instance.id = {n % grid[0], n / grid[0] % grid[1], n / (grid[0] * grid[1])};
  };
  if (!isConcurrent) {
    for (int32_t n = 0; n < number; ++n) {
      evaluator.tell(n, number);
      Instance instance;
      place(instance, n);
      if (failed(body(instance)))
        return failure();
    }
    return success();
  }
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int32_t n = 0; n < number; ++n) {
    fibers.push_back(std::make_unique<Fiber>());
    place(fibers.back()->instance, n);
    fibers.back()->body = body;
  }
  return takeTurns(evaluator, kernel, fibers, caller);
}

} // namespace

TileLaunch::TileLaunch(Dialect *dialect) : LaunchInterface(dialect) {
  add<tile::KernelOp>(launchTileKernel);
}

void addTileKernel(EvaluationInterface &table) {
  table.add<tile::ProgramIdOp>([](tile::ProgramIdOp op, Frame &frame) {
    return setTriple(op, frame, &Instance::id);
  });
  table.add<tile::NumProgramsOp>([](tile::NumProgramsOp op, Frame &frame) {
    return setTriple(op, frame, &Instance::grid);
  });
}

} // namespace kiln::eval
