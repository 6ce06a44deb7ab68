// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of threads that runs: warps that take turns, the memory that they
// share, and what is in flight. Private to this folder.
//
// Lanes of a warp run in step: a value of a thread is a tensor with one element
// for each lane (a vector of n: lanes x n), and operations of arith and math
// are evaluated on all lanes at once by their own dialects. A mask says which
// lanes are active; results of the others are never used.
#ifndef KILN_DIALECTS_SIMT_EVAL_MACHINE_H
#define KILN_DIALECTS_SIMT_EVAL_MACHINE_H

#include "Shadow.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Eval/Coroutine.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/ScopeExit.h"
#include <deque>
#include <map>
#include <optional>
#include <random>

namespace kiln::eval {

class ThreadBlock;
class Warp;
struct SlotBarrier;

/// The blocks of a cluster, which meet at its barrier.
struct ThreadCluster {
  std::vector<ThreadBlock *> blocks;
  /// Turns of blocks, one after another, in which none could go on.
  size_t idleTurns = 0;

  /// A warp of a block waits until all warps of the cluster that have not ended
  /// come here.
  mlir::LogicalResult meet(Warp &warp, mlir::Operation *op);
  /// Lets all warps go on if all that have not ended have come to the barrier.
  /// Reports blocks that have ended before.
  mlir::LogicalResult tryComplete();
  /// Makes a block the next one of `count`.
  void add(ThreadBlock &block, size_t count);
  /// The barrier of a block at an address, for a warp of any block: one that
  /// both know to be there. Null after a report.
  static SlotBarrier *barrierOf(ThreadBlock &block, mlir::Operation *op,
                                const Warp &warp, int64_t address);
  /// Whether another block may go on, and let one go on that waits.
  bool mayGoOn() { return ++idleTurns <= 2 * blocks.size(); }
};

/// A function of one thread, prepared for running: for each operation its
/// evaluation, and which values die with it.
class ThreadCode {
public:
  explicit ThreadCode(mlir::LLVM::LLVMFuncOp function);

  struct Step {
    mlir::Operation *op;
    const EvaluateFn *evaluate; ///< null: none is known
    llvm::SmallVector<mlir::Value, 2> dying;
  };
  /// The operations of a block but for its terminator.
  const std::vector<Step> &stepsOf(mlir::Block *block);

  /// The coordinates of the elements that lanes of the first warp have by a
  /// layout of two dimensions: entry reg * lanes + lane.
  llvm::ArrayRef<std::pair<int64_t, int64_t>> placesOf(simt::LayoutAttr layout);

  mlir::LLVM::LLVMFuncOp function;
  simt::ThreadBlockAttr block; ///< null where the function has none
  int64_t threads = 0, sharedBytes = 0, lanes = simt::kUsualLanes;
  target::TargetAttr description;
  /// Constants on the lanes of a warp.
  llvm::DenseMap<mlir::Operation *, Value> constants;
  /// Constant globals, by name.
  llvm::StringMap<std::shared_ptr<Buffer>> globals;
  /// Buffers of the launch that its threads may write.
  llvm::DenseSet<Buffer *> written;
  /// Operations of warps that may still be executed.
  int64_t stepsLeft = 0;

private:
  std::unordered_map<mlir::Block *, std::vector<Step>> blocks;
  std::map<const void *, std::vector<std::pair<int64_t, int64_t>>> places;
};

/// An asynchronous copy of one thread.
struct ThreadCopy {
  mlir::Operation *op = nullptr;
  Warp *warp = nullptr;
  unsigned lane = 0;
  int64_t target = 0, bytes = 0;
  const char *source = nullptr;
  std::string snapshot; ///< what the source held at the issue
  bool isDone = false;  ///< the bytes have arrived
  int64_t barrier = -1; ///< where the barrier lies that counts them
};

/// A barrier that counts arrivals and bytes (simt.create_barriers).
struct SlotBarrier {
  uint32_t number = 0;
  uint32_t madeIn = 0; ///< barriers of the cluster passed before
  int64_t arrivals = 0;
  int64_t arrived = 0, bytes = 0; ///< in this phase; announced, not issued
  uint32_t phase = 0;             ///< this one
  std::vector<int64_t> copies;    ///< in flight
  /// By warp, the times whose accesses are before the arrivals of this phase,
  /// and of the phases before.
  std::vector<uint32_t> clock, complete;
};

/// An asynchronous product of one warp.
struct WarpProduct {
  mlir::Operation *op = nullptr;
  Warp *warp = nullptr;
  /// Bytes of shared memory, from and behind.
  std::vector<std::pair<int64_t, int64_t>> reads;
  /// Computes its results.
  std::function<mlir::FailureOr<llvm::SmallVector<Value>>()> effect;
  bool isDone = false;    ///< it has read, and has results
  bool isInFlight = true; ///< no wait has covered it
  uint32_t number = 0;    ///< by which elements name it
  llvm::SmallVector<Value> results;

