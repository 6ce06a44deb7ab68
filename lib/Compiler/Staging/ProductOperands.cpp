//===- ProductOperands.cpp - Operands of a product in panels --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

/// Integers in storage have no sign.
Type staging::withoutSign(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

Value ProductSplitter::allocatePanels(int64_t count, int64_t width,
                                      const PanelForm &form,
                                      bool panelDimFirst) {
  // (r, k) -> (r floordiv width, k floordiv group, r mod width, k mod group)
  unsigned rank = type.getRank();
  AffineExpr r = b.getAffineDimExpr(panelDimFirst ? rank - 2 : rank - 1);
  AffineExpr s = b.getAffineDimExpr(panelDimFirst ? rank - 1 : rank - 2);
  SmallVector<AffineExpr> places = {r.floorDiv(width), s.floorDiv(form.group),
                                    r % width};
  if (form.group > 1)
    places.push_back(s % form.group);
  SmallVector<int64_t> shape(rank, 1);
  shape[panelDimFirst ? rank - 2 : rank - 1] = count * width;
  shape[panelDimFirst ? rank - 1 : rank - 2] = how.deepest;
  auto storage = MemRefType::get(
      shape, withoutSign(form.element),
      AffineMapAttr::get(AffineMap::get(rank, 0, places, b.getContext())));
  return stage::AllocOp::create(b, region.getLoc(), storage, IntegerAttr(),
                                IntegerAttr(), IntegerAttr());
}

Value ProductSplitter::converted(OpBuilder &inside, Value tile,
                                 const PanelForm &form, bool isUnsigned,
                                 int64_t offset) {
  Location loc = region.getLoc();
  auto from = cast<RankedTensorType>(tile.getType());
  auto splat = [&](Type element, int64_t bits) -> Value {
    auto constant = from.clone(element);
    return arith::ConstantOp::create(
        inside, loc, constant,
        DenseElementsAttr::get(constant,
                               Attribute(b.getIntegerAttr(element, bits))));
  };
  Type element = withoutSign(form.element);
  if (offset) // Adding 128 modulo 256.
    return arith::XOrIOp::create(inside, loc, tile,
                                 splat(element, int8_t(offset)));
  if (from.getElementType() == element) {
    if (product.getProductPrecision() != ProductPrecision::TF32)
      return tile;
    // The 10 bits of mantissa that tf32 has.
    Type i32 = b.getI32Type();
    Value bits = arith::BitcastOp::create(inside, loc, from.clone(i32), tile);
    bits = arith::AndIOp::create(inside, loc, bits,
                                 splat(i32, int32_t(0xffffe000)));
    return arith::BitcastOp::create(inside, loc, from, bits);
  }
  Type wide = from.clone(element);
  if (isa<FloatType>(element))
    return arith::ExtFOp::create(inside, loc, wide, tile);
  if (isUnsigned)
    return arith::ExtUIOp::create(inside, loc, wide, tile);
  return arith::ExtSIOp::create(inside, loc, wide, tile);
}

void ProductSplitter::pack(Value operand, const PanelForm &form,
                           bool isUnsigned, int64_t offset, ValueRange from,
                           ValueRange to, Value storage, ValueRange origin) {
  auto shape = cast<ShapedType>(operand.getType()).getShape();
  makeRegion(shape, from, to, [&](OpBuilder &inside) {
    IRMapping mapping;
    cloneCone(operand, inside, mapping);
    stage::WriteOp::create(
        inside, region.getLoc(),
        converted(inside, mapping.lookup(operand), form, isUnsigned, offset),
        storage, origin);
  });
}

Operation *ProductSplitter::placeOfLeft() {
  if (isBatched || how.lhsOffset || k > how.depth)
    return region;
  auto kernel = region->getParentOfType<tile::Kernel>();
  auto isConstant = [&](Value view) {
    auto argument = dyn_cast<BlockArgument>(view);
    return argument && argument.getOwner()->getParentOp() == kernel &&
           tile::getFact(kernel, argument.getArgNumber(), tile::kReadonlyFact);
  };
  // What it is computed from, and whether that changes.
  SmallVector<Value> outside;
  llvm::SetVector<Value> work;
  work.insert(lhs);
  for (size_t i = 0; i < work.size(); ++i) {
    Value value = work[i];
    Operation *op = value.getDefiningOp();
    if (!op || op->getParentOp() != region) {
      outside.push_back(value);
      continue;
    }
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    bool isFixed = access ? access.isRead() && !access.isVolatileAccess() &&
                                isConstant(access.getAccessedView())
                          : isMemoryEffectFree(op) && op->getNumRegions() == 0;
    if (!isFixed)
      return region;
    work.insert(op->operand_begin(), op->operand_end());
  }
  Operation *place = region;
  for (Operation *loop = region->getParentOp(); isa<scf::ForOp>(loop);
       loop = loop->getParentOp()) {
    if (llvm::any_of(outside, [&](Value value) {
          return loop->isAncestor(value.getParentBlock()->getParentOp());
        }))
      break;
    place = loop;
  }
  return place;
}

Value ProductSplitter::directSource() {
  // Few rows would not pay for packing what they read only once or twice.
  auto operand = cast<RankedTensorType>(rhs.getType());
  if (m > 2 * how.rows || how.rhs.group > 1 ||
      operand.getElementType() != withoutSign(how.rhs.element) || n == 1 ||
      k == 1 || product.getProductPrecision() == ProductPrecision::TF32)
    return {};
  if (auto read = rhs.getDefiningOp<stage::StorageReadOpInterface>()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto storage = read.getStorage().getType();
    return read.getOrigin().empty() &&
                   succeeded(storage.getStridesAndOffset(strides, offset)) &&
                   strides.back() == 1
               ? read.getStorage()
               : Value();
  }
  auto load = dyn_cast_or_null<ViewAccessOpInterface>(rhs.getDefiningOp());
  if (!load || indirectAxis(load.getAxes()) >= 0)
    return {};
  auto view = dyn_cast<tile::ViewType>(load.getAccessedView().getType());
  if (!view || view.getElementType() != operand.getElementType())
    return {};
  int64_t rank = operand.getRank();
  bool hasRow = false, hasStep = false;
  for (auto [d, axis] : llvm::enumerate(load.getAxes())) {
    if (axis.step != 1)
      return {};
    hasRow |= axis.tileDim == rank - 1 && view.getStaticStride(d) == 1 &&
              d + 1 == load.getAxes().size();
    hasStep |= axis.tileDim == rank - 2 && d + 2 == load.getAxes().size();
  }
  return hasRow && hasStep ? load.getAccessedView() : Value();
}

SmallVector<Value> ProductSplitter::directOrigin(Value batch, Value from,
                                                 Value at) {
  SmallVector<Value> tile = coords(batch, from, at);
  auto load = dyn_cast<ViewAccessOpInterface>(rhs.getDefiningOp());
  if (!load)
    return tile;
  SmallVector<Value> origin;
  for (const ViewAxis &axis : load.getAxes()) {
    Value offset = math.offsetOf(axis);
    origin.push_back(axis.tileDim < 0 ? offset
                                      : math.add(offset, tile[axis.tileDim]));
  }
  return origin;
}

Value ProductSplitter::directCondition(Value batch, Value from, Value steps,
                                       Value at) {
  auto load = dyn_cast<ViewAccessOpInterface>(rhs.getDefiningOp());
  if (!load)
    return {};
  int64_t rank = type.getRank();
  Value condition;
  for (auto [d, first] : llvm::enumerate(directOrigin(batch, from, at))) {
    int64_t dim = load.getAxes()[d].tileDim;
    Value count = dim == rank - 1   ? index(how.columns)
                  : dim == rank - 2 ? steps
                                    : index(1);
    Value size = math.sizeOf(load.getAccessedView(), d);
    for (Value holds : {math.atLeast(first, index(0)),
                        math.atLeast(size, math.add(first, count))})
      condition = math.conjunction(condition, holds);
  }
  return condition;
}
