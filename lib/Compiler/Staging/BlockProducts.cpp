//===- BlockProducts.cpp - Products of storage, block by block ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowChoice.h"
#include "SplitProducts.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/Declines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEBLOCKPRODUCTS
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;
using namespace kiln::staging;

namespace {

/// The region of one product, if it is nothing else.
class ProductBlocker {
public:
  ProductBlocker(stage::BoxRegionOpInterface region,
                 MatrixProductOpInterface product, const RowChoice &choice)
      : region(region), product(product), choice(choice), b(region),
        math(b, region->getParentOfType<tile::KernelOp>(), region.getLoc()) {}

  /// Leaves the region, which is then of no use, to the caller.
  bool run() {
    target::Report &report = target::Report::of(b.getContext());
    if (std::string reason = whyNoBlocks(); !reason.empty()) {
      report.declined(product, "matrix instructions", reason);
      return false;
    }
    if (!(row = choice.choose(product)))
      return false;
    std::tie(ends[0], ends[1], ends[2]) = findExtents(product, math);
    left = materialize(product.getLhsOperand().get(), Factor::Lhs);
    right = materialize(product.getRhsOperand().get(), Factor::Rhs);
    block = choice.blockOf(row, product);
    RankedTensorType type = product.getProductType();
    b.setInsertionPoint(region);
    if (type.getRank() == 2)
      return multiplyAll({}), true;
    loop(math.constant(type.getDimSize(0)), 1,
         [&](Value batch) { multiplyAll(batch); });
    return true;
  }

  StringRef rowName() { return row.getName(); }

private:
  /// Why the region does not add a product to storage and nothing else.
  std::string whyNoBlocks() {
    if (product.getLhsScaleOperand() || product.getRhsScaleOperand())
      return "its factors have scales";
    if (product.hasEncodedFactors())
      return "its factors are not numbers of their element types";
    std::optional<ProductShape> shape = getProductShape(product);
    if (!shape || !shape->isRowMajor())
      return "its factors are not m x k and k x n";
    if (!product.getAccOperand())
      return "it has no accumulator";
    auto write =
        product->hasOneUse()
            ? dyn_cast<stage::StorageWriteOpInterface>(*product->user_begin())
            : stage::StorageWriteOpInterface();
    auto read = product.getAccOperand()
                    ->get()
                    .getDefiningOp<stage::StorageReadOpInterface>();
    if (!write || !read || write.getStorage() != read.getStorage() ||
        !write.getOrigin().empty() || !read.getOrigin().empty())
      return "its sums are not added to storage";
    bool isWhole = !region->getNumResults() && region.getFrom().empty() &&
                   region.getTo().empty();
    for (Operation &op : region.getBody().front())
      isWhole &= &op == write || isMemoryEffectFree(&op) ||
                 !hasEffect<MemoryEffects::Write>(&op);
    if (!isWhole)
      return "its region computes more than the product";
    acc = write.getStorage();
    return "";
  }

  /// Storage that holds a factor as the row reads it.
  Value materialize(Value factor, Factor which) {
    MemRefType wanted = choice.storageOf(row, product, which);
    bool isFilled = choice.isFilledFor(product, which);
    if (isFilled || choice.liesAs(product, which, wanted)) {
      Value storage =
          factor.getDefiningOp<stage::StorageReadOpInterface>().getStorage();
      if (isFilled)
        storage.setType(wanted);
      return storage;
    }
    Location loc = factor.getLoc();
    b.setInsertionPoint(region);
    Value storage = stage::AllocOp::create(b, loc, wanted, IntegerAttr(),
                                           IntegerAttr(), IntegerAttr());
    auto made =
        stage::ComputeOp::create(b, loc, TypeRange(), wanted.getShape(),
                                 ValueRange(), ValueRange(), ValueRange(),
                                 /*stream=*/stage::StreamAttr());
    OpBuilder inside = OpBuilder::atBlockBegin(&made.getBody().emplaceBlock());
    IRMapping mapping;
    cloneCone(factor, inside, mapping);
    stage::WriteOp::create(inside, loc, mapping.lookup(factor), storage,
                           ValueRange());
    stage::YieldOp::create(inside, loc);
    return storage;
  }

