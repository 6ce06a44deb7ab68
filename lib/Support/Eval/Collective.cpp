// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the ranks that evaluate a program together.
#include "kiln/Eval/Collective.h"
#include "kiln/Eval/Elements.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

Ranks::~Ranks() = default;

Ranks *&ranks() {
  static thread_local Ranks *all = nullptr;
  return all;
}

int64_t ownRank() { return ranks() ? ranks()->rank() : 0; }

/// Every rank of `group` has a number below the number of ranks.
static LogicalResult checkRanks(Operation *op, ArrayRef<int64_t> group) {
  int64_t count = ranks() ? ranks()->count() : 1;
  for (int64_t rank : group)
    if (rank >= count)
      return op->emitOpError("needs rank ")
             << rank << ", and the program runs on " << count
             << (count == 1 ? " rank" : " ranks");
  return success();
}

static FailureOr<std::vector<Value>>
exchangeIn(Operation *op, ArrayRef<int64_t> group, const Value &mine) {
  if (failed(checkRanks(op, group)))
    return failure();
  if (group.size() == 1)
    return std::vector<Value>{mine};
  auto bytes =
      static_cast<size_t>(mine.size() * runtime::dtypeBytes(mine.dtype()));
  std::vector<std::string> given;
  std::string message;
  StringRef own(static_cast<const char *>(mine.data()), bytes);
  if (!ranks()->exchange(group, own, given, message))
    return op->emitError() << message;
  std::vector<Value> all;
  for (const std::string &text : given) {
    if (text.size() != bytes)
      return op->emitOpError("expected operands of one shape on all ranks, "
                             "found ")
             << bytes << " and " << text.size() << " bytes";
    Value value = Value::tensor(mine.dtype(), mine.shape());
    std::memcpy(value.mutableData(), text.data(), bytes);
    all.push_back(std::move(value));
  }
  return all;
}

FailureOr<std::vector<Value>> exchange(Operation *op, RankLists groups,
                                       const Value &mine) {
  int64_t rank = ownRank();
  for (ArrayRef<int64_t> group : groups)
    if (llvm::is_contained(group, rank))
      return exchangeIn(op, group, mine);
  return op->emitOpError("is run by rank ") << rank << ", which no group has";
}

FailureOr<Value> permute(Operation *op, RankLists pairs, const Value &mine) {
  SmallVector<int64_t> members;
  for (ArrayRef<int64_t> pair : pairs)
    members.append(pair.begin(), pair.end());
  llvm::sort(members);
  members.erase(llvm::unique(members), members.end());
  int64_t rank = ownRank();
  Value result = Value::tensor(mine.dtype(), mine.shape());
  std::memset(
      result.mutableData(), 0,
      static_cast<size_t>(mine.size() * runtime::dtypeBytes(mine.dtype())));
  if (failed(checkRanks(op, members)))
    return failure();
  if (!llvm::is_contained(members, rank))
    return result;
  FailureOr<std::vector<Value>> all = exchangeIn(op, members, mine);
  if (failed(all))
    return failure();
  for (ArrayRef<int64_t> pair : pairs)
    if (pair[1] == rank)
      return (*all)[llvm::find(members, pair[0]) - members.begin()];
  return result;
}

static double combineFloats(StringRef combiner, double a, double b) {
  if (combiner == "add")
    return a + b;
  if (combiner == "mul")
    return a * b;
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  bool takesLess = combiner == "min";
  if (a == b)
    return std::signbit(a) == takesLess ? a : b;
  return (a < b) == takesLess ? a : b;
}

static int64_t combineInts(StringRef combiner, int64_t a, int64_t b,
                           unsigned bits) {
  auto x = static_cast<uint64_t>(a) << (64 - bits), y = static_cast<uint64_t>(b)
                                                        << (64 - bits);
  if (combiner == "add")
    return static_cast<int64_t>(static_cast<uint64_t>(a) +
                                static_cast<uint64_t>(b));
  if (combiner == "mul")
    return static_cast<int64_t>(static_cast<uint64_t>(a) *
                                static_cast<uint64_t>(b));
  if (combiner == "min")
    return std::min(a, b);
  if (combiner == "max")
    return std::max(a, b);
  if (combiner == "umin")
    return x < y ? a : b;
  if (combiner == "umax")
    return x > y ? a : b;
  if (combiner == "and")
    return a & b;
  return combiner == "or" ? a | b : a ^ b;
}

Value combine(StringRef combiner, ArrayRef<Value> all) {
  Value result = Value::tensor(all.front().dtype(), all.front().shape());
  int64_t count = result.size();
  DType dtype = result.dtype();
  if (runtime::isFloat(dtype)) {
    std::vector<double> sum(count), next(count);
    loadDoubles(dtype, all.front().data(), 0, count, sum.data());
    for (const Value &value : all.drop_front()) {
      loadDoubles(dtype, value.data(), 0, count, next.data());
      for (int64_t i = 0; i < count; ++i)
        sum[i] = combineFloats(combiner, sum[i], next[i]);
    }
    storeDoubles(dtype, result.mutableData(), 0, count, sum.data());
    return result;
  }
  std::vector<int64_t> sum(count), next(count);
  loadInts(dtype, all.front().data(), 0, count, sum.data());
  unsigned bits = 8 * runtime::dtypeBytes(dtype);
  for (const Value &value : all.drop_front()) {
    loadInts(dtype, value.data(), 0, count, next.data());
    for (int64_t i = 0; i < count; ++i)
      sum[i] = combineInts(combiner, sum[i], next[i], bits);
  }
  storeInts(dtype, result.mutableData(), 0, count, sum.data());
  return result;
}

} // namespace kiln::eval
