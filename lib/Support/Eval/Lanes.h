// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the evaluations of arith and math share: results shaped like their
// operands, and poison that follows the data. Private to this folder.
#ifndef KILN_LIB_EVAL_LANES_H
#define KILN_LIB_EVAL_LANES_H

#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Marks.h"
#include "mlir/IR/TypeUtilities.h"
#include <cstring>

namespace kiln::eval {

/// An uninitialised value of the form (scalar or tensor) of `a`.
inline Value sameForm(const Value &a, DType dtype) {
  return a.isScalar() ? Value::scalar(dtype) : Value::tensor(dtype, a.shape());
}

/// A lane is poison if it is in any operand.
inline void spreadPoison(Value &out, llvm::ArrayRef<const Value *> operands) {
  for (const Value *operand : operands)
    if (const uint8_t *from = operand->poison()) {
      uint8_t *to = out.makePoison();
      for (int64_t i = 0, n = out.size(); i < n; ++i)
        to[i] = joinMarks(to[i], from[i]);
    }
}

/// Checks that the result's type can be evaluated and that operands agree.
inline mlir::LogicalResult checkLanes(mlir::Operation *op, Frame &frame) {
  for (mlir::Type type : op->getResultTypes())
    if (dtypeOf(type) == DType::none)
      return op->emitOpError("unsupported: evaluation of type ") << type;
  for (mlir::Value operand : op->getOperands()) {
    const Value &value = frame.get(operand);
    if (value.isView())
      return op->emitOpError("unsupported: evaluation on a view");
    if (!value.isScalar() && !frame.get(op->getOperand(0)).isScalar() &&
        value.shape() != frame.get(op->getOperand(0)).shape())
      return op->emitOpError("expected operands of one shape");
  }
  return mlir::success();
}

/// Integers, where `fn(x, y, width, bad)` sets bad for lanes that are poison.
template <typename Fn>
void mapChecked(const Value &a, const Value &b, Value &out, Extend extend,
                Fn fn) {
  int width = runtime::dtypeBits(a.dtype());
  int64_t x[kChunk], y[kChunk];
  uint8_t bad[kChunk];
  for (int64_t i = 0, size = out.size(); i < size; i += kChunk) {
    int64_t n = std::min(kChunk, size - i);
    loadInts(a.dtype(), a.data(), i, n, x, extend);
    loadInts(b.dtype(), b.data(), i, n, y, extend);
    uint8_t any = 0;
    for (int64_t k = 0; k < n; ++k) {
      bool isBad = false;
      x[k] = fn(x[k], y[k], width, isBad);
      any |= bad[k] = isBad;
    }
    storeInts(out.dtype(), out.mutableData(), i, n, x);
    if (any) {
      uint8_t *poison = out.makePoison();
      for (int64_t k = 0; k < n; ++k)
        poison[i + k] |= bad[k];
    }
  }
}

template <typename OpTy, typename Fn>
void addCheckedInts(EvaluationInterface &table, Extend extend, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> mlir::LogicalResult {
    if (mlir::failed(checkLanes(op, frame)))
      return mlir::failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = sameForm(a, a.dtype());
    mapChecked(a, b, out, extend, fn);
    spreadPoison(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy, typename Fn>
void addInts(EvaluationInterface &table, Extend extend, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> mlir::LogicalResult {
    if (mlir::failed(checkLanes(op, frame)))
      return mlir::failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = sameForm(a, a.dtype());
    mapInts(a, b, out, extend, fn);
    spreadPoison(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy, typename Fn>
void addUnaryInts(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> mlir::LogicalResult {
    if (mlir::failed(checkLanes(op, frame)))
      return mlir::failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, a.dtype());
    mapInts(a, out, Extend::zero,
            [fn, w = runtime::dtypeBits(a.dtype())](int64_t x) -> int64_t {
              return fn(static_cast<uint64_t>(x), w);
            });
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy, typename Fn>
void addUnaryFloats(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> mlir::LogicalResult {
    if (mlir::failed(checkLanes(op, frame)))
      return mlir::failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, a.dtype());
    mapFloats(a, out, fn);
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

/// An operation on bits: `fn(bits of a, bits of b, sign)`, where `sign` is the
/// bit of the sign. NaN keep their payloads, which they would lose as doubles.
template <typename Fn>
void mapBits(const Value &a, const Value &b, Value &out, Fn fn) {
  int64_t bytes = runtime::dtypeBytes(a.dtype());
  uint64_t sign = uint64_t(1) << (runtime::dtypeBits(a.dtype()) - 1);
  for (int64_t i = 0; i < out.size(); ++i) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, static_cast<const char *>(a.data()) + i * bytes, bytes);
    std::memcpy(&y, static_cast<const char *>(b.data()) + i * bytes, bytes);
    x = fn(x, y, sign);
    std::memcpy(static_cast<char *>(out.mutableData()) + i * bytes, &x, bytes);
  }
}

/// Changes of signs: as bits where the type has one, else `fn` on numbers.
template <typename OpTy, typename Bits, typename Fn>
void addSignOp(EvaluationInterface &table, Bits bits, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> mlir::LogicalResult {
    if (mlir::failed(checkLanes(op, frame)))
      return mlir::failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperands().back());
    Value out = sameForm(a, a.dtype());
    if (hasSignBit(a.dtype()))
      mapBits(a, b, out, bits);
    else
      mapFloats(a, b, out, fn);
    spreadPoison(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy, typename Fn>
void addFloats(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> mlir::LogicalResult {
    if (mlir::failed(checkLanes(op, frame)))
      return mlir::failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = sameForm(a, a.dtype());
    mapFloats(a, b, out, fn);
    spreadPoison(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

} // namespace kiln::eval

#endif // KILN_LIB_EVAL_LANES_H