  mlir::LogicalResult happen();
};

/// The threads that run in step.
class Warp {
public:
  Warp(ThreadBlock &block, unsigned number, LaneMask live);

  bool start();
  /// Runs a region on the active lanes. `results` are what its terminator has;
  /// empty where no lane is left.
  mlir::LogicalResult run(mlir::Region &region, llvm::ArrayRef<Value> args,
                          llvm::SmallVectorImpl<Value> &results);
  mlir::LogicalResult runBody(llvm::ArrayRef<Value> args);

  Moment moment(unsigned lane) const;
  int64_t thread(unsigned lane) const;
  /// Calls `fn(lane)` for each active lane, until it fails.
  template <typename Fn> mlir::LogicalResult eachLane(Fn fn) const {
    for (LaneMask rest = active; rest; rest &= rest - 1)
      if (mlir::failed(fn(unsigned(__builtin_ctzll(rest)))))
        return mlir::failure();
    return mlir::success();
  }
  /// Reports where an active lane has no value that a decision, an address or
  /// memory needs.
  mlir::LogicalResult checkHasValue(mlir::Operation *op, const Value &value,
                                    llvm::StringRef what) const;
  /// The active lanes whose element is true.
  LaneMask lanesWhere(const Value &condition) const;
  /// Reports unless all lanes that have not stopped are active.
  mlir::LogicalResult checkConverged(mlir::Operation *op) const;
  /// The results of a branch, of the lanes that took it or the other one.
  Value merge(LaneMask mask, const Value &yes, const Value &no) const;

  /// What the lanes of the warp have of a value that is the same for all.
  Value splat(const Value &scalar) const;

  /// Its place in the times of all warps of the cluster.
  size_t clock() const;

  /// Lets other warps go on; this one is ready again at once.
  void yield();

  ThreadBlock &block;
  const unsigned number;
  LaneMask live, active;
  Frame frame;
  uint32_t epoch = 1;
  /// What it waits at, and the warps that have to come there.
  mlir::Operation *waitsAt = nullptr;
  uint32_t waitsWith = 0;

  /// Phases of the block's barriers that the warp has arrived in, and passed.
  uint32_t arrived = 1, passed = 1;
  /// The phase that it waits for at a split barrier, plus one; 0: it does not.
  uint32_t awaits = 0;
  /// Whether what it waits at is the barrier of the block's cluster.
  bool meetsCluster = false;
  /// Proxy fences of each lane: so far, before it arrived in each of the latest
  /// two phases of the block (by the last bit of their numbers), and before the
  /// latest barrier of any kind.
  std::vector<uint32_t> fences, fencesBeforeBlock[2], fencesBeforeWarp;
  /// What the fences of the warp order for its relaxed atomic operations.
  Fences orders;

