// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of thread code: its blocks one after another, or taking turns.
#include "Machine.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Eval/Elements.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/Sequence.h"
#include <cstring>
#include <random>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Blocks that take turns are limited to this many warps: each has a stack.
constexpr int64_t kMaxConcurrentWarps = 4096;
/// Operations that the warps of a block execute at most: some minutes.
constexpr int64_t kMaxSteps = int64_t(1) << 27;
/// Times that each block goes on, after which blocks that do not end are taken
/// to wait for each other for ever.
constexpr int64_t kMaxRounds = 1 << 20;

/// Pointers, sizes and strides of views, scalars, and the extents of the grid,
/// as the parameters of the function are. Without the kernel's parameters each
/// argument is one, a view its address, and the extents may be missing.
FailureOr<SmallVector<Value>> flatten(LLVM::LLVMFuncOp function,
                                      std::array<int64_t, 3> grid,
                                      ArrayRef<Value> args, Location caller) {
  SmallVector<Value> flat;
  std::optional<SmallVector<Type>> kernelTypes =
      simt::getKernelParameters(function);
  if (kernelTypes && kernelTypes->size() != args.size()) {
    emitError(caller, "expected ")
        << kernelTypes->size() << " arguments for '" << function.getSymName()
        << "', found " << args.size();
    return failure();
  }
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (!arg.isView()) {
      flat.push_back(arg);
      continue;
    }
    const View &view = arg.view();
    flat.push_back(Value::ofInt(DType::i64, addressOf(view)));
    if (!kernelTypes || !isa<tile::ViewType>((*kernelTypes)[i]))
      continue;
    for (ArrayRef<int64_t> numbers :
         {ArrayRef<int64_t>(view.sizes), ArrayRef<int64_t>(view.strides)})
      for (int64_t number : numbers)
        flat.push_back(Value::ofInt(DType::i64, number));
  }
  ArrayRef<Type> types = function.getArgumentTypes();
  if (kernelTypes || types.size() == flat.size() + 3)
    for (int64_t extent : grid)
      flat.push_back(Value::ofInt(DType::i64, extent));
  if (types.size() != flat.size()) {
    emitError(caller, "expected ")
        << types.size() << " parameters for '" << function.getSymName()
        << "', found " << flat.size()
        << " that the arguments and the grid make";
    return failure();
  }
  for (auto [i, type] : llvm::enumerate(types)) {
    DType wanted = laneType(type);
    if (wanted == flat[i].dtype())
      continue;
    // Floats that LLVM has no name for are their bits.
    if (wanted == DType::none || runtime::isFloat(wanted) ||
        runtime::dtypeBytes(wanted) < runtime::dtypeBytes(flat[i].dtype())) {
      emitError(caller, "parameter ")
          << i << " of '" << function.getSymName() << "': expected " << type;
      return failure();
    }
    Value bits = Value::scalar(wanted);
    if (runtime::isFloat(flat[i].dtype()))
      std::memcpy(bits.mutableData(), flat[i].data(), flat[i].bytes());
    else
      bits = Value::ofInt(wanted, flat[i].asInt());
    flat[i] = std::move(bits);
  }
  return flat;
}

/// The parameter that a pointer comes from; null where that is not known.
BlockArgument rootOf(mlir::Value pointer, Block *entry) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      return argument.getOwner() == entry ? argument : BlockArgument();
    if (auto step = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = step.getBase();
    else
      return {};
  }
}

bool isGlobal(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() != simt::kShared;
}

bool isAtomic(Operation *op) {
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, simt::AtomicRMWOp,
             simt::AtomicCASOp>(op);
}

/// The buffers of the launch that a thread may write.
void findWritten(ThreadCode &code, ArrayRef<Value> args,
                 ArrayRef<std::shared_ptr<Buffer>> memory) {
  Block *entry = &code.function.getBody().front();
  SmallVector<Buffer *> byParameter;
  SmallVector<Buffer *> ofViews;
  for (const Value &arg : args)
    if (arg.isView())
      ofViews.push_back(arg.view().buffer.get());
  for (Type type : code.function.getArgumentTypes()) {
    bool isView = isGlobal(type) && !ofViews.empty();
    byParameter.push_back(isView ? ofViews.front() : nullptr);
    if (isView)
      ofViews.erase(ofViews.begin());
  }
  code.function.walk([&](Operation *op) {
    if (!isa<LLVM::StoreOp, simt::StoreOp>(op) && !isAtomic(op))
      return;
    for (mlir::Value operand : op->getOperands()) {
      if (!isGlobal(operand.getType()))
        continue;
      BlockArgument root = rootOf(operand, entry);
      if (root && root.getArgNumber() < byParameter.size() &&
          byParameter[root.getArgNumber()]) {
        code.written.insert(byParameter[root.getArgNumber()]);
        continue;
      }
      for (const auto &buffer : memory)
        code.written.insert(buffer.get());
    }
  });
}

