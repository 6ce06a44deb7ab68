//===- GuardProducts.cpp - Products of small integers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if all numbers of a factor fit in fewer bits:  the product, one way
// else:                                          the product, the other way
//
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEGUARDPRODUCTS
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;
using namespace kiln::staging;

namespace {
/// Guards the product of one region.
struct ProductGuard {
  OpBuilder b;
  Location loc;
  stage::ComputeOp region;
  MatrixProductOpInterface product;

  ProductGuard(stage::ComputeOp region, MatrixProductOpInterface product)
      : b(region), loc(region.getLoc()), region(region), product(product) {}

  /// All elements along the first dimension, joined by `or`.
  Value joined(OpBuilder &inside, Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto reduce = tile::ReduceOp::create(inside, loc, ValueRange{tile}, 0,
                                         /*ordered=*/false);
    OpBuilder::InsertionGuard guard(inside);
    Block *block = inside.createBlock(
        &reduce.getCombiner(), {},
        {type.getElementType(), type.getElementType()}, {loc, loc});
    Value both = arith::OrIOp::create(inside, loc, block->getArgument(0),
                                      block->getArgument(1));
    tile::YieldOp::create(inside, loc, both);
    return reduce.getResult(0);
  }

  /// Whether all numbers of a factor fit in so many bits.
  Value fits(Value factor, bool isUnsigned, int64_t bits) {
    auto type = cast<RankedTensorType>(factor.getType());
    auto element = cast<IntegerType>(type.getElementType());
    auto line = RankedTensorType::get(type.getShape().drop_front(), element);
    Value joint = stage::AllocOp::create(
        b, loc, MemRefType::get(line.getShape(), element), IntegerAttr(),
        IntegerAttr(), IntegerAttr());
    auto compute =
        [&](ArrayRef<int64_t> box, TypeRange results,
            llvm::function_ref<SmallVector<Value>(OpBuilder &)> fill) {
          auto made = stage::ComputeOp::create(
              b, loc, results, box, ValueRange(), ValueRange(), ValueRange());
          OpBuilder inside =
              OpBuilder::atBlockBegin(&made.getBody().emplaceBlock());
          SmallVector<Value> yielded = fill(inside);
          stage::YieldOp::create(inside, loc, yielded);
          return made;
        };
    compute(type.getShape(), {}, [&](OpBuilder &inside) {
      IRMapping mapping;
      cloneCone(factor, inside, mapping);
      Value tile = mapping.lookup(factor);
      // Signed numbers that fit are not negative behind this, as unsigned ones.
      if (!isUnsigned)
        tile = arith::AddIOp::create(
            inside, loc, tile,
            arith::ConstantOp::create(
                inside, loc,
                DenseElementsAttr::get(
                    type, APInt(element.getWidth(), 1).shl(bits - 1))));
      stage::WriteOp::create(inside, loc, joined(inside, tile), joint,
                             ValueRange());
      return SmallVector<Value>();
    });
    stage::ComputeOp all =
        compute(line.getShape(), element, [&](OpBuilder &inside) {
          Value tile =
              stage::ReadOp::create(inside, loc, line, joint, ValueRange());
          return SmallVector<Value>{joined(inside, tile)};
        });
    Value limit = arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(element, APInt(element.getWidth(), 1).shl(bits)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                 all.getResult(0), limit);
  }

  /// Whether the factors of `narrow` fit; null where nothing is asked of them.
  Value fits(const NarrowProduct &narrow) {
    Value condition;
    auto also = [&](OpOperand &factor, bool isUnsigned, int64_t bits) {
      if (!bits)
        return;
      Value one = fits(factor.get(), isUnsigned, bits);
      condition =
          condition ? arith::AndIOp::create(b, loc, condition, one) : one;
    };
    also(product.getLhsOperand(), product.isLhsUnsigned(), narrow.lhsBits);
    also(product.getRhsOperand(), product.isRhsUnsigned(), narrow.rhsBits);
    return condition;
  }

  void run(ArrayRef<NarrowProduct> ways) {
    for (const NarrowProduct &narrow : ways) {
      Value condition = fits(narrow);
      if (!condition)
        continue;
      auto choice =
          scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
      b.setInsertionPoint(choice.thenBlock()->getTerminator());
      Operation *copy = b.clone(*region);
      copy->walk([&](MatrixProductOpInterface other) {
        other->setAttr(narrow.how.getName(), narrow.how.getValue());
      });
      b.setInsertionPoint(choice.elseBlock()->getTerminator());
    }
    region->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  }
};

struct StageGuardProductsPass
    : staging::impl::StageGuardProductsBase<StageGuardProductsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<MatrixProductOpInterface, SmallVector<NarrowProduct>>>
        found;
    getOperation().walk([&](MatrixProductOpInterface product) {
      auto region = dyn_cast<stage::ComputeOp>(product->getParentOp());
      if (!region || region.getNumResults())
        return;
      for (NamedAttribute named : product->getAttrs())
        if (auto how = dyn_cast<ProductSplitAttrInterface>(named.getValue()))
          if (auto ways = how.getNarrowProducts(product); !ways.empty())
            found.push_back({product, ways});
    });
    for (auto &[product, ways] : found)
      ProductGuard(cast<stage::ComputeOp>(product->getParentOp()), product)
          .run(ways);
  }
};
} // namespace
