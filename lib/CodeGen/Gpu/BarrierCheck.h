//===- BarrierCheck.h - One function gone through by all --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a function as all threads of a block together do, along every
// way that its conditions and loops may take, and looks at what they do to the
// memory that they share. It knows nothing of how the barriers were placed.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_BARRIERCHECK_H
#define KILN_LIB_GPU_BARRIERCHECK_H

#include "SharedAccesses.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::simt {

/// What is known at one point of one way through a function.
struct BlockState {
  /// Of the values that matter, at their places; null before it is known.
  std::vector<const ThreadValue *> values;
  /// How far a number that is not known is from another one, or from zero, as
  /// conditions on the way say.
  struct Bound {
    mlir::Value symbol, from;
    Interval distance;
    bool operator==(const Bound &other) const {
      return symbol == other.symbol && from == other.from &&
             distance == other.distance;
    }
  };
  llvm::SmallVector<Bound, 2> bounds;
  PendingSet pending;
  /// The barriers of slots.
  struct SlotBarrier {
    int64_t address, arrivals;
    int64_t arrived = 0, bytes = 0; ///< in this phase; announced, to be copied
    bool isOdd = false;             ///< the number of this phase
    bool operator==(const SlotBarrier &other) const {
      return address == other.address && arrivals == other.arrivals &&
             arrived == other.arrived && bytes == other.bytes &&
             isOdd == other.isOdd;
    }
    /// Begins the next phase where this one is complete.
    void advance() {
      if (arrived < arrivals || bytes)
        return;
      arrived = 0;
      isOdd = !isOdd;
    }
  };
  llvm::SmallVector<SlotBarrier, 0> slots;

  Interval boundOf(mlir::Value symbol, mlir::Value from) const;
  void setBound(mlir::Value symbol, mlir::Value from, Interval distance);
  /// A new round of a loop: its numbers are others.
  void forgetBounds(mlir::Operation *loop);
};

/// What is said of an operation that is not in order. It is a failure whether
/// it is said or, as in a trial, not.
class Objection {
public:
  explicit Objection(std::optional<mlir::InFlightDiagnostic> error)
      : error(std::move(error)) {}

  template <typename T> Objection &operator<<(T &&text) {
    if (error)
      *error << std::forward<T>(text);
    return *this;
  }
  void attachNote(mlir::Location location, llvm::StringRef text) {
    if (error)
      error->attachNote(location) << text;
  }
  operator mlir::LogicalResult() const { return mlir::failure(); }

private:
  std::optional<mlir::InFlightDiagnostic> error;
};

class BarrierCheck {
public:
  /// The last `toldApart` iterations of a loop with copies are told apart,
  /// which makes it more exact, and longer. With `isTrial` nothing is said.
  BarrierCheck(mlir::LLVM::LLVMFuncOp function, int64_t threads, int64_t lanes,
               int64_t bytes, int64_t toldApart, bool isTrial);

  /// Whether every two accesses that meet are parted, and every copy and
  /// product is waited for. Says at both where not; what could not be followed
  /// is in `gaveUp`.
  mlir::LogicalResult run();
  mlir::Operation *gaveUp = nullptr;

private:
  using States = llvm::SmallVector<BlockState, 1>;
  // What has to be known (BarrierNeeds.cpp).
  void findNeeded();
  void need(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &open);
  bool findAccess(mlir::Operation *op,
                  llvm::function_ref<void(mlir::Value)> need);
  Objection unverified(mlir::Operation *op);
  // Slots of rings (SlotBarrierCheck.cpp).
  mlir::LogicalResult runSlotBarrier(SlotBarrierOpInterface op,
                                     BlockState &state,
                                     const ThreadValue *active);
  mlir::LogicalResult createSlots(mlir::Operation *op, Synchronization made,
                                  BlockState &state, const ThreadValue *active);
  mlir::LogicalResult copyBulk(SlotBarrierOpInterface op, BlockState &state,
                               BlockState::SlotBarrier &slot, uint64_t bit,
                               const ThreadValue *active);
  mlir::LogicalResult awaitSlot(SlotBarrierOpInterface op, BlockState &state,
                                const BlockState::SlotBarrier &slot,
                                uint64_t bit, const ThreadValue *active);
  /// Whether barriers of the cluster stand before and behind what reaches the
  /// memory of other blocks, and all arrivals tell them.
  mlir::LogicalResult verifyCluster();
  /// The number of threads in a mask; none where it is not known.
  std::optional<int64_t> countActive(const ThreadValue *active);
  /// Reports if an access meets a pending one.
  mlir::LogicalResult verifyApart(const SharedAccess *now,
                                  const BlockState &state);
  /// Whether each arrival at a split barrier has one wait, and each wait the
  /// phase of an arrival: values that loops hand on, each used once.
  mlir::LogicalResult verifyPhases();
  /// Whether a wait covers all copies and products before the function ends.
  mlir::LogicalResult verifyEnd(const BlockState &end);
  const ThreadValue *value(const BlockState &state, mlir::Value value);
  /// Nothing happens for a value that does not matter.
  void set(BlockState &state, mlir::Value value, const ThreadValue *known);
  const ThreadValue *boolean(bool is) { return values.number(is); }

