//===- SelectMatrixInstructions.cpp - Which instruction does a product ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductRows.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/SplitProduct.h"
#include "kiln/Target/Declines.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace kiln::cpu {
#define GEN_PASS_DEF_SELECTMATRIXINSTRUCTIONS
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "kiln/Cpu/Passes.h.inc"
} // namespace kiln::cpu

/// Of the time without it, what a way by small numbers may take.
constexpr double kWorthLooking = 0.9;

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

/// Chooses how the products of a module are computed.
struct ProductChooser {
  target::TargetAttr description;
  CpuConfig config;
  bool keepSubnormals;

  ProductChooser(Operation *op, bool keepSubnormals)
      : description(target::getDescription(op)),
        config(CpuConfig::fromDescription(description)),
        keepSubnormals(keepSubnormals) {}

  /// How a product is computed: as a schedule script asks for, else as `given`
  /// says, else in the fewest cycles. Null if no way is known; fails if what is
  /// asked for cannot be.
  FailureOr<ProductAttr> choose(MatrixProductOpInterface product,
                                ProductSplitAttrInterface given) {
    FailureOr<ProductAttr> asked = obey(product);
    if (failed(asked) || *asked || given)
      return asked;
    std::optional<ProductShape> shape = getProductShape(product);
    if (!shape || !shape->isRowMajor() ||
        !isa<FloatType, IntegerType>(product.getProductType().getElementType()))
      return ProductAttr();
    return select(product);
  }

private:
  /// The instruction and the register block that a schedule script asks for;
  /// null if it asks for none.
  FailureOr<ProductAttr> obey(MatrixProductOpInterface product) {
    std::optional<target::Asked> asked =
        target::findAsked(product, "instruction");
    if (!asked)
      return ProductAttr();
    auto value = cast<DictionaryAttr>(asked->value);
    StringRef name = value.getAs<StringAttr>("instruction").getValue();
    auto refuse = [&](const Twine &why) -> LogicalResult {
      return target::emitUnmet(*asked,
                               "matrix instruction '" + name + "': " + why);
    };
    target::MatrixInstructionAttr row =
        description ? description.getMatrixInstruction(name)
                    : target::MatrixInstructionAttr();
    std::optional<ProductShape> shape = getProductShape(product);
    if (!row || !shape || !shape->isRowMajor())
      return refuse(!row ? "there is none"
                         : "the matmul's operands are not row-major");
    std::string reason;
    std::optional<RowUse> use =
        useOfRow(row, product, /*isBounded=*/false, &reason);
    if (use && !findMatrixInstruction(name))
      reason = "no code is registered for it";
    if (!use || !reason.empty())
      return refuse(reason);
    ProductAttr chosen = productByRow(product, row, *use, config, description);
    auto size = [&](StringRef key, int64_t otherwise) {
      auto given = value.getAs<IntegerAttr>(key);
      return given ? given.getInt() : otherwise;
    };
    int64_t rows = size("rows", chosen.getRows()),
            columns = size("columns", chosen.getColumns()),
            depth = size("depth", chosen.getDepth());
    if (rows % use->m || columns % use->n || depth % use->k)
      return refuse("rows, columns and depth are multiples of " +
                    Twine(use->m) + ", " + Twine(use->n) + " and " +
                    Twine(use->k) + ", found " + Twine(rows) + ", " +
                    Twine(columns) + " and " + Twine(depth));
    auto fail = [&] {
      return mlir::emitError(asked->at)
             << "unsupported: matrix instruction '" << name << "': ";
    };
    chosen = ProductAttr::getChecked(fail, product->getContext(), name, rows,
                                     columns, depth, chosen.getLhsOffset(),
                                     chosen.getPanels(), chosen.getBounded(),
                                     ArrayAttr());
    if (!chosen)
      return failure();
    return chosen;
  }

