//===- Dot.cpp - Products of tiles through packed panels ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The left operand is packed into panels of the micro-kernel's rows, the right
// one into one panel of its columns at a time; whatever computes the operands
// inline runs inside of the packing loops. Panels past the edges are padded, so
// that micro-kernels never see an edge.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Pack.h"
#include "SmallFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

MicroTile KernelEmitter::microTileOf(MatrixProductOpInterface dot,
                                     Padding *padding) {
  RankedTensorType type = dot.getProductType();
  int64_t lanes = config.lanes(type.getElementType().getIntOrFloatBitWidth());
  int64_t rank = type.getRank();
  MicroTile tile = MicroTile::choose(config, type.getDimSize(rank - 2),
                                     type.getDimSize(rank - 1), lanes);
  if (padding)
    *padding = {false, std::max<int64_t>(tile.rows, 2), tile.vectors * lanes};
  return tile;
}

/// A load (through conversions) that reads zero outside of its view, or null.
static ViewAccessOpInterface zeroPaddedLoad(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto load = dyn_cast_or_null<ViewAccessOpInterface>(op);
  if (!load || load.getOutside() != Outside::Zero ||
      indirectAxis(load.getAxes()) >= 0)
    return nullptr;
  return load;
}

/// Whether rows and columns outside of the operands' views end in stores only,
/// through operations that keep elements apart.
static bool onlyStored(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto access = dyn_cast<ViewAccessOpInterface>(user);
    if (!seen.insert(user).second ||
        (access && access.getWrittenOperand() == &use &&
         indirectAxis(access.getAxes()) < 0))
      continue;
    if (auto yield = dyn_cast<scf::YieldOp>(user)) {
      auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
      unsigned i = use.getOperandNumber();
      if (!loop || !onlyStored(loop.getResult(i), seen) ||
          !onlyStored(loop.getRegionIterArg(i), seen))
        return false;
      continue;
    }
    if (auto dot = dyn_cast<MatrixProductOpInterface>(user)) {
      if (dot.getLhsOperand().get() == value ||
          dot.getRhsOperand().get() == value || dot.getAccOperand() != &use ||
          !onlyStored(user->getResult(0), seen))
        return false;
      continue;
    }
    if (!isElementwise(user) || !onlyStored(user->getResult(0), seen))
      return false;
  }
  return true;
}

namespace kiln::cpu {
/// Emits one product.
class DotLowering {
public:
  DotLowering(KernelEmitter &e, MatrixProductOpInterface dot)
      : e(e), b(e.b), dot(dot), type(dot.getProductType()),
        lhs(dot.getLhsOperand().get()), rhs(dot.getRhsOperand().get()),
        element(type.getElementType()),
        lanes(e.config.lanes(element.getIntOrFloatBitWidth())) {
    int64_t rank = type.getRank();
    batched = rank == 3;
    m = type.getDimSize(rank - 2);
    n = type.getDimSize(rank - 1);
    k = cast<ShapedType>(lhs.getType()).getDimSize(rank - 1);
    tile = e.microTileOf(dot, &padding);
    columns = tile.vectors * lanes;
    // The right panel stays in the nearest cache.
    int64_t fit = e.config.l1Bytes * 2 / 3 /
                  (columns * KernelEmitter::storageBytes(element));
    depth = std::clamp<int64_t>(llvm::alignDown(fit, lanes), lanes, 512);
    depth = std::min<int64_t>(depth, llvm::alignTo(k, lanes));
  }

  LogicalResult emit();

private:
  void block(Coord batch, Coord from, Value steps);
  /// Address and row stride of the right panel that starts at `column`.
  std::pair<Value, Value> rightPanel(Coord batch, Coord column, Coord from,
                                     Value steps);
  /// How far rows, columns and depth must go.
  void findExtents();

  KernelEmitter &e;
  RewriterBase &b;
  MatrixProductOpInterface dot;
  RankedTensorType type;
  Value lhs, rhs;
  Type element;
  int64_t lanes, m, n, k, columns, depth;
  bool batched;
  MicroTile tile;
  Padding padding;
  TileBuffer result;
  Value leftMemory, rightMemory;
  Value endM, endN, endK;
  std::optional<Packer> left, right;
};
} // namespace kiln::cpu

void DotLowering::findExtents() {
  endM = e.c64(m);
  endN = e.c64(n);
  endK = e.c64(k);
  // The loads of operands that are evaluated as they are packed, and the end
  // of their views along a dimension of the tile.
  auto loadOf = [&](Value operand) {
    return e.hasBuffer(operand) ? nullptr : zeroPaddedLoad(operand);
  };
  ViewAccessOpInterface left = loadOf(lhs), right = loadOf(rhs);
  auto bound = [&](ViewAccessOpInterface load, int64_t fromBack) -> Value {
    int64_t dim = load.getAccessedType().getRank() - 1 - fromBack;
    for (auto [d, axis] : llvm::enumerate(load.getAxes()))
      if (axis.tileDim == dim)
        return e.maximum(e.validRange(load, d).hi, e.c64(0));
    return e.c64(load.getAccessedType().getDimSize(dim));
  };
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (onlyStored(dot->getResult(0), seen)) {
    if (left)
      endM = e.minimum(endM, bound(left, 1));
    if (right)
      endN = e.minimum(endN, bound(right, 0));
  }
  if (left && right)
    endK = e.minimum(endK, e.maximum(bound(left, 0), bound(right, 1)));
}