  /// By warp, the times whose accesses are known to be done; of the warp
  /// itself its time, which each arrival at the barrier of a slot ends. By
  /// barrier, the phases that it has waited for.
  std::vector<uint32_t> known, awaitedPhases;
  /// Where the barrier lies of whose phase it waits for the end, -1 for none,
  /// and the parity.
  int64_t awaitsSlot = -1;
  bool awaitsOdd = false;

  /// Copies of each lane: not committed yet, and in groups.
  struct Copies {
    std::vector<int64_t> open;
    std::deque<std::vector<int64_t>> groups;
  };
  std::vector<Copies> copies;
  std::vector<std::shared_ptr<WarpProduct>> openProducts;
  std::deque<std::vector<std::shared_ptr<WarpProduct>>> productGroups;
  /// Products by their numbers, which are used again.
  std::vector<std::shared_ptr<WarpProduct>> latestProducts;
  std::vector<std::shared_ptr<WarpProduct>>
      latestHalfProducts; ///< those whose sums have 16 bits
  uint32_t numProducts = 0;
  /// Parts of values of struct type.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Value, 2>> aggregates;

  Coroutine coroutine;
  bool hasStopped = false; ///< by simt.stop: barriers do not wait for it
  mlir::LogicalResult result = mlir::success();

private:
  mlir::LogicalResult runSteps(mlir::Block &block, bool merges);
  mlir::LogicalResult runGraph(mlir::Region &region,
                               llvm::SmallVectorImpl<Value> &results);
};

/// The state of a program instance at the level of threads.
class ThreadBlock : public InstanceState {
public:
  void begin(ThreadCode &code, Evaluator &evaluator, Instance &instance,
             llvm::ArrayRef<Value> args);
  /// Lets one warp run until it waits. False: all have ended.
  mlir::FailureOr<bool> turn();

  //===--- Order ---===//

  /// Waits until the warps in `with`, a bit each, come to this operation.
  mlir::LogicalResult meet(Warp &warp, mlir::Operation *op, uint32_t with);
  mlir::LogicalResult barrier(Warp &warp, mlir::Operation *op);
  mlir::LogicalResult barrier(Warp &warp, simt::NamedBarrierOp op);
  /// Arrives in a phase: its number.
  uint32_t arrive(Warp &warp);
  /// Waits until all warps have arrived in a phase.
  mlir::LogicalResult await(Warp &warp, mlir::Operation *op, uint32_t phase);
  // Barriers of slots.
  mlir::LogicalResult createBarriers(simt::CreateBarriersOp op);
  /// The barrier at an address; null after a report where there is none.
  SlotBarrier *slotBarrier(mlir::Operation *op, int64_t address);
  mlir::LogicalResult arriveAt(mlir::Operation *op, Warp &warp,
                               SlotBarrier &barrier, int64_t bytes);
  mlir::LogicalResult awaitParity(mlir::Operation *op, Warp &warp,
                                  int64_t address, bool isOdd);
  /// With a seed: something in flight may happen now, and others go on.
  mlir::LogicalResult stir(Warp &warp);

  //===--- Memory ---===//

  /// A piece of memory: shared (no buffer), or one of the launch.
  struct Span {
    std::shared_ptr<Buffer> buffer;
    int64_t offset = 0;
    char *data = nullptr;
  };
  enum class Use : uint8_t { read, write, atomic, volatileRead };
  /// The bytes that a thread accesses; reports what is wrong with that.
  /// `stored` are bytes about to be written.
  mlir::FailureOr<Span> reach(mlir::Operation *op, Warp &warp, unsigned lane,
                              unsigned space, int64_t address, int64_t bytes,
                              int64_t alignment, Use use,
                              const char *stored = nullptr,
                              Order order = Order());
  /// The same for shared memory.
  mlir::LogicalResult checkShared(mlir::Operation *op, int64_t address,
                                  int64_t bytes, int64_t alignment);
  /// Remembers and checks accesses by threads of this block.
  mlir::LogicalResult touch(mlir::Operation *op, Warp &warp, unsigned lane,
                            Shadow &shadow, llvm::StringRef memory,
                            int64_t begin, int64_t bytes, Use use,
                            const char *stored, const char *now);
  /// The buffer and offset of an address outside of shared memory.
  Span find(int64_t address) const;
  /// What bytes hold, without an access; null where they are not all there.
  const char *peek(unsigned space, int64_t address, int64_t bytes) const;

