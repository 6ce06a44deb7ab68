//===- BlockProducts.cpp - Products of storage, block by block ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/Description.h"
#include "kiln/Target/Report.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  ProductBlocker(stage::ComputeOp region, MatrixProductOpInterface product)
      : region(region), product(product), b(region),
        math(b, region->getParentOfType<tile::KernelOp>(), region.getLoc()) {}

  /// Leaves the region, which is then of no use, to the caller.
  bool run(target::TargetAttr description) {
    if (!find() || !(row = choose(description)))
      return false;
    Value left = materialize(product.getLhsOperand().get());
    Value right = materialize(product.getRhsOperand().get());
    RankedTensorType type = product.getProductType();
    int64_t rank = type.getRank();
    int64_t m = type.getDimSize(rank - 2), n = type.getDimSize(rank - 1);
    int64_t k = cast<MemRefType>(left.getType()).getDimSize(rank - 1);
    block = {std::min(m, row.getM().getMin()), std::min(n, row.getN().getMin()),
             std::min(k, row.getK().getMin())};
    auto body = [&](ValueRange batch) {
      loop(m, block[0], [&](Value i) {
        loop(n, block[1], [&](Value j) {
          loop(k, block[2], [&](Value l) {
            multiply(left, right, batch, {i, j, l}, {m, n, k});
          });
        });
      });
    };
    if (rank == 2)
      body({});
    else
      loop(type.getDimSize(0), 1, [&](Value batch) { body(batch); });
    return true;
  }

  StringRef rowName() { return row.getName(); }

private:
  /// Whether the region adds a product to storage and does nothing else.
  bool find() {
    if (region.getNumResults() || !region.getFrom().empty() ||
        !region.getTo().empty() || product.getLhsScaleOperand() ||
        product.getRhsScaleOperand() || product.hasEncodedFactors() ||
        !product->hasOneUse() || !product.getAccOperand())
      return false;
    std::optional<ProductShape> shape = getProductShape(product);
    auto write = dyn_cast<stage::WriteOp>(*product->user_begin());
    auto read = product.getAccOperand()->get().getDefiningOp<stage::ReadOp>();
    if (!shape || !shape->isRowMajor() || !write || !read ||
        write.getStorage() != read.getStorage() || !write.getOrigin().empty() ||
        !read.getOrigin().empty())
      return false;
    for (Operation &op : region.getBody().front())
      if (&op != write && !isMemoryEffectFree(&op) &&
          hasEffect<MemoryEffects::Write>(&op))
        return false;
    acc = write.getStorage();
    return true;
  }

  target::MatrixInstructionAttr choose(target::TargetAttr description) {
    if (!description)
      return {};
    Type lhs = getElementTypeOrSelf(product.getLhsOperand().get());
    Type rhs = getElementTypeOrSelf(product.getRhsOperand().get());
    Type sum = product.getProductType().getElementType();
    for (target::MatrixInstructionAttr candidate :
         description.getMatrixInstructions())
      if (llvm::is_contained(candidate.getLhs().getTypes(), lhs) &&
          llvm::is_contained(candidate.getRhs().getTypes(), rhs) &&
          llvm::is_contained(candidate.getAcc().getTypes(), sum) &&
          candidate.getAccumulate())
        return candidate;
    return {};
  }

  /// Storage that holds a factor as it is.
  Value materialize(Value factor) {
    auto type = cast<RankedTensorType>(factor.getType());
    auto read = factor.getDefiningOp<stage::ReadOp>();
    if (read && read.getOrigin().empty())
      return read.getStorage();
    Location loc = factor.getLoc();
    b.setInsertionPoint(region);
    Value storage = stage::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), type.getElementType()),
        IntegerAttr(), IntegerAttr(), IntegerAttr());
    auto made =
        stage::ComputeOp::create(b, loc, TypeRange(), type.getShape(),
                                 ValueRange(), ValueRange(), ValueRange());
    OpBuilder inside = OpBuilder::atBlockBegin(&made.getBody().emplaceBlock());
    IRMapping mapping;
    cloneCone(factor, inside, mapping);
    stage::WriteOp::create(inside, loc, mapping.lookup(factor), storage,
                           ValueRange());
    stage::YieldOp::create(inside, loc);
    return storage;
  }

  void loop(int64_t end, int64_t step, llvm::function_ref<void(Value)> body) {
    if (end <= step)
      return body(math.constant(0));
    auto made = scf::ForOp::create(b, region.getLoc(), math.constant(0),
                                   math.constant(end), math.constant(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(made.getBody()->getTerminator());
    body(made.getInductionVar());
  }

  void multiply(Value left, Value right, ValueRange batch,
                std::array<Value, 3> at, std::array<int64_t, 3> sizes) {
    Value counts[3];
    for (int d = 0; d < 3; ++d)
      if (sizes[d] % block[d])
        counts[d] = math.min(math.sub(math.constant(sizes[d]), at[d]),
                             math.constant(block[d]));
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
        product.isRhsUnsigned() ? b.getUnitAttr() : UnitAttr());
  }

  stage::ComputeOp region;
  MatrixProductOpInterface product;
  OpBuilder b;
  Indices math;
  Value acc;
  target::MatrixInstructionAttr row;
  std::array<int64_t, 3> block = {};
};

struct StageBlockProductsPass
    : staging::impl::StageBlockProductsBase<StageBlockProductsPass> {
  void runOnOperation() override {
    SmallVector<MatrixProductOpInterface> products;
    getOperation().walk([&](MatrixProductOpInterface product) {
      if (isa<stage::ComputeOp>(product->getParentOp()))
        products.push_back(product);
    });
    target::TargetAttr description = target::getDescription(getOperation());
    for (MatrixProductOpInterface product : products) {
      auto region = cast<stage::ComputeOp>(product->getParentOp());
      ProductBlocker blocker(region, product);
      if (!blocker.run(description))
        continue;
      target::Report::of(&getContext())
          .chose(product, "lowering", description.getName(), blocker.rowName());
      region.erase();
    }
  }
};

} // namespace
