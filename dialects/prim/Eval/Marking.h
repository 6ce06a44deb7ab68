// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How marks of elements follow the data through operations of prim. Private to
// this folder.
#ifndef KILN_DIALECTS_PRIM_EVAL_MARKING_H
#define KILN_DIALECTS_PRIM_EVAL_MARKING_H

#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Marks.h"

namespace kiln::eval {

/// Evaluates an operation of prim, and gives its results the marks that follow
/// from those of its operands: of elementwise operations place by place, else
/// of all elements, unless the operation hands on marks itself.
mlir::LogicalResult
withMarks(mlir::Operation *op, Frame &frame,
          llvm::function_ref<mlir::LogicalResult()> evaluate);

/// Whether the bits of floats are those of arguments and constants, moved and
/// chosen: no NaN among them was computed.
bool isGiven(mlir::Value value);

/// Marks the elements of `out`, which are bits of those of `value`, that come
/// from a computed NaN: its sign and payload are unspecified. `source` is what
/// `value` is the value of.
void markNans(mlir::Value source, const Value &value, Value &out);

/// The functions of prim.
class PrimTable : public EvaluationInterface {
public:
  using EvaluationInterface::EvaluationInterface;

  template <typename OpTy, typename Fn> void add(Fn fn) {
    EvaluationInterface::add<OpTy>([fn](OpTy op, Frame &frame) {
      return withMarks(op, frame, [&] { return fn(op, frame); });
    });
  }
};

} // namespace kiln::eval

#endif // KILN_DIALECTS_PRIM_EVAL_MARKING_H