  /// Nothing where `end` is not positive.
  void loop(Value end, int64_t step, llvm::function_ref<void(Value)> body) {
    if (auto known = getConstantIntValue(end); known && *known <= step) {
      if (*known > 0)
        body(math.constant(0));
      return;
    }
    auto made = scf::ForOp::create(b, region.getLoc(), math.constant(0), end,
                                   math.constant(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(made.getBody()->getTerminator());
    body(made.getInductionVar());
  }

  /// Goes over blocks of rows, columns and steps. The operand that stays in the
  /// unit is the one that the innermost loop does not move.
  void multiplyAll(ValueRange batch) {
    std::array<int, 3> order = {0, 1, 2};
    if (row.getStationary() == target::Stationary::Lhs)
      order = {0, 2, 1};
    else if (row.getStationary() == target::Stationary::Rhs)
      order = {1, 2, 0};
    std::array<Value, 3> at, counts;
    auto over = [&](int d, llvm::function_ref<void()> body) {
      loop(ends[d], block[d], [&](Value start) {
        at[d] = start;
        auto known = getConstantIntValue(ends[d]);
        counts[d] =
            known && *known % block[d] == 0
                ? Value()
                : math.min(math.sub(ends[d], start), math.constant(block[d]));
        body();
      });
    };
    over(order[0], [&] {
      over(order[1],
           [&] { over(order[2], [&] { multiply(batch, at, counts); }); });
    });
  }

  void multiply(ValueRange batch, std::array<Value, 3> at,
                std::array<Value, 3> counts) {
    auto origin = [&](Value first, Value second) {
      SmallVector<Value> coords(batch.begin(), batch.end());
      coords.append({first, second});
      return coords;
    };
    auto precision =
        product->getAttrOfType<tile::InputPrecisionAttr>("input_precision");
    if (!precision)
      precision = tile::InputPrecisionAttr::get(b.getContext(),
                                                tile::InputPrecision::ieee);
    stage::ProductOp::create(
        b, product.getLoc(), Type(), left, origin(at[0], at[2]), right,
        origin(at[2], at[1]), acc, origin(at[0], at[1]), counts[2], counts[0],
        counts[1], /*minus=*/Value(), /*fresh=*/Value(),
        b.getDenseI64ArrayAttr(block),
        FlatSymbolRefAttr::get(b.getContext(), row.getName()),
        /*async=*/UnitAttr(), precision,
        product.isLhsUnsigned() ? b.getUnitAttr() : UnitAttr(),
        product.isRhsUnsigned() ? b.getUnitAttr() : UnitAttr(),
        /*lhs_as=*/TypeAttr(), /*rhs_as=*/TypeAttr(),
        /*lhs_transposed=*/UnitAttr(), /*rhs_transposed=*/UnitAttr(),
        /*exchanged=*/UnitAttr(), /*max_imprecise_acc=*/IntegerAttr());
  }

  stage::BoxRegionOpInterface region;
  MatrixProductOpInterface product;
  const RowChoice &choice;
  OpBuilder b;
  Indices math;
  Value left, right, acc;
  target::MatrixInstructionAttr row;
  std::array<int64_t, 3> block = {};
  std::array<Value, 3> ends; ///< of rows, columns and steps
};

struct StageBlockProductsPass
    : staging::impl::StageBlockProductsBase<StageBlockProductsPass> {
  using StageBlockProductsBase::StageBlockProductsBase;

  void runOnOperation() override {
    SmallVector<MatrixProductOpInterface> products;
    getOperation().walk([&](MatrixProductOpInterface product) {
      if (isa<stage::BoxRegionOpInterface>(product->getParentOp()))
        products.push_back(product);
    });
    target::TargetAttr description = target::getDescription(getOperation());
    if (!description)
      return;
    RowChoice choice(description, space, columns, panels);
    target::Report &report = target::Report::of(&getContext());
    for (MatrixProductOpInterface product : products) {
      auto region = cast<stage::BoxRegionOpInterface>(product->getParentOp());
      ProductBlocker blocker(region, product, choice);
      if (!blocker.run()) {
        target::keepDeclines(product);
        continue;
      }
      report.chose(product, "lowering", description.getName(),
                   blocker.rowName());
      region.erase();
    }
  }
};

} // namespace
