// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of tensors that have no value, or not one alone. The evaluation of
// prim keeps them in the poison bytes of a value: a byte holds what is wrong
// with its element and, for a message, which operation is the cause.
#ifndef KILN_EVAL_MARKS_H
#define KILN_EVAL_MARKS_H

#include "kiln/Eval/Value.h"
#include "mlir/IR/Operation.h"

namespace kiln::eval {

/// It has no value. A result of a program, a decision and a size must have one.
constexpr uint8_t kPoison = 1;
/// It depends on bits of a NaN that are unspecified: any value is right.
constexpr uint8_t kOpen = 2;

/// A mark of an element that has no value because of `op`; `message` says why.
uint8_t poisonBy(mlir::Operation *op, std::string message);
/// What is wrong with an element that is made of two.
uint8_t joinMarks(uint8_t a, uint8_t b);
/// The marks of a value together; 0 if none of its elements has one.
uint8_t marksOf(const Value &value);
/// Whether a mark says which operation is the cause.
bool hasCause(uint8_t mark);
/// Gives every element of `value` what is in `mark`.
void markAll(Value &value, uint8_t mark);

/// Fails if an element of `value` has no value, with the message of the cause;
/// `user` is the operation that needs one, as `what`.
mlir::LogicalResult checkHasValue(mlir::Operation *user, const Value &value,
                                  llvm::StringRef what);
/// While errors are made on purpose (Perturb.h): elements that may have any
/// value get one that is as far away as can be.
void moveOpen(Value &value);

} // namespace kiln::eval

#endif // KILN_EVAL_MARKS_H