LogicalResult DotLowering::emit() {
  result = e.resultBuffer(dot->getResult(0), padding);
  Value acc = dot.getAccOperand()->get();
  bool inPlace = e.hasBuffer(acc) && e.bufferOf(acc).base == result.base;
  if (!inPlace)
    e.fill(result, acc);

  e.freshLevels();
  findExtents();
  int64_t bytes = KernelEmitter::storageBytes(element);
  int64_t panels = llvm::divideCeil(m, tile.rows);
  leftMemory = e.temporary((panels * tile.rows * depth + lanes) * bytes);
  rightMemory = e.temporary((columns * depth + lanes) * bytes);
  bool isTf32 = dot.getProductPrecision() == ProductPrecision::TF32;
  left.emplace(e, lhs, element, lanes, tile.rows, batched,
               /*panelDimFirst=*/true, dot.isLhsUnsigned(), isTf32);
  right.emplace(e, rhs, element, lanes, columns, batched,
                /*panelDimFirst=*/false, dot.isRhsUnsigned(), isTf32);

  int64_t batches = batched ? type.getDimSize(0) : 1;
  e.forLoop(
      e.c64(0), e.c64(batches), 1, {}, false, [&](Coord batch, ValueRange) {
        e.forLoop(
            e.c64(0), endK, depth, {}, false, [&](Coord from, ValueRange) {
              Value steps =
                  e.minimum(e.sub(endK, e.coordValue(from)), e.c64(depth));
              block(batch, from, steps);
              return SmallVector<Value>();
            });
        return SmallVector<Value>();
      });
  e.define(dot->getResult(0), result);
  return success();
}

std::pair<Value, Value> DotLowering::rightPanel(Coord batch, Coord column,
                                                Coord from, Value steps) {
  Value width = e.c64(columns);
  // Few rows would not pay for packing what they read only once or twice.
  if (!right->canBeDirect() || m > 2 * tile.rows) {
    right->pack(batch, column, from, steps, rightMemory);
    return {rightMemory, width};
  }
  Value inside = right->isInside(batch, column, from, steps);
  if (!inside)
    return {right->directAddress(batch, column, from), right->directStride()};
  auto choice = scf::IfOp::create(
      b, e.loc, TypeRange{rightMemory.getType(), width.getType()}, inside, true,
      true);
  e.inRegion(choice, choice.thenBlock(), [&] {
    Value address = right->directAddress(batch, column, from);
    scf::YieldOp::create(b, e.loc, ValueRange{address, right->directStride()});
  });
  e.inRegion(choice, choice.elseBlock(), [&] {
    right->pack(batch, column, from, steps, rightMemory);
    scf::YieldOp::create(b, e.loc, ValueRange{rightMemory, width});
  });
  return {choice.getResult(0), choice.getResult(1)};
}

void DotLowering::block(Coord batch, Coord from, Value steps) {
  e.forLoop(e.c64(0), endM, tile.rows, {}, false, [&](Coord row, ValueRange) {
    Value place =
        e.gep(leftMemory, e.mul(e.coordValue(row), e.c64(depth)), element);
    left->pack(batch, row, from, steps, place);
    return SmallVector<Value>();
  });
  func::FuncOp kernel = e.microKernel(element, tile.rows, tile.vectors, lanes);
  int64_t rank = type.getRank();
  Value rowStride = e.c64(result.strides[rank - 2]);
  e.forLoop(e.c64(0), endN, columns, {}, false, [&](Coord column, ValueRange) {
    Value panel, stride;
    std::tie(panel, stride) = rightPanel(batch, column, from, steps);
    Value out = result.base;
    if (batched)
      out = e.gep(out, e.mul(e.coordValue(batch), e.c64(result.strides[0])),
                  element);
    out = e.gep(out, e.coordValue(column), element);
    e.forLoop(e.c64(0), endM, tile.rows, {}, false, [&](Coord row, ValueRange) {
      Value index = e.coordValue(row);
      Value a = e.gep(leftMemory, e.mul(index, e.c64(depth)), element);
      Value c = e.gep(out, e.mul(index, rowStride), element);
      func::CallOp::create(b, e.loc, kernel,
                           ValueRange{steps, a, panel, stride, c, rowStride});
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

LogicalResult KernelEmitter::emitDot(MatrixProductOpInterface dot) {
  if (dot.getLhsScaleOperand() || dot.getRhsScaleOperand())
    return decline("its operands have scales");
  if (!dot.getAccOperand())
    return decline("it has no accumulator");
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape || !shape->isRowMajor())
    return decline("its operands are not m x k and k x n");
  return DotLowering(*this, dot).emit();
}
