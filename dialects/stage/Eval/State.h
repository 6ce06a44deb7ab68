// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stage operations keep for one program instance: storage with the state
// of its elements, what is in flight, rings. Private to this folder.
#ifndef KILN_DIALECTS_STAGE_EVAL_STATE_H
#define KILN_DIALECTS_STAGE_EVAL_STATE_H

#include "kiln/Dialect/Stage/Axes.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include <deque>
#include <map>
#include <optional>
#include <random>

namespace kiln::eval {

/// A space whose storage has offsets: which storage wrote each byte last, and
/// how many operations under way touch it.
struct Arena {
  std::vector<int32_t> owner;
  std::vector<uint16_t> busy;
};

/// Storage of an alloc, or of one filling of a part of a slot.
struct Storage {
  int32_t id = 0;
  mlir::Operation *op = nullptr; ///< where it comes from
  mlir::MemRefType type;
  int64_t width = 0;              ///< bytes of an element
  std::shared_ptr<Buffer> buffer; ///< elements, row by row
  std::vector<uint8_t> written, poison;
  std::vector<uint16_t> readers, writers; ///< operations under way

  Arena *arena = nullptr;
  int64_t offset = 0;
  std::vector<int64_t> places; ///< bytes from the offset
  int64_t bytes = 0;
  bool isPermuted = false; ///< claims its whole place

  int64_t size() const { return static_cast<int64_t>(written.size()); }
};

/// A box of elements of storage.
struct Patch {
  Storage *storage = nullptr;
  int64_t first = 0; ///< element
  llvm::SmallVector<int64_t, 4> sizes, strides;

  int64_t size() const { return countElements(sizes); }
  /// Calls `fn(element)`, in order, until it fails.
  template <typename Fn> mlir::LogicalResult each(Fn fn) const {
    int64_t count = size();
    llvm::SmallVector<int64_t, 4> index(sizes.size(), 0);
    int64_t at = first;
    for (int64_t n = 0; n < count; ++n) {
      if (mlir::failed(fn(at)))
        return mlir::failure();
      for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
        at += strides[d];
        if (++index[d] < sizes[d])
          break;
        at -= strides[d] * sizes[d];
        index[d] = 0;
      }
    }
    return mlir::success();
  }
};

/// An asynchronous operation until it is waited for.
struct Pending {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<Patch, 2> reads, writes;
  /// Boxes of memory of the launch, as sorted ranges of bytes.
  struct Global {
    Buffer *buffer;
    bool isWrite;
    std::vector<std::pair<int64_t, int64_t>> rows;
  };
  llvm::SmallVector<Global, 1> globals;
  std::function<mlir::LogicalResult()> effect;
  bool isDone = false; ///< the effect has happened, which nobody may see yet
  /// Of a future: its fragment, once the effect has happened.
  std::shared_ptr<Value> result;
  /// Of an asynchronous matmul: how many began before it. Not one: less than 0.
  int64_t matmul = -1;
};

struct Ring {
  stage::RingOp op;
  struct Slot {
    std::vector<View> parts;
    llvm::SmallVector<int64_t> tokens;
    mlir::Operation *producer = nullptr;
  };
  std::deque<Slot> committed, consumed;
  int64_t produced = 0, released = 0; ///< slots, from the beginning
  int64_t releases = 0;               ///< of these, `held` free nothing
};

class StageState : public InstanceState {
public:
  mlir::LogicalResult access(mlir::Operation *op, const Box &box,
                             Access access) override;
  mlir::LogicalResult finish() override;
  mlir::LogicalResult meetCluster(mlir::Operation *op) override;

  /// Called by each operation of stage: with a seed, something that is under
  /// way may happen now.
  mlir::LogicalResult stir(Frame &frame);

  /// New storage. With an offset it shares the bytes of its space.
  View allocate(mlir::Operation *op, mlir::MemRefType type,
                std::optional<int64_t> offset);
  Storage &storageOf(const View &view);
  mlir::FailureOr<Patch> patch(mlir::Operation *op, Frame &frame,
                               mlir::Value storage, mlir::ValueRange origin,
                               llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> begin = {});

