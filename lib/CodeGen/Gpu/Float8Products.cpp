//===- Float8Products.cpp - Products of 8-bit floats, sums of f16 ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 8 bits are numbers of f16, so a matrix instruction for f16
// multiplies them exactly; where it reads subnormal numbers as zero, one for
// f32 does. One for 8 bits may sum with fewer bits than f32 has,
// so it is not what a product in f32 asks for unless it says so.
//
//===----------------------------------------------------------------------===//

#include "Float8Products.h"
#include "ProductChoice.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Transforms/Tile/Accumulators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Products are exact and may be rounded to the accumulator's type at each
/// step, as an instruction with that accumulator does; without conversions.
struct WidenAccumulators
    : PassWrapper<WidenAccumulators, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenAccumulators)

  StringRef getArgument() const override { return "simt-widen-accumulators"; }
  StringRef getDescription() const override {
    return "Accumulates matmuls and reductions of 16-bit floats in f32, except "
           "matmuls that the description has a matrix instruction for";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    target::TargetAttr description = target::getDescription(getOperation());
    tile::widenAccumulators(
        getOperation(), [&](MatrixProductOpInterface product) {
          return bool(simt::findInstruction(product, description));
        });
  }
};

struct WidenFloat8Factors
    : PassWrapper<WidenFloat8Factors, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenFloat8Factors)

  StringRef getArgument() const override { return "simt-widen-float8-factors"; }
  StringRef getDescription() const override {
    return "Widens operands of matmuls that have no matrix instruction: 8-bit "
           "floats to f16; f16 to f32 if instructions for f16 read subnormal "
           "numbers as zero";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    target::TargetAttr description = target::getDescription(getOperation());
    if (!description || llvm::none_of(description.getMatrixInstructions(),
                                      [](target::MatrixInstructionAttr row) {
                                        return takesHalves(row.getLhs()) &&
                                               takesHalves(row.getRhs());
                                      }))
      return;
    getOperation().walk([&](MatrixProductOpInterface product) {
      if (simt::findInstruction(product, description))
        return;
      OpOperand *factors[] = {&product.getLhsOperand(),
                              &product.getRhsOperand()};
      auto elementOf = [](OpOperand *factor) {
        return getElementTypeOrSelf(factor->get().getType());
      };
      if (!product.getProductType().getElementType().isF32() ||
          product.getLhsScaleOperand() || product.getRhsScaleOperand() ||
          !llvm::all_of(factors, [&](OpOperand *factor) {
            return isByte(elementOf(factor)) || elementOf(factor).isF16();
          }))
        return;
      OpBuilder b(product);
      for (OpOperand *factor : factors)
        if (isByte(elementOf(factor))) {
          auto type = cast<RankedTensorType>(factor->get().getType());
          factor->set(arith::ExtFOp::create(
              b, product.getLoc(), type.clone(b.getF16Type()), factor->get()));
        }
      keepSubnormals(product, description);
    });
  }

private:
  /// Multiplies numbers of f16 as those of f32 where the instructions for f16
  /// read subnormal numbers as zero, and there is one for f32.
  static void keepSubnormals(MatrixProductOpInterface product,
                             target::TargetAttr description) {
    auto flushes = [&](target::MatrixInstructionAttr row) {
      return row.getFlushesSubnormals() && target::takesTypes(row, product);
    };
    if (llvm::none_of(description.getMatrixInstructions(), flushes) ||
        simt::findInstruction(product, description))
      return;
    OpBuilder b(product);
    OpOperand *factors[] = {&product.getLhsOperand(), &product.getRhsOperand()};
    SmallVector<Value> halves;
    for (OpOperand *factor : factors) {
      halves.push_back(factor->get());
      auto type = cast<RankedTensorType>(factor->get().getType());
      factor->set(arith::ExtFOp::create(
          b, product.getLoc(), type.clone(b.getF32Type()), factor->get()));
    }
    if (simt::findInstruction(product, description))
      return;
    for (auto [factor, half] : llvm::zip(factors, halves)) {
      Operation *extension = factor->get().getDefiningOp();
      factor->set(half);
      extension->erase();
    }
  }

  template <typename OperandT> static bool takesHalves(OperandT operand) {
    return llvm::any_of(operand.getTypes(),
                        [](Type type) { return type.isF16(); });
  }
  /// Of which f16 has all numbers.
  static bool isByte(Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
               Float8E5M2FNUZType>(type);
  }
};
} // namespace

std::unique_ptr<Pass> simt::createWidenAccumulatorsPass() {
  return std::make_unique<WidenAccumulators>();
}

std::unique_ptr<Pass> simt::createWidenFloat8FactorsPass() {
  return std::make_unique<WidenFloat8Factors>();
}