/// Memory with the elements of the module's constant globals.
LogicalResult makeGlobals(ThreadCode &code) {
  auto module = code.function->getParentOp();
  LogicalResult result = success();
  code.function.walk([&](LLVM::AddressOfOp op) {
    StringRef name = op.getGlobalName();
    if (name == simt::kSharedSymbol || code.globals.count(name))
      return;
    auto global = dyn_cast_or_null<LLVM::GlobalOp>(
        SymbolTable::lookupSymbolIn(module, name));
    if (!global || !global.getValueAttr())
      return; // reported where it is used
    Value elements = constantValue(global.getValueAttr());
    if (elements.isNone())
      return;
    auto buffer = std::make_shared<Buffer>(elements.bytes());
    std::memcpy(buffer->data(), elements.data(), size_t(elements.bytes()));
    buffer->markWritten(0, buffer->bytes);
    buffer->name = name.str();
    code.globals[name] = std::move(buffer);
  });
  return result;
}

/// Runs a block to its end, or for one turn.
LogicalResult runBlock(ThreadBlock &block, bool isOneTurn, bool &isOver) {
  do {
    FailureOr<bool> goesOn = block.turn();
    if (failed(goesOn))
      return failure();
    isOver = !*goesOn;
  } while (!isOver && !isOneTurn);
  if (isOver && block.stoppedAt)
    return block.stoppedAt->emitError(
        "the threads of a block stop here: an assertion does not hold");
  return success();
}

/// What all blocks of a launch share.
struct Launch {
  ThreadCode code;
  Evaluator &evaluator;
  std::array<int64_t, 3> grid;
  SmallVector<std::shared_ptr<Buffer>> memory;
  SmallVector<Value> parameters;
  Location caller;
  bool isTimed = false;
  int64_t count = 1;

  LogicalResult start(int64_t number, Instance &instance) {
    instance.number = static_cast<int32_t>(number);
    instance.grid = grid;
    instance.memory = memory;
    instance.races = &evaluator.races;
    if (isTimed)
      instance.clock.assign(size_t(count), 0);
    instance.id = {number % grid[0], number / grid[0] % grid[1],
                   number / (grid[0] * grid[1])};
    ThreadBlock &block = instance.state<ThreadBlock>();
    code.stepsLeft = kMaxSteps;
    block.begin(code, evaluator, instance, parameters);
    for (auto &warp : block.warps)
      if (!warp->start())
        return emitError(caller, "no memory for the stacks of ")
               << block.warps.size() << " warps";
    return success();
  }

  LogicalResult runInOrder() {
    std::vector<int64_t> order(count);
    for (auto [n, number] : llvm::enumerate(order))
      number = int64_t(n);
    if (evaluator.seed) {
      std::mt19937_64 generator(evaluator.seed);
      std::shuffle(order.begin(), order.end(), generator);
    }
    for (auto [done, number] : llvm::enumerate(order)) {
      evaluator.tell(done, uint64_t(count));
      Instance instance;
      bool isOver = false;
      if (failed(start(number, instance)) ||
          failed(runBlock(instance.state<ThreadBlock>(), /*isOneTurn=*/false,
                          isOver)))
        return failure();
    }
    return success();
  }

  /// Runs blocks that wait for each other; those of a cluster meet.
  LogicalResult runTogether(ArrayRef<int64_t> numbers, ThreadCluster *cluster) {
    std::vector<std::unique_ptr<Instance>> blocks;
    for (int64_t n : numbers) {
      blocks.push_back(std::make_unique<Instance>());
      if (failed(start(n, *blocks.back())))
        return failure();
      ThreadBlock &block = blocks.back()->state<ThreadBlock>();
      if (cluster)
        cluster->add(block, numbers.size());
    }
    size_t left = blocks.size();
    std::vector<bool> isOver(left, false);
    for (int64_t rounds = 0; left; ++rounds) {
      if (rounds > kMaxRounds)
        return code.function.emitError("blocks wait for each other without "
                                       "end; ")
               << left << " of " << blocks.size() << " have not finished";
      for (auto [n, block] : llvm::enumerate(blocks)) {
        if (isOver[n])
          continue;
        bool ends = false;
        if (failed(runBlock(block->state<ThreadBlock>(), /*isOneTurn=*/true,
                            ends)))
          return failure();
        if (!ends)
          continue;
        isOver[n] = true;
        if (Operation *op = block->state<ThreadBlock>().reachedBy)
          return op->emitError("reaches the shared memory of another block, "
                               "which may end before: no barrier of the "
                               "cluster stands behind it");
        // Others of its cluster look at it.
        if (!cluster)
          block.reset();
        evaluator.tell(blocks.size() - --left, blocks.size());
      }
    }
    return success();
  }