  /// Whether elements may be read or written now; reports on `op`.
  mlir::LogicalResult checkRead(mlir::Operation *op, const Patch &patch);
  mlir::LogicalResult checkWrite(mlir::Operation *op, const Patch &patch);
  Value read(const Patch &patch);
  /// Writes elements and marks them.
  void write(const Patch &patch, const Value &value);
  void markUnwritten(Storage &storage);
  bool isBusy(const Storage &storage) const;

  /// Reports, or remembers what is under way and marks what it touches.
  mlir::FailureOr<int64_t> issue(Pending pending);
  /// Makes the effect visible; again is of no effect. `result` is what a future
  /// has become.
  mlir::LogicalResult await(int64_t id, Value *result = nullptr);
  /// Null once it was waited for.
  Pending *pending(int64_t id) {
    auto it = operations.find(id);
    return it == operations.end() ? nullptr : &it->second;
  }
  /// What is under way and writes the storage.
  llvm::SmallVector<int64_t> writersOf(const Storage &storage) const;
  /// Has the effect of an operation happen, unless it has already.
  mlir::LogicalResult complete(Pending &pending);
  /// The same; what the operation touches is free then.
  mlir::LogicalResult settle(Pending &pending);
  /// Settles all asynchronous matmuls but so many of the latest ones.
  mlir::LogicalResult settleMatmuls(int64_t but);

  const stage::Axes &axesOf(stage::ComputeOp op);
  uint64_t random(uint64_t below) { return generator() % below; }

  std::deque<Ring> rings;
  uint64_t seed = 0;
  int64_t matmuls = 0; ///< asynchronous ones that have begun
  /// What clones of an access have read, by number and place.
  std::map<std::pair<int64_t, std::vector<int64_t>>, Value> origins;

private:
  mlir::LogicalResult claim(mlir::Operation *op, Storage &storage,
                            int64_t element);
  void setBusy(const Patch &patch, int change);
  void forget();

  std::map<int32_t, std::unique_ptr<Storage>> storages;
  std::map<const Buffer *, Storage *> byBuffer;
  std::vector<mlir::Operation *> owners; ///< by id of storage
  std::map<std::string, Arena> arenas;
  std::map<int64_t, Pending> operations; ///< until they are waited for
  int64_t nextOperation = 0;
  std::mt19937_64 generator;
  bool isSeeded = false;
  std::map<mlir::Operation *, std::unique_ptr<stage::Axes>> axes;
};

/// Rows of bytes of a box of memory of the launch.
Pending::Global globalOf(const Box &box, bool isWrite);

/// The state of the running instance; null after a report where there is none.
StageState *stateOf(mlir::Operation *op, Frame &frame);

/// Whether the value of a future is the fragment itself, rather than the number
/// of what computes it.
inline bool isComplete(const Value &future) { return future.rank() > 0; }

/// Elements from and behind per dimension.
using Ranges = llvm::SmallVector<std::pair<int64_t, int64_t>>;

/// Reads and writes with the elements in `ranges` alone; others are poison or
/// stay.
mlir::LogicalResult evaluateRead(stage::ReadOp op, Frame &frame,
                                 const Ranges *ranges);
mlir::LogicalResult evaluateWrite(stage::WriteOp op, Frame &frame,
                                  const Ranges *ranges);
/// Makes the elements outside of the ranges poison.
Value poisonOutside(const Value &value, const Ranges &ranges);

void addStageStorage(EvaluationInterface &table);
void addStageCompute(EvaluationInterface &table);
void addStageCopy(EvaluationInterface &table);
void addStageRing(EvaluationInterface &table);
void addStageProduct(EvaluationInterface &table);

} // namespace kiln::eval

#endif // KILN_DIALECTS_STAGE_EVAL_STATE_H