  mlir::Operation *opOf(uint32_t number) const { return ops[number]; }

  //===--- In flight ---===//

  mlir::LogicalResult issue(ThreadCopy copy);
  mlir::LogicalResult issueBulk(ThreadCopy copy);
  mlir::LogicalResult finishCopy(int64_t id);
  mlir::LogicalResult issue(std::shared_ptr<WarpProduct> product);
  mlir::LogicalResult finishProduct(WarpProduct &product);
  mlir::LogicalResult finishWarp(Warp &warp);

  ThreadCode *code = nullptr;
  Evaluator *evaluator = nullptr;
  Instance *instance = nullptr;
  std::vector<std::unique_ptr<Warp>> warps;
  Warp *running = nullptr;
  ThreadCluster *cluster = nullptr; ///< null without one
  unsigned member = 0;              ///< the number in it
  uint32_t clusterPhase = 0;        ///< barriers of the cluster passed
  /// The operation by which another block reached the block's memory since the
  /// latest barrier of the cluster; null if none did.
  mlir::Operation *reachedBy = nullptr;
  uint32_t globalEpoch = 1; ///< barriers that order global memory, too
  std::vector<char> sharedData;
  std::vector<uint8_t> sharedMarks; ///< of poison, a byte each
  Shadow shared;
  std::map<int64_t, ThreadCopy> copies;
  std::vector<std::shared_ptr<WarpProduct>> products;
  std::vector<std::shared_ptr<Buffer>> outputs; ///< records for the host
  mlir::Operation *stoppedAt = nullptr;

  uint64_t random(uint64_t below) { return generator() % below; }

private:
  bool isSlotReady(int64_t address, bool isOdd) const;
  /// Whether barriers of slots order all reads of a byte before what a warp
  /// does now.
  bool areReadsKnown(int64_t at, const Warp &warp) const;
  /// Checks and remembers the write of a copy that a warp of another block of
  /// the cluster starts.
  mlir::LogicalResult touchFromOutside(const ThreadCopy &copy);
  static bool isWriteKnown(const ByteState &byte, const Warp &warp) {
    return byte.phase && warp.awaitedPhases[byte.slot] >= byte.phase;
  }
  uint32_t allWarps() const;
  /// Remembers a read of shared memory by a warp for the barriers of slots.
  void noteRead(int64_t at, const Warp &warp) {
    if (!readTimes.empty())
      readTimes[at * warps.size() + warp.number] = warp.known[warp.clock()];
  }
  /// Ends the phase of a barrier, if all have arrived and all bytes are there.
  /// With `hurries` those in flight arrive now.
  mlir::LogicalResult tryComplete(SlotBarrier &barrier, bool hurries);
  mlir::LogicalResult arrive(ThreadCopy &copy);
  Shadow &shadowOf(const Buffer *buffer) {
    return buffer ? global[buffer] : shared;
  }
  uint32_t numberOf(mlir::Operation *op);
  mlir::LogicalResult explainStuck();
  bool areAllAt(mlir::Operation *op, uint32_t with) const;
  bool haveAllArrived(uint32_t phase) const;
  void release(mlir::Operation *op, uint32_t with);
  mlir::LogicalResult race(mlir::Operation *op, Warp &warp, unsigned lane,
                           llvm::StringRef memory, int64_t byte,
                           llvm::StringRef does, const Touch &other,
                           llvm::StringRef did);