  LogicalResult runTogether() {
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, count));
    return runTogether(all, /*cluster=*/nullptr);
  }

  LogicalResult runClusters(ArrayRef<int64_t> shape) {
    __int128 warps = (code.threads + code.lanes - 1) / code.lanes;
    for (int64_t extent : shape) {
      warps *= extent;
      if (warps > kMaxConcurrentWarps)
        return emitError(caller, "unsupported: a cluster of more than ")
               << kMaxConcurrentWarps << " warps";
    }
    for (auto [size, extent] : llvm::zip(grid, shape))
      if (size % extent)
        return emitError(caller, "expected a grid in multiples of the cluster ")
               << shape[0] << " x " << shape[1] << " x " << shape[2]
               << ", found " << grid[0] << " x " << grid[1] << " x " << grid[2];
    for (int64_t first = 0; first < count; ++first) {
      std::array<int64_t, 3> at = {first % grid[0], first / grid[0] % grid[1],
                                   first / (grid[0] * grid[1])};
      if (at[0] % shape[0] || at[1] % shape[1] || at[2] % shape[2])
        continue;
      SmallVector<int64_t> numbers;
      for (int64_t z = 0; z < shape[2]; ++z)
        for (int64_t y = 0; y < shape[1]; ++y)
          for (int64_t x = 0; x < shape[0]; ++x)
            numbers.push_back(first + x + grid[0] * (y + grid[1] * z));
      ThreadCluster cluster;
      if (failed(runTogether(numbers, &cluster)))
        return failure();
    }
    return success();
  }
};

LogicalResult checkLaunch(const ThreadCode &code, std::array<int64_t, 3> grid,
                          int64_t &count, Location caller) {
  LLVM::LLVMFuncOp function = code.function;
  if (!code.threads || function.isExternal())
    return emitError(caller, "expected thread code, with 'simt.threads', "
                             "found '")
           << function.getSymName() << "'";
  if (code.threads < 0 || code.lanes < 1 || code.lanes > kMostLanes ||
      code.threads > kMostWarps * code.lanes || code.sharedBytes < 0 ||
      code.sharedBytes > (1 << 24))
    return function.emitError("unsupported: evaluation of ")
           << code.threads << " threads in warps of " << code.lanes << " with "
           << code.sharedBytes << " bytes of shared memory";
  __int128 product = 1;
  for (int64_t extent : grid) {
    if (extent < 0)
      return emitError(caller, "expected a grid that is not negative, found ")
             << extent;
    product *= extent;
  }
  if (product > std::numeric_limits<int32_t>::max() - 1)
    return emitError(caller, "unsupported: a grid with more than 2^31 - 2 "
                             "blocks");
  count = static_cast<int64_t>(product);
  return success();
}

} // namespace

LogicalResult launchThreads(Evaluator &evaluator, Operation *kernel,
                            std::array<int64_t, 3> grid, ArrayRef<Value> args,
                            Location caller) {
  auto function = cast<LLVM::LLVMFuncOp>(kernel);
  Launch launch = {ThreadCode(function), evaluator, grid, {}, {}, caller};
  ThreadCode &code = launch.code;
  if (failed(checkLaunch(code, grid, launch.count, caller)) ||
      failed(makeGlobals(code)))
    return failure();
  auto parameters = flatten(function, grid, args, caller);
  if (failed(parameters))
    return failure();
  launch.parameters = std::move(*parameters);
  // A driver may start as many blocks of a persistent kernel as it likes; they
  // know the grid from their parameters.
  if (simt::isPersistentFunction(function) && launch.count > 0) {
    constexpr int64_t kFew = 3;
    launch.count = evaluator.seed
                       ? int64_t(evaluator.seed % uint64_t(launch.count)) + 1
                       : std::min(launch.count, kFew);
    launch.grid = {launch.count, 1, 1};
  }
  // Such a machine numbers blocks along x alone: programs know the extents of
  // the grid from their parameters.
  if (code.description && code.description.getTopology() &&
      code.description.getTopology().getGridAxes() == 1)
    launch.grid = {launch.count, 1, 1};
  for (const Value &arg : args)
    if (arg.isView() && arg.view().buffer)
      launch.memory.push_back(arg.view().buffer);
  findWritten(code, args, launch.memory);
  bool isTogether = code.block && code.block.getCooperative();
  int64_t warps = (code.threads + code.lanes - 1) / code.lanes;
  if (isTogether && launch.count * warps > kMaxConcurrentWarps)
    return emitError(caller, "unsupported: more than ")
           << kMaxConcurrentWarps << " warps that wait for each other";
  ArrayRef<int64_t> cluster;
  function.walk([&](tile::ClusterBarrierOp op) { cluster = op.getShape(); });
  launch.isTimed = isTogether || !cluster.empty();
  function.walk([&](Operation *op) {
    launch.isTimed |= isAtomic(op) && launch.count <= kMaxConcurrentWarps;
  });
  // One block alone races with no other one.
  if (launch.count > 1)
    for (Buffer *buffer : code.written)
      buffer->touched =
          std::make_unique<Touched>(buffer->bytes, 8, launch.isTimed);
  llvm::scope_exit forget([&] {
    for (Buffer *buffer : code.written)
      buffer->touched.reset();
  });
  if (!cluster.empty())
    return launch.runClusters(cluster);
  return isTogether ? launch.runTogether() : launch.runInOrder();
}

} // namespace kiln::eval
