// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// affine: the index computations that the levels use.
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Evaluates expressions over known dimensions and symbols; a division by what
/// is not positive has no value.
std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                                ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto a = evaluate(binary.getLHS(), dims, symbols);
  auto b = evaluate(binary.getRHS(), dims, symbols);
  if (!a || !b)
    return std::nullopt;
  // Indices wrap.
  auto x = static_cast<uint64_t>(*a), y = static_cast<uint64_t>(*b);
  if (expr.getKind() == AffineExprKind::Add)
    return static_cast<int64_t>(x + y);
  if (expr.getKind() == AffineExprKind::Mul)
    return static_cast<int64_t>(x * y);
  if (*b <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return llvm::divideFloorSigned(*a, *b);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return llvm::divideCeilSigned(*a, *b);
  return llvm::mod(*a, *b);
}

/// The results of the operation's map.
template <typename OpTy>
FailureOr<SmallVector<int64_t>> results(OpTy op, Frame &frame) {
  AffineMap map = op.getAffineMap();
  for (mlir::Value operand : op->getOperands())
    if (frame.get(operand).hasPoison())
      return op.emitOpError("an operand is poison"), failure();
  SmallVector<int64_t> operands = frame.getInts(op->getOperands()), values;
  ArrayRef<int64_t> all(operands);
  for (AffineExpr expr : map.getResults()) {
    auto value = evaluate(expr, all.take_front(map.getNumDims()),
                          all.drop_front(map.getNumDims()));
    if (!value)
      return op.emitOpError("divides by a value that is not positive"),
             failure();
    values.push_back(*value);
  }
  return values;
}

struct AffineEvaluation : EvaluationInterface {
  explicit AffineEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<affine::AffineApplyOp>([](affine::AffineApplyOp op, Frame &frame) {
      auto values = results(op, frame);
      return failed(values)
                 ? failure()
                 : frame.set(op.getResult(), Value::ofIndex(values->front()));
    });
    add<affine::AffineMinOp>([](affine::AffineMinOp op, Frame &frame) {
      auto values = results(op, frame);
      return failed(values)
                 ? failure()
                 : frame.set(op.getResult(),
                             Value::ofIndex(*llvm::min_element(*values)));
    });
    add<affine::AffineMaxOp>([](affine::AffineMaxOp op, Frame &frame) {
      auto values = results(op, frame);
      return failed(values)
                 ? failure()
                 : frame.set(op.getResult(),
                             Value::ofIndex(*llvm::max_element(*values)));
    });
  }
};

} // namespace

void registerAffineEvaluation(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect>();
  registry.addExtension(+[](MLIRContext *, affine::AffineDialect *dialect) {
    dialect->addInterfaces<AffineEvaluation>();
  });
}

} // namespace kiln::eval