  std::unordered_map<const Buffer *, Shadow> global;
  std::map<int64_t, SlotBarrier> slotBarriers; ///< by address
  /// The first operation of each number, at which all of that number meet.
  std::map<int64_t, mlir::Operation *> namedBarriers;
  /// The time of the latest read of each byte, by warp; 0: none. Empty where
  /// there are no barriers of slots.
  std::vector<uint32_t> readTimes;
  std::vector<mlir::Operation *> ops = {nullptr};
  llvm::DenseMap<mlir::Operation *, uint32_t> opNumbers;
  int64_t nextCopy = 0;
  unsigned next = 0; ///< the warp whose turn it is without a seed
  std::mt19937_64 generator;
};

/// Runs `fn` on the active lanes where the mask of `op` is true; on all active
/// ones without a mask. There may be none.
template <typename Fn>
mlir::LogicalResult masked(mlir::Operation *op, Warp &warp, mlir::Value mask,
                           Fn fn) {
  LaneMask all = warp.active;
  llvm::scope_exit restore([&] { warp.active = all; });
  if (mask) {
    const Value &value = warp.frame.get(mask);
    if (mlir::failed(warp.checkHasValue(op, value, "the mask")))
      return mlir::failure();
    warp.active = warp.lanesWhere(value);
  }
  return fn();
}

/// The warp that runs; null after a report where there is none.
Warp *warpOf(mlir::Operation *op, Frame &frame);

/// The bytes that a copy of a box by a lane writes to `target`.
mlir::FailureOr<std::string> gatherBox(mlir::Operation *op, Warp &warp,
                                       unsigned lane, int64_t target);

/// Whether threads run. If not, operations that order threads stand in a kernel
/// whose tiles are whole: one instance does everything in program order, so
/// that there is nothing to wait for.
bool isInThreadCode(Frame &frame);

/// Bytes of a value of a type in memory; none where that is not known.
std::optional<int64_t> storedBytes(mlir::Type type);
/// The element type and count of a scalar, pointer or vector.
DType laneType(mlir::Type type);
int64_t laneCount(mlir::Type type);
/// An uninitialised value of a type on the lanes of a warp.
Value laneValue(const Warp &warp, mlir::Type type);
/// Element `lane` of integers.
int64_t intAt(const Value &value, unsigned lane);

/// Operations that lanes execute in another way than the evaluation of their
/// dialect has it.
const EvaluateFn *threadEvaluation(mlir::OperationName name);

/// Runs all blocks of thread code. `args` are views (rank 0 for pointers) and
/// scalars, which become its parameters.
mlir::LogicalResult launchThreads(Evaluator &evaluator, mlir::Operation *kernel,
                                  std::array<int64_t, 3> grid,
                                  llvm::ArrayRef<Value> args,
                                  mlir::Location caller);

void addThreadControl(EvaluationInterface &table);
void addThreadValues(EvaluationInterface &table);
void addLlvmValues(EvaluationInterface &table);
void addLlvmArithmetic(EvaluationInterface &table);
void addLlvmMemory(EvaluationInterface &table);
void addGpu(EvaluationInterface &table);
void addClusterBarrier(EvaluationInterface &table);
void addSimtMemory(EvaluationInterface &table);
void addSimtCopies(EvaluationInterface &table);
/// Starts the copies of the active lanes. Their bytes arrive at some point
/// before the wait that covers them, as the seed has it.
mlir::LogicalResult evaluateAsyncCopy(mlir::Operation *op, Frame &frame);
void addSimtMatrices(EvaluationInterface &table);
void addSimtBulkCopies(EvaluationInterface &table);
void addSimtClusterCopies(EvaluationInterface &table);
void addSimtProducts(EvaluationInterface &table);
void addSimtAsyncProducts(EvaluationInterface &table);

} // namespace kiln::eval

#endif // KILN_DIALECTS_SIMT_EVAL_MACHINE_H
