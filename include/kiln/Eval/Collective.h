// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the ranks that evaluate a program together.
#ifndef KILN_EVAL_COLLECTIVE_H
#define KILN_EVAL_COLLECTIVE_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

/// The ranks that evaluate a program together, as one of them sees it.
class Ranks {
public:
  virtual ~Ranks();
  /// The number of this one.
  virtual int64_t rank() const = 0;
  virtual int64_t count() const = 0;
  /// Gives `mine` to each rank of `group`, and takes what each of them has
  /// given, in the order of the group; waits for them. False: `message` says
  /// why not.
  virtual bool exchange(llvm::ArrayRef<int64_t> group, llvm::StringRef mine,
                        std::vector<std::string> &all,
                        std::string &message) = 0;
};

/// Those of this thread. Null: it evaluates alone, as rank 0 of one.
Ranks *&ranks();

using RankLists = llvm::ArrayRef<llvm::ArrayRef<int64_t>>;

/// The number of the rank that runs.
int64_t ownRank();

/// What the ranks of the group that this one is in have, in the order of the
/// group: tensors of one type and shape. Waits for them.
mlir::FailureOr<std::vector<Value>>
exchange(mlir::Operation *op, RankLists groups, const Value &mine);

/// The same for pairs of senders and receivers: what was sent to this rank, or
/// zeros.
mlir::FailureOr<Value> permute(mlir::Operation *op, RankLists pairs,
                               const Value &mine);

/// The combination of tensors, in order, by a combiner of `prim.all_reduce`.
Value combine(llvm::StringRef combiner, llvm::ArrayRef<Value> all);

} // namespace kiln::eval

#endif // KILN_EVAL_COLLECTIVE_H
