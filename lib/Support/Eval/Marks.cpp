// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of elements, and why there are some.
#include "kiln/Eval/Marks.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Perturb.h"
#include "mlir/IR/Diagnostics.h"
#include <array>
#include <cstring>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

constexpr uint8_t kKinds = kPoison | kOpen;
/// How far the number of a cause stands in a mark.
constexpr int kShift = 2;
/// Numbers of causes from 1 on; 0 is an unknown one.
constexpr size_t kMostCauses = 63;

struct Cause {
  Operation *op = nullptr;
  std::string message;
};

/// The latest causes, of which those that marks name are in the call that
/// runs: one evaluation at a time uses them.
struct Causes {
  std::array<Cause, kMostCauses + 1> list;
  size_t last = 0;
};

Causes &causes() {
  static Causes current;
  return current;
}

} // namespace

uint8_t poisonBy(Operation *op, std::string message) {
  Causes &known = causes();
  size_t number = known.last;
  if (!number || known.list[number].op != op)
    number = known.last = number % kMostCauses + 1;
  known.list[number] = {op, std::move(message)};
  return kPoison | uint8_t(number << kShift);
}

uint8_t joinMarks(uint8_t a, uint8_t b) {
  uint8_t cause = (a & ~kKinds) ? a & ~kKinds : b & ~kKinds;
  return cause | ((a | b) & kKinds);
}

uint8_t marksOf(const Value &value) {
  uint8_t all = 0;
  if (const uint8_t *marks = value.poison())
    for (int64_t i = 0; i < value.size(); ++i)
      all = joinMarks(all, marks[i]);
  return all;
}

bool hasCause(uint8_t mark) { return mark >> kShift; }

void markAll(Value &value, uint8_t mark) {
  if (!mark)
    return;
  uint8_t *marks = value.makePoison();
  for (int64_t i = 0; i < value.size(); ++i)
    marks[i] = joinMarks(marks[i], mark);
}

LogicalResult checkHasValue(Operation *user, const Value &value,
                            StringRef what) {
  uint8_t marks = marksOf(value);
  if (!(marks & kPoison))
    return success();
  const Cause &cause = causes().list[marks >> kShift];
  if (!cause.op)
    return user->emitOpError() << what << " is poison";
  InFlightDiagnostic diag = cause.op->emitOpError() << cause.message;
  diag.attachNote(user->getLoc()) << what << " depends on it";
  return diag;
}

void moveOpen(Value &value) {
  if (!perturbation().isOn() || !(marksOf(value) & kOpen))
    return;
  const uint8_t *marks = value.poison();
  DType dtype = value.dtype();
  Value moved = Value::tensor(dtype, value.shape());
  std::memcpy(moved.mutableData(), value.data(), value.bytes());
  int64_t top = dtype == DType::i1 ? 1 : smallestInt(dtype);
  for (int64_t i = 0; i < value.size(); ++i) {
    if (!(marks[i] & kOpen))
      continue;
    if (runtime::isFloat(dtype)) {
      double nan = std::numeric_limits<double>::quiet_NaN();
      storeDoubles(dtype, moved.mutableData(), i, 1, &nan);
      continue;
    }
    int64_t x;
    loadInts(dtype, value.data(), i, 1, &x);
    x ^= top;
    storeInts(dtype, moved.mutableData(), i, 1, &x);
  }
  value = std::move(moved);
}

} // namespace kiln::eval
