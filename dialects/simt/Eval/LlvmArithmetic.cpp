// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of the llvm dialect, as far as thread code has it.
#include "Machine.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace kiln::eval {

namespace {

void spreadMarks(Value &out, ArrayRef<const Value *> operands) {
  for (const Value *operand : operands)
    if (const uint8_t *from = operand->poison()) {
      uint8_t *to = out.makePoison();
      for (int64_t i = 0; i < out.size(); ++i)
        to[i] = joinMarks(to[i], from[i]);
    }
}

template <typename OpTy, typename Fn>
void addInts(EvaluationInterface &table, Extend extend, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    if (!warpOf(op, frame))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = Value::tensor(a.dtype(), a.shape());
    mapInts(a, b, out, extend, fn);
    spreadMarks(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

/// The same where `isBad(x, y, width)` says that the result is poison.
template <typename OpTy, typename Bad, typename Fn>
void addInts(EvaluationInterface &table, Extend extend, Bad isBad, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    if (!warpOf(op, frame))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = Value::tensor(a.dtype(), a.shape());
    int width = runtime::dtypeBits(a.dtype());
    SmallVector<int64_t, 64> bad;
    int64_t at = 0;
    mapInts(a, b, out, extend, [&](int64_t x, int64_t y) -> int64_t {
      bool is = isBad(x, y, width);
      if (is)
        bad.push_back(at);
      ++at;
      return is ? 0 : fn(x, y);
    });
    spreadMarks(out, {&a, &b});
    for (int64_t i : bad)
      out.makePoison()[i] |= kPoison;
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy, typename Fn>
void addFloats(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    if (!warpOf(op, frame))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = Value::tensor(a.dtype(), a.shape());
    mapFloats(a, b, out, fn);
    spreadMarks(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

bool isTrue(LLVM::ICmpPredicate predicate, int64_t x, int64_t y) {
  auto u = uint64_t(x), v = uint64_t(y);
  using P = LLVM::ICmpPredicate;
  switch (predicate) {
  case P::eq:
    return x == y;
  case P::ne:
    return x != y;
  case P::slt:
    return x < y;
  case P::sle:
    return x <= y;
  case P::sgt:
    return x > y;
  case P::sge:
    return x >= y;
  case P::ult:
    return u < v;
  case P::ule:
    return u <= v;
  case P::ugt:
    return u > v;
  case P::uge:
    return u >= v;
  }
  return false;
}

LogicalResult compare(LLVM::ICmpOp op, Frame &frame) {
  if (!warpOf(op, frame))
    return failure();
  const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
  Value out = Value::tensor(DType::i1, a.shape());
  LLVM::ICmpPredicate predicate = op.getPredicate();
  bool isUnsigned = predicate >= LLVM::ICmpPredicate::ult;
  mapInts(
      a, b, out, isUnsigned ? Extend::zero : Extend::sign,
      [=](int64_t x, int64_t y) -> int64_t { return isTrue(predicate, x, y); });
  spreadMarks(out, {&a, &b});
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult countBits(LLVM::CtPopOp op, Frame &frame) {
  if (!warpOf(op, frame))
    return failure();
  const Value &a = frame.get(op.getIn());
  Value out = Value::tensor(a.dtype(), a.shape());
  mapInts(a, out, Extend::zero,
          [](int64_t x) -> int64_t { return llvm::popcount(uint64_t(x)); });
  spreadMarks(out, {&a});
  return frame.set(op->getResult(0), std::move(out));
}

} // namespace

void addLlvmArithmetic(EvaluationInterface &table) {
  using namespace LLVM;
  auto wrap = [](auto fn) {
    return [fn](int64_t x, int64_t y) {
      return int64_t(fn(uint64_t(x), uint64_t(y)));
    };
  };
  addInts<AddOp>(table, Extend::sign,
                 wrap([](uint64_t x, uint64_t y) { return x + y; }));
  addInts<SubOp>(table, Extend::sign,
                 wrap([](uint64_t x, uint64_t y) { return x - y; }));
  addInts<MulOp>(table, Extend::sign,
                 wrap([](uint64_t x, uint64_t y) { return x * y; }));
  addInts<AndOp>(table, Extend::sign,
                 wrap([](uint64_t x, uint64_t y) { return x & y; }));
  addInts<OrOp>(table, Extend::sign,
                wrap([](uint64_t x, uint64_t y) { return x | y; }));
  addInts<XOrOp>(table, Extend::sign,
                 wrap([](uint64_t x, uint64_t y) { return x ^ y; }));
  auto isTooFar = [](int64_t, int64_t y, int width) {
    return uint64_t(y) >= uint64_t(width);
  };
  addInts<ShlOp>(table, Extend::zero, isTooFar, [](int64_t x, int64_t y) {
    return int64_t(uint64_t(x) << y);
  });
  addInts<LShrOp>(table, Extend::zero, isTooFar, [](int64_t x, int64_t y) {
    return int64_t(uint64_t(x) >> y);
  });
  addInts<AShrOp>(table, Extend::sign, isTooFar,
                  [](int64_t x, int64_t y) { return x >> y; });
  auto isZero = [](int64_t, int64_t y, int) { return y == 0; };
  auto overflows = [](int64_t x, int64_t y, int width) {
    return y == 0 || (y == -1 && x == int64_t(~uint64_t(0) << (width - 1)));
  };
  addInts<UDivOp>(table, Extend::zero, isZero,
                  wrap([](uint64_t x, uint64_t y) { return x / y; }));
  addInts<URemOp>(table, Extend::zero, isZero,
                  wrap([](uint64_t x, uint64_t y) { return x % y; }));
  addInts<SDivOp>(table, Extend::sign, overflows,
                  [](int64_t x, int64_t y) { return x / y; });
  addInts<SRemOp>(table, Extend::sign, overflows,
                  [](int64_t x, int64_t y) { return x % y; });
  addFloats<FAddOp>(table, [](double x, double y) { return x + y; });
  addFloats<FSubOp>(table, [](double x, double y) { return x - y; });
  addFloats<FMulOp>(table, [](double x, double y) { return x * y; });
  addFloats<FDivOp>(table, [](double x, double y) { return x / y; });
  table.add<ICmpOp>(compare);
  table.add<CtPopOp>(countBits);
}

} // namespace kiln::eval
