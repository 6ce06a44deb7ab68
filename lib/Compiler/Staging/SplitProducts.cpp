//===- SplitProducts.cpp - Products as loops over blocks ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for steps:  pack the left operand, panel by panel
//             for columns:  pack a panel of the right operand, or use it as it
//                           is where only few rows read it
//                           for rows:  acc += left panel * right panel
//
// What computes the operands is computed where they are packed.
//
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "FamilyLowerings.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/Declines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGESPLITPRODUCTS
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;
using namespace kiln::staging;

static bool isUnsigned(Type type) { return type.isUnsignedInteger(); }

scf::ForOp ProductSplitter::loop(Value end, int64_t step, Body body) {
  if (auto known = getConstantIntValue(end); known && *known <= step) {
    if (*known > 0)
      body(index(0));
    return {};
  }
  auto made =
      scf::ForOp::create(b, region.getLoc(), index(0), end, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(made.getBody()->getTerminator());
  body(made.getInductionVar());
  return made;
}

Value ProductSplitter::allocateRow(Type element) {
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape.back() = how.columns;
  return stage::AllocOp::create(b, region.getLoc(),
                                MemRefType::get(shape, element), IntegerAttr(),
                                IntegerAttr(), IntegerAttr());
}

void ProductSplitter::makeRegion(ArrayRef<int64_t> box, ValueRange from,
                                 ValueRange to,
                                 llvm::function_ref<void(OpBuilder &)> fill) {
  auto made = stage::ComputeOp::create(b, region.getLoc(), TypeRange(), box,
                                       from, to, ValueRange(),
                                       /*stream=*/stage::StreamAttr());
  OpBuilder inside = OpBuilder::atBlockBegin(&made.getBody().emplaceBlock());
  fill(inside);
  stage::YieldOp::create(inside, region.getLoc(), ValueRange());
}

SmallVector<Value> ProductSplitter::coords(Value batch, Value row,
                                           Value column) {
  if (isBatched)
    return {batch, row, column};
  return {row, column};
}

void ProductSplitter::multiply(Value lhs, ValueRange lhsAt, Value rhs,
                               ValueRange rhsAt, Value sum, ValueRange sumAt,
                               Value rows, Value columns, Value steps,
                               ArrayRef<int64_t> sizes, Value minus,
                               Value isFresh) {
  auto by = how.row.empty() ? FlatSymbolRefAttr()
                            : FlatSymbolRefAttr::get(b.getContext(), how.row);
  auto made = stage::ProductOp::create(
      b, region.getLoc(), Type(), lhs, lhsAt, rhs, rhsAt, sum, sumAt, steps,
      rows, columns, minus, isFresh, b.getDenseI64ArrayAttr(sizes), by,
      /*async=*/UnitAttr(),
      tile::InputPrecisionAttr::get(b.getContext(), tile::InputPrecision::ieee),
      isUnsigned(how.lhs.element) ? b.getUnitAttr() : UnitAttr(),
      isUnsigned(how.rhs.element) ? b.getUnitAttr() : UnitAttr(),
      /*lhs_as=*/TypeAttr(), /*rhs_as=*/TypeAttr(),
      /*lhs_transposed=*/UnitAttr(), /*rhs_transposed=*/UnitAttr(),
      /*exchanged=*/UnitAttr(), /*max_imprecise_acc=*/IntegerAttr());
  (void)made;
}

void ProductSplitter::sumOffset(Value rhs, ValueRange rhsAt, Value columns,
                                Value steps) {
  // What was added to the left operand, times the right one.
  auto row = cast<MemRefType>(offsetSums.getType());
  makeRegion(row.getShape(), {}, {}, [&](OpBuilder &inside) {
    auto zeros = RankedTensorType::get(row.getShape(), row.getElementType());
    Value zero = arith::ConstantOp::create(inside, region.getLoc(), zeros,
                                           b.getZeroAttr(zeros));
    stage::WriteOp::create(inside, region.getLoc(), zero, offsetSums,
                           ValueRange());
  });
  SmallVector<Value> origin = coords(index(0), index(0), index(0));
  multiply(offsets, origin, rhs, rhsAt, offsetSums, origin, index(1), columns,
           steps, {1, how.columns, how.deepest}, Value(), Value());
}

void ProductSplitter::prefetch(Value batch, Value from, Value steps, Value at,
                               Value row) {
  // Memory is idle meanwhile, and the rows of a panel lie far apart.
  int64_t calls = llvm::divideCeil(m, how.rows);
  auto load = onlyLoad(rhs);
  if (!load || calls < 4 || n <= how.columns)
    return;
  int64_t share = llvm::divideCeil(how.depth, calls);
  Value call = math.floorDiv(row, how.rows);
  Value first = math.mul(call, share);
  Value last = math.min(math.add(first, index(share)), steps);
  auto made = scf::ForOp::create(b, region.getLoc(), first, last, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(made.getBody()->getTerminator());
  SmallVector<Value> tile =
      coords(batch, math.add(from, made.getInductionVar()),
             math.add(at, index(how.columns)));
  SmallVector<Value> origin;
  for (const ViewAxis &axis : load.getAxes()) {
    Value offset = math.offsetOf(axis);
    bool moves = axis.tileDim >= 0 &&
                 load.getAccessedType().getDimSize(axis.tileDim) != 1;
    origin.push_back(
        moves ? math.add(offset, math.mul(tile[axis.tileDim], axis.step))
              : offset);
  }
  stage::PrefetchOp::create(b, region.getLoc(), load.getAccessedView(), origin,
                            /*element_offsets=*/b.getUnitAttr(),
                            b.getDenseI64ArrayAttr({how.columns}),
                            /*every=*/IntegerAttr());
}

void ProductSplitter::multiplyRows(Value batch, Value from, Value steps,
                                   Value at, Value width, Value source,
                                   ValueRange origin, bool isPacked) {
  Value zero = index(0);
  if (how.lhsOffset)
    sumOffset(source, origin, width, steps);
  loop(endM, how.rows, [&](Value row) {
    if (isPacked)
      prefetch(batch, from, steps, at, row);
    multiply(left, coords(zero, row, zero), source, origin, acc,
             coords(batch, row, at), math.min(math.sub(endM, row), how.rows),
             width, steps, {how.rows, how.columns, how.deepest}, offsetSums,
             isFirst);
  });
}

void ProductSplitter::columns(Value batch, Value from, Value steps, Value at,
                              Value width) {
  Value zero = index(0);
  loop(steps, how.strip, [&](Value step) {
    loop(width, how.columns, [&](Value column) {
      Value first = math.add(at, column), start = math.add(from, step);
      SmallVector<Value> to =
          coords(isBatched ? math.add(batch, index(1)) : Value(),
                 math.add(start, math.min(math.sub(steps, step), how.strip)),
                 math.min(math.add(first, index(how.columns)), index(n)));
      pack(rhs, how.rhs, product.isRhsUnsigned(), 0,
           coords(batch, start, first), to, right,
           coords(isBatched ? math.negated(batch) : Value(), math.negated(from),
                  math.negated(at)));
    });
  });
  loop(width, how.columns, [&](Value column) {
    Value count = math.min(math.sub(width, column), how.columns);
    multiplyRows(batch, from, steps, math.add(at, column), count, right,
                 coords(zero, zero, column), /*isPacked=*/false);
  });
}

void ProductSplitter::column(Value batch, Value from, Value steps, Value at,
                             Value width) {
  Value zero = index(0);
  auto rowsOf = [&](Value source, ValueRange origin, bool isPacked) {
    multiplyRows(batch, from, steps, at, width, source, origin, isPacked);
  };
  auto packed = [&] {
    SmallVector<Value> to = coords(
        isBatched ? math.add(batch, index(1)) : Value(), math.add(from, steps),
        math.min(math.add(at, index(how.columns)), index(n)));
    pack(rhs, how.rhs, product.isRhsUnsigned(), 0, coords(batch, from, at), to,
         right,
         coords(isBatched ? math.negated(batch) : Value(), math.negated(from),
                math.negated(at)));
    rowsOf(right, coords(zero, zero, zero), /*isPacked=*/true);
  };
  Value source = directSource();
  if (!source)
    return packed();
  Value condition = directCondition(batch, from, steps, at);
  SmallVector<Value> origin = directOrigin(batch, from, at);
  if (!condition)
    return rowsOf(source, origin, /*isPacked=*/false);
  auto choice = scf::IfOp::create(b, region.getLoc(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  rowsOf(source, origin, /*isPacked=*/false);
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  packed();
}

void ProductSplitter::packLeft(Value batch, Value from, Value steps,
                               Value rows) {
  Value zero = index(0);
  loop(rows, how.rows, [&](Value row) {
    SmallVector<Value> to =
        coords(isBatched ? math.add(batch, index(1)) : Value(),
               math.min(math.add(row, index(how.rows)), index(m)),
               math.add(from, steps));
    pack(lhs, how.lhs, product.isLhsUnsigned(), how.lhsOffset,
         coords(batch, row, from), to, left,
         coords(isBatched ? math.negated(batch) : Value(), zero,
                math.negated(from)));
  });
}

void ProductSplitter::block(Value batch, Value from, Value steps) {
  if (!isLeftOutside)
    packLeft(batch, from, steps, endM);
  int64_t wide = how.columns * how.panels;
  loop(endN, wide, [&](Value at) {
    Value width = math.min(math.sub(endN, at), wide);
    if (how.panels > 1)
      columns(batch, from, steps, at, width);
    else
      column(batch, from, steps, at, width);
  });
}

void ProductSplitter::run() {
  std::tie(endM, endN, endK) = findExtents(product, math);
  Value isFirstBlock = startsFresh ? startFresh() : Value();
  // Then there are first steps.
  if (isFirstBlock)
    endK = math.max(endK, index(1));
  {
    Operation *place = placeOfLeft();
    isLeftOutside = place != region;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(place);
    left = allocatePanels(llvm::divideCeil(m, how.rows), how.rows, how.lhs,
                          /*panelDimFirst=*/true);
    if (isLeftOutside)
      packLeft(Value(), index(0), index(k), index(m));
  }
  right =
      allocatePanels(how.panels, how.columns, how.rhs, /*panelDimFirst=*/false);
  if (how.lhsOffset) {
    offsets = allocatePanels(1, 1, how.lhs, /*panelDimFirst=*/true);
    offsetSums = allocateRow(type.getElementType());
    auto storage = cast<MemRefType>(offsets.getType());
    makeRegion(storage.getShape(), {}, {}, [&](OpBuilder &inside) {
      auto tile =
          RankedTensorType::get(storage.getShape(), storage.getElementType());
      Value offset = arith::ConstantOp::create(
          inside, region.getLoc(), tile,
          DenseElementsAttr::get(
              tile, Attribute(b.getIntegerAttr(
                        b.getI8Type(), APInt(8, uint8_t(how.lhsOffset))))));
      stage::WriteOp::create(inside, region.getLoc(), offset, offsets,
                             ValueRange());
    });
  }
  loop(index(isBatched ? type.getDimSize(0) : 1), 1, [&](Value batch) {
    loop(endK, how.depth, [&](Value from) {
      if (isFirstBlock)
        isFirst = math.isEqual(from, index(0), isFirstBlock);
      auto all = getConstantIntValue(endK);
      block(batch, from,
            all && *all % how.depth == 0
                ? index(how.depth)
                : math.min(math.sub(endK, from), how.depth));
    });
  });
}

/// How a matmul is split, by an attribute of it; null if none says so.
static ProductSplitAttrInterface splitOf(MatrixProductOpInterface product) {
  for (NamedAttribute named : product->getAttrs())
    if (auto attr = dyn_cast<ProductSplitAttrInterface>(named.getValue()))
      return attr;
  return {};
}

FailureOr<std::string> staging::splitProduct(MatrixProductOpInterface product,
                                             bool startsFresh,
                                             ProductSplitAttrInterface split) {
  auto region = dyn_cast<stage::BoxRegionOpInterface>(product->getParentOp());
  if (!region || region->getNumResults() || !region.getFrom().empty() ||
      !region.getTo().empty() || product.getLhsScaleOperand() ||
      product.getRhsScaleOperand() || product.hasEncodedFactors() ||
      !product->hasOneUse() || !product.getAccOperand())
    return failure();
  std::optional<ProductShape> shape = getProductShape(product);
  auto write = dyn_cast<stage::StorageWriteOpInterface>(*product->user_begin());
  auto read = product.getAccOperand()
                  ->get()
                  .getDefiningOp<stage::StorageReadOpInterface>();
  if (!shape || !shape->isRowMajor() || !write || !read ||
      write.getStorage() != read.getStorage() || !write.getOrigin().empty() ||
      !read.getOrigin().empty())
    return failure();
  // Nothing else is written.
  for (Operation &op : region.getBody().front())
    if (&op != write && !isMemoryEffectFree(&op) &&
        hasEffect<MemoryEffects::Write>(&op))
      return failure();
  if (!split)
    split = splitOf(product);
  std::optional<ProductSplit> how =
      split ? split.getProductSplit(product) : std::nullopt;
  if (!how)
    return failure();
  ProductSplitter(region, product, *how, read.getStorage(), startsFresh).run();
  return how->lowering;
}

void staging::splitProducts(tile::Kernel kernel, ChooseSplit choose) {
  auto isTaken =
      findProductPlugIns(cast<tile::KernelOp>(kernel.getOperation()));
  SmallVector<MatrixProductOpInterface> products;
  kernel.walk([&](MatrixProductOpInterface product) {
    if (!isTaken(product))
      products.push_back(product);
  });
  target::TargetAttr description = target::getDescription(kernel);
  for (MatrixProductOpInterface product : products) {
    ProductSplitAttrInterface split =
        choose ? choose(product) : ProductSplitAttrInterface();
    FailureOr<std::string> lowering =
        splitProduct(product, /*startsFresh=*/true, split);
    if (failed(lowering))
      continue;
    target::restoreDeclines(product);
    if (description)
      target::Report::of(kernel.getContext())
          .chose(product, "lowering", description.getName(), *lowering);
    product->getParentOp()->erase();
  }
}

namespace {
struct StageSplitProductsPass
    : staging::impl::StageSplitProductsBase<StageSplitProductsPass> {
  void runOnOperation() override {
    staging::splitProducts(cast<tile::Kernel>(getOperation().getOperation()));
  }
};
} // namespace