  /// An operation that matters. One of a loop is gone through many times,
  /// mostly with the numbers that it had the last time.
  struct Step {
    mlir::Operation *op;
    bool touches; ///< or waits, or has such operations inside of it
    struct Operand {
      std::optional<unsigned> place;
      const ThreadValue *otherwise;
    };
    llvm::SmallVector<Operand, 3> operands;
    struct Result {
      mlir::OpResult value;
      unsigned place;
      const ThreadValue *last = nullptr; ///< for `last` of the operands
    };
    llvm::SmallVector<Result, 1> results; ///< those that matter
    llvm::SmallVector<const ThreadValue *, 3> last;
  };
  std::vector<Step> &stepsOf(mlir::Block &block);
  const ThreadValue *ofRows(const ThreadValue *active, size_t rows);
  void evaluate(Step &step, BlockState &state);

  // Each replaces the state by those that may follow.
  mlir::LogicalResult runBlock(mlir::Block &block, BlockState state,
                               const ThreadValue *active, States &out);
  mlir::LogicalResult runIf(mlir::scf::IfOp op, BlockState state,
                            const ThreadValue *active, States &out);
  mlir::LogicalResult runFor(mlir::scf::ForOp op, BlockState state,
                             const ThreadValue *active, States &out);
  mlir::LogicalResult runWhile(mlir::scf::WhileOp op, BlockState state,
                               const ThreadValue *active, States &out);
  mlir::LogicalResult runOp(Step &step, BlockState &state,
                            const ThreadValue *active);
  /// The state behind a loop whose last iteration hands `from` on.
  void leaveFor(mlir::scf::ForOp op, const BlockState &before, BlockState &last,
                mlir::ValueRange from, States &out);
  // What an operation does to memory (BarrierAccesses.cpp).
  mlir::LogicalResult runAccess(mlir::Operation *op, BlockState &state,
                                const ThreadValue *active);
  mlir::LogicalResult synchronize(mlir::Operation *op, Synchronization sync,
                                  BlockState &state, const ThreadValue *active);
  mlir::LogicalResult passBarrier(mlir::Operation *op, BlockState &state,
                                  const ThreadValue *active);
  mlir::LogicalResult touchBarrier(mlir::Operation *op, Synchronization sync,
                                   BlockState &state,
                                   const ThreadValue *active);
  mlir::LogicalResult touch(SharedAccess access, mlir::Value mask,
                            BlockState &state, const ThreadValue *active);
  /// Where a condition compares an unknown number with a known one there are
  /// two ways: the state takes the first one, the result is the other one.
  std::optional<BlockState> split(mlir::Operation *op, BlockState &state);
  mlir::LogicalResult wholeBlock(mlir::Operation *op,
                                 const ThreadValue *active);
  /// The value at a place counts on and on: only that it does is known of it
  /// from now on. False: it is not known which, and the check gives up.
  bool widen(mlir::Operation *loop, std::optional<unsigned> varied);
  /// Values as a loop's next round, or what follows it, has them.
  const ThreadValue *carried(BlockState &state, mlir::Value from,
                             mlir::Value to, mlir::Operation *loop);
  void add(States &states, BlockState state, mlir::ValueRange told);
  bool isFull(mlir::Operation *op);

  mlir::LLVM::LLVMFuncOp function;
  ThreadValues values;
  SharedAccesses accesses;
  const int64_t lanes, toldApart;
  int64_t slotPeriod = 1; ///< phases after which all slots are what they were
  const bool isTrial;
  bool hasProducts = false,
       hasBulkCopies = false; ///< asynchronous ones, which need proxy fences
  /// The values that matter, and the place of each in a state.
  llvm::DenseMap<mlir::Value, unsigned> needed;
  llvm::DenseSet<mlir::Operation *> touching; ///< with what is inside of them
  llvm::DenseSet<mlir::Operation *> copying;  ///< with a copy inside of them
  llvm::DenseMap<mlir::Block *, std::unique_ptr<std::vector<Step>>> steps;
  llvm::DenseMap<std::pair<const ThreadValue *, size_t>, const ThreadValue *>
      activeOfRows;
  llvm::DenseSet<unsigned> widened; ///< places
  int64_t rounds = 0;
};

/// Whether the sums of each asynchronous product reach only waits and later
/// products that add to them before a wait covers it.
mlir::LogicalResult verifySumsInFlight(mlir::LLVM::LLVMFuncOp function);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_BARRIERCHECK_H
