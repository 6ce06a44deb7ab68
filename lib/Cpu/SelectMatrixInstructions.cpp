//===- SelectMatrixInstructions.cpp - Which instruction does a product ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductRows.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Report.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace kiln::cpu {
#define GEN_PASS_DEF_SELECTMATRIXINSTRUCTIONS
#include "kiln/Cpu/Passes.h.inc"
} // namespace kiln::cpu

/// Multiply-adds per cycle of a row's unit.
static double rateOf(target::MatrixInstructionAttr row, const RowUse &use,
                     target::TargetAttr description) {
  for (target::ExecutionUnitAttr unit : description.getUnits()) {
    if (unit.getName() != row.getUnit())
      continue;
    if (unit.getKind() == target::UnitKind::Matrix)
      return double(unit.getRate()) * unit.getCount();
    // Each temporary is the result of one more instruction.
    return double(use.m * use.n * use.k) * unit.getRate() * unit.getCount() /
           double(1 + row.getTemporaries());
  }
  return 1;
}

namespace {
struct Choice {
  ProductAttr product;
  double cycles = 0, bytes = 0;

  bool isBetterThan(const Choice &other) const {
    if (!other.product || cycles < 0.99 * other.cycles)
      return true;
    return cycles < 1.01 * other.cycles && bytes < other.bytes;
  }
};

/// Annotates the products of kernels.
struct SelectMatrixInstructionsPass
    : cpu::impl::SelectMatrixInstructionsBase<SelectMatrixInstructionsPass> {
  using SelectMatrixInstructionsBase::SelectMatrixInstructionsBase;

  void runOnOperation() override {
    target::TargetAttr description = target::getDescription(getOperation());
    CpuConfig config = CpuConfig::fromDescription(description);
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      kernel.walk([&](MatrixProductOpInterface product) {
        std::optional<ProductShape> shape = getProductShape(product);
        if (!shape || !shape->isRowMajor() ||
            !isa<FloatType, IntegerType>(
                product.getProductType().getElementType()))
          return;
        if (!product->hasAttr(kProductAttr))
          product->setAttr(kProductAttr, select(product, config, description));
      });
  }

  ProductAttr select(MatrixProductOpInterface product, const CpuConfig &config,
                     target::TargetAttr description) {
    Choice best;
    if (!description || product.getLhsScaleOperand() ||
        product.getRhsScaleOperand())
      return productWithoutRow(product, config);
    for (target::MatrixInstructionAttr row :
         description.getMatrixInstructions()) {
      std::optional<RowUse> use = useOfRow(row, product);
      if (!use || !findMatrixInstruction(row.getName()) ||
          (keepSubnormals && row.getFlushesSubnormals()))
        continue;
      Choice choice = weigh(product, row, *use, config, description);
      if (choice.isBetterThan(best))
        best = choice;
    }
    return best.product ? best.product : productWithoutRow(product, config);
  }

  static Choice weigh(MatrixProductOpInterface product,
                      target::MatrixInstructionAttr row, const RowUse &use,
                      const CpuConfig &config, target::TargetAttr description) {
    Choice choice;
    choice.product = productByRow(product, row, use, config, description);
    RankedTensorType type = product.getProductType();
    auto lhs = cast<ShapedType>(product.getLhsOperand().get().getType());
    int64_t rank = type.getRank();
    double area = double(llvm::alignTo(type.getDimSize(rank - 2),
                                       choice.product.getRows())) *
                  double(llvm::alignTo(type.getDimSize(rank - 1),
                                       choice.product.getColumns()));
    double depth =
        double(llvm::alignTo(lhs.getDimSize(lhs.getRank() - 1), use.k));
    choice.cycles = area * depth / rateOf(row, use, description);
    choice.bytes =
        use.rhs.getIntOrFloatBitWidth() + (use.lhsOffset ? 0.5 : 0.0);
    return choice;
  }
};
} // namespace
