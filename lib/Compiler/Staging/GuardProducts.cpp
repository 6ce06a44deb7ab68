//===- GuardProducts.cpp - Products of small integers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if all numbers of a factor fit in fewer bits:  the product, one way
// else:                                          the product, the other way
//
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
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
  stage::BoxRegionOpInterface region;
  MatrixProductOpInterface product;

  ProductGuard(stage::BoxRegionOpInterface region,
               MatrixProductOpInterface product)
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

  /// One pass over a box; what `fill` makes is yielded.
  stage::ComputeOp compute(ArrayRef<int64_t> box, TypeRange results,
                           llvm::function_ref<Value(OpBuilder &)> fill) {
    auto made = stage::ComputeOp::create(b, loc, results, box, ValueRange(),
                                         ValueRange(), ValueRange(),
                                         /*stream=*/stage::StreamAttr());
    OpBuilder inside = OpBuilder::atBlockBegin(&made.getBody().emplaceBlock());
    Value yielded = fill(inside);
    stage::YieldOp::create(inside, loc,
                           yielded ? ValueRange(yielded) : ValueRange());
    return made;
  }

  /// All elements of a tile that `fill` computes, joined by `or`: a dimension
  /// at a time, as a region reduces no more.
  Value joinAll(RankedTensorType type,
                llvm::function_ref<Value(OpBuilder &)> fill) {
    Type element = type.getElementType();
    if (type.getRank() == 1)
      return compute(type.getShape(), element,
                     [&](OpBuilder &inside) {
                       return joined(inside, fill(inside));
                     })
          .getResult(0);
    auto line = RankedTensorType::get(type.getShape().drop_front(), element);
    Value storage = stage::AllocOp::create(
        b, loc, MemRefType::get(line.getShape(), element), IntegerAttr(),
        IntegerAttr(), IntegerAttr());
    compute(type.getShape(), {}, [&](OpBuilder &inside) {
      stage::WriteOp::create(inside, loc, joined(inside, fill(inside)), storage,
                             ValueRange());
      return Value();
    });
    return joinAll(line, [&](OpBuilder &inside) {
      return stage::ReadOp::create(inside, loc, line, storage, ValueRange())
          .getResult();
    });
  }

  /// Whether all numbers of a factor fit in so many bits.
  Value fits(Value factor, bool isUnsigned, int64_t bits) {
    auto type = cast<RankedTensorType>(factor.getType());
    unsigned width = type.getElementTypeBitWidth();
    Value all = joinAll(type, [&](OpBuilder &inside) -> Value {
      IRMapping mapping;
      cloneCone(factor, inside, mapping);
      Value tile = mapping.lookup(factor);
      if (isUnsigned)
        return tile;
      // Signed numbers that fit are not negative behind this, as unsigned ones.
      Value more = arith::ConstantOp::create(
          inside, loc,
          DenseElementsAttr::get(type, APInt(width, 1).shl(bits - 1)));
      return arith::AddIOp::create(inside, loc, tile, more);
    });
    Value limit = arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(type.getElementType(), APInt(width, 1).shl(bits)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, all, limit);
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

  /// `name` is that of the attribute that lists `ways`.
  void run(StringAttr name, ArrayRef<NarrowProduct> ways) {
    for (const NarrowProduct &narrow : ways) {
      Value condition = fits(narrow);
      if (!condition)
        continue;
      auto choice =
          scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
      b.setInsertionPoint(choice.thenBlock()->getTerminator());
      Operation *copy = b.clone(*region);
      copy->walk([&](MatrixProductOpInterface other) {
        other->setAttr(name, narrow.how);
      });
      b.setInsertionPoint(choice.elseBlock()->getTerminator());
    }
    region->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  }
};

struct StageGuardProductsPass
    : staging::impl::StageGuardProductsBase<StageGuardProductsPass> {
  void runOnOperation() override {
    struct Found {
      MatrixProductOpInterface product;
      StringAttr name;
      SmallVector<NarrowProduct> ways;
    };
    SmallVector<Found> found;
    getOperation().walk([&](MatrixProductOpInterface product) {
      auto region =
          dyn_cast<stage::BoxRegionOpInterface>(product->getParentOp());
      if (!region || region->getNumResults())
        return;
      for (NamedAttribute named : product->getAttrs())
        if (auto how = dyn_cast<ProductSplitAttrInterface>(named.getValue()))
          if (auto ways = how.getNarrowProducts(product); !ways.empty())
            found.push_back({product, named.getName(), ways});
    });
    for (auto &[product, name, ways] : found)
      ProductGuard(cast<stage::BoxRegionOpInterface>(product->getParentOp()),
                   product)
          .run(name, ways);
  }
};
} // namespace