  ProductAttr select(MatrixProductOpInterface product) {
    Choice best;
    if (!description || product.getLhsScaleOperand() ||
        product.getRhsScaleOperand())
      return productWithoutRow(product, config);
    target::Report &report = target::Report::of(product->getContext());
    SmallVector<Choice> slower;
    for (target::MatrixInstructionAttr row :
         description.getMatrixInstructions()) {
      std::string reason;
      std::optional<RowUse> use =
          useOfRow(row, product, /*isBounded=*/false, &reason);
      if (use && !findMatrixInstruction(row.getName()))
        reason = "no code is registered for it";
      else if (use && keepSubnormals && row.getFlushesSubnormals())
        reason = "it reads subnormal numbers as zero";
      if (!reason.empty()) {
        report.declined(product, row.getName(), reason);
        continue;
      }
      Choice choice = weigh(product, row, *use);
      if (choice.isBetterThan(best))
        std::swap(choice, best);
      if (choice.product)
        slower.push_back(choice);
    }
    for (const Choice &choice : slower)
      report.declined(product, choice.product.getRow(),
                      llvm::formatv("{0} takes fewer cycles, {1:f0} of its "
                                    "{2:f0}, or smaller panels",
                                    best.product.getRow(), best.cycles,
                                    choice.cycles)
                          .str());
    target::keepDeclines(product);
    if (!best.product)
      return productWithoutRow(product, config);
    return withNarrow(best, product);
  }

  /// The choice with faster ones for small numbers, if there are any.
  ProductAttr withNarrow(const Choice &best,
                         MatrixProductOpInterface product) const {
    SmallVector<Choice> found;
    for (target::MatrixInstructionAttr row :
         description.getMatrixInstructions()) {
      std::optional<RowUse> use = useOfRow(row, product, /*isBounded=*/true);
      if (!use || (!use->lhsBits && !use->rhsBits) ||
          !findMatrixInstruction(row.getName()))
        continue;
      Choice choice = weigh(product, row, *use);
      choice.cycles += inspection(product, *use);
      if (choice.cycles < kWorthLooking * best.cycles)
        found.insert(llvm::upper_bound(found, choice,
                                       [](const Choice &x, const Choice &y) {
                                         return x.cycles < y.cycles;
                                       }),
                     choice);
    }
    ProductAttr wide = best.product;
    if (found.empty())
      return wide;
    SmallVector<Attribute> ways;
    for (const Choice &choice : found)
      ways.push_back(choice.product);
    return ProductAttr::get(
        wide.getContext(), wide.getRow(), wide.getRows(), wide.getColumns(),
        wide.getDepth(), wide.getLhsOffset(), wide.getPanels(),
        wide.getBounded(), ArrayAttr::get(wide.getContext(), ways));
  }

  /// Cycles to look at all numbers of the factors that have to fit: a load, an
  /// addition and another operation for each vector.
  double inspection(MatrixProductOpInterface product, const RowUse &use) const {
    double vectors = 0;
    for (auto [operand, bits] :
         {std::pair(&product.getLhsOperand(), use.lhsBits),
          std::pair(&product.getRhsOperand(), use.rhsBits)}) {
      auto type = cast<ShapedType>(operand->get().getType());
      if (bits)
        vectors += double(type.getNumElements()) /
                   double(config.lanes(type.getElementTypeBitWidth()));
    }
    return 3 * vectors;
  }

  Choice weigh(MatrixProductOpInterface product,
               target::MatrixInstructionAttr row, const RowUse &use) const {
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

/// Annotates the products of kernels.
struct SelectMatrixInstructionsPass
    : cpu::impl::SelectMatrixInstructionsBase<SelectMatrixInstructionsPass> {
  using SelectMatrixInstructionsBase::SelectMatrixInstructionsBase;

  void runOnOperation() override {
    ProductChooser chooser(getOperation(), keepSubnormals);
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      if (failed(target::verifyAsked(kernel, "instruction")))
        return signalPassFailure();
      kernel.walk([&](ProductSplitOpInterface holder) {
        auto product = dyn_cast<MatrixProductOpInterface>(*holder);
        if (!product)
          return;
        FailureOr<ProductAttr> chosen =
            chooser.choose(product, holder.getSplitAttr());
        if (failed(chosen))
          return signalPassFailure();
        if (*chosen)
          holder.setSplitAttr(*chosen);
      });
    }
  }
};

/// Splits the products that have no place for an annotation.
struct SplitProductsPass : cpu::impl::SplitProductsBase<SplitProductsPass> {
  using SplitProductsBase::SplitProductsBase;

  void runOnOperation() override {
    ProductChooser chooser(getOperation(), keepSubnormals);
    staging::splitProducts(
        cast<tile::Kernel>(getOperation().getOperation()),
        [&](MatrixProductOpInterface product) -> ProductSplitAttrInterface {
          if (isa<ProductSplitOpInterface>(*product))
            return {};
          FailureOr<ProductAttr> chosen = chooser.choose(product, {});
          if (failed(chosen))
            signalPassFailure();
          return succeeded(chosen) && *chosen
                     ? ProductSplitAttrInterface(*chosen)
                     : ProductSplitAttrInterface();
        });
  }
};
} // namespace
