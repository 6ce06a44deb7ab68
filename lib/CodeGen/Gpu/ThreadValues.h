//===- ThreadValues.h - What numbers are in each thread ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and addresses of all threads of a block at once, as far as they
// follow from the thread's number: an interval for each thread, which may be
// relative to a number that is not known.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_THREADVALUES_H
#define KILN_LIB_GPU_THREADVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <optional>
#include <vector>

namespace kiln::simt {

struct Interval {
  int64_t low, high; ///< both are in it
  static constexpr int64_t kFar = int64_t(1) << 61;

  bool isOne() const { return low == high; }
  bool isAll() const { return low <= -kFar && high >= kFar; }
  bool operator==(const Interval &other) const {
    return low == other.low && high == other.high;
  }
};

/// Equal ones are the same object.
struct ThreadValue {
  /// What the intervals are relative to: a number of this thread that nothing
  /// is known of; null: zero.
  mlir::Value symbol;
  /// One for every thread, or one for each.
  llvm::SmallVector<Interval, 1> threads;

  const Interval &of(int64_t thread) const {
    return threads[threads.size() == 1 ? 0 : thread];
  }
  /// Whether every thread's number is known.
  bool isExact = false;
  /// The number that all threads have, if it is known. Equal intervals are kept
  /// as one.
  std::optional<int64_t> getNumber() const {
    return isExact && threads.size() == 1 ? std::optional(threads[0].low)
                                          : std::nullopt;
  }
};

class ThreadValues {
public:
  explicit ThreadValues(int64_t threads) : threads(threads) {}

  const ThreadValue *get(mlir::Value symbol, llvm::ArrayRef<Interval> each);
  const ThreadValue *number(int64_t n) { return get({}, Interval{n, n}); }
  /// A number that only `value` tells.
  const ThreadValue *unknown(mlir::Value value);
  /// The result of an operation without regions.
  const ThreadValue *evaluate(mlir::OpResult result,
                              llvm::ArrayRef<const ThreadValue *> operands);
  /// Either of two, by thread where `condition` says which.
  const ThreadValue *choose(mlir::Value result, const ThreadValue *condition,
                            const ThreadValue *yes, const ThreadValue *no);

  const int64_t threads;

private:
  const ThreadValue *compute(mlir::OpResult result,
                             llvm::ArrayRef<const ThreadValue *> operands);
  const ThreadValue *blend(mlir::Value result, const ThreadValue *condition,
                           const ThreadValue *yes, const ThreadValue *no);

  /// What one value was found to be. The same operands come again in every
  /// iteration of a loop.
  struct Evaluated {
    llvm::SmallVector<const ThreadValue *, 3> operands;
    const ThreadValue *value;
  };
  using Memory = llvm::DenseMap<mlir::Value, llvm::SmallVector<Evaluated, 1>>;
  static const ThreadValue *&
  recall(Memory &memory, mlir::Value value,
         llvm::ArrayRef<const ThreadValue *> operands);

  llvm::DenseMap<size_t, llvm::SmallVector<std::unique_ptr<ThreadValue>, 1>>
      known;
  Memory evaluated, chosen;
  std::vector<Interval> scratch; ///< of the operation that is computed
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_THREADVALUES_H
